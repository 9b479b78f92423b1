"""What the generator makes: a mutant, and the steps that led to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.terms import Term
from kgprobe.mutation.operator import Change

__all__ = ["Mutant", "Step", "explained"]


@dataclass(frozen=True)
class Step:
    """One operator, carried out: what it chose, and what it changed."""

    operator: str
    binding: Mapping[str, Term]
    delta: Delta


class Mutant:
    """A graph that differs from its seed by some steps.

    `attempts` is how many graphs were made to find this one, and `attempt` the number of the one that led to it.
    """

    def __init__(
        self, number: int, attempts: int, graph: Graph, changes: Sequence[tuple[str, Change]], attempt: int = 0
    ) -> None:
        self.number = number
        self.attempts = attempts
        self.attempt = attempt
        self.graph = graph
        self._changes = changes

    # Both are made when somebody asks: a mutant that is only run is its graph, and needs neither.

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What was done, in order."""
        return tuple(
            Step(
                operator,
                {name: self.graph.term(key) for name, key in change.binding.items()},
                Delta(removed=map(self.graph.triple, change.removed), added=map(self.graph.triple, change.added)),
            )
            for operator, change in self._changes
        )

    @cached_property
    def delta(self) -> Delta:
        """What all steps come to."""
        return self.graph.changes()


# -- steps in words ----------------------------------------------------------------------------------------------------


def explained(step: Step, does: str, spelling: Spelling) -> Iterator[str]:
    """Lines that explain a step, whose operator `does` this; + and - begin triples that came and went."""
    chosen = ", ".join(f"{name} is {spelling.term(term)}" for name, term in step.binding.items())
    yield f"{step.operator}: {does}" + (f"; {chosen}" if chosen else "")
    for sign, triples in (("-", step.delta.removed), ("+", step.delta.added)):
        yield from (f"{sign} {spelling.triple(triple)} ." for triple in triples)
