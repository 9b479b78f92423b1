"""The results of a campaign: a summary and the story of a finding, as lines of text and as JSON, and a JUnit report."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from kgprobe.campaign.events import CaseAgain, Change
from kgprobe.campaign.run import shown_profile
from kgprobe.campaign.sources import kind_in
from kgprobe.campaign.store import Store, reduced_file, seed_file
from kgprobe.campaign.store_reading import Finding, Reduced
from kgprobe.campaign.summary import NumberedFinding, Summary
from kgprobe.errors import one_line
from kgprobe.learning.located import Located, LocatedCase, LocatedStep, located_in
from kgprobe.model import Outcome, Verdict
from kgprobe.oracles.signatures import KnownBugs, variant_of
from kgprobe.report.junit import JUNIT, JUnitCase, JUnitOutcome, junit_text
from kgprobe.report.mutation import rejection_lines
from kgprobe.report.reduction import size_of
from kgprobe.wording import number_of
from kgprobe.written_files import OwnKind

_WORDS = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.INVALID: "were invalid input",
    Outcome.UNDECIDED: "are undecided",
}
_REASONS = {Outcome.INVALID: "invalid", Outcome.UNDECIDED: "undecided"}
_MOST_REASONS = 5
_MOST_VARIANTS = 3
_MOST_VARIANTS_IN_STORY = 20
_LONGEST_VARIANT = 120
_MOST_STEPS = 3
_NOT_LOCATED = Located(())


def summary_lines(summary: Summary, campaign: str) -> Iterator[str]:
    """The counts and findings of a campaign with this name."""
    counts = [f"{summary.outcomes[each]} {words}" for each, words in _WORDS.items() if summary.outcomes.get(each)]
    yield f"{campaign}: {number_of(summary.cases, 'case')}" + (f": {', '.join(counts)}" if counts else "")
    for outcome, reasons in summary.reasons.items():
        yield from _reason_lines(_REASONS[outcome], reasons)
    for label, text in summary.source.count_lines(summary.counts):
        yield f"  {label:<12} {text}"
    yield from rejection_lines(summary.counts.rejected, summary.counts.attempts)
    for name, why in summary.counts.left_out.items():
        yield f"  left out     {name}: {why}"
    for name, why in summary.counts.used_anyway.items():
        yield f"  used anyway  {name}: {why}"
    yield from closing_lines(summary)


def closing_lines(summary: Summary) -> Iterator[str]:
    """The findings of a campaign, and where its results are."""
    known = len(summary.findings) - len(summary.new)
    yield f"  findings     {len(summary.new)}" + (f", and {number_of(known, 'known bug')}" if known else "")
    for found in summary.findings:
        yield from _finding_lines(found, summary.store)
    yield f"  store        {summary.store}"


def _reason_lines(label: str, reasons: Mapping[str, int]) -> Iterator[str]:
    """Why cases have no clear verdict, the most frequent reasons first. Those that differ in names only are one."""
    alike: dict[str, list[tuple[str, int]]] = {}
    for why, count in reasons.items():
        alike.setdefault(variant_of(one_line(why)), []).append((one_line(why), count))
    groups = sorted(alike.values(), key=lambda group: -sum(count for _, count in group))
    for group in groups[:_MOST_REASONS]:
        example = f"{group[0][0]}, or the like" if len(group) > 1 else group[0][0]
        yield f"  {label:<12} {sum(count for _, count in group)}: {example}"
    others = [count for group in groups[_MOST_REASONS:] for _, count in group]
    if others:
        yield f"  {label:<12} {sum(others)}: for {number_of(len(groups) - _MOST_REASONS, 'other reason')}"


def _finding_lines(found: NumberedFinding, store: Path) -> Iterator[str]:
    finding = found.finding
    note = "" if found.known is None else f" (known: {found.known})" if found.known else " (known)"
    yield f"  {found.number:>3}. {finding.signature}{note}"
    yield f"       {_in_cases(found)}"
    for reduced in finding.reductions:
        size = size_of(reduced.figures, reduced.unit) + ("," if reduced.figures.get("pinned") else "")
        runs = number_of(int(reduced.figures["system_runs"]), "run")
        so_far = "" if reduced.is_finished else " so far"
        cause = f": {reduced.cause}" if reduced.cause else ""
        yield f"       reduced to {size} in {runs}{so_far}{cause}{_rarely(reduced.figures)}"
        yield f"       {reduced_file(store, finding, reduced)}"
    yield from (f"       {line}" for line in _unreduced_lines(finding))
    yield from (f"       {line}" for line in _variant_lines(found, _MOST_VARIANTS))


def _variant_lines(found: NumberedFinding, most: int) -> Iterator[str]:
    """The messages of a finding, if there are several, each with a case to look at."""
    if not found.variants:
        return
    yield f"in {number_of(len(found.variants), 'variant')}:"
    for variant, case in found.variants[:most]:
        where = case if variant.cases == 1 else f"{number_of(variant.cases, 'case')}; the first is {case}"
        yield f"  {one_line(variant.message)[:_LONGEST_VARIANT]} ({where})"
    if len(found.variants) > most:
        yield f"  and {len(found.variants) - most:,} more"


def _unreduced_lines(finding: Finding) -> Iterator[str]:
    """Why a case is not reduced, if none is."""
    for number, why in () if finding.reductions else finding.unreduced[:1]:
        yield f"case {number} is not reduced: {one_line(why)}"


def _in_cases(found: NumberedFinding) -> str:
    """How many cases have a finding, and which one to look at."""
    if found.finding.cases == 1:
        return f"in 1 case: {found.case}"
    return f"in {number_of(found.finding.cases, 'case')}; the first is {found.case}"


def _rarely(figures: Mapping[str, Any]) -> str:
    """How often a reduced graph fails, unless it always does."""
    return "" if figures["rate"] == 1 else f", fails {figures['failed']} of {number_of(figures['runs'], 'run')}"


def story_lines(found: NumberedFinding, store: Store) -> Iterator[str]:
    """The story of a finding: its failure, the origin of its case, the reduced graph, and how to reproduce it."""
    finding = found.finding
    yield f"{found.number}. {finding.signature}"
    if found.known is not None:
        yield f"   a known bug: {found.known}" if found.known else "   a known bug"
    yield f"   {_in_cases(found)}"
    yield from (f"   {line}" for line in _variant_lines(found, _MOST_VARIANTS_IN_STORY))
    yield ""
    yield f"Failure in {found.case}"
    yield from (f"  {line}" for line in finding.words or ("no details",))
    origin = _origin(found, store)
    if origin:
        yield ""
        yield from origin
    for reduced in finding.reductions:
        yield ""
        of_a_seed = kind_in(store).thing == "seed graph"
        origin_called = "the seed graph" if of_a_seed else "the graph that it is compared with"
        yield from _reduction(reduced, finding.first, origin_called, seed_fails=_seed_fails(reduced.number, store))
    for line in _unreduced_lines(finding):
        yield ""
        yield line[:1].upper() + line[1:]
    for located in located_in(store, [finding.signature]).cases[:1]:
        yield ""
        yield from case_lines(located)
    yield ""
    yield "Reproduce with"
    command = store.value("command") or f"kgprobe test {shlex.quote(shown_profile(store))}"
    place = f" --store {shlex.quote(str(store.path))}" if _is_elsewhere(store) else ""
    for reduced in filter(attrgetter("is_graph"), finding.reductions):
        path = reduced_file(store.path, finding, reduced)
        seed = f" --seed-graph {shlex.quote(str(seed_file(path)))}" if reduced.seed_graph is not None else ""
        yield f"  {command} --on {shlex.quote(str(path))}{seed}"
    yield f"  {command} --case {finding.first}{place}"


def _is_elsewhere(store: Store) -> bool:
    """Whether the store is not at the default place for its profile."""
    return Path(shown_profile(store)).with_suffix(".sqlite").resolve() != store.path.resolve()


def _seed_fails(number: int, store: Store) -> bool:
    """Whether the graph that a case was made from is known to fail by itself."""
    case = store.case(number)
    if case is None or number <= 0:
        return case is not None
    source = store.sources()[case.source]
    start = store.case(store.case_number(0, case.source))
    with store.reading():
        counts = kind_in(store).state_counts(source.name, source.state)
        return start is not None or source.name in {**counts.left_out, **counts.used_anyway}


def _origin(found: NumberedFinding, store: Store) -> list[str]:
    """How the first case of a finding was made."""
    case = store.case(found.finding.first)
    if case is None:
        return []
    with store.reading():
        source = store.sources()[case.source].name
        return list(kind_in(store).story(source, found.case, case.recipe, store.about))


def _reduction(reduced: Reduced, first: int, origin: str, *, seed_fails: bool) -> Iterator[str]:
    figures = reduced.figures
    which = "" if reduced.number == first else f" (case {reduced.number})"
    how = "" if reduced.is_finished else "; not finished: the same command, or a longer --for, resumes it"
    before, after = figures["triples_before"], size_of(figures, reduced.unit)
    after = after.removesuffix(f" {reduced.unit}").removesuffix(f" {reduced.unit}s")
    yield f"Reduced{which}, from {number_of(before, reduced.unit)} to {after}, in {figures['system_runs']} runs{how}"
    text = figures.get("own_graph", reduced.graph)
    yield from (f"  {line}" for line in text.rstrip("\n").splitlines())
    if figures.get("pinned"):
        yield f"  and {figures['pinned']}"
    yield ""
    yield f"Failure of the reduced {'graph' if reduced.is_graph else 'case'}"
    yield from (f"  {line}" for line in figures["words"])
    yield f"  {_how_often(figures, 'graph' if reduced.is_graph else 'case')}"
    yield from (f"  {line}" for line in _needed(figures["needed"], origin, seed_fails=seed_fails))


def _how_often(figures: Mapping[str, Any], what: str) -> str:
    before = float(figures["rate_before"])
    runs = f"{figures['failed']} of {number_of(figures['runs'], 'run')}"
    is_certain = figures["rate"] == before == 1
    return f"it fails {runs}" + ("" if is_certain else f"; the whole {what} failed {before:.0%} of its runs")


def _needed(changes: Sequence[str] | None, origin: str, *, seed_fails: bool) -> Iterator[str]:
    """The changes to the origin of a case that the failure needs, if known."""
    if changes is None:
        return
    if not changes and seed_fails:
        yield f"no mutation is needed: this part of {origin} fails by itself"
        return
    if not changes:
        yield f"this part of {origin} fails, too, although {origin} passes as a whole"
        return
    yield f"the failure needs {'this change' if len(changes) == 1 else 'these changes'} to {origin}:"
    yield from (f"  {line}" for line in changes)


def summary_value(summary: Summary, why: str) -> dict[str, Any]:
    """A campaign, as JSON."""
    return {
        "store": str(summary.store),
        "ended": why,
        "cases": summary.cases,
        "outcomes": {outcome.value: summary.outcomes.get(outcome, 0) for outcome in Outcome},
        "reasons": {outcome.value: dict(reasons) for outcome, reasons in summary.reasons.items()},
        **summary.source.count_values(summary.counts),
        "rejected": dict(summary.counts.rejected),
        "left_out": dict(summary.counts.left_out),
        "used_anyway": dict(summary.counts.used_anyway),
        "seconds": round(summary.seconds, 3),
        "seconds_in_systems": round(summary.seconds_in_systems, 3),
        "findings": [finding_value(numbered, summary) for numbered in summary.findings],
    }


def finding_value(found: NumberedFinding, summary: Summary, located: Located = _NOT_LOCATED) -> dict[str, Any]:
    """One finding, as JSON; `located` has the causes of its failures, as far as they were looked for."""
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
        "variants": [
            {"message": variant.message, "cases": variant.cases, "first_case": variant.first, "case": case}
            for variant, case in found.variants
        ],
        "reductions": [
            {
                "case": reduced.number,
                "cause": reduced.cause,
                "file": str(reduced_file(summary.store, finding, reduced)),
                **reduced.figures,
            }
            for reduced in finding.reductions
        ],
        "unreduced": [{"case": number, "why": why} for number, why in finding.unreduced],
        "located": [location_value(case) for case in located.cases],
    }


def verdict_value(name: str, verdict: Verdict) -> dict[str, Any]:
    """The verdict on one graph."""
    return {
        "case": name,
        "outcome": verdict.outcome.value,
        "why": verdict.why,
        "failures": [{"signature": failure.signature, "words": list(failure.words)} for failure in verdict.failures],
        **({} if verdict.details is None else {"details": verdict.details}),
    }


@dataclass(frozen=True)
class CampaignReport:
    """A report on a campaign in a file: what its option says, how to recognise an earlier one, and its text."""

    help: str
    kind: OwnKind
    text: Callable[[Store, Summary, str], str]


def campaign_as_junit(store: Store, summary: Summary, name: str) -> str:
    """The report in JUnit's format: each case is a test case, and what was left out is a skipped one."""
    return junit_text(name, [*_left_out(summary), *_cases(store, summary)], seconds=summary.seconds)


