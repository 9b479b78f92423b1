"""How a change of a graph changes what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from kgprobe.entailment.classified import Classify
from kgprobe.entailment.closed_graph import with_triples
from kgprobe.entailment.reclassified import differences
from kgprobe.entailment.regime import Regime
from kgprobe.entailment.rule_sets import rule_set
from kgprobe.entailment.upkeep import Conclude, anew
from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import collection_paused
from kgprobe.graph.terms import Triple
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["EntailedChange", "entailed_change"]

_MOST_EDGES, _MOST_PAIRS = 20_000, 200_000
_FEW, _SMALL_PART = 500, 0.02  # of the triples: if more of them change, nothing is gained by what is known of the rest

_Difference: TypeAlias = tuple[list[KeyTriple], list[KeyTriple]]
"""What is gone, and what has come."""


@dataclass(frozen=True)
class EntailedChange:
    """The closures of two graphs, which share a table, and how they differ; always in the same order.

    What is gone and what has come is known by keys of the graph `names`; triples are made of them when asked for. Under
    OWL 2 DL, if more than 200,000 triples follow, `old` and `new` are what is stated and those of the triples that
    follow which the other closure lacks.
    """

    old: Graph
    new: Graph
    names: Graph
    gone: list[KeyTriple]
    come: list[KeyTriple]
    stated: frozenset[KeyTriple]  # what was stated in one of the graphs and not in the other
    how: str

    @cached_property
    def removed(self) -> tuple[Triple, ...]:
        """What follows from the old graph only."""
        return tuple(map(self.names.triple, self.gone))

    @cached_property
    def added(self) -> tuple[Triple, ...]:
        """What follows from the new graph only."""
        return tuple(map(self.names.triple, self.come))

    @cached_property
    def asserted(self) -> frozenset[Triple]:
        """Those of all these that were stated in one of the graphs; the rest follows."""
        return frozenset(self.names.triple(keys) for keys in (*self.gone, *self.come) if keys in self.stated)

    def is_asserted(self, triple: Triple) -> bool:
        """Whether a triple of the change was stated in one of the graphs, and not in the other."""
        return self.names.keys(triple) in self.stated


def entailed_change(old: Graph, new: Graph, regime: Regime, reasoner: Reasoner | None = None) -> EntailedChange:
    """How what follows from `new` differs from what follows from `old`.

    Blank nodes are compared by label. It is fastest if the graphs share a table. What is found out about `old` is kept
    there, so that the next change of it costs less. A reasoner that is given stays open.
    """
    with collection_paused():
        return _entailed_change(old, new if old.table is new.table else _on_same_table(old, new), regime, reasoner)


def _entailed_change(old: Graph, new: Graph, regime: Regime, reasoner: Reasoner | None) -> EntailedChange:
    stated = _stated_difference(old, new)
    if regime is Regime.NONE:
        return _described(old, new, old, stated, stated, "what is stated")
    if regime is Regime.DL:
        return _by_classification(old, new, stated, reasoner)
    if len(stated[0]) + len(stated[1]) > max(_FEW, _SMALL_PART * len(old)):
        closure, found = anew(old, new, regime, *stated)
    else:
        before = old.found(Conclude(regime))
        closure, found = before.graph, before.after(new, *stated)
    return _described(closure, _changed(closure, found), old, found, stated, rule_set(regime).title)


def _by_classification(old: Graph, new: Graph, stated: _Difference, reasoner: Reasoner | None) -> EntailedChange:
    before, after = old.found(Classify(reasoner)), new.found(Classify(reasoner))
    found = differences(before, after, *stated)
    how = after.how if after.how == before.how else f"now {after.how}; before {before.how}"
    all_before = old.found(_SmallClosure(reasoner))
    if all_before is not None:
        return _described(all_before, _changed(all_before, found), old, found, stated, how)
    return _described(_with_more(old, found[0]), _with_more(new, found[1]), old, found, stated, how)


@dataclass(frozen=True)
class _SmallClosure:
    """Finds the closure of a graph under OWL 2 DL; None if it is large."""

    reasoner: Reasoner | None

    def __call__(self, graph: Graph) -> Graph | None:
        found = graph.found(Classify(self.reasoner))
        if len(found.ancestry.edges) > _MOST_EDGES:
            return None
        triples = list(islice(found.triples(), _MOST_PAIRS + 1))
        return with_triples(graph, triples) if len(triples) <= _MOST_PAIRS else None


def _described(
    old: Graph, new: Graph, names: Graph, found: _Difference, stated: _Difference, how: str
) -> EntailedChange:
    return EntailedChange(old, new, names, *found, frozenset(stated[0]).union(stated[1]), how)


def _with_more(graph: Graph, triples: list[KeyTriple]) -> Graph:
    """A copy that has these triples, too."""
    made = graph.copy()
    made.change((), made.lacking(triples))
    return made


def _changed(graph: Graph, change: _Difference) -> Graph:
    """A closure after a change, which is given by keys of the graph that it is the closure of."""

    def key(key: Key) -> Key:
        return key if isinstance(key, int) else graph.key(key)

    changed = graph.copy()
    changed.change(*([(key(s), key(p), key(o)) for s, p, o in triples] for triples in change))
    return changed


def _stated_difference(old: Graph, new: Graph) -> _Difference:
    """The triples that only one of two graphs of the same table has."""
    before, after = old.changed_keys, new.changed_keys
    only_before = [(keys, not is_added) for keys, is_added in before.items() if keys not in after]
    only_after = [(keys, is_added) for keys, is_added in after.items() if keys not in before]
    parts: dict[bool, list[KeyTriple]] = {False: [], True: []}
    for keys, has_come in (*only_before, *only_after):
        parts[has_come].append(keys)
    return parts[False], parts[True]


def _on_same_table(old: Graph, new: Graph) -> Graph:
    """The new graph, made from the old one."""
    made = old.copy()
    removed = [old.keys(triple) for triple in old if triple not in new]
    made.change(removed, [old.keys(triple) for triple in new if triple not in old])
    return made
