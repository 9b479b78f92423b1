"""The score of a test suite, as text, as JSON, and in JUnit's format."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby
from typing import Any

from kgprobe.errors import one_line, visible
from kgprobe.report.junit import JUnitCase, JUnitOutcome, junit_text
from kgprobe.suite_score.model import Fate, Outcome, Score, Survivor
from kgprobe.wording import number_of

__all__ = ["score_as_json", "score_as_junit", "score_lines"]

_MOST_SURVIVORS = 30
_MOST_TESTS = 20
_MOST_REASONS = 3


def score_lines(found: Score) -> Iterator[str]:
    """The score as lines of text. Lists are cut; JSON has all of their items."""
    yield _headline(found)
    yield (
        f"  {number_of(found.mutants, 'mutant')}: {found.killed:,} killed, {found.survived:,} survived, "
        f"{found.equivalent:,} equivalent, {found.undecided:,} undecided"
    )
    if found.inconsistent:
        yield f"  {found.inconsistent:,} of the killed ones are inconsistent"
    yield (
        f"  {number_of(len(found.tests), 'test')}, {number_of(found.executions, 'execution')}; "
        f"without selection {found.executions_without_selection:,}"
    )
    for why, count in found.reasons[:_MOST_REASONS]:
        yield f"  undecided: {number_of(count, 'mutant')}: {why}"
    if len(found.reasons) > _MOST_REASONS:
        yield f"  and {len(found.reasons) - _MOST_REASONS:,} more reasons"
    # Names and labels come from files, and may contain anything.
    yield from map(visible, chain(_left_out(found), _idle(found), _survivors(found)))


def _headline(found: Score) -> str:
    if found.score is not None:
        return f"Score: {found.score:.1f} % of the mutants are killed"
    return "NO SCORE: no mutant was killed, and none survived"


def _left_out(found: Score) -> Iterator[str]:
    if found.left_out:
        yield ""
        yield f"NOT RUN, and not counted: {number_of(len(found.left_out), 'test')}"
        yield from (f"  {left.test}: {one_line(left.why)}" for left in found.left_out[:_MOST_TESTS])
        yield from _more(len(found.left_out), _MOST_TESTS)


def _idle(found: Score) -> Iterator[str]:
    if found.idle and found.mutants:
        yield ""
        what = "Tests that kill nothing" if found.is_complete else "Tests that were never the first to kill"
        more = "" if found.is_complete else " (--all-kills runs all tests)"
        yield f"{what}: {len(found.idle):,}{more}"
        yield from (f"  {name}" for name in found.idle[:_MOST_TESTS])
        yield from _more(len(found.idle), _MOST_TESTS)


def _survivors(found: Score) -> Iterator[str]:
    """The survivors by what they are about and by the type of axiom, each with a query that would kill it."""
    if not found.survivors:
        return
    yield ""
    yield f"No test notices these changes: {len(found.survivors):,}. A query that would, for each:"

    def place(each: Survivor) -> tuple[str, str]:
        return each.about, each.axiom

    for (about, axiom), group in groupby(found.survivors[:_MOST_SURVIVORS], place):
        yield f"  {_local(about)}, {axiom}"
        for score in group:
            yield f"    {score.change}"
            yield f"      {score.suggestion or 'no query was found that tells the two apart'}"
    yield from _more(len(found.survivors), _MOST_SURVIVORS)


def _more(count: int, most: int) -> Iterator[str]:
    if count > most:
        yield f"  and {count - most:,} more"


def _local(iri: str) -> str:
    return iri.rstrip("/#").replace("#", "/").rpartition("/")[2] or iri


def score_as_json(found: Score) -> dict[str, Any]:
    """The score as JSON."""
    return {
        "mutants": found.mutants,
        "killed": found.killed,
        "survived": found.survived,
        "equivalent": found.equivalent,
        "undecided": found.undecided,
        "score": found.score,
        "tests": [{"name": test.name, "kills": test.kills, "runs": test.runs} for test in found.tests],
        "survivors": [
            {
                "change": survivor.change,
                "axiom": survivor.axiom,
                "about": survivor.about,
                "suggestion": survivor.suggestion,
            }
            for survivor in found.survivors
        ],
        "executions": found.executions,
        "executions_without_selection": found.executions_without_selection,
    }


def score_as_junit(found: Score, name: str) -> str:
    """Each mutant as a test case: one that survived is a failure, one that does not count is skipped."""
    suggestions = {(survivor.change, survivor.axiom): survivor.suggestion for survivor in found.survivors}

    def case(outcome: Outcome) -> JUnitCase:
        if outcome.fate is Fate.SURVIVED:
            text = suggestions.get((outcome.change, outcome.axiom)) or ""
            message = "no test notices this change"
            return JUnitCase(outcome.axiom, outcome.change, JUnitOutcome.FAILED, message, text)
        if outcome.fate is Fate.KILLED:
            by = ", ".join(outcome.killers) or outcome.why
            return JUnitCase(outcome.axiom, outcome.change, text=f"killed: {by}")
        message = ": ".join(filter(None, [outcome.fate.value, outcome.why]))
        return JUnitCase(outcome.axiom, outcome.change, JUnitOutcome.SKIPPED, message)

    return junit_text(f"score {name}", map(case, found.outcomes))
