"""Forward chaining: applies rules until nothing new follows.

Each rule is matched against all facts once. In later rounds, at least one of its patterns must match a fact of the
previous round. If a graph changes, earlier conclusions are reused: see `rule_conclusions`.

Join plans match the patterns of a rule, which has one plan for each pattern that a match can start from. Each step of a
plan extends matches by one pattern. A match is a tuple of numbers: the rule's constants first, then its variables in
the order in which they are bound. Plans are made once for all graphs, since the names in rules have fixed numbers.
Intermediate matches are streamed, so a rule with many matches takes time but no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from operator import length_hint
from typing import NamedTuple, TypeAlias

from kgprobe.entailment.facts import NUMBERS, Fact, Facts, is_reading
from kgprobe.entailment.rules import Pattern, Rule, is_variable
from kgprobe.errors import InputError
from kgprobe.rdf.table import KeyTriple

MOST_FACTS = 5_000_000
MOST_MATCHES = 200_000_000

Match: TypeAlias = tuple[int, ...]
_Matches: TypeAlias = Iterable[Match]
JoinStep: TypeAlias = "Callable[[Facts, LatestFacts, _Matches], _Matches]"
"""Extends matches by one more pattern.

The functions below make steps. Their arguments are the places in a match that hold the bound parts of the pattern; None
stands for a part that is not bound yet.
"""
_NONE: frozenset[int] = frozenset()


# -- join plans --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class LatestFacts:
    """The latest facts, by predicate; `steps` has those that were not concluded from a chain of others."""

    pairs: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    steps: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, subject: int, predicate: int, value: int) -> None:
        """Add a fact that was not concluded from a chain."""
        pair = subject, value
        self.pairs.setdefault(predicate, []).append(pair)
        self.steps.setdefault(predicate, []).append(pair)

    def facts_with(self, predicate: int) -> Iterator[Fact]:
        """The facts with this predicate."""
        return ((subject, predicate, value) for subject, value in self.pairs.get(predicate, ()))

    def facts(self) -> Iterator[Fact]:
        """The facts without readings."""
        return (fact for predicate in self.pairs if not is_reading(predicate) for fact in self.facts_with(predicate))


def _with_predicate(predicate: int, s: int | None, o: int | None) -> JoinStep:
    """Match a pattern whose predicate is a constant."""

    def check(facts: Facts, _: LatestFacts, matches: _Matches) -> _Matches:
        get = facts.relation(predicate).out.get
        return (match for match in matches if match[o] in get(match[s], _NONE))  # type: ignore[index]

    def objects(facts: Facts, _: LatestFacts, matches: _Matches) -> _Matches:
        get = facts.relation(predicate).out.get
        return (match + (value,) for match in matches for value in get(match[s], _NONE))  # type: ignore[index]  # noqa: RUF005

    def subjects(facts: Facts, _: LatestFacts, matches: _Matches) -> _Matches:
        get = facts.relation(predicate).into.get
        return (match + (subject,) for match in matches for subject in get(match[o], _NONE))  # type: ignore[index]  # noqa: RUF005

    def both(facts: Facts, _: LatestFacts, matches: _Matches) -> _Matches:
        relation = facts.relation(predicate)
        return (match + pair for match in matches for pair in relation.pairs())

    if s is not None:
        return objects if o is None else check
    return both if o is None else subjects


def _with_place(p: int, s: int | None, o: int | None) -> JoinStep:
    """Match a pattern whose predicate is already bound."""

    def check(facts: Facts, _: LatestFacts, matches: _Matches) -> _Matches:
        relation = facts.relation
        return (match for match in matches if match[o] in relation(match[p]).out.get(match[s], _NONE))  # type: ignore[index]

    def objects(facts: Facts, _: LatestFacts, matches: _Matches) -> _Matches:
        relation = facts.relation
        return (match + (value,) for match in matches for value in relation(match[p]).out.get(match[s], _NONE))  # type: ignore[index]  # noqa: RUF005

    def subjects(facts: Facts, _: LatestFacts, matches: _Matches) -> _Matches:
        relation = facts.relation
        return (match + (subject,) for match in matches for subject in relation(match[p]).into.get(match[o], _NONE))  # type: ignore[index]  # noqa: RUF005

    def both(facts: Facts, _: LatestFacts, matches: _Matches) -> _Matches:
        relation = facts.relation
        return (match + pair for match in matches for pair in relation(match[p]).pairs())

    if s is not None:
        return objects if o is None else check
    return both if o is None else subjects


def _with_any(s: int | None, o: int | None, besides: int | None) -> JoinStep:
    """Match a pattern of which only the subject or only the object is bound."""
    if (s is None) is (o is None):
        raise ValueError("no rule needs a search for any predicate between two things, or for all facts")

    def step(facts: Facts, _: LatestFacts, matches: _Matches) -> _Matches:
        relations = [pair for pair in facts.relations() if pair[0] != besides]
        for match in matches:
            for predicate, relation in relations:
                if s is not None:
                    for value in relation.out.get(match[s], _NONE):
                        yield (*match, predicate, value)
                elif o is not None:
                    for subject in relation.into.get(match[o], _NONE):
                        yield (*match, predicate, subject)

    return step


@dataclass(frozen=True)
class JoinPlan:
    """One way to match a rule: its first matches, the steps after that, and the places of its triples in a match."""

    rule: Rule
    trigger: int | None  # the predicate of the first pattern; None: any predicate, or no pattern comes first
    begin: Callable[[LatestFacts], _Matches]
    steps: tuple[JoinStep, ...]
    needed: tuple[int, ...]  # predicates without which nothing matches
    predicate: int | None  # of the conclusion, if it is constant
    head: tuple[int, int, int]
    body: tuple[tuple[int, int, int], ...]

    def matches(self, facts: Facts, news: LatestFacts) -> _Matches:
        """All matches."""
        if not all(facts.relation(predicate).out for predicate in self.needed):
            return ()
        found = self.begin(news)
        for step in self.steps:
            found = step(facts, news, found)
        return found

    def premises(self, match: Match) -> tuple[Fact, ...]:
        """The facts of a match."""
        return tuple((match[s], match[p], match[o]) for s, p, o in self.body)


def from_nothing(rule: Rule) -> JoinPlan:
    """The plan for all matches."""
    builder = _PlanBuilder(rule)
    return builder.plan(None, lambda _: [builder.constants], rule.body)


def from_news(rule: Rule, place: int) -> JoinPlan:
    """The plan for the matches in which the pattern at this place is news."""
    builder = _PlanBuilder(rule)
    pattern = rule.body[place]
    others = [other for number, other in enumerate(rule.body) if number != place]
    if not isinstance(pattern[1], str):
        return builder.plan(NUMBERS[pattern[1]], builder.begin_with_news(pattern, NUMBERS[pattern[1]]), others)
    # Bind the predicate first: the patterns about it rule out most news.
    builder.bind(pattern[1])
    guards = [other for other in others if pattern[0] not in other and pattern[2] not in other]
    builder.follow(guards)
    builder.extend_with_news(pattern)
    besides = None if rule.besides is None else NUMBERS[rule.besides]
    constants = builder.constants

    def predicates(news: LatestFacts) -> _Matches:
        return (
            (*constants, predicate) for predicate in news.pairs if predicate != besides and not is_reading(predicate)
        )

    return builder.plan(None, predicates, [other for other in others if other not in guards])


def from_conclusion(rule: Rule) -> JoinPlan:
    """The plan for the matches that conclude one of some facts, which are passed as news."""
    builder = _PlanBuilder(rule)
    begin = builder.begin_with(rule.head)
    if isinstance(rule.head[1], str):
        return builder.plan(None, lambda goals: begin(goals.facts()), rule.body)
    trigger = NUMBERS[rule.head[1]]
    return builder.plan(trigger, lambda goals: begin(goals.facts_with(trigger)), rule.body)


class _PlanBuilder:
    """Builds a plan: the places that are bound so far, and the steps that bind them."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        parts = [part for pattern in (*rule.body, rule.head) for part in pattern]
        names = dict.fromkeys(part for part in parts if not isinstance(part, str))
        self.constants: Match = tuple(NUMBERS[name] for name in names)
        self.places: dict[object, int] = {name: place for place, name in enumerate(names)}
        self._steps: list[JoinStep] = []

    def plan(
        self, trigger: int | None, begin: Callable[[LatestFacts], _Matches], patterns: Iterable[Pattern]
    ) -> JoinPlan:
        """The plan that starts with `begin` and continues with these patterns."""
        self.follow(patterns)
        rule = self._rule
        needed = [NUMBERS[p] for _, p, _ in rule.body if not isinstance(p, str)]
        return JoinPlan(
            rule,
            trigger,
            begin,
            tuple(self._steps),
            tuple(dict.fromkeys(needed)),
            None if isinstance(rule.head[1], str) else NUMBERS[rule.head[1]],
            self._placed(rule.head),
            tuple(map(self._placed, rule.body)),
        )

    def bind(self, part: object) -> None:
        """Append a number for this part to each match."""
        self.places[part] = len(self.places)

    def begin_with(self, pattern: Pattern) -> Callable[[Iterable[Fact]], _Matches]:
        """A function that makes matches from the facts that fit a pattern."""
        fixed = [(place, NUMBERS[part]) for place, part in enumerate(pattern) if not isinstance(part, str)]
        wanted: list[int] = []
        same: list[tuple[int, int]] = []
        for place, part in enumerate(pattern):
            if isinstance(part, str):
                if part in self.places:
                    same.append((place, pattern.index(part)))
                else:
                    self.bind(part)
                    wanted.append(place)
        constants = self.constants

        def begin(facts: Iterable[Fact]) -> _Matches:
            for fact in facts:
                is_fit = all(fact[place] == number for place, number in fixed)
                if is_fit and all(fact[one] == fact[other] for one, other in same):
                    yield (*constants, *(fact[place] for place in wanted))

        return begin

    def begin_with_news(self, pattern: Pattern, predicate: int) -> Callable[[LatestFacts], _Matches]:
        """The same for news that fits a pattern with this predicate. Most plans start like this, so it is fast."""
        subject, _, value = pattern
        constants = self.constants
        if isinstance(subject, str) and isinstance(value, str):
            self.bind(subject)
            self.bind(value)
            return lambda news: (constants + pair for pair in news.pairs.get(predicate, ()))
        self.bind(subject if isinstance(subject, str) else value)
        known, wanted = (1, 0) if isinstance(subject, str) else (0, 1)
        number = self.constants[self.places[pattern[2 * known]]]
        return lambda news: (
            (*constants, pair[wanted]) for pair in news.pairs.get(predicate, ()) if pair[known] == number
        )

    def follow(self, patterns: Iterable[Pattern]) -> None:
        """Continue with these patterns, most selective first."""
        left = list(patterns)
        while left:
            pattern = min(left, key=self._cost)  # the first one on a tie
            left.remove(pattern)
            self._steps.append(self._step(pattern))

    def extend_with_news(self, pattern: Pattern) -> None:
        """Continue with the news of a predicate that is bound."""
        predicate = self.places[pattern[1]]
        self.bind(pattern[0])
        self.bind(pattern[2])
        self._steps.append(
            lambda _, news, matches: (match + pair for match in matches for pair in news.pairs[match[predicate]])
        )

    def _placed(self, pattern: Pattern) -> tuple[int, int, int]:
        s, p, o = (self.places[part] for part in pattern)
        return s, p, o

    def _cost(self, pattern: Pattern) -> int:
        """A rough estimate of how much a pattern widens the search."""
        s, p, o = (part in self.places for part in pattern)
        if not p:
            return 6 if s or o else 7
        fixed = not is_variable(pattern[1])
        if s and o:
            return 0 if fixed else 1
        if s or o:
            return 2 if fixed else 3
        return 5 if fixed else 4

    def _step(self, pattern: Pattern) -> JoinStep:
        subject, predicate, value = pattern
        s, p, o = (self.places.get(part) for part in pattern)
        if not isinstance(predicate, str):
            made = _with_predicate(NUMBERS[predicate], s, o)
        elif p is not None:
            made = _with_place(p, s, o)
        else:
            made = _with_any(s, o, None if self._rule.besides is None else NUMBERS[self._rule.besides])
        for part in (predicate, subject, value):
            if part not in self.places:
                self.bind(part)
        return made


# -- applying the rules -----------------------------------------------------------------------------------------------


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
