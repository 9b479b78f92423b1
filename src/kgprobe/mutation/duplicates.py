"""Detects equal mutants of one seed graph, up to the names of blank nodes, at a cost of O(change).

Each triple has a number that ignores the names of blank nodes. The likeness of a mutant is the sum of the numbers of
the triples that it adds, minus those that it removes. Equal graphs have equal sums. The few graphs with equal sums are
compared as a whole. The number is the same in every process, so it can be stored.
"""

from __future__ import annotations

import functools
import hashlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable

from kgprobe.graph.canonical import isomorphic
from kgprobe.graph.derived import PerTable
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import TripleTable
from kgprobe.graph.terms import BlankNode, Term

__all__ = ["Seen", "likeness"]

_BLANK = -1


class Seen:
    """The graphs so far. The seed graph, without changes, is the first.

    With `recall`, which makes the graph of an attempt again, only the numbers of attempts are kept: a long campaign
    makes more graphs than fit into memory.
    """

    def __init__(
        self, seed: Graph, recall: Callable[[int], Graph] | None = None, earlier: Iterable[tuple[int, int]] = ()
    ) -> None:
        """`earlier` are attempts that were already kept, each with its likeness."""
        self._recall = recall
        self._alike: defaultdict[int, list[Graph | int]] = defaultdict(list)
        self._alike[likeness(seed)].append(seed.copy())
        for attempt, number in earlier:
            self._alike[number].append(attempt)

    def add(self, graph: Graph, attempt: int = 0) -> bool:
        """Remember the graph that this attempt made; False if an equal graph was seen before."""
        alike = self._alike[likeness(graph)]
        others = [self._graph(other) for other in alike]
        if any(graph == other for other in others) or any(isomorphic(graph, other) for other in others):
            return False
        alike.append(graph if self._recall is None else attempt)
        return True

    def _graph(self, kept: Graph | int) -> Graph:
        if isinstance(kept, Graph):
            return kept
        assert self._recall is not None  # noqa: S101 - without it, graphs are kept
        return self._recall(kept)


def likeness(graph: Graph) -> int:
    """A number of 64 bits, with a sign, that a graph shares with all graphs that differ in blank nodes only."""
    total = 0
    known = _NUMBERS.of(graph.table)
    for (s, p, o), added in graph.changed_keys.items():
        if added:
            subject = known[s] if type(s) is int else _BLANK if type(s) is BlankNode else _number(s)
            value = known[o] if type(o) is int else _BLANK if type(o) is BlankNode else _number(o)
            total += hash((subject, p if type(p) is int else _number(p), value))
        else:  # the seed graph had it, and knows its terms
            total -= hash((known[s], p, known[o]))  # type: ignore[index]  # so these are numbers
    return (total + (1 << 63)) % (1 << 64) - (1 << 63)


def _numbers(table: TripleTable) -> array[int]:
    """Terms of the seed graph get the same number each time it is read."""
    return array("q", (_BLANK if type(term) is BlankNode else number for number, term in enumerate(table.terms)))


_NUMBERS = PerTable(_numbers)


@functools.lru_cache(maxsize=1 << 12)  # generated names are the same in all mutants
def _number(term: Term) -> int:
    """A hash of a text that, unlike Python's, is the same in all processes."""
    return int.from_bytes(hashlib.blake2b(str(term).encode(), digest_size=7).digest())
