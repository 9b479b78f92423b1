"""Names for new nodes. They do not collide with names in the graph, and depend only on a seed."""

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
    """The part of a name that identifies its seed, so that the results of two campaigns can share a graph."""
    return hashlib.sha256(str(seed).encode()).hexdigest()[:8]


# All mutants of a seed use the same new names. Lookups also find the identical object sooner than an equal one.
@functools.lru_cache(maxsize=1 << 12)
def _iri(namespace: str, mark: str, number: int) -> NamedNode:
    return NamedNode(f"{namespace}n{mark}-{number}")


@functools.lru_cache(maxsize=1 << 12)
def _blank(mark: str, number: int) -> BlankNode:
    return BlankNode(f"n{mark}x{number}")


class FreshNames:
    """Generates names. The same seed and the same graph give the same names on any machine."""

    def __init__(self, graph: Graph, seed: int) -> None:
        self._graph = graph
        self._mark = _mark(seed)
        self._numbers = itertools.count()

    def iri(self, namespace: str = NAMESPACE) -> NamedNode:
        """An IRI that the graph does not have."""
        while self._graph.mentions(name := _iri(namespace, self._mark, next(self._numbers))):
            pass
        return name

    def blank(self) -> BlankNode:
        """A blank node that the graph does not have."""
        while self._graph.mentions(name := _blank(self._mark, next(self._numbers))):
            pass
        return name
