"""Runs cases again: one without a campaign, or all of a store that fail; writes findings to files, and as tests."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from kgprobe.campaign.events import Begun, CaseAgain, Note
from kgprobe.campaign.executor import Executor, Job, Task, packed_graph
from kgprobe.campaign.plan import Plan
from kgprobe.campaign.run import Events, MakeExecutor, OnProgress, check_systems, job_of, open_store, profile_file
from kgprobe.campaign.source import CaseSource
from kgprobe.campaign.sources import QUESTIONS, kind_for, kind_in
from kgprobe.campaign.store import Store, read_store, seed_file
from kgprobe.campaign.store_reading import Finding, Planned, Reduced
from kgprobe.campaign.trial import Trial
from kgprobe.config.loading import load_profile
from kgprobe.config.profile import Profile
from kgprobe.config.questions import QuestionsTable
from kgprobe.config.toml import relative
from kgprobe.errors import InputError, Position
from kgprobe.formats.files import load
from kgprobe.model import GraphInput, Input, Outcome, Verdict
from kgprobe.questions.cases import case_of_value, line_of
from kgprobe.rdf.graph import Graph

__all__ = [
    "changes_since",
    "compared_graph",
    "failing_graph",
    "failing_question",
    "input_of_case",
    "job_to_ask_again",
    "rerun_failing",
    "runs_to_see",
    "test_text",
    "verdict_on_case",
    "verdict_on_graph",
]

_MOST_RUNS = 100
_OVERLOOKED = 0.01  # the accepted chance that a test overlooks a flaky bug

_TEST = '''\
"""{title}

The graph beside this file makes the software fail. This test fails until that is fixed. It was written by
`kgprobe show`; the profile says what is run, and how it is judged.
"""

from pathlib import Path

import kgprobe

HERE = Path(__file__).resolve().parent
PROFILE = HERE / {profile}
GRAPH = HERE / {graph}
ORIGIN = {origin}{seed_graph}
RUNS = {runs}


def test_{name}() -> None:
    for _ in range(RUNS):
        verdict = kgprobe.judge(PROFILE, GRAPH, origin=ORIGIN{with_seed})
        assert verdict.outcome in ("pass", "invalid input"), verdict.text
'''


def failing_question(finding: Finding, store: Store) -> str | None:
    """The first case of a finding as a line of JSON, if it is one with questions."""
    case = store.case(finding.first)
    if store.source_kind != QUESTIONS or case is None:
        return None
    with store.reading():
        return line_of(case_of_value(case.recipe)) + "\n"


def failing_graph(finding: Finding, store: Store, *, whole: bool) -> Graph:
    """The graph that shows a finding: the smallest reduced one, or with `whole` the graph of the first case."""
    reduced = _smallest(finding)
    if store.source_kind == QUESTIONS:
        message = f"case {finding.first} is a question, not a graph"
        raise InputError(message, where=Position(str(store.path)), hint="'kgprobe test PROFILE --case N' asks it again")
    if reduced is not None and not whole:
        return store.graph(reduced)
    profile = load_profile(profile_file(store))
    profile = replace(profile, campaign=replace(profile.campaign, store=store.path))
    found = input_of_case(profile, finding.first)
    if not isinstance(found, GraphInput):
        raise InputError(f"case {finding.first} is a {found.kind}, not a graph", where=Position(str(store.path)))
    return found.graph


def compared_graph(finding: Finding, store: Store, *, whole: bool) -> Graph | None:
    """The part of the seed graph that the graph of `failing_graph` is compared with, if it is one of a reduced pair."""
    reduced = _smallest(finding)
    return None if reduced is None or whole else store.seed_graph(reduced)


def test_text(finding: Finding, store: Store, test: Path, graph: Path) -> str:
    """The text of a pytest test, to be written to the file `test`, that runs the systems on the file `graph`."""
    reduced = _smallest(finding)
    case = store.case(finding.first if reduced is None else reduced.number)
    is_pair = reduced is not None and reduced.seed_graph is not None
    title = re.sub(r'[\\"]', "'", finding.signature)
    return _TEST.format(
        title=title if len(title) <= 100 else title[:99] + "…",
        profile=_python(relative(profile_file(store), test.parent)),
        graph=_python(relative(graph, test.parent)),
        origin=_python(_origin(store, case)),
        seed_graph="" if not is_pair else f"\nSEED_GRAPH = HERE / {_python(relative(seed_file(graph), test.parent))}",
        with_seed=", seed_graph=SEED_GRAPH" if is_pair else "",
        runs=1 if reduced is None else runs_to_see(float(reduced.figures["rate"])),
        name=re.sub(r"\W+", "_", f"{finding.system} {finding.kind}".casefold(), flags=re.ASCII).strip("_"),
    )


def _origin(store: Store, case: Planned | None) -> str:
    """The name of the graph that a case was derived from."""
    sources = store.sources()
    if case is None:
        return sources[0].name
    with store.reading():
        return kind_in(store).origin(sources[case.source].name, case.recipe)


def _smallest(finding: Finding) -> Reduced | None:
    return min(finding.reductions, key=lambda reduced: int(reduced.figures["triples_after"]), default=None)


def runs_to_see(rate: float) -> int:
    """The number of runs after which a failure with this rate has most likely shown."""
    return 1 if rate >= 1 or rate <= 0 else min(_MOST_RUNS, math.ceil(math.log(_OVERLOOKED) / math.log(1 - rate)))


def _python(text: str) -> str:
    """A string as a Python literal in double quotes."""
    return json.dumps(text, ensure_ascii=True)


# -- one case, without a campaign --------------------------------------------------------------------------------------


def verdict_on_graph(
    profile: Profile, path: str | Path, *, origin: str | None = None, seed_graph: str | Path | None = None
) -> tuple[str, Verdict]:
    """Run and judge the graph in a file. It counts as derived from the source named `origin`, or from the first.

    It is compared with the graph in the file `seed_graph`, if one is given.
    """
    check_systems(profile)
    graph = load(path).graph
    reference = None if seed_graph is None else packed_graph(load(seed_graph).graph)
    with kind_for(profile).prepare(profile) as prepared:
        sources = prepared.open(None)
        source = next((source for source in sources if source.name == origin), sources[0])
        task = source.task(0, "graph", GraphInput(graph), origin)
        if reference is not None:
            task = replace(task, reference=reference)
        return Path(path).name, _verdict(profile, source, task)


def input_of_case(profile: Profile, number: int) -> Input:
    """Make the input of a case in the profile's store again."""
    kind = kind_for(profile)
    with kind.prepare(profile) as prepared, open_store(profile, prepared) as store:
        return Plan(kind, prepared.open(store), store).remake(_planned(store, number)).input


