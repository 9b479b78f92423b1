"""Graphs with only some of the steps of a mutant.

A step can depend on earlier ones: it uses a name that one of them introduced, or removes a triple that one of them
added. Without these, it could not have been applied as it was, and is left out, too. A step that only removes triples
removes those that are there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from kgprobe.graph.graph import Delta, Graph
from kgprobe.graph.terms import Literal, Term, Triple
from kgprobe.mutation.mutant import MutationStep

__all__ = ["PartialMutant", "PartialMutants"]


@dataclass(frozen=True)
class PartialMutant:
    """A graph, and the steps that it has: those that were asked for, without those that cannot be applied."""

    steps: frozenset[int]
    graph: Graph

    @property
    def change(self) -> Delta:
        """The change from the seed graph: equal for equal graphs."""
        return self.graph.changes()


class PartialMutants:
    """Makes graphs from a seed graph and any of the steps of one of its mutants, in their order."""

    def __init__(self, seed: Graph, steps: Sequence[MutationStep]) -> None:
        self._seed = seed
        self._steps = steps
        self._needed = list(_needed_names(seed, steps))

    def __len__(self) -> int:
        return len(self._steps)

    def made(self, wanted: Collection[int]) -> PartialMutant:
        """The graph with these steps, by their places from 0."""
        graph = self._seed.copy()
        applied = set()
        for number in sorted(wanted):
            delta = graph.fitted(self._steps[number].delta)
            if delta and self._can_be_applied(number, delta, graph):
                graph.apply(delta)
                applied.add(number)
        return PartialMutant(frozenset(applied), graph)

    def _can_be_applied(self, number: int, fitted: Delta, graph: Graph) -> bool:
        whole = self._steps[number].delta
        if whole.added and len(fitted.removed) < len(whole.removed):
            return False  # it would replace something that is not there
        return not whole.added or all(map(graph.mentions, self._needed[number]))


def _needed_names(seed: Graph, steps: Sequence[MutationStep]) -> Iterator[tuple[Term, ...]]:
    """For each step, the names in its new triples that the graph had before it."""
    graph = seed.copy()
    for step in steps:
        names = dict.fromkeys(name for triple in step.delta.added for name in _names(triple))
        yield tuple(name for name in names if graph.mentions(name))
        graph.apply(step.delta)


def _names(triple: Triple) -> Iterator[Term]:
    for term in (triple.subject, triple.predicate, triple.object):
        if not isinstance(term, Literal | Triple):
            yield term
