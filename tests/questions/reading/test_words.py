"""The reader `words` on tables of answers."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.questions.reading import read_answer
from kgprobe.questions.reading.languages import languages

PIECES = [
    "yes",
    "No",
    "not",
    "false.",
    "<think>",
    "</think>",
    "{",
    "}",
    '"answer":',
    "\\boxed{",
    "```",
    "?",
    "是",
    "Answer:",
    "wait,",
]


def _groups(*names: str) -> list[dict[str, Any]]:
    return [
        group
        for name in names
        for group in tomllib.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))["groups"]
    ]


TABLE = _groups("answers.toml", "chat_answers.toml", "more_answers.toml")
HARD = _groups("opposite_answers.toml")
"""Answers that can be taken for their opposite."""


@pytest.mark.parametrize("group", TABLE + HARD, ids=lambda group: group["name"])
def test_answers_are_read(group: dict[str, Any]) -> None:
    read = {answer: read_answer(answer, group["question"]).decision for answer, *_ in group["answers"]}
    assert read == {answer: readings[-1] for answer, *readings in group["answers"]}


def test_few_answers_are_undecided_where_a_person_decides() -> None:
    """An answer that is read otherwise than a person reads it is undecided, and there are few of them."""
    others = [readings for group in TABLE for _, *readings in group["answers"] if len(readings) > 1]
    assert all(read == "undecided" for _, read in others)
    assert len(others) < 0.025 * sum(len(group["answers"]) for group in TABLE)


def test_no_answer_is_read_as_its_opposite() -> None:
    """In hard answers, much is undecided; what decides although a person would not is rare."""
    others = [readings for group in HARD for _, *readings in group["answers"] if len(readings) > 1]
    assert Counter(read for meant, read in others if meant != "undecided").keys() == {"undecided"}
    assert sum(meant == "undecided" for meant, _ in others) < 0.03 * sum(len(group["answers"]) for group in HARD)


def test_the_table_is_large() -> None:
    readings = Counter(reading for group in TABLE for _, reading, *_ in group["answers"])
    assert readings.total() > 3_900
    assert min(readings[each] for each in ("yes", "no", "undecided")) > 600


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from([*PIECES, "\u0000", "\ud800"]) | st.text(max_size=8), max_size=40).map(" ".join), st.text()
)
def test_any_text_is_read(answer: str, question: str) -> None:
    assert read_answer(answer, question).decision in ("yes", "no", "undecided")


@settings(max_examples=300)
@given(st.data())
def test_sentences_of_the_words_of_a_language_are_read(data: st.DataObject) -> None:
    language = data.draw(st.sampled_from([*languages().values(), languages()["en"]]))
    phrases = sorted({" ".join(phrase) for phrase in language.phrases} | language.subjects | language.verbs)
    marks = st.sampled_from([". ", ", ", "; ", ": ", "? ", "\n", " ", " (", ") ", " → ", "| "])
    words = st.sampled_from([*phrases, "Lyon", "France", "a place in"])
    answer = "".join(word + mark for word, mark in data.draw(st.lists(st.tuples(words, marks), max_size=9)))
    assert read_answer(answer, "Is Lyon a place in France?").decision in ("yes", "no", "undecided")


def test_an_objection_that_repeats_the_answer_is_read() -> None:
    assert read_answer("That is true, but in fact it is.", "Is Lyon a place in France?").decision == "yes"


@pytest.mark.parametrize(
    "text",
    [
        "(",
        "no ",
        "not ",
        "{",
        "<think>",
        "a\n",
        "是",
        "\\boxed{",
        "_",
        "*",
        "# ",
        "> ",
        "<  ",
        "[[ ",
        "``` ",
        "yes or ",
        "**Answer: ",
        "Q: ",
    ],
)
def test_a_long_text_takes_little_time(text: str) -> None:
    assert read_answer(text * (100_000 // len(text)), "Is Ada the author of it?").decision in ("yes", "no", "undecided")
