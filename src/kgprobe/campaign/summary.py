"""A summary of a campaign, finished or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kgprobe.campaign.source import Counts, SourceKind
from kgprobe.campaign.sources import kind_in
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import Finding, Variant
from kgprobe.model import Outcome
from kgprobe.oracles.signatures import KnownBugs

__all__ = ["NumberedFinding", "Summary", "summary_of"]


@dataclass(frozen=True)
class NumberedFinding:
    """A finding with its number in reports, the note of the known bug if it is one, and the name of its first case.

    If its cases have several messages, `variants` has them, each with the name of the first case.
    """

    number: int
    finding: Finding
    known: str | None
    case: str
    variants: tuple[tuple[Variant, str], ...] = ()


@dataclass(frozen=True)
class Summary:
    """Numbers, and findings in the order of their first cases.

    `source` is the kind of source that the cases come from, and `counts` are the counts of all inputs. `reasons` says
    why cases have no clear verdict, with the number of cases, the most frequent reason first.
    """

    store: Path
    outcomes: Mapping[Outcome, int]
    findings: tuple[NumberedFinding, ...]
    source: SourceKind
    counts: Counts
    reasons: Mapping[Outcome, Mapping[str, int]]
    seconds: float
    seconds_in_systems: float

    @property
    def cases(self) -> int:
        """How many cases have run."""
        return sum(self.outcomes.values())

    @property
    def judged(self) -> int:
        """How many cases have a clear verdict."""
        return self.outcomes.get(Outcome.PASS, 0) + self.outcomes.get(Outcome.FAIL, 0)

    @property
    def new(self) -> tuple[NumberedFinding, ...]:
        """The findings that are not known bugs."""
        return tuple(found for found in self.findings if found.known is None)


def summary_of(store: Store, known: KnownBugs) -> Summary:
    """The summary of the results in a store."""
    kind = kind_in(store)
    sources = store.sources()

    def name_of(number: int) -> str:
        case = store.case(number)
        with store.reading():
            return str(number) if case is None else kind.case_name(sources[case.source].name, case.recipe)

    findings = []
    for number, finding in enumerate(store.findings(), start=1):
        variants = store.variants(finding)
        named = tuple((variant, name_of(variant.first)) for variant in variants) if len(variants) > 1 else ()
        note = known.note_for(finding.signature)
        findings.append(NumberedFinding(number, finding, note, name_of(finding.first), named))
    with store.reading():
        counts = sum((kind.state_counts(source.name, source.state) for source in sources), Counts())
    return Summary(
        store=store.path,
        outcomes=dict(store.outcomes()),
        findings=tuple(findings),
        source=kind,
        counts=counts,
        reasons=store.reasons(),
        seconds=store.seconds,
        seconds_in_systems=store.seconds_in_systems(),
    )
