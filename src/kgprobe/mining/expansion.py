"""Sorted lists of numbers, one after the other in an array, and joins with them, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
_Number = TypeVar("_Number", np.int64, np.uint64)

MOST_ROWS = 1 << 20
"""A join makes about this many rows at a time."""


@dataclass(frozen=True)
class Lists:
    """List i is `values[start[i]:start[i + 1]]`."""

    start: Numbers
    values: Numbers

    @classmethod
    def of(cls, keys: Numbers, values: Numbers, number: int) -> Self:
        """The lists of the values with keys 0, 1, … The keys are sorted."""
        return cls(starts_of(keys, number), values)

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, place: int) -> Numbers:
        return self.values[self.start[place] : self.start[place + 1]]

    @cached_property
    def sizes(self) -> Numbers:
        """The length of each list."""
        return np.diff(self.start)

    def expanded(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """The values of the lists at some places, and for each value the index of its place among `places`."""
        starts = self.start[places]
        counts = self.start[places + 1] - starts
        return self.values[_ranges(starts, counts)], np.repeat(np.arange(len(places)), counts)

    def sums(self, weights: NDArray[_Number]) -> NDArray[_Number]:
        """For each list, the sum of the weights of its values; `weights` has one for each value that there can be."""
        return self.totals(weights[self.values])

    def totals(self, weights: NDArray[_Number]) -> NDArray[_Number]:
        """For each list, the sum of the weights at its places."""
        running = np.zeros(len(self.values) + 1, dtype=weights.dtype)
        np.cumsum(weights, out=running[1:])
        return running[self.start[1:]] - running[self.start[:-1]]

    def only(self, keep: Flags) -> Lists:
        """The same lists with only those values for which `keep` is true."""
        kept = keep[self.values]
        running = np.zeros(len(kept) + 1, dtype=np.int64)
        np.cumsum(kept, out=running[1:])
        return Lists(running[self.start], self.values[kept])

    def at(self, places: Numbers) -> Lists:
        """The lists at some places."""
        sizes = self.start[places + 1] - self.start[places]
        start = np.zeros(len(places) + 1, dtype=np.int64)
        np.cumsum(sizes, out=start[1:])
        return Lists(start, self.values[_ranges(self.start[places], sizes)])

    def keys(self) -> Numbers:
        """For each value, the number of its list."""
        return np.repeat(np.arange(len(self)), self.sizes)


def starts_of(keys: Numbers, number: int) -> Numbers:
    """Where each of the keys 0, 1, … starts in a sorted array, and its end."""
    return np.searchsorted(keys, np.arange(number + 1)).astype(np.int64)


def chunks(sizes: Numbers, most: int = MOST_ROWS) -> Iterator[slice]:
    """Slices of consecutive places whose sizes add up to at most `most`, or that have one place only."""
    total = np.cumsum(sizes)
    begin = 0
    while begin < len(sizes):
        done = total[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(total, done + most, side="right")))
        yield slice(begin, end)
        begin = end


def counted(codes: Numbers, bound: int) -> tuple[Numbers, Numbers]:
    """The distinct codes, in order, and how often each occurs. All codes are below `bound`."""
    if bound <= 4 * len(codes) + 1024:
        counts = np.bincount(codes, minlength=1)
        found = np.flatnonzero(counts)
        return found, counts[found].astype(np.int64)
    codes = np.sort(codes)
    first = _firsts(codes)
    places = np.flatnonzero(first)
    return codes[places], np.diff(places, append=len(codes))


def merged(parts: Sequence[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    """Codes and how often each occurs, from parts that were counted."""
    if len(parts) == 1:
        return parts[0]
    codes, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    starts = np.flatnonzero(_firsts(codes))
    return codes[starts], np.add.reduceat(counts[order], starts) if len(starts) else counts


def distinct(codes: Numbers) -> Numbers:
    """The distinct codes, in order."""
    codes = np.sort(codes)
    return codes[_firsts(codes)]


def _firsts(codes: Numbers) -> Flags:
    first = np.ones(len(codes), dtype=bool)
    np.not_equal(codes[1:], codes[:-1], out=first[1:])
    return first


def _ranges(starts: Numbers, counts: Numbers) -> Numbers:
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - counts), counts) + np.arange(total)
