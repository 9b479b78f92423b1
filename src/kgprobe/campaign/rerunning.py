"""Runs the cases of a store again, after the systems under test have changed, and says what has become of each.

The failing cases run without touching the store. To run all of them, `run_campaign` keeps the cases and replaces their
results; the former results stay in the store, to be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace

from kgprobe.campaign.events import Begun, CaseAgain, Note
from kgprobe.campaign.executor import Executor, Task
from kgprobe.campaign.plan import Plan
from kgprobe.campaign.reproduction import job_to_ask_again, runs_to_see
from kgprobe.campaign.run import Events, MakeExecutor, OnProgress, check_systems, open_store
from kgprobe.campaign.sources import kind_for, kind_in
from kgprobe.campaign.store import Store, read_store
from kgprobe.campaign.store_reading import Planned
from kgprobe.config.profile import Profile
from kgprobe.model import Outcome, Verdict

__all__ = ["changes_since", "rerun_failing"]


def rerun_failing(profile: Profile, make_executor: MakeExecutor, on_progress: OnProgress = str) -> Events:
    """Run the failing cases of a profile's store again, and yield each. The store stays as it is.

    The systems and oracles may have changed since. A case whose failure is known to be flaky runs more than once.
    """
    check_systems(profile)
    with read_store(profile.campaign.store):  # it must exist: opening it would create it
        pass
    kind = kind_for(profile)
    with kind.prepare(profile, on_progress) as prepared:
        yield from map(Note, prepared.notes)
        with open_store(profile, prepared, runs_again=True) as store:
            runs = _failing(store)
            yield Begun(len(runs), 0, 0)
            sources = prepared.open(store)
            if runs:
                with closing(make_executor(job_to_ask_again(profile, sources))) as executor:
                    yield from _ran_again(Plan(kind, sources, store), store, executor, runs)


def _failing(store: Store) -> dict[int, int]:
    """The numbers of the failing cases, and how often each has to run to see its failure again."""
    rates = {
        finding.signature: min((float(reduced.figures["rate_before"]) for reduced in finding.reductions), default=1.0)
        for finding in store.findings()
    }
    return {
        number: max(runs_to_see(rates[signature]) for signature in signatures)
        for number, _, _, signatures in store.results()
        if signatures
    }


def _ran_again(plan: Plan, store: Store, executor: Executor, runs: Mapping[int, int]) -> Iterator[CaseAgain]:
    """Run cases, each as often as `runs` says or until it fails."""
    waiting = _cases(store, runs)
    pending: dict[int, tuple[Planned, Task]] = {}
    while True:
        while len(pending) < executor.capacity and (planned := next(waiting, None)) is not None:
            task = plan.task(planned.number, plan.name(planned), planned, plan.again(planned).input)
            pending[planned.number] = planned, task
            executor.submit(task)
        if not pending:
            return
        for result in executor.wait():
            if result.error is not None:
                raise result.error
            verdict = result.verdict or Verdict(Outcome.UNDECIDED, "the worker gave no verdict")
            planned, task = pending.pop(result.ticket)
            if not verdict.failures and task.run + 1 < runs[planned.number]:
                pending[planned.number] = planned, replace(task, run=task.run + 1)
                executor.submit(pending[planned.number][1])
                continue
            before = frozenset(store.signatures_of(planned.number))
            after = frozenset(failure.signature for failure in verdict.failures)
            yield CaseAgain(planned.number, task.name, before, after, verdict.outcome, verdict.why)


def _cases(store: Store, numbers: Iterable[int]) -> Iterator[Planned]:
    for number in numbers:
        planned = store.case(number)
        if planned is None:
            raise store.damaged(f"case {number} is missing")
        yield planned


def changes_since(store: Store) -> tuple[CaseAgain, ...]:
    """What has become of the cases that failed before all cases ran again, or fail since. Only cases that have run."""
    kind, sources = kind_in(store), store.sources()
    former = store.former_results()
    again = []
    for number, outcome, why, after in store.results():
        planned = store.case(number)
        if planned is not None and number in former:
            with store.reading():
                name = kind.case_name(sources[planned.source].name, planned.recipe)
            again.append(CaseAgain(number, name, frozenset(former[number][1]), frozenset(after), outcome, why))
    return tuple(case for case in again if case.change is not None)
