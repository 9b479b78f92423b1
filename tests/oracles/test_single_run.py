"""The exit status oracle, the shapes of crashes, and user functions as oracles, correct and faulty ones."""

from __future__ import annotations

import functools
import inspect
from pathlib import Path

import pytest

from kgprobe.errors import InputError, UnavailableError
from kgprobe.model import Case, Crash, Observation, Outcome, Status
from kgprobe.oracles.protocol import Observed
from kgprobe.oracles.signatures import stable
from kgprobe.oracles.single_run import ExitStatus, Judgement, Predicate

from .made import CASE, said


def ended(status: Status = Status.FINISHED, exit_code: int | None = None, **more: object) -> Observation:
    return Observation("elk", status, exit_code=exit_code, **more)  # type: ignore[arg-type]  # a test knows what it gives


def crashed(kind: str, *frames: str, message: str = "") -> Observation:
    return ended(Status.CRASHED, crash=Crash(kind, message, frames))


@pytest.mark.parametrize("exit_code", [None, 0])
def test_runs_that_pass(exit_code: int | None) -> None:
    assert ExitStatus().judge(CASE, Observed.of(CASE, [ended(exit_code=exit_code)])).outcome is Outcome.PASS


def test_an_exit_status_that_is_not_allowed() -> None:
    verdict = ExitStatus().judge(CASE, Observed.of(CASE, [ended(exit_code=3, stderr="reading\ncannot read x\n")]))
    assert verdict.outcome is Outcome.FAIL
    assert [failure.signature for failure in verdict.failures] == ["elk: exit status: 3"]
    assert verdict.failures[0].words == ("cannot read x",)
    assert ExitStatus(allowed=(0, 3)).judge(CASE, Observed.of(CASE, [ended(exit_code=3)])).outcome is Outcome.PASS


def test_a_graph_that_is_not_accepted() -> None:
    verdict = ExitStatus(invalid=(2,)).judge(CASE, Observed.of(CASE, [ended(exit_code=2), ended(exit_code=0)]))
    assert verdict.outcome is Outcome.INVALID
    assert verdict.why == "elk does not accept the graph: exit status 2"


def test_an_unreachable_system_is_undecided() -> None:
    verdict = ExitStatus().judge(CASE, Observed.of(CASE, [ended(Status.UNREACHABLE, remark="connection refused")]))
    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.why == "elk could not be reached: connection refused"
    assert ExitStatus().judge(CASE, Observed.of(CASE, [])).outcome is Outcome.UNDECIDED


@pytest.mark.parametrize("status", [Status.TIMED_OUT, Status.OUT_OF_MEMORY])
def test_limits(status: Status) -> None:
    verdict = ExitStatus().judge(CASE, Observed.of(CASE, [ended(status, seconds=60.04), ended(exit_code=0)]))
    assert [failure.signature for failure in verdict.failures] == ["elk: timed out or out of memory"]
    assert verdict.failures[0].words == (f"{status} after 60 s",)


def test_a_failure_outweighs_the_rest() -> None:
    seen = [ended(Status.UNREACHABLE), ended(exit_code=2), ended(exit_code=1), ended(exit_code=0)]
    assert ExitStatus(invalid=(2,)).judge(CASE, Observed.of(CASE, seen)).outcome is Outcome.FAIL


def test_a_crash_shape_has_the_exception_and_three_frames() -> None:
    frames = [
        "java.util.List.get(List.java:1)",
        "org.a.B.c(B.java:12)",
        "org.a.B.c(B.java:12)",
        "org.d.E.f(E.java:1)",
        "g.H.i(H.java)",
    ]
    verdict = ExitStatus().judge(
        CASE, Observed.of(CASE, [crashed("java.lang.NullPointerException", *frames, message="<urn:x>")])
    )
    (failure,) = verdict.failures
    assert failure.signature == "elk: crashed: java.lang.NullPointerException in org.a.B.c < org.d.E.f < g.H.i"
    assert failure.words[:2] == ("java.lang.NullPointerException: <urn:x>", "at java.util.List.get(List.java:1)")


def test_a_crash_with_few_details() -> None:
    signatures = [
        ExitStatus().judge(CASE, Observed.of(CASE, [seen])).failures[0].signature
        for seen in (crashed("SIGSEGV"), ended(Status.CRASHED, 134), ended(Status.CRASHED))
    ]
    assert signatures == ["elk: crashed: SIGSEGV", "elk: crashed: exit status 134", "elk: crashed"]


