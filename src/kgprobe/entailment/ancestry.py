"""Who is above whom: the transitive closure of the edges between classes, found by walking."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from kgprobe.graph.changes import Key
from kgprobe.graph.reachability import reached, walk, way

__all__ = ["Ancestry"]

_MOST_REMEMBERED = 5_000_000
_NONE: frozenset[Key] = frozenset()


class Ancestry:
    """Edges from a class to one above it, between the keys of classes."""

    def __init__(self, edges: Iterable[tuple[Key, Key]]) -> None:
        self.edges = dict.fromkeys(edges)
        self._up: dict[Key, list[Key]] = {}
        self._down: dict[Key, list[Key]] = {}
        for lower, upper in self.edges:
            self._up.setdefault(lower, []).append(upper)
            self._down.setdefault(upper, []).append(lower)
        self._above: dict[Key, frozenset[Key]] = {}
        self._room = _MOST_REMEMBERED

    def lower(self) -> Iterable[Key]:
        """The classes that something is above."""
        return self._up

    def is_above_any(self, node: Key) -> bool:
        """Whether an edge leads to this class."""
        return node in self._down

    def is_below_any(self, node: Key) -> bool:
        """Whether an edge leads away from this class."""
        return node in self._up

    def above(self, node: Key) -> frozenset[Key]:
        """All that edges lead to from here; that is the class itself, too, if it is in a circle."""
        if not self.is_below_any(node):
            return _NONE
        if node not in self._above:
            self._look_up(node)
        found = self._above.get(node)
        return frozenset(reached(self._up[node], self._right_above)) if found is None else found

    def _look_up(self, node: Key) -> None:
        """Remember what is above a class and above those, unless there are circles, or it would be too much."""
        pending = [node]
        begun: set[Key] = set()
        while pending and self._room > 0:
            current = pending[-1]
            parents = self._up.get(current, ())
            missing = [parent for parent in parents if parent in self._up and parent not in self._above]
            if not missing or current in self._above:
                pending.pop()
                if current not in self._above:
                    found = frozenset(parents).union(*[self._above.get(parent, _NONE) for parent in parents])
                    self._above[current] = found
                    self._room -= len(found)
            elif current in begun or not begun.isdisjoint(missing):
                return
            else:
                begun.add(current)
                pending += missing

    def below(self, nodes: Iterable[Key]) -> set[Key]:
        """These classes, and all from which edges lead to one of them."""
        return reached(nodes, self._right_below)

    def way(self, lower: Key, upper: Key) -> list[tuple[Key, Key]]:
        """The edges of a shortest way from one class to another; ValueError if there is none."""
        walked = walk(lower, self._right_above)
        if upper not in walked:
            raise ValueError(f"no edges lead from {lower} to {upper}")
        return list(pairwise(way(lower, upper, walked)))

    def _right_above(self, node: Key) -> Iterable[Key]:
        return self._up.get(node, ())

    def _right_below(self, node: Key) -> Iterable[Key]:
        return self._down.get(node, ())
