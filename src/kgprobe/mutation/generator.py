"""From a seed graph to mutants: pick an operator, apply it at a random place, repeat, and keep what the mask admits.

The mutants depend on the seed graph, the operators and one number. Each attempt has its own random source, derived from
that number and the number of the attempt. So the result does not depend on the process that makes it, nor on earlier
attempts. (With a strategy that learns, it does depend on the mutants that were kept earlier.) Mutants that differ only
in the names of blank nodes count as one.
"""

from __future__ import annotations

import functools
import hashlib
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Protocol, TypeAlias

from kgprobe.masks.mask import Mask
from kgprobe.mutation.mutant import Mutant
from kgprobe.mutation.operator import NO_PINS, Change, Operator, Pins, Propose, Site
from kgprobe.rdf.canonical import isomorphic
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import NEW_NAMESPACE, FreshNames, Graph
from kgprobe.rdf.table import Key, TripleTable, collection_paused
from kgprobe.rdf.terms import RDF, BlankNode, NamedNode, Term

# -- strategies: how the next operator is picked -----------------------------------------------------------------------


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
        proposed = ((proposer.name, proposer.propose(site)) for proposer in proposers.in_random_order(site.random))
        applicable = ((name, change) for name, change in proposed if change is not None)
        for count, name_and_change in enumerate(applicable, start=1):
            news = len(set(self._features(site.graph, name_and_change[1])) - self._seen)
            if news > most:
                best, most = name_and_change, news
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


# -- the generator -----------------------------------------------------------------------------------------------------


_BLANK = -1


@dataclass
class Tally:
    """The results of all attempts so far."""

    attempts: int = 0
    kept: int = 0
    duplicates: int = 0
    stuck: int = 0  # no operator applied before all mutations were made
    rejected: Counter[str] = field(default_factory=Counter)  # by the first check of the mask that rejected it
    applied: Counter[str] = field(default_factory=Counter)  # operators, in the mutants that were kept


class Generator:
    """Makes mutants of one seed graph."""

    def __init__(
        self,
        seed_graph: Graph,
        operators: Sequence[Weighted],
        *,
        mutations: int,
        seed: int = 0,
        mask: Mask | None = None,
        pins: Pins = NO_PINS,
        strategy: Strategy | None = None,
        most_attempts: int = 1000,
        tally: Tally | None = None,
    ) -> None:
        """`most_attempts` limits the number of graphs made to find one that is valid and new.

        `tally` holds the results of earlier attempts; the numbering continues after them.
        """
        self._seed_graph = seed_graph
        self._mutations = mutations
        self._seed = seed
        self._mask = mask or Mask()
        self._pins = pins
        self.strategy = strategy or Uniform()
        self._most_attempts = most_attempts
        self._proposers = Proposers(
            [
                Proposer(weighted.operator.description.name, weighted.weight, weighted.operator.bound(pins))
                for weighted in operators
            ]
        )
        self.tally = tally or Tally()

    def mutants(self, count: int, seen: Seen | None = None) -> Iterator[Mutant]:
        """Valid mutants, no two the same; fewer than `count` if one of them takes too many attempts.

        No mutant equals one in `seen`; those count as already made.
        """
        seen = seen or Seen(self._seed_graph, self._made_again if self.strategy.learned() is None else None)
        for number in range(self.tally.kept + 1, count + 1):
            for attempts in range(1, self._most_attempts + 1):
                mutant = self._next(number, attempts, seen)
                if mutant is not None:
                    break
            else:
                return
            yield mutant

    def attempt(self, number: int) -> tuple[Graph, list[tuple[str, Change]]]:
        """The graph that this attempt makes, valid or not, and its steps: fewer than requested if it gets stuck."""
        with collection_paused():  # nothing here is garbage, except what is freed at once
            graph, changes = self._attempt(number)
            graph.settle()
            return graph, changes

    def _made_again(self, attempt: int) -> Graph:
        """The graph of an earlier attempt, made again; correct only if no strategy has learned anything since."""
        return self.attempt(attempt)[0]

    def _next(self, number: int, attempts: int, seen: Seen) -> Mutant | None:
        """The mutant of the next attempt, if it is kept."""
        with collection_paused():
            attempt = self._attempt(self.tally.attempts)
            if not self._mask.checks:
                return self._kept(attempt, number, attempts, seen)
        return self._kept(attempt, number, attempts, seen)  # a check may leave garbage

    def _attempt(self, number: int) -> tuple[Graph, list[tuple[str, Change]]]:
        graph = self._seed_graph.copy()
        random = Random(f"{self._seed}/{number}")
        site = Site(graph, random, FreshNames(graph, self._seed), self._pins)
        changes: list[tuple[str, Change]] = []
        while len(changes) < self._mutations:
            step = self.strategy.step(site, self._proposers)
            if step is None:
                break
            _, change = step
            graph.change(change.removed, change.added)
            changes.append(step)
        return graph, changes

    def _kept(
        self, attempt: tuple[Graph, list[tuple[str, Change]]], number: int, attempts: int, seen: Seen
    ) -> Mutant | None:
        graph, changes = attempt
        tally = self.tally
        tally.attempts += 1
        if len(changes) < self._mutations:
            tally.stuck += 1
            return None
        objection = self._mask.objection(graph)
        if objection is not None:
            tally.rejected[objection] += 1
            return None
        if not seen.add(graph, tally.attempts - 1):
            tally.duplicates += 1
            return None
        tally.kept += 1
        tally.applied.update(name for name, _ in changes)
        self.strategy.keep(graph, [change for _, change in changes])
        graph.settle()  # nothing more will be drawn from it
        return Mutant(number, attempts, graph, changes, attempt=tally.attempts - 1)


