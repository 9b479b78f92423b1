"""What the store of a campaign says as a whole: cases and findings, answers to questions, and what those cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from kgprobe.campaign.answers import tally_in
from kgprobe.campaign.source import Counts, SourceKind
from kgprobe.campaign.sources import QUESTIONS, kind_in
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_file import expect
from kgprobe.campaign.store_reading import Finding, Variant
from kgprobe.config.profile import Profile
from kgprobe.errors import InputError, Position
from kgprobe.model import Outcome
from kgprobe.oracles.inference import Answered, answered_in
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.questions.cases import QuestionCase, case_of_value

__all__ = [
    "AnsweredCase",
    "NumberedFinding",
    "Standing",
    "Summary",
    "SystemAnswers",
    "SystemUsage",
    "answered_cases",
    "check_questions",
    "record_usage",
    "summary_of",
    "usage_in",
]


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
        return tuple(finding for finding in self.findings if finding.known is None)


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


# -- answers to questions ----------------------------------------------------------------------------------------------


class Standing(StrEnum):
    """How a system stands on a case. `UNTESTED`: it did not get all premises right, or there was no answer."""

    UNTESTED = "untested"
    RIGHT = "right"
    UNDECIDED = "undecided"
    BUG = "bug"


@dataclass(frozen=True, slots=True)
class SystemAnswers:
    """The answers of one system, in the order of the questions. It has conclusions only if all premises were right."""

    premises: tuple[Answered, ...]
    conclusions: tuple[Answered, ...]

    @property
    def standing(self) -> Standing:
        """The worst of its conclusions."""
        given = [conclusion for conclusion in self.conclusions if conclusion.result != "failed"]
        if not given:
            return Standing.UNTESTED
        results = {answer.result for answer in given}
        return Standing.BUG if "wrong" in results else Standing.UNDECIDED if "undecided" in results else Standing.RIGHT


@dataclass(frozen=True, slots=True)
class AnsweredCase:
    """A case that has run, and the answers of each system that was asked."""

    number: int
    case: QuestionCase
    systems: Mapping[str, SystemAnswers]

    @property
    def is_tested(self) -> bool:
        """Whether a system knew all premises, and so was asked for the conclusions."""
        return any(system.standing is not Standing.UNTESTED for system in self.systems.values())


def check_questions(store: Store) -> None:
    """InputError if the cases of a store are not questions."""
    if store.source_kind != QUESTIONS:
        message = f"holds no questions, but {store.source_kind or 'nothing'}"
        raise InputError(message, where=Position(str(store.path)), hint="'kgprobe show' shows its findings")


def answered_cases(store: Store) -> Iterator[AnsweredCase]:
    """All cases that have run, in their order."""
    check_questions(store)
    for planned, _, details in store.details():
        with store.reading():
            case = case_of_value(planned.recipe)
            answers = {name: _answers(value, case) for name, value in details["systems"].items()}
        yield AnsweredCase(planned.number, case, answers)


def _answers(value: Mapping[str, list[object]], case: QuestionCase) -> SystemAnswers:
    premises, conclusions = (tuple(map(answered_in, value[key])) for key in ("premises", "conclusions"))
    if len(premises) != len(case.antecedents) or len(conclusions) not in (0, len(case.consequences)):
        raise ValueError("a case has other questions than its answers")
    return SystemAnswers(premises, conclusions)


# -- the cost of answers -----------------------------------------------------------------------------------------------

_KEY = "usage"


@dataclass(frozen=True)
class SystemUsage:
    """The requests of a system, the tokens in them, and the answers that were known before. `cost` may be unknown."""

    requests: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input_tokens + self.output_tokens

    @property
    def text(self) -> str:
        """For people."""
        parts = [str(self.requests), f"{self.cached} answers known before" if self.cached else ""]
        parts += [f"{self.tokens} tokens" if self.tokens else ""]
        parts += ["" if self.cost is None else f"cost {self.cost:.4g}"]
        return ", ".join(filter(None, parts))

    @property
    def value(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def record_usage(profile: Profile, store: Store) -> None:
    """Copy the counts of all systems to the store, so that a report needs nothing else."""
    found = {}
    for table in profile.systems:
        tally = tally_in(profile.campaign.answers, table.name)
        cost = table.cost(tally.usage)
        usage = tally.usage
        found[table.name] = SystemUsage(
            usage.requests, tally.recalled, usage.input_tokens, usage.output_tokens, cost
        ).value
    store.set(_KEY, json.dumps(found))


def usage_in(store: Store) -> dict[str, SystemUsage]:
    """The usage of each system, from a store."""
    with store.reading():
        return {name: _usage(each) for name, each in json.loads(store.value(_KEY) or "{}").items()}


def _usage(value: dict[str, Any]) -> SystemUsage:
    counts = {key: expect(int, value[key]) for key in ("requests", "cached", "input_tokens", "output_tokens")}
    return SystemUsage(**counts, cost=None if value["cost"] is None else float(value["cost"]))
