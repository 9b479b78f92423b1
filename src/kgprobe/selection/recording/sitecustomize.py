"""Records the SQL that this process runs through sqlite3, DuckDB or psycopg, with the values that are bound to it.

The interpreter of a test loads this file by its name; it may be any interpreter, so only the standard library is used.
Each line of the record is `["start", process]`, `["sql", text]`, `["unseen", reason]` or `["end", process]`. What
cannot be recorded is said: a record without a reason is complete.
"""

from __future__ import annotations

import atexit
import importlib.machinery
import importlib.util
import json
import os
import re
import sys
import threading
from typing import Any

_FILE = os.environ.get("KGPROBE_SQL_RECORD", "")
_ENDPOINT = os.environ.get("KGPROBE_ENDPOINT", "")
_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib takes long to import
# These reach databases or graphs in ways that are not recorded.
_OTHERS = frozenset(
    [
        *("psycopg2", "pg8000", "asyncpg", "pymysql", "MySQLdb", "mysql", "oracledb", "cx_Oracle", "pyodbc", "aioodbc"),
        *("snowflake", "adbc_driver_manager", "connectorx", "clickhouse_driver", "apsw", "pymssql", "trino"),
        *("rdflib", "pyoxigraph", "owlready2", "pronto", "fastobo", "SPARQLWrapper"),
    ]
)
_HARMLESS_PROGRAMS = frozenset(["uname", "file", "lsb_release"])
# Functions of DuckDB that read without SQL.
_WITHOUT_SQL = (
    *("table", "view", "table_function", "from_arrow", "from_csv_auto", "from_df", "from_parquet", "register"),
    *("append", "appender", "read_csv", "read_json", "read_parquet", "query_appender"),
)
_PLACES = re.compile(
    r"""(?P<skip>'(?:[^']|'')*'|"[^"]*"|--[^\n]*|/\*.*?\*/|\$\$.*?\$\$)|\?|\$(?P<name>\w+)""", re.DOTALL
)
_turn = threading.local()


def _write(*entry: object) -> None:
    line = json.dumps(entry) + "\n"
    descriptor = os.open(_FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


def _unseen(reason: str) -> None:
    _write("unseen", reason)


# -- sqlite3: it tells each statement with its values ------------------------------------------------------------------


def _watch_sqlite() -> None:
    try:
        import sqlite3
        import sqlite3.dbapi2
    except ImportError:  # an interpreter without it
        return
    connect = sqlite3.connect

    def recorded(*arguments: Any, **options: Any) -> Any:
        _turn.is_ours = True
        try:
            connection = connect(*arguments, **options)
        finally:
            _turn.is_ours = False
        connection.set_trace_callback(_of_sqlite)
        return connection

    sqlite3.connect = sqlite3.dbapi2.connect = recorded


def _of_sqlite(text: str) -> None:
    # A comment in one line is about a trigger, which the statement that set it off implies.
    if not text.startswith("-- ") or "\n" in text:
        _write("sql", text)


# -- DuckDB: values are written in place of the parameters -------------------------------------------------------------


def _watch_duckdb(module: Any) -> None:
    for owner in (module.DuckDBPyConnection, module):
        for name in ("execute", "sql", "query", "from_query", "executemany"):
            if hasattr(owner, name):
                setattr(owner, name, _of_duckdb(getattr(owner, name), name, owner is module))
        for name in _WITHOUT_SQL:
            if hasattr(owner, name):
                setattr(owner, name, _not_sql(getattr(owner, name), f"duckdb's {name}"))


def _of_duckdb(original: Any, name: str, is_function: bool) -> Any:
    def recorded(*arguments: Any, **options: Any) -> Any:
        given = list(arguments if is_function else arguments[1:])
        query = given[0] if given else options.get("query", options.get("sql_query"))
        key = "params" if name in ("sql", "query") else "parameters"
        values = options.get(key, given[1] if len(given) > 1 and name in ("execute", "executemany") else None)
        if not isinstance(query, str):
            _unseen("a statement that is not a text was run")
        elif name == "executemany":
            for value in values or ():
                _record(query, value)
        else:
            _record(query, values)
        return original(*arguments, **options)

    return recorded


def _not_sql(original: Any, what: str) -> Any:
    def recorded(*arguments: Any, **options: Any) -> Any:
        _unseen(f"it uses {what}, which is not SQL")
        return original(*arguments, **options)

    return recorded


def _record(query: str, values: Any) -> None:
    text = _filled(query, values) if values else query
    if text is None:
        _unseen("a value is bound that cannot be written as SQL")
    _write("sql", query if text is None else text)


def _filled(query: str, values: Any) -> str | None:
    """The statement with its values; None if one of them has no literal."""
    count = 0

    def value_at(found: re.Match[str]) -> str:
        nonlocal count
        if found["skip"]:
            return found[0]
        name = found["name"]
        if name is None:
            count += 1
            return _literal(values[count - 1])
        return _literal(values[int(name) - 1] if name.isdigit() else values[name])

    try:
        return _PLACES.sub(value_at, query)
    except (LookupError, TypeError):
        return None


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_literal, value)) + "]"
    raise TypeError


