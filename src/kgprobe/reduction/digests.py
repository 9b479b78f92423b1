"""A number for each graph, by which graphs that were run before are known again, whatever their blank nodes are called.

It is that of `kgprobe.graph.canonical`, but what was computed for a triple or a component is kept, since candidates
have most of them in common.
"""

from __future__ import annotations

import hashlib

from kgprobe.graph.canonical import component_fingerprint, components
from kgprobe.graph.graph import Graph
from kgprobe.graph.rdfc import TooSymmetricError
from kgprobe.graph.terms import Triple

__all__ = ["Digests"]

_MODULUS = 1 << 256


class Digests:
    """Computes the numbers of graphs that are much alike."""

    def __init__(self) -> None:
        self._of_triples: dict[Triple, int] = {}
        self._of_components: dict[frozenset[Triple], int] = {}

    def of(self, graph: Graph) -> int:
        """Equal for graphs that are equal up to the labels of blank nodes, and else not."""
        ground, blank = components(graph)
        return (sum(map(self._triple, ground)) + sum(map(self._component, map(frozenset, blank)))) % _MODULUS

    def _triple(self, triple: Triple) -> int:
        known = self._of_triples.get(triple)
        if known is None:
            known = self._of_triples[triple] = _number(str(triple))
        return known

    def _component(self, component: frozenset[Triple]) -> int:
        known = self._of_components.get(component)
        if known is None:
            try:
                text = component_fingerprint(sorted(component, key=str))
            except TooSymmetricError:  # at the worst, a graph is run again under other labels
                text = "\n".join(sorted(map(str, component)))
            known = self._of_components[component] = _number(text)
        return known


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest())
