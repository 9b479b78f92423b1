"""Rules whose body is a path from one variable of the head to the other: `?a q ?c, ?c r ?b ⇒ ?a p ?b`.

The paths of two relations can be many more than the graph has triples, above all if a few nodes have most of them. But
the support only needs paths between nodes that the head connects, and these are few: they are triangles of the graph.
So the search starts with the support of all paths, for one head after the other. Only where it allows enough confidence
are the other pairs of a path counted, and no more of them than that. Where a head has very many paths, bounds come
first: one by where relations start and end, and one that counts a path for each node between the ends of a pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kgprobe.mining.index import MOST_ROWS, Flags, Index, Lists, Numbers, chunks, counted, distinct, merged, starts_of
from kgprobe.mining.rules import Budget, Finding, RelationAtom, Thresholds

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
        firsts, lasts = (np.flatnonzero(counts >= self._thresholds.least) for counts in (starts, ends))
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
        """The support that rules need if their bodies hold at least this often."""
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
        """For each relation, to how many nodes it leads from these nodes, each of which has a weight."""
        relations, place = self._index.relations_of_nodes.expanded(nodes)
        weights = self._degrees.expanded(nodes)[0] * times[place]
        return np.bincount(relations, weights=weights, minlength=len(self._index.relations)).astype(np.float64)

    def _degrees_of(self, nodes: Numbers, lasts: Numbers) -> NDArray[np.float32]:
        """For each of the nodes, to how many nodes each of the last relations leads."""
        column = _columns(lasts, len(self._index.relations))
        relations, place = self._index.relations_of_nodes.expanded(nodes)
        degrees = np.zeros((len(nodes), len(lasts)), dtype=np.float32)
        kept = column[relations] >= 0
        degrees[place[kept], column[relations[kept]]] = self._degrees.expanded(nodes)[0][kept]
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


_A, _B, _C = 0, 1, 2
# With more paths than this, bounds for all paths take less time than to look at each.
_MANY = 5_000


@dataclass(frozen=True)
class _Triangles:
    """Nodes c between the ends of pairs (a, b): the number of the pair, in order, and the places of (a, c) and (b, c).

    Places are those among all pairs of the graph.
    """

    pair: Numbers
    of_a: Numbers
    of_b: Numbers

    def at(self, places: slice) -> _Triangles:
        return _Triangles(self.pair[places], self.of_a[places], self.of_b[places])


class Paths:
    """The search for rules whose body is a path."""

    def __init__(self, index: Index, thresholds: Thresholds, budget: Budget) -> None:
        self._index = index
        self._thresholds = thresholds
        self._budget = budget
        self._bounds = PathBounds(index, thresholds, budget)
        # For each path that was counted: the number of its pairs, and whether these are all.
        self._sizes: dict[tuple[int, int], tuple[int, bool]] = {}

    def with_head(self, head: int) -> Iterator[Finding]:
        """All rules with this head."""
        for first, last, support in self._supported(head):
            self._budget.check()
            size = self._body_size(first, last, self._thresholds.most_body(support))
            if self._thresholds.met_by(support, size):
                body = (RelationAtom(first, _A, _C), RelationAtom(last, _C, _B))
                pca = self._known_pairs(first, last, head)
                yield Finding(body, RelationAtom(head, _A, _B), support, size, len(self._index.relations[head]), pca)

    # -- support ---------------------------------------------------------------------------------------------------

    def _supported(self, head: int) -> list[tuple[int, int, int]]:
        """Paths that may have enough confidence for this head: their relations and the support."""
        possible = self._bounds.possible(head)
        codes, support = self._support(head, possible)
        enough = np.flatnonzero(support >= self._thresholds.least)
        (first, last), support = np.divmod(codes[enough], len(self._index.relations)), support[enough]
        if self._bounds.are_made or len(enough) > _MANY:
            allowed = self._bounds.allow(first, last, support)
            first, last, support = first[allowed], last[allowed], support[allowed]
        return list(zip(first.tolist(), last.tolist(), support.tolist(), strict=True))

    def _support(self, head: int, possible: Possible) -> tuple[Numbers, Numbers]:
        """How many pairs of the head have a path, for all paths that are possible: codes of the paths, and numbers.

        Other paths may be among them.
        """
        number = len(self._index.relations)
        if not len(possible.firsts) or not len(possible.lasts):
            return possible.firsts[:0], possible.firsts[:0]
        of_a, of_b = self._chosen(possible)
        parts: list[tuple[Numbers, Numbers]] = []
        for triangles in self._triangles(head, of_a, of_b):
            rows = of_a.sizes[triangles.of_a] * of_b.sizes[triangles.of_b]
            if possible.paths is None and self._bounds.can_be_made and rows.sum() > self._many_rows:
                return self._support(head, self._with_repetitions(head, self._bounds.narrowed(possible)))
            for chunk in _whole_lists(triangles.pair, rows):
                self._budget.check()
                here = triangles.at(chunk)
                of_parts = [self._codes(here.at(part), of_a, of_b, possible.paths) for part in chunks(rows[chunk])]
                codes = distinct(np.concatenate(of_parts)) if len(of_parts) > 1 else of_parts[0]
                parts = [merged([*parts, counted(codes % number**2, number**2)])]
        return parts[0] if parts else (of_a.values[:0], of_a.values[:0])

    @cached_property
    def _many_rows(self) -> int:
        """With more rows than this, bounds take less time than they save."""
        return len(self._index.pairs.relations.values)

    def _with_repetitions(self, head: int, possible: Possible) -> Possible:
        """What is possible if each node between the ends of a pair of the head counts. Pairs can count repeatedly."""
        number = len(self._index.relations)
        of_a, of_b = self._chosen(possible)
        most = np.zeros(number**2, dtype=np.int64)
        for triangles in self._triangles(head, of_a, of_b):
            for chunk in chunks(of_a.sizes[triangles.of_a] * of_b.sizes[triangles.of_b]):
                self._budget.check()
                most += np.bincount(_paths_in(triangles.at(chunk), of_a, of_b, number)[0], minlength=number**2)
        return self._bounds.limited(possible, most.reshape(number, number))

    def _chosen(self, possible: Possible) -> tuple[Lists, Lists]:
        """The relations of all pairs, to start paths and, backwards, to end them. Bounds leave some out."""
        everything, number = self._index.pairs.relations, len(self._index.relations)
        if possible.paths is None:
            return everything, everything
        return everything.only(_flags(possible.firsts, number)), everything.only(_flags(possible.lasts ^ 1, number))

    def _codes(self, triangles: _Triangles, of_a: Lists, of_b: Lists, paths: Flags | None) -> Numbers:
        """The paths in triangles, as codes of a pair and two relations, each once."""
        number = len(self._index.relations)
        paths_here, place = _paths_in(triangles, of_a, of_b, number)
        if paths is not None:
            kept = paths.reshape(-1)[paths_here]
            paths_here, place = paths_here[kept], place[kept]
        return distinct((triangles.pair - triangles.pair[0])[place] * number**2 + paths_here)

    def _triangles(self, head: int, of_a: Lists, of_b: Lists) -> Iterator[_Triangles]:
        """The nodes between the ends of the head's pairs: neighbours of the end with fewer that the other end has."""
        pairs = self._index.relations[head]
        near_a = self._neighbours_by(of_a)
        near_b = near_a if of_a is of_b else self._neighbours_by(of_b)
        is_first = near_a.sizes[pairs.x] <= near_b.sizes[pairs.y]
        for from_a, near, fewer, more in ((True, near_a, pairs.x, pairs.y), (False, near_b, pairs.y, pairs.x)):
            chosen = np.flatnonzero(is_first == from_a)
            for chunk in chunks(near.sizes[fewer[chosen]]):
                self._budget.check()
                numbers = chosen[chunk]
                here, place = near.expanded(fewer[numbers])
                nodes = self._neighbours.values[here]
                there, is_known = self._index.pairs.places(more[numbers][place] * self._index.nodes + nodes)
                here, there = here[is_known], there[is_known]
                yield _Triangles(numbers[place[is_known]], *((here, there) if from_a else (there, here)))

    def _neighbours_by(self, relations: Lists) -> Lists:
        """For each node, the places of its pairs with these relations."""
        start = self._neighbours.start
        if relations is self._index.pairs.relations:
            return Lists(start, np.arange(len(relations)))
        has_some = np.concatenate(([0], np.cumsum(relations.sizes > 0)))
        return Lists(has_some[start], np.flatnonzero(relations.sizes))

    @cached_property
    def _neighbours(self) -> Lists:
        """For each node, the others that it has a relation to. Their places are those of the pairs."""
        x, y = np.divmod(self._index.pairs.codes, self._index.nodes)
        return Lists.of(x, y, self._index.nodes)

    # -- exact sizes -----------------------------------------------------------------------------------------------

    def _body_size(self, first: int, last: int, most: float) -> int:
        """How many pairs have a path of these relations; any larger number than `most`, if there are more."""
        size, is_all = self._sizes.get((first, last), (0, False))
        if not is_all and size <= most:
            size, is_all = self._counted_to(first, last, most)
            self._sizes[first, last] = size, is_all
        return size

    def _counted_to(self, first: int, last: int, most: float) -> tuple[int, bool]:
        one, other = self._index.relations[first], self._index.relations[last]
        size = int(np.maximum.reduceat(other.degrees_of(one.y), one.ys.start[:-1]).sum())
        if size > most:
            return size, False
        size = 0
        for pairs in self._pairs(first, last):
            self._budget.check()
            size += len(pairs)
            if size > most:
                return size, False
        return size, True

    def _known_pairs(self, first: int, last: int, head: int) -> int:
        """The number of pairs with a path whose start has any value of the head's predicate."""
        relation, nodes = self._index.relations[head], self._index.nodes
        return sum(int(np.count_nonzero(relation.holds_for(pairs // nodes))) for pairs in self._pairs(first, last))

    def _pairs(self, first: int, last: int) -> Iterator[Numbers]:
        """The pairs with a path, as codes; each once, and some at a time."""
        one, other = self._index.relations[first], self._index.relations[last]
        starts = np.flatnonzero(np.diff(one.x, prepend=-1))
        rows = np.concatenate(([0], np.cumsum(other.degrees_of(one.y))))
        ends = np.append(starts, len(one))
        for chunk in chunks(np.diff(rows[ends])):
            begin, end = int(ends[chunk.start]), int(ends[chunk.stop])
            values, place = other.expanded(one.y[begin:end])
            yield distinct(one.x[begin:end][place] * self._index.nodes + values)


def _whole_lists(keys: Numbers, sizes: Numbers) -> Iterator[slice]:
    """Slices that do not divide equal keys, which are sorted, and whose sizes do not add up to too much."""
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    ends = np.append(starts, len(keys))
    for chunk in chunks(np.add.reduceat(sizes, starts) if len(starts) else starts):
        yield slice(int(ends[chunk.start]), int(ends[chunk.stop]))


def _paths_in(triangles: _Triangles, of_a: Lists, of_b: Lists, number: int) -> tuple[Numbers, Numbers]:
    """The paths in triangles, as codes of two relations, and for each the place of its triangle."""
    firsts, at = of_a.expanded(triangles.of_a)
    lasts, place = of_b.expanded(triangles.of_b[at])
    return (firsts * number)[place] + (lasts ^ 1), at[place]


def _flags(chosen: Numbers, number: int) -> Flags:
    flags = np.zeros(number, dtype=bool)
    flags[chosen] = True
    return flags
