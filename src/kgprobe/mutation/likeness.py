"""Whether some blank nodes of a graph are told apart from all others by what is said about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import BlankNode, Triple

__all__ = ["is_alone"]

# How many triples are looked at before the search is given up. A graph of many nodes that look alike has no end.
_PATIENCE = 20_000


class _PatienceError(Exception):
    """The search takes too long."""


def is_alone(graph: Graph, described: Sequence[Triple]) -> bool:
    """Whether these triples of a graph, with variables for their blank nodes, have only themselves as a match.

    False also where that would take too long to find out.
    """
    search = _Search(graph)
    rows = [graph.keys(triple) for triple in described]
    try:
        matches = search.matches(rows, {})
        return next(matches, None) is not None and next(matches, None) is None
    except _PatienceError:
        return False


class _Search:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._looked_at = 0

    def matches(self, rows: Sequence[KeyTriple], images: Mapping[Key, Key]) -> Iterator[Mapping[Key, Key]]:
        """What the blank nodes of all rows can be, given what some of them are."""
        if not rows:
            yield images
            return
        # The row that fits the least: most often one with a name in it, and then one beside it.
        row = min(rows, key=lambda row: self._graph.count(*self._pattern(row, images)))
        left = [other for other in rows if other is not row]
        for found in list(self._graph.rows(*self._pattern(row, images))):
            self._looked_at += 1
            if self._looked_at > _PATIENCE:
                raise _PatienceError
            fitting = self._fitting(row, found, images)
            if fitting is not None:
                yield from self.matches(left, fitting)

    def _pattern(self, row: KeyTriple, images: Mapping[Key, Key]) -> tuple[Key | None, Key, Key | None]:
        subject, predicate, object_ = row
        return self._image(subject, images), predicate, self._image(object_, images)

    def _image(self, key: Key, images: Mapping[Key, Key]) -> Key | None:
        return images.get(key) if self._is_blank(key) else key

    def _fitting(self, row: KeyTriple, found: KeyTriple, images: Mapping[Key, Key]) -> Mapping[Key, Key] | None:
        """The images with those that this row adds; None if they do not fit together."""
        together = dict(images)
        for key, image in ((row[0], found[0]), (row[2], found[2])):
            if self._is_blank(key) and (not self._is_blank(image) or together.setdefault(key, image) != image):
                return None
        return together

    def _is_blank(self, key: Key) -> bool:
        return isinstance(self._graph.term(key), BlankNode)
