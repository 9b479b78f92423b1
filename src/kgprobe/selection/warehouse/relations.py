"""Stored tables, as far as the reader of SQL and the warehouse have to know them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

__all__ = ["Column", "Relation", "holds_text"]

_TEXT = frozenset(
    [
        *("BPCHAR", "CHAR", "CHARACTER", "CITEXT", "CLOB", "LONGTEXT", "MEDIUMTEXT", "NAME", "NCHAR", "NCLOB", "NTEXT"),
        *("NVARCHAR", "NVARCHAR2", "STRING", "TEXT", "TINYTEXT", "VARCHAR", "VARCHAR2"),
    ]
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. Its name is in lower case; `type` is as it was declared, or empty if nobody says it."""

    name: str
    type: str = ""
    is_text: bool = False  # whether it holds nothing but text, such as a name: no numbers, dates or arrays
    is_key: bool = False  # whether it is a PRIMARY KEY or UNIQUE by itself, so that a value stands in one row at most


@dataclass(frozen=True)
class Relation:
    """A stored table. Its name is in lower case, without a schema."""

    name: str
    columns: tuple[Column, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}


def holds_text(type_name: str) -> bool:
    """Whether a column of this SQL type holds nothing but text."""
    first = type_name.strip().upper().partition("(")[0].split()
    return bool(first) and first[0] in _TEXT and not type_name.rstrip().endswith("]")
