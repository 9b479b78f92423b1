"""The closure of a graph under a regime, a graph with all triples that follow, and the effect of a change on it.

A graph looks up its changes more slowly than the rows of its table. A closure adds thousands of triples, so it gets its
own table, in which terms keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.rows import kept_rows
from kgprobe.rdf.table import Interner, Key, KeyTriple, TripleTable, collection_paused
from kgprobe.rdf.terms import Triple

if TYPE_CHECKING:
    from kgprobe.reasoners.protocol import Reasoner


__all__ = ["EntailedChange", "closed", "entailed_change", "stated_difference"]

Difference: TypeAlias = tuple[list[KeyTriple], list[KeyTriple]]
"""The removed and the added triples."""


@dataclass(frozen=True)
class Closure:
    """The triples of a graph and those that follow, and one line on how they were found."""

    graph: Graph
    how: str


def closed(graph: Graph, regime: Regime, reasoner: Reasoner | None = None) -> Closure:
    """Close a graph under a regime. See `rules` for RDFS and OWL 2 RL, and `class_hierarchy` for OWL 2 DL.

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
    from kgprobe.entailment.class_hierarchy import Classify
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
    rows = np.concatenate((kept_rows(graph), np.array(cells, dtype=np.uint32).reshape(-1, 3)))
    terms = [*graph.table.terms, *islice(numbers, len(graph.table.terms), None)]
    return Graph.from_table(TripleTable.of_rows(terms, dict(numbers), rows), graph.spelling)


def with_changes(graph: Graph, difference: Difference) -> Graph:
    """A closure after a change, given by keys of the graph before closing."""

    def key(key: Key) -> Key:
        return key if isinstance(key, int) else graph.key(key)

    changed = graph.copy()
    changed.change(*([(key(s), key(p), key(o)) for s, p, o in triples] for triples in difference))
    return changed


@dataclass(frozen=True)
class EntailedChange:
    """The closures of two graphs that share a table, and their difference in a stable order.

    The difference is stored as keys of the graph `names`; triples are built on demand. Under OWL 2 DL, if more than
    200,000 triples follow or the hierarchy has more than 20,000 edges, `old` and `new` contain only the stated triples
    and the inferred ones that the other closure lacks.
    """

    old: Graph
    new: Graph
    names: Graph
    gone: list[KeyTriple]
    come: list[KeyTriple]
    stated: frozenset[KeyTriple]  # triples that only one of the graphs states
    how: str

    @cached_property
    def removed(self) -> tuple[Triple, ...]:
        """The triples that only the old closure has."""
        return tuple(map(self.names.triple, self.gone))

    @cached_property
    def added(self) -> tuple[Triple, ...]:
        """The triples that only the new closure has."""
        return tuple(map(self.names.triple, self.come))

    @cached_property
    def asserted(self) -> frozenset[Triple]:
        """The triples of the difference that one of the graphs states; the others are inferred."""
        return frozenset(self.names.triple(keys) for keys in (*self.gone, *self.come) if keys in self.stated)

    def is_asserted(self, triple: Triple) -> bool:
        """Whether exactly one of the graphs states a triple of the difference."""
        return self.names.keys(triple) in self.stated


def entailed_change(old: Graph, new: Graph, regime: Regime, reasoner: Reasoner | None = None) -> EntailedChange:
    """Compare the closures of two graphs.

    Graphs that do not share a table are compared up to blank node labels; sharing one is faster. Results about `old`
    are cached in it, so its next change is cheaper. The given reasoner stays open.
    """
    with collection_paused():
        if old.table is not new.table:
            from kgprobe.rdf.diff import aligned

            new = aligned(old, new).new
        stated = stated_difference(old, new)
        found = _closures(old, new, regime, stated, reasoner)
    gone, come = found.difference
    return EntailedChange(found.old, found.new, old, gone, come, frozenset(stated[0]).union(stated[1]), found.how)


def _closures(old: Graph, new: Graph, regime: Regime, stated: Difference, reasoner: Reasoner | None) -> Closures:
    # Imported only if there are conclusions to draw.
    if regime is Regime.NONE:
        return Closures(old, new, stated, "asserted triples only")
    if regime is Regime.DL:
        from kgprobe.entailment.class_hierarchy import closures_by_classes

        return closures_by_classes(old, new, stated, reasoner)
    from kgprobe.entailment.rule_conclusions import closures_by_rules

    return closures_by_rules(old, new, stated, regime)


def stated_difference(old: Graph, new: Graph) -> Difference:
    """The triples that only one of two graphs on the same table has."""
    before, after = old.changed_keys, new.changed_keys
    only_before = [(keys, not is_added) for keys, is_added in before.items() if keys not in after]
    only_after = [(keys, is_added) for keys, is_added in after.items() if keys not in before]
    parts: dict[bool, list[KeyTriple]] = {False: [], True: []}
    for keys, has_come in (*only_before, *only_after):
        parts[has_come].append(keys)
    return parts[False], parts[True]
