"""Pairs of nodes that have several relations, and how often relations occur together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from kgprobe.mining.budget import Budget
from kgprobe.mining.expansion import Lists, Numbers, chunks, counted, merged
from kgprobe.mining.index import Index

__all__ = ["SharedPairs"]


class SharedPairs:
    """The pairs of nodes with two relations or more."""

    def __init__(self, index: Index, least: int, budget: Budget) -> None:
        """`least` is the smallest number of common pairs that is of interest."""
        self._index = index
        self._least = least
        self._budget = budget
        pairs = index.pairs
        several = np.flatnonzero(pairs.relations.sizes > 1)
        self.codes: Numbers = pairs.codes[several]
        self.relations: Lists = pairs.relations.at(several)

    @cached_property
    def counts(self) -> dict[tuple[int, int], int]:
        """How many pairs two different relations have in common, in both orders, if these are enough."""
        number = len(self._index.relations)
        parts = [counted(ones * number + others, number * number) for ones, others in self._twos(self.relations)]
        if not parts:
            return {}
        codes, totals = merged(parts)
        enough = totals >= self._least
        found = zip(codes[enough].tolist(), totals[enough].tolist(), strict=True)
        return {divmod(code, number): total for code, total in found}

    def pairs_of_two(self, least: int) -> Iterator[tuple[int, int, Numbers]]:
        """Two relations, the smaller number first, and the pairs that they have in common, if these are enough."""
        for (first, second), count in self.counts.items():
            if first < second and count >= least:
                yield first, second, self.common(first, second)

    def common(self, first: int, second: int) -> Numbers:
        """The pairs that two relations have in common, as codes in order."""
        return self.codes[np.intersect1d(self._of(first), self._of(second), assume_unique=True)]

    def _of(self, relation: int) -> Numbers:
        return self._by_relation[relation]

    @cached_property
    def _by_relation(self) -> Lists:
        """For each relation, the places of its pairs among those with several relations."""
        order = np.argsort(self.relations.values, kind="stable")
        return Lists.of(self.relations.values[order], self.relations.keys()[order], len(self._index.relations))

    def _twos(self, relations: Lists) -> Iterator[tuple[Numbers, Numbers]]:
        """Each two different relations of a pair, in both orders."""
        for chunk in chunks(relations.sizes**2):
            self._budget.check()
            keys = np.repeat(np.arange(chunk.start, chunk.stop), relations.sizes[chunk])
            ones = relations.values[relations.start[chunk.start] : relations.start[chunk.stop]]
            others, place = relations.expanded(keys)
            different = ones[place] != others
            yield ones[place][different], others[different]

    def heads_of(self, pairs: Numbers) -> tuple[Numbers, Numbers]:
        """The relations of some pairs with several relations, and how many of the pairs have them."""
        found, _ = self.relations.expanded(np.searchsorted(self.codes, pairs))
        return counted(found, len(self._index.relations))