def test_frames_that_repeat_are_shown_once() -> None:
    seen = crashed("RecursionError", *["a.py:f", "a.py:g"] * 40, "a.py:f", "a.py:main", *["b.py:h"] * 5)
    [failure] = ExitStatus().judge(CASE, Observed.of(CASE, [seen])).failures
    assert failure.words[1:] == (
        *("at a.py:f", "at a.py:g", "these 2 frames 39 more times", "at a.py:f", "at a.py:main"),
        *("at b.py:h", "this frame 4 more times"),
    )
    twice = crashed("KeyError", "a.py:f", "a.py:f", "a.py:main")
    [failure] = ExitStatus().judge(CASE, Observed.of(CASE, [twice])).failures
    assert failure.words[1:] == ("at a.py:f", "at a.py:f", "at a.py:main")


def test_the_start_of_a_cycle_of_frames_does_not_matter() -> None:
    circle = ["a.B.visit", "a.C.accept", "a.D.walk"]
    shapes = {
        ExitStatus()
        .judge(
            CASE,
            Observed.of(CASE, [crashed("java.lang.StackOverflowError", f"java.util.Hash.of{n}", *(circle * 9)[n:])]),
        )
        .failures[0]
        .shape
        for n in range(3)
    }
    assert shapes == {"java.lang.StackOverflowError in a.B.visit < a.C.accept < a.D.walk"}


@pytest.mark.parametrize(
    ("frame", "shape"),
    [
        ("at org.a.B.c(B.java:12)", "org.a.B.c"),
        ("java.base/java.util.ArrayList.get(ArrayList.java:427)", "java.util.ArrayList.get"),
        ("java.base@17.0.2/java.util.ArrayList.get(ArrayList.java:427)", "java.util.ArrayList.get"),
        ("app//org.a.B.<init>(B.java:1)", "org.a.B.<init>"),
        ("org.a.B.lambda$run$3(B.java:5)", "org.a.B.lambda$run"),
        ("org.a.B$$Lambda$14/0x0000000800c8.apply(Unknown Source)", "org.a.B$$Lambda.apply"),
        ("sun.reflect.GeneratedMethodAccessor12.invoke(Unknown Source)", "sun.reflect.GeneratedMethodAccessor.invoke"),
        ("org.a.Base64.decode(Base64.java:9)", "org.a.Base64.decode"),
        ('File "/home/me/lib/python3.11/site-packages/rdflib/graph.py", line 12, in parse', "graph.py parse"),
        ('File "/tmp/pytest-1/x7/tool.py", line 3, in <module>', "… <module>"),
        ("/usr/lib/tool/reader.py:120 in read", "reader.py in read"),
        ("rdflib/graph.py:parse:12", "graph.py:parse"),
        ("#3 0x00007f9a in parse_iri (text=0x5581) at /build/src/parser.c:88:3", "in parse_iri (text=) at parser.c"),
        ("core::option::unwrap_failed::h0123456789abcdef", "core::option::unwrap_failed"),
        ("std::vector<int>::at(std::vector<a::b>) const+0x1f", "std::vector<int>::at(std::vector<a::b>) const"),
        ("resolve <http://example.org/a#b> in 'Anna'", "resolve … in …"),
        ("open C:\\Users\\me\\AppData\\Local\\Temp\\x1\\in.ttl", "open …"),
        ("load http://example.org/a/b at line 7, column 3", "load … at"),
    ],
)
def test_parts_that_vary_between_runs_are_left_out(frame: str, shape: str) -> None:
    assert stable(frame) == shape
    assert stable(shape) == shape


def test_lines_addresses_folders_and_names_do_not_matter() -> None:
    one = crashed("ValueError", 'File "/tmp/a1/tool.py", line 3, in f', "g at 0x7ff1 <http://a.org/x>", "h:12")
    other = crashed("ValueError", 'File "/tmp/b2/tool.py", line 9, in f', "g at 0x1234 <http://b.org/y>", "h:99")
    third = crashed("ValueError", 'File "/tmp/b2/tool.py", line 9, in k', "g at 0x1234 <http://b.org/y>", "h:99")
    shapes = [ExitStatus().judge(CASE, Observed.of(CASE, [seen])).failures[0].shape for seen in (one, other, third)]
    assert shapes[0] == shapes[1] != shapes[2]


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

    async def later(_case: Case, _seen: Observation) -> Judgement:
        return answer

    assert Predicate(later, "few").judge(CASE, Observed.of(CASE, [said("tool", 5)])) == verdict  # type: ignore[arg-type]


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
    assert (Path(caught.value.where.file).name, caught.value.where.line) == ("test_single_run.py", line)


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
