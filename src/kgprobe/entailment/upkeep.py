"""What rules conclude after a change, from what they concluded before.

All that was concluded, directly or not, with the help of a triple that is gone is taken back, as far as the derivation
that was noted for it says. It may follow in another way, too: so each fact that was taken back is looked for again, and
then the rules go on from what was found and what was added. Everything else stays as it is.

If a large part of a graph changes, it is faster to begin anew and to compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from kgprobe.entailment.closed_graph import with_triples
from kgprobe.entailment.facts import Fact, Facts
from kgprobe.entailment.regime import Regime
from kgprobe.entailment.rule_sets import rule_set, saturated
from kgprobe.entailment.saturation import Saturation
from kgprobe.entailment.steps import News
from kgprobe.graph.changes import KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import collection_paused

__all__ = ["Conclude", "Concluded", "anew"]

_NONE: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Conclude:
    """Finds what rules conclude about a graph; for `Graph.found`, which asks once for each regime."""

    regime: Regime

    def __call__(self, graph: Graph) -> Concluded:
        return Concluded(graph.copy(), self.regime)


class Concluded:
    """What the rules of a regime conclude about a graph, and why."""

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
        """The triples that are stated or follow no more, and those that do now; `graph` is the one after the change."""
        facts = self.saturation.facts.fork(graph)
        new = Saturation(facts, rule_set(self._regime), traced=False)
        gone = self._all_resting_on(map(facts.fact, removed))
        goals = News()
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

    def _all_resting_on(self, facts: Iterable[Fact]) -> dict[Fact, None]:
        found = dict.fromkeys(facts)
        pending = list(found)
        for fact in pending:
            for conclusion in self._resting_on.get(fact, ()):
                if conclusion not in found:
                    found[conclusion] = None
                    pending.append(conclusion)
        return found


def anew(
    old: Graph, new: Graph, regime: Regime, removed: Iterable[KeyTriple], added: Iterable[KeyTriple]
) -> tuple[Graph, tuple[list[KeyTriple], list[KeyTriple]]]:
    """The closure of the old graph, and how that of the new one differs. The graphs differ by these triples."""
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
