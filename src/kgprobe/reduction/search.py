"""Searches for the few of many parts that a failure needs: by group testing, or by halves.

`needed` puts the parts in an order, with those first that are most likely to matter, and tests prefixes of that list.
If a prefix still fails and the next shorter one does not, its last part is needed, and all parts behind it are not. So
each search for a prefix finds one more part that is needed. Each part has a probability, and each test divides the
possible results into two sets that are equally likely. Parts that were expected to matter are found with a few tests,
and others with about the logarithm of the number of parts.

`Relevance` estimates the probabilities for groups of triples, from the names that they share with known causes. The
measure is a random walk: from a name to one of the groups that mention it, from a group to one of its names. Groups
that a walk from the known names reaches soon are likely; a name that all groups mention says little.

`halve` is Algorithm 1 of "Mutation-based testing of knowledge graphs", for comparison.
"""

from __future__ import annotations

import heapq
import math
import operator
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar

from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.terms import BlankNode, NamedNode, Term, Triple
from kgprobe.reduction.problem import Effort, Problem, Rate, Steps, StillFails, last_of, solved

__all__ = ["FewerParts", "Relevance", "fewer_parts", "halve", "names_in", "needed", "reduce_parts", "reducing_parts"]

Event = TypeVar("Event")
Part = TypeVar("Part")
# Before anything is known, a failure is expected to need this many parts of the list, however long it is.
_EXPECTED = 2.0
_LEAST_EXPECTED = 0.5
# There may be fewer than expected: both of these factors are equally likely.
_OFF_BY = (0.3, 1.0)
# However likely a part is to matter, it is still tested.
_MOST_LIKELY = 0.75
# This share of the probability is spread evenly over all groups, because the cause may be somewhere else.
_ELSEWHERE = 0.25


def needed(
    count: int,
    verdicts: Callable[[Sequence[Sequence[int]]], Generator[Event, None, Sequence[bool]]],
    weights: Callable[[Sequence[int], Sequence[int]], Sequence[float]],
    *,
    batch: int = 1,
) -> Generator[Event, None, list[int]]:
    """Numbers below `count` that are enough for the failure. All of them together are known to be enough.

    `verdicts` finds out for sets of numbers whether they still fail, for up to `batch` sets at once. `weights` says how
    likely each of some numbers is to be needed, given those that are known to be. If a failure that needs some parts
    also occurs with more, each number of the result is needed.
    """
    found: list[int] = []
    rest = list(range(count))
    while rest:
        weight = dict(zip(rest, weights(found, rest), strict=True))
        rest.sort(key=lambda number: -weight[number])
        total = sum(weight.values()) or 1.0
        expected = _expected(len(found), len(rest), count)
        prefix = _Prefix([weight[number] / total for number in rest], expected, batch)
        while cuts := prefix.cuts():
            prefix.note(cuts, (yield from verdicts([found + rest[:cut] for cut in cuts])))
        if prefix.size == 0:
            break
        found.append(rest[prefix.size - 1])
        rest = rest[: prefix.size - 1]
    return found


def _expected(found: int, left: int, count: int) -> float:
    """How many of the remaining parts are needed, if the share is the same as among those decided so far."""
    settled = count - left
    return max(_LEAST_EXPECTED, (found + 1) * left / (settled + count / _EXPECTED))


class _Prefix:
    """The search for the shortest prefix that still fails."""

    def __init__(self, shares: Sequence[float], expected: float, batch: int) -> None:
        self.size = len(shares)
        self._least = 0
        self._batch = batch
        several = [_none_behind(shares, expected * factor) for factor in _OFF_BY]
        self._up_to = [sum(chances) for chances in zip(*several, strict=True)]

    def cuts(self) -> list[int]:
        """Lengths to test, which divide the remaining possibilities into equally likely sets; none if one remains."""
        low, high = self._least, self.size
        if low >= high:
            return []
        before = self._up_to[low - 1] if low else 0.0
        mass = self._up_to[high] - before
        wanted = [before + mass * part / (self._batch + 1) for part in range(1, self._batch + 1)]
        return sorted({self._nearest(low, high, share) for share in wanted})

    def note(self, cuts: Sequence[int], verdicts: Sequence[bool]) -> None:
        """Record the verdicts on these lengths."""
        for cut, fails in zip(cuts, verdicts, strict=True):
            if fails:
                self.size = cut
                return
            self._least = cut + 1

    def _nearest(self, low: int, high: int, wanted: float) -> int:
        """The length from `low` up to, but not including, `high` whose chance is closest to the wanted one."""
        first, last = low, high - 1
        while first < last:
            middle = (first + last) // 2
            if self._up_to[middle] < wanted:
                first = middle + 1
            else:
                last = middle
        below = max(low, first - 1)
        return min((below, first), key=lambda length: abs(self._up_to[length] - wanted))


