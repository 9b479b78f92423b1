"""The rules of each regime that has some, ready for use, and what they conclude about a graph."""

from __future__ import annotations

from functools import lru_cache

from kgprobe.entailment.chains import same_things, transitive
from kgprobe.entailment.facts import Facts
from kgprobe.entailment.list_rules import chains_of_properties, intersections, keys
from kgprobe.entailment.readings import read
from kgprobe.entailment.regime import Regime
from kgprobe.entailment.rules import RDFS_RULES, RL_RULES
from kgprobe.entailment.saturation import RuleSet, Saturation
from kgprobe.graph.table import collection_paused
from kgprobe.graph.terms import RDFS

__all__ = ["rule_set", "saturated"]


@lru_cache
def rule_set(regime: Regime) -> RuleSet:
    """The rules of RDFS or OWL 2 RL."""
    if regime is Regime.RDFS:
        chained = transitive({RDFS.subClassOf: "rdfs11", RDFS.subPropertyOf: "rdfs5"})
        return RuleSet("the rules of RDFS", RDFS_RULES, [chained])
    chained = transitive({RDFS.subClassOf: "scm-sco", RDFS.subPropertyOf: "scm-spo"}, stated="prp-trp")
    procedures = [read, chained, same_things, intersections, chains_of_properties, keys]
    return RuleSet("the rules of OWL 2 RL", RL_RULES, procedures)


def saturated(facts: Facts, regime: Regime, *, traced: bool = False) -> Saturation:
    """All that the rules of a regime conclude from the facts of a graph."""
    made = Saturation(facts, rule_set(regime), traced=traced)
    with collection_paused():
        made.saturate()
    return made
