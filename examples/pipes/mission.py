"""How a mission of the robot is judged."""

from __future__ import annotations

from kgprobe.model import Case, Observation


def is_complete(case: Case, seen: Observation) -> bool | str:  # noqa: ARG001 - the report tells all
    """Every segment was inspected. What is missing is told by the kind of mission, which findings are grouped by."""
    report = seen.value
    return not report["missed"] or f"{report['mission']}: {', '.join(report['missed'])}"