def verdict_on_case(profile: Profile, number: int) -> tuple[str, Verdict]:
    """Run and judge a case in the profile's store again."""
    check_systems(profile)
    with read_store(profile.campaign.store):  # it must exist: opening it would create it
        pass
    kind = kind_for(profile)
    with kind.prepare(profile) as prepared, open_store(profile, prepared) as store:
        planned = _planned(store, number)
        plan = Plan(kind, prepared.open(store), store)
        name = plan.name(planned)
        task = plan.task(0, name, planned, plan.remake(planned).input)
        return name, _verdict(profile, plan.source(planned), task)


def _planned(store: Store, number: int) -> Planned:
    planned = store.case(number)
    if planned is None:
        first, last = store.case_range()
        hint = f"its cases are {first} to {last}" if last else "it has no cases yet"
        raise InputError(f"there is no case {number}", where=Position(str(store.path)), hint=hint)
    return planned


def job_to_ask_again(profile: Profile, sources: Iterable[CaseSource]) -> Job:
    """The job for workers that run cases again. Questions are asked again: the report has the kept answers."""
    job = job_of(profile, sources)
    if isinstance(profile.method, QuestionsTable):
        job = replace(job, harness=replace(job.harness, answers=None))
    return job


def _verdict(profile: Profile, source: CaseSource, task: Task) -> Verdict:
    with Trial(job_to_ask_again(profile, [source])) as trial:
        result = trial.result(task)
    if result.error is not None:
        raise result.error
    return result.verdict or Verdict(Outcome.UNDECIDED, "there is no verdict")


# -- the cases of a store ----------------------------------------------------------------------------------------------
# The failing cases run without touching the store. To run all of them, `run_campaign` keeps the cases and replaces
# their results; the former results stay in the store, to be compared.


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
            task = plan.task(planned.number, plan.name(planned), planned, plan.remake(planned).input)
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
