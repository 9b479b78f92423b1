"""The conclusions of the RDFS and OWL 2 RL rules about a graph, and how they change with the graph.

After a small change, every conclusion whose recorded derivation rests on a removed triple is withdrawn. Some of these
may still follow in another way, so each is looked for again. Then the rules continue from the restored and added facts.
All other conclusions stay. After a large change, it is faster to start from scratch and compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from kgprobe.entailment.closure import Closures, Difference, with_changes, with_triples
from kgprobe.entailment.facts import Fact, Facts
from kgprobe.entailment.procedures import chains_of_properties, intersections, keys, read, same_things, transitive
from kgprobe.entailment.rules import RDFS_RULES, RL_RULES, Regime
from kgprobe.entailment.saturation import LatestFacts, RuleSet, Saturation
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import KeyTriple, collection_paused
from kgprobe.rdf.terms import RDFS

# If more triples change than this number or this fraction, starting from scratch is faster.
_FEW, _SMALL_PART = 500, 0.02
_NONE: frozenset[int] = frozenset()


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
    """The facts of a graph with all conclusions of a regime's rules."""
    made = Saturation(facts, rule_set(regime), traced=traced)
    with collection_paused():
        made.saturate()
    return made


@dataclass(frozen=True)
class Conclude:
    """Finds the conclusions about a graph; for `Graph.cached`, which keeps them for each regime."""

    regime: Regime

    def __call__(self, graph: Graph) -> Concluded:
        return Concluded(graph.copy(), self.regime)


class Concluded:
    """The conclusions of the rules of a regime about a graph, with their derivations."""

    def __init__(self, graph: Graph, regime: Regime) -> None:
        self._stated = graph
        self._regime = regime
        self.saturation = saturated(Facts(graph), regime, traced=True)

    @cached_property
    def graph(self) -> Graph:
        """The closure of the graph."""
        return with_triples(self._stated, self.saturation.triples())

    @cached_property
    def _resting_on(self) -> dict[Fact, list[Fact]]:
        """The conclusions that each fact is a premise of."""
        found: dict[Fact, list[Fact]] = {}
        for conclusion, derivation in self.saturation.derivations.items():
            for premise in derivation.premises:
                found.setdefault(premise, []).append(conclusion)
        return found

    def after(
        self, graph: Graph, removed: Iterable[KeyTriple], added: Iterable[KeyTriple]
    ) -> tuple[list[KeyTriple], list[KeyTriple]]:
        """The triples that the closure loses, and those that it gains, if the graph changes to `graph`."""
        facts = self.saturation.facts.fork(graph)
        new = Saturation(facts, rule_set(self._regime), traced=False)
        gone = reached(map(facts.fact, removed), lambda fact: self._resting_on.get(fact, ()))
        goals = LatestFacts()
        for fact in gone:
            goals.add(*fact)
            if facts.is_loaded(fact[1]):
                facts.remove(fact)
        come = [fact for fact in map(facts.fact, added) if not facts.is_loaded(fact[1]) or not facts.has(fact)]
        with collection_paused():
            for fact in come:
                new.state(*fact)
            new.look_for(goals)
            new.go_on()
        missing = (fact for fact in gone if not facts.has(fact))
        more = (fact for fact in (*come, *new.concluded) if fact not in gone)
        return facts.triples(missing), facts.triples(more)


def from_scratch(
    old: Graph, new: Graph, regime: Regime, removed: Iterable[KeyTriple], added: Iterable[KeyTriple]
) -> tuple[Graph, tuple[list[KeyTriple], list[KeyTriple]]]:
    """The closure of the old graph, and how the closure of the new one differs. The graphs differ by these triples."""
    before = saturated(Facts(old), regime)
    after = saturated(before.facts.beside(new), regime)
    used = dict.fromkeys([*before.facts.loaded(), *after.facts.loaded()])
    missing = [fact for fact in map(after.facts.fact, removed) if fact[1] not in used]
    more = [fact for fact in map(after.facts.fact, added) if fact[1] not in used]
    for predicate in used:
        one, other = before.facts.relation(predicate).out, after.facts.relation(predicate).out
        missing += _surplus(one, predicate, other)
        more += _surplus(other, predicate, one)
    return with_triples(old, before.triples()), (before.facts.triples(missing), after.facts.triples(more))


def _surplus(here: dict[int, set[int]], predicate: int, there: dict[int, set[int]]) -> Iterator[Fact]:
    for subject, objects in here.items():
        for value in objects - there.get(subject, _NONE):
            yield subject, predicate, value


def closures_by_rules(old: Graph, new: Graph, stated: Difference, regime: Regime) -> Closures:
    """The closures under RDFS or OWL 2 RL of two graphs on one table with this stated difference."""
    if len(stated[0]) + len(stated[1]) > max(_FEW, _SMALL_PART * len(old)):
        closure, found = from_scratch(old, new, regime, *stated)
    else:
        before = old.cached(Conclude(regime))
        closure, found = before.graph, before.after(new, *stated)
    return Closures(closure, with_changes(closure, found), found, rule_set(regime).title)
