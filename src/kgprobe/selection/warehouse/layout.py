"""A table of a warehouse over two versions of an ontology: what its columns hold, and which edges it follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from kgprobe.errors import InputError
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OWL, NamedNode
from kgprobe.selection.changed_triples import ChangedTriples
from kgprobe.selection.cones import Cones
from kgprobe.selection.warehouse.hierarchy import Edges
from kgprobe.selection.warehouse.names import NamesIn, TermsByText
from kgprobe.selection.warehouse.profile import Scheme, Table

__all__ = ["Layout", "Versions"]


@dataclass(frozen=True)
class Versions:
    """What all tables share: the two versions, their names, and the change."""

    graphs: tuple[Graph, Graph]
    names: tuple[NamesIn, NamesIn]
    texts: TermsByText
    triples: ChangedTriples
    cones: Cones
    prefixes: Mapping[str, str]


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
        table = self.table
        both = [
            Edges(
                graph,
                self.over(version),
                self.versions.cones.is_name,
                restrictions=table.restrictions,
                definitions=table.definitions,
            )
            for version, graph in enumerate(self.versions.graphs)
        ]
        return both[0], both[1]

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
        found = {each: names.predicates(each) for each in said or ("rdfs:subClassOf",)}
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
