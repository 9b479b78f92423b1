"""Which operator comes next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from kgprobe.graph.changes import Key
from kgprobe.graph.fresh import NAMESPACE
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import RDF, NamedNode
from kgprobe.mutation.operator import Change, Operator, Propose, Site

__all__ = ["STRATEGIES", "CoverageGuided", "Proposer", "Strategy", "Uniform", "Weighted"]


@dataclass(frozen=True)
class Weighted:
    """An operator, and how often it is picked in comparison with others."""

    operator: Operator
    weight: float = 1.0


@dataclass(frozen=True)
class Proposer:
    """An operator that is ready to work."""

    name: str
    weight: float
    propose: Propose


class Strategy(Protocol):
    """Picks operators until one applies."""

    def step(self, site: Site, proposers: Sequence[Proposer]) -> tuple[str, Change] | None:
        """The next step; None if no operator applies."""
        ...

    def keep(self, graph: Graph, changes: Iterable[Change]) -> None:
        """A mutant with these steps was kept: what it shows need not be shown again."""
        ...


class Uniform:
    """Each operator as often as its weight says."""

    def step(self, site: Site, proposers: Sequence[Proposer]) -> tuple[str, Change] | None:
        return next(_applicable(site, proposers), None)

    def keep(self, graph: Graph, changes: Iterable[Change]) -> None:
        """Nothing is learned."""


class CoverageGuided:
    """Of a few steps that could be next, the one that adds most input features which no mutant had so far.

    A feature is a predicate, or a class that something is an instance of. What the seed graph has is in all mutants.
    """

    def __init__(self, choices: int = 4) -> None:
        self._choices = choices
        self._seen: set[tuple[str, str]] = set()

    def step(self, site: Site, proposers: Sequence[Proposer]) -> tuple[str, Change] | None:
        best, most = None, -1
        for count, found in enumerate(_applicable(site, proposers), start=1):
            news = len(set(self._features(site.graph, found[1])) - self._seen)
            if news > most:
                best, most = found, news
            if count == self._choices:
                break
        return best

    def keep(self, graph: Graph, changes: Iterable[Change]) -> None:
        self._seen.update(feature for change in changes for feature in self._features(graph, change))

    def _features(self, graph: Graph, change: Change) -> Iterator[tuple[str, str]]:
        """The features of what is added, without those of the seed."""
        seed = graph.table
        is_a = graph.key(RDF.type)
        for _, predicate, object_ in change.added:
            if not _count(seed.span(None, predicate, None)):
                yield "predicate", str(graph.term(predicate))
            if predicate == is_a and not _count(seed.span(None, is_a, object_)) and not _is_new(graph, object_):
                yield "class", str(graph.term(object_))


STRATEGIES: dict[str, type[Uniform | CoverageGuided]] = {"uniform": Uniform, "coverage": CoverageGuided}


def _applicable(site: Site, proposers: Sequence[Proposer]) -> Iterator[tuple[str, Change]]:
    """Steps by one operator after the other, in an order that the weights make more or less likely."""
    left = list(proposers)
    while left:
        proposer = left.pop(_draw(left, site.random))
        change = proposer.propose(site)
        if change is not None:
            yield proposer.name, change


def _draw(proposers: Sequence[Proposer], random: Random) -> int:
    point = random.random() * sum(proposer.weight for proposer in proposers)
    for place, proposer in enumerate(proposers):
        point -= proposer.weight
        if point < 0:
            return place
    return len(proposers) - 1


def _count(span: tuple[int, int]) -> int:
    return span[1] - span[0]


def _is_new(graph: Graph, key: Key) -> bool:
    """Whether this is a name that was made up."""
    term = graph.term(key)
    return not isinstance(term, NamedNode) or term.value.startswith(NAMESPACE)
