"""Telling mutants of one seed apart, up to the names of blank nodes, at the price of the change.

Each triple counts as a number in which all blank nodes look alike, and a mutant as the sum of what it adds less what
it removes. Equal graphs have equal sums; graphs with equal sums, which are few, are compared as a whole.
"""

from __future__ import annotations

from collections import defaultdict

from kgprobe.graph.canonical import isomorphic
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import BlankNode

__all__ = ["Seen"]


class Seen:
    """The graphs that were there before. The seed graph, without changes, is the first."""

    def __init__(self, seed: Graph) -> None:
        self._by_sum: dict[int, list[Graph]] = defaultdict(list)
        self._by_sum[_sum(seed)].append(seed.copy())

    def add(self, graph: Graph) -> bool:
        """Remember this graph; False if it was there before."""
        alike = self._by_sum[_sum(graph)]
        if any(graph == other for other in alike) or any(isomorphic(graph, other) for other in alike):
            return False
        alike.append(graph)
        return True


def _sum(graph: Graph) -> int:
    total = 0
    terms = graph.table.terms
    for (s, p, o), added in graph.changed_keys.items():
        subject = None if type(terms[s] if type(s) is int else s) is BlankNode else s
        object_ = None if type(terms[o] if type(o) is int else o) is BlankNode else o
        number = hash((subject, p, object_))
        total += number if added else -number
    return total
