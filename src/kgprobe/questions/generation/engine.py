"""The few operations that making cases needs of a database: DuckDB, or Spark with the same SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kgprobe.questions.facts.database import Facts

__all__ = ["Engine"]


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
        return int(self.value(f"SELECT count(*) FROM {table}"))  # noqa: S608 - our names

    def table(self, name: str, sql: str) -> None:
        """Make a table from the rows of a query."""
        self.facts.sql(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}")

    def view(self, name: str, sql: str) -> None:
        """Name a query."""
        self.facts.sql(f"CREATE OR REPLACE TEMP VIEW {name} AS {sql}")

    def append(self, name: str, sql: str) -> None:
        """Add the rows of a query to a table."""
        self.facts.sql(f"INSERT INTO {name} {sql}")  # noqa: S608 - our names

    def rows(self, name: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        """Make a table from rows."""
        self.facts.sql(f"CREATE OR REPLACE TEMP TABLE {name} ({columns})")
        given = [tuple(row) for row in rows]
        if given:
            marks = ", ".join("?" * len(given[0]))
            self.facts.connection.executemany(f"INSERT INTO {name} VALUES ({marks})", given)  # noqa: S608

    def drop(self, name: str) -> None:
        """Remove a table."""
        self.facts.sql(f"DROP TABLE IF EXISTS {name}")
