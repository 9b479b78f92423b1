"""A failing mutant of a campaign: its steps, and how graphs with some of them are run and judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kgprobe.campaign.executor import LazyExecutor, Result, Task
from kgprobe.campaign.experiment import Experiment, Kept, Sameness, kept_in
from kgprobe.campaign.reducing import ENDINGS, systems_needed
from kgprobe.campaign.source import change_lines
from kgprobe.campaign.sources.mutants import steps_in
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import Finding, Planned, texts_of
from kgprobe.config.preparation import NO_LIMITS, Limits
from kgprobe.config.systems import can_all_be_sent
from kgprobe.errors import one_line
from kgprobe.learning.step_search import Answer
from kgprobe.learning.stored_campaign import StoredCampaign
from kgprobe.model import GraphInput, Outcome
from kgprobe.mutation.mutant import MutationStep
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling

__all__ = ["FailingCase", "is_judged", "steps_of"]

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
            steps = steps_in(campaign.plan.again(planned).whole_recipe())
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
        experiment, found = self._experiment, []
        size = max(1, self.executor.capacity)
        for start in range(0, len(graphs), size):
            some = graphs[start : start + size]
            results = experiment.results(some)
            pairs = list(zip(some, results, strict=True))
            experiment.results_of_looks += [result for graph, result in pairs if graph == self._graph]
            found += [self._answer(graph, result) for graph, result in pairs]
        return found

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
        made = self.campaign.plan.again(self.planned).input
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
