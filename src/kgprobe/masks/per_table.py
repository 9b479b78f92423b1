"""What a check finds out about a table once, and then uses for all graphs that share the table."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

from kgprobe.graph.table import TripleTable

__all__ = ["PerTable"]

_State = TypeVar("_State")


class PerTable(Generic[_State]):
    """A value for each table, made when it is first needed and forgotten with the table."""

    def __init__(self, make: Callable[[TripleTable], _State]) -> None:
        self._make = make
        self._known: weakref.WeakKeyDictionary[TripleTable, _State] = weakref.WeakKeyDictionary()
        # The table that was asked for last, most often the only one there is, and its value.
        self._last: Callable[[], TripleTable | None] = _no_table
        self._state: _State

    def of(self, table: TripleTable) -> _State:
        """The value for this table."""
        if self._last() is table:
            return self._state
        state = self._known.get(table)
        if state is None:
            state = self._known[table] = self._make(table)
        self._last, self._state = weakref.ref(table), state
        return state

    def knows(self, table: TripleTable) -> bool:
        """Whether the value for this table has been made already."""
        return table in self._known


def _no_table() -> None:
    return None
