"""What SQL tests know about their database, from files with definitions and other sources."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest
from support.postgres import postgres_server

from kgprobe.errors import InputError
from kgprobe.selection.discovery.schemas import check_database, read_database
from kgprobe.selection.sql.reader import TablesReading, read_statements
from kgprobe.selection.tests import Column, Direction, Relation, TablesUse, TermUse

from .finding import find, only, short, write

_TABLES = "CREATE TABLE closure (term text, ancestor text);"
_VIEW = "CREATE VIEW veggie AS SELECT term FROM closure WHERE ancestor = 'VeggiePizza';"
_ASK = "SELECT count(*) FROM veggie"
_UNKNOWN = "relation '{}' is not known: add its definition with --schema FILE or --database URL (line 1)"


def _ancestors(use: object) -> list[str]:
    assert isinstance(use, TablesUse)
    return [text for source in use.sources for text in source.constants["ancestor"].texts]


def test_definitions_among_the_tests_are_no_tests(tmp_path: Path) -> None:
    found = find(tmp_path, {"a.sql": _ASK, "tables.ddl": _TABLES, "more/views.sql": f"BEGIN; {_VIEW} COMMIT;"})
    test = only(found)
    assert (test.name, test.unseen) == ("a.sql", ())
    assert _ancestors(test.uses[0]) == ["VeggiePizza"]
    assert {part.name for part in test.parts} == {"tables.ddl", "views.sql"}


def test_definitions_in_given_files_and_folders(tmp_path: Path) -> None:
    write(tmp_path / "given", {"tables.sql": _TABLES, "deep/views.sql": _VIEW, "notes.txt": "none"})
    for schema in ((tmp_path / "given",), (tmp_path / "given/tables.sql", tmp_path / "given/deep")):
        test = only(find(tmp_path / "tests", {"a.sql": _ASK}, schema=schema))
        assert _ancestors(test.uses[0]) == ["VeggiePizza"]


def test_a_relation_that_nobody_defines(tmp_path: Path) -> None:
    test = only(find(tmp_path, {"a.sql": _ASK, "views.sql": _VIEW}))
    assert test.unseen == (f"cannot see what this test uses: {_UNKNOWN.format('closure')}",)


def test_tables_of_a_profile(tmp_path: Path) -> None:
    stored = (Relation("closure", (Column("term"), Column("ancestor"))),)
    files = {"a.sql": _ASK, "b.sql": "SELECT depth FROM closure", "views.sql": _VIEW}
    first, second = find(tmp_path, files, stored=stored).tests
    assert (first.unseen, _ancestors(first.uses[0])) == ((), ["VeggiePizza"])
    assert "column 'depth' is in no table" in second.unseen[0]


def test_a_live_database(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "menu.db") as database:
        database.executescript(_TABLES + _VIEW)
    files = {"a.sql": _ASK, "schema.sql": _TABLES + _VIEW.replace("VeggiePizza", "Food")}  # an old definition
    test = only(find(tmp_path / "tests", files, database=f"sqlite:///{tmp_path / 'menu.db'}"))
    assert test.unseen == ()
    assert _ancestors(test.uses[0]) == ["VeggiePizza"]


def test_what_a_test_makes_for_itself_is_its_own(tmp_path: Path) -> None:
    own = (
        "CREATE TABLE closure (term text, ancestor text); INSERT INTO closure VALUES ('A', 'B'); SELECT * FROM closure"
    )
    schema = {"schema.sql": _TABLES + _VIEW}
    first, second = find(tmp_path, {"a.sql": own, "b.sql": _ASK, **schema}).tests
    assert (first.uses, first.unseen) == ((), ())
    assert (second.unseen, _ancestors(second.uses[0])) == ((), ["VeggiePizza"])


def test_definitions_that_cannot_be_parsed_are_noted(tmp_path: Path) -> None:
    write(tmp_path / "given", {"schema.sql": f"{_TABLES}\nCREATE VIEW (;"})
    found = find(tmp_path / "tests", {"a.sql": "SELECT * FROM closure"}, schema=(tmp_path / "given",))
    assert only(found).unseen == ()
    assert len(found.notes) == 1
    assert "schema.sql:2: it cannot be parsed" in found.notes[0]


def test_schemas_that_do_not_exist(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, message in ((tmp_path / "gone.sql", "does not exist"), (tmp_path / "empty", "has no SQL file")):
        with pytest.raises(InputError) as caught:
            find(tmp_path / "tests", {"a.sql": _ASK}, schema=(path,))
        assert message in str(caught.value)


def test_a_test_can_say_what_it_reads(tmp_path: Path) -> None:
    stated = "-- kgprobe: descendants of VeggiePizza, 'Pizza pie'\nSELECT f();\n  -- kgprobe: term ex:Food\n"
    test = only(find(tmp_path, {"a.sql": stated}))
    assert test.unseen == ()
    assert [(short(use.term), use.direction, use.line) for use in test.uses if isinstance(use, TermUse)] == [
        ("VeggiePizza", Direction.DESCENDANTS, 1),
        ("Pizza", Direction.DESCENDANTS, 1),
        ("Food", Direction.TERM, 3),
    ]


def test_a_stated_term_that_does_not_exist(tmp_path: Path) -> None:
    found = find(tmp_path, {"a.sql": "-- kgprobe: ancestors of VegiePizza\nSELECT 1"})
    assert only(found).unseen == ("cannot see what this test uses: no term is called 'VegiePizza'",)
    assert found.notes == ("a.sql:1: no term of the ontology is called 'VegiePizza' (did you mean 'VeggiePizza'?)",)


# -- live databases ----

_DATABASE = """
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
        database.executescript(_DATABASE)
    catalogue = read_database(f"sqlite:///{file}")
    assert catalogue.tables["terms"].by_name["term"].is_key
    assert _shown(read_statements("SELECT * FROM veggie", catalogue, "sqlite")) == [
        ("closure", {"ancestor": ["VeggiePizza"]})
    ]


def test_duckdb(tmp_path: Path) -> None:
    file = tmp_path / "menu.duckdb"
    with duckdb.connect(str(file)) as database:
        database.execute(_DATABASE + _MACROS)
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

    with postgres_server() as url:
        with psycopg.connect(url) as connection:
            connection.execute(_DATABASE + _FUNCTIONS)
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
