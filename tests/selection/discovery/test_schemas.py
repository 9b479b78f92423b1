"""What SQL tests know about their database, from files with definitions and other sources."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.selection.tests import Direction, TermUse
from kgprobe.selection.warehouse.reads import TablesUse
from kgprobe.selection.warehouse.relations import Column, Relation

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
