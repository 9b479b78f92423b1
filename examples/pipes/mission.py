"""The oracle for the missions of the robot."""

from __future__ import annotations

from kgprobe.model import Case, Observation


def is_complete(case: Case, seen: Observation) -> bool | str:  # noqa: ARG001 - the report has everything
    """Every segment was inspected. Otherwise, findings are grouped by the kind of mission."""
    report = seen.value
    return not report["missed"] or f"{report['mission']}: {', '.join(report['missed'])}"
