"""The few operations that making cases needs of a database: DuckDB alone, or with Spark for the large joins."""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kgprobe.errors import InputError, did_you_mean
from kgprobe.questions.facts.database import Facts
from kgprobe.questions.facts.spark import SparkTables


class Engine:
    """Temporary tables and queries in the database of facts."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return self.facts.sql(sql)

    def value(self, sql: str) -> Any:
        """The only value of a query."""
        return self.query(sql)[0][0]

    def count(self, table: str) -> int:
        """The number of rows of a table."""
        return int(self.value(f"SELECT count(*) FROM {table}"))

    def table(self, name: str, sql: str) -> int:
        """Make a table from the rows of a query, and return their number."""
        return int(self.facts.value(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}"))

    def view(self, name: str, sql: str) -> None:
        """Name a query."""
        self.facts.sql(f"CREATE OR REPLACE TEMP VIEW {name} AS {sql}")

    def append(self, name: str, sql: str) -> int:
        """Add the rows of a query to a table, and return their number."""
        return int(self.facts.value(f"INSERT INTO {name} {sql}"))

    def rows(self, name: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        """Make a table from rows."""
        self.facts.sql(f"CREATE OR REPLACE TEMP TABLE {name} ({columns})")
        given = [tuple(row) for row in rows]
        if given:
            marks = ", ".join("?" * len(given[0]))
            self.facts.connection.executemany(f"INSERT INTO {name} VALUES ({marks})", given)

    def rename(self, old: str, new: str) -> None:
        """Give a table the name of another one, which is lost."""
        self.drop(new)
        self.facts.sql(f"ALTER TABLE {old} RENAME TO {new}")

    def sample(self, name: str, join: str) -> int:
        """Make a table from a join of facts, and return the number of its rows."""
        return self.table(name, join)

    def joined_count(self, join: str) -> int:
        """The number that a join of facts yields."""
        return int(self.value(join))

    def drop(self, name: str) -> None:
        """Remove a table."""
        self.facts.sql(f"DROP TABLE IF EXISTS {name}")


ENGINES = ("duckdb", "spark")
"""The names of the engines."""


class SparkEngine(Engine):
    """Joins over all facts run on Spark; their samples come back, and everything else happens in DuckDB."""

    def __init__(self, facts: Facts, spark: SparkTables) -> None:
        super().__init__(facts)
        self._spark = spark
        self._is_open = True
        self._views: set[str] = set()

    def sample(self, name: str, join: str) -> int:
        self._changed(name)
        return self._spark.bring(name, join)

    def joined_count(self, join: str) -> int:
        return int(self._spark.sql(join)[0][0])

    # Spark has copies of tables, and gets a new one after a change.

    def table(self, name: str, sql: str) -> int:
        self._changed(name)
        return super().table(name, sql)

    def view(self, name: str, sql: str) -> None:
        self._changed(name)
        self._views.add(name)
        super().view(name, sql)

    def append(self, name: str, sql: str) -> int:
        self._changed(name)
        return super().append(name, sql)

    def rows(self, name: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        self._changed(name)
        super().rows(name, columns, rows)

    def rename(self, old: str, new: str) -> None:
        self._changed(old)
        self._changed(new)
        super().rename(old, new)

    def drop(self, name: str) -> None:
        self._changed(name)
        super().drop(name)

    def close(self) -> None:
        """End Spark. Everything but joins over all facts still works."""
        self._is_open = False
        self._spark.close()

    def _changed(self, name: str) -> None:
        if self._is_open:
            for table in {name, *self._views}:  # a view may show the table that changes
                self._spark.drop(table)


def check_engine(name: str) -> None:
    """InputError if there is no engine with this name."""
    if name not in ENGINES:
        hint = did_you_mean(name, ENGINES, f"the engines are {' and '.join(ENGINES)}")
        raise InputError(f"there is no engine '{name}'", hint=hint)


@contextmanager
def engine_for(name: str, facts: Facts) -> Iterator[Engine]:
    """The engine with this name. UnavailableError if Spark is not installed or does not start."""
    if name == "duckdb":
        yield Engine(facts)
        return
    engine = SparkEngine(facts, SparkTables(facts))
    try:
        yield engine
    finally:
        engine.close()
