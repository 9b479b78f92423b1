"""The results of a campaign as JSON values."""

from __future__ import annotations

from typing import Any

from kgprobe.campaign.store import reduced_file
from kgprobe.campaign.summary import NumberedFinding, Summary
from kgprobe.model import Outcome, Verdict

__all__ = ["finding_value", "summary_value", "verdict_value"]


def summary_value(summary: Summary, why: str) -> dict[str, Any]:
    """A campaign."""
    return {
        "store": str(summary.store),
        "ended": why,
        "cases": summary.cases,
        "outcomes": {outcome.value: summary.outcomes.get(outcome, 0) for outcome in Outcome},
        "reasons": {outcome.value: dict(reasons) for outcome, reasons in summary.reasons.items()},
        **summary.source.count_values(summary.counts),
        "rejected": dict(summary.counts.rejected),
        "left_out": dict(summary.counts.left_out),
        "seconds": round(summary.seconds, 3),
        "seconds_in_systems": round(summary.seconds_in_systems, 3),
        "findings": [finding_value(found, summary) for found in summary.findings],
    }


def finding_value(found: NumberedFinding, summary: Summary) -> dict[str, Any]:
    """One finding."""
    finding = found.finding
    return {
        "number": found.number,
        "signature": finding.signature,
        "system": finding.system,
        "kind": finding.kind,
        "shape": finding.shape,
        "known": found.known,
        "cases": finding.cases,
        "first_case": finding.first,
        "case": found.case,
        "words": list(finding.words),
        "reductions": [
            {
                "case": reduced.number,
                "cause": reduced.cause,
                "file": str(reduced_file(summary.store, finding, reduced.number)),
                **reduced.figures,
            }
            for reduced in finding.reductions
        ],
    }


def verdict_value(name: str, verdict: Verdict) -> dict[str, Any]:
    """The verdict on one graph."""
    return {
        "case": name,
        "outcome": verdict.outcome.value,
        "why": verdict.why,
        "failures": [{"signature": failure.signature, "words": list(failure.words)} for failure in verdict.failures],
    }