def _none_behind(shares: Sequence[float], expected: float) -> list[float]:
    """For each length of a prefix, the chance that no later part is needed, if this many are expected."""
    misses = (1 - min(_MOST_LIKELY, expected * share) for share in reversed(shares))
    return list(accumulate(misses, operator.mul, initial=1.0))[::-1]


def halve(
    parts: list[Part], fails: Callable[[list[Part]], Generator[Event, None, bool]], *, random: Random | None = None
) -> Generator[Event, None, list[Part]]:
    """Parts that are enough for the failure. All of them together are known to fail.

    The paper's algorithm divides at random, as is done here with a random source. Without one, the parts are divided in
    the middle. Triples of one axiom tend to be neighbours, so that is the algorithm at its best.
    """
    return (yield from _minimize([], parts, fails, random)) if parts else []


def _minimize(
    kept: list[Part],
    parts: list[Part],
    fails: Callable[[list[Part]], Generator[Event, None, bool]],
    random: Random | None,
) -> Generator[Event, None, list[Part]]:
    # Halves get shorter with each call, so the depth is the logarithm of the number of parts.
    if len(parts) == 1:
        return parts
    if random is not None:
        parts = random.sample(parts, len(parts))
    middle = len(parts) // 2
    first, second = parts[:middle], parts[middle:]
    if (yield from fails(kept + first)):
        return (yield from _minimize(kept, first, fails, random))
    if (yield from fails(kept + second)):
        return (yield from _minimize(kept, second, fails, random))
    least_first = yield from _minimize(kept + second, first, fails, random)
    least_second = yield from _minimize(kept + least_first, second, fails, random)
    return least_first + least_second


def names_in(triples: Iterable[Triple]) -> frozenset[Term]:
    """The names and blank nodes in these triples, without the vocabularies of OWL and RDF."""
    found: set[Term] = set()
    pending: list[object] = [part for triple in triples for part in (triple.subject, triple.predicate, triple.object)]
    for part in pending:
        if type(part) is BlankNode or (type(part) is NamedNode and not is_reserved(part)):
            found.add(part)
        elif type(part) is Triple:
            pending += (part.subject, part.predicate, part.object)
    return frozenset(found)


class Relevance:
    """The weights of groups of triples. `known` names matter, and so do the groups in `near`."""

    def __init__(
        self,
        names: Sequence[frozenset[Term]],
        *,
        known: Collection[Term] = (),
        near: Collection[int] = (),
        factor: Callable[[int], float] = lambda _: 1.0,
    ) -> None:
        self._names = names
        self._known = frozenset(known)
        self._near = frozenset(near)
        self._factor = factor

    def weights(self, found: Sequence[int], rest: Sequence[int]) -> list[float]:
        """A weight for each of `rest`, given that those in `found` are needed."""
        everywhere = _shares([self._factor(number) for number in rest])
        sources = set(self._known).union(*(self._names[number] for number in found))
        distances = self._distances(sources, rest)
        if not distances:
            return everywhere
        lowest = min(distances.values())
        walk = _shares(
            [
                self._factor(number) * 2.0 ** (lowest - distances[number]) if number in distances else 0.0
                for number in rest
            ]
        )
        return [_ELSEWHERE * a + (1 - _ELSEWHERE) * b for a, b in zip(everywhere, walk, strict=True)]

    def _distances(self, sources: set[Term], rest: Sequence[int]) -> dict[int, float]:
        """The length of the path to each reachable group, in bits."""
        mentioning: defaultdict[Term, list[int]] = defaultdict(list)
        for number in rest:
            for name in self._names[number]:
                mentioning[name].append(number)
        queue: list[tuple[float, int]] = [(0.0, number) for number in rest if number in self._near]
        passed: set[Term] = set()

        def leave(name: Term, distance: float) -> None:
            if name not in passed and name in mentioning:
                passed.add(name)
                further = distance + math.log2(1 + len(mentioning[name]))
                for number in mentioning[name]:
                    heapq.heappush(queue, (further, number))

        for name in sources:
            leave(name, 0.0)
        distances: dict[int, float] = {}
        while queue:
            distance, number = heapq.heappop(queue)
            if number not in distances:
                distances[number] = distance
                for name in self._names[number]:
                    leave(name, distance + math.log2(1 + len(self._names[number])))
        return distances


