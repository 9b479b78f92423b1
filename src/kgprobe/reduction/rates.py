"""How often a graph fails, and whether another one fails as often.

A smaller graph counts only if it fails as often as the whole one. A sequential test decides this with as few runs as
possible: a graph that passes once where the whole one always failed is rejected immediately, and one that keeps failing
is accepted after a few runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Rate", "SameRate"]

# A graph that fails at most half as often must be distinguished from one that fails as often.
_RARER = 0.5
# During the search, a graph that fails less often gets through with this probability. The result is tested strictly.
_DOUBT = 0.25


@dataclass(frozen=True, slots=True)
class Rate:
    """In how many of its runs something failed."""

    failed: int = 0
    runs: int = 0

    @property
    def share(self) -> float:
        """The share of the runs that failed; 1 before the first run."""
        return self.failed / self.runs if self.runs else 1.0

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.failed + other.failed, self.runs + other.runs)

    def __str__(self) -> str:
        return f"{self.failed} of {self.runs} run{'s' if self.runs != 1 else ''}"


class SameRate:
    """Whether a graph fails as often as the whole one, judging by the runs of both.

    `confidence` is the probability that a graph which fails as often is accepted, and that the result does not fail
    more rarely. After one run of the whole graph, its rate is unknown, and one run decides about every other graph.
    """

    def __init__(self, whole: Rate, confidence: float) -> None:
        self._trusts_one_run = whole.runs == 1
        self._least = whole.runs
        self._is_certain = whole.failed == whole.runs
        rate = whole.share
        self._for_failure = math.log(1 / _RARER)
        self._for_pass = -math.inf if self._is_certain else math.log((1 - rate) / (1 - rate * _RARER))
        self._sure = math.log(1 / (1 - confidence))
        # This many passes in a row are less likely than 1 - confidence if the graph fails as often as the whole one.
        self._most_passes = 1 if self._is_certain else math.ceil(-self._sure / math.log(1 - rate))

    def verdict(self, seen: Rate, *, strictly: bool) -> bool | None:
        """True if it fails as often, False if not, None if it has to be run again."""
        if self._trusts_one_run and seen.runs:
            return seen.failed == seen.runs
        passed = seen.runs - seen.failed
        evidence = seen.failed * self._for_failure + (passed * self._for_pass if passed else 0.0)
        if evidence <= -self._sure or (not seen.failed and passed >= self._most_passes):
            return False
        if strictly:
            return True if evidence >= self._sure and seen.runs >= self._least else None
        return True if evidence >= math.log(1 / _DOUBT) - 1e-9 else None

    def runs_at_once(self, seen: Rate, *, strictly: bool) -> int:
        """How many runs are worth starting together: more than one only if one of them would not decide."""
        if self._is_certain and not seen.runs:
            return 1
        return max(1, self._least - seen.runs) if strictly else self._most_passes
