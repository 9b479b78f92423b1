"""Cases that ran again after a change of the software: what has become of each failure, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kgprobe.campaign.events import CaseAgain, Change
from kgprobe.errors import one_line
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.wording import number_of

__all__ = ["rerun_exit_code", "rerun_lines", "rerun_value"]


def rerun_lines(cases: Sequence[CaseAgain], campaign: str) -> Iterator[str]:
    """The counts, then each failure that there was before, and each that is new."""
    failed = [case for case in cases if case.before]
    yield f"{campaign}: {number_of(len(failed), 'failing case')} ran again{_counted(case.change for case in failed)}"
    for signature in dict.fromkeys(signature for case in failed for signature in sorted(case.before)):
        had_it = [case for case in failed if signature in case.before]
        yield f"  {one_line(signature)}"
        yield f"    in {number_of(len(had_it), 'case')}{_counted(case.change_of(signature) for case in had_it)}"
        still = next((case.name for case in had_it if signature in case.after), None)
        if still is not None:
            yield f"    still failing in {still}"
        for case in had_it:
            if case.change_of(signature) is Change.UNDECIDED:
                yield f"    undecided in {case.name}: {one_line(case.why or 'no reason was given')}"
                break
    for signature in dict.fromkeys(signature for case in cases for signature in sorted(case.after - case.before)):
        has_it = [case for case in cases if signature in case.after - case.before]
        yield f"  new: {one_line(signature)}"
        yield f"    in {number_of(len(has_it), 'case')}, the first is {has_it[0].name}"


def _counted(changes: Iterable[Change | None]) -> str:
    counts = Counter(changes)
    parts = [f"{counts[change]} {change.value}" for change in Change if counts[change]]
    return f": {', '.join(parts)}" if parts else ""


def rerun_value(cases: Sequence[CaseAgain]) -> dict[str, Any]:
    """The same as JSON."""
    counts = Counter(case.change for case in cases)
    return {
        "changes": {change.value: counts[change] for change in Change},
        "cases": [
            {
                "number": case.number,
                "case": case.name,
                "change": None if case.change is None else case.change.value,
                "before": sorted(case.before),
                "after": sorted(case.after),
                "outcome": case.outcome.value,
                "why": case.why,
            }
            for case in cases
        ],
    }


def rerun_exit_code(cases: Sequence[CaseAgain], known: KnownBugs) -> int:
    """1 if a case fails that is not a known bug; 3 if nothing could be judged."""
    if any(known.note_for(signature) is None for case in cases for signature in case.after):
        return 1
    return 3 if cases and all(case.change is Change.UNDECIDED for case in cases) else 0
