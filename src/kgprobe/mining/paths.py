"""Rules whose body is a path from one variable of the head to the other: `?a q ?c, ?c r ?b ⇒ ?a p ?b`.

The paths of two relations can be many more than the graph has triples. So two bounds come first, for all relations at
once: how many pairs of the head can have such a path at most, by where the relations start and end; and how many pairs
have a path at least. Only where these allow enough confidence are the paths made, and no more of them than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kgprobe.mining.budget import Budget
from kgprobe.mining.expansion import MOST_ROWS, Flags, Lists, Numbers, chunks, distinct, starts_of
from kgprobe.mining.findings import Finding, Link, Thresholds
from kgprobe.mining.index import Index, Relation

__all__ = ["Paths"]

_A, _B, _C = 0, 1, 2
# Products of floating-point numbers can be off by this share.
_SLACK = 1e-6
# Bounding a candidate at one node takes as long as so many cells of a product of matrices.
_CELLS_PER_NODE = 100
# For more relations, a number for each two of them would take too much memory.
_MOST_RELATIONS = 4_000


@dataclass(frozen=True)
class _Candidates:
    """Paths and heads that may make rules: the second relation of each path, the head, and the most support."""

    last: Numbers
    head: Numbers
    most_support: NDArray[np.float64]

    def at(self, places: Numbers | Flags) -> _Candidates:
        return _Candidates(self.last[places], self.head[places], self.most_support[places])


@dataclass(frozen=True)
class _Middles:
    """The nodes that a relation leads to, and for each of its pairs, the place of this node."""

    relation: Relation
    nodes: Numbers
    places: Numbers

    @classmethod
    def of(cls, relation: Relation) -> _Middles:
        nodes, places = np.unique(relation.y, return_inverse=True)
        return cls(relation, nodes, places.reshape(-1))

    def blocks(self, lasts: Numbers) -> Iterator[Numbers]:
        """Some last relations at a time, so that a matrix of them and the nodes is not too large."""
        step = max(1, 8 * MOST_ROWS // max(len(self.nodes), 1))
        return (lasts[begin : begin + step] for begin in range(0, len(lasts), step))


class Paths:
    """The search for rules whose body is a path."""

    def __init__(self, index: Index, thresholds: Thresholds, heads: Sequence[int], budget: Budget) -> None:
        self._index = index
        self._thresholds = thresholds
        self._heads = heads
        self._budget = budget

    def starting_with(self, relation: int) -> Iterator[Finding]:
        """All rules whose path starts with this relation from the head's first variable."""
        candidates = self._candidates_of(relation)
        if candidates is not None:
            candidates = self._promising(relation, candidates)
            for last in distinct(candidates.last).tolist():
                self._budget.check()
                yield from self._of_path(relation, last, candidates.at(candidates.last == last))

    # -- bounds for all relations ----------------------------------------------------------------------------------

    def _candidates_of(self, first: int) -> _Candidates | None:
        """What can follow from paths that start with this relation, by rough bounds."""
        if len(self._index.relations) <= _MOST_RELATIONS:
            return self._candidates.get(first)
        parts: list[_Candidates] = []
        for head in self._heads:
            starts, ends = self._starts_and_ends(head)
            if starts[first] >= self._thresholds.least:
                lasts = np.flatnonzero(ends >= self._thresholds.least)
                most = np.minimum(starts[first], ends[lasts]).astype(np.float64)
                parts.append(_Candidates(lasts, np.full(len(lasts), head), most))
                self._budget.check()
        return _Candidates(*map(np.concatenate, zip(*map(_parts, parts), strict=True))) if parts else None

    @cached_property
    def _candidates(self) -> dict[int, _Candidates]:
        """By the first relation of a path: what can follow from it, by two rough bounds for each two relations."""
        parts: list[tuple[Numbers, Numbers, Numbers, NDArray[np.float64]]] = []
        fewest, rows = self._rough_bounds
        for head in self._heads:
            self._budget.check()
            firsts, lasts, most = self._most_support(head)
            needed = self._thresholds.min_confidence * fewest[np.ix_(firsts, lasts)] - _SLACK
            needed = np.maximum(self._thresholds.least, needed)
            most = np.minimum(most, rows[np.ix_(firsts, lasts)])
            if self._is_worth_a_product(head, int(np.count_nonzero(most >= needed)), most.size):
                most = np.minimum(most, self._product(self._index.relations[head], firsts, lasts ^ 1))
            one, other = np.nonzero(most >= needed)
            parts.append((firsts[one], lasts[other], np.full(len(one), head), most[one, other]))
        if not parts:
            return {}
        first, last, head_of, most = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        order = np.argsort(first, kind="stable")
        everything = _Candidates(last, head_of, most).at(order)
        starts = starts_of(first[order], len(self._index.relations))
        spans = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        return {
            number: everything.at(np.arange(begin, end)) for number, (begin, end) in enumerate(spans) if begin < end
        }

    def _most_support(self, head: int) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
        """Relations that can start and end a path for pairs of the head, and for each two of them, how many pairs."""
        starts, ends = self._starts_and_ends(head)
        firsts = np.flatnonzero(starts >= self._thresholds.least)
        lasts = np.flatnonzero(ends >= self._thresholds.least)
        return firsts, lasts, np.minimum(starts[firsts, np.newaxis], ends[np.newaxis, lasts]).astype(np.float64)

    def _starts_and_ends(self, head: int) -> tuple[Numbers, Numbers]:
        """For each relation, the number of the head's pairs where it can start a path, and where it can end one."""
        pairs = self._index.relations[head]
        number = len(self._index.relations)
        of_nodes = self._index.relations_of_nodes
        starts = np.bincount(of_nodes.expanded(pairs.x)[0], minlength=number)
        ends = np.bincount(of_nodes.expanded(pairs.y)[0] ^ 1, minlength=number)
        return starts.astype(np.int64), ends.astype(np.int64)

    def _is_worth_a_product(self, head: int, candidates: int, cells: int) -> bool:
        """Whether a better bound takes less time than what its candidates take later, by rough measurements."""
        later = candidates * sum(len(each.domain) for each in self._index.relations) / len(self._index.relations)
        return _CELLS_PER_NODE * later > cells * len(self._index.relations[head].domain)

    def _product(self, pairs: Relation, of_x: Numbers, of_y: Numbers) -> NDArray[np.float64]:
        """How many pairs (x, y) there are where x has one relation and y has another, as a product of matrices."""
        of_nodes = self._index.relations_of_nodes
        found = np.zeros((len(of_x), len(of_y)))
        for begin, end, starts in _groups(pairs.x, max(len(of_x), len(of_y))):
            self._budget.check()
            rows = np.add.reduceat(_indicators(of_nodes, pairs.y[begin:end], of_y), starts, axis=0)
            found += _indicators(of_nodes, pairs.x[begin:end][starts], of_x).T @ rows
        return found

    @cached_property
    def _rough_bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each two relations: how many pairs have a path at least, and how many paths there are."""
        number = len(self._index.relations)
        fewest, rows = np.zeros((number, number)), np.zeros((number, number))
        everything = np.arange(number)
        for relation in range(number):
            middles = _Middles.of(self._index.relations[relation])
            for block in middles.blocks(everything):
                self._budget.check()
                fewest[relation, block], rows[relation, block] = self._rough_bounds_from(middles, block)
        # A path backwards is a path of the inverse relations in the other order.
        backward: NDArray[np.float64] = fewest.T[np.ix_(everything ^ 1, everything ^ 1)]
        return np.maximum(fewest, backward), rows

    def _rough_bounds_from(self, middles: _Middles, lasts: Numbers) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        degrees, pairs = self._degrees_of(middles.nodes, lasts), middles.relation
        places = middles.places
        exact = degrees.astype(np.float64)
        rows: NDArray[np.float64] = np.bincount(places, minlength=len(degrees)).astype(np.float64) @ exact
        # For a start with one middle node, there is nothing to compare.
        is_single = pairs.degrees_of(pairs.x) == 1
        alone = np.bincount(places[is_single], minlength=len(degrees))
        fewest: NDArray[np.float64] = alone.astype(np.float64) @ exact
        others, places = pairs.x[~is_single], places[~is_single]
        for begin, end, starts in _groups(others, len(lasts)):
            self._budget.check()
            fewest += np.maximum.reduceat(degrees[places[begin:end]], starts, axis=0).sum(axis=0, dtype=np.float64)
        return fewest, rows

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

    # -- bounds for one relation -----------------------------------------------------------------------------------

    def _promising(self, relation: int, candidates: _Candidates) -> _Candidates:
        """The candidates that may have enough confidence, node by node.

        From a node x, let there be n pairs with a path: at least those of the best middle node, and at most the sum
        over all middle nodes. Of these, the head holds for n or for as many as x has with the head. The sum over all x
        of what the confidence needs must not be more than the sum of what can hold.
        """
        middles = _Middles.of(self._index.relations[relation])
        needed, most = np.zeros(len(candidates.last)), np.zeros(len(candidates.last))
        for block in middles.blocks(distinct(candidates.last)):
            here = np.flatnonzero((candidates.last >= block[0]) & (candidates.last <= block[-1]))
            part = candidates.at(here)
            needed[here], most[here] = self._needed_and_most(middles, block, part)
        can = most >= needed * (1 - _SLACK) - _SLACK
        most = np.minimum(most, candidates.most_support)
        return _Candidates(candidates.last, candidates.head, most).at(can & (most >= self._thresholds.least))

    def _needed_and_most(
        self, middles: _Middles, lasts: Numbers, candidates: _Candidates
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        degrees, pairs = self._degrees_of(middles.nodes, lasts), middles.relation
        column = np.searchsorted(lasts, candidates.last)
        needed, most = np.zeros(len(column)), np.zeros(len(column))
        of_head = [(head, np.flatnonzero(candidates.head == head)) for head in distinct(candidates.head).tolist()]
        for begin, end, starts in _groups(pairs.x, len(lasts)):
            self._budget.check()
            rows = degrees[middles.places[begin:end]]
            best, total = np.maximum.reduceat(rows, starts, axis=0), np.add.reduceat(rows, starts, axis=0)
            for head, here in of_head:
                holds = self._index.relations[head].degrees_of(pairs.x[begin:end][starts])
                sums = _bounded(best[:, column[here]], total[:, column[here]], holds.astype(np.float32)[:, np.newaxis])
                needed[here] += self._thresholds.min_confidence * sums[0]
                most[here] += sums[1]
        return needed, most

    # -- exact counts ----------------------------------------------------------------------------------------------

    def _of_path(self, first: int, last: int, candidates: _Candidates) -> Iterator[Finding]:
        thresholds = self._thresholds
        most = thresholds.most_body(int(candidates.most_support.max()))
        heads = candidates.head
        size = 0
        support = np.zeros(len(self._index.relations), dtype=np.int64)
        known = np.zeros(len(heads), dtype=np.int64)
        for pairs in self._pairs(first, last):
            self._budget.check()
            size += len(pairs)
            if size > most:
                return
            places, is_known = self._index.pairs.places(pairs)
            found, _ = self._index.pairs.relations.expanded(places[is_known])
            support += np.bincount(found, minlength=len(support))
            starts = pairs // self._index.nodes
            known += [np.count_nonzero(self._index.relations[head].holds_for(starts)) for head in heads]
        enough = thresholds.met(support[heads], np.full(len(heads), size))
        body = (Link(first, _A, _C), Link(last, _C, _B))
        for head, pca in zip(heads[enough].tolist(), known[enough].tolist(), strict=True):
            counts = int(support[head]), size, len(self._index.relations[head]), pca
            yield Finding(body, Link(head, _A, _B), *counts)

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


def _groups(x: Numbers, width: int) -> Iterator[tuple[int, int, Numbers]]:
    """Ranges of pairs that fit in memory with this many columns, and where the pairs of each x start in them."""
    starts = np.flatnonzero(np.diff(x, prepend=-1))
    ends = np.append(starts, len(x))
    for chunk in chunks(np.diff(ends) * max(width, 1), 4 * MOST_ROWS):
        yield int(ends[chunk.start]), int(ends[chunk.stop]), starts[chunk] - starts[chunk.start]


def _bounded(
    best: NDArray[np.float32], total: NDArray[np.float32], holds: NDArray[np.float32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For the number of pairs that leaves most to the head: how many pairs, and for how many of them the head holds."""
    is_more = best > holds
    too_many = np.where(is_more, best, 0).sum(axis=0, dtype=np.float64)
    of_too_many = (is_more * holds).sum(axis=0, dtype=np.float64)
    rest = np.where(is_more, 0, np.minimum(total, holds)).sum(axis=0, dtype=np.float64)
    return too_many + rest, of_too_many + rest


def _parts(candidates: _Candidates) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
    return candidates.last, candidates.head, candidates.most_support


def _columns(chosen: Numbers, number: int) -> Numbers:
    """For each relation, its place among the chosen ones, or -1."""
    column = np.full(number, -1)
    column[chosen] = np.arange(len(chosen))
    return column


def _indicators(of_nodes: Lists, nodes: Numbers, relations: Numbers) -> NDArray[np.float32]:
    """A matrix with a row for each node and a column for each relation: 1 if the node has this relation."""
    found, place = of_nodes.expanded(nodes)
    column = _columns(relations, int(max(found.max(initial=0), relations.max(initial=0))) + 1)
    kept = column[found] >= 0
    matrix = np.zeros((len(nodes), len(relations)), dtype=np.float32)
    matrix[place[kept], column[found[kept]]] = 1
    return matrix
