"""Cases of inference testing as values and as lines of JSON."""

from __future__ import annotations

import json

import pytest

from kgprobe.errors import InputError, Position
from kgprobe.questions.cases import Claim, Question, QuestionCase, case_of_line, line_of

CASE = QuestionCase(
    "transitive-1",
    "transitive",
    ("http://e.org/contains",),
    (("http://e.org/a", "http://e.org/contains", "http://e.org/b"),),
    (Question("Is B\n{x} a place in A?", "yes", claim=Claim("http://e.org/a", ("http://e.org/contains",), "b")),),
    (
        Question("Is C a place in A?", "yes", "B is a place in A.", None, "basic", "because"),
        Question("Which is it?", "C", form="choice", right=("C",), wrong=("D", "E"), kind="basic", why="so"),
    ),
    is_mined=True,
)
WHERE = Position("cases.jsonl", 2)


def test_a_case_survives_a_line_of_json() -> None:
    line = line_of(CASE)
    assert "\n" not in line
    assert case_of_line(line, WHERE) == CASE


def test_the_input_has_all_that_a_system_and_an_oracle_need() -> None:
    given = CASE.input
    assert [prompt.text for prompt in given.premises] == ["Is B\n{x} a place in A?"]
    assert [prompt.right for prompt in given.conclusions] == [(), ("C",)]
    assert given.is_mined


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not an object"),
        ("{}", "'id' is missing"),
        (json.dumps({**json.loads(line_of(CASE)), "facts": [["a", "b"]]}), "not a case"),
        (json.dumps({**json.loads(line_of(CASE)), "relations": "x"}), "'x' is not a list"),
        (json.dumps({**json.loads(line_of(CASE)), "antecedents": [1]}), "a question is not an object"),
    ],
)
def test_a_broken_line_is_named(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        case_of_line(line, WHERE)
    assert caught.value.where == WHERE
