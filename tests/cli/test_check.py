"""`kgprobe check`: output and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgprobe.cli import app

GRAPH = "@prefix ex: <http://example.org/> . @prefix other: <urn:other:> . ex:a ex:p 1 . ex:b ex:q ex:a ."
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
        "old.ttl": GRAPH.replace("1", "2") + " ex:b ex:q [ ex:p 5 ] .",
        "ex:": "",
        "unpinned.ttl": "@prefix ex: <http://example.org/> . ex:a ex:p 3 .",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


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
                "  unpinned.ttl: ex:a ex:p 3 is pinned, but does not exist",
                "  no.sparql: the answer is false: ASK { ?s ex:p 2 }",
                "  two.ttl and one.ttl: ex:a must have at least 2 values for ex:p (shape ex:S)",
            ],
        ),
    ],
)
def test_violations_are_printed(capsys: pytest.CaptureFixture[str], options: str, code: int, lines: list[str]) -> None:
    assert app.run(["check", "g.ttl", *options.split()]) == code
    assert capsys.readouterr().out.splitlines() == lines


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["check", "g.ttl", "--json", "--mask", "two.ttl", "--mask", "no.sparql"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "name": "g.ttl",
        "admissible": False,
        "rejections": [
            {"check": "no.sparql", "node": None, "words": "the answer is false: ASK { ?s ex:p 2 }"},
            {
                "check": "two.ttl",
                "node": "<http://example.org/a>",
                "words": "ex:a must have at least 2 values for ex:p (shape ex:S)",
            },
        ],
    }
    assert app.run(["check", "g.ttl", "--json", "--mask", "one.ttl"]) == 0
    assert json.loads(capsys.readouterr().out) == {"name": "g.ttl", "admissible": True, "rejections": []}


NAMESPACE = "http://example.org/"
MAY_NOT_CHANGE = f"and nothing about subjects in <{NAMESPACE}> may change"


@pytest.mark.parametrize("pin", [NAMESPACE, f"<{NAMESPACE}>"])
def test_changes_in_a_pinned_namespace_are_reported(capsys: pytest.CaptureFixture[str], pin: str) -> None:
    assert app.run(["check", "g.ttl", "--pin", pin, "--against", "old.ttl", "--mask", "one.ttl"]) == 1
    first, *others = capsys.readouterr().out.splitlines()
    assert first == "g.ttl: not admissible"
    blank = next(line.split()[3] for line in others if line.startswith(f"  {NAMESPACE}: ex:b"))
    assert sorted(others) == [
        f"  {NAMESPACE}: ex:a ex:p 1 was added, {MAY_NOT_CHANGE}",
        f"  {NAMESPACE}: ex:a ex:p 2 was removed, {MAY_NOT_CHANGE}",
        f"  {NAMESPACE}: ex:b ex:q {blank} was removed, {MAY_NOT_CHANGE}",
    ]


@pytest.mark.parametrize(("pin", "against"), [("other:", "old.ttl"), ("urn:other:", "old.ttl"), (NAMESPACE, "g.ttl")])
def test_an_unchanged_pinned_namespace_is_accepted(capsys: pytest.CaptureFixture[str], pin: str, against: str) -> None:
    assert app.run(["check", "g.ttl", "--pin", pin, "--against", against]) == 0
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("g.ttl: admissible\n", "")


def test_a_pinned_namespace_without_an_old_graph_warns(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["check", "g.ttl", "--pin", "other:"]) == 0
    told = "changes to urn:other: are not checked: that needs --against FILE, the earlier version"
    assert capsys.readouterr().err == f"kgprobe: warning: {told}\n"


def test_possible_omissions_of_a_reasoner_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    text = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . <urn:A> rdfs:subClassOf [] ."
    Path("odd.ttl").write_text(text, encoding="utf-8")
    assert app.run(["check", "odd.ttl", "--reasoner", "auto"]) == 0
    told = capsys.readouterr()
    assert told.out == "odd.ttl: admissible\n"
    assert "warning: consistency (auto): probably consistent: 1 triple is no" in told.err


def test_a_check_without_a_mask_warns(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(["check", "g.ttl"]) == 0
    assert "every graph is admissible" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--mask none.ttl", "kgprobe: error: none.ttl: no such file"),
        ("--mask none.rq", "kgprobe: error: none.rq: no such file"),
        ("--mask bad.rq", "kgprobe: error: bad.rq:1:6: expected"),
        ("--mask g.ttl", "kgprobe: error: g.ttl: has triples, but no SHACL shape"),
        ("--pin none.ttl", "kgprobe: error: none.ttl: no such file"),
        ("--pin othr:", "kgprobe: error: the graph has no prefix 'othr:' (did you mean 'other:'?)"),
        (
            "--pin zz:",
            "kgprobe: error: the graph has no prefix 'zz:' (pin a file, an IRI, or one of the prefixes 'ex:', ",
        ),
        ("--pin other", "kgprobe: error: there is no file 'other' (did you mean the namespace 'other:'?)"),
        (
            "--pin other:a",
            "kgprobe: error: 'other:a' is a single name, not a namespace (pin the namespace 'other:', or ",
        ),
        ("--pin ex:", "kgprobe: error: 'ex:' is a file and a prefix (pin './ex:' or '<http://example.org/>')"),
        (
            "--pin http://exmple.org/",
            "kgprobe: error: the graph has no subject that begins with <http://exmple.org/>"
            " (did you mean 'http://example.org/'?)",
        ),
        ("--pin other: --against none.ttl", "kgprobe: error: none.ttl: no such file"),
        ("--shacl-engine jena", "kgprobe: error: Invalid value for '--shacl-engine'"),
    ],
)
def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str], options: str, message: str) -> None:
    assert app.run(["check", "g.ttl", *options.split()]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(message)
    assert captured.err.count("\n") == 1


def test_a_note_warns_about_sparql_on_lexical_forms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "odd.ttl").write_text(GRAPH + " ex:a ex:n 01 .")
    select = 'ex:S sh:targetNode ex:a ; sh:sparql [ sh:select "SELECT $this { $this <urn:none> ?x }" ] .'
    (tmp_path / "select.ttl").write_text(SHAPES.partition("ex:S")[0] + select)
    assert app.run(["check", "odd.ttl", "--mask", "select.ttl"]) == 0
    told = capsys.readouterr().err
    assert "select.ttl: SPARQL in these shapes may not see the lexical form of a literal of the graph: " in told
    assert app.run(["check", "g.ttl", "--mask", "select.ttl"]) == 0
    assert capsys.readouterr().err == ""
