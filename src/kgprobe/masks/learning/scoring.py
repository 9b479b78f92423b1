"""How well a mask fits judged cases: it should admit those that pass, and exclude those that fail."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgprobe.errors import InputError
from kgprobe.masks.learning.observations import JudgedGraph
from kgprobe.masks.mask import Mask
from kgprobe.rdf.graph import Graph

__all__ = ["MaskScore", "fisher", "score_mask"]


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


@dataclass(frozen=True)
class MaskScore:
    """The cases that a mask gets right and wrong.

    `too_permissive` are failing cases that it admits, `too_strict` passing cases that it excludes.
    """

    cases: int
    accuracy: float
    ceiling: float
    correct: int
    too_permissive: tuple[str, ...]
    too_strict: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """The result as `kgprobe mask score --json` prints it."""
        return {
            "cases": self.cases,
            "accuracy": self.accuracy,
            "ceiling": self.ceiling,
            "correct": self.correct,
            "too_permissive": list(self.too_permissive),
            "too_strict": list(self.too_strict),
        }


def score_mask(
    mask: Mask | Callable[[Graph], bool],
    cases: Sequence[JudgedGraph],
    *,
    on_progress: Callable[[int], None] | None = None,
) -> MaskScore:
    """The score of a mask, or of any function that says whether a graph is admissible."""
    if not cases:
        raise InputError("there are no cases", hint="a mask is judged by passing and failing ones")
    admits = mask.admits if isinstance(mask, Mask) else mask
    too_permissive: list[str] = []
    too_strict: list[str] = []
    for number, case in enumerate(cases, 1):
        if admits(case.graph()) is case.failed:
            (too_permissive if case.failed else too_strict).append(case.name)
        if on_progress is not None:
            on_progress(number)
    correct = len(cases) - len(too_permissive) - len(too_strict)
    return MaskScore(
        cases=len(cases),
        accuracy=correct / len(cases),
        ceiling=ceiling_of(cases),
        correct=correct,
        too_permissive=tuple(too_permissive),
        too_strict=tuple(too_strict),
    )