def _left_out(summary: Summary) -> Iterator[JUnitCase]:
    for name, why in summary.counts.left_out.items():
        yield JUnitCase(name, summary.source.thing, JUnitOutcome.SKIPPED, f"left out: {why}")


def _cases(store: Store, summary: Summary) -> Iterator[JUnitCase]:
    kind, sources = summary.source, store.sources()
    notes = {numbered.finding.signature: numbered.known for numbered in summary.findings}
    reasons = {number: why for number, _, why, _ in store.results() if why}
    for planned, outcome in store.judged():
        source = sources[planned.source].name
        with store.reading():
            name = kind.case_name(source, planned.recipe)
        if outcome is Outcome.FAIL:
            yield _failed(source, name, planned.number, store, notes)
        elif outcome is Outcome.PASS:
            yield JUnitCase(source, name)
        else:
            message = ": ".join(filter(None, [outcome.value, reasons.get(planned.number)]))
            yield JUnitCase(source, name, JUnitOutcome.SKIPPED, message)


def _failed(source: str, name: str, number: int, store: Store, notes: Mapping[str, str | None]) -> JUnitCase:
    """A failing case. Known bugs alone do not make it fail."""
    signatures = store.signatures_of(number)
    new = [signature for signature in signatures if notes.get(signature) is None]
    text = "\n\n".join("\n".join((signature, *store.words(signature, number))) for signature in signatures)
    if new:
        return JUnitCase(source, name, JUnitOutcome.FAILED, "; ".join(new), text)
    known = "; ".join(dict.fromkeys(filter(None, (notes[signature] for signature in signatures))))
    return JUnitCase(source, name, JUnitOutcome.SKIPPED, f"known bug: {known}" if known else "known bug", text)


REPORTS = {"junit": CampaignReport("Write a report in JUnit's format.", JUNIT, campaign_as_junit)}
"""The reports that `kgprobe test` can write, by the names of their options."""


# -- the causes of failures --------------------------------------------------------------------------------------------


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


# -- cases that ran again ----------------------------------------------------------------------------------------------


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
