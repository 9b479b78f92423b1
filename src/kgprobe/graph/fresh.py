"""Names for new nodes: they cannot collide with anything in a graph, and depend only on a seed."""

from __future__ import annotations

import functools
import hashlib
import itertools

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import BlankNode, NamedNode

__all__ = ["NAMESPACE", "FreshNames"]

NAMESPACE = "urn:kgprobe:new:"


@functools.cache
def _mark(seed: int) -> str:
    """What a name carries of its seed, so that what two campaigns made can be put into one graph."""
    return hashlib.sha256(str(seed).encode()).hexdigest()[:8]


class FreshNames:
    """Makes up names, one after the other. The same seed and the same graph give the same names on any machine."""

    def __init__(self, graph: Graph, seed: int) -> None:
        self._graph = graph
        self._mark = _mark(seed)
        self._numbers = itertools.count()

    def iri(self, namespace: str = NAMESPACE) -> NamedNode:
        """An IRI that the graph does not have."""
        while True:
            name = NamedNode(f"{namespace}n{self._mark}-{next(self._numbers)}")
            if not self._graph.mentions(name):
                return name

    def blank(self) -> BlankNode:
        """A blank node that the graph does not have."""
        while True:
            name = BlankNode(f"n{self._mark}x{next(self._numbers)}")
            if not self._graph.mentions(name):
                return name
