"""The parts of a graph that no operator may touch.

Operators look here before they match, so that what they propose never has to be thrown away for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from kgprobe.graph.changes import KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import NamedNode, Term
from kgprobe.masks.pins import PinnedTriples

__all__ = ["NOTHING", "Pins"]


class Pins:
    """Triples that stay, and namespaces whose subjects stay as they are."""

    def __init__(self, triples: Iterable[PinnedTriples] = (), namespaces: Iterable[str] = ()) -> None:
        self.triples = tuple(triples)
        self.namespaces = tuple(namespaces)
        self.are_any = bool(self.triples or self.namespaces)

    def protect(self, graph: Graph, keys: KeyTriple) -> bool:
        """Whether this triple may be neither added nor removed."""
        if self.namespaces and self._is_inside(graph.term(keys[0])):
            return True
        return any(keys in pinned.rows_in(graph.table) for pinned in self.triples)

    def allow(self, graph: Graph, changes: Iterable[KeyTriple]) -> bool:
        """Whether all of these triples may be added or removed."""
        return not self.are_any or not any(self.protect(graph, keys) for keys in changes)

    def _is_inside(self, subject: Term) -> bool:
        return isinstance(subject, NamedNode) and subject.value.startswith(self.namespaces)


NOTHING = Pins()
