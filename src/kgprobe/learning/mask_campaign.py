"""Learns a mask for the systems of a campaign, by running more of its mutants. All runs are kept in its store."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing

from kgprobe.campaign.executor import LazyExecutor, Result, Task
from kgprobe.campaign.experiment import results_of
from kgprobe.campaign.run import MakeExecutor, check_systems, job_of
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import FurtherRun
from kgprobe.learning.mask_loop import LearnedInRounds, LoopOptions, Round, Start, learning_in_rounds
from kgprobe.learning.new_mutants import NewMutant, NewMutants
from kgprobe.learning.store_cases import cases_of, further_case
from kgprobe.learning.stored_campaign import StoredCampaign, opened_campaign
from kgprobe.masks.learning.cases import JudgedGraph
from kgprobe.model import GraphInput, Outcome
from kgprobe.mutation.mutant import delta_value, read_delta

__all__ = ["learning_a_mask", "new_mutants_of"]


def learning_a_mask(
    store: Store, make_executor: MakeExecutor, options: LoopOptions
) -> Generator[Round | LearnedInRounds, None, None]:
    """Learn a mask from the cases of a store, which is open for writing, and from more mutants.

    Yields the state after each batch, and the result at the end. The next call continues where this one stopped.
    """
    with opened_campaign(store, runs_systems=True) as campaign:
        check_systems(campaign.profile)
        cases = cases_of(store, campaign.sources)
        new = new_mutants_of(store, campaign, cases)
        with closing(LazyExecutor(lambda: make_executor(job_of(campaign.profile, campaign.sources)))) as executor:
            judge = _Judge(store, campaign, executor)
            yield from learning_in_rounds(_start(store, cases), new, judge.judged, options)


def _start(store: Store, cases: Sequence[JudgedGraph]) -> Start:
    """Where to start. Mutants that a mask admitted at the end, and that passed, were not used to learn it."""
    runs = store.further_runs()
    since = 0
    while since < len(runs) and not runs[-1 - since].is_suggested and runs[-1 - since].outcome is Outcome.PASS:
        since += 1
    is_strict = any(run.outcome is Outcome.FAIL and not run.is_suggested for run in runs)
    return Start(cases[: len(cases) - since], len(runs), cases[len(cases) - since :], is_strict)


def new_mutants_of(store: Store, campaign: StoredCampaign, cases: Sequence[JudgedGraph]) -> NewMutants:
    """Mutants that neither the campaign nor an earlier search for a mask has run."""
    numbers = {id(source.seed_graph): source.number for source in campaign.sources}
    known = [(numbers[id(case.seed)], case.change) for case in cases]
    with store.reading():
        known += [(run.source, read_delta(run.change)) for run in store.further_runs()]
    return NewMutants(campaign.prepared.preparation, known)


class _Judge:
    """Runs mutants with the systems and oracles of a campaign, and keeps the results."""

    def __init__(self, store: Store, campaign: StoredCampaign, executor: LazyExecutor) -> None:
        self._store = store
        self._campaign = campaign
        self._executor = executor
        self._next = len(store.further_runs()) + 1

    def judged(self, mutants: Sequence[NewMutant], is_suggested: bool) -> list[JudgedGraph]:
        """Run mutants, at most as many at the same time as there is room for."""
        found: list[FurtherRun] = []
        size = max(1, self._executor.capacity)
        for start in range(0, len(mutants), size):
            some = mutants[start : start + size]
            results = results_of([self._task(ticket, mutant) for ticket, mutant in enumerate(some)], self._executor)
            runs = [self._run(mutant, result, is_suggested) for mutant, result in zip(some, results, strict=True)]
            self._store.keep_further_runs(runs)
            found += runs
        cases = (further_case(self._store, run, self._campaign.sources) for run in found)
        return [case for case in cases if case is not None]

    def _task(self, ticket: int, mutant: NewMutant) -> Task:
        source = self._campaign.sources[mutant.source]
        return source.task(ticket, f"{source.name}#+{self._next + ticket}", GraphInput(mutant.graph))

    def _run(self, mutant: NewMutant, result: Result, is_suggested: bool) -> FurtherRun:
        number, self._next = self._next, self._next + 1
        outcome = Outcome.UNDECIDED if result.verdict is None else result.verdict.outcome
        return FurtherRun(number, mutant.source, delta_value(mutant.change), is_suggested, outcome)
