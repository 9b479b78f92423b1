"""A mutant, and the steps that led to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kgprobe.graph.graph import Delta, Graph
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.terms import Term
from kgprobe.mutation.operator import Change

__all__ = ["Mutant", "MutationStep", "explained"]


@dataclass(frozen=True)
class MutationStep:
    """One application of an operator: its choices, and its changes."""

    operator: str
    binding: Mapping[str, Term]
    delta: Delta


class Mutant:
    """A graph that differs from its seed by some steps.

    `attempts` is the number of graphs made to find this one, and `attempt` the number of the attempt that made it.
    """

    def __init__(
        self, number: int, attempts: int, graph: Graph, changes: Sequence[tuple[str, Change]], attempt: int = 0
    ) -> None:
        self.number = number
        self.attempts = attempts
        self.attempt = attempt
        self.graph = graph
        self._changes = changes

    # Both are made on demand: a mutant that is only run needs neither of them.

    @cached_property
    def steps(self) -> tuple[MutationStep, ...]:
        """The steps, in order."""
        return tuple(
            MutationStep(
                operator,
                {name: self.graph.term(key) for name, key in change.binding.items()},
                Delta(removed=map(self.graph.triple, change.removed), added=map(self.graph.triple, change.added)),
            )
            for operator, change in self._changes
        )

    @cached_property
    def delta(self) -> Delta:
        """The total change of all steps."""
        return self.graph.changes()


# -- steps in words ----------------------------------------------------------------------------------------------------


def explained(step: MutationStep, does: str, spelling: Spelling) -> Iterator[str]:
    """Lines that explain a step; `does` describes the operator. Lines with + and - are added and removed triples."""
    chosen = ", ".join(f"{name} is {spelling.term(term)}" for name, term in step.binding.items())
    yield f"{step.operator}: {does}" + (f"; {chosen}" if chosen else "")
    for sign, triples in (("-", step.delta.removed), ("+", step.delta.added)):
        yield from (f"{sign} {spelling.triple(triple)} ." for triple in triples)
