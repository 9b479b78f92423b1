"""SQL files as tests."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgprobe.entailment.rules import Regime
from kgprobe.selection.discovery.sql_files import SqlReading, SqlTexts, looks_like_sql, read_sql, split
from kgprobe.selection.sql.catalogue import Catalogue
from kgprobe.selection.sql.reader import read_statements
from kgprobe.selection.tests import TablesUse, TermUse

from ..sql.random_sql import Statements, definitions
from .finding import find, only, short, vocabulary, write

SCHEMA = """CREATE TABLE t (l text, label text, id text, iri text, x text);
CREATE TABLE terms (term text, ancestor text);
CREATE TABLE orders (type text);"""

PAPER = """SELECT COUNT(*) AS result FROM orders WHERE type
IN (SELECT term FROM terms WHERE term='VeggiePizza'
OR ancestor='VeggiePizza')"""


def read(text: str) -> SqlReading:
    return read_sql(text, vocabulary(), Catalogue.of([("schema.sql", SCHEMA)]))


def named(reading: SqlReading) -> set[str]:
    return {short(use.term) for use in (*reading.terms, *reading.uses) if isinstance(use, TermUse)}


def test_the_query_of_the_paper(tmp_path: Path) -> None:
    test = only(find(tmp_path, {"t1.sql": PAPER, "t1.csv": "3\n", "schema.sql": SCHEMA}))
    assert (test.name, test.language.name, test.unseen) == ("t1.sql", "sql", ())
    assert [(short(use.term), use.line) for use in test.terms] == [("VeggiePizza", 2)]
    (use,) = test.uses
    assert isinstance(use, TablesUse)
    assert [source.table for source in use.sources] == ["terms", "terms", "orders"]
    assert len(test.mentions) == 2
    assert test.expected == tmp_path / "t1.csv"
    assert test.parts == (tmp_path / "schema.sql",)


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("SELECT * FROM t WHERE label = 'Pizza pie'", {"Pizza"}),
        ("SELECT * FROM t WHERE label = 'pizza PIE'", {"Pizza"}),
        ("SELECT * FROM t WHERE label = 'Twin''s pizza'", {"Margherita", "MushroomPizza"}),
        ("SELECT * FROM t WHERE id IN ('GO:0008150', 'FOOD:1')", {"GO_0008150", "Food"}),
        ("SELECT * FROM t WHERE iri = 'http://example.org/pizza#Pizza'; SELECT 'ex:Food'", {"Pizza", "Food"}),
        ("SELECT * FROM t WHERE label LIKE 'Veg%'", {"VeggiePizza"}),
        ("SELECT * FROM t WHERE l LIKE ANY (ARRAY['Veg%', 'Foo_'])", {"VeggiePizza", "Food"}),
        ("SELECT * FROM t WHERE l LIKE 'Veg!%%' ESCAPE '!' OR l = 'Food'", {"Food"}),
        ("SELECT * FROM t WHERE l = 'Veggie' || 'Pizza'", {"VeggiePizza", "Pizza"}),
        ("SELECT * FROM t WHERE l = ANY('{VeggiePizza,Food}')", {"VeggiePizza", "Food"}),
        (r"SELECT * FROM t WHERE l LIKE '\\Pizza\\VeggiePizza\\%'", {"Pizza", "VeggiePizza"}),
        ("SELECT 1 FROM t WHERE SUBSTR(l, 1, 3) = 'Veg' OR l = 'Food'", {"VeggiePizza", "Food"}),
        ('SELECT "Pizza" FROM (SELECT 1 AS "Pizza") AS one', {"Pizza"}),
    ],
)
def test_the_terms_that_a_statement_names(text: str, used: set[str]) -> None:
    reading = read(text)
    assert named(reading) == used
    assert reading.unseen == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT 1;\n\\i other.sql", "it runs code from elsewhere (line 2)"),
        ("\\copy t FROM 'file'", "it copies a file (line 1)"),
        ("COPY t FROM '/file'", "it copies a file (line 1)"),
        ("EXECUTE stmt", "it runs EXECUTE, which may read anything (line 1)"),
        ("DO $$ BEGIN PERFORM f('Pizza'); END $$", "it runs DO, which may read anything (line 1)"),
        ("SELECT * FROM {{ table }}", "a template stands for a relation (line 1)"),
        ("SELECT * FROM t {% if x %} WHERE l = 'A' {% endif %}", "a template chooses what it runs (line 1)"),
        ("SELECT * FROM t WHERE {{ condition }}", "a template stands for more than a value (line 1)"),
        (
            "SELECT * FROM\nunknown",
            "relation 'unknown' is not known: add its definition with --schema FILE or --database URL (line 2)",
        ),
        (
            "SELECT f(l) FROM t",
            "function 'f' is not known: add its definition with --schema FILE or --database URL (line 1)",
        ),
        ("SELECT l, nothing FROM t", "column 'nothing' is in no table that kgprobe knows (line 1)"),
    ],
)
def test_reasons_for_unknown_uses(text: str, reason: str) -> None:
    assert f"cannot see what this test uses: {reason}" in read(text).unseen


def test_values_that_are_filled_in_may_be_anything() -> None:
    for place in ("?", ":term", "%s", "%(term)s", "$1", "'{term}'", "{{ term }}", ":'term'"):
        (use,) = read("SELECT * FROM t WHERE l = PLACE AND x = 'A'".replace("PLACE", place)).uses
        assert isinstance(use, TablesUse)
        assert [set(each.constants) for each in use.sources] == [{"x"}], place


def test_a_file_without_terms_is_optionally_not_a_test(tmp_path: Path) -> None:
    files = {"a.sql": "SELECT 1", "b.sql": "SELECT 'Food'", "c.sql": "EXECUTE x"}
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
    assert len(find(tmp_path, {}).tests) <= 1


@_settings
@given(st.text(alphabet="aE'\"`$[]{}%:?@#/*-\\|~+(),;LIKE \nPiz", max_size=80))
def test_any_text_is_read(text: str) -> None:
    for _, start, end, said in read(text).places:
        assert text[start:end] == said


def test_a_statement_in_python_needs_known_relations(tmp_path: Path) -> None:
    code = "def test_it(): cursor.execute(\"SELECT * FROM t WHERE l = 'Pizza pie'\")"
    test = only(find(tmp_path, {"test_a.py": code}))
    assert [short(use.term) for use in test.terms] == ["Pizza"]
    assert "relation 't' is not known" in test.unseen[0]
    known = next(each for each in find(tmp_path, {"schema.sql": SCHEMA}).tests)
    assert not known.unseen
    assert isinstance(known.uses[0], TablesUse)


# -- texts that differ only in their constants are parsed once, and read as if each were parsed by itself ----


@pytest.mark.parametrize("dialect", ["duckdb", None])
def test_each_text_is_read_as_if_alone(dialect: str | None) -> None:
    random = Random(7)
    statements = Statements(random)
    catalogue = Catalogue.of([("schema.sql", ";\n".join(definitions()))], "duckdb")
    texts = SqlTexts(vocabulary(), catalogue, dialect)
    shared = 0
    for _ in range(60):
        text = ";\n".join(statements.statement())
        for _ in range(3):
            shared += split(text) is not None
            alone = read_statements(text, catalogue, dialect)
            found = texts.read(text)
            uses = [use for use in found.uses if isinstance(use, TablesUse)]
            assert [use.sources for use in uses] == [use.sources for use in alone.uses], text
            assert all(use.text.rstrip("…") in other.text for use, other in zip(uses, alone.uses, strict=True))
            assert len(found.unseen) == min(5, len(alone.problems))
            text = re.sub(r"'(\w+)'", lambda _: f"'{random.choice(['A', 'B', 'Ab', 'Other', '%'])}'", text)
    assert shared > 100


@pytest.mark.parametrize(
    "text",
    [
        r"SELECT 'a\'b'",
        "SELECT $$a$$",
        "SELECT E'a'",
        "SELECT 'a",
        'SELECT "a',
        "SELECT 1 /* 'a /* ' */ */",
        "SELECT 'a'\n 'b'",
    ],
)
def test_texts_whose_strings_are_not_clear(text: str) -> None:
    assert split(text) is None


def test_comments_do_not_count() -> None:
    first, second = split("SELECT 'a' -- it's one\n, \"it's\""), split("SELECT 'b'\n, \"it's\"")
    assert first is not None
    assert second is not None
    assert first.text.split() == second.text.split()
    assert (first.constants, second.constants) == (("a",), ("b",))
