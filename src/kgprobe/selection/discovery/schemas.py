"""What is known about the database that SQL tests ask: from files with definitions, a live database and a profile.

A live database is only read, and not for long.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.given_files import exact_text
from kgprobe.selection.discovery.files import SQL_SUFFIXES, text_of, walk
from kgprobe.selection.discovery.search import Search
from kgprobe.selection.discovery.sql_files import defines_relations
from kgprobe.selection.sql.catalogue import Catalogue, Definitions, only_defines
from kgprobe.selection.sql.definitions import Definition
from kgprobe.selection.sql.statements import definitions_in
from kgprobe.selection.tests import Column, Relation, holds_text

if TYPE_CHECKING:
    import duckdb
    import psycopg


def catalogue_for(search: Search) -> Catalogue:
    """The relations and functions that tests can use.

    What a live database says counts most, then files of --schema and files among the tests that only define something.
    A test that makes a relation for itself does not change what others see.
    """
    options = search.options
    live = Catalogue()
    if options.database is not None:
        from kgprobe.selection.discovery.schemas import read_database

        live = read_database(options.database)
    found, of_tests = Definitions(), Definitions()
    for file, text, is_given in _texts(search):
        reading = definitions_in(text, options.dialect)
        is_schema = is_given or only_defines(reading.statements)
        (found if is_schema else of_tests).collect(reading, str(file))
    for relation in options.stored:
        found.store(relation)
    for problem in found.problems:
        search.note(problem)
    return live.with_others(found.catalogue()).with_others(of_tests.catalogue())


def _texts(search: Search) -> Iterator[tuple[Path, str, bool]]:
    """The files that may define relations, each once, and whether the user has given it as a schema."""
    seen = set()
    for file in _given(search):
        seen.add(os.path.realpath(file))
        yield file, exact_text(file), True
    beside = walk(search.options.beside, search.root, search.note)
    for test_file in [*search.sql_files, *(file for file in beside if file.suffix in SQL_SUFFIXES)]:
        place = os.path.realpath(test_file.path)
        if place not in seen:
            seen.add(place)
            text = text_of(test_file.file)  # None: its test says why
            if text is not None and defines_relations(text):
                yield test_file.file, text, False


def _given(search: Search) -> Iterator[Path]:
    """The files of --schema."""
    for path in search.options.schema:
        if not path.exists():
            raise InputError(
                "does not exist", where=Position(str(path)), hint="--schema names a file or folder with SQL"
            )
        if path.is_dir():
            files = [
                test_file.file
                for test_file in walk([path], search.root, search.note)
                if test_file.suffix in SQL_SUFFIXES
            ]
            if not files:
                hint = f"it has definitions in files such as *{SQL_SUFFIXES[0]}"
                raise InputError("has no SQL file", where=Position(str(path)), hint=hint)
            yield from files
        else:
            yield path


# -- live databases ----------------------------------------------------------------------------------------------------


_SECONDS = 30.0
_SCHEMES = ("postgresql", "postgres", "duckdb", "sqlite")
_HINT = "such as postgresql://user@host/name, duckdb:///path/file.duckdb or sqlite:///path/file.db"
_INSTALL = "pip install 'kgprobe[warehouse]'"
_STEPS = 10_000  # of SQLite, between two looks at the clock


def check_database(url: str) -> None:
    """Raise InputError if this is not the URL of a database that kgprobe can read."""
    scheme = url.partition("://")[0].lower()
    if "://" not in url or scheme not in _SCHEMES:
        known = _SCHEMES if "://" in url else ()
        hint = did_you_mean(scheme, known, f"it is a URL {_HINT}", shown="'{}://'")
        raise InputError(f"--database: '{_without_password(url)}' is not a database that kgprobe can read", hint=hint)


def read_database(url: str) -> Catalogue:
    """The relations and functions of a database. InputError if it cannot be read."""
    check_database(url)
    scheme = url.partition("://")[0].lower()
    found = Definitions()
    if scheme == "duckdb":
        _read_duckdb(_file(url), found)
    elif scheme == "sqlite":
        _read_sqlite(_file(url), found)
    else:
        _read_postgres(url, found)
    return found.catalogue()


def _without_password(url: str) -> str:
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", url)


def _file(url: str) -> Path:
    """The file of `duckdb:///relative`, `duckdb:////absolute`, and `duckdb://relative`."""
    path = Path(unquote(url.partition("://")[2].removeprefix("/").partition("?")[0]))
    if not path.is_file():
        raise InputError(f"--database: there is no file {path}", hint=f"{url.partition('://')[0]}:///path/file")
    return path


def _problem(what: str, error: Exception) -> InputError:
    said = str(error).strip().partition("\n")[0]
    return InputError(f"--database: {what} cannot be read: {said}")


def _missing(package: str) -> InputError:
    return InputError(f"--database: this needs {package}", hint=_INSTALL)


# -- SQLite ------------------------------------------------------------------------------------------------------------


def _read_sqlite(path: Path, found: Definitions) -> None:
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5)
        end = time.monotonic() + _SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
        try:
            rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").fetchall()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise _problem(str(path), error) from None
    for (definition,) in rows:
        found.read(definition, "", "sqlite")


# -- DuckDB ------------------------------------------------------------------------------------------------------------

_DUCKDB_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns()
WHERE NOT internal AND table_name IN (SELECT table_name FROM duckdb_tables()) ORDER BY table_oid, column_index
"""
_DUCKDB_KEYS = """
SELECT schema_name, table_name, constraint_column_names FROM duckdb_constraints()
WHERE constraint_type IN ('PRIMARY KEY', 'UNIQUE')
"""
_DUCKDB_MACROS = """
SELECT function_name, function_type, parameters, macro_definition FROM duckdb_functions()
WHERE NOT internal AND macro_definition IS NOT NULL
"""
_DUCKDB_FUNCTIONS = """
SELECT DISTINCT function_name FROM duckdb_functions()
WHERE internal AND function_type IN ('scalar', 'aggregate') AND stability LIKE 'CONSISTENT%'
"""


