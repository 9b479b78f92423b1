"""The closure of a graph under a regime: a graph with all triples that follow.

A graph looks up its changes more slowly than the rows of its table. A closure adds thousands of triples, so it gets its
own table, in which terms keep their numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from kgprobe.entailment.regime import Regime
from kgprobe.errors import InputError
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import Interner, Key, KeyTriple, TripleTable, collection_paused

if TYPE_CHECKING:
    from kgprobe.reasoners.protocol import Reasoner

__all__ = ["Closure", "Closures", "Difference", "closed", "with_changes", "with_triples"]

Difference: TypeAlias = tuple[list[KeyTriple], list[KeyTriple]]
"""The removed and the added triples."""


@dataclass(frozen=True)
class Closure:
    """The triples of a graph and those that follow, and one line on how they were found."""

    graph: Graph
    how: str


def closed(graph: Graph, regime: Regime, reasoner: Reasoner | None = None) -> Closure:
    """Close a graph under a regime. See `rules` for RDFS and OWL 2 RL, and `class_conclusions` for OWL 2 DL.

    Only OWL 2 DL needs a reasoner, and not for every graph; the given reasoner stays open. The closure has its own
    table, in which the terms of the graph keep their numbers. Raises InputError if the closure is too large.
    """
    if regime is Regime.NONE:
        return Closure(graph.copy(), "asserted triples only")
    with collection_paused():
        return _by_classes(graph, reasoner) if regime is Regime.DL else _by_rules(graph, regime)


# Both kinds of conclusions use the functions below, and are imported only if needed.


def _by_rules(graph: Graph, regime: Regime) -> Closure:
    from kgprobe.entailment.facts import Facts
    from kgprobe.entailment.rule_conclusions import rule_set, saturated

    return Closure(with_triples(graph, saturated(Facts(graph), regime).triples()), rule_set(regime).title)


def _by_classes(graph: Graph, reasoner: Reasoner | None) -> Closure:
    from kgprobe.entailment.class_conclusions import Classify
    from kgprobe.entailment.saturation import MOST_FACTS

    found = Classify(reasoner)(graph)
    triples = list(islice(found.triples(), MOST_FACTS + 1))
    if len(triples) > MOST_FACTS:
        raise InputError(
            f"the closure under the class hierarchy is too large: it has more than {MOST_FACTS:,} triples",
            hint="choose the regime none, or use a part of the graph",
        )
    return Closure(with_triples(graph, triples), found.how)


class Closures(NamedTuple):
    """The closures of two graphs, their difference by keys of the old graph, and one line on how they were found."""

    old: Graph
    new: Graph
    difference: Difference
    how: str


def with_triples(graph: Graph, added: Iterable[KeyTriple]) -> Graph:
    """Add triples, given by their keys, to a copy of a graph. Blank nodes keep their labels."""
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
        begin, end = columns.span_of_two(s, p)  # type: ignore[arg-type]  # removed triples come from the table
        kept[bisect_left(columns.third, o, begin, end)] = False
    return rows[kept]


def with_changes(graph: Graph, difference: Difference) -> Graph:
    """A closure after a change, given by keys of the graph before closing."""

    def key(key: Key) -> Key:
        return key if isinstance(key, int) else graph.key(key)

    changed = graph.copy()
    changed.change(*([(key(s), key(p), key(o)) for s, p, o in triples] for triples in difference))
    return changed
