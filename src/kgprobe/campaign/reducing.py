"""The failing cases of a campaign made small: one for each finding, or as many as the profile asks for."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TypeAlias

from kgprobe.campaign.cause import cause_of
from kgprobe.campaign.events import Event, Reducing, ReductionDone
from kgprobe.campaign.executor import Executor
from kgprobe.campaign.plan import CaseGraph, Plan
from kgprobe.campaign.store import Finding, Reduced, Store
from kgprobe.campaign.task import Result, Task, task_for
from kgprobe.config.oracles import known_in
from kgprobe.config.preparation import Preparation
from kgprobe.errors import InputError, Position
from kgprobe.graph.files import render, save, writable_format
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import NamedNode, Term
from kgprobe.model import Status, Verdict
from kgprobe.reduction.problem import DoesNotFailError
from kgprobe.reduction.reducer import Reduction, reduce

__all__ = ["OnStep", "hints_in", "reduced_file", "reductions", "results_of", "verdicts_on"]

OnStep: TypeAlias = Callable[[Reducing], None]
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"'(),;]+")
_ENDINGS = {Status.CRASHED.value, Status.TIMED_OUT.value, Status.OUT_OF_MEMORY.value}
_TURTLE = writable_format("", "turtle")


def reductions(preparation: Preparation, store: Store, executor: Executor, on_step: OnStep) -> Iterator[Event]:
    """Make failing cases small, those that are not yet. The best so far is always in a file beside the store."""
    known = known_in(preparation.profile)
    plan = Plan(preparation, store)
    for finding in store.findings():
        if known.note_for(finding.signature) is None:
            done = {reduced.number for reduced in finding.reductions}
            for number in store.cases_of(finding.signature, preparation.profile.campaign.reduce):
                if number not in done:
                    yield _reduced(finding, number, preparation, plan, store, executor, on_step)


def _reduced(
    finding: Finding,
    number: int,
    preparation: Preparation,
    plan: Plan,
    store: Store,
    executor: Executor,
    on_step: OnStep,
) -> ReductionDone:
    planned = store.case(number)
    assert planned is not None  # noqa: S101 - the store has just named it
    case = plan.again(planned)
    file = reduced_file(store.path, finding, number)
    _make_folder(file.parent)
    tickets = count()
    only = _needed(finding, number, preparation, store)

    def still_fails(graphs: Sequence[Graph]) -> list[bool]:
        tasks = [dataclasses.replace(_task(next(tickets), case, graph, preparation), only=only) for graph in graphs]
        return [verdict.has(finding.signature) for verdict in verdicts_on(tasks, executor)]

    try:
        reduction = reduce(
            case.graph,
            still_fails,
            seed=preparation.seeds[planned.seed].graph,
            hints=hints_in(store.words(finding.signature, number), case.graph),
            on_better=lambda graph: _write(graph, file),
            on_step=lambda phase, triples, runs: on_step(Reducing(finding.signature, number, phase, triples, runs)),
            batch=max(1, executor.capacity // 2),
        )
    except DoesNotFailError:  # a failure that comes and goes
        return ReductionDone(finding.signature, number, None)
    reduced = Reduced(number, cause_of(reduction.graph), _text(reduction.graph), _figures(reduction))
    store.keep_reduction(finding.signature, reduced)
    return ReductionDone(finding.signature, number, reduced)


def _needed(finding: Finding, number: int, preparation: Preparation, store: Store) -> tuple[str, ...]:
    """The systems that have to be run to see the failure again.

    How a run ends is a matter of one system. What it answers is compared with what the others do, without those that
    have not answered: to wait for their time limit again and again would be most of the work.
    """
    if finding.kind in _ENDINGS:
        return (finding.system,)
    silent = {system for system, kind in store.kinds_of(number) if kind in _ENDINGS}
    return tuple(table.name for table in preparation.profile.systems if table.name not in silent)


def verdicts_on(tasks: Sequence[Task], executor: Executor) -> list[Verdict]:
    """The verdicts on some tasks, in their order; nothing else may be under way."""
    verdicts = []
    for result in results_of(tasks, executor):
        assert result.verdict is not None  # noqa: S101 - there is one without an error
        verdicts.append(result.verdict)
    return verdicts


def results_of(tasks: Sequence[Task], executor: Executor) -> list[Result]:
    """The same, with what else came of them. Raises what went wrong that is no system's fault."""
    for task in tasks:
        executor.submit(task)
    found: dict[int, Result] = {}
    while len(found) < len(tasks):
        for result in executor.wait():
            if result.error is not None:
                raise result.error
            found[result.ticket] = result
    return [found[task.ticket] for task in tasks]


def hints_in(words: Iterable[str], graph: Graph) -> list[Term]:
    """The names of the graph that a failure is told with."""
    names = dict.fromkeys(name for line in words for name in _IRI.findall(line))
    return [NamedNode(name) for name in names if graph.mentions(NamedNode(name))]


def reduced_file(store: Path, finding: Finding, number: int) -> Path:
    """The file for a reduced graph: called like its finding, with something in it that no other has."""
    words = re.sub(r"[^a-z0-9]+", "-", f"{finding.system} {finding.kind}".casefold()).strip("-")[:60]
    digest = hashlib.sha256(finding.signature.encode()).hexdigest()[:6]
    return store.with_name(f"{store.stem}-findings") / f"{words}-{digest}-{number}.ttl"


def _task(ticket: int, case: CaseGraph, graph: Graph, preparation: Preparation) -> Task:
    seed = case.planned.seed
    return task_for(ticket, f"reduction {ticket}", seed, graph, preparation.seeds[seed].graph)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", where=Position(str(folder))) from None


def _write(graph: Graph, file: Path) -> None:
    save(graph, file, format_name="turtle")


def _text(graph: Graph) -> str:
    return render(graph, _TURTLE).text.decode()


def _figures(reduction: Reduction) -> dict[str, object]:
    return {
        "system_runs": reduction.system_runs,
        "triples_before": reduction.triples_before,
        "triples_after": reduction.triples_after,
        "axioms_after": reduction.axioms_after,
        "changes": None if reduction.changes is None else len(reduction.changes),
        "rate": reduction.rate,
        "is_minimal": reduction.is_minimal,
    }
