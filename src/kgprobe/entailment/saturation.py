"""Forward chaining: applies rules until nothing new follows.

Each rule is matched against all facts once. In later rounds, at least one of its patterns must match a fact of the
previous round. If a graph changes, earlier conclusions are reused: see `rule_conclusions`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import repeat
from operator import length_hint
from typing import NamedTuple, TypeAlias

from kgprobe.entailment.facts import Fact, Facts
from kgprobe.entailment.joins import JoinPlan, LatestFacts, from_conclusion, from_news, from_nothing
from kgprobe.entailment.rules import Rule
from kgprobe.errors import InputError
from kgprobe.rdf.table import KeyTriple

MOST_FACTS = 5_000_000
MOST_MATCHES = 200_000_000
_NONE: frozenset[int] = frozenset()


class Derivation(NamedTuple):
    """The first derivation of a fact."""

    rule: str
    premises: tuple[Fact, ...]


Procedure: TypeAlias = "Callable[[Saturation, LatestFacts | None, LatestFacts | None], None]"
"""Rules written as code. With news, a procedure draws the conclusions from it. Without news, it draws all conclusions,
or, given goals, at least those goals that follow."""


class RuleSet:
    """Rules and procedures, ready for use."""

    def __init__(self, title: str, rules: Sequence[Rule], procedures: Sequence[Procedure]) -> None:
        self.title = title
        self.procedures = procedures
        self.from_nothing = list(map(from_nothing, rules))
        self.from_news = _Plans([from_news(rule, place) for rule in rules for place in range(len(rule.body))])
        self._rules = rules

    @cached_property
    def from_conclusions(self) -> _Plans:
        """The plans that check whether a fact follows."""
        return _Plans(list(map(from_conclusion, self._rules)))


class _Plans:
    """Plans by the predicate that they begin with."""

    def __init__(self, plans: Sequence[JoinPlan]) -> None:
        self._any = [plan for plan in plans if plan.trigger is None]
        self._by_trigger: dict[int, list[JoinPlan]] = {}
        for plan in plans:
            if plan.trigger is not None:
                self._by_trigger.setdefault(plan.trigger, []).append(plan)

    def beginning_with(self, news: LatestFacts) -> Iterator[JoinPlan]:
        """The plans that the news can trigger."""
        for predicate in news.pairs:
            yield from self._by_trigger.get(predicate, ())
        yield from self._any


class Saturation:
    """Facts and conclusions, in order; if traced, with the first derivation of each conclusion."""

    def __init__(self, facts: Facts, rules: RuleSet, *, traced: bool) -> None:
        self.facts = facts
        self.concluded: list[Fact] = []
        self.derivations: dict[Fact, Derivation] = {}
        self._is_traced = traced
        self._rules = rules
        self._news = LatestFacts()
        self._matches = repeat(None, MOST_MATCHES)

    def saturate(self) -> None:
        """Draw all conclusions."""
        nothing = LatestFacts()
        for procedure in self._rules.procedures:
            procedure(self, None, None)
        for plan in self._rules.from_nothing:
            self._apply(plan, nothing)
        self.go_on()

    def look_for(self, goals: LatestFacts) -> None:
        """Conclude the goals that follow from known facts in one step."""
        for procedure in self._rules.procedures:
            procedure(self, None, goals)
        for plan in self._rules.from_conclusions.beginning_with(goals):
            self._apply(plan, goals)

    def go_on(self) -> None:
        """Draw the conclusions from the news."""
        while self._news.pairs:
            news, self._news = self._news, LatestFacts()
            for procedure in self._rules.procedures:
                procedure(self, news, None)
            for plan in self._rules.from_news.beginning_with(news):
                self._apply(plan, news)

    def triples(self) -> list[KeyTriple]:
        """The triples that were concluded, by their keys in the graph."""
        return self.facts.triples(self.concluded)

    def state(self, subject: int, predicate: int, value: int) -> None:
        """Add a new fact that needs no derivation."""
        self.facts.add(subject, predicate, value)
        self._news.add(subject, predicate, value)

    def conclude(self, conclusion: Fact, rule: str, premises: tuple[Fact, ...]) -> None:
        """Add a fact that follows, unless it is known or impossible."""
        if self.facts.has(conclusion) or not self.facts.can_be(*conclusion):
            return
        self.state(*conclusion)
        self.concluded.append(conclusion)
        if self._is_traced:
            self.derivations[conclusion] = Derivation(rule, premises)
        if len(self.concluded) > MOST_FACTS:
            raise self._too_large(f"more than {MOST_FACTS:,} triples")

    def conclude_chains(
        self,
        subject: int,
        predicate: int,
        objects: Collection[int],
        rule: str,
        premises: Callable[[int], tuple[Fact, ...]],
    ) -> None:
        """Add new, valid facts that follow from a chain of others; there can be many of them."""
        if not objects:
            return
        self.facts.own_relation(predicate).add_all(subject, objects)
        self._news.pairs.setdefault(predicate, []).extend([(subject, value) for value in objects])
        self.concluded += [(subject, predicate, value) for value in objects]
        if self._is_traced:
            for value in objects:
                self.derivations[subject, predicate, value] = Derivation(rule, premises(value))
        if len(self.concluded) > MOST_FACTS:
            raise self._too_large(f"more than {MOST_FACTS:,} triples")

    def _apply(self, plan: JoinPlan, news: LatestFacts) -> None:
        found = self._found(plan, news)
        if not length_hint(self._matches):
            raise self._too_large(f"more than {MOST_MATCHES:,} derivations of its triples")
        name = plan.rule.name
        for conclusion, match in found.items():
            self.conclude(conclusion, name, plan.premises(match) if self._is_traced else ())

    def _found(self, plan: JoinPlan, news: LatestFacts) -> dict[Fact, tuple[int, ...]]:
        """The new conclusions of a plan. Facts are added only after all matches have been found."""
        found: dict[Fact, tuple[int, ...]] = {}
        s, p, o = plan.head
        matches = zip(plan.matches(self.facts, news), self._matches)  # noqa: B905 - the second may be longer
        if plan.predicate is not None:
            predicate, get = plan.predicate, self.facts.relation(plan.predicate).out.get
            for match, _ in matches:
                if match[o] not in get(match[s], _NONE):
                    found[match[s], predicate, match[o]] = match
        else:
            relation = self.facts.relation
            for match, _ in matches:
                if match[o] not in relation(match[p]).out.get(match[s], _NONE):
                    found[match[s], match[p], match[o]] = match
        return found

    def _too_large(self, what: str) -> InputError:
        return InputError(
            f"the closure of this graph under {self._rules.title} is too large: it has {what}",
            hint="choose a regime that entails less (none, rdfs, dl), or use a part of the graph",
        )
