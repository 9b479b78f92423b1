"""The cases of a campaign, in order: the first mutant of each seed graph, then the second of each, and so on.

Each is written to the store before it runs, with what it takes to make it again: so an interrupted campaign knows what
was in flight, and goes on behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kgprobe.campaign.store import Planned, SeedState, Store
from kgprobe.config.generation import generator_for
from kgprobe.config.preparation import Preparation
from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.mutation.duplicates import Seen, likeness
from kgprobe.mutation.generator import Generator, Tally
from kgprobe.mutation.manifest import read_steps, steps_text
from kgprobe.mutation.mutant import Mutant, Step
from kgprobe.mutation.operator import Change

__all__ = ["CaseGraph", "Plan"]


@dataclass(frozen=True)
class CaseGraph:
    """A planned case, its graph, and how that came about."""

    planned: Planned
    graph: Graph
    mutant: Mutant | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """What was done to the seed graph."""
        if self.mutant is not None:
            return self.mutant.steps
        return read_steps(self.planned.steps or "[]")

    @property
    def steps_text(self) -> str:
        """The same, to be stored."""
        return self.planned.steps or steps_text(self.steps)


class Plan:
    """Makes cases, and makes them again."""

    def __init__(self, preparation: Preparation, store: Store) -> None:
        """Seed graphs that are left out, or on which the systems have not run, get no new cases."""
        self._preparation = preparation
        self._store = store
        states = store.seeds()
        self._names = [state.name for state in states]
        self._sources = [_Source(preparation, number, store, state) for number, state in enumerate(states)]
        self._most = preparation.profile.mutation.mutants
        keeps_going = preparation.profile.campaign.keep_going
        self._used = [
            source
            for source, state in zip(self._sources, states, strict=True)
            if state.is_tried and (state.left_out is None or keeps_going)
        ]

    @property
    def total(self) -> int:
        """How many mutants there are, if no seed graph runs out of them before."""
        return sum(source.kept if source.is_exhausted else self._most for source in self._used)

    @property
    def is_over(self) -> bool:
        """Whether all cases are planned."""
        return self._next() is None

    def counts(self) -> tuple[int, int]:
        """How many graphs were made, and how many of them are cases."""
        tallies = [source.tally for source in self._sources]
        return sum(tally.attempts for tally in tallies), sum(tally.kept for tally in tallies)

    def seed_name(self, planned: Planned) -> str:
        """The name of the seed graph of a case."""
        return self._names[planned.seed]

    def name_of(self, planned: Planned) -> str:
        """What a person calls a case: the seed graph, and which of its mutants."""
        return planned.name(self._names[planned.seed])

    def interrupted(self) -> Iterator[CaseGraph]:
        """The cases that were in flight when the campaign was interrupted."""
        yield from map(self.again, self._store.in_flight())

    def again(self, planned: Planned) -> CaseGraph:
        """A case that was planned before."""
        return self._sources[planned.seed].again(planned)

    def further(self, count: int) -> list[CaseGraph]:
        """The next cases; fewer if there are no more."""
        found: list[CaseGraph] = []
        touched: set[int] = set()
        while len(found) < count and (source := self._next()) is not None:
            mutant = source.next()
            touched.add(source.number)
            if mutant is not None:
                number = (mutant.number - 1) * len(self._sources) + source.number + 1
                found.append(source.planned(number, mutant))
        if touched:
            self._store.plan(
                [each.planned for each in found], {number: self._sources[number].state for number in touched}
            )
        return found

    def _next(self) -> _Source | None:
        """The seed graph that has come least far, the first of them."""
        left = [source for source in self._used if not source.is_exhausted and source.kept < self._most]
        return min(left, key=lambda source: source.kept, default=None)


class _Source:
    """The mutants of one seed graph. What that takes is made when it is first needed."""

    def __init__(self, preparation: Preparation, number: int, store: Store, state: SeedState) -> None:
        self.number = number
        self.is_exhausted = state.is_exhausted
        self._preparation = preparation
        self._seed = preparation.seeds[number]
        self._store = store
        self._state = state
        self._made: tuple[Generator, Iterator[Mutant]] | None = None

    @property
    def tally(self) -> Tally:
        return self._state.tally if self._made is None else self._made[0].tally

    @property
    def kept(self) -> int:
        return self.tally.kept

    @property
    def state(self) -> SeedState:
        if self._made is None:
            return self._state
        generator, _ = self._made
        learned = generator.strategy.learned()
        return replace(
            self._state,
            tally=generator.tally,
            learned=None if learned is None else tuple(learned),
            is_exhausted=self.is_exhausted,
        )

    def next(self) -> Mutant | None:
        mutant = next(self._ready()[1], None)
        self.is_exhausted = mutant is None
        return mutant

    def planned(self, number: int, mutant: Mutant) -> CaseGraph:
        learns = self._ready()[0].strategy.learned() is not None
        # What a strategy that learns will do next depends on what it knows by then.
        steps = steps_text(mutant.steps) if learns else None
        alike = likeness(mutant.graph)
        return CaseGraph(
            Planned(number, self.number, mutant.number, mutant.attempt, alike, steps), mutant.graph, mutant
        )

    def again(self, planned: Planned) -> CaseGraph:
        if planned.is_seed:
            return CaseGraph(planned, self._seed.graph.copy())
        graph, changes = self._made_again(planned)
        mutant = None if changes is None else Mutant(planned.mutant, 1, graph, changes, planned.attempt)
        return CaseGraph(planned, graph, mutant)

    def _ready(self) -> tuple[Generator, Iterator[Mutant]]:
        if self._made is None:
            generator = generator_for(self._seed, self._preparation, self._state.tally)
            generator.strategy.learn(self._state.learned or ())
            seen = Seen(self._seed.graph, self._recalled, self._store.likenesses(self.number))
            most = self._preparation.profile.mutation.mutants
            self._made = generator, generator.mutants(most, seen)
        return self._made

    def _recalled(self, attempt: int) -> Graph:
        planned = self._store.case_of_attempt(self.number, attempt)
        # What this run has found, and not yet planned, is not there.
        return self._ready()[0].attempt(attempt)[0] if planned is None else self._made_again(planned)[0]

    def _made_again(self, planned: Planned) -> tuple[Graph, list[tuple[str, Change]] | None]:
        """The graph of a case, and the changes that led to it if they were made again, too."""
        steps = self._store.steps(planned)
        graph, changes = self._ready()[0].attempt(planned.attempt) if steps is None else (self._redone(steps), None)
        if likeness(graph) != planned.likeness:
            raise self._store.damaged(f"case {planned.number} cannot be made again")
        return graph, changes

    def _redone(self, steps: tuple[Step, ...]) -> Graph:
        graph = self._seed.graph.copy()
        total = Delta()
        try:
            for step in steps:
                total = total.then(step.delta)
            graph.apply(total)
        except ValueError as error:
            raise self._store.damaged(error) from None
        return graph
