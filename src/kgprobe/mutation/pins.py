"""The parts of a graph that no operator may touch.

Operators check the pins before they match, so that no proposal has to be discarded because of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kgprobe.graph.graph import Graph
from kgprobe.graph.table import Key, KeyTriple
from kgprobe.graph.terms import BlankNode, NamedNode, Term, Triple

if TYPE_CHECKING:  # operators can be listed without loading masks
    from kgprobe.masks.pins import PinnedTriples

__all__ = ["NOTHING", "Pins"]


class Pins:
    """Triples that stay, and namespaces whose subjects do not change, with the blank nodes that belong to them."""

    def __init__(self, triples: Iterable[PinnedTriples] = (), namespaces: Iterable[str] = ()) -> None:
        self.triples = tuple(triples)
        self.namespaces = tuple(namespaces)
        self.are_any = bool(self.triples or self.namespaces)

    def protect(self, graph: Graph, keys: KeyTriple) -> bool:
        """Whether this triple may be neither added nor removed."""
        if self.namespaces and any(self._is_inside(owner) for owner in _owners(graph, keys[0])):
            return True
        return any(keys in pinned.rows_in(graph.table) for pinned in self.triples)

    def allow(self, graph: Graph, changes: Iterable[KeyTriple]) -> bool:
        """Whether all of these triples may be added or removed."""
        return not self.are_any or not any(self.protect(graph, keys) for keys in changes)

    def pinned_in(self, graph: Graph) -> Iterator[Triple]:
        """The triples of a graph that may not be removed."""
        rows = {keys: None for pinned in self.triples for keys in pinned.rows_in(graph.table) if graph.has(*keys)}
        if self.namespaces:
            waiting = [key for key in dict.fromkeys(row[0] for row in graph.rows()) if self._is_inside(graph.term(key))]
            seen = set(waiting)
            for node in waiting:
                for row in graph.rows(node):
                    rows[row] = None
                    if row[2] not in seen and isinstance(graph.term(row[2]), BlankNode):
                        seen.add(row[2])
                        waiting.append(row[2])
        return map(graph.triple, rows)

    def _is_inside(self, subject: Term) -> bool:
        return isinstance(subject, NamedNode) and subject.value.startswith(self.namespaces)


def _owners(graph: Graph, subject: Key) -> Iterator[Term]:
    """The owners of a triple about this subject: for a blank node, everything that refers to it, directly or not."""
    waiting, seen = [subject], {subject}
    for node in waiting:
        term = graph.term(node)
        yield term
        if isinstance(term, BlankNode):
            above = [row[0] for row in graph.to(node) if row[0] not in seen]
            seen.update(above)
            waiting += above


NOTHING = Pins()
