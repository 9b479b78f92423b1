"""Gaps and repairs: new entities that no test uses, and tests that name removed or deprecated entities."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from pyoxigraph import QueryBoolean, Store

from kgprobe.errors import InputError
from kgprobe.formats.files import load, save
from kgprobe.rdf.diff import Versions, aligned
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.gaps_and_repairs import apply, with_gaps_and_repairs
from kgprobe.selection.plan import SelectionPlan
from kgprobe.selection.vocabulary import Vocabulary

SQL_PREFIXES = """@prefix : <https://example.org/food#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
OLD_FOODS = """:Cola a owl:Class ; rdfs:label "cola" . :Tea a owl:Class ; rdfs:label "tea" .
:Milk a owl:Class ; rdfs:label "milk" .
obo:FOOD_1 a owl:Class ; rdfs:label "bread" . obo:FOOD_2 a owl:Class ; rdfs:label "bun" .
:likes a owl:ObjectProperty ; rdfs:label "likes" . :hates a owl:ObjectProperty ; rdfs:label "hates" .
"""
NEW_FOODS = """:New a owl:Class ; rdfs:label "baker's roll" . obo:FOOD_3 a owl:Class .
:eats a owl:ObjectProperty ; rdfs:label "eats" . :thing a :Unseen ."""
COUNT = "-- the {0}\nSELECT count(*)\n  FROM above WHERE upper = '{0}' AND lower <> '{0}'  -- not '{0}'\n;\n"
BY_NAME, BY_ID = "SELECT x FROM t WHERE y = '{}'", "SELECT x FROM t WHERE id = 'FOOD:{}'"
OF_EDGES = "SELECT x FROM edges WHERE p = '{}'"


@pytest.fixture
def foods_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.ttl").write_text(SQL_PREFIXES + OLD_FOODS, encoding="utf-8")
    (tmp_path / "new.ttl").write_text(SQL_PREFIXES + OLD_FOODS + NEW_FOODS, encoding="utf-8")
    return tmp_path


def _suggestions(foods_folder: Path, files: dict[str, str]) -> dict[str, str]:
    (foods_folder / "tests").mkdir()
    for name, text in files.items():
        (foods_folder / "tests" / name).write_text(text, encoding="utf-8")
    versions = aligned(load("old.ttl").graph, load("new.ttl").graph)
    suite = find_tests([Path("tests")], Vocabulary.of(versions.new, versions.old), FinderOptions())
    plan = with_gaps_and_repairs(SelectionPlan("safe", (), suite.tests, 0, 0), versions)
    return {gap.term.value.rpartition("/")[2]: gap.suggestion for gap in plan.gaps}


LABELLED = {f"{name}.sql": COUNT.format(name) for name in ("cola", "tea", "milk")}


def test_the_most_frequent_statement_is_filled_with_the_label(foods_folder: Path) -> None:
    others = {f"other{n}.sql": BY_NAME.format(name) for n, name in enumerate(("cola", "tea"))}
    found = _suggestions(foods_folder, LABELLED | others)
    statement = found["food#New"]
    assert statement == "SELECT count(*) FROM above WHERE upper = 'baker''s roll' AND lower <> 'baker''s roll' ;"
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE above (upper, lower)")
    assert db.execute(statement).fetchall() == [(0,)]


def test_the_name_is_spelled_as_in_the_other_tests(foods_folder: Path) -> None:
    files = {f"{n}.sql": BY_ID.format(n) for n in (1, 2)}
    found = _suggestions(foods_folder, files)
    assert found["FOOD_3"] == "SELECT x FROM t WHERE id = 'FOOD:3'"
    assert found["food#New"].startswith("PREFIX")  # has no such identifier, nor a CURIE: its prefix is empty


