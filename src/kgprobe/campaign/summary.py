"""What came of a campaign, as far as it has come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kgprobe.campaign.store import Finding, Store
from kgprobe.model import Outcome
from kgprobe.oracles.known import KnownBugs

__all__ = ["NumberedFinding", "Summary", "summary_of"]


@dataclass(frozen=True)
class NumberedFinding:
    """A finding, with the number that people call it by, and the note of the known bug that it is, if it is one."""

    number: int
    finding: Finding
    known: str | None
    case: str


@dataclass(frozen=True)
class Summary:
    """Numbers, and findings in the order of their first cases; `left_out` are seed graphs, each with the reason.

    `reasons` are why cases have no clear verdict, and how many of them, the most frequent first.
    """

    store: Path
    outcomes: Mapping[Outcome, int]
    findings: tuple[NumberedFinding, ...]
    attempts: int
    kept: int
    duplicates: int
    rejected: Mapping[str, int]
    left_out: Mapping[str, str]
    reasons: Mapping[Outcome, Mapping[str, int]]
    seconds: float
    seconds_in_systems: float

    @property
    def cases(self) -> int:
        """How many cases have run."""
        return sum(self.outcomes.values())

    @property
    def judged(self) -> int:
        """How many of them led to a clear verdict."""
        return self.outcomes.get(Outcome.PASS, 0) + self.outcomes.get(Outcome.FAIL, 0)

    @property
    def new(self) -> tuple[NumberedFinding, ...]:
        """The findings that are no known bugs."""
        return tuple(found for found in self.findings if found.known is None)


def summary_of(store: Store, known: KnownBugs) -> Summary:
    """Look at a store."""
    seeds = store.seeds()
    tallies = [seed.tally for seed in seeds]
    findings = []
    for number, finding in enumerate(store.findings(), start=1):
        case = store.case(finding.first)
        name = case.name(seeds[case.seed].name) if case else str(finding.first)
        findings.append(NumberedFinding(number, finding, known.note_for(finding.signature), name))
    return Summary(
        store=store.path,
        outcomes=dict(store.outcomes()),
        findings=tuple(findings),
        attempts=sum(tally.attempts for tally in tallies),
        kept=sum(tally.kept for tally in tallies),
        duplicates=sum(tally.duplicates for tally in tallies),
        rejected=sum((tally.rejected for tally in tallies), Counter()),
        left_out={seed.name: seed.left_out for seed in seeds if seed.left_out is not None},
        reasons=store.reasons(),
        seconds=store.seconds,
        seconds_in_systems=store.seconds_in_systems(),
    )
