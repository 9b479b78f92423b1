"""The rows of a table in two versions of the ontology, by the terms that they are about.

Each row belongs to one term. In a row about a pair, that is the lower one. So a table is compared term by term, and
only for the terms whose rows a change can affect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import Final, TypeAlias

from kgprobe.errors import InputError
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Term
from kgprobe.selection.warehouse.affected import Affected, EverythingChangesError
from kgprobe.selection.warehouse.layout import Layout
from kgprobe.selection.warehouse.profile import (
    UNKNOWN,
    Cell,
    Content,
    Role,
    Scheme,
    content_of,
    folded,
    value_of,
)
from kgprobe.sparql.engine.exact_store import GraphStore
from kgprobe.sparql.engine.results import Rows

Row: TypeAlias = tuple[Cell, ...]
_MOST_PATHS: Final = 1000
DOUBT: Final = f"{UNKNOWN}, if there is a row"
# What loaders write for a missing value, or for a truth value.
_DEFAULTS: Final = frozenset(["", "-", "na", "n/a", "none", "null", "unknown", "0.0", "1.0"]) | frozenset(
    ["true", "false", "t", "f", "yes", "no", "y", "n", "on", "off"]
)
_KINDS: Final[Mapping[str, tuple[NamedNode, ...]]] = {
    "classes": (OWL.Class, RDFS.Class),
    "properties": (OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty, RDF.Property),
}


class TableRows:
    """The rows of one table."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.affected = Affected(layout)
        self.contents = layout.contents
        self.columns = {column: place for place, column in enumerate(self.contents)}
        self._table = layout.table
        self._versions = layout.versions
        self._too_many_paths: EverythingChangesError | None = None
        # Each of these is asked again and again.
        self._known = cache(self._of)
        self._has = cache(self._meets)
        self._doubt = cache(self._found_doubt)
        self._comes_or_goes = cache(self._is_in_one_version)
        self._is_renamed = cache(self._has_other_names)
        self.may_stand_for_anything = cache(self._is_open)

    # -- rows ----------------------------------------------------------------------------------------------------

    def rows(self, version: int, term: Key) -> Sequence[Row]:
        """The rows that belong to a term. EverythingChangesError if there are too many."""
        if self._too_many_paths is not None:
            raise self._too_many_paths
        return self._known(version, term)

    def may_differ(self, term: Key) -> bool:
        """Whether the rows of a term can differ between the versions; cheaper than to make them."""
        return self._table.rows != "terms" or term in self.affected.terms

    def changed_pairs(
        self, term: Key, *, upwards: bool, by_distance: bool
    ) -> Iterator[tuple[Key, Sequence[Row], Sequence[Row]]]:
        """The lower terms of pairs with a term, with those rows of each version that can differ.

        `by_distance` says whether the distance counts.
        """
        before, after = (self._pairs(version, term, upwards=upwards) for version in (0, 1))
        both: Iterable[tuple[Key, Key]] = dict.fromkeys((*before, *after))
        if self._writes_alike:
            # Most rows are the same, and need not be made.
            both = [
                pair
                for pair in both
                if (before.get(pair) != after.get(pair) if by_distance else (pair in before) != (pair in after))
                or self._comes_or_goes(term)
                or self._comes_or_goes(pair[1])
                or self._is_renamed(pair[0])
            ]
        found: dict[Key, tuple[list[Row], list[Row]]] = {}
        for relation, end in both:
            lower, upper = (term, end) if upwards else (end, term)
            for version, pairs in enumerate((before, after)):
                if (relation, end) in pairs and self._has(version, lower):
                    row = self._row(version, lower, upper, relation, pairs[relation, end])
                    found.setdefault(lower, ([], []))[version].append(row)
        yield from ((lower, *rows) for lower, rows in found.items())

    @cached_property
    def _writes_alike(self) -> bool:
        """Whether both versions write the same pair in the same way."""
        return not any(content.predicate or content.scheme is Scheme.LABEL for content in self.contents.values())

    def _has_other_names(self, relation: Key) -> bool:
        """Whether the versions may write a relation in different ways."""
        contents = [content for content in self.contents.values() if content.role is Role.RELATION]
        before, after = ([names.relation(content, relation) for content in contents] for names in self._versions.names)
        return before != after

    def _is_in_one_version(self, term: Key) -> bool:
        """Whether only one version has rows of a term at all."""
        return self._has(0, term) != self._has(1, term) or self._doubt(0, term) != self._doubt(1, term)

    def _found_doubt(self, version: int, term: Key) -> Cell:
        """What the cell of a term has in addition if a loader may leave the term out: no row, or another kind."""
        if self.layout.keeps_all:
            return ()
        if not self._has(version, term):
            return (f"{DOUBT} left out",)
        graph = self._versions.graphs[version]
        is_other = self._table.of == "classes" and not graph.has(term, graph.table.is_a, graph.key(OWL.Class))
        return (f"{DOUBT} of another kind",) if is_other else ()

    def rows_to(self, version: int, upper: Key) -> Iterator[Row]:
        """The rows about pairs with this upper term."""
        for (relation, lower), distance in self._pairs(version, upper, upwards=False).items():
            if self._has(version, lower):
                yield self._row(version, lower, upper, relation, distance)

    def _pairs(self, version: int, term: Key, *, upwards: bool) -> dict[tuple[Key, Key], int]:
        """The relations and other ends of pairs with a term, with the distances."""
        if self._table.rows == "closure":
            return {(relation, end): length for relation, end, length in self._chains(version, term, upwards=upwards)}
        edges = self.layout.edges[version]
        return dict.fromkeys(edges.uppers(term) if upwards else edges.lowers(term), 1)

    def named_by(self, column: str) -> Iterator[tuple[Role, Sequence[Content]]]:
        """If a column says which term a row is about: the role of that term, and what the column holds."""
        content = self.contents[column]
        if content.thing == "value" and self._table.over and "*" not in self._table.over:
            yield Role.TERM, list(map(value_of, self._table.over))
        elif not content.thing and content.role in (Role.TERM, Role.UPPER):
            yield content.role, [content]

    def _is_open(self, column: str, text: str) -> bool:
        """Whether a loader may write a text that no value has: a code for a value, or something for a missing one."""
        content = self.contents[column]
        if self._table.rows == "select":
            place = self.columns[column]
            return not any(folded(text) in map(folded, row[place]) for rows in self._solutions for row in rows)
        if content.role is Role.RELATION and content.scheme is not Scheme.KEY:
            return not self._names_a_relation(content, text)
        if not content.predicate:
            return False
        is_value = content.predicate == "rdfs:label" or self._versions.texts.are_there(content, text)
        return folded(text) in _DEFAULTS or not is_value

    def _names_a_relation(self, content: Content, text: str) -> bool:
        said = folded(text)
        for version, names in enumerate(self._versions.names):
            over, graph = self.layout.over(version), self._versions.graphs[version]
            keys: Iterable[Key] = over or ()
            if over is None:
                properties = graph.subjects(graph.table.is_a, graph.key(OWL.ObjectProperty))
                keys = (graph.key(RDFS.subClassOf), *properties)
            if any(said == folded(candidate) for key in keys for candidate in names.relation(content, key)):
                return True
        if None not in (self.layout.over(0), self.layout.over(1)):
            return False
        named = (content_of(f"term {scheme.value}", "terms") for scheme in Scheme if scheme is not Scheme.KEY)
        return any(self._versions.texts.are_there(spelled, text) for spelled in named)

    def _of(self, version: int, term: Key) -> Sequence[Row]:
        if not self._has(version, term):
            return []
        match self._table.rows:
            case "terms":
                return [self._row(version, term)]
            case "annotations":
                return list(self._annotations(version, term))
            case "edges" | "closure":
                pairs = self._pairs(version, term, upwards=True).items()
                return [self._row(version, term, upper, relation, length) for (relation, upper), length in pairs]
            case "paths":
                return list(self._paths(version, term))
        return []

    def _meets(self, version: int, term: Key) -> bool:
        """Whether a term has rows at all."""
        if not self._versions.cones.is_name(term):
            return False
        graph, names = self._versions.graphs[version], self._versions.names[version]
        for said in self._table.without:
            if any(value not in ("false", "0") for value in names.values(said, term)):
                return False
        if self._table.of == "all":
            return graph.count(term) > 0
        kinds = set(map(graph.term, graph.objects(term, graph.table.is_a)))
        if self._table.of in _KINDS:
            return not kinds.isdisjoint(_KINDS[self._table.of])
        return OWL.NamedIndividual in kinds or any(type(k) is NamedNode and not is_reserved(k) for k in kinds)

    def _row(
        self, version: int, term: Key, upper: Key | None = None, relation: Key | None = None, distance: int = 0
    ) -> Row:
        names = self._versions.names[version]
        cells: list[Cell] = []
        for content in self.contents.values():
            if content.role is Role.TERM:
                cells.append((*names.cell(content, term), *self._doubt(version, term)))
            elif content.role is Role.UPPER and upper is not None:
                cells.append((*names.cell(content, upper), *self._doubt(version, upper)))
            elif content.role is Role.RELATION and relation is not None:
                cells.append(names.relation(content, relation))
            elif content.thing == "distance":
                cells.append((str(distance),))
            else:
                cells.append((UNKNOWN,))
        return tuple(cells)

    def _chains(self, version: int, start: Key, *, upwards: bool) -> Iterator[tuple[Key, Key, int]]:
        """The relation, the other end and the length of each chain from a term."""
        edges, graph = self.layout.edges[version], self._versions.graphs[version]
        is_a = graph.key(RDFS.subClassOf)
        found: Iterable[tuple[tuple[Key, Key], int]]
        if self._table.one_property:
            repeats = partial(self.layout.repeats, version)
            found = edges.relations(start, upwards=upwards, repeats=repeats).items()
        else:
            found = (((is_a, end), length) for end, length in edges.distances(start, upwards=upwards).items())
        for (relation, end), length in found:
            if not (self._table.reflexive and end == start and relation == is_a):
                yield relation, end, length
        if self._table.reflexive:
            yield is_a, start, 0

    def _annotations(self, version: int, term: Key) -> Iterator[Row]:
        graph, names = self._versions.graphs[version], self._versions.names[version]
        over = self.layout.over(version)
        for _, predicate, value in graph.about(term):
            literal = graph.term(value)
            if predicate in over if over is not None else type(literal) is Literal:
                cells: list[Cell] = []
                for content in self.contents.values():
                    if content.role is Role.TERM:
                        cells.append(names.cell(content, term))
                    elif content.role is Role.RELATION:
                        cells.append(names.relation(content, predicate))
                    elif content.thing == "value":
                        cells.append((names.value(value),))
                    elif content.thing == "language":
                        cells.append((literal.language or "",) if isinstance(literal, Literal) else ())
                    else:
                        cells.append((UNKNOWN,))
                yield tuple(cells)

    def _paths(self, version: int, term: Key) -> Iterator[Row]:
        names = self._versions.names[version]
        content = content_of(f"term {self.layout.path_scheme.value}", self._table.rows)
        separator = self._table.separator
        for chain in self._chains_to_roots(version, term):
            steps = [names.cell(content, step)[0] for step in reversed(chain)]
            things = {
                "path": separator + separator.join(steps) + separator,
                "parent-path": separator + "".join(step + separator for step in steps[:-1]),
                "level": str(len(steps) - 1),
            }
            yield tuple(
                (things[content.thing],)
                if content.thing in things
                else names.cell(content, term)
                if content.role is Role.TERM
                else (UNKNOWN,)
                for content in self.contents.values()
            )

    def _chains_to_roots(self, version: int, term: Key) -> list[list[Key]]:
        chains, complete = [[term]], []
        while chains:
            chain = chains.pop()
            uppers = [upper for _, upper in self.layout.edges[version].uppers(chain[-1]) if upper not in chain]
            chains += [[*chain, upper] for upper in dict.fromkeys(uppers)]
            if not uppers:
                complete.append(chain)
            if len(chains) + len(complete) > _MOST_PATHS:
                changed = self.affected.cause(term, added=bool(version)) or next(iter(self._versions.triples))
                self._too_many_paths = EverythingChangesError(changed)
                raise self._too_many_paths
        return complete

    @cached_property
    def changed_rows(self) -> list[tuple[Key | None, list[Row], list[Row]]]:
        """The terms whose rows differ, with the rows of each version. The answers of a query belong to no term."""
        if self._table.rows == "select":
            return self._changed_solutions()
        found: list[tuple[Key | None, list[Row], list[Row]]] = []
        for term in self.affected.terms:
            before, after = self.rows(0, term), self.rows(1, term)
            if before != after and sorted(before) != sorted(after):
                found.append((term, list(before), list(after)))
        return found

    def _changed_solutions(self) -> list[tuple[Key | None, list[Row], list[Row]]]:
        before, after = self._solutions
        return [(None, list((before - after).elements()), list((after - before).elements()))]

    @cached_property
    def _solutions(self) -> tuple[Counter[Row], Counter[Row]]:
        """The rows of a table that is the answer of a SPARQL query. How the loader writes terms in it is unknown."""
        name, prefixes = f"the query of the table '{self.layout.name}'", self._versions.prefixes
        answers = [GraphStore(graph).query(self._table.query, name, prefixes) for graph in self._versions.graphs]
        both: list[Counter[Row]] = []
        for answer in answers:
            if not isinstance(answer, Rows):
                raise InputError(f"{name} is not a SELECT query")
            things = [content.thing for content in self.contents.values()]
            both.append(Counter(tuple(_written(row.get(thing)) for thing in things) for row in answer.rows))
        return both[0], both[1]


def _written(term: Term | None) -> Cell:
    if term is None:
        return ()
    return (term.value,) if type(term) is Literal else (f"{UNKNOWN} {term}",)
