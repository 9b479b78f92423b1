"""The terms whose rows in a table a change can affect: those that it describes, and those below them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OWL, RDFS, Literal, NamedNode
from kgprobe.selection.changed_triples import Changed
from kgprobe.selection.warehouse.layout import STRUCTURE, Layout
from kgprobe.selection.warehouse.profile import NAMES_OF_RELATIONS, Role, Scheme


class EverythingChangesError(Exception):
    """Any row of the table may change: `changed` is the triple that is to blame."""

    def __init__(self, changed: Changed) -> None:
        super().__init__()
        self.changed = changed


class Affected:
    """The terms whose rows a change can affect: those that it describes, and those below them."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._versions = layout.versions
        self._table = layout.table
        self._contents = layout.contents

    @cached_property
    def terms(self) -> dict[Key, None]:
        """The terms whose rows a change can affect. EverythingChangesError if that may be any."""
        found = dict.fromkeys(self._starts)
        if self._layout.looks_upwards:
            is_direct = self._table.rows == "edges"
            renamed = self._described_terms if self._shows_uppers else {}
            moved = {} if is_direct else self._with_other_edges
            self._go_down(found, {**moved, **renamed}, is_direct=is_direct)
        return found

    @cached_property
    def other_label(self) -> Changed | None:
        """A changed label by which the profile names a property: the loader may not find it any more."""
        graph = self._versions.graphs[0]
        label = graph.key(RDFS.label)
        for said in (*self._table.over, *self._table.transitive):
            if ":" not in said and said != "*":
                named = {key for names in self._versions.names for key in names.predicates(said)}
                for changed in self._versions.triples.with_predicate(RDFS.label):
                    subject, predicate, value = changed[0]
                    literal = graph.term(value)
                    if subject in named and predicate == label and getattr(literal, "value", "") == said:
                        return changed
        return None

    def cause(self, term: Key, *, added: bool) -> Changed | None:
        """A changed triple because of which a term gains or loses rows: the nearest one above it."""
        for is_same in (True, False):  # what was added is rather to blame for what is gained
            blamed = self._blamed[added is is_same]
            if term in blamed:
                return blamed[term]
            for edges in (
                (self._layout.edges[added], self._layout.edges[not added]) if self._layout.looks_upwards else ()
            ):
                for distance in edges.distances(term, upwards=True):
                    if distance in blamed:
                        return blamed[distance]
        return None

    @cached_property
    def _blamed(self) -> dict[bool, dict[Key, Changed]]:
        """The terms with a changed triple that rows can depend on: an added one, or a removed one."""
        graph = self._versions.graphs[0]
        structure = set(map(graph.key, STRUCTURE)) if self._layout.looks_upwards else set()
        over = frozenset().union(*(self._layout.over(version) or () for version in (0, 1)))
        is_name = self._versions.cones.is_name
        both: dict[bool, dict[Key, Changed]] = {False: {}, True: {}}
        for changed in self._versions.triples:
            subject, predicate, _ = changed[0]
            if predicate in structure or ((predicate in over or self._described(predicate)) and is_name(subject)):
                both[changed[1]].setdefault(subject, changed)
        for blamed in both.values():
            owners = self._versions.cones.owners_of(key for key in blamed if not is_name(key))
            for owner in owners:
                start = owner
                while start in owners:
                    start = owners[start]
                blamed.setdefault(owner, blamed[start])
        return both

    @cached_property
    def _starts(self) -> dict[Key, Changed]:
        """The terms whose own rows, edges or names differ. EverythingChangesError if it may be the rows of any."""
        return {**self._described_terms, **(self._with_other_edges if self._layout.looks_upwards else {})}

    @cached_property
    def _described_terms(self) -> dict[Key, Changed]:
        """The terms with a changed value that rows show."""
        found: dict[Key, Changed] = {}
        for changed in self._versions.triples:
            subject, predicate, _ = changed[0]
            if self._described(predicate):
                if self._shows_relations and self._is_other_relation(subject):
                    raise EverythingChangesError(changed)
                found.setdefault(subject, changed)
        return found

    def _is_other_relation(self, key: Key) -> bool:
        """Whether the rows that a property connects show it in another way than before."""
        on_property = self._versions.graphs[0].key(OWL.onProperty)
        if not any(state.count(None, key) or state.count(None, on_property, key) for state in self._versions.graphs):
            return False
        contents = [content for content in self._contents.values() if content.role is Role.RELATION]
        before, after = (
            (
                *(names.relation(content, key) for content in contents),
                self._table.one_property and self._layout.repeats(version, key),
            )
            for version, names in enumerate(self._versions.names)
        )
        return before != after

    @cached_property
    def _described(self) -> Callable[[Key], bool]:
        """Whether the rows of a term, or its name in other rows, can depend on its values of a property."""
        names = self._versions.names
        said = [one.predicate for one in self._contents.values() if one.predicate] + list(self._table.without)
        predicates = {key for name in said for version in names for key in version.predicates(name)}
        graph = self._versions.graphs[0]
        if any(content.scheme is Scheme.LABEL for content in self._contents.values()) or self._table.rows == "paths":
            predicates.add(graph.key(RDFS.label))
        if self._shows_relations:
            predicates.update((*map(graph.key, NAMES_OF_RELATIONS), graph.table.is_a))
        if self._table.of != "all":
            predicates.add(graph.table.is_a)
        if self._table.rows == "annotations":
            overs = self._layout.over(0), self._layout.over(1)
            if overs[0] is None or overs[1] is None:
                return lambda _: True
            predicates |= overs[0] | overs[1]
        if self._table.of == "all" and (self._table.rows in ("terms", "paths") or self._table.reflexive):
            return lambda _: True  # a term is there as soon as anything is said about it
        return predicates.__contains__

    @property
    def _shows_uppers(self) -> bool:
        by_name = any(
            content.role is Role.UPPER and (content.predicate or content.scheme is Scheme.LABEL)
            for content in self._contents.values()
        )
        return by_name or self._table.rows == "paths" or not self._layout.keeps_all

    @property
    def _shows_relations(self) -> bool:
        return any(content.role is Role.RELATION for content in self._contents.values()) or self._table.one_property

    @cached_property
    def _with_other_edges(self) -> dict[Key, Changed]:
        """The terms whose direct edges differ, each with a changed triple."""
        graph = self._versions.graphs[0]
        overs = [self._layout.over(version) for version in (0, 1)]
        structure = set(map(graph.key, STRUCTURE))
        starts: dict[Key, Changed] = {}
        object_property = graph.key(OWL.ObjectProperty)
        for changed in self._versions.triples:
            subject, predicate, value = changed[0]
            if value == object_property and None in overs and graph.count(None, subject):
                raise EverythingChangesError(changed)
            if predicate in structure or any(
                predicate in over if over is not None else type(graph.term(value)) is not Literal for over in overs
            ):
                starts.setdefault(subject, changed)
        old, new = self._layout.edges
        owners = self._versions.cones.owners_of(starts)
        found: dict[Key, Changed] = {}
        for term in (*starts, *owners):
            if type(graph.term(term)) is NamedNode and set(old.uppers(term)) != set(new.uppers(term)):
                start = term
                while start in owners:
                    start = owners[start]
                found[term] = starts[start]
        return found

    def _go_down(self, found: dict[Key, None], starts: Iterable[Key], *, is_direct: bool) -> None:
        """Add the terms below some terms, in either version: all of them, or only those directly below."""
        for edges in self._layout.edges:
            pending, seen = list(starts), set(starts)
            for term in pending:
                for _, lower in edges.lowers(term):
                    if lower not in seen:
                        seen.add(lower)
                        found[lower] = None
                        if not is_direct:
                            pending.append(lower)
