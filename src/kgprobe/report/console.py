"""The results of a campaign as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from kgprobe.campaign.store import reduced_file
from kgprobe.campaign.summary import NumberedFinding, Summary
from kgprobe.errors import one_line
from kgprobe.model import Outcome, Verdict
from kgprobe.report.wording import number_of

__all__ = ["summary_lines", "verdict_lines"]

_WORDS = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.INVALID: "were invalid input",
    Outcome.UNDECIDED: "are undecided",
}
_REASONS = {Outcome.INVALID: "invalid", Outcome.UNDECIDED: "undecided"}
_MOST_REASONS = 5


def summary_lines(summary: Summary, campaign: str) -> Iterator[str]:
    """The numbers, and each finding, of the campaign of this name."""
    counts = [f"{summary.outcomes[each]} {words}" for each, words in _WORDS.items() if summary.outcomes.get(each)]
    yield f"{campaign}: {number_of(summary.cases, 'case')}" + (f": {', '.join(counts)}" if counts else "")
    for outcome, reasons in summary.reasons.items():
        yield from _reason_lines(_REASONS[outcome], reasons)
    for label, text in summary.source.count_lines(summary.counts):
        yield f"  {label:<12} {text}"
    for check, count in sorted(summary.counts.rejected.items(), key=lambda item: (-item[1], item[0])):
        yield f"  rejected by  {check}: {count}"
    for name, why in summary.counts.left_out.items():
        yield f"  left out     {name}: {why}"
    known = len(summary.findings) - len(summary.new)
    yield f"  findings     {len(summary.new)}" + (f", and {number_of(known, 'known bug')}" if known else "")
    for found in summary.findings:
        yield from _finding_lines(found, summary.store)
    yield f"  store        {summary.store}"


def _reason_lines(label: str, reasons: Mapping[str, int]) -> Iterator[str]:
    """Why cases have no clear verdict, the most frequent reasons first."""
    for why, count in islice(reasons.items(), _MOST_REASONS):
        yield f"  {label:<12} {count}: {one_line(why)}"
    others = list(reasons.values())[_MOST_REASONS:]
    if others:
        yield f"  {label:<12} {sum(others)}: for {number_of(len(others), 'other reason')}"


def verdict_lines(name: str, verdict: Verdict) -> Iterator[str]:
    """The verdict on one graph."""
    yield f"{name}: {verdict.outcome.value}" + (f": {verdict.why}" if verdict.why else "")
    for failure in verdict.failures:
        yield f"  {failure.signature}"
        yield from (f"    {line}" for line in failure.words)


def _finding_lines(found: NumberedFinding, store: Path) -> Iterator[str]:
    finding = found.finding
    note = "" if found.known is None else f" (known: {found.known})" if found.known else " (known)"
    yield f"  {found.number:>3}. {finding.signature}{note}"
    yield f"       in {number_of(finding.cases, 'case')}, first in {found.case}"
    for reduced in finding.reductions:
        size = number_of(int(reduced.figures["triples_after"]), "triple")
        runs = number_of(int(reduced.figures["system_runs"]), "run")
        so_far = "" if reduced.is_finished else " so far"
        yield f"       reduced to {size} in {runs}{so_far}: {reduced.cause}{_rarely(reduced.figures)}"
        yield f"       {reduced_file(store, finding, reduced.number)}"


def _rarely(figures: Mapping[str, Any]) -> str:
    """How often a reduced graph fails, if not always."""
    return "" if figures["rate"] == 1 else f", fails {figures['failed']} of {number_of(figures['runs'], 'run')}"
