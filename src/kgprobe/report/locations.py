"""Which steps cause failures: as lines of text, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kgprobe.learning.located import Located, LocatedCase, LocatedStep
from kgprobe.wording import number_of

__all__ = ["case_lines", "location_lines", "location_value", "locations_value"]

_MOST_STEPS = 3


def locations_value(located: Located) -> dict[str, Any]:
    """All located cases, as JSON."""
    return {"cases": [location_value(case) for case in located.cases]}


def location_value(case: LocatedCase) -> dict[str, Any]:
    """One located case, as JSON."""
    return {
        "case": case.case,
        "failure": case.failure,
        "steps": [
            {
                "operator": step.operator,
                "words": step.words,
                "suspicion": step.suspicion,
                "confirmed": step.confirmed,
            }
            for step in case.steps
        ],
        "runs": case.runs,
    }


def location_lines(located: Located, name: str) -> Iterator[str]:
    """The located cases of the store with this name, by failure. Of several cases, only the likely causes are shown."""
    confirmed = sum(bool(case.culprits) for case in located.cases)
    failing = f"{number_of(len(located.cases), 'failing case')}, a step is confirmed in {confirmed}"
    yield f"{name}: {failing}"
    if len(located.cases) == 1:
        yield from case_lines(located.cases[0])
        return
    for failure in dict.fromkeys(case.failure for case in located.cases):
        cases = [case for case in located.cases if case.failure == failure]
        yield f"  {failure}, in {number_of(len(cases), 'case')}"
        for case in cases:
            yield from (f"    {line}" for line in _short(case))


def _short(case: LocatedCase) -> Iterator[str]:
    """The most likely causes of one failure."""
    shown: Sequence[LocatedStep] = case.culprits[:_MOST_STEPS] or case.steps[:1]
    yield f"{case.case}, {number_of(case.runs, 'run')}" + (f": {case.note}" if case.note else "")
    yield from (f"  {_line(step)}" for step in shown)
    if len(case.culprits) > len(shown):
        yield f"  … and {len(case.culprits) - len(shown)} more that are confirmed"


def case_lines(case: LocatedCase) -> Iterator[str]:
    """All steps of one case."""
    yield f"Cause of the failure in {case.case}, after {number_of(case.runs, 'run')}"
    if case.note:
        yield f"  {case.note}"
    yield from (f"  {_line(step)}" for step in case.steps)


def _line(step: LocatedStep) -> str:
    sign = "confirmed" if step.confirmed else "suspicion"
    return f"{sign} {step.suspicion:.2f}  step {step.number}, {step.operator}{_why(step)}: {step.words}"


def _why(step: LocatedStep) -> str:
    reasons = [words for words, holds in (("needed", step.is_needed), ("enough", step.is_enough)) if holds]
    return f" ({' and '.join(reasons)})" if reasons else ""
