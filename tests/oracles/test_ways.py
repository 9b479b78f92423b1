"""Recognising the same failure on another graph."""

from __future__ import annotations

from dataclasses import replace
from tempfile import gettempdir

import pytest
from support.turtle import graph_of

from kgprobe.model import Case, Crash, Observation, Place, Status
from kgprobe.oracles.protocol import Observed
from kgprobe.oracles.signatures import are_alike, blanked, names_in_messages, way_of
from kgprobe.oracles.single_run import ExitStatus, OutputQuery, Predicate

from .made import said as answered

GRAPH = graph_of(
    ':latte a :Coffee ; rdfs:label "Flat white" ; :price 3.5 . :mocha a :Coffee .'
    ":new-6b86b273-3 a :Tea . :new-6b86b273-14 a :Tea ."
)
SMALL = graph_of(':a a :A ; rdfs:label "" ; :p 0 .')
NAMES = names_in_messages(GRAPH) | names_in_messages(SMALL)


def crashed(kind: str, message: str, line: int | None = 7, stderr: str = "") -> Observation:
    place = None if line is None else Place("/x/menu.py", line)
    return Observation("tool", Status.CRASHED, crash=Crash(kind, message, ("menu.py:f",), place), stderr=stderr)


def said(text: str, *, code: int = 1, stdout: str = "") -> Observation:
    return Observation("tool", Status.FINISHED, exit_code=code, stderr=text, stdout=stdout)


def is_same(one: Observation, other: Observation) -> bool:
    return are_alike(way_of(one), way_of(other), lambda: NAMES)


SAME = [
    ("KeyError", "'latte'", "'a'"),
    ("KeyError", "NamedNode('https://example.org/#latte')", "NamedNode('https://example.org/#a')"),
    ("ValueError", "no price for latte", "no price for a"),
    ("ValueError", "a price for latte is missing", "a price for a is missing"),
    ("ValueError", "no price for cafe:latte", "no price for :a"),
    ("ValueError", "too many: [latte, mocha]", "too many: [a]"),
    ("ValueError", "too many: ['latte', 'mocha']", "too many: ['a']"),
    ("ValueError", "too many: latte, new-6b86b273-3, new-6b86b273-14", "too many: a"),
    ("ValueError", "latte and mocha cost 3.50 and -4e9", "a and a cost 0 and 0"),
    ("ValueError", "Flat white has no size", "a has no size"),
    (
        "ValueError",
        "not enough values to unpack (expected 2, got 1)",
        "not enough values to unpack (expected 3, got 0)",
    ),
    ("OSError", f"{gettempdir()}/kgprobe-x1/graph.ttl is odd", f"{gettempdir()}/kgprobe-y2/graph.ttl is odd"),
    ("RuntimeError", "object at 0x7f001122 of _:b12", "object at 0x7fffffff of _:genid7"),
]
OTHER = [
    ("TypeError", "'NoneType' object is not subscriptable", "float() argument must be a string or a real number"),
    ("TypeError", "'NoneType' object is not subscriptable", "'float' object is not subscriptable"),
    ("AttributeError", "'str' object has no attribute 'price'", "'str' object has no attribute 'size'"),
    ("ValueError", "no price for latte", "no size for latte"),
    ("ValueError", "nothing but latte", "nothing but tea"),
]


@pytest.mark.parametrize(("kind", "one", "other"), SAME)
def test_names_and_numbers_do_not_matter(kind: str, one: str, other: str) -> None:
    assert is_same(crashed(kind, one), crashed(kind, other))


@pytest.mark.parametrize(("kind", "one", "other"), OTHER)
def test_other_differences_in_messages_matter(kind: str, one: str, other: str) -> None:
    assert not is_same(crashed(kind, one), crashed(kind, other))


def test_the_line_of_the_users_code_matters() -> None:
    assert not is_same(crashed("KeyError", "'x'", 7), crashed("KeyError", "'x'", 8))
    assert is_same(crashed("KeyError", "'x'", None), crashed("KeyError", "'x'", None))
    # The depth at which the stack overflows is arbitrary.
    assert is_same(crashed("RecursionError", "too deep", 7), crashed("RecursionError", "too deep", 8))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("reading latte\nerror: no price for latte\n", "error: no price for a\n", True),
        ("error: no price for latte\n", "error: no size for latte\n", False),
        ("error: bad\nsee the manual\n", "error: bad\nsee the manual\n", True),
        ("thread 'main' panicked at src/main.rs:5:10:\nindex 7 is out of bounds\nnote: run with x=1\n",
         "thread 'main' panicked at src/main.rs:5:10:\nindex 2 is out of bounds\nnote: run with x=1\n", True),
        ("thread 'main' panicked at src/main.rs:5:10:\nindex 7 is out of bounds\nnote: run with x=1\n",
         "thread 'main' panicked at src/main.rs:5:10:\nattempt to divide by zero\nnote: run with x=1\n", False),
        ("2026-01-02 10:11:12,345 ERROR odd\n", "2027-03-04 01:02:03,999 ERROR odd\n", True),
        ("", "", True),
        ("broken", "", False),
    ],
)  # fmt: skip
def test_programs_without_exceptions_are_recognised_by_their_last_error_message(
    one: str, other: str, same: bool
) -> None:
    assert is_same(said(one), said(other)) is same


def test_error_messages_on_standard_output_and_in_answers() -> None:
    assert not is_same(said("", stdout="1\nError: no price"), said("", stdout="1\n2\nError: no size"))
    assert is_same(said("", stdout="1\nresult 5"), said("", stdout="2 results"))
    texts = ("no price for latte", "no price for a", "no size for latte")
    answers = [Observation("s", Status.FINISHED, exit_code=500, value={"detail": text}) for text in texts]
    assert is_same(answers[0], answers[1])
    assert not is_same(answers[0], answers[2])


def test_all_failing_oracles_state_the_way() -> None:
    case = Case.of_graph("c", GRAPH)
    wrote = Observation("tool", Status.FINISHED, output=b"<a")
    failures = [
        ExitStatus().judge(case, Observed.of(case, [crashed("KeyError", "'latte'")])).failures,
        ExitStatus().judge(case, Observed.of(case, [said("error: odd")])).failures,
        ExitStatus()
        .judge(case, Observed.of(case, [replace(crashed("KeyError", "x y"), status=Status.FINISHED, exit_code=500)]))
        .failures,
        Predicate(lambda _case, _seen: "no price for latte", "p")
        .judge(case, Observed.of(case, [answered("tool", 1)]))
        .failures,
        OutputQuery("ASK {}").judge(case, Observed.of(case, [wrote])).failures,
    ]
    assert [failure.way.message for [failure] in failures][:4] == ["…", "error: odd", "x y", "no price for latte"]
    assert failures[0][0].way.place == "menu.py:7"
    assert all(failure.way.message for [failure] in failures)


def test_a_message_of_any_length_is_blanked_in_bounded_time() -> None:
    assert len(blanked("'x' [" * 200_000 + "\n" * 1000)) < 20_000
