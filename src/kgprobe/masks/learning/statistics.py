"""How much the cases say: Fisher's exact test, and equal cases with different verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kgprobe.masks.learning.cases import JudgedGraph

__all__ = ["ceiling_of", "conflicts_among", "fisher"]


def fisher(explained: int, excluded: int, failing: int, cases: int) -> float:
    """The one-sided p-value: how likely `excluded` cases chosen at random have at least `explained` failing ones."""
    total = _log_choose(cases, excluded)
    most = min(excluded, failing)
    least = max(explained, excluded - (cases - failing))
    chances = [
        _log_choose(failing, hits) + _log_choose(cases - failing, excluded - hits) - total
        for hits in range(least, most + 1)
    ]
    return min(1.0, math.fsum(map(math.exp, chances)))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def conflicts_among(cases: Sequence[JudgedGraph]) -> list[list[int]]:
    """Groups of equal mutants with different verdicts, as numbers of cases."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, case in enumerate(cases):
        groups.setdefault((id(case.seed), case.change.removed, case.change.added), []).append(number)
    return [group for group in groups.values() if len({cases[number].failed for number in group}) > 1]


def ceiling_of(cases: Sequence[JudgedGraph]) -> float:
    """The largest share of cases that any mask can get right: of equal mutants, only those with the usual verdict."""
    lost = 0
    for group in conflicts_among(cases):
        failed = sum(cases[number].failed for number in group)
        lost += min(failed, len(group) - failed)
    return (len(cases) - lost) / len(cases) if cases else 1.0
