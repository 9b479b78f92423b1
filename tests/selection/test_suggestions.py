"""Suggested tests for new entities: in the style of the suite."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from kgprobe.formats.files import load
from kgprobe.rdf.diff import aligned
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.discovery.vocabulary import Vocabulary
from kgprobe.selection.gaps_and_repairs import with_gaps_and_repairs
from kgprobe.selection.plan import SelectionPlan

PREFIXES = """@prefix : <https://example.org/food#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
OLD = """:Cola a owl:Class ; rdfs:label "cola" . :Tea a owl:Class ; rdfs:label "tea" .
:Milk a owl:Class ; rdfs:label "milk" .
obo:FOOD_1 a owl:Class ; rdfs:label "bread" . obo:FOOD_2 a owl:Class ; rdfs:label "bun" .
:likes a owl:ObjectProperty ; rdfs:label "likes" . :hates a owl:ObjectProperty ; rdfs:label "hates" .
"""
NEW = """:New a owl:Class ; rdfs:label "baker's roll" . obo:FOOD_3 a owl:Class .
:eats a owl:ObjectProperty ; rdfs:label "eats" . :thing a :Unseen ."""
COUNT = "-- the {0}\nSELECT count(*)\n  FROM above WHERE upper = '{0}' AND lower <> '{0}'  -- not '{0}'\n;\n"
BY_NAME, BY_ID = "SELECT x FROM t WHERE y = '{}'", "SELECT x FROM t WHERE id = 'FOOD:{}'"
OF_EDGES = "SELECT x FROM edges WHERE p = '{}'"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.ttl").write_text(PREFIXES + OLD, encoding="utf-8")
    (tmp_path / "new.ttl").write_text(PREFIXES + OLD + NEW, encoding="utf-8")
    return tmp_path


def _suggestions(folder: Path, files: dict[str, str]) -> dict[str, str]:
    (folder / "tests").mkdir()
    for name, text in files.items():
        (folder / "tests" / name).write_text(text, encoding="utf-8")
    versions = aligned(load("old.ttl").graph, load("new.ttl").graph)
    suite = find_tests([Path("tests")], Vocabulary.of(versions.new, versions.old), FinderOptions())
    plan = with_gaps_and_repairs(SelectionPlan("safe", (), suite.tests, 0, 0), versions)
    return {gap.term.value.rpartition("/")[2]: gap.suggestion for gap in plan.gaps}


LABELLED = {f"{name}.sql": COUNT.format(name) for name in ("cola", "tea", "milk")}


def test_the_most_frequent_statement_is_filled_with_the_label(folder: Path) -> None:
    others = {f"other{n}.sql": BY_NAME.format(name) for n, name in enumerate(("cola", "tea"))}
    found = _suggestions(folder, LABELLED | others)
    statement = found["food#New"]
    assert statement == "SELECT count(*) FROM above WHERE upper = 'baker''s roll' AND lower <> 'baker''s roll' ;"
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE above (upper, lower)")
    assert db.execute(statement).fetchall() == [(0,)]


def test_the_name_is_spelled_as_in_the_other_tests(folder: Path) -> None:
    files = {f"{n}.sql": BY_ID.format(n) for n in (1, 2)}
    found = _suggestions(folder, files)
    assert found["FOOD_3"] == "SELECT x FROM t WHERE id = 'FOOD:3'"
    assert found["food#New"].startswith("PREFIX")  # has no such identifier, nor a CURIE: its prefix is empty


def test_a_template_is_for_the_same_kind_of_entity(folder: Path) -> None:
    properties = {f"{name}.sql": OF_EDGES.format(name) for name in ("likes", "hates")}
    found = _suggestions(folder, LABELLED | properties)
    assert found["food#eats"] == "SELECT x FROM edges WHERE p = 'eats'"
    assert found["food#New"].startswith("SELECT count(*)")
    assert "ASK" in found["food#thing"]


@pytest.mark.parametrize(
    "files",
    [
        {"cola.sql": COUNT.format("cola")},  # one test is no template
        LABELLED | {f"{n}.rq": f"ASK {{ ?x ?p {n} }}" for n in range(4)},  # most tests are in SPARQL
        {"a.sql": "SELECT 1", "b.sql": "SELECT 1"},
    ],
)
def test_otherwise_the_suggestion_is_a_query_that_is_true(folder: Path, files: dict[str, str]) -> None:
    assert "ASK" in _suggestions(folder, files)["food#New"]
