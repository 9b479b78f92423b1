"""Finds the few of many things that a failure needs, by tests of whole prefixes of a list.

The things are put in an order, those first that are most likely to matter. If a prefix of the list still fails and the
next shorter one does not, its last thing is needed, and all behind it are not. So each search for a prefix finds one
more thing that is needed. Where to look is decided by chance: each thing has a probability, and each test divides what
could be true into two parts that are equally likely. This is group testing: what lies where it was expected is found
with a few tests, and what lies anywhere else with about the logarithm of the number of things.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import accumulate

__all__ = ["needed"]

# Before anything is known, a failure is expected to need that many things of the list, be it long or short.
_EXPECTED = 2.0
_LEAST_EXPECTED = 0.5
# There may be fewer than expected: these are taken to be as likely as each other.
_OFF_BY = (0.3, 1.0)
# Nothing is so likely that the test whether it matters could be spared.
_MOST_LIKELY = 0.75


def needed(
    count: int,
    verdicts: Callable[[Sequence[Sequence[int]]], Sequence[bool]],
    weights: Callable[[Sequence[int], Sequence[int]], Sequence[float]],
    *,
    batch: int = 1,
) -> list[int]:
    """Numbers below `count` that are enough for the failure; all of them together are known to be.

    `verdicts` tells for sets of numbers whether they still fail, for up to `batch` sets at once. `weights` says how
    likely each of some numbers is to be needed, given those that are known to be. If a failure that needs some things
    also occurs with more, each number of the result is needed.
    """
    found: list[int] = []
    rest = list(range(count))
    while rest:
        weight = dict(zip(rest, weights(found, rest), strict=True))
        rest.sort(key=lambda number: -weight[number])
        total = sum(weight.values()) or 1.0
        expected = _expected(len(found), len(rest), count)
        prefix = _Prefix([weight[number] / total for number in rest], expected, batch)
        while cuts := prefix.cuts():
            prefix.note(cuts, verdicts([found + rest[:cut] for cut in cuts]))
        if prefix.size == 0:
            break
        found.append(rest[prefix.size - 1])
        rest = rest[: prefix.size - 1]
    return found


def _expected(found: int, left: int, count: int) -> float:
    """How many of those that are left are needed, if they are like those that are settled."""
    settled = count - left
    return max(_LEAST_EXPECTED, (found + 1) * left / (settled + count / _EXPECTED))


class _Prefix:
    """The search for the shortest prefix that still fails."""

    def __init__(self, shares: Sequence[float], expected: float, batch: int) -> None:
        self.size = len(shares)
        self._least = 0
        self._batch = batch
        several = [_none_behind(shares, expected * factor) for factor in _OFF_BY]
        self._up_to = [sum(chances) for chances in zip(*several, strict=True)]

    def cuts(self) -> list[int]:
        """Lengths to test, which divide what is left to find out into equally likely parts; none if all is known."""
        low, high = self._least, self.size
        if low >= high:
            return []
        before = self._up_to[low - 1] if low else 0.0
        mass = self._up_to[high] - before
        wanted = [before + mass * part / (self._batch + 1) for part in range(1, self._batch + 1)]
        return sorted({self._nearest(low, high, each) for each in wanted})

    def note(self, cuts: Sequence[int], verdicts: Sequence[bool]) -> None:
        """Take note of the verdicts on these lengths."""
        for cut, fails in zip(cuts, verdicts, strict=True):
            if fails:
                self.size = cut
                return
            self._least = cut + 1

    def _nearest(self, low: int, high: int, wanted: float) -> int:
        """The length from low up to, but not including, high whose chance comes closest to the one wanted."""
        first, last = low, high - 1
        while first < last:
            middle = (first + last) // 2
            if self._up_to[middle] < wanted:
                first = middle + 1
            else:
                last = middle
        below = max(low, first - 1)
        return min((below, first), key=lambda length: abs(self._up_to[length] - wanted))


def _none_behind(shares: Sequence[float], expected: float) -> list[float]:
    """For each length of a prefix, the chance that nothing behind it is needed, if so many things are in all."""
    misses = (1 - min(_MOST_LIKELY, expected * share) for share in reversed(shares))
    return list(accumulate(misses, operator.mul, initial=1.0))[::-1]