def _shares(weights: list[float]) -> list[float]:
    total = sum(weights)
    return [weight / total for weight in weights] if total else [1 / len(weights)] * len(weights)


# -- parts of any input ------------------------------------------------------------------------------------------------
# A candidate is a tuple of some of the parts, in their order.


@dataclass(frozen=True)
class FewerParts(Generic[Part]):
    """The result, and its cost. `is_minimal`: no single part can be left out, and the runs were not used up."""

    parts: tuple[Part, ...]
    runs: int
    rate_before: Rate
    rate: Rate
    is_minimal: bool


def reduce_parts(
    parts: Iterable[Part],
    still_fails: StillFails[tuple[Part, ...]],
    *,
    admits: Callable[[tuple[Part, ...]], bool] = lambda _: True,
    digest: Callable[[tuple[Part, ...]], Hashable] = lambda parts: parts,
    effort: Effort | None = None,
) -> FewerParts[Part]:
    """As few of the parts as the failure needs. InputError if all of them together do not fail.

    Only candidates that `admits` accepts are run, and of several with the same `digest` only one.
    """
    return last_of(reducing_parts(parts, still_fails, admits=admits, digest=digest, effort=effort))


def reducing_parts(
    parts: Iterable[Part],
    still_fails: StillFails[tuple[Part, ...]],
    *,
    admits: Callable[[tuple[Part, ...]], bool] = lambda _: True,
    digest: Callable[[tuple[Part, ...]], Hashable] = lambda parts: parts,
    effort: Effort | None = None,
) -> Steps[tuple[Part, ...], FewerParts[Part]]:
    """Like `reduce_parts`, but yields events."""
    problem = Problem(tuple(parts), still_fails, size=len, digest=digest, admits=admits, effort=effort)
    is_complete = yield from solved(problem, lambda: fewer_parts(problem))
    return FewerParts(problem.best, problem.runs, problem.rate, problem.best_rate, is_complete)


def fewer_parts(problem: Problem[tuple[Part, ...]]) -> Steps[tuple[Part, ...], None]:
    """Leave parts out until no single one can be left out."""
    problem.phase = "parts"
    whole = problem.best

    def verdicts(sets: Sequence[Sequence[int]]) -> Steps[tuple[Part, ...], list[bool]]:
        return problem.verdicts([tuple(whole[number] for number in sorted(numbers)) for numbers in sets])

    found = yield from needed(len(whole), verdicts, lambda _, rest: [1.0] * len(rest), batch=problem.batch)
    least = tuple(whole[number] for number in sorted(found))
    problem.phase = "single parts"
    place = 0
    while True:
        order = [*range(place, len(least)), *range(place)]
        number = yield from problem.first(_without(least, part) for part in order)
        if number is not None:
            place = order[number]
            least = _without(least, place)
        elif len(problem.best) < len(least):
            # If several candidates fail at once, the search continues with one, which need not be the smallest.
            place, least = 0, problem.best
        else:
            break
    yield from problem.adopt(least)


def _without(parts: tuple[Part, ...], number: int) -> tuple[Part, ...]:
    return parts[:number] + parts[number + 1 :]
