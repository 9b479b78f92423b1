"""Values that follow from a table or a graph, made once and kept with it.

There is one idea for them: a value lives in what it was made from, under what makes it, and goes when either goes.

- `PerTable` is for values that follow from a table, such as the keys of a vocabulary or a validator's session. They
  are made when first asked for, and are forgotten with the table or with whatever holds the `PerTable`.
- `Graph.found` is for values that follow from a graph as it is now. They are forgotten when the graph changes.

Neither is pickled, and threads that ask at the same time get the same value. Use `functools.cached_property` for a
value that follows from an object that never changes, and `functools.cache` or `lru_cache` for a pure function of small
values.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from kgprobe.graph.changes import Key
    from kgprobe.graph.graph import Graph
    from kgprobe.graph.table import TripleTable
    from kgprobe.graph.terms import Term

__all__ = ["DerivedValues", "KeySet", "PerTable"]

_Value = TypeVar("_Value")


class DerivedValues(dict[Any, Any]):
    """The values that were made from one table, by weak references to the `PerTable` that makes each."""

    def __init__(self) -> None:
        super().__init__()
        these = weakref.ref(self)  # the references below are in here: nothing must go round in a circle

        def forget(key: object) -> None:
            values = these()
            if values is not None:
                values.pop(key, None)

        self.forget: Callable[[object], None] = forget


class PerTable(Generic[_Value]):
    """A value for each table."""

    __slots__ = ("__weakref__", "_key", "_make")

    def __init__(self, make: Callable[[TripleTable], _Value]) -> None:
        self._make = make
        self._key = weakref.ref(self)

    def of(self, table: TripleTable) -> _Value:
        """The value for this table."""
        values = table.derived
        try:
            known: _Value = values[self._key]
        except KeyError:
            known = values.setdefault(weakref.ref(self, values.forget), self._make(table))
        return known

    def knows(self, table: TripleTable) -> bool:
        """Whether the value for this table exists already."""
        return self._key in table.derived


class KeySet:
    """A set of terms, as the keys that they have in a graph."""

    __slots__ = ("_keys",)

    def __init__(self, *terms: Term) -> None:
        self._keys = PerTable(lambda table: frozenset(map(table.key, terms)))

    def of(self, graph: Graph) -> frozenset[Key]:
        """Their keys in this graph."""
        return self._keys.of(graph.table)
