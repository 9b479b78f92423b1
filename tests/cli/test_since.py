"""`--since` and `--history` of `kgprobe select` and `kgprobe diff`, in real repositories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.repositories import Repo, needs_git

from kgprobe.cli.app import run
from kgprobe.formats.imports import read_catalog

pytestmark = needs_git

PREFIXES = """@prefix : <https://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
MAIN = PREFIXES + ":main a owl:Ontology ; owl:imports :food .\n"
FOOD = PREFIXES + ":food a owl:Ontology . :Pizza a owl:Class . :Drink a owl:Class .\n"
FOOD += ":C17 a owl:Class ; rdfs:label 'flat bread' .\n"
PIZZAS = "PREFIX : <https://example.org/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n"
QUERIES = {
    "tests/pizzas.rq": PIZZAS + "SELECT ?x WHERE { ?x rdfs:subClassOf :Pizza }",
    "tests/drinks.rq": PIZZAS + "SELECT ?x WHERE { ?x rdfs:subClassOf :Drink }",
    "tests/schema.sql": "CREATE TABLE t (iri text PRIMARY KEY);",
    "tests/drinks.sql": "SELECT * FROM t WHERE iri = 'https://example.org/Drink'",
    "tests/test_drinks.py": "def test_drinks(graph):\n    graph.query('ASK { ?x a <https://example.org/Drink> }')\n",
}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with an ontology, one that it imports, and tests."""
    repo = Repo.at(tmp_path / "repo", {"onto/main.ttl": MAIN, "imports/food.ttl": FOOD, **QUERIES})
    monkeypatch.chdir(repo.root)
    return repo


def _run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    assert run(arguments) == code
    told = capsys.readouterr()
    return told.out, told.err


def _selected(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, list[str]]:
    out, _ = _run(capsys, "select", *arguments, "--tests", "tests", "--json")
    found: dict[str, Any] = json.loads(out)
    return {each["test"]: each["because"] for each in found["selected"]}


GIVEN = ("onto/main.ttl", "--since", "v1", "--imports", "imports")
CHANGE = "+ :C17 'flat bread' rdfs:subClassOf :Pizza affects line 2: ?x rdfs:subClassOf :Pizza"


@pytest.mark.parametrize("options", [GIVEN, GIVEN[:3]])
def test_a_changed_import_selects(repo: Repo, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert _selected(capsys, *GIVEN) == {}
    repo.write({"imports/food.ttl": FOOD + ":C17 rdfs:subClassOf :Pizza .\n"})
    assert _selected(capsys, *options) == {"tests/pizzas.rq": [CHANGE]}


def test_a_changed_catalog_selects(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    catalog = '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"><uri name="{}" uri="{}"/></catalog>'
    iri = "https://example.org/food"
    repo.commit({"onto/catalog.xml": catalog.format(iri, "../imports/food.ttl")}, "v2")
    repo.commit({"imports/food-2.ttl": FOOD + ":C17 rdfs:subClassOf :Pizza .\n"}, "v3")
    repo.write({"onto/catalog.xml": catalog.format(iri, "../imports/food-2.ttl")})
    assert read_catalog(repo.root / "onto/catalog.xml").find(iri) is not None
    given = ("onto/main.ttl", "--since", "v3", "--catalog", "onto/catalog.xml")
    assert _selected(capsys, *given) == {"tests/pizzas.rq": [CHANGE]}


def test_an_import_outside_the_repository_is_reported(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    outside = repo.root.parent / "lib"
    outside.mkdir()
    (repo.root / "imports/food.ttl").rename(outside / "food.ttl")
    repo.commit({}, "v2")
    _, told = _run(capsys, "select", *GIVEN[:2], "v2", "--imports", str(outside), "--tests", "tests")
    assert "food.ttl is outside the repository, so both versions use its current content" in told


def test_changed_tests_are_selected(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    new = QUERIES["tests/test_drinks.py"].replace("test_drinks", "test_new")
    repo.write(
        {
            "tests/drinks.rq": QUERIES["tests/drinks.rq"] + " LIMIT 1",
            "tests/drinks.csv": "x\n",
            "tests/test_drinks.py": QUERIES["tests/test_drinks.py"] + new,
            "imports/food.ttl": FOOD + ":C17 rdfs:subClassOf :Pizza .\n",
        }
    )
    why = "the test itself has changed: "
    assert _selected(capsys, *GIVEN) == {
        "tests/drinks.rq": [why + "it was edited"],
        "tests/drinks.sql": [why + "tests/drinks.csv is new"],
        "tests/test_drinks.py::test_new": [why + "it is new"],
        "tests/pizzas.rq": [CHANGE],
    }
    out, _ = _run(capsys, "select", *GIVEN, "--tests", "tests", "--mode", "paper")
    assert "  3 tests have changed since v1" in out
    assert why + "it is new" in out


def test_tests_outside_the_repository(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    outside = repo.root.parent / "more"
    outside.mkdir()
    (outside / "far.rq").write_text(QUERIES["tests/drinks.rq"], encoding="utf-8")
    _, told = _run(capsys, "select", *GIVEN, "--tests", str(outside))
    assert "1 test is outside the repository" in told
    assert "cannot tell whether they have changed since v1" in told


def test_diff_since_a_revision(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = _run(capsys, "diff", *GIVEN)
    assert out == "onto/main.ttl at v1 → onto/main.ttl: nothing has changed\n"
    repo.write({"imports/food.ttl": FOOD + ":C17 rdfs:subClassOf :Pizza .\n"})
    out, _ = _run(capsys, "diff", *GIVEN, code=1)
    assert ":C17 'flat bread': now also under :Pizza" in out
    out, _ = _run(capsys, "diff", *GIVEN, "--json", code=1)
    assert json.loads(out)["old"] == "onto/main.ttl at v1"


def test_a_history_includes_changes_of_imports(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.commit({"imports/food.ttl": FOOD + ":C17 rdfs:subClassOf :Pizza .\n"}, "v2")
    repo.commit({"onto/main.ttl": MAIN + ":C18 rdfs:subClassOf :Drink .\n"}, "v3")
    given = ("select", "onto/main.ttl", "--history", "2", "--imports", "imports", "--tests", "tests", "--json")
    out, _ = _run(capsys, *given)
    changes = json.loads(out)["changes"]
    assert [(each["subject"], each["selected"]) for each in changes] == [("v2", 1), ("v3", 2)]


def test_a_shallow_clone(repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({"onto/main.ttl": MAIN + ":C18 rdfs:subClassOf :Drink .\n"}, "v2")
    repo.git("clone", "--quiet", "--depth", "1", f"file://{repo.root}", "../clone")
    monkeypatch.chdir(repo.root.parent / "clone")
    for command in (("select", "--since", "HEAD~1"), ("diff", "--since", "v1"), ("select", "--history", "3")):
        out, told = _run(capsys, *command, "onto/main.ttl", code=2)
        assert out == ""
        assert "fetch-depth: 0" in told
        assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("select", "onto/main.ttl", "--since", "v9"), "git has no revision 'v9'"),
        (("diff", "onto/main.ttl", "--since", "-x"), "git has no revision '-x'"),
        (("diff", "onto/main.ttl", "--since", ""), "the name of the revision is empty"),
        (("diff", "onto/main.ttl"), "name it before NEW, or use --since"),
        (("diff",), "the new version, not 0"),
        (("diff", "-", "--since", "v1"), "not standard input"),
        (("diff", "a.ttl", "b.ttl", "--since", "v1"), "--since takes one graph"),
        (("diff", "onto/new.ttl", "--since", "v1"), "onto/new.ttl: did not exist at v1"),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(
    repo: Repo, arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write({"onto/new.ttl": MAIN})
    out, told = _run(capsys, *arguments, code=2)
    assert out == ""
    assert words in told
    assert told.count("\n") == 1
