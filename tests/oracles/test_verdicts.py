"""Combined verdicts of several oracles and of several runs, and known bugs."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.model import Case, Failure, Outcome, Verdict
from kgprobe.oracles.protocol import Observed, Oracle, judged, majority, merged, the_case_itself
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.oracles.single_run import ExitStatus

from .made import CASE

PASS, INVALID = Verdict(Outcome.PASS), Verdict(Outcome.INVALID, "not accepted")
UNDECIDED = Verdict(Outcome.UNDECIDED, "unclear")


def failed(*shapes: str, words: tuple[str, ...] = ()) -> Verdict:
    return Verdict(Outcome.FAIL, failures=tuple(Failure("s", "k", shape, words) for shape in shapes))


class Always:
    compares_systems = False
    needs = the_case_itself

    def __init__(self, verdict: Verdict) -> None:
        self.name = "always"
        self._verdict = verdict

    def judge(self, case: Case, observed: Observed) -> Verdict:  # noqa: ARG002 - it has made up its mind
        return self._verdict


# -- several oracles -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(itertools.permutations([failed("a"), INVALID, UNDECIDED, PASS])))
def test_the_most_severe_outcome_wins(order: tuple[Verdict, ...]) -> None:
    assert merged(order) == failed("a")
    rest = [verdict for verdict in order if verdict.outcome is not Outcome.FAIL]
    assert merged(rest) == INVALID
    assert merged([verdict for verdict in rest if verdict != INVALID]) == UNDECIDED


def test_failures_of_all_oracles_each_once() -> None:
    oracles: list[Oracle] = [Always(failed("a", "b", words=("first",))), ExitStatus(), Always(failed("b", "c"))]
    verdict = judged(oracles, CASE, Observed.of(CASE, []))
    assert [(failure.shape, failure.words) for failure in verdict.failures] == [
        ("a", ("first",)),
        ("b", ("first",)),
        ("c", ()),
    ]


def test_reasons_each_once() -> None:
    assert merged([UNDECIDED, UNDECIDED, Verdict(Outcome.UNDECIDED, "dark"), PASS]).why == "unclear; dark"


def test_without_an_oracle_it_is_undecided() -> None:
    assert judged([], CASE, Observed.of(CASE, [])) == Verdict(Outcome.UNDECIDED, "there is no oracle")
    assert judged([Always(PASS)], CASE, Observed.of(CASE, [])) == PASS


# -- several runs ----------------------------------------------------------------------------------------------------


def test_most_runs_decide() -> None:
    verdict = majority([failed("a"), PASS, failed("a", "b"), failed("a"), failed("a")])
    assert verdict.outcome is Outcome.FAIL
    assert [(failure.shape, failure.words) for failure in verdict.failures] == [("a", ("in 4 of 5 runs",))]
    assert majority([PASS, PASS, failed("a")]) == Verdict(Outcome.PASS, "in 2 of 3 runs")
    assert majority([UNDECIDED, UNDECIDED, PASS]) == Verdict(Outcome.UNDECIDED, "unclear, in 2 of 3 runs")


def test_the_most_frequent_failure_remains_if_none_has_a_majority() -> None:
    verdict = majority([failed("b"), failed("a"), failed("b"), failed("c"), PASS])
    assert [(failure.shape, failure.words) for failure in verdict.failures] == [("b", ("in 2 of 5 runs",))]


def test_runs_that_disagree_are_undecided() -> None:
    verdict = majority([PASS, failed("a"), failed("b"), PASS, INVALID])
    assert verdict == Verdict(Outcome.UNDECIDED, "the runs do not agree: 2 pass, 2 fail, 1 invalid input")
    assert majority([]) == Verdict(Outcome.UNDECIDED, "nothing was run")


def test_one_run_decides_alone() -> None:
    assert majority([failed("a")]) == failed("a")


verdicts = st.one_of(
    st.sampled_from([PASS, INVALID, UNDECIDED, Verdict(Outcome.UNDECIDED, "dark")]),
    st.builds(
        lambda shapes, word: failed(*shapes, words=(word,)),
        st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True),
        st.sampled_from("xy"),
    ),
)


@settings(deadline=None)
@given(st.lists(verdicts, max_size=7), st.randoms(use_true_random=False))
def test_the_order_of_runs_does_not_matter(runs: list[Verdict], random: object) -> None:
    shuffled = list(runs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert majority(shuffled) == majority(runs)


@settings(deadline=None)
@given(st.lists(verdicts, min_size=1, max_size=7))
def test_exactly_the_failing_verdicts_have_failures(runs: list[Verdict]) -> None:
    for verdict in (majority(runs), merged(runs)):
        assert bool(verdict.failures) is (verdict.outcome is Outcome.FAIL)
        signatures = [failure.signature for failure in verdict.failures]
        assert len(signatures) == len(set(signatures))


# -- bugs that are known ---------------------------------------------------------------------------------------------


def test_known_bugs_are_found_by_their_signature() -> None:
    known = KnownBugs(
        [("elk: misses: *", "issue 1"), ("*: crashed: Error in a[0].*", "issue 2"), ("elk: *", "issue 3")]
    )
    assert known.note_for("elk: misses: subclass") == "issue 1"
    assert known.note_for("hermit: crashed: Error in a[0].b < c") == "issue 2"
    assert known.note_for("hermit: crashed: Error in a0.b < c") is None
    assert known.note_for("ELK: misses: subclass") is None
    assert known.note_for("new elk: misses: subclass") is None
    assert known.never_matched(["elk: misses: subclass"]) == ["*: crashed: Error in a[0].*"]
    assert known.never_matched([]) == [pattern for pattern, _ in known.patterns]


def test_no_known_bugs() -> None:
    assert KnownBugs([]).note_for("elk: misses: subclass") is None
    assert KnownBugs([("", "note")]).note_for("x") is None


@settings(deadline=None)
@given(st.text(max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_a_signature_matches_itself_with_a_wildcard_anywhere(signature: str, start: int, end: int) -> None:
    pattern = signature[:start] + "*" + signature[max(start, end) :]
    assert KnownBugs([(signature, "whole"), (pattern, "part")]).never_matched([signature]) == []