class Seen:
    """The graphs so far. The seed graph, without changes, is the first.

    Equal graphs have the same likeness; the few graphs that share one are compared as a whole.

    With `recall`, which makes the graph of an attempt again, only the numbers of attempts are kept: a long campaign
    makes more graphs than fit into memory.
    """

    def __init__(
        self, seed: Graph, recall: Callable[[int], Graph] | None = None, earlier: Iterable[tuple[int, int]] = ()
    ) -> None:
        """`earlier` are attempts that were already kept, each with its likeness."""
        self._recall = recall
        self._alike: defaultdict[int, list[Graph | int]] = defaultdict(list)
        self._alike[likeness(seed)].append(seed.copy())
        for attempt, number in earlier:
            self._alike[number].append(attempt)

    def add(self, graph: Graph, attempt: int = 0) -> bool:
        """Remember the graph that this attempt made; False if an equal graph was seen before."""
        alike = self._alike[likeness(graph)]
        others = [self._graph(other) for other in alike]
        if any(graph == other for other in others) or any(isomorphic(graph, other) for other in others):
            return False
        alike.append(graph if self._recall is None else attempt)
        return True

    def _graph(self, kept: Graph | int) -> Graph:
        if isinstance(kept, Graph):
            return kept
        assert self._recall is not None  # noqa: S101 - without it, graphs are kept
        return self._recall(kept)


def likeness(graph: Graph) -> int:
    """A number of 64 bits, with a sign, that a graph shares with all graphs that differ in blank nodes only.

    Each triple has a number that ignores the names of blank nodes. The likeness of a mutant is the sum of the numbers
    of the triples that it adds, minus those that it removes: it costs O(change). It is the same in every process, so
    that it can be stored.
    """
    total = 0
    known = _NUMBERS.of(graph.table)
    for (s, p, o), added in graph.changed_keys.items():
        if added:
            subject = known[s] if type(s) is int else _BLANK if type(s) is BlankNode else _number(s)
            value = known[o] if type(o) is int else _BLANK if type(o) is BlankNode else _number(o)
            total += hash((subject, p if type(p) is int else _number(p), value))
        else:  # the seed graph had it, and knows its terms
            total -= hash((known[s], p, known[o]))  # type: ignore[index]  # so these are numbers
    return (total + (1 << 63)) % (1 << 64) - (1 << 63)


def _numbers(table: TripleTable) -> array[int]:
    """Terms of the seed graph get the same number each time it is read."""
    return array("q", (_BLANK if type(term) is BlankNode else number for number, term in enumerate(table.terms)))


_NUMBERS = PerTable(_numbers)


@functools.lru_cache(maxsize=1 << 12)  # generated names are the same in all mutants
def _number(term: Term) -> int:
    """A hash of a text that, unlike Python's, is the same in all processes."""
    return int.from_bytes(hashlib.blake2b(str(term).encode(), digest_size=7).digest())
