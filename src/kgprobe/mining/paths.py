"""Rules whose body is a path from one variable of the head to the other: `?a q ?c, ?c r ?b ⇒ ?a p ?b`.

The paths of two relations can be many more than the graph has triples. So two bounds come first, for all relations at
once: how many pairs of the head can have such a path at most, by where the relations start and end; and how many pairs
have a path at least. Only where these allow enough confidence are the paths made, and no more of them than that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kgprobe.mining.budget import Budget
from kgprobe.mining.expansion import MOST_ROWS, Lists, Numbers, chunks, distinct
from kgprobe.mining.findings import Finding, Link, Thresholds
from kgprobe.mining.index import Index

__all__ = ["Paths"]

_A, _B, _C = 0, 1, 2


@dataclass(frozen=True)
class _Candidate:
    """A head for the paths of two relations, and how many of its pairs can have such a path at most."""

    head: int
    most_support: int


class Paths:
    """The search for rules whose body is a path."""

    def __init__(self, index: Index, thresholds: Thresholds, heads: Sequence[int], budget: Budget) -> None:
        self._index = index
        self._thresholds = thresholds
        self._heads = heads
        self._budget = budget

    def starting_with(self, relation: int) -> Iterator[Finding]:
        """All rules whose path starts with this relation from the head's first variable."""
        for last, candidates in self._candidates.get(relation, {}).items():
            self._budget.check()
            yield from self._of_path(relation, last, candidates)

    # -- bounds ----------------------------------------------------------------------------------------------------

    @cached_property
    def _candidates(self) -> dict[int, dict[int, list[_Candidate]]]:
        """By the first and the second relation of a path: the heads that can follow from it."""
        found: dict[int, dict[int, list[_Candidate]]] = defaultdict(lambda: defaultdict(list))
        least = self._least_pairs
        thresholds = self._thresholds
        for head in self._heads:
            self._budget.check()
            firsts, lasts, most = self._most_support(head)
            needed = np.maximum(thresholds.least, thresholds.min_confidence * least[np.ix_(firsts, lasts)] - 1e-6)
            for one, other in np.argwhere(most >= needed).tolist():
                found[int(firsts[one])][int(lasts[other])].append(_Candidate(head, int(most[one, other])))
        return found

    def _most_support(self, head: int) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
        """Relations that can start and end a path for pairs of the head, and for each two of them, how many pairs."""
        pairs = self._index.relations[head]
        number = len(self._index.relations)
        of_nodes = self._index.relations_of_nodes
        starts = np.bincount(of_nodes.expanded(pairs.x)[0], minlength=number)
        ends = np.bincount(of_nodes.expanded(pairs.y)[0] ^ 1, minlength=number)
        firsts = np.flatnonzero(starts >= self._thresholds.least)
        lasts = np.flatnonzero(ends >= self._thresholds.least)
        most = np.zeros((len(firsts), len(lasts)))
        step = max(1, 8 * MOST_ROWS // max(number, 1))
        for begin in range(0, len(pairs), step):
            self._budget.check()
            x, y = pairs.x[begin : begin + step], pairs.y[begin : begin + step]
            most += _indicators(of_nodes, x, firsts, number).T @ _indicators(of_nodes, y, lasts ^ 1, number)
        return firsts, lasts, most

    @cached_property
    def _least_pairs(self) -> NDArray[np.float64]:
        """For the paths of each two relations, how many pairs have one at least."""
        number = len(self._index.relations)
        least = np.zeros((number, number))
        for relation in range(number):
            self._budget.check()
            least[relation] = self._least_pairs_from(relation)
        # A path backwards is a path of the inverse relations in the other order.
        inverse = np.arange(number) ^ 1
        backward: NDArray[np.float64] = least.T[np.ix_(inverse, inverse)]
        return np.maximum(least, backward, out=least)

    def _least_pairs_from(self, relation: int) -> NDArray[np.float64]:
        """From each start, there are at least as many ends as its best middle node has."""
        pairs = self._index.relations[relation]
        number = len(self._index.relations)
        middles, places = np.unique(pairs.y, return_inverse=True)
        degrees = np.zeros((len(middles), number), dtype=np.int32)
        found, place = self._index.relations_of_nodes.expanded(middles)
        degrees[place, found] = self._degrees.expanded(middles)[0]
        starts = np.flatnonzero(np.diff(pairs.x, prepend=-1))
        sizes = np.diff(np.append(starts, len(pairs))) * number
        total = np.zeros(number)
        for chunk in chunks(sizes, 8 * MOST_ROWS):
            begin = starts[chunk.start]
            end = starts[chunk.stop] if chunk.stop < len(starts) else len(pairs)
            rows = degrees[places[begin:end]]
            total += np.maximum.reduceat(rows, starts[chunk] - begin, axis=0).sum(axis=0)
        return total

    @cached_property
    def _degrees(self) -> Lists:
        """For the relations of each node, to how many nodes it has them."""
        of_nodes = self._index.relations_of_nodes
        nodes = of_nodes.keys()
        degrees = np.zeros(len(nodes), dtype=np.int64)
        for number, relation in enumerate(self._index.relations):
            here = of_nodes.values == number
            degrees[here] = relation.out_degrees[nodes[here]]
        return Lists(of_nodes.start, degrees)

    # -- exact counts ----------------------------------------------------------------------------------------------

    def _of_path(self, first: int, last: int, candidates: Sequence[_Candidate]) -> Iterator[Finding]:
        thresholds = self._thresholds
        most = max(thresholds.most_body(candidate.most_support) for candidate in candidates)
        heads = np.array([candidate.head for candidate in candidates])
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
            known += [np.count_nonzero(self._index.relations[head].has[starts]) for head in heads]
        enough = thresholds.met(support[heads], np.full(len(heads), size))
        body = (Link(first, _A, _C), Link(last, _C, _B))
        for head, pca in zip(heads[enough].tolist(), known[enough].tolist(), strict=True):
            counts = int(support[head]), size, len(self._index.relations[head]), pca
            yield Finding(body, Link(head, _A, _B), *counts)

    def _pairs(self, first: int, last: int) -> Iterator[Numbers]:
        """The pairs with a path, as codes; each once, and some at a time."""
        one, other = self._index.relations[first], self._index.relations[last]
        starts = np.flatnonzero(np.diff(one.x, prepend=-1))
        rows = np.concatenate(([0], np.cumsum(other.out_degrees[one.y])))
        ends = np.append(starts, len(one))
        for chunk in chunks(np.diff(rows[ends])):
            begin, end = int(ends[chunk.start]), int(ends[chunk.stop])
            values, place = other.ys.expanded(one.y[begin:end])
            yield distinct(one.x[begin:end][place] * self._index.nodes + values)


def _indicators(of_nodes: Lists, nodes: Numbers, columns: Numbers, number: int) -> NDArray[np.float32]:
    """A matrix with a row for each node and a column for each relation: 1 if the node has this relation."""
    column = np.full(number, -1)
    column[columns] = np.arange(len(columns))
    found, place = of_nodes.expanded(nodes)
    kept = column[found] >= 0
    matrix = np.zeros((len(nodes), len(columns)), dtype=np.float32)
    matrix[place[kept], column[found[kept]]] = 1
    return matrix
