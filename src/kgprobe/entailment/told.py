"""The class hierarchy as it is told, and whether that is all there is: see `completeness` for the argument."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgprobe.entailment.class_nodes import ClassNodes, pairs_of
from kgprobe.entailment.columns import BLANK, NAME, Columns, Numbers
from kgprobe.entailment.completeness import objections
from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.lists import BrokenListError, read_list
from kgprobe.graph.table import collection_paused
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode

__all__ = ["Told", "told_hierarchy"]

_CLASS_TYPES = (OWL.Class, RDFS.Class)
_ABOUT_PROPERTIES = (RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf, OWL.propertyChainAxiom)


@dataclass(frozen=True, eq=False)
class Told:
    """What is stated of named classes: edges from a class to one above it, and all classes, each once.

    `why` says what makes it complete, or the first thing that a reasoner would have to look at.
    """

    nodes: ClassNodes
    keys: list[Key]
    """The keys of the nodes."""
    complete: bool
    why: str

    def edge_keys(self) -> list[tuple[Key, Key]]:
        """The edges, by the keys of the classes."""
        return pairs_of(self.keys, self.nodes.rows)


def told_hierarchy(graph: Graph) -> Told:
    """The stated hierarchy of the named classes of a graph."""
    with collection_paused():
        reading = _Reading(graph)
        lower, upper = reading.edges()
        objection = (
            "a list of classes is broken" if reading.is_broken else next(objections(graph, reading.columns), None)
        )
        columns, classes = reading.columns, reading.classes(lower, upper)
        numbers = np.concatenate((classes, np.setdiff1d(np.concatenate((lower, upper)), classes)))
        place = np.zeros(len(columns.terms), dtype=np.int64)
        place[numbers] = np.arange(len(numbers))
        nodes = ClassNodes(columns.named(numbers.tolist()), len(classes), place[np.column_stack((lower, upper))])
        return Told(nodes, columns.keys(numbers), objection is None, objection or reading.summary())


class _Reading:
    """The triples of one graph, and what is found in them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.columns = Columns(graph)
        self.is_broken = False

    def edges(self) -> tuple[Numbers, Numbers]:
        """All told edges: the lower and the upper ends."""
        lower, upper = self.columns.of(RDFS.subClassOf)
        one, other = self.columns.of(OWL.equivalentClass)
        inner, members = self._intersected(lower, upper)
        lower, upper = np.concatenate((lower, inner, one, other)), np.concatenate((upper, members, other, one))
        kept = self.columns.are(NAME, lower) & self.columns.are(NAME, upper) & (lower != upper)
        return lower[kept], upper[kept]

    def _intersected(self, lower: Numbers, upper: Numbers) -> tuple[Numbers, Numbers]:
        """What is below an intersection, and the members of it."""
        found: list[tuple[int, int]] = []
        if self.columns.has(OWL.intersectionOf):
            unnamed = self.columns.are(BLANK, upper)
            for each, node in zip(lower[unnamed].tolist(), upper[unnamed].tolist(), strict=True):
                found += ((each, member) for member in self._members(node))
        pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def _members(self, node: int) -> list[int]:
        """The members of an intersection, and of the intersections in it."""
        graph, columns = self._graph, self.columns
        how = graph.key(OWL.intersectionOf)
        found: list[int] = []
        pending, seen = [columns.terms[node]], {columns.terms[node]}
        while pending:
            for head in graph.objects(graph.key(pending.pop()), how):
                try:
                    members = read_list(graph, graph.term(head)).members
                except BrokenListError:
                    self.is_broken = True
                    continue
                found += map(columns.number, members)
                pending += (member for member in members if type(member) is BlankNode and member not in seen)
                seen.update(members)
        return found

    def classes(self, lower: Numbers, upper: Numbers) -> Numbers:
        """The classes that are declared, or named where only a class can be."""
        used = [self.columns.of_types(*_CLASS_TYPES), lower, upper]
        used += (np.unique(self.columns.of(each)[1]) for each in (RDF.type, RDFS.domain, RDFS.range))
        used.append(self.columns.of(OWL.someValuesFrom)[1])
        nodes = np.unique(self.columns.of(OWL.intersectionOf)[0]).tolist()
        used.append(np.array([member for node in nodes for member in self._members(node)], dtype=np.int64))
        found: Numbers = np.unique(np.concatenate(used))
        return found[self.columns.are(NAME, found) & ~np.isin(found, self.columns.of_types(RDFS.Datatype))]

    def summary(self) -> str:
        """What there is, in a few words."""
        parts = ["SubClassOf between names"]
        parts += ["EquivalentClasses of names"] if self.columns.has(OWL.equivalentClass) else []
        parts += ["existential restrictions"] if self.columns.has(OWL.onProperty) else []
        parts += ["axioms about properties"] if any(map(self.columns.has, _ABOUT_PROPERTIES)) else []
        return f"only {', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else f"only {parts[0]}"
