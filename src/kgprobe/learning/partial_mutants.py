"""Graphs with only some of the steps of a mutant.

A step can depend on earlier ones: it uses a name that one of them introduced, or removes a triple that one of them
added. Without these, it could not have been applied as it was, and is left out, too. A step that only removes triples
removes those that are there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from kgprobe.mutation.mutant import MutationStep
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import Literal, Term, Triple

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
        self._needed, self._alone = _dependencies(seed, steps)

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

    def alone(self, step: int) -> frozenset[int]:
        """The step, and all earlier ones that it needs to make the same change."""
        return self._alone[step]

    def _can_be_applied(self, number: int, fitted: Delta, graph: Graph) -> bool:
        whole = self._steps[number].delta
        if whole.added and len(fitted.removed) < len(whole.removed):
            return False  # it would replace something that is not there
        return not whole.added or all(map(graph.mentions, self._needed[number]))


def _dependencies(seed: Graph, steps: Sequence[MutationStep]) -> tuple[list[tuple[Term, ...]], list[frozenset[int]]]:
    """For each step, the names in its new triples that it found in the graph, and all steps that it depends on.

    A step depends on the last one that changed one of its triples, and on the one that introduced one of its names.
    """
    graph = seed.copy()
    changed_by: dict[Triple, int] = {}
    introduced_by: dict[Term, int] = {}
    needed: list[tuple[Term, ...]] = []
    alone: list[frozenset[int]] = []
    for number, step in enumerate(steps):
        triples = (*step.delta.removed, *step.delta.added)
        new = dict.fromkeys(name for triple in step.delta.added for name in _names(triple))
        known = {name: graph.mentions(name) for name in new}
        # Names that an operator adds without having looked for them need not be there before.
        found = new if not step.binding else [name for name in step.binding.values() if known.get(name)]
        needed.append(tuple(name for name in found if known[name]))
        direct = {changed_by[triple] for triple in triples if triple in changed_by}
        direct |= {introduced_by[name] for name in needed[-1] if name in introduced_by}
        alone.append(frozenset({number}).union(*(alone[earlier] for earlier in direct)))
        changed_by |= dict.fromkeys(triples, number)
        introduced_by |= {name: number for name in new if not known[name]}
        graph.apply(step.delta)
    return needed, alone


def _names(triple: Triple) -> Iterator[Term]:
    for term in (triple.subject, triple.object):
        if not isinstance(term, Literal | Triple):
            yield term
