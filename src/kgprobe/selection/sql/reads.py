"""Stored tables, and what SQL reads of them: occurrences of tables, and the rows of each that can matter to the result.

The result of a statement depends only on the rows of its sources that pass all their restrictions. A restriction that
was not understood is left out, so that more rows count. A statement with a part that may read anything else is not
expressed in this way: its test is unanalysable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

__all__ = ["Column", "ColumnOf", "Constants", "Equal", "Relation", "Source", "TablesUse", "holds_text"]

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


# -- what a statement reads --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constants:
    """The values that a restriction allows: one of these texts, or a text that matches a LIKE pattern.

    A pattern has its escape character, or None. `folds` says that the comparison may ignore case.
    """

    texts: frozenset[str]
    patterns: tuple[tuple[str, str | None], ...] = ()
    folds: bool = False


@dataclass(frozen=True, slots=True)
class ColumnOf:
    """A column of the source with this number."""

    source: int
    column: str


@dataclass(frozen=True, slots=True)
class Equal:
    """The rows whose `column` has the value that one of these columns has, in a row that passes its restrictions.

    The columns are of earlier sources. In a recursive query, later sources and the source itself may be added to them:
    the rows are then the smallest set that fits. `by_key` says that the columns hold keys, so that rows with the same
    value are about the same term: one of the two columns is a key of its table, or both refer to the same key. `is_key`
    says that `column` is a key of its table, and `of_keys` that all the other columns are keys of theirs.
    """

    column: str
    values_of: tuple[ColumnOf, ...]
    by_key: bool = False
    is_key: bool = False
    of_keys: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """One occurrence of a stored table. Names of tables and columns are in lower case, tables without their schema."""

    table: str
    line: int | None = None
    columns: frozenset[str] | None = None  # those whose values can matter; None: all
    # By column; all must hold. Not in the hash, because a mapping has none.
    constants: Mapping[str, Constants] = field(default_factory=dict, hash=False)
    equal: tuple[Equal, ...] = ()  # all must hold


@dataclass(frozen=True, slots=True)
class TablesUse:
    """What a statement reads. A change affects it if a row of a source changes, and passes the restrictions."""

    sources: tuple[Source, ...]
    text: str = ""  # the statement, shortened for reasons
    line: int | None = None
