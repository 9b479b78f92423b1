"""SQL files as tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgprobe.entailment.rules import Regime
from kgprobe.selection.discovery.sql_files import looks_like_sql, read_sql

from .finding import find, only, short, terms, vocabulary, write

PAPER = """SELECT COUNT(*) AS result FROM orders WHERE type
IN (SELECT term FROM terms WHERE term='VeggiePizza')
OR ancestor='VeggiePizza')"""


def test_the_query_of_the_paper(tmp_path: Path) -> None:
    test = only(find(tmp_path, {"t1.sql": PAPER, "t1.csv": "3\n"}))
    assert (test.name, test.kind, test.unseen) == ("t1.sql", "sql", ())
    assert terms(test) == {"VeggiePizza"}
    assert [use.line for use in test.uses] == [2]
    assert len(test.mentions) == 2
    assert test.expected == tmp_path / "t1.csv"


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("SELECT * FROM t WHERE label = 'Pizza pie'", {"Pizza"}),
        ("SELECT * FROM t WHERE label = 'pizza PIE'", {"Pizza"}),
        ("SELECT * FROM t WHERE label = 'Twin''s pizza'", {"Margherita", "MushroomPizza"}),
        ("SELECT * FROM t WHERE id IN ('GO:0008150', 'FOOD:1')", {"GO_0008150", "Food"}),
        ("SELECT * FROM t WHERE iri = 'http://example.org/pizza#Pizza'; SELECT 'ex:Food'", {"Pizza", "Food"}),
        ("SELECT * FROM t WHERE label LIKE 'Veg%'", {"VeggiePizza"}),
        ("SELECT * FROM t WHERE label NOT ILIKE 'veg%' OR label LIKE 'Mar%'", {"VeggiePizza", "Margherita"}),
        ("SELECT * FROM t WHERE l LIKE ANY (ARRAY['Veg%', 'Foo_'])", {"VeggiePizza", "Food"}),
        ("SELECT * FROM t WHERE l LIKE 'Veg!%%' ESCAPE '!' OR l = 'Food'", {"Food"}),
        (r"SELECT * FROM t WHERE l LIKE 'Ve_\%' OR l = 'Food'", {"Food"}),
        ("SELECT 'Veggie' || 'Pizza'", {"VeggiePizza"}),
        ("SELECT CONCAT('Veggie', 'Pizza')", {"VeggiePizza"}),
        ("SELECT 'Veggie'\n 'Pizza'", {"VeggiePizza"}),
        ("SELECT 'Food', \"Pizza\"", {"Food", "Pizza"}),
        ("SELECT 1 FROM t WHERE SUBSTR(l, 1, 3) = 'Veg' OR l = 'Food'", {"VeggiePizza", "Food"}),
        (r"SELECT 'it\'s', 'Food'", {"Food"}),
    ],
)
def test_the_terms_that_a_statement_names(text: str, used: set[str]) -> None:
    reading = read_sql(text, vocabulary())
    assert {short(use.term) for use in reading.uses} == used
    assert reading.unseen == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT 'Food' FROM t WHERE l = ?", "a value is filled in when it runs (line 1)"),
        ("SELECT 'Food'\nFROM t WHERE l = :term", "a value is filled in when it runs (line 2)"),
        ("SELECT 'Food' FROM t WHERE l = '{term}'", "a value is filled in when it runs (line 1)"),
        ("SELECT 'Food' FROM t WHERE l = '%s'", "a value is filled in when it runs (line 1)"),
        ("SELECT 'Food' || x", "a value is built when it runs (line 1)"),
        ("SELECT x || 'Food'", "a value is built when it runs (line 1)"),
        ("SELECT CONCAT('Food', x)", "a value is built when it runs (line 1)"),
        ("SELECT REPLACE(l, ' ', '_') = 'Food'", "a value is built when it runs (line 1)"),
        ("SELECT 'Food' WHERE l LIKE x", "a pattern is filled in when it runs (line 1)"),
        ("SELECT 'Food' WHERE l LIKE 'Veg' || x", "a pattern is built when it runs (line 1)"),
        ("SELECT 'Food' WHERE l LIKE '%'", "'%' matches too many terms (line 1)"),
        ("SELECT 'Food' WHERE l ~ 'Veg.*'", "a regular expression chooses the terms (line 1)"),
        ("SELECT 'Food' WHERE l SIMILAR TO 'Veg%'", "a regular expression chooses the terms (line 1)"),
        ("EXECUTE stmt; SELECT 'Food'", "it runs code from elsewhere (line 1)"),
        ("SELECT 'Food';\n\\i other.sql", "it runs code from elsewhere (line 2)"),
        ("DO $$ BEGIN PERFORM f('Pizza'); END $$", "it runs code in a string (line 1)"),
        ("SELECT 'Food", "a string does not end (line 1)"),
        ("SELECT COUNT(*) FROM t", "it names no term of the ontology"),
        ("SELECT 'nothing'", "it names no term of the ontology"),
        ('SELECT "Pizza" FROM t', "it names no term of the ontology"),
    ],
)
def test_reasons_for_unknown_uses(text: str, reason: str) -> None:
    assert read_sql(text, vocabulary()).unseen == (f"cannot see what this test uses: {reason}",)


def test_a_file_without_terms_is_optionally_not_a_test(tmp_path: Path) -> None:
    files = {"a.sql": "SELECT 1", "b.sql": "SELECT 'Food'", "c.sql": "SELECT ?"}
    assert [test.name for test in find(tmp_path, files).tests] == ["a.sql", "b.sql", "c.sql"]
    assert [test.name for test in find(tmp_path, files, sql_without_terms=False).tests] == ["b.sql", "c.sql"]


def test_a_comment_at_the_start_states_the_regime(tmp_path: Path) -> None:
    test = only(find(tmp_path, {"a.sql": "-- about pizzas\n-- kgprobe: regime=rl\nSELECT 'Food'"}))
    assert test.regime is Regime.RL


def test_a_file_that_is_not_text_is_always_selected(tmp_path: Path) -> None:
    test = only(find(tmp_path, {"a.sql": b"SELECT '\xff'"}))
    assert test.unseen == ("cannot see what this test uses: it is not UTF-8 text",)


def test_texts_that_look_like_sql() -> None:
    assert looks_like_sql(PAPER)
    assert looks_like_sql("  with x as (select 1) select * from x")
    assert not looks_like_sql("Select one of the options")
    assert not looks_like_sql("")


_settings = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@_settings
@given(st.binary(max_size=200))
def test_no_content_breaks_the_search(tmp_path: Path, content: bytes) -> None:
    write(tmp_path, {"x.sql": content})
    assert only(find(tmp_path, {})).name == "x.sql"


@_settings
@given(st.text(alphabet="aE'\"`$[]{}%:?@#/*-\\|~+(),;LIKE \nPiz", max_size=80))
def test_any_text_is_read(text: str) -> None:
    reading = read_sql(text, vocabulary())
    assert reading.uses or reading.unseen
    for _, start, end, said in reading.places:
        assert text[start:end] == said
