"""Statistics of inference tests: intervals of rates, two systems compared, and the overlap of several."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Comparison", "McNemar", "compared", "interval", "mcnemar", "overlaps"]

_Z = 1.959963984540054  # of a 95 % interval
_MOST_FOR_EXACT = 1_000
Case = TypeVar("Case", bound=Hashable)


def interval(count: int, total: int) -> tuple[float, float]:
    """The 95 % confidence interval of a rate after Wilson, which holds for few and for extreme counts, too."""
    if not total:
        return 0.0, 1.0
    rate, square = count / total, _Z * _Z
    middle = (rate + square / (2 * total)) / (1 + square / total)
    half = _Z / (1 + square / total) * math.sqrt(rate * (1 - rate) / total + square / (4 * total * total))
    # At the ends, the formula gives exactly 0 and 1, except for rounding.
    low = 0.0 if count == 0 else max(0.0, middle - half)
    high = 1.0 if count == total else min(1.0, middle + half)
    return low, high


@dataclass(frozen=True, slots=True)
class McNemar:
    """Whether two systems differ, from the cases on which only one fails: the probability of this, or more, by chance.

    `statistic` is None if the probability was counted exactly.
    """

    p: float
    statistic: float | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the probability is exact."""
        return self.statistic is None


def mcnemar(fixed: int, broken: int) -> McNemar:
    """McNemar's test, exact for small counts, with a correction for continuity otherwise."""
    total = fixed + broken
    if total <= _MOST_FOR_EXACT:
        tail = sum(math.comb(total, k) for k in range(min(fixed, broken) + 1))
        return McNemar(min(1.0, 2 * tail / 2**total))
    statistic = (abs(fixed - broken) - 1) ** 2 / total
    return McNemar(math.erfc(math.sqrt(statistic / 2)), statistic)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The cases that both systems could be tested on, by their ids; `same` counts those with the same result."""

    fixed: tuple[str, ...]
    broken: tuple[str, ...]
    same: int
    left_out: int

    @property
    def test(self) -> McNemar:
        """McNemar's test of these counts."""
        return mcnemar(len(self.fixed), len(self.broken))


def compared(before: Mapping[str, bool | None], after: Mapping[str, bool | None]) -> Comparison:
    """Compare two systems, given for each case whether it has a bug; None: it was not tested, or is undecided.

    Cases that only one of them could be tested on are left out.
    """
    both = [case for case in before if before[case] is not None and after.get(case) is not None]
    fixed = tuple(case for case in both if before[case] and not after[case])
    broken = tuple(case for case in both if after[case] and not before[case])
    same = len(both) - len(fixed) - len(broken)
    return Comparison(fixed, broken, same, len(before.keys() | after.keys()) - len(both))


def overlaps(bugs: Mapping[str, Set[Case]]) -> dict[tuple[str, ...], int]:
    """How many cases have a bug in exactly these systems, for each set of systems with any."""
    holders: dict[Case, list[str]] = {}
    for system, cases in bugs.items():
        for case in cases:
            holders.setdefault(case, []).append(system)
    counts = Counter(map(tuple, holders.values()))
    order = list(bugs)
    return dict(sorted(counts.items(), key=lambda item: (len(item[0]), [order.index(name) for name in item[0]])))
