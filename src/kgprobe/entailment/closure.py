"""All that follows from a graph under a regime, as a graph."""

from __future__ import annotations

from dataclasses import dataclass

from kgprobe.entailment.classified import Classify
from kgprobe.entailment.closed_graph import with_triples
from kgprobe.entailment.facts import Facts
from kgprobe.entailment.regime import Regime
from kgprobe.entailment.rule_sets import rule_set, saturated
from kgprobe.entailment.saturation import MOST_FACTS
from kgprobe.errors import InputError
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import collection_paused
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["Closure", "closed"]


@dataclass(frozen=True)
class Closure:
    """The triples of a graph and those that follow, and how they were found, in a line for a person."""

    graph: Graph
    how: str


def closed(graph: Graph, regime: Regime, reasoner: Reasoner | None = None) -> Closure:
    """What follows from a graph. See `rules` for RDFS and OWL 2 RL, and `classified` for OWL 2 DL.

    Only OWL 2 DL needs a reasoner, and not always; one that is given stays open. The closure has a table of its own, in
    which the terms of the graph have the same numbers. InputError if it is too large.
    """
    if regime is Regime.NONE:
        return Closure(graph.copy(), "what is stated")
    with collection_paused():
        if regime is not Regime.DL:
            return Closure(with_triples(graph, saturated(Facts(graph), regime).triples()), rule_set(regime).title)
        found = Classify(reasoner)(graph)
        triples = []
        for keys in found.triples():
            triples.append(keys)
            if len(triples) > MOST_FACTS:
                raise InputError(
                    f"what follows from the class hierarchy is too large: it has more than {MOST_FACTS:,} triples",
                    hint="choose the regime none, or a part of the graph",
                )
        return Closure(with_triples(graph, triples), found.how)
