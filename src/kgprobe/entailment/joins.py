"""How the patterns of a rule are matched: a plan for each way to begin.

A match grows pattern by pattern. It is a tuple of numbers, those of the rule's constants first, then those of variables
in the order in which they are found. A plan is made once for all graphs, since the names that rules speak of have fixed
numbers. Nothing is collected on the way: a rule with many matches takes time, but no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kgprobe.entailment.facts import NUMBERS, Fact, Facts, is_reading
from kgprobe.entailment.rules import Pattern, Rule, is_variable
from kgprobe.entailment.steps import Match, Matches, News, Step, with_any, with_place, with_predicate

__all__ = ["Plan", "from_conclusion", "from_news", "from_nothing"]


@dataclass(frozen=True)
class Plan:
    """One way to match a rule: how to begin, what to do then, and where the parts of its triples are in a match."""

    rule: Rule
    trigger: int | None  # the predicate of the pattern that begins; None: any, or there is no such pattern
    begin: Callable[[News], Matches]
    steps: tuple[Step, ...]
    needed: tuple[int, ...]  # predicates without which nothing matches
    predicate: int | None  # that of the conclusion, if it is always the same
    head: tuple[int, int, int]
    body: tuple[tuple[int, int, int], ...]

    def matches(self, facts: Facts, news: News) -> Matches:
        """All matches."""
        if not all(facts.relation(predicate).out for predicate in self.needed):
            return ()
        found = self.begin(news)
        for step in self.steps:
            found = step(facts, news, found)
        return found

    def premises(self, match: Match) -> tuple[Fact, ...]:
        """The facts that a match is made of."""
        return tuple((match[s], match[p], match[o]) for s, p, o in self.body)


def from_nothing(rule: Rule) -> Plan:
    """The plan for all matches."""
    making = _Making(rule)
    return making.plan(None, lambda _: [making.constants], rule.body)


def from_news(rule: Rule, place: int) -> Plan:
    """The plan for the matches in which the pattern at this place is news."""
    making = _Making(rule)
    pattern = rule.body[place]
    others = [each for number, each in enumerate(rule.body) if number != place]
    if not isinstance(pattern[1], str):
        return making.plan(NUMBERS[pattern[1]], making.begin_with_news(pattern, NUMBERS[pattern[1]]), others)
    # The predicate first: what is said of it rules out most news.
    making.bind(pattern[1])
    guards = [each for each in others if pattern[0] not in each and pattern[2] not in each]
    making.follow(guards)
    making.extend_with_news(pattern)
    besides = None if rule.besides is None else NUMBERS[rule.besides]
    constants = making.constants

    def predicates(news: News) -> Matches:
        return (
            (*constants, predicate) for predicate in news.pairs if predicate != besides and not is_reading(predicate)
        )

    return making.plan(None, predicates, [each for each in others if each not in guards])


def from_conclusion(rule: Rule) -> Plan:
    """The plan for the matches that lead to one of these facts, which stand in the place of news."""
    making = _Making(rule)
    begin = making.begin_with(rule.head)
    if isinstance(rule.head[1], str):
        return making.plan(None, lambda goals: begin(goals.facts()), rule.body)
    trigger = NUMBERS[rule.head[1]]
    return making.plan(trigger, lambda goals: begin(goals.facts_with(trigger)), rule.body)


class _Making:
    """A plan in the making: which places are known so far, and the steps that lead there."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        parts = [part for pattern in (*rule.body, rule.head) for part in pattern]
        names = dict.fromkeys(part for part in parts if not isinstance(part, str))
        self.constants: Match = tuple(NUMBERS[name] for name in names)
        self.places: dict[object, int] = {name: place for place, name in enumerate(names)}
        self._steps: list[Step] = []

    def plan(self, trigger: int | None, begin: Callable[[News], Matches], patterns: Iterable[Pattern]) -> Plan:
        """The plan that begins so and goes on with these patterns."""
        self.follow(patterns)
        rule = self._rule
        needed = [NUMBERS[p] for _, p, _ in rule.body if not isinstance(p, str)]
        return Plan(
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
        """A match has got one more number, which stands for this."""
        self.places[part] = len(self.places)

    def begin_with(self, pattern: Pattern) -> Callable[[Iterable[Fact]], Matches]:
        """What makes matches of the facts that fit a pattern."""
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

        def begin(facts: Iterable[Fact]) -> Matches:
            for fact in facts:
                is_fit = all(fact[place] == number for place, number in fixed)
                if is_fit and all(fact[one] == fact[other] for one, other in same):
                    yield (*constants, *(fact[place] for place in wanted))

        return begin

    def begin_with_news(self, pattern: Pattern, predicate: int) -> Callable[[News], Matches]:
        """The same for news that fit a pattern with this predicate. Of these there are many."""
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
        """Go on with these patterns, those that narrow the search first."""
        left = list(patterns)
        while left:
            pattern = min(left, key=self._cost)  # the first of several
            left.remove(pattern)
            self._steps.append(self._step(pattern))

    def extend_with_news(self, pattern: Pattern) -> None:
        """Go on with the news of a predicate that is known."""
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
        """How much a pattern widens the search, roughly."""
        s, p, o = (part in self.places for part in pattern)
        if not p:
            return 6 if s or o else 7
        fixed = not is_variable(pattern[1])
        if s and o:
            return 0 if fixed else 1
        if s or o:
            return 2 if fixed else 3
        return 5 if fixed else 4

    def _step(self, pattern: Pattern) -> Step:
        subject, predicate, value = pattern
        s, p, o = (self.places.get(part) for part in pattern)
        if not isinstance(predicate, str):
            made = with_predicate(NUMBERS[predicate], s, o)
        elif p is not None:
            made = with_place(p, s, o)
        else:
            made = with_any(s, o, None if self._rule.besides is None else NUMBERS[self._rule.besides])
        for part in (predicate, subject, value):
            if part not in self.places:
                self.bind(part)
        return made
