"""Strategies, which choose the next operator to apply."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Protocol, TypeAlias

from kgprobe.mutation.operator import Change, Operator, Propose, Site
from kgprobe.rdf.graph import NEW_NAMESPACE, Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import RDF, NamedNode

__all__ = ["STRATEGIES", "CoverageGuided", "Feature", "Proposer", "Proposers", "Strategy", "Uniform", "Weighted"]


Feature: TypeAlias = tuple[str, str]
"""A feature of an input: its kind and its name."""

_MOST_MISSES = 40


@dataclass(frozen=True)
class Weighted:
    """An operator, and its weight in comparison with others."""

    operator: Operator
    weight: float = 1.0


@dataclass(frozen=True)
class Proposer:
    """An operator that is ready to work."""

    name: str
    weight: float
    propose: Propose


class Proposers:
    """Operators to draw from, by their weights."""

    def __init__(self, proposers: Sequence[Proposer]) -> None:
        self._all = tuple(proposers)
        self._sums = list(accumulate(proposer.weight for proposer in self._all))
        self._are_alike = len({proposer.weight for proposer in self._all}) == 1

    def in_random_order(self, random: Random) -> Iterator[Proposer]:
        """All operators in random order; those with larger weights tend to come earlier."""
        operators, count, chance = self._all, len(self._all), random.random
        seen: set[int] = set()
        # Until most operators have been drawn, drawing some of them twice is cheaper than weighing the others.
        misses = 0
        while misses < _MOST_MISSES and len(seen) < count:
            place = int(chance() * count) if self._are_alike else _place(self._sums, random)
            if place in seen:
                misses += 1
            else:
                yield operators[place]
                seen.add(place)
        left = [operator for place, operator in enumerate(operators) if place not in seen]
        while left:
            yield left.pop(_place(list(accumulate(proposer.weight for proposer in left)), random))


class Strategy(Protocol):
    """Picks operators until one applies."""

    def step(self, site: Site, proposers: Proposers) -> tuple[str, Change] | None:
        """The next step; None if no operator applies."""
        ...

    def keep(self, graph: Graph, changes: Iterable[Change]) -> None:
        """Note that a mutant with these steps was kept: its features need not be covered again."""
        ...

    def learned(self) -> Sequence[Feature] | None:
        """The learned features, from which another process can continue; None if it learns nothing."""
        ...

    def learn(self, features: Iterable[Feature]) -> None:
        """Continue from these features, which an earlier run learned."""
        ...


class Uniform:
    """Picks each operator in proportion to its weight."""

    def step(self, site: Site, proposers: Proposers) -> tuple[str, Change] | None:
        for proposer in proposers.in_random_order(site.random):
            change = proposer.propose(site)
            if change is not None:
                return proposer.name, change
        return None

    def keep(self, graph: Graph, changes: Iterable[Change]) -> None:
        """Nothing is learned."""

    def learned(self) -> Sequence[Feature] | None:
        return None

    def learn(self, features: Iterable[Feature]) -> None:
        """Nothing is learned."""


class CoverageGuided:
    """Picks, from a few possible next steps, the one that adds most input features that no earlier mutant had.

    A feature is a predicate, or a class that has an instance. Features of the seed graph do not count.
    """

    def __init__(self, choices: int = 4) -> None:
        self._choices = choices
        self._seen: set[Feature] = set()

    def step(self, site: Site, proposers: Proposers) -> tuple[str, Change] | None:
        best, most = None, -1
        proposed = ((each.name, each.propose(site)) for each in proposers.in_random_order(site.random))
        applicable = ((name, change) for name, change in proposed if change is not None)
        for count, found in enumerate(applicable, start=1):
            news = len(set(self._features(site.graph, found[1])) - self._seen)
            if news > most:
                best, most = found, news
            if count == self._choices:
                break
        return best

    def keep(self, graph: Graph, changes: Iterable[Change]) -> None:
        self._seen.update(feature for change in changes for feature in self._features(graph, change))

    def learned(self) -> Sequence[Feature] | None:
        return sorted(self._seen)

    def learn(self, features: Iterable[Feature]) -> None:
        self._seen.update(features)

    def _features(self, graph: Graph, change: Change) -> Iterator[Feature]:
        """The features of the added triples, without those of the seed graph."""
        seed = graph.table
        is_a = graph.key(RDF.type)
        for _, predicate, object_ in change.added:
            if not _count(seed.span(None, predicate, None)):
                yield "predicate", str(graph.term(predicate))
            if predicate == is_a and not _count(seed.span(None, is_a, object_)) and not _is_new(graph, object_):
                yield "class", str(graph.term(object_))


STRATEGIES: dict[str, type[Uniform | CoverageGuided]] = {"uniform": Uniform, "coverage": CoverageGuided}


def _place(sums: Sequence[float], random: Random) -> int:
    """The index of a random point among the sums of weights. Rounding must not lead past the end."""
    return min(bisect_right(sums, random.random() * sums[-1]), len(sums) - 1)


def _count(span: tuple[int, int]) -> int:
    return span[1] - span[0]


def _is_new(graph: Graph, key: Key) -> bool:
    """Whether this is a generated name."""
    term = graph.term(key)
    return not isinstance(term, NamedNode) or term.value.startswith(NEW_NAMESPACE)
