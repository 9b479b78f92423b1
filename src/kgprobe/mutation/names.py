"""Names of a vocabulary as the keys that they have in a graph, looked up once for a table."""

from __future__ import annotations

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import NamedNode
from kgprobe.masks.per_table import PerTable

__all__ = ["Names"]


class Names:
    """A set of names."""

    def __init__(self, *names: NamedNode) -> None:
        self._keys = PerTable(lambda table: frozenset(map(table.key, names)))

    def of(self, graph: Graph) -> frozenset[Key]:
        """Their keys in this graph."""
        return self._keys.of(graph.table)
