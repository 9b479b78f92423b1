"""Steps of a join: matches of some patterns become matches of one pattern more.

What is known of the pattern from the match so far is given by its place in the match; None marks what is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from kgprobe.entailment.facts import Fact, Facts, is_reading

__all__ = ["Match", "Matches", "News", "Step", "with_any", "with_place", "with_predicate"]

Match: TypeAlias = tuple[int, ...]
Matches: TypeAlias = Iterable[Match]
Step: TypeAlias = "Callable[[Facts, News, Matches], Matches]"
_NONE: frozenset[int] = frozenset()


@dataclass(slots=True)
class News:
    """The facts that came last, by predicate; `steps` are those that did not come by a chain of others."""

    pairs: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    steps: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, subject: int, predicate: int, value: int) -> None:
        """Note a fact that is no chain."""
        pair = subject, value
        self.pairs.setdefault(predicate, []).append(pair)
        self.steps.setdefault(predicate, []).append(pair)

    def facts_with(self, predicate: int) -> Iterator[Fact]:
        """The facts with this predicate."""
        return ((subject, predicate, value) for subject, value in self.pairs.get(predicate, ()))

    def facts(self) -> Iterator[Fact]:
        """The facts that are no readings."""
        return (fact for predicate in self.pairs if not is_reading(predicate) for fact in self.facts_with(predicate))


def with_predicate(predicate: int, s: int | None, o: int | None) -> Step:
    """Matches a pattern whose predicate is a constant; None marks what is not known yet."""

    def check(facts: Facts, _: News, matches: Matches) -> Matches:
        get = facts.relation(predicate).out.get
        return (match for match in matches if match[o] in get(match[s], _NONE))  # type: ignore[index]

    def objects(facts: Facts, _: News, matches: Matches) -> Matches:
        get = facts.relation(predicate).out.get
        return (match + (each,) for match in matches for each in get(match[s], _NONE))  # type: ignore[index]  # noqa: RUF005

    def subjects(facts: Facts, _: News, matches: Matches) -> Matches:
        get = facts.relation(predicate).into.get
        return (match + (each,) for match in matches for each in get(match[o], _NONE))  # type: ignore[index]  # noqa: RUF005

    def both(facts: Facts, _: News, matches: Matches) -> Matches:
        relation = facts.relation(predicate)
        return (match + pair for match in matches for pair in relation.pairs())

    if s is not None:
        return objects if o is None else check
    return both if o is None else subjects


def with_place(p: int, s: int | None, o: int | None) -> Step:
    """Matches a pattern whose predicate is known from the match."""

    def check(facts: Facts, _: News, matches: Matches) -> Matches:
        relation = facts.relation
        return (match for match in matches if match[o] in relation(match[p]).out.get(match[s], _NONE))  # type: ignore[index]

    def objects(facts: Facts, _: News, matches: Matches) -> Matches:
        relation = facts.relation
        return (match + (each,) for match in matches for each in relation(match[p]).out.get(match[s], _NONE))  # type: ignore[index]  # noqa: RUF005

    def subjects(facts: Facts, _: News, matches: Matches) -> Matches:
        relation = facts.relation
        return (match + (each,) for match in matches for each in relation(match[p]).into.get(match[o], _NONE))  # type: ignore[index]  # noqa: RUF005

    def both(facts: Facts, _: News, matches: Matches) -> Matches:
        relation = facts.relation
        return (match + pair for match in matches for pair in relation(match[p]).pairs())

    if s is not None:
        return objects if o is None else check
    return both if o is None else subjects


def with_any(s: int | None, o: int | None, besides: int | None) -> Step:
    """Matches a pattern of which only the subject or only the object is known."""
    if (s is None) is (o is None):
        raise ValueError("no rule needs a search for any predicate between two things, or for all facts")

    def step(facts: Facts, _: News, matches: Matches) -> Matches:
        relations = [each for each in facts.relations() if each[0] != besides]
        for match in matches:
            for predicate, relation in relations:
                if s is not None:
                    for each in relation.out.get(match[s], _NONE):
                        yield (*match, predicate, each)
                elif o is not None:
                    for each in relation.into.get(match[o], _NONE):
                        yield (*match, predicate, each)

    return step
