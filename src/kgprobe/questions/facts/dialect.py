"""Where the SQL of DuckDB and of Spark differ. Both understand everything else in the queries that make cases.

Keep to this: `||`, CAST, CASE, `%`, least, greatest, length, substr, replace, md5, min_by, max_by, row_number, FILTER,
WITH, UNION ALL, EXCEPT, EXISTS, USING. Write texts with `text`: a backslash means different things. Sort by columns
without NULL, since the engines put it at different ends. Cast factors to BIGINT: the product of two integers is an
integer, and may overflow.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DUCKDB", "SPARK", "Dialect", "text"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """Expressions that the engines spell differently, as templates."""

    name: str
    _quotient: str
    _array: str
    _joined: str
    _sorted_set: str
    _item: str

    def quotient(self, dividend: str, divisor: str) -> str:
        """The quotient of two integers of the same sign, without its fraction."""
        return self._quotient.format(dividend, divisor)

    def array(self, *items: str) -> str:
        """An array of values."""
        return self._array.format(", ".join(items))

    def joined(self, array: str, separator: str) -> str:
        """The texts of an array as one text; `separator` is a text, not an expression."""
        return self._joined.format(array, text(separator))

    def sorted_set(self, value: str) -> str:
        """An aggregate: the different values of a group in their order, as an array."""
        return self._sorted_set.format(value)

    def item(self, array: str, number: str) -> str:
        """An item of an array, counted from 1."""
        return self._item.format(array, number)


DUCKDB = Dialect(
    "duckdb", "(({0}) // ({1}))", "[{0}]", "array_to_string({0}, {1})", "list(DISTINCT {0} ORDER BY {0})", "({0})[{1}]"
)
SPARK = Dialect(
    "spark",
    "(({0}) div ({1}))",
    "array({0})",
    "array_join({0}, {1})",
    "sort_array(collect_set({0}))",
    "element_at({0}, {1})",
)


def text(value: str) -> str:
    """A text as an expression of SQL, for both engines."""
    quoted = "'" + value.replace("'", "''") + "'"
    return "(" + quoted.replace("\\", "' || chr(92) || '") + ")" if "\\" in value else quoted
