"""The few operations that making cases needs of a database: DuckDB, or Spark with the same SQL."""

# ruff: noqa: S608 - all parts of the queries are ours
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
