"""Values that are computed from a table or a graph once, and stored with it.

The principle: a value is stored in its source, under the object that computes it, and is dropped when either goes.

- `PerTable` is for values that depend on a table, such as the keys of a vocabulary or a validator's session. They are
  computed on first use, and dropped with the table or with the owner of the `PerTable`.
- `Graph.cached` is for values that depend on the present state of a graph. They are dropped when the graph changes.

Neither is pickled, and threads that ask at the same time get the same value. Use `functools.cached_property` for a
value that depends on an immutable object, and `functools.cache` or `lru_cache` for a pure function of small values.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from kgprobe.rdf.graph import Graph
    from kgprobe.rdf.table import Key, TripleTable
    from kgprobe.rdf.terms import Term

__all__ = ["KeySet", "PerTable"]

_Value = TypeVar("_Value")


class DerivedValues(dict[Any, Any]):
    """The values computed from one table. The keys are weak references to the `PerTable` objects that compute them."""

    def __init__(self) -> None:
        super().__init__()
        these = weakref.ref(self)  # weak, because the dictionary's keys refer to `forget`: avoids a cycle

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
        """The value for this table, computed on first use."""
        values = table.derived
        try:
            known: _Value = values[self._key]
        except KeyError:
            known = values.setdefault(weakref.ref(self, values.forget), self._make(table))
        return known

    def knows(self, table: TripleTable) -> bool:
        """Whether the value for this table has been computed."""
        return self._key in table.derived


class KeySet:
    """The keys of a set of terms."""

    __slots__ = ("_keys",)

    def __init__(self, *terms: Term) -> None:
        self._keys = PerTable(lambda table: frozenset(map(table.key, terms)))

    def of(self, graph: Graph) -> frozenset[Key]:
        """Their keys in this graph."""
        return self._keys.of(graph.table)
