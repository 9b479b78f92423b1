"""User functions as oracles, correct and faulty ones."""

from __future__ import annotations

import functools
import inspect
from pathlib import Path

import pytest

from kgprobe.errors import InputError, UnavailableError
from kgprobe.model import Case, Observation, Outcome, Status
from kgprobe.oracles.protocol import Observed
from kgprobe.oracles.single_run import Judgement, Predicate

from .made import CASE, said


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        (True, Outcome.PASS, ()),
        (None, Outcome.UNDECIDED, ()),
        (False, Outcome.FAIL, ("the predicate 'few' does not hold",)),
        ("there are 5\nnot 3", Outcome.FAIL, ("there are 5", "not 3")),
        ("", Outcome.FAIL, ("the predicate 'few' does not hold",)),
    ],
)
def test_allowed_results_of_a_function(answer: Judgement, outcome: Outcome, words: tuple[str, ...]) -> None:
    verdict = Predicate(lambda _case, _seen: answer, "few").judge(CASE, Observed.of(CASE, [said("tool", 5)]))
    assert verdict.outcome is outcome
    assert [failure.words for failure in verdict.failures] == ([words] if words else [])
    assert all(failure.signature == "tool: predicate: few" for failure in verdict.failures)


def test_a_function_judges_finished_runs_only() -> None:
    called: list[tuple[str, str]] = []

    def note(case: Case, seen: Observation) -> bool:
        called.append((case.name, seen.system))
        return True

    observed = [said("a", 1), Observation("b", Status.CRASHED), said("c", None)]
    assert Predicate(note, "note").judge(CASE, Observed.of(CASE, observed)).outcome is Outcome.UNDECIDED
    assert called == [("case", "a"), ("case", "c")]


def wrong(_case: Case, seen: Observation) -> bool:
    missing = {"a": 1}[seen.system]
    return bool(missing)


class Wrong:
    def __call__(self, case: Case, seen: Observation) -> bool:
        return wrong(case, seen)


@pytest.mark.parametrize("function", [wrong, functools.partial(wrong), Wrong()])
def test_an_exception_in_the_function_is_an_input_error(function: object) -> None:
    line = inspect.getsourcelines(wrong)[1] + 1
    with pytest.raises(InputError) as caught:
        Predicate(function, "few").judge(CASE, Observed.of(CASE, [said("tool", 5)]))  # type: ignore[arg-type]  # one of three kinds
    assert caught.value.message == "the predicate 'few' failed: KeyError: 'tool'"
    assert caught.value.where is not None
    assert (Path(caught.value.where.file).name, caught.value.where.line) == ("test_predicate.py", line)


def test_a_function_that_is_not_written_in_python() -> None:
    with pytest.raises(InputError, match="the predicate 'max' failed: TypeError"):
        Predicate(max, "max").judge(CASE, Observed.of(CASE, [said("tool", 5)]))  # type: ignore[arg-type]  # that is the mistake


def test_a_function_that_returns_another_type_is_an_input_error() -> None:
    with pytest.raises(InputError, match=r"returned \[5\] \(it must return True, False, None or a text"):
        Predicate(lambda _case, seen: [seen.value], "few").judge(CASE, Observed.of(CASE, [said("tool", 5)]))  # type: ignore[arg-type, return-value]


def test_kgprobe_errors_propagate_unchanged() -> None:
    def unavailable(_case: Case, _seen: Observation) -> bool:
        raise UnavailableError("no reasoner")

    with pytest.raises(UnavailableError, match="no reasoner"):
        Predicate(unavailable, "few").judge(CASE, Observed.of(CASE, [said("tool", 5)]))


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("a segment was missed: :seg3", "a segment was missed"),
        ("too slow, again: more than a second", "too slow, again"),
        ("non-monotone: an answer is gone", "non-monotone"),
        ("the robot's arm (left): stuck", "the robot's arm (left)"),
        ("réponse fausse: x", "réponse fausse"),
        ("took 17 steps: too many", "took … steps"),
        ("<http://example.org/a> and ex:b overlap: both", "… and … overlap"),
        ("'name' is missing: x", "… is missing"),
        ("http://example.org/a: wrong", ""),
        ("segment_3: wrong", ""),
        ("no kind at all", ""),
        (f"{'very ' * 40}long: x", ""),
    ],
)
def test_the_kind_is_the_text_before_the_first_colon(words: str, kind: str) -> None:
    [failure] = Predicate(lambda _case, _seen: words, "few").judge(CASE, Observed.of(CASE, [said("tool", 5)])).failures
    assert failure.shape == (f"few: {kind}" if kind else "few")
    assert failure.words == (words,)
