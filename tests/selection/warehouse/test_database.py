"""Catalogues of live databases."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

from kgprobe.errors import InputError
from kgprobe.selection.warehouse.database import check_database, read_database
from kgprobe.selection.warehouse.sql.reader import TablesReading, read_statements

from .servers import postgres

_TABLES = """
CREATE TABLE terms (term text PRIMARY KEY, label text);
CREATE TABLE closure (term text, ancestor text);
CREATE VIEW veggie AS SELECT term FROM closure WHERE ancestor = 'VeggiePizza';
"""
_MACROS = """
CREATE MACRO is_veggie(x) AS (x IN (SELECT term FROM closure WHERE ancestor = 'VeggiePizza'));
CREATE MACRO below(x) AS TABLE SELECT term FROM closure WHERE ancestor = x;
"""
_FUNCTIONS = """
CREATE FUNCTION below(x text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT term FROM closure WHERE ancestor = x $$;
CREATE FUNCTION opaque(x text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN x; END $$;
CREATE MATERIALIZED VIEW counted AS SELECT ancestor, count(*) AS many FROM closure GROUP BY ancestor;
CREATE SCHEMA other;
CREATE TABLE other.more (term text, UNIQUE (term));
CREATE RULE nothing AS ON INSERT TO other.more DO INSTEAD NOTHING;
"""


def _shown(reading: TablesReading) -> list[tuple[str, dict[str, list[str]]]]:
    assert reading.problems == ()
    sources = (source for use in reading.uses for source in use.sources)
    return [(each.table, {name: sorted(said.texts) for name, said in each.constants.items()}) for each in sources]


def test_sqlite(tmp_path: Path) -> None:
    file = tmp_path / "terms of a menu.db"
    with sqlite3.connect(file) as database:
        database.executescript(_TABLES)
    catalogue = read_database(f"sqlite:///{file}")
    assert catalogue.tables["terms"].by_name["term"].is_key
    assert _shown(read_statements("SELECT * FROM veggie", catalogue, "sqlite")) == [
        ("closure", {"ancestor": ["VeggiePizza"]})
    ]


def test_duckdb(tmp_path: Path) -> None:
    file = tmp_path / "menu.duckdb"
    with duckdb.connect(str(file)) as database:
        database.execute(_TABLES + _MACROS)
    before = file.read_bytes()
    catalogue = read_database(f"duckdb:///{file}")
    assert file.read_bytes() == before
    assert catalogue.tables["terms"].by_name["term"].is_key
    assert catalogue.tables["closure"].by_name["ancestor"].is_text
    expected = [("closure", {"ancestor": ["VeggiePizza"]})]
    for text in ("SELECT * FROM veggie", "SELECT is_veggie('x')", "SELECT * FROM below('VeggiePizza')"):
        assert _shown(read_statements(text, catalogue, "duckdb")) == expected, text
    assert _shown(
        read_statements("SELECT list_contains(['A'], term), jaccard(term, 'A') FROM terms", catalogue, "duckdb")
    )


def test_postgresql() -> None:
    import psycopg

    with postgres() as url:
        with psycopg.connect(url) as connection:
            connection.execute(_TABLES + _FUNCTIONS)
        catalogue = read_database(url)
    assert catalogue.tables["terms"].by_name["term"].is_key
    assert not catalogue.tables["closure"].by_name["term"].is_key
    expected = [("closure", {"ancestor": ["VeggiePizza"]})]
    for text in (
        "SELECT * FROM veggie",
        "SELECT * FROM below('VeggiePizza')",
        "SELECT * FROM counted WHERE ancestor = 'VeggiePizza'",
    ):
        assert _shown(read_statements(text, catalogue, "postgres")) == expected, text
    assert "plpgsql" in read_statements("SELECT opaque('x')", catalogue, "postgres").problems[0][0]
    assert "has a rule" in read_statements("INSERT INTO other.more VALUES ('x')", catalogue, "postgres").problems[0][0]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("menu.db", "'menu.db' is not a database that kgprobe can read (it is a URL such as"),
        ("sqlight:///menu.db", "did you mean 'sqlite://'?"),
        ("mysql://user:secret@host/menu", "'mysql://user:***@host/menu' is not a database"),
        ("sqlite:///gone.db", "there is no file gone.db"),
        ("duckdb:///text.txt", "text.txt cannot be read"),
        ("sqlite:///text.txt", "text.txt cannot be read"),
        ("postgresql://me:secret@127.0.0.1:1/menu", "the database at 127.0.0.1 cannot be read"),
    ],
)
def test_databases_that_cannot_be_read(url: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("This is not a database. " * 100, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_database(url)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_url_is_checked_before_anything_is_read() -> None:
    check_database("postgresql://host/name")
    with pytest.raises(InputError):
        check_database("http://host/name")
