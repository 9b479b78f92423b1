"""A store beside a graph, for what only SPARQL can say.

The store is made once for a table, and brought to the state of a graph by the changes in which the two differ: a
change of two triples costs two updates, however large the graph is.
"""

from __future__ import annotations

from kgprobe.graph.changes import KeyTriple
from kgprobe.graph.derived import PerTable
from kgprobe.graph.graph import Graph
from kgprobe.graph.sparql.exact_store import ExactStore
from kgprobe.graph.table import TripleTable

__all__ = ["SparqlIndex"]


class SparqlIndex:
    """The triples of a table and of one graph's changes to it, in a store."""

    def __init__(self, table: TripleTable) -> None:
        self._store = ExactStore(Graph.from_table(table))
        self._applied: dict[KeyTriple, bool] = {}

    @staticmethod
    def of(graph: Graph) -> SparqlIndex:
        """The index for a graph, in its present state. It is shared by all graphs of the table: use it at once."""
        index = _INDEXES.of(graph.table)
        index._follow(graph)
        return index

    @property
    def store(self) -> ExactStore:
        """The store, to ask and not to change."""
        return self._store

    def _follow(self, graph: Graph) -> None:
        """Bring the store to the state of this graph."""
        wanted = graph.changed_keys
        differing = [keys for keys in self._applied if keys not in wanted]
        differing += [keys for keys in wanted if keys not in self._applied]
        for keys in differing:
            if graph.has(*keys):
                self._store.add(graph.triple(keys))
            else:
                self._store.remove(graph.triple(keys))
        self._applied = dict(wanted)


_INDEXES = PerTable(SparqlIndex)
