"""The stated hierarchy of the named classes of a graph, and whether it is complete.

`completeness` explains when a reasoner cannot add anything to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kgprobe.entailment.completeness import objections
from kgprobe.entailment.triple_columns import BLANK, NAME, Columns, Numbers
from kgprobe.graph.graph import Graph
from kgprobe.graph.lists import BrokenListError, read_list
from kgprobe.graph.table import Interner, Key, collection_paused
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode, Term

__all__ = ["ClassNodes", "StatedHierarchy", "pairs_of", "stated_hierarchy"]

_T = TypeVar("_T")
_CLASS_TYPES = (OWL.Class, RDFS.Class)
_ABOUT_PROPERTIES = (RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf, OWL.propertyChainAxiom)


@dataclass(frozen=True, eq=False)
class ClassNodes:
    """The classes, and the edges from classes to classes above them, as numbers, which are faster than names."""

    terms: list[Term]
    """The classes, followed by other names with edges: those that are datatypes as well."""
    count: int
    """The number of classes among the terms."""
    rows: NDArray[np.int64]
    """For each edge, the indexes of its lower and upper end among the terms."""

    @classmethod
    def of(cls, classes: Iterable[Term], edges: Iterable[tuple[Term, Term]]) -> ClassNodes:
        """Build the nodes from classes and pairs of classes."""
        places = Interner()
        count = len({places[each] for each in classes})
        ends = [places[end] for edge in edges for end in edge]
        return cls(list(places), count, np.array(ends, dtype=np.int64).reshape(-1, 2))

    def renamed(self, name: Callable[[Term], Term]) -> ClassNodes:
        """A copy with other names."""
        return ClassNodes(list(map(name, self.terms)), self.count, self.rows)

    @property
    def classes(self) -> list[Term]:
        """The classes alone."""
        return self.terms[: self.count]

    def edges(self) -> list[tuple[Term, Term]]:
        """The edges, by their ends."""
        return pairs_of(self.terms, self.rows)


def pairs_of(values: Sequence[_T], rows: NDArray[np.int64]) -> list[tuple[_T, _T]]:
    """Replace the indexes in rows of two by the values at these indexes."""
    lower, upper = (map(values.__getitem__, column) for column in rows.T.tolist())
    return list(zip(lower, upper, strict=True))


@dataclass(frozen=True, eq=False)
class StatedHierarchy:
    """The stated classes and edges, and whether they are complete.

    `why` says why they are complete, or names the first construct that needs a reasoner.
    """

    nodes: ClassNodes
    keys: list[Key]
    """The keys of the nodes."""
    complete: bool
    why: str

    def edge_keys(self) -> list[tuple[Key, Key]]:
        """The edges, by the keys of the classes."""
        return pairs_of(self.keys, self.nodes.rows)


def stated_hierarchy(graph: Graph) -> StatedHierarchy:
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
        return StatedHierarchy(nodes, columns.keys(numbers), objection is None, objection or reading.summary())


class _Reading:
    """Reads the hierarchy of one graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.columns = Columns(graph)
        self.is_broken = False

    def edges(self) -> tuple[Numbers, Numbers]:
        """All stated edges: the lower and the upper ends."""
        lower, upper = self.columns.of(RDFS.subClassOf)
        one, other = self.columns.of(OWL.equivalentClass)
        inner, members = self._intersected(lower, upper)
        lower, upper = np.concatenate((lower, inner, one, other)), np.concatenate((upper, members, other, one))
        kept = self.columns.are(NAME, lower) & self.columns.are(NAME, upper) & (lower != upper)
        return lower[kept], upper[kept]

    def _intersected(self, lower: Numbers, upper: Numbers) -> tuple[Numbers, Numbers]:
        """The lower classes of intersections, and the members of these intersections."""
        found: list[tuple[int, int]] = []
        if self.columns.has(OWL.intersectionOf):
            unnamed = self.columns.are(BLANK, upper)
            for each, node in zip(lower[unnamed].tolist(), upper[unnamed].tolist(), strict=True):
                found += ((each, member) for member in self._members(node))
        pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def _members(self, node: int) -> list[int]:
        """The members of an intersection and of the intersections nested in it."""
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
        """The classes that are declared, or used where only a class is allowed."""
        used = [self.columns.of_types(*_CLASS_TYPES), lower, upper]
        used += (np.unique(self.columns.of(each)[1]) for each in (RDF.type, RDFS.domain, RDFS.range))
        used.append(self.columns.of(OWL.someValuesFrom)[1])
        nodes = np.unique(self.columns.of(OWL.intersectionOf)[0]).tolist()
        used.append(np.array([member for node in nodes for member in self._members(node)], dtype=np.int64))
        found: Numbers = np.unique(np.concatenate(used))
        return found[self.columns.are(NAME, found) & ~np.isin(found, self.columns.of_types(RDFS.Datatype))]

    def summary(self) -> str:
        """The constructs that the graph uses, in a few words."""
        parts = ["SubClassOf between names"]
        parts += ["EquivalentClasses of names"] if self.columns.has(OWL.equivalentClass) else []
        parts += ["existential restrictions"] if self.columns.has(OWL.onProperty) else []
        parts += ["axioms about properties"] if any(map(self.columns.has, _ABOUT_PROPERTIES)) else []
        return f"only {', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else f"only {parts[0]}"
