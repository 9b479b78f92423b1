"""Estimates how likely each group of triples is to matter, from the names that it shares with known causes.

The measure is a random walk: from a name to one of the groups that mention it, from a group to one of its names. Groups
that a walk from the known names reaches soon are likely; a name that all groups mention says little.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence

from kgprobe.graph.axioms.name_kinds import is_reserved
from kgprobe.graph.terms import BlankNode, NamedNode, Term, Triple

__all__ = ["Relevance", "names_in"]

# This share of the probability is spread evenly over all groups, because the cause may be somewhere else.
_ELSEWHERE = 0.25


def names_in(triples: Iterable[Triple]) -> frozenset[Term]:
    """The names and blank nodes in these triples, without the words of OWL and RDF."""
    found: set[Term] = set()
    pending: list[object] = [part for each in triples for part in (each.subject, each.predicate, each.object)]
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
