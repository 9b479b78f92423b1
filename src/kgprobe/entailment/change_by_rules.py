"""How a change of a graph changes what follows from it by rules."""

from __future__ import annotations

from kgprobe.entailment.closed_graph import Closures, Difference, with_changes
from kgprobe.entailment.regime import Regime
from kgprobe.entailment.rule_sets import rule_set
from kgprobe.entailment.upkeep import Conclude, anew
from kgprobe.graph.graph import Graph

__all__ = ["closures_by_rules"]

_FEW, _SMALL_PART = 500, 0.02  # of the triples: if more of them change, nothing is gained by what is known of the rest


def closures_by_rules(old: Graph, new: Graph, stated: Difference, regime: Regime) -> Closures:
    """The closures under RDFS or OWL 2 RL of two graphs of one table, which differ in what is stated."""
    if len(stated[0]) + len(stated[1]) > max(_FEW, _SMALL_PART * len(old)):
        closure, found = anew(old, new, regime, *stated)
    else:
        before = old.found(Conclude(regime))
        closure, found = before.graph, before.after(new, *stated)
    return Closures(closure, with_changes(closure, found), found, rule_set(regime).title)
