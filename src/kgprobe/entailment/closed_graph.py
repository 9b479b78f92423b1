"""A graph with more triples than it was loaded with, and a table of its own.

A graph finds its changes more slowly than what is in its table. A closure has thousands of triples more than its graph,
so it gets a table of its own, in which the terms keep their numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import chain, islice
from typing import NamedTuple, TypeAlias

import numpy as np

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import Interner, TripleTable

__all__ = ["Closures", "Difference", "with_changes", "with_triples"]

Difference: TypeAlias = tuple[list[KeyTriple], list[KeyTriple]]
"""What is gone, and what has come."""


class Closures(NamedTuple):
    """The closures of two graphs, in what they differ by keys of the old graph, and how they were found."""

    old: Graph
    new: Graph
    difference: Difference
    how: str


def with_triples(graph: Graph, added: Iterable[KeyTriple]) -> Graph:
    """A graph that has these triples, too, given by their keys. Blank nodes keep their labels."""
    numbers = Interner(graph.table.numbers)
    more = [keys for keys, is_added in graph.changed_keys.items() if is_added]
    cells = [key if type(key) is int else numbers[key] for keys in chain(more, added) for key in keys]  # type: ignore[index]
    rows = np.concatenate((_stated(graph), np.array(cells, dtype=np.uint32).reshape(-1, 3)))
    terms = [*graph.table.terms, *islice(numbers, len(graph.table.terms), None)]
    return Graph.from_table(TripleTable.of_rows(terms, dict(numbers), rows), graph.spelling)


def _stated(graph: Graph) -> np.ndarray[tuple[int, int], np.dtype[np.uint32]]:
    """The rows of the table that were not removed."""
    columns = graph.table.by_subject
    start = np.frombuffer(columns.start, dtype=np.uint32)
    subjects = np.repeat(np.arange(len(start) - 1, dtype=np.uint32), np.diff(start))
    rest = (np.frombuffer(column, dtype=np.uint32) for column in (columns.second, columns.third))
    rows = np.stack((subjects, *rest), axis=1)
    gone = [keys for keys, is_added in graph.changed_keys.items() if not is_added]
    if not gone:
        return rows
    kept = np.ones(len(rows), dtype=np.bool_)
    for s, p, o in gone:
        begin, end = columns.span_of_two(s, p)  # type: ignore[arg-type]  # what was removed has numbers
        kept[bisect_left(columns.third, o, begin, end)] = False
    return rows[kept]


def with_changes(graph: Graph, difference: Difference) -> Graph:
    """A closure after a change, which is given by keys of the graph that it is the closure of."""

    def key(key: Key) -> Key:
        return key if isinstance(key, int) else graph.key(key)

    changed = graph.copy()
    changed.change(*([(key(s), key(p), key(o)) for s, p, o in triples] for triples in difference))
    return changed
