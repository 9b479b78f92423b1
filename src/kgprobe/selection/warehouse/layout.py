"""A table over two versions of an ontology: what its columns hold, and which edges between terms its loader follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from kgprobe.errors import InputError
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode
from kgprobe.selection.changed_triples import ChangedTriples
from kgprobe.selection.cones import Cones
from kgprobe.selection.warehouse.profile import NamesIn, Scheme, Table, TermsByText

Edge: TypeAlias = tuple[Key, Key]
"""A property and the term at the other end."""

STRUCTURE = (
    *(RDFS.subClassOf, OWL.equivalentClass, OWL.onProperty, OWL.someValuesFrom, OWL.intersectionOf),
    *(RDF.first, RDF.rest),
)
"""The properties with which axioms about classes are written."""


class Edges:
    """The direct edges over some properties: stated, by existential restrictions, and by definitions."""

    def __init__(
        self,
        graph: Graph,
        over: frozenset[Key] | None,
        is_name: Callable[[Key], bool],
        *,
        restrictions: bool,
        definitions: bool,
    ) -> None:
        """`over` has the properties; None stands for subclasses and all object properties."""
        self._graph = graph
        self._over = over
        self._is_name = is_name
        self._followed: dict[Key, bool] = {}
        self._direct: dict[Key, bool] = {}
        self._restrictions = restrictions
        self._definitions = definitions
        self._is_a, self._same, self._on, self._some, self._both, self._first, self._rest = map(graph.key, STRUCTURE)
        self._uppers: dict[Key, tuple[Edge, ...]] = {}
        self._lowers: dict[Key, tuple[Edge, ...]] = {}

    def uppers(self, term: Key) -> tuple[Edge, ...]:
        """The edges from a term to those directly above it."""
        found = self._uppers.get(term)
        if found is None:
            found = self._uppers[term] = tuple(dict.fromkeys(self._up(term)))
        return found

    def lowers(self, term: Key) -> tuple[Edge, ...]:
        """The edges to a term from those directly below it."""
        found = self._lowers.get(term)
        if found is None:
            found = self._lowers[term] = tuple(dict.fromkeys(self._down(term)))
        return found

    def _follows(self, predicate: Key) -> bool:
        found = self._followed.get(predicate)
        if found is None:
            term = self._graph.term(predicate)
            is_any = predicate == self._is_a or (type(term) is NamedNode and not is_reserved(term))
            found = self._followed[predicate] = is_any if self._over is None else predicate in self._over
        return found

    def _is_direct(self, predicate: Key) -> bool:
        """Whether a stated triple is an edge: among all properties, only object properties count, not annotations."""
        if self._over is not None:
            return True
        found = self._direct.get(predicate)
        if found is None:
            graph = self._graph
            found = graph.has(predicate, graph.table.is_a, graph.key(OWL.ObjectProperty))
            self._direct[predicate] = found
        return found

    def _up(self, term: Key) -> Iterator[Edge]:
        for _, predicate, upper in self._graph.about(term):
            if predicate == self._is_a or (predicate == self._same and self._definitions):
                yield from self._in_expression(upper, self._definitions)
            elif self._is_name(upper) and self._follows(predicate) and self._is_direct(predicate):
                yield predicate, upper

    def _in_expression(self, expression: Key, is_open: bool) -> Iterator[Edge]:
        """The edges of a class to what an expression above it names; `is_open` if conjunctions count."""
        if self._is_name(expression):
            if self._follows(self._is_a):
                yield self._is_a, expression
            return
        graph = self._graph
        if self._restrictions:
            for predicate in graph.objects(expression, self._on):
                for filler in graph.objects(expression, self._some):
                    if self._follows(predicate) and self._is_name(filler):
                        yield predicate, filler
        if is_open:
            cells = list(graph.objects(expression, self._both))
            seen = set(cells)
            for cell in cells:
                for member in graph.objects(cell, self._first):
                    yield from self._in_expression(member, is_open=False)
                following = [next_cell for next_cell in graph.objects(cell, self._rest) if next_cell not in seen]
                seen.update(following)
                cells += following

    def _down(self, term: Key) -> Iterator[Edge]:
        unclear: dict[Key, None] = {}
        for subject, predicate, _ in self._graph.to(term):
            if self._is_name(subject):
                if predicate == self._same:
                    unclear[subject] = None
                elif self._follows(predicate) and (predicate == self._is_a or self._is_direct(predicate)):
                    yield predicate, subject
            elif predicate == self._some and not self._definitions:
                yield from self._restricted(subject)
            elif predicate in (self._some, self._first) and self._definitions:
                unclear.update(dict.fromkeys(self._with_expression(subject)))
        for lower in unclear:
            for predicate, upper in self.uppers(lower):
                if upper == term:
                    yield predicate, lower

    def _restricted(self, restriction: Key) -> Iterator[Edge]:
        if self._restrictions:
            for predicate in self._graph.objects(restriction, self._on):
                if self._follows(predicate):
                    for lower in self._graph.subjects(self._is_a, restriction):
                        if self._is_name(lower):
                            yield predicate, lower

    def _with_expression(self, expression: Key) -> Iterator[Key]:
        """The terms of which a blank node is a part."""

        def wholes(node: Key) -> Iterator[Key]:
            return (row[0] for row in (() if self._is_name(node) else self._graph.to(node)))

        return filter(self._is_name, reached([expression], wholes))

    # -- chains --------------------------------------------------------------------------------------------------

    def distances(self, start: Key, *, upwards: bool) -> dict[Key, int]:
        """The terms that chains of one or more edges lead to, with the lengths of the shortest ones."""
        step = self.uppers if upwards else self.lowers
        found: dict[Key, int] = {}
        level: Iterable[Key] = [start]
        length = 0
        while level:
            length += 1
            following = []
            for node in level:
                for _, end in step(node):
                    if end not in found:
                        found[end] = length
                        following.append(end)
            level = following
        return found

    def relations(self, start: Key, *, upwards: bool, repeats: Callable[[Key], bool]) -> dict[tuple[Key, Key], int]:
        """The same for chains of subclass edges and edges of one other property, by property and term.

        `repeats` says whether a chain may have several edges of a property.
        """
        step = self.uppers if upwards else self.lowers
        found: dict[tuple[Key, Key], int] = {}
        level: list[tuple[Key, Key]] = [(self._is_a, start)]
        length = 0
        while level:
            length += 1
            following = []
            for relation, node in level:
                for predicate, end in step(node):
                    if relation == self._is_a or predicate == self._is_a:
                        state = (predicate if relation == self._is_a else relation, end)
                    elif predicate == relation and repeats(predicate):
                        state = relation, end
                    else:
                        continue
                    if state not in found:
                        found[state] = length
                        following.append(state)
            level = following
        return found


# -- tables ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Versions:
    """What all tables share: the two versions, their names, and the change."""

    graphs: tuple[Graph, Graph]
    names: tuple[NamesIn, NamesIn]
    texts: TermsByText
    triples: ChangedTriples
    cones: Cones
    prefixes: Mapping[str, str]
    edges: dict[tuple[int, frozenset[Key] | None, bool, bool], Edges] = field(default_factory=dict)


class Layout:
    """What the rows of a table depend on."""

    def __init__(self, name: str, table: Table, versions: Versions, scheme: Scheme) -> None:
        self.name = name
        self.table = table
        self.versions = versions
        self.contents = table.contents(scheme)
        self.path_scheme = Scheme(table.names) if table.names else scheme

    @property
    def is_about_pairs(self) -> bool:
        """Whether each row is about two terms."""
        return self.table.is_about_pairs

    @property
    def looks_upwards(self) -> bool:
        """Whether the rows of a term depend on those above it."""
        return self.is_about_pairs or self.table.rows == "paths"

    @property
    def keeps_all(self) -> bool:
        """Whether all terms have rows. If not, nobody knows whether a pair has one if its upper term has none."""
        return self.table.of == "all" and not self.table.without

    def repeats(self, version: int, predicate: Key) -> bool:
        """Whether a chain may have several edges of a property."""
        if self.table.transitive:
            names = self.versions.names[version]
            return any(predicate in names.predicates(said) for said in self.table.transitive)
        graph = self.versions.graphs[version]
        return graph.has(predicate, graph.table.is_a, graph.key(OWL.TransitiveProperty))

    @cached_property
    def edges(self) -> tuple[Edges, Edges]:
        """The edges that the loader follows, in each version."""
        return self._edges(0), self._edges(1)

    def _edges(self, version: int) -> Edges:
        """The edges in one version, which tables with the same ones share."""
        table, versions = self.table, self.versions
        over = self.over(version)
        key = version, over, table.restrictions, table.definitions
        if key not in versions.edges:
            versions.edges[key] = Edges(
                versions.graphs[version],
                over,
                versions.cones.is_name,
                restrictions=table.restrictions,
                definitions=table.definitions,
            )
        return versions.edges[key]

    def over(self, version: int) -> frozenset[Key] | None:
        """The properties that count; None stands for all."""
        return self._overs[version]

    @cached_property
    def _overs(self) -> tuple[frozenset[Key] | None, frozenset[Key] | None]:
        return self._over(0), self._over(1)

    def _over(self, version: int) -> frozenset[Key] | None:
        said = self.table.over
        if "*" in said or (not said and self.table.rows != "paths"):
            return None
        names = self.versions.names[version]
        found = {name: names.predicates(name) for name in said or ("rdfs:subClassOf",)}
        if self.looks_upwards:
            for each, keys in found.items():
                self._check_use(each, keys)
        return frozenset(key for keys in found.values() for key in keys)

    def _check_use(self, said: str, keys: Iterable[Key]) -> None:
        """InputError if no version has a property: a misspelled one would hide every change of the edges."""
        graphs = self.versions.graphs
        terms = [graphs[0].term(key) for key in keys]
        if not any(is_reserved(term) if type(term) is NamedNode else True for term in terms) and not any(
            graph.mentions(term) for term in terms for graph in graphs
        ):
            message = f"the warehouse profile names a property '{said}', which neither version has"
            raise InputError(message, hint="write its label, its OBO identifier, or a name with a prefix")
