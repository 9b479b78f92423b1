"""`kgprobe check`: what it prints, and what it exits with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgprobe.cli import app

GRAPH = "@prefix ex: <http://example.org/> . ex:a ex:p 1 . ex:b ex:q ex:a ."
SHAPES = """@prefix ex: <http://example.org/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
ex:S sh:targetSubjectsOf ex:p ; sh:property [ sh:path ex:p ; sh:minCount 2 ] .
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "g.ttl": GRAPH,
        "two.ttl": SHAPES,
        "one.ttl": SHAPES.replace("2", "1"),
        "empty.ttl": "",
        "yes.rq": "ASK { ?s ex:p 1 }",
        "no.sparql": "ASK { ?s ex:p 2 }",
        "bad.rq": "ASK {",
        "pinned.ttl": "@prefix ex: <http://example.org/> . ex:a ex:p 1 .",
        "unpinned.ttl": "@prefix ex: <http://example.org/> . ex:a ex:p 3 .",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(app.COMMANDS, "check", "kgprobe.cli.check")


@pytest.mark.parametrize(
    ("options", "code", "lines"),
    [
        ("--mask one.ttl --mask yes.rq --pin pinned.ttl", 0, ["g.ttl: admissible"]),
        ("--mask empty.ttl", 0, ["g.ttl: admissible"]),
        (
            "--mask two.ttl --mask no.sparql --mask one.ttl --pin unpinned.ttl",
            1,
            [
                "g.ttl: not admissible",
                '  unpinned.ttl: ex:a ex:p "3"^^<http://www.w3.org/2001/XMLSchema#integer> is pinned, and is not there',
                "  no.sparql: the answer to the query is false",
                "  two.ttl: ex:a must have at least 2 values for ex:p (shape ex:S)",
            ],
        ),
    ],
)
def test_what_is_wrong_is_told(capsys: pytest.CaptureFixture[str], options: str, code: int, lines: list[str]) -> None:
    assert app.run(["check", "g.ttl", *options.split()]) == code
    assert capsys.readouterr().out.splitlines() == lines


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["check", "g.ttl", "--json", "--mask", "two.ttl", "--mask", "no.sparql"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "name": "g.ttl",
        "admissible": False,
        "rejections": [
            {"check": "no.sparql", "node": None, "words": "the answer to the query is false"},
            {
                "check": "two.ttl",
                "node": "<http://example.org/a>",
                "words": "ex:a must have at least 2 values for ex:p (shape ex:S)",
            },
        ],
    }
    assert app.run(["check", "g.ttl", "--json", "--mask", "one.ttl"]) == 0
    assert json.loads(capsys.readouterr().out) == {"name": "g.ttl", "admissible": True, "rejections": []}


def test_a_check_of_nothing_is_no_green_light(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["check", "g.ttl"]) == 0
    assert "every graph is admissible" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--mask none.ttl", "kgprobe: error: none.ttl: no such file"),
        ("--mask none.rq", "kgprobe: error: none.rq: cannot be read: No such file or directory"),
        ("--mask bad.rq", "kgprobe: error: bad.rq:1:6: expected"),
        ("--mask g.ttl", "kgprobe: error: g.ttl: has triples, but no SHACL shape"),
        ("--pin none.ttl", "kgprobe: error: none.ttl: no such file"),
        ("--shacl-engine jena", "kgprobe: error: Invalid value for '--shacl-engine'"),
    ],
)
def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str], options: str, message: str) -> None:
    assert app.run(["check", "g.ttl", *options.split()]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(message)
    assert captured.err.count("\n") == 1
