"""Values derived from a table are made once, and freed with the table or with their maker."""

from __future__ import annotations

import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from kgprobe.rdf.derived import KeySet, PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import TripleTable
from kgprobe.rdf.terms import NamedNode, Triple

_A, _B, _P = (NamedNode(f"urn:{name}") for name in "abp")


class _Value:
    """A value that refers to the table that it was made from."""

    def __init__(self, table: TripleTable) -> None:
        self.table = table


def _graph() -> Graph:
    return Graph([Triple(_A, _P, _B)])


def test_a_value_is_made_once_for_each_table() -> None:
    made: list[TripleTable] = []

    def size(table: TripleTable) -> int:
        made.append(table)
        return len(table)

    sizes = PerTable(size)
    one, other = _graph(), Graph([Triple(_A, _P, _A), Triple(_A, _P, _B)])
    assert not sizes.knows(one.table)
    assert [sizes.of(graph.table) for graph in (one, other, one, one.copy())] == [1, 2, 1, 1]
    assert made == [one.table, other.table]
    assert sizes.knows(one.table)


def test_none_and_other_falsy_values_are_cached() -> None:
    made: list[TripleTable] = []
    values: PerTable[None] = PerTable(made.append)
    graph = _graph()
    assert [values.of(graph.table), values.of(graph.table)] == [None, None]
    assert len(made) == 1


def test_a_value_is_freed_with_its_table_even_if_it_refers_to_it() -> None:
    values = PerTable(_Value)
    graph = _graph()
    value = weakref.ref(values.of(graph.table))
    del graph
    gc.collect()
    assert value() is None


def test_a_value_is_freed_with_its_maker() -> None:
    graph = _graph()
    before = len(graph.table.derived)
    values = PerTable(_Value)
    value = weakref.ref(values.of(graph.table))
    del values
    gc.collect()
    assert value() is None
    assert len(graph.table.derived) == before


def test_a_table_without_reference_cycles_is_freed_at_once_with_its_values() -> None:
    values = PerTable(lambda table: {len(table)})
    graph = _graph()
    value = weakref.ref(graph.table)
    values.of(graph.table)
    gc.disable()
    try:
        del graph
        assert value() is None
    finally:
        gc.enable()


def test_values_are_not_sent_to_other_processes() -> None:
    values = PerTable(_Value)
    graph = _graph()
    values.of(graph.table)
    again = pickle.loads(pickle.dumps(graph))  # noqa: S301 - our own
    assert again == graph
    assert not values.knows(again.table)


def test_concurrent_threads_get_the_same_value() -> None:
    both = Barrier(2)

    def make(table: TripleTable) -> _Value:
        both.wait(timeout=60)
        return _Value(table)

    values, graph = PerTable(make), _graph()
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda _: values.of(graph.table), range(2))
    assert one is other


def test_a_set_of_keys_has_numbers_for_known_terms_only() -> None:
    unknown = NamedNode("urn:unknown")
    graph = _graph()
    assert KeySet(_A, _P, unknown).of(graph) == {graph.key(_A), graph.key(_P), unknown}
