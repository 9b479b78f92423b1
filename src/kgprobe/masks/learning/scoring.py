"""How well a mask fits judged cases: it should admit those that pass, and exclude those that fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgprobe.errors import InputError
from kgprobe.masks.learning.cases import JudgedGraph
from kgprobe.masks.learning.statistics import ceiling_of
from kgprobe.masks.mask import Mask
from kgprobe.rdf.graph import Graph

__all__ = ["MaskScore", "score_mask"]


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