# -- psycopg: it can write a statement with its values -----------------------------------------------------------------


def _watch_psycopg(module: Any) -> None:
    kinds = {module.Cursor, module.ServerCursor, module.ClientCursor, module.RawCursor}
    kinds |= {getattr(module, name) for name in ("RawServerCursor",) if hasattr(module, name)}
    for kind in kinds:
        for name in ("execute", "executemany", "stream"):
            if name in vars(kind):
                setattr(kind, name, _of_psycopg(vars(kind)[name], name, module))
        if "copy" in vars(kind):
            kind.copy = _of_psycopg(vars(kind)["copy"], "execute", module)
    for name in ("AsyncCursor", "AsyncServerCursor", "AsyncClientCursor", "AsyncRawCursor"):
        kind = getattr(module, name)
        if "execute" in vars(kind):
            kind.execute = _not_sql(kind.execute, "an asynchronous cursor of psycopg")


def _of_psycopg(original: Any, name: str, module: Any) -> Any:
    def recorded(cursor: Any, query: Any, params: Any = None, *arguments: Any, **options: Any) -> Any:
        if not getattr(_turn, "is_inside", False):
            for param in (params or ()) if name == "executemany" else (params,):
                try:
                    written = module.ClientCursor(cursor.connection).mogrify(query, param)
                    _write("sql", written)
                except Exception as error:
                    _unseen(f"a statement of psycopg could not be written: {type(error).__name__}")
        outer, _turn.is_inside = getattr(_turn, "is_inside", False), True  # one method may call another
        try:
            return original(cursor, query, params, *arguments, **options)
        finally:
            _turn.is_inside = outer

    return recorded


# -- what is not recorded, and libraries that are loaded later ---------------------------------------------------------

_WATCHED = {"duckdb": _watch_duckdb, "psycopg": _watch_psycopg}


class _Finder:
    """Watches a library as soon as it has been imported."""

    @staticmethod
    def find_spec(name: str, *_: Any) -> Any:
        watch = _WATCHED.pop(name, None)
        if watch is None:
            return None
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            watch(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "sqlite3.connect/handle" and not getattr(_turn, "is_ours", False):
        _unseen("it opens a database of sqlite3 in a way that is not recorded")
    elif event == "subprocess.Popen":
        program = os.path.basename(os.fsdecode(arguments[0] or (arguments[1] or [""])[0]))  # noqa: PTH119
        if program not in _HARMLESS_PROGRAMS:
            _unseen(f"it runs another program: {program}")
    elif event in ("os.system", "os.exec", "os.posix_spawn", "os.fork"):
        _unseen(f"it runs another program ({event})")
    elif event == "socket.connect" and isinstance(arguments[1], tuple) and not _is_endpoint(*arguments[1][:2]):
        _unseen("it opens a connection that is not recorded")


def _is_endpoint(host: object, port: object) -> bool:
    return f"//{host}:{port}/" in _ENDPOINT


def _end() -> None:
    loaded = sorted(_OTHERS & {name.partition(".")[0] for name in sys.modules})
    if loaded:
        _unseen(f"it uses {loaded[0]}, which is not recorded")
    _write("end", os.getpid())


def _run_the_other() -> None:
    """Run the `sitecustomize` that this file hides."""
    others = [place for place in sys.path if os.path.abspath(place) != _HERE]  # noqa: PTH100
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if _FILE:
    _write("start", os.getpid())
    _watch_sqlite()
    sys.meta_path.insert(0, _Finder)
    sys.addaudithook(_hook)
    atexit.register(_end)
_run_the_other()
