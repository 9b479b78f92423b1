"""The results of a campaign: a summary and the story of a finding, as lines of text and as JSON, and a JUnit report."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from kgprobe.campaign.sources import kind_in
from kgprobe.campaign.store import Store, reduced_file
from kgprobe.campaign.store_reading import Reduced
from kgprobe.campaign.summary import NumberedFinding, Summary
from kgprobe.errors import one_line
from kgprobe.learning.located import Located, located_in
from kgprobe.model import Outcome, Verdict
from kgprobe.report.locations import case_lines, location_value
from kgprobe.report.wording import number_of, xml_text

__all__ = [
    "closing_lines",
    "finding_value",
    "junit_text",
    "story_lines",
    "summary_lines",
    "summary_value",
    "verdict_value",
]

_WORDS = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.INVALID: "were invalid input",
    Outcome.UNDECIDED: "are undecided",
}
_REASONS = {Outcome.INVALID: "invalid", Outcome.UNDECIDED: "undecided"}
_MOST_REASONS = 5
_MOST_FAILURES = 1000
_NOT_LOCATED = Located(())


def summary_lines(summary: Summary, campaign: str) -> Iterator[str]:
    """The counts and findings of a campaign with this name."""
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
    yield from closing_lines(summary)


def closing_lines(summary: Summary) -> Iterator[str]:
    """The findings of a campaign, and where its results are."""
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


def _finding_lines(found: NumberedFinding, store: Path) -> Iterator[str]:
    finding = found.finding
    note = "" if found.known is None else f" (known: {found.known})" if found.known else " (known)"
    yield f"  {found.number:>3}. {finding.signature}{note}"
    yield f"       in {number_of(finding.cases, 'case')}, first in {found.case}"
    for reduced in finding.reductions:
        size = number_of(int(reduced.figures["triples_after"]), reduced.unit)
        runs = number_of(int(reduced.figures["system_runs"]), "run")
        so_far = "" if reduced.is_finished else " so far"
        yield f"       reduced to {size} in {runs}{so_far}: {reduced.cause}{_rarely(reduced.figures)}"
        yield f"       {reduced_file(store, finding, reduced)}"


def _rarely(figures: Mapping[str, Any]) -> str:
    """How often a reduced graph fails, unless it always does."""
    return "" if figures["rate"] == 1 else f", fails {figures['failed']} of {number_of(figures['runs'], 'run')}"


def story_lines(found: NumberedFinding, store: Store) -> Iterator[str]:
    """The story of a finding: its failure, the origin of its case, the reduced graph, and how to reproduce it."""
    finding = found.finding
    yield f"{found.number}. {finding.signature}"
    if found.known is not None:
        yield f"   a known bug: {found.known}" if found.known else "   a known bug"
    yield f"   in {finding.cases} {'case' if finding.cases == 1 else 'cases'}, first in {found.case}"
    yield ""
    yield f"Failure in {found.case}"
    yield from (f"  {line}" for line in finding.words or ("no details",))
    origin = _origin(found, store)
    if origin:
        yield ""
        yield from origin
    for reduced in finding.reductions:
        yield ""
        yield from _reduction(reduced, finding.first)
    for located in located_in(store, [finding.signature]).cases[:1]:
        yield ""
        yield from case_lines(located)
    yield ""
    yield "Reproduce with"
    command = store.value("command") or f"kgprobe test {shlex.quote(store.value('profile') or 'PROFILE')}"
    place = f" --store {shlex.quote(str(store.path))}" if _is_elsewhere(store) else ""
    for reduced in filter(attrgetter("is_graph"), finding.reductions):
        file = shlex.quote(str(reduced_file(store.path, finding, reduced)))
        yield f"  {command} --on {file}"
    yield f"  {command} --case {finding.first}{place}"


def _is_elsewhere(store: Store) -> bool:
    """Whether the store is not at the default place for its profile."""
    return Path(store.value("profile") or "").with_suffix(".sqlite") != store.path


def _origin(found: NumberedFinding, store: Store) -> list[str]:
    """How the first case of a finding was made."""
    case = store.case(found.finding.first)
    if case is None:
        return []
    with store.reading():
        source = store.sources()[case.source].name
        return list(kind_in(store).story(source, found.case, case.recipe, store.about))


def _reduction(reduced: Reduced, first: int) -> Iterator[str]:
    figures = reduced.figures
    which = "" if reduced.number == first else f" (case {reduced.number})"
    how = "" if reduced.is_finished else "; not finished: the same command, or a longer --for, resumes it"
    before, after = figures["triples_before"], figures["triples_after"]
    yield f"Reduced{which}, from {number_of(before, reduced.unit)} to {after}, in {figures['system_runs']} runs{how}"
    yield from (f"  {line}" for line in reduced.graph.rstrip("\n").splitlines())
    yield ""
    yield f"Failure of the reduced {'graph' if reduced.is_graph else 'case'}"
    yield from (f"  {line}" for line in figures["words"])
    yield f"  {_how_often(figures, 'graph' if reduced.is_graph else 'case')}"
    yield from (f"  {line}" for line in _needed(figures["needed"]))


def _how_often(figures: Mapping[str, Any], what: str) -> str:
    before = float(figures["rate_before"])
    runs = f"{figures['failed']} of {number_of(figures['runs'], 'run')}"
    is_certain = figures["rate"] == before == 1
    return f"it fails {runs}" + ("" if is_certain else f"; the whole {what} failed {before:.0%} of its runs")


def _needed(changes: Sequence[str] | None) -> Iterator[str]:
    """The changes to the seed graph that the failure needs, if known."""
    if changes is None:
        return
    if not changes:
        yield "no mutation is needed: this part of the seed graph fails by itself"
        return
    yield f"the failure needs {'this change' if len(changes) == 1 else 'these changes'} to the seed graph:"
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
        "seconds": round(summary.seconds, 3),
        "seconds_in_systems": round(summary.seconds_in_systems, 3),
        "findings": [finding_value(found, summary) for found in summary.findings],
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
        "reductions": [
            {
                "case": reduced.number,
                "cause": reduced.cause,
                "file": str(reduced_file(summary.store, finding, reduced)),
                **reduced.figures,
            }
            for reduced in finding.reductions
        ],
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


def junit_text(store: Store, summary: Summary, name: str) -> str:
    """The report in JUnit's format, which CI servers read: each failing case separately, all others as counts.

    A million passing cases are of no use to a CI server, so those of one source are one test case. A failing case has
    its own test case, under its finding. Totals are counted from the written elements, so that they cannot contradict
    them.
    """
    suite = ElementTree.Element("testsuite", name=f"kgprobe {name}", time=f"{summary.seconds:.3f}")
    _add_findings(suite, store, summary)
    _add_left_out(suite, summary)
    _add_others(suite, store, summary.reasons)
    found = Counter(child.tag for case in suite for child in case)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(found["failure"]))
    suite.set("skipped", str(found["skipped"]))
    suite.set("errors", "0")
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_findings(suite: ElementTree.Element, store: Store, summary: Summary) -> None:
    for found in summary.findings:
        signature = found.finding.signature
        for number in store.cases_of(signature, _MOST_FAILURES):
            case = ElementTree.SubElement(suite, "testcase", classname=_safe(signature), name=f"case {number}")
            words = "\n".join(store.words(signature, number))
            if found.known is None:
                ElementTree.SubElement(case, "failure", message=_safe(signature)).text = xml_text(words)
            else:
                ElementTree.SubElement(case, "skipped", message=_safe(f"known bug: {found.known}"))


def _add_left_out(suite: ElementTree.Element, summary: Summary) -> None:
    for name, why in summary.counts.left_out.items():
        case = ElementTree.SubElement(suite, "testcase", classname=_safe(name), name=summary.source.thing)
        ElementTree.SubElement(case, "skipped", message=_safe(f"left out: {why}"))


def _add_others(suite: ElementTree.Element, store: Store, reasons: Mapping[Outcome, Mapping[str, int]]) -> None:
    """One test case for all cases of a source with the same outcome, except failures."""
    sources = store.sources()
    for (source, outcome), count in sorted(store.outcomes_by_source().items()):
        if outcome is Outcome.FAIL:
            continue
        name = f"{number_of(count, 'case')}: {outcome.value}"
        case = ElementTree.SubElement(suite, "testcase", classname=_safe(sources[source].name), name=name)
        if outcome is not Outcome.PASS:
            why = next(iter(reasons.get(outcome, {})), "")  # the most frequent reason
            ElementTree.SubElement(case, "skipped", message=_safe(": ".join(filter(None, [outcome.value, why]))))


def _safe(text: str) -> str:
    return one_line(text)