def _read_duckdb(path: Path, found: Definitions) -> None:
    try:
        import duckdb
    except ImportError:
        raise _missing("duckdb") from None
    try:
        connection = duckdb.connect(str(path), read_only=True)
        timer = Timer(_SECONDS, connection.interrupt)
        timer.start()
        try:
            _read_duckdb_catalogue(connection, found)
        finally:
            timer.cancel()
            connection.close()
    except duckdb.Error as error:
        raise _problem(str(path), error) from None


def _read_duckdb_catalogue(connection: duckdb.DuckDBPyConnection, found: Definitions) -> None:
    keys = {
        (schema, table, names[0])
        for schema, table, names in connection.execute(_DUCKDB_KEYS).fetchall()
        if len(names) == 1
    }
    found.tables(_tables(connection.execute(_DUCKDB_COLUMNS).fetchall(), keys))
    for (definition,) in connection.execute("SELECT sql FROM duckdb_views() WHERE NOT internal").fetchall():
        found.read(definition, "", "duckdb")
    for name, kind, parameters, body in connection.execute(_DUCKDB_MACROS).fetchall():
        table = "TABLE " if kind == "table_macro" else ""
        found.read(f'CREATE MACRO "{name}"({", ".join(parameters)}) AS {table}{body}', "", "duckdb")
    found.builtin(name for (name,) in connection.execute(_DUCKDB_FUNCTIONS).fetchall())


# -- PostgreSQL --------------------------------------------------------------------------------------------------------

_OWN = "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_toast%'"
_COLUMNS = f"""
SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod) || coalesce(' COLLATE ' || l.collname, '')
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_collation l ON l.oid = a.attcollation AND NOT l.collisdeterministic
WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'f') AND {_OWN} ORDER BY c.oid, a.attnum
"""  # noqa: S608 - only constants
_KEYS = """
SELECT n.nspname, c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
WHERE i.indisunique AND i.indnkeyatts = 1 AND i.indpred IS NULL
"""
_VIEWS = f"""
SELECT n.nspname, c.relname, pg_get_viewdef(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('v', 'm') AND {_OWN}
"""  # noqa: S608
_FUNCTIONS = f"""
SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.prokind IN ('f', 'p') AND {_OWN}
AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
"""  # noqa: S608
_BUILTIN = """
SELECT DISTINCT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname = 'pg_catalog' AND p.provolatile = 'i'
"""
_GUARDED = """
SELECT c.relname, 'trigger' FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
UNION SELECT c.relname, 'policy' FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
UNION SELECT c.relname, 'rule' FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class WHERE r.rulename <> '_RETURN'
"""


def _read_postgres(url: str, found: Definitions) -> None:
    try:
        import psycopg
    except ImportError:
        raise _missing("psycopg") from None
    server = urlsplit(url).hostname or "the server"
    milliseconds = int(_SECONDS * 1000)
    limits = f"-c statement_timeout={milliseconds} -c default_transaction_read_only=on"
    try:
        with psycopg.connect(url, connect_timeout=10, options=limits) as connection:
            _read_postgres_catalogue(connection, found)
    except psycopg.Error as error:
        raise _problem(f"the database at {server}", error) from None


def _read_postgres_catalogue(connection: psycopg.Connection[tuple[str, ...]], found: Definitions) -> None:
    keys = {(schema, table, column) for schema, table, column in connection.execute(_KEYS)}
    found.tables(_tables(connection.execute(_COLUMNS).fetchall(), keys))
    for schema, name, body in connection.execute(_VIEWS).fetchall():
        found.read(f'CREATE VIEW "{schema}"."{name}" AS {body}', "", "postgres")
    for (definition,) in connection.execute(_FUNCTIONS).fetchall():
        found.read(definition, "", "postgres")
    found.builtin(name for (name,) in connection.execute(_BUILTIN).fetchall())
    for name, kind in connection.execute(_GUARDED).fetchall():
        found.guard(name, kind)
    row = connection.execute("SELECT array_to_string(current_schemas(false), ',')").fetchone()
    found.look_up(row[0].split(",") if row else [])


def _tables(rows: Iterable[tuple[str, ...]], keys: set[tuple[str, str, str]]) -> Iterator[Definition]:
    """The tables of rows with a schema, a table, a column and its type."""
    by_table: dict[tuple[str, str], list[Column]] = {}
    for schema, table, column, kind in rows:
        is_key = (schema, table, column) in keys
        by_table.setdefault((schema, table), []).append(Column(column.lower(), kind, holds_text(kind), is_key))
    for (schema, table), columns in by_table.items():
        # Constraints of several columns are not looked at, so each table counts as one that may refuse rows.
        yield Definition(table.lower(), schema.lower(), Relation(table.lower(), tuple(columns)), has_keys=True)
