"""Runs graphs with some of the steps of a failing mutant, each once, within a number of runs.

A failure that does not show in every run needs several: only if it never shows, it is gone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from kgprobe.campaign.executor import LazyExecutor, Result, Task
from kgprobe.campaign.experiment import Experiment, Kept, Sameness, kept_in
from kgprobe.campaign.reducing import ENDINGS, systems_needed
from kgprobe.campaign.source import change_lines
from kgprobe.campaign.sources.mutants import steps_in
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_file import texts_of
from kgprobe.campaign.store_reading import Finding, Planned
from kgprobe.config.preparation import NO_LIMITS, Limits
from kgprobe.config.systems import can_all_be_sent
from kgprobe.errors import one_line
from kgprobe.learning.stored_campaign import StoredCampaign
from kgprobe.model import GraphInput, Outcome
from kgprobe.mutation.mutant import MutationStep
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import Literal, Term, Triple

Steps = frozenset[int]


class Answer(StrEnum):
    """What the run of a graph with some of the steps has shown about the failure."""

    FAILS = "fails"
    GONE = "gone"
    UNCLEAR = "unclear"


Ask = Callable[[Sequence[Steps]], list[Answer]]
"""Runs graphs with these steps. The list is shorter if no more runs are allowed."""


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
        names = new if not step.binding else [name for name in step.binding.values() if known.get(name)]
        needed.append(tuple(name for name in names if known[name]))
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


_RUNS_OF_THE_WHOLE = 2
_MORE_RUNS_OF_THE_WHOLE = 3  # of one that did not always fail
_MOST_REPEATS = 5
_OVERLOOKED = 0.05  # the accepted chance that a failure is there and does not show


@dataclass(frozen=True)
class Tried:
    """A graph with some of the steps, and the answer of each of its runs; none if it may not be run."""

    steps: Steps
    answers: tuple[Answer, ...]

    @property
    def rate(self) -> float:
        """The share of the runs that fail."""
        return sum(answer is Answer.FAILS for answer in self.answers) / max(1, len(self.answers))


class CaseRuns:
    """The runs of one failing case: `run` runs graphs, and `may_run` says whether a graph is admissible.

    `seed_passes`: the seed graph, without any step, need not be run, unless the failure is flaky. `earlier` are runs
    that were stored.
    """

    def __init__(
        self,
        mutants: PartialMutants,
        run: Callable[[Sequence[Graph]], list[Answer]],
        *,
        most: int,
        may_run: Callable[[Graph], bool],
        seed_passes: bool,
        earlier: Iterable[Tried] = (),
    ) -> None:
        self._mutants = mutants
        self._run = run
        self._most = most
        self._may_run = may_run
        self._seed_passes = seed_passes
        self._tried: dict[Delta, Tried] = {}
        self._repeats = 1
        self.runs = 0
        for tried in earlier:
            made = mutants.made(tried.steps)
            self._tried[made.change] = Tried(made.steps, tried.answers)
            self.runs += len(tried.answers)

    @property
    def everything(self) -> Steps:
        """All steps."""
        return frozenset(range(len(self._mutants)))

    @property
    def tried(self) -> tuple[Tried, ...]:
        """All graphs that were tried, in order."""
        return tuple(self._tried.values())

    def is_reproduced(self) -> bool:
        """Run the whole mutant, until it is known whether it fails, and how often. False: it does not fail again.

        It runs at least once, even if it did so before: this run shows the failure that others are compared with.
        """
        whole = self._mutants.made(self.everything)
        tried = self._tried_again(whole, _RUNS_OF_THE_WHOLE, at_least=1)
        if tried.rate < 1:
            tried = self._tried_again(whole, _RUNS_OF_THE_WHOLE + _MORE_RUNS_OF_THE_WHOLE)
        if 0 < tried.rate < 1:
            needed = math.ceil(math.log(_OVERLOOKED) / math.log(1 - tried.rate))
            self._repeats = min(_MOST_REPEATS, needed)
        return tried.rate > 0

    @property
    def rate(self) -> float:
        """The share of runs of the whole mutant that fail."""
        return self._tried[self._mutants.made(self.everything).change].rate

    def left(self) -> int:
        """How many more graphs can be tried."""
        return max(0, self._most - self.runs) // self._repeats

    def ask(self, wanted: Sequence[Steps]) -> list[Answer]:
        """The answers for graphs with these steps; fewer if the runs are used up."""
        made = [self._mutants.made(steps) for steps in wanted]
        self._try(made)
        answers = []
        for mutant in made:
            answer = self._answer(mutant)
            if answer is None:
                break
            answers.append(answer)
        return answers

    def ask_outside(self, wanted: Sequence[Steps]) -> None:
        """Run graphs with these steps that are not admissible.

        They may fail for reasons of their own, so it only counts if the failure is gone.
        """
        for made in map(self._mutants.made, wanted):
            tried = self._tried.get(made.change)
            if tried is not None and not tried.answers and self.left():
                answers = self._answers([made.graph] * self._repeats)
                seen = tuple(Answer.UNCLEAR if answer is Answer.FAILS else answer for answer in answers)
                self._tried[made.change] = Tried(made.steps, seen)

    def is_needed(self, step: int) -> bool:
        """Whether the failure is gone without this step, and those that depend on it."""
        return self._fails and self.answer(self.everything - {step}) is Answer.GONE

    def is_enough(self, step: int) -> bool:
        """Whether the failure comes with this step alone. Steps that it depends on are there, and do not fail."""
        alone = self._mutants.alone(step)
        return self._fails and self.answer(alone) is Answer.FAILS and self.answer(alone - {step}) is Answer.GONE

    @property
    def _fails(self) -> bool:
        return self.answer(self.everything) is Answer.FAILS

    def is_decided(self, step: int) -> bool:
        """Whether all that can be known about a step is known."""
        alone = self._mutants.alone(step)
        return all(self.answer(steps) is not None for steps in (self.everything - {step}, alone, alone - {step}))

    def answer(self, steps: Steps) -> Answer | None:
        """The answer for a graph with these steps; None if it was not tried."""
        return self._answer(self._mutants.made(steps))

    def _answer(self, made: PartialMutant) -> Answer | None:
        if not made.steps and self._seed_passes and self._repeats == 1:
            return Answer.GONE
        tried = self._tried.get(made.change)
        if tried is None:
            return None
        if Answer.FAILS in tried.answers:
            return Answer.FAILS
        if not tried.answers or Answer.UNCLEAR in tried.answers:
            return Answer.UNCLEAR
        return Answer.GONE if len(tried.answers) >= self._repeats else None

    def _try(self, wanted: Iterable[PartialMutant]) -> None:
        """Run the graphs that were not tried yet, all at the same time."""
        new: dict[Delta, PartialMutant] = {}
        left = self.left()
        for made in wanted:
            change = made.change
            if change in new or self._answer(made) is not None:
                continue
            if not self._may_run(made.graph):
                self._tried[change] = Tried(made.steps, ())
            elif left > 0:
                new[change] = made
                left -= 1
            else:
                break
        graphs = [made.graph for made in new.values() for _ in range(self._repeats)]
        answers = iter(self._answers(graphs))
        for change, made in new.items():
            self._tried[change] = Tried(made.steps, tuple(next(answers) for _ in range(self._repeats)))

    def _tried_again(self, made: PartialMutant, times: int, *, at_least: int = 0) -> Tried:
        """Run one graph until it has run this many times, or all runs are used up."""
        before = self._tried.get(made.change, Tried(made.steps, ()))
        more = max(at_least, times - len(before.answers))
        answers = self._answers([made.graph] * min(more, self._most - self.runs))
        self._tried[made.change] = Tried(made.steps, (*before.answers, *answers))
        return self._tried[made.change]

    def _answers(self, graphs: Sequence[Graph]) -> list[Answer]:
        self.runs += len(graphs)
        return self._run(graphs) if graphs else []


_CHANGES_SHOWN = 3
_JUDGED = {Outcome.PASS, Outcome.FAIL}


def is_judged(outcome: Outcome) -> bool:
    """Whether a case with this outcome has passed or failed."""
    return outcome in _JUDGED


def steps_of(store: Store, campaign: StoredCampaign, planned: Planned) -> tuple[MutationStep, ...]:
    """The steps of a case, made again if the store does not have them; none for a seed graph."""
    with store.reading():
        steps = steps_in(planned.recipe)
    if steps is None and planned.number > 0:
        with store.reading():
            steps = steps_in(campaign.plan.remake(planned).whole_recipe())
    return steps or ()


@dataclass(frozen=True)
class FailingCase:
    """One failing case, and how its graphs are run and judged."""

    store: Store
    campaign: StoredCampaign
    executor: LazyExecutor
    finding: Finding
    planned: Planned

    @property
    def name(self) -> str:
        return self.campaign.plan.name(self.planned)

    @property
    def seed(self) -> Graph:
        return self.campaign.sources[self.planned.source].seed_graph

    @cached_property
    def steps(self) -> tuple[MutationStep, ...]:
        return steps_of(self.store, self.campaign, self.planned)

    @property
    def seed_passes(self) -> bool:
        """Whether the systems ran on the seed graph before, and did not fail."""
        state = self.campaign.sources[self.planned.source].seed_state
        number = self.store.case_number(0, self.planned.source)
        return state.is_tried and state.left_out is None and self.store.case(number) is None

    def words(self, step: MutationStep) -> str:
        """What a step does, in one line."""
        about = self.store.about
        with self.store.reading():
            does = texts_of(about["operators"]).get(step.operator, "")
            source = self.campaign.sources[self.planned.source].name
            spelling = Spelling(texts_of(about["prefixes"][source]))
        changes = [line.removesuffix(" .") for line in change_lines(step.delta, spelling)]
        more = f", and {len(changes) - _CHANGES_SHOWN} more" if len(changes) > _CHANGES_SHOWN else ""
        return one_line(": ".join(filter(None, [does, ", ".join(changes[:_CHANGES_SHOWN]) + more])))

    def may_run(self, graph: Graph) -> bool:
        """Whether the campaign could have run this graph."""
        return self._limits.objection(graph) is None and can_all_be_sent(graph, self.campaign.profile.systems)

    def answers(self, graphs: Sequence[Graph]) -> list[Answer]:
        """Run graphs, and say whether each has the failure of the case. The first one is the case itself."""
        experiment, kept = self._experiment, []
        size = max(1, self.executor.capacity)
        for start in range(0, len(graphs), size):
            some = graphs[start : start + size]
            results = experiment.results(some)
            pairs = list(zip(some, results, strict=True))
            experiment.results_of_looks += [result for graph, result in pairs if graph == self._graph]
            kept += [self._answer(graph, result) for graph, result in pairs]
        return kept

    def _answer(self, graph: Graph, result: Result) -> Answer:
        verdict = result.verdict
        if verdict is None or not is_judged(verdict.outcome):
            return Answer.UNCLEAR
        kept = self._failure()
        if kept is not None and self._experiment.shows(kept, graph, result):
            return Answer.FAILS
        if verdict.has(self.finding.signature):  # in another way
            return Answer.UNCLEAR
        others = (failure.kind for failure in verdict.failures if failure.system == self.finding.system)
        return Answer.UNCLEAR if ENDINGS.intersection(others) else Answer.GONE  # it may have ended too early

    def _failure(self) -> Kept | None:
        """The failure of the whole mutant, as its runs have shown it."""
        return kept_in(
            self._experiment.results_of_looks,
            Sameness.SIGNATURE,
            lambda failure: 0 if failure.signature == self.finding.signature else None,
        )

    @cached_property
    def _graph(self) -> Graph:
        made = self.campaign.plan.remake(self.planned).input
        assert isinstance(made, GraphInput)  # noqa: S101 - mutants are graphs
        return made.graph

    @cached_property
    def _experiment(self) -> Experiment:
        profile = self.campaign.profile
        only = systems_needed(self.finding, self.planned.number, profile, self.store)

        def task(ticket: int, graph: Graph) -> Task:
            made = self.campaign.plan.task(ticket, f"part {ticket} of {self.name}", self.planned, GraphInput(graph))
            return replace(made, only=only)

        return Experiment(self.executor, profile.systems, self._graph, task)

    @cached_property
    def _limits(self) -> Limits:
        source = self.campaign.plan.source(self.planned)
        return NO_LIMITS if self.campaign.profile.campaign.outside_mask else source.limits(self.planned)
