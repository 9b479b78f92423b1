"""How a change of a graph changes what follows from its class hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from kgprobe.entailment.classified import Classify
from kgprobe.entailment.closed_graph import Closures, Difference, with_changes, with_triples
from kgprobe.entailment.reclassified import differences
from kgprobe.graph.changes import KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["closures_by_classes"]

_MOST_EDGES, _MOST_PAIRS = 20_000, 200_000


def closures_by_classes(old: Graph, new: Graph, stated: Difference, reasoner: Reasoner | None) -> Closures:
    """The closures under OWL 2 DL of two graphs of one table, which differ in what is stated."""
    before, after = old.found(Classify(reasoner)), new.found(Classify(reasoner))
    found = differences(before, after, *stated)
    how = after.how if after.how == before.how else f"now {after.how}; before {before.how}"
    all_before = old.found(_SmallClosure(reasoner))
    if all_before is not None:
        return Closures(all_before, with_changes(all_before, found), found, how)
    return Closures(_with_more(old, found[0]), _with_more(new, found[1]), found, how)


@dataclass(frozen=True)
class _SmallClosure:
    """Finds the closure of a graph; None if it is large."""

    reasoner: Reasoner | None

    def __call__(self, graph: Graph) -> Graph | None:
        found = graph.found(Classify(self.reasoner))
        if len(found.ancestry.edges) > _MOST_EDGES:
            return None
        triples = list(islice(found.triples(), _MOST_PAIRS + 1))
        return with_triples(graph, triples) if len(triples) <= _MOST_PAIRS else None


def _with_more(graph: Graph, triples: list[KeyTriple]) -> Graph:
    """A copy that has these triples, too."""
    made = graph.copy()
    made.change((), made.lacking(triples))
    return made
