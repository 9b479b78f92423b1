"""The paper's model of an ontology: classes as nodes, and two kinds of edges, subclass edges and property edges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kgprobe.entailment.class_hierarchy import ClassEdges
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import Interner, collection_paused
from kgprobe.graph.terms import OWL, RDFS, NamedNode, Term
from kgprobe.selection.paper.entities import Entity, edges_by_name
from kgprobe.selection.paper.property_edges import property_edges

__all__ = ["NOTHING", "THING", "Alignment", "Entity", "OntologyGraph", "align", "ontology_graph"]

THING, NOTHING = 0, 1
"""The numbers of owl:Thing and owl:Nothing in every graph."""


@dataclass(frozen=True, eq=False)
class OntologyGraph:
    """An ontology as a graph. A subclass edge is a row with the numbers of the lower class and of the upper one.

    Every graph has owl:Thing and owl:Nothing. A class that is stated to be below owl:Thing has an edge to it, and an
    unsatisfiable class has one to owl:Nothing.
    """

    numbers: Mapping[Term, int]
    subclass_edges: NDArray[np.int64]
    property_edges: frozenset[Entity]

    @cached_property
    def terms(self) -> list[Term]:
        """The classes in the order of their numbers."""
        return list(self.numbers)

    @property
    def classes(self) -> list[Term]:
        """The classes, without owl:Thing and owl:Nothing."""
        return self.terms[2:]

    @cached_property
    def edges_by_source(self) -> Mapping[Term, list[Entity]]:
        """The property edges from each class."""
        found: dict[Term, list[Entity]] = {}
        for edge in self.property_edges:
            found.setdefault(edge.source, []).append(edge)
        return found

    @cached_property
    def edges_by_name(self) -> Mapping[str, list[Entity]]:
        """The property edges by the IRIs in their labels, and those between properties by their ends."""
        return edges_by_name(self.property_edges)

    def hierarchy(self, *, has_thing: bool, has_nothing: bool) -> NDArray[np.int64]:
        """The subclass edges, and on request those that hold by definition, to owl:Thing and from owl:Nothing."""
        classes = np.arange(len(self.numbers))
        edges = [self.subclass_edges]
        if has_thing:
            edges.append(np.column_stack([classes, np.full_like(classes, THING)]))
        if has_nothing:
            above = classes if has_thing else classes[NOTHING:]
            edges.append(np.column_stack([np.full_like(above, NOTHING), above]))
        return np.concatenate(edges)


def ontology_graph(graph: Graph, edges: ClassEdges) -> OntologyGraph:
    """The model of an ontology, with the class hierarchy from its classification."""
    with collection_paused():
        return _model(graph, edges)


def _model(graph: Graph, edges: ClassEdges) -> OntologyGraph:
    numbers = Interner({OWL.Thing: THING, OWL.Nothing: NOTHING})
    number = numbers.__getitem__
    nodes = edges.nodes
    found = np.fromiter(map(number, nodes.terms), dtype=np.int64, count=len(nodes.terms))[nodes.rows]
    below_thing = map(graph.term, graph.subjects(graph.key(RDFS.subClassOf), graph.key(OWL.Thing)))
    others = [(number(each), THING) for each in below_thing if type(each) is NamedNode]
    others += ((number(each), NOTHING) for each in edges.unsatisfiable)
    return OntologyGraph(
        numbers, np.concatenate([found, np.array(others, dtype=np.int64).reshape(-1, 2)]), property_edges(graph)
    )


# -- two versions with one numbering of their classes ------------------------------------------------------------------

_Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Alignment:
    """The classes of both versions and of one version only, by their numbers, and the subclass edges of each version.

    In addition to the edges of a classification, there are those that hold by definition. If either version has an
    edge with owl:Thing, all classes are below it in both; else it is not a node. If either version has an edge with
    owl:Nothing, it is below all classes in both, so that an unsatisfiable class is below all classes, too.
    """

    common: dict[int, Term]
    added: dict[int, Term]
    deleted: dict[int, Term]
    old_edges: _Numbers
    new_edges: _Numbers
    nodes: int


def align(old: OntologyGraph, new: OntologyGraph) -> Alignment:
    """Match the classes of two versions by their IRIs."""
    numbers = dict(old.numbers)
    renumbered = np.fromiter((numbers.setdefault(each, len(numbers)) for each in new.numbers), dtype=np.int64)
    in_new = np.zeros(len(numbers), dtype=bool)
    in_new[renumbered] = True
    common: dict[int, Term] = {}
    added: dict[int, Term] = {}
    deleted: dict[int, Term] = {}
    for (term, number), is_in_new in zip(numbers.items(), in_new.tolist(), strict=True):
        (added if number >= len(old.numbers) else common if is_in_new else deleted)[number] = term
    has_thing, has_nothing = (
        any((graph.subclass_edges == each).any() for graph in (old, new)) for each in (THING, NOTHING)
    )
    return Alignment(
        common,
        added,
        deleted,
        old_edges=old.hierarchy(has_thing=has_thing, has_nothing=has_nothing),
        new_edges=renumbered[new.hierarchy(has_thing=has_thing, has_nothing=has_nothing)],
        nodes=len(numbers),
    )
