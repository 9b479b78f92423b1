"""Files of cases: read case by case, and refused with their lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from kgprobe.errors import InputError
from kgprobe.questions.cases import open_cases, value_of

from .cities import made


def case(number: int, **more: Any) -> dict[str, Any]:
    """A case as JSON."""
    claim = {"subject": "urn:a", "path": ["urn:in"], "object": "urn:b"}
    question = {"question": f"Is a{number} in b?", "context": "", "expected": "yes", "claim": claim}
    return {
        "id": f"case-{number}",
        "rule": "transitive",
        "relations": ["urn:in"],
        "facts": [["urn:a", "urn:in", "urn:b"]],
        "antecedents": [question],
        "consequences": [{**question, "claim": None, "kind": "basic", "why": "it follows", "context": '“ü\n"'}],
        **more,
    }


def lines(*cases: Any) -> str:
    return "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in cases)


def test_cases_are_counted_and_read_from_anywhere(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("\ufeff" + lines(case(0), "", case(1), case(2)))
    cases = open_cases(file)
    assert cases.total == 3
    assert [each.id for each in cases.starting_at(0)] == ["case-0", "case-1", "case-2"]
    assert [each.id for each in cases.starting_at(2)] == ["case-2"]
    assert list(cases.starting_at(3)) == []
    assert value_of(next(cases.starting_at(1))) == case(1)


def test_parquet_has_the_same_cases(tmp_path: Path) -> None:
    source, target = tmp_path / "cases.jsonl", tmp_path / "cases.parquet"
    source.write_text(lines(*map(case, range(5))))
    duckdb.read_json(str(source)).write_parquet(str(target))
    cases = open_cases(target)
    assert cases.total == 5
    assert [value_of(each) for each in cases.starting_at(2)] == [case(2), case(3), case(4)]
    as_text = tmp_path / "text.parquet"
    columns = ", ".join(f"to_json({name})::VARCHAR AS {name}" for name in ("facts", "antecedents", "consequences"))
    duckdb.read_json(str(source)).project(f"id, rule, relations, {columns}").write_parquet(str(as_text))
    assert [value_of(each) for each in open_cases(as_text).starting_at(0)] == [case(n) for n in range(5)]


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("3", "not an object"),
        ({}, "'id' is missing"),
        (case(1, id=3), "3 is not a text"),
        (case(0), "two cases have the id 'case-0'"),
        (case(1, consequences=[]), "no consequences"),
        (case(1, facts=[["a", "b"]]), "not a case"),
        (case(1, facts=3), "3 is not a list"),
        (case(1, antecedents=[3]), "a question is not an object"),
        (case(1, antecedents=[{**case(1)["antecedents"][0], "expected": "maybe"}]), "'maybe' is not yes or no"),
        (case(1, antecedents=[{**case(1)["antecedents"][0], "form": "opn"}]), "the form 'opn'"),
        (case(1, antecedents=[{**case(1)["antecedents"][0], "form": "open"}]), "has no right answer"),
        (case(1, antecedents=[{**case(1)["antecedents"][0], "kind": "other"}]), "the kind 'other'"),
        (case(1, antecedents=[{**case(1)["antecedents"][0], "claim": 3}]), "not a case"),
        (case(1, antecedents=[{**case(1)["antecedents"][0], "question": "\ud800"}]), "not a case"),
    ],
)
def test_a_broken_line_is_told(tmp_path: Path, second: Any, told: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(lines(case(0), second))
    with pytest.raises(InputError) as caught:
        open_cases(file)
    assert str(caught.value).startswith(f"{file}:2: ")
    assert told in str(caught.value)


def test_files_that_hold_no_cases(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(lines(case(0)).encode() + b"\xe9\n")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    duckdb.sql(f"COPY (SELECT 1 AS id) TO '{tmp_path}/other.parquet' (FORMAT parquet)")
    duckdb.sql(
        "COPY (SELECT 'x' AS id, 'r' AS rule, ['a'] AS relations, '{' AS facts, '[]' AS antecedents,"
        f" '[]' AS consequences) TO '{tmp_path}/json.parquet' (FORMAT parquet)"
    )
    for name, told in (
        ("none.jsonl", "no such file"),
        (".", "is a folder"),
        ("latin.jsonl", "latin.jsonl:2: is not UTF-8"),
        ("broken.parquet", "is not a Parquet file"),
        ("other.parquet", "no column 'rule'"),
        ("json.parquet", "row 1 is not a case"),
    ):
        with pytest.raises(InputError, match=told):
            open_cases(tmp_path / name)
    (tmp_path / "empty.jsonl").write_text("")
    assert open_cases(tmp_path / "empty.jsonl").total == 0


def test_cases_that_were_written_are_read_back(tmp_path: Path) -> None:
    with made(tmp_path, closed=("contains",)) as generated:
        expected = [value_of(each) for each in generated.cases]
        for name in ("cases.jsonl", "cases.parquet"):
            generated.write(tmp_path / name)
    for name in ("cases.jsonl", "cases.parquet"):
        cases = open_cases(tmp_path / name)
        assert cases.total == len(expected) > 20
        assert [value_of(each) for each in cases.starting_at(0)] == expected
        assert [value_of(each) for each in cases.starting_at(7)] == expected[7:]


@pytest.mark.parametrize("name", ["cases.jsonl", "cases.parquet"])
def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, name: str) -> None:
    with made(tmp_path) as generated, pytest.raises(InputError, match=f"{name}: cannot be written"):
        generated.write(tmp_path / "no folder" / name)


@pytest.mark.parametrize("forms", [("yes-no",), ("choice", "open")])
@pytest.mark.parametrize("context", ["premises", "distractors"])
def test_all_forms_and_contexts_are_read_back(tmp_path: Path, forms: tuple[str, ...], context: str) -> None:
    with made(tmp_path, closed=("contains",), forms=forms, context=context, unique_names=True) as generated:
        expected = [value_of(each) for each in generated.cases]
        for name in ("cases.jsonl", "cases.parquet"):
            generated.write(tmp_path / name)
    for name in ("cases.jsonl", "cases.parquet"):
        assert [value_of(each) for each in open_cases(tmp_path / name).starting_at(0)] == expected
