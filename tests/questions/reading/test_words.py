"""The reader `words` on a table of answers."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgprobe.questions.reading import read_answer

OPPOSITE = {"yes": "no", "no": "yes"}


def table(name: str) -> Iterator[tuple[str, str, str]]:
    """Question, answer and reading."""
    content = tomllib.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
    for group in content["groups"]:
        for answer, reading in group["answers"]:
            yield group["question"], answer, reading


@pytest.mark.parametrize(("question", "answer", "reading"), list(table("answers.toml")))
def test_an_answer_is_read(question: str, answer: str, reading: str) -> None:
    assert read_answer(answer, question).decision == reading


@pytest.mark.parametrize(
    "text", ["(", "no ", "not ", "{", "<think>", "a\n", "是", "\\boxed{", "yes or ", "**Answer: ", "Q: "]
)
def test_a_long_text_takes_little_time(text: str) -> None:
    assert read_answer(text * (100_000 // len(text)), "Is Ada the author of it?").decision in ("yes", "no", "undecided")
