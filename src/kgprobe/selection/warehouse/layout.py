"""A table of a warehouse over two versions of an ontology: what its columns hold, and which edges it follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from kgprobe.graph.graph import Graph
from kgprobe.graph.table import Key
from kgprobe.graph.terms import OWL
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
        said = self.table.over
        if "*" in said or (not said and self.table.rows != "paths"):
            return None
        names = self.versions.names[version]
        return frozenset(key for each in said or ("rdfs:subClassOf",) for key in names.predicates(each))
