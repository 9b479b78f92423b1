"""What is known of libraries for databases: what makes a connection, and what its members read.

One interface stands for connections, cursors, engines, sessions and answers. Whatever is not here makes a test
unanalysable, as with graphs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = [
    "DATABASE",
    "DATABASES",
    "FACTORY",
    "IDLE_MEMBERS",
    "MAKERS",
    "RECORDS",
    "SELF_MEMBERS",
    "SQL_FUNCTIONS",
    "SQL_MEMBERS",
]
__all__ += ["TAKERS", "is_database_name", "member_of_library"]

DATABASE: Final = "database"
FACTORY: Final = "database factory"
"""The interface of what returns a class of sessions, as `sessionmaker`."""

_STRICT = """
    sqlite3 aiosqlite duckdb psycopg psycopg2 psycopg_pool asyncpg pg8000 pymysql MySQLdb mysql mariadb aiomysql
    oracledb cx_Oracle pyodbc pymssql snowflake clickhouse_connect clickhouse_driver trino pyhive databricks records
    ibis neo4j kuzu pymongo motor couchdb arango gremlin_python typedb ladybug
"""
# Libraries with much that has no database: only the names below count.
_LENIENT = "sqlalchemy sqlmodel pandas polars dask geopandas connectorx adbc_driver_manager django"
DATABASES: Final = frozenset(_STRICT.split()) | frozenset(_LENIENT.split())

RECORDS: Final = frozenset(["django", "peewee", "tortoise", "pony", "mongoengine", "ormar", "gino"])
"""Libraries with classes that ask for their rows."""

MAKERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            *("sqlite3.connect", "sqlite3.Connection", "duckdb.connect", "duckdb.cursor", "psycopg.connect"),
            *("psycopg2.connect", "psycopg2.Connection", "psycopg.Connection", "pymysql.connect", "mysql.connect"),
            *("MySQLdb.connect", "mariadb.connect", "oracledb.connect", "cx_Oracle.connect", "pyodbc.connect"),
            *("pymssql.connect", "snowflake.connect", "trino.connect", "aiosqlite.connect", "asyncpg.connect"),
            *("pg8000.connect", "sqlalchemy.create_engine", "sqlalchemy.create_async_engine", "sqlalchemy.Session"),
            *("sqlalchemy.AsyncSession", "sqlalchemy.engine_from_config", "sqlmodel.create_engine", "sqlmodel.Session"),
        ),
        DATABASE,
    ),
    **dict.fromkeys(("sqlalchemy.sessionmaker", "sqlalchemy.async_sessionmaker", "sqlalchemy.scoped_session"), FACTORY),
}
"""The functions and classes that open a database. A name stands for all modules that have it."""

SQL_FUNCTIONS: Final[Mapping[str, str]] = {
    **{f"duckdb.{name}": name for name in ("sql", "query", "execute", "executemany")},
    **{
        f"{library}.{name}": name
        for library in ("pandas", "polars", "dask", "geopandas", "connectorx")
        for name in (
            "read_sql",
            "read_sql_query",
            "read_sql_table",
            "read_database",
            "read_database_uri",
            "read_postgis",
        )
    },
}
"""Functions of libraries that run SQL: each is a member of a database."""

_NO_DATABASE: Final = (
    *("Error", "Exception", "Warning", "Row", "Binary", "version", "version_info", "apilevel", "paramstyle"),
    *("threadsafety", "dict_row", "tuple_row", "namedtuple_row", "class_row", "RealDictCursor", "DictCursor"),
    *("extras", "rows", "errors", "register_adapter", "register_converter", "PARSE_DECLTYPES", "PARSE_COLNAMES"),
)

SQL_MEMBERS: Final = (
    *("execute", "executemany", "executescript", "exec_driver_sql", "exec", "sql", "query", "scalar", "scalars"),
    *("stream", "stream_scalars", "fetch", "fetchrow", "fetchval", "read_sql", "read_sql_query", "read_database"),
    *("read_database_uri", "read_postgis", "execute_fetchall"),
)
"""Members whose first argument is SQL, or a statement of SQLAlchemy."""

SELF_MEMBERS: Final = (
    *("cursor", "connect", "connection", "begin", "begin_nested", "filter", "project", "order", "limit", "distinct"),
    *("aggregate", "set_alias", "mappings", "unique", "execution_options", "raw_connection", "acquire", "transaction"),
    *("filter_by", "where", "order_by", "group_by", "offset"),
)
IDLE_MEMBERS: Final = (
    *("commit", "rollback", "close", "dispose", "remove", "expunge", "expunge_all", "expire_all", "flush", "add"),
    *("add_all", "delete", "interrupt", "set_trace_callback", "create_function", "enable_load_extension", "create_all"),
    *(
        "fetchone",
        "fetchall",
        "fetchmany",
        "fetchdf",
        "fetchnumpy",
        "fetch_df",
        "fetch_arrow_table",
        "df",
        "pl",
        *("to_df", "count"),
    ),
    *("arrow", "all", "one", "first", "scalar_one", "scalar_one_or_none", "one_or_none", "partitions", "freeze"),
    *("show", "keys", "setinputsizes", "setoutputsize", "nextset", "install_extension", "load_extension", "result"),
    *("__iter__", "__next__", "__len__", "__bool__", "__eq__", "__ne__", "__hash__", "__str__", "__repr__"),
    *("__getitem__", "__contains__"),
)

TAKERS: Final = frozenset(["create_all", "drop_all", "sessionmaker", "scoped_session", "Session", "AsyncSession"])
"""Functions of SQLAlchemy that take an engine, and ask it for no rows."""

_NAMES: Final = frozenset(
    ["cursor", "cur", "conn", "connection", "con", "db", "database", "engine", "session", "tx", "warehouse"]
)


def is_database_name(name: str) -> bool:
    """Whether a name is likely one of a database."""
    return name.lower().rpartition("_")[2] in _NAMES or name.lower().partition("_")[0] in ("db", "conn", "cursor")


def member_of_library(name: str) -> tuple[str, str] | None:
    """What a dotted name of such a library is: ("maker", its interface), ("function", its member), or ("unknown", "").

    None if the name has no database, or is only a part of a longer one.
    """
    parts = name.split(".")
    key = f"{parts[0]}.{parts[-1]}"
    if len(parts) == 1:
        return None
    if key in MAKERS:
        return "maker", MAKERS[key]
    if key in SQL_FUNCTIONS:
        return "function", SQL_FUNCTIONS[key]
    if key == "django.connection":
        return "value", DATABASE
    is_plain = parts[-1].endswith(_NO_DATABASE) or parts[0] in _LENIENT.split()
    return None if is_plain else ("unknown", "")
