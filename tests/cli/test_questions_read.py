"""`kgprobe questions read`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgprobe.cli import question_answers
from kgprobe.errors import InputError


def read(*arguments: str, given: str | None = None) -> str:
    result = CliRunner().invoke(
        question_answers.read, arguments, input=given, catch_exceptions=False, standalone_mode=False
    )
    if result.exception is not None:
        raise result.exception
    return result.output


def test_readings_are_in_the_order_of_the_lines(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    lines = [{"id": "b", "answer": "Non."}, {"id": 7, "answer": "He is.", "question": "Is he?"}, {"answer": ""}]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    readings = json.loads(read(str(file), "--json"))["readings"]
    assert [(each["id"], each["reading"]) for each in readings] == [("b", "no"), (7, "yes"), (3, "undecided")]
    assert all(set(each) == {"id", "reading", "why"} for each in readings)


def test_standard_input_and_plain_output() -> None:
    assert (
        read("-", given='{"id": "a", "answer": "Yes"}\n\n{"answer": "No"}\n')
        == 'a: yes (says "yes")\n3: no (says "no")\n'
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nothing", "is not JSON"),
        ("[]", "is not a JSON object"),
        ("{}", '"answer" is missing'),
        ('{"answer": 1}', '"answer" is not a text'),
        ('{"answer": "x", "question": 1}', '"question" is not a text'),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(f'{{"answer": "No"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read(str(file), "--json")
    assert str(caught.value).startswith(f"{file}:2")
    assert caught.value.exit_code == 2


def test_a_misspelled_reader_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="did you mean 'words'"):
        read(str(file), "--reader", "wrods")