def test_a_template_is_for_the_same_kind_of_entity(foods_folder: Path) -> None:
    properties = {f"{name}.sql": OF_EDGES.format(name) for name in ("likes", "hates")}
    found = _suggestions(foods_folder, LABELLED | properties)
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
def test_otherwise_the_suggestion_is_a_query_that_is_true(foods_folder: Path, files: dict[str, str]) -> None:
    assert "ASK" in _suggestions(foods_folder, files)["food#New"]


# -- gaps and repairs: new entities that no test uses, and tests that name removed or deprecated entities --------------


PREFIXES = """@prefix : <https://example.org/food#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix dcterms: <http://purl.org/dc/terms/> .
"""
OLD = """
:Food a owl:Class . :Drink a owl:Class .
:Cola a owl:Class ; rdfs:subClassOf :Drink ; rdfs:label "cola" .
:Soda a owl:Class ; rdfs:subClassOf :Drink ; rdfs:label "soda water" .
:Beer a owl:Class ; rdfs:subClassOf :Drink .
obo:FOOD_1 a owl:Class ; rdfs:label "bread" .
"""
NEW = """
:Food a owl:Class . :Drink a owl:Class .
:Cola a owl:Class ; rdfs:label "cola" ; owl:deprecated true ; dcterms:isReplacedBy :SoftDrink .
:SoftDrink a owl:Class ; rdfs:subClassOf :Drink ; rdfs:label "soft drink" .
:SodaWater a owl:Class ; rdfs:subClassOf :Drink ; rdfs:label "soda water" .
obo:FOOD_1 a owl:Class ; rdfs:label "bread" ; owl:deprecated true ; obo:IAO_0100001 obo:FOOD_2 .
obo:FOOD_2 a owl:Class ; rdfs:label "baker's roll" ; rdfs:subClassOf :Food .
:Spice a owl:Class ; rdfs:subClassOf :Ingredient . :Ingredient a owl:Class .
:pepper a :Spice .
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("old.ttl", OLD), ("new.ttl", NEW)):
        (tmp_path / name).write_text(PREFIXES + text, encoding="utf-8")
    return tmp_path


def _plan(folder: Path, **files: str) -> tuple[SelectionPlan, Versions]:
    tests = folder / "tests"
    tests.mkdir()
    for name, text in files.items():
        stem, _, suffix = name.rpartition("_")
        (tests / f"{stem}.{suffix}").write_bytes(text.encode())
    versions = aligned(load("old.ttl").graph, load("new.ttl").graph)
    suite = find_tests([Path("tests")], Vocabulary.of(versions.new, versions.old), FinderOptions())
    return with_gaps_and_repairs(SelectionPlan("safe", (), suite.tests, 0, 0), versions), versions


def _query(body: str) -> str:
    prologue = "PREFIX : <https://example.org/food#>\nPREFIX obo: <http://purl.obolibrary.org/obo/>\n"
    return f"{prologue}PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n{body}\n"


def test_new_entities_that_no_test_names_have_a_suggested_test_that_is_true(folder: Path) -> None:
    plan, versions = _plan(folder, drinks_rq=_query("ASK { ?x rdfs:subClassOf :Drink }"))
    gaps = {gap.term.value.rpartition("/")[2]: gap.suggestion for gap in plan.gaps}
    assert set(gaps) == {"food#Spice", "food#Ingredient", "food#pepper", "FOOD_2"}
    save(versions.new, folder / "new.nt")
    store = Store()
    store.load(path=str(folder / "new.nt"))
    for suggestion in gaps.values():
        answer = store.query(suggestion)
        assert isinstance(answer, QueryBoolean)
        assert bool(answer)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("q_rq", _query("ASK { ?é :é :x . ?x a :Cola }"), _query("ASK { ?é :é :x . ?x a :SoftDrink }")),
        (
            "q_rq",
            _query("ASK { ?x a <https://example.org/food#Soda> }"),
            _query("ASK { ?x a <https://example.org/food#SodaWater> }"),
        ),
        ("q_rq", _query("ASK { ?x a obo:FOOD_1 }\r\n# done"), _query("ASK { ?x a obo:FOOD_2 }\r\n# done")),
        ("q_sql", "SELECT * FROM t WHERE term = 'cola';\n", "SELECT * FROM t WHERE term = 'soft drink';\n"),
        ("q_sql", "SELECT * FROM t WHERE term = 'FOOD:1';\n", "SELECT * FROM t WHERE term = 'FOOD:2';\n"),
        ("q_sql", "SELECT * FROM t WHERE term = 'bread';\n", "SELECT * FROM t WHERE term = 'baker''s roll';\n"),
    ],
)
def test_a_name_is_repaired_as_it_was_written(folder: Path, name: str, before: str, after: str) -> None:
    plan, _ = _plan(folder, **{name: before})
    found = plan.repairs
    file = folder / "tests" / name.replace("_", ".")
    assert file.read_bytes().decode() == before
    [repair] = found
    assert repair.as_diff().startswith("--- a/tests/q.")
    apply(found)
    assert file.read_bytes().decode() == after


def test_an_entity_without_a_replacement_is_listed_but_not_repaired(folder: Path) -> None:
    plan, _ = _plan(folder, q_rq=_query("ASK { ?x a :Beer }"))
    [broken] = plan.broken
    assert (broken.term.value, broken.replacement) == ("https://example.org/food#Beer", None)
    assert plan.repairs == ()


@pytest.mark.parametrize(
    "before",
    [
        _query("ASK {\n  ?x a :Cola # kgprobe: ignore unknown-term\n}"),
        _query("ASK {\n  # kgprobe: ignore unknown-term -- the old name, on purpose\n  # more\n  ?x a :Cola\n}"),
        _query("ASK {\r\n  # kgprobe: ignore contradiction, unknown-term\r\n  ?x a :Cola\r\n}"),
    ],
)
def test_a_comment_keeps_a_name_from_being_repaired(folder: Path, before: str) -> None:
    plan, _ = _plan(folder, q_rq=before)
    assert (plan.broken, plan.repairs) == ((), ())


@pytest.mark.parametrize(
    "comment",
    ["# kgprobe: ignore contradiction", "# ignore unknown-term", '?y :p "# kgprobe: ignore unknown-term" .'],
)
def test_a_comment_about_something_else_does_not_keep_a_name(folder: Path, comment: str) -> None:
    plan, _ = _plan(folder, q_rq=_query(f"ASK {{\n  {comment}\n  ?x a :Cola\n}}"))
    assert len(plan.repairs) == 1


def test_a_comment_only_keeps_the_names_on_its_line(folder: Path) -> None:
    plan, _ = _plan(folder, q_rq=_query("ASK {\n  ?x a :Cola . # kgprobe: ignore unknown-term\n  ?y a :Cola, :Soda\n}"))
    [repair] = plan.repairs
    assert repair.after.endswith("?x a :Cola . # kgprobe: ignore unknown-term\n  ?y a :SoftDrink, :SodaWater\n}\n")


@pytest.mark.parametrize("line", ["    # kgprobe: ignore unknown-term", "    x = 1"])
def test_a_comment_in_a_program_keeps_a_name(folder: Path, line: str) -> None:
    query = "PREFIX : <https://example.org/food#> ASK { ?x a :Cola }"
    program = f'import rdflib\n\n\ndef test_cola():\n{line}\n    rdflib.Graph().query("{query}")\n'
    plan, _ = _plan(folder, test_q_py=program)
    assert len(plan.repairs) == (0 if "kgprobe" in line else 1)


def test_a_file_that_has_changed_is_not_overwritten(folder: Path) -> None:
    plan, _ = _plan(folder, q_rq=_query("ASK { ?x a :Cola }"))
    file = folder / "tests" / "q.rq"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="has changed"):
        apply(plan.repairs)
    assert file.read_text(encoding="utf-8") == "mine"
