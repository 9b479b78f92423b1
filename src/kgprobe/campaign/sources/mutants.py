"""Mutants of seed graphs. Each seed graph is a source.

The recipe of a mutant is its number and the number of the attempt that led to it: `[3, 17]`. Its steps come third where
they are kept: for failing cases, whose stories tell them, and for strategies that learn, which cannot repeat an attempt
once they know more. The seed graph itself can be a case, too: `[0, -1]`.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from kgprobe.campaign.executor import ChangedGraph, Executor, Resource, Task, packed_graph
from kgprobe.campaign.identity import digest_of_graph, digest_of_settings, digest_of_text
from kgprobe.campaign.source import Counts, Drawn, Json
from kgprobe.campaign.sources.seed_trials import try_seeds
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_file import expect, texts_of
from kgprobe.campaign.store_reading import Planned
from kgprobe.config.generation import generator_for, names_of
from kgprobe.config.preparation import Limits, Preparation, Seed, prepare
from kgprobe.config.profile import Profile
from kgprobe.config.toml import relative
from kgprobe.model import GraphInput, Input
from kgprobe.mutation.generator import Generator, Seen, Tally, likeness
from kgprobe.mutation.mutant import Mutant, MutationStep, explained, read_steps, steps_value
from kgprobe.mutation.operator import Change
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.wording import number_of

__all__ = ["MutantSource", "Mutants", "PreparedMutants", "SeedState", "steps_in"]


@dataclass(frozen=True)
class SeedState:
    """How far the mutants of a seed graph have come.

    `is_tried` says that the systems have run on the seed graph itself, and `left_out` why no mutants are made from it.
    """

    tally: Tally
    learned: tuple[tuple[str, str], ...] | None = None
    is_exhausted: bool = False
    is_tried: bool = False
    left_out: str | None = None

    def value(self) -> Json:
        """As JSON."""
        tally = self.tally
        return {
            "tally": {**vars(tally), "rejected": dict(tally.rejected), "applied": dict(tally.applied)},
            "learned": self.learned,
            "is_exhausted": self.is_exhausted,
            "is_tried": self.is_tried,
            "left_out": self.left_out,
        }

    @classmethod
    def read(cls, value: Json) -> SeedState:
        """The state that `value` wrote; one without mutants for None. ValueError and its like for anything else."""
        if value is None:
            return cls(Tally())
        tally, learned, left_out = value["tally"], value["learned"], value["left_out"]
        attempts, kept, duplicates, stuck = (
            expect(int, tally[name]) for name in ("attempts", "kept", "duplicates", "stuck")
        )
        rejected, applied = (
            Counter({expect(str, key): expect(int, count) for key, count in tally[name].items()})
            for name in ("rejected", "applied")
        )
        return cls(
            Tally(attempts, kept, duplicates, stuck, rejected, applied),
            None if learned is None else tuple((expect(str, kind), expect(str, name)) for kind, name in learned),
            bool(value["is_exhausted"]),
            bool(value["is_tried"]),
            None if left_out is None else expect(str, left_out),
        )


@dataclass(frozen=True)
class _Recipe:
    """How a mutant is made again. The seed graph itself is its own mutant 0."""

    mutant: int
    attempt: int
    steps: Json = None

    @classmethod
    def read(cls, value: Json) -> _Recipe:
        mutant, attempt, *steps = expect(list, value)
        return cls(expect(int, mutant), expect(int, attempt), expect(list, steps[0]) if steps else None)

    def value(self) -> Json:
        return [self.mutant, self.attempt] if self.steps is None else [self.mutant, self.attempt, self.steps]


def steps_in(recipe: Json) -> tuple[MutationStep, ...] | None:
    """The steps of a mutant; None if its recipe does not keep them, and for a seed graph. ValueError if it is none."""
    steps = _Recipe.read(recipe).steps
    return None if steps is None else read_steps(steps)


class MutantSource:
    """The mutants of one seed graph. The generator is made when it is first needed."""

    def __init__(self, preparation: Preparation, number: int, name: str, store: Store | None, state: SeedState) -> None:
        self.number = number
        self.name = name
        self.seed: Seed = preparation.seeds[number]
        self._preparation = preparation
        self._most = preparation.profile.mutation.mutants
        self._keeps_going = preparation.profile.campaign.keep_going
        self._store = store
        self._state = state
        self._made: tuple[Generator, Iterator[Mutant]] | None = None
        # Only a strategy that learns cannot repeat an attempt, and needs to know which case it has led to.
        self._cases_of_attempts: dict[int, int] = {}
        self._not_planned: dict[int, Graph] = {}

    @property
    def total(self) -> int:
        """How many mutants there are, unless the seed graph runs out of them before."""
        if not self._is_used:
            return 0
        return self.drawn if self._state.is_exhausted else self._most

    @property
    def drawn(self) -> int:
        """How many mutants are cases."""
        return self._tally.kept

    @property
    def is_over(self) -> bool:
        """Whether there are no more mutants."""
        return not self._is_used or self._state.is_exhausted or self.drawn >= self._most

    @property
    def seed_graph(self) -> Graph:
        """The graph that mutants are changes of."""
        return self.seed.graph

    @property
    def recipe_of_seed(self) -> Json:
        """The recipe of the seed graph as a case."""
        return _Recipe(0, -1).value()

    @property
    def seed_state(self) -> SeedState:
        """How far it has come."""
        if self._made is None:
            return self._state
        generator, _ = self._made
        learned = generator.strategy.learned()
        return replace(self._state, tally=generator.tally, learned=None if learned is None else tuple(learned))

    def compared_with(self, _planned: Planned) -> Graph:
        """The seed graph."""
        return self.seed_graph

    def state(self) -> Json:
        """The same as JSON."""
        self._not_planned.clear()
        return self.seed_state.value()

    def tried(self, left_out: str | None) -> None:
        """Note that the systems have run on the seed graph, and why it is left out if it is."""
        self._state = replace(self._state, is_tried=True, left_out=left_out)

    def counts(self) -> Counts:
        """The counts of all attempts."""
        return _counts(self.name, self._tally, self._state.left_out)

    def resources(self) -> Sequence[Resource]:
        """The seed graph."""
        return (Resource(self.name, pickle.dumps(self.seed.graph)),)

    def task(self, ticket: int, name: str, input_: Input, _origin: str | None = None) -> Task:
        """A graph as a task. It is compared with its seed graph."""
        assert isinstance(input_, GraphInput)  # noqa: S101 - all inputs of this source are graphs
        packed = packed_graph(input_.graph, self.name, self.seed.graph)
        return Task(ticket, name, packed, origin=self.name, reference=ChangedGraph(self.name, {}))

    def notes(self) -> list[str]:
        """None: mutants need no explanation."""
        return []

    def limits(self, _planned: Planned) -> Limits:
        """The mask and the pins of the seed graph."""
        return Limits.of(self.seed)

    def further(self, count: int) -> list[Drawn]:
        """The next mutants."""
        found: list[Drawn] = []
        while len(found) < count and not self.is_over:
            mutant = next(self._ready()[1], None)
            if mutant is None:
                self._state = replace(self._state, is_exhausted=True)
            else:
                found.append(self._drawn(mutant))
        return found

    def remake(self, planned: Planned) -> Drawn:
        """A mutant that was drawn before, or the seed graph."""
        with self._past.reading():
            recipe = _Recipe.read(planned.recipe)
        if recipe.mutant == 0:
            return Drawn(0, GraphInput(self.seed.graph.copy()), planned.recipe, lambda: planned.recipe)
        graph, changes = self._made_again(planned)

        def whole_recipe() -> Json:
            if changes is None:
                return planned.recipe
            steps = Mutant(recipe.mutant, 1, graph, changes, recipe.attempt).steps
            return replace(recipe, steps=steps_value(steps)).value()

        return Drawn(recipe.mutant, GraphInput(graph), planned.recipe, whole_recipe, planned.likeness)

    @property
    def _past(self) -> Store:
        assert self._store is not None  # noqa: S101 - without a store, nothing is drawn
        return self._store

    @property
    def _is_used(self) -> bool:
        return self._state.is_tried and (self._state.left_out is None or self._keeps_going)

    @property
    def _tally(self) -> Tally:
        return self._state.tally if self._made is None else self._made[0].tally

    @property
    def _learns(self) -> bool:
        return self._ready()[0].strategy.learned() is not None

    def _drawn(self, mutant: Mutant) -> Drawn:
        recipe = _Recipe(mutant.number, mutant.attempt)

        def whole_recipe() -> Json:
            return replace(recipe, steps=steps_value(mutant.steps)).value()

        if self._learns:
            self._cases_of_attempts[mutant.attempt] = mutant.number
            self._not_planned[mutant.attempt] = mutant.graph
        short = whole_recipe() if self._learns else recipe.value()
        return Drawn(mutant.number, GraphInput(mutant.graph), short, whole_recipe, likeness(mutant.graph))

    def _ready(self) -> tuple[Generator, Iterator[Mutant]]:
        if self._made is None:
            generator = generator_for(self.seed, self._preparation, self._state.tally)
            generator.strategy.learn(self._state.learned or ())
            # An attempt of this run is remembered by its number, and a case of an earlier one by minus its own.
            earlier = ((-number, alike) for number, alike in self._past.likenesses(self.number))
            seen = Seen(self.seed.graph, self._recalled, earlier)
            self._made = generator, generator.mutants(self._most, seen)
        return self._made

    def _recalled(self, remembered: int) -> Graph:
        if remembered >= 0 and not self._learns:
            return self._ready()[0].attempt(remembered)[0]
        if remembered in self._not_planned:
            return self._not_planned[remembered]
        number = -remembered
        if remembered >= 0:
            number = self._past.case_number(self._cases_of_attempts[remembered], self.number)
        planned = self._past.case(number)
        if planned is None:
            raise self._past.damaged(f"case {number} is missing")
        return self._made_again(planned)[0]

    def _made_again(self, planned: Planned) -> tuple[Graph, list[tuple[str, Change]] | None]:
        """The graph of a case, and the changes that led to it if they were made again, too."""
        with self._past.reading():
            recipe = _Recipe.read(planned.recipe)
            steps = None if recipe.steps is None else read_steps(recipe.steps)
        graph, changes = self._ready()[0].attempt(recipe.attempt) if steps is None else (self._redone(steps), None)
        if likeness(graph) != planned.likeness:
            raise self._past.damaged(f"case {planned.number} cannot be made again")
        return graph, changes

    def _redone(self, steps: tuple[MutationStep, ...]) -> Graph:
        graph = self.seed.graph.copy()
        total = Delta()
        try:
            for step in steps:
                total = total.then(step.delta)
            graph.apply(total)
        except ValueError as error:
            raise self._past.damaged(error) from None
        return graph


class PreparedMutants:
    """The seed graphs and operators of a profile."""

    def __init__(self, preparation: Preparation) -> None:
        self.notes = preparation.notes
        self.preparation = preparation
        self._sources: list[MutantSource] = []

    def names(self) -> list[str]:
        """The names of the seed graphs."""
        return names_of(self.preparation)

    def identity(self) -> dict[str, str]:
        """The seed graphs, the operators, and how they are applied."""
        made = self.preparation
        # More mutants of the same kind are a longer campaign, not another one.
        folder = made.profile.folder
        parts = {"[mutation]": digest_of_settings(replace(made.mutation, mutants=0), folder)}
        for weighted in made.operators:
            text = f"{weighted.weight} {weighted.operator.source}"
            parts[weighted.operator.description.name] = digest_of_text(text)
        # A seed graph is its file and all that it imports.
        return parts | {relative(seed.path, folder): digest_of_graph(seed.graph) for seed in made.seeds}

    def about(self) -> Json:
        """The prefixes of the seed graphs, and what each operator does in words."""
        prefixes = [dict(seed.graph.spelling.prefixes) for seed in self.preparation.seeds]
        described = [weighted.operator.description for weighted in self.preparation.operators]
        return {
            "prefixes": dict(zip(self.names(), prefixes, strict=True)),
            "operators": {operator.name: operator.summary for operator in described},
        }

    def open(self, store: Store | None) -> list[MutantSource]:
        """A source for each seed graph."""
        names = self.names()
        if store is None:
            states = [SeedState.read(None) for _ in names]
        else:
            with store.reading():
                states = [SeedState.read(source.state) for source in store.sources()]
        self._sources = [
            MutantSource(self.preparation, number, name, store, state)
            for number, (name, state) in enumerate(zip(names, states, strict=True))
        ]
        return self._sources

    def begin(self, store: Store, executor: Executor, known: KnownBugs, seconds: float | None) -> Iterator[str]:
        """Run the systems on the seed graphs first."""
        return try_seeds(self._sources, self.preparation.profile, store, executor, known, seconds)


class Mutants:
    """Mutants as a kind of source."""

    name = "mutants"
    thing = "seed graph"
    nothing = "no mutant is valid"

    @contextmanager
    def prepare(self, profile: Profile, _on_progress: Callable[[str], object] = str) -> Iterator[PreparedMutants]:
        """Read the seed graphs and operators."""
        with prepare(profile) as preparation:
            yield PreparedMutants(preparation)

    def state_to_run_again(self, state: Json) -> Json:
        """The same, but the systems have not run on the seed graph."""
        return None if state is None else replace(SeedState.read(state), is_tried=False, left_out=None).value()

    def case_name(self, source: str, recipe: Json) -> str:
        """The seed graph, and which of its mutants."""
        mutant = _Recipe.read(recipe).mutant
        return source if mutant == 0 else f"{source}#{mutant}"

    def origin(self, source: str, _recipe: Json) -> str:
        """The seed graph."""
        return source

    def state_counts(self, source: str, state: Json) -> Counts:
        """The counts of all attempts."""
        read = SeedState.read(state)
        return _counts(source, read.tally, read.left_out)

    def count_lines(self, counts: Counts) -> Iterator[tuple[str, str]]:
        """How many attempts led to mutants."""
        if counts.attempts:
            share = 100 * counts.kept / counts.attempts
            attempts = number_of(counts.attempts, "attempt")
            are = "is" if counts.attempts == 1 else "are"
            yield "mutants", f"{counts.kept:,} of {attempts} {are} valid and new ({share:.0f} %)"
        if counts.stuck and not counts.kept:
            yield "stuck", f"{counts.stuck}: no operator applied before all mutations were made"
        if counts.duplicates and not counts.kept:
            yield "duplicates", f"{counts.duplicates}: the same graph was made before, or is the seed graph"

    def count_values(self, counts: Counts) -> dict[str, Any]:
        """The same for a machine."""
        return {
            "attempts": counts.attempts,
            "mutants": counts.kept,
            "duplicates": counts.duplicates,
            "stuck": counts.stuck,
        }

    def story(self, source: str, name: str, recipe: Json, about: Json) -> Iterator[str]:
        """The steps from the seed graph to the mutant."""
        value = _Recipe.read(recipe).steps
        if value is None:
            return
        steps = read_steps(value)
        summaries = texts_of(about["operators"])
        spelling = Spelling(texts_of(about["prefixes"][source]))
        yield f"How {name} was made, in {number_of(len(steps), 'step')}"
        for number, step in enumerate(steps, start=1):
            first, *changes = explained(step, summaries.get(step.operator, ""), spelling)
            yield f"  {number}. {first}"
            yield from (f"       {line}" for line in changes)


def _counts(name: str, tally: Tally, left_out: str | None) -> Counts:
    doubts = {} if left_out is None else {name: left_out}
    out, anyway = ({}, doubts) if tally.attempts else (doubts, {})
    return Counts(tally.attempts, tally.kept, tally.duplicates, tally.rejected, out, tally.stuck, anyway)
