"""Bounds for rules whose body is a path of two relations: which of them cannot have enough confidence.

One bound costs next to nothing: how many pairs of the head can have a path at most, by where the relations start and
end. The other takes seconds in a large graph, so it is only made if it saves more: how many pairs have a path at least,
by the best node between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kgprobe.mining.budget import Budget
from kgprobe.mining.expansion import MOST_ROWS, Flags, Lists, Numbers, chunks, counted, starts_of
from kgprobe.mining.findings import Thresholds
from kgprobe.mining.index import Index

__all__ = ["PathBounds", "Possible"]

# Products of floating-point numbers can be off by this share.
_SLACK = 1e-6
# For more relations, a number for each two of them would take too much memory.
_MOST_RELATIONS = 4_000


@dataclass(frozen=True)
class Possible:
    """The relations that can start paths for a head, and those that can end them.

    `starts` and `ends` have the most support that each relation of the graph allows. `paths` has a flag for each two
    relations of the graph, if it is known which of them are possible together.
    """

    starts: Numbers
    ends: Numbers
    firsts: Numbers
    lasts: Numbers
    paths: Flags | None = None


@dataclass(frozen=True)
class _Middles:
    """Different nodes in the middle of paths, and for each of some pairs, the place of its node among them."""

    nodes: Numbers
    places: Numbers

    @classmethod
    def of(cls, nodes: Numbers) -> _Middles:
        different, places = np.unique(nodes, return_inverse=True)
        return cls(different, places.reshape(-1))

    def blocks(self, lasts: Numbers) -> Iterator[Numbers]:
        """Some last relations at a time, so that a matrix of them and the nodes is not too large."""
        step = max(1, 8 * MOST_ROWS // max(len(self.nodes), 1))
        return (lasts[begin : begin + step] for begin in range(0, len(lasts), step))


class PathBounds:
    """Bounds for paths in one graph."""

    def __init__(self, index: Index, thresholds: Thresholds, budget: Budget) -> None:
        self._index = index
        self._thresholds = thresholds
        self._budget = budget
        self.are_made = False
        """Whether the bounds that take time are there."""

    def possible(self, head: int) -> Possible:
        """What a rough bound allows for this head."""
        starts, ends = self._starts_and_ends(head)
        firsts, lasts = (np.flatnonzero(each >= self._thresholds.least) for each in (starts, ends))
        return Possible(starts, ends, firsts, lasts)

    @property
    def can_be_made(self) -> bool:
        """Whether there are few enough relations for a number for each two of them."""
        return len(self._index.relations) <= _MOST_RELATIONS

    def narrowed(self, possible: Possible) -> Possible:
        """What the better bound allows."""
        number = len(self._index.relations)
        most = np.zeros((number, number))
        at = np.ix_(possible.firsts, possible.lasts)
        most[at] = np.minimum.outer(possible.starts[possible.firsts], possible.ends[possible.lasts])
        return self.limited(possible, np.minimum(most, self._rough[1]))

    def limited(self, possible: Possible, most: NDArray[np.float64] | Numbers) -> Possible:
        """What is possible with this much support at most, for each two relations."""
        can: Flags = most >= self._needed(self._rough[0])
        firsts, lasts = np.flatnonzero(can.any(axis=1)), np.flatnonzero(can.any(axis=0))
        return replace(possible, firsts=firsts, lasts=lasts, paths=can)

    def allow(self, first: Numbers, last: Numbers, support: Numbers) -> Flags:
        """Which paths with this support may have enough confidence."""
        enough: Flags = support >= self._thresholds.least
        if self.can_be_made:
            enough &= support >= self._needed(self._rough[0][first, last])
        return enough

    def _starts_and_ends(self, head: int) -> tuple[Numbers, Numbers]:
        """For each relation, the number of the head's pairs where it can start a path, and where it can end one."""
        pairs = self._index.relations[head]
        number = len(self._index.relations)
        of_nodes = self._index.relations_of_nodes
        starts = np.bincount(of_nodes.expanded(pairs.x)[0], minlength=number)
        ends = np.bincount(of_nodes.expanded(pairs.y)[0] ^ 1, minlength=number)
        return starts.astype(np.int64), ends.astype(np.int64)

    def _needed(self, fewest: NDArray[np.float64]) -> NDArray[np.float64]:
        """The support that rules need whose bodies hold so often, or more."""
        needed: NDArray[np.float64] = self._thresholds.min_confidence * fewest * (1 - _SLACK) - _SLACK
        return np.maximum(self._thresholds.least, needed)

    @cached_property
    def _rough(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each two relations: how many pairs have a path at least, and how many paths there are."""
        number = len(self._index.relations)
        fewest, rows = np.zeros((number, number)), np.zeros((number, number))
        everything = np.arange(number)
        for relation in range(number):
            fewest[relation], rows[relation] = self._rough_from(relation)
        # A path backwards is a path of the inverse relations in the other order.
        backward: NDArray[np.float64] = fewest.T[np.ix_(everything ^ 1, everything ^ 1)]
        self.are_made = True
        return np.maximum(fewest, backward), rows

    def _rough_from(self, relation: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The bounds for paths that start with this relation, and end with each relation."""
        number = len(self._index.relations)
        first, inverse = self._index.relations[relation], self._index.relations[relation ^ 1]
        rows = self._sums(inverse.domain, inverse.ys.sizes)
        # For a start with one middle node, there is nothing to compare.
        is_single = np.repeat(first.ys.sizes == 1, first.ys.sizes)
        fewest = self._sums(*counted(first.y[is_single], self._index.nodes))
        x, middles = first.x[~is_single], _Middles.of(first.y[~is_single])
        for block in middles.blocks(np.arange(number)):
            degrees = self._degrees_of(middles.nodes, block)
            for begin, end, starts in _groups(x, len(block)):
                self._budget.check()
                best = np.maximum.reduceat(degrees[middles.places[begin:end]], starts, axis=0)
                fewest[block] += best.sum(axis=0, dtype=np.float64)
        return fewest, rows

    def _sums(self, nodes: Numbers, times: Numbers) -> NDArray[np.float64]:
        """For each relation, to how many nodes it leads from these nodes, each of which counts so many times."""
        found, place = self._index.relations_of_nodes.expanded(nodes)
        weights = self._degrees.expanded(nodes)[0] * times[place]
        return np.bincount(found, weights=weights, minlength=len(self._index.relations)).astype(np.float64)

    def _degrees_of(self, nodes: Numbers, lasts: Numbers) -> NDArray[np.float32]:
        """For each of the nodes, to how many nodes each of the last relations leads."""
        column = _columns(lasts, len(self._index.relations))
        found, place = self._index.relations_of_nodes.expanded(nodes)
        degrees = np.zeros((len(nodes), len(lasts)), dtype=np.float32)
        kept = column[found] >= 0
        degrees[place[kept], column[found[kept]]] = self._degrees.expanded(nodes)[0][kept]
        return degrees

    @cached_property
    def _degrees(self) -> Lists:
        """For the relations of each node, to how many nodes it has them."""
        of_nodes = self._index.relations_of_nodes
        nodes = of_nodes.keys()
        by_relation = np.argsort(of_nodes.values, kind="stable")
        starts = starts_of(of_nodes.values[by_relation], len(self._index.relations))
        degrees = np.zeros(len(nodes), dtype=np.int64)
        for number, relation in enumerate(self._index.relations):
            here = by_relation[starts[number] : starts[number + 1]]
            degrees[here] = relation.ys.sizes
        return Lists(of_nodes.start, degrees)


def _groups(x: Numbers, width: int) -> Iterator[tuple[int, int, Numbers]]:
    """Ranges of pairs that fit in memory with this many columns, and where the pairs of each x start in them."""
    starts = np.flatnonzero(np.diff(x, prepend=-1))
    ends = np.append(starts, len(x))
    for chunk in chunks(np.diff(ends) * max(width, 1), 4 * MOST_ROWS):
        yield int(ends[chunk.start]), int(ends[chunk.stop]), starts[chunk] - starts[chunk.start]


def _columns(chosen: Numbers, number: int) -> Numbers:
    """For each relation, its place among the chosen ones, or -1."""
    column = np.full(number, -1)
    column[chosen] = np.arange(len(chosen))
    return column
