"""Reduces failing cases of a campaign: one for each finding, or as many as the profile asks for."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kgprobe.campaign.events import Event, Note, Reducing, ReductionDone, ReductionsLeft
from kgprobe.campaign.executor import Executor, Result, Task
from kgprobe.campaign.experiment import Experiment, Sameness, results_of
from kgprobe.campaign.harness import known_in
from kgprobe.campaign.plan import Plan
from kgprobe.campaign.source import change_lines
from kgprobe.campaign.store import Store, graph_file, reduced_file, seed_file
from kgprobe.campaign.store_reading import Finding, Planned, Reduced
from kgprobe.config.preparation import NO_LIMITS, Limits
from kgprobe.config.profile import Profile
from kgprobe.errors import InputError, Position, one_line
from kgprobe.formats.files import render, save, writable_format
from kgprobe.model import PASSED_A_LIMIT, Failure, GraphInput, Inference, Prompt, Status
from kgprobe.oracles.differential import CHANGED
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.expression import Expression
from kgprobe.questions.cases import sentences_of
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import Triple
from kgprobe.reduction.graph_problem import with_more
from kgprobe.reduction.problem import REPEATS, Better, DoesNotFailError, Effort, Progress
from kgprobe.reduction.reducer import Event as ReductionEvent
from kgprobe.reduction.reducer import Finished, Options, Reduction
from kgprobe.reduction.search import FewerParts, reducing_parts
from kgprobe.written_files import write_file

__all__ = ["ENDINGS", "reduced_question", "reductions", "systems_needed"]

ENDINGS = {Status.CRASHED.value, PASSED_A_LIMIT}
"""The kinds of failures of a system that did not answer."""
_REPEATS_OF_A_HANG = 3  # each takes as long as the time limit
_SECONDS_FOR_A_HANG = 600
_RUNS_FOR_A_FLAKY_FAILURE = 500
_WITHOUT_MEANING = {"Declaration", "Ontology", "AnnotationAssertion", "Import"}
_TURTLE = writable_format("", "turtle")


def reductions(
    profile: Profile, plan: Plan, store: Store, executor: Executor, deadline: float | None = None
) -> Iterator[Event]:
    """Reduce the failing cases that are not reduced yet. The best graph so far is always in a file beside the store.

    No reduction starts after the deadline, a time of `time.monotonic`. One that it interrupts keeps its best graph.
    """
    campaign = _Reductions(profile, plan, store, executor, deadline)
    left: set[str] = set()
    for finding, number in _waiting(profile, store):
        if deadline is not None and time.monotonic() >= deadline:
            left.add(finding.signature)
            continue
        done = yield from campaign.reduced(finding, number)
        if done is not None:
            if done.reduced is None:
                store.keep_unreduced(finding.signature, number, done.why)
            yield done
        if done is None or (done.reduced is not None and not done.reduced.is_finished):
            left.add(finding.signature)
    if left:
        yield ReductionsLeft(len(left))


def _waiting(profile: Profile, store: Store) -> Iterator[tuple[Finding, int]]:
    """The failing cases that have no reduction, or an unfinished one."""
    known = known_in(profile.known)
    for finding in store.findings():
        if known.note_for(finding.signature) is None:
            finished = {reduced.number for reduced in finding.reductions if reduced.is_finished}
            for number in store.cases_of(finding.signature, profile.campaign.reduce):
                if number not in finished:
                    yield finding, number


@dataclass(frozen=True)
class _Start:
    """The graph to reduce, and the graph that it was made of."""

    graph: Graph
    seed: Graph | None = None


@dataclass(frozen=True)
class _Reductions:
    """The context that all reductions of a campaign share."""

    profile: Profile
    plan: Plan
    store: Store
    executor: Executor
    deadline: float | None

    def reduced(self, finding: Finding, number: int) -> Generator[Event, None, ReductionDone | None]:
        """Reduce one case, or resume its reduction; None if the time was up before the graph got smaller.

        Each run is kept in the store. To resume, the same steps are taken again with what is kept, without runs.
        """
        planned = self.store.case(number)
        if planned is None:
            raise self.store.damaged(f"case {number} is missing")
        source = self.plan.source(planned)
        whole = self.plan.remake(planned).input
        if isinstance(whole, Inference):
            return (yield from self._question(finding, number, planned, whole))
        if not isinstance(whole, GraphInput):
            return ReductionDone(finding.signature, number, None, f"a {whole.kind} cannot be reduced")
        limits = NO_LIMITS if self.profile.campaign.outside_mask else source.limits(planned)
        start = self._start(finding, planned, whole.graph)
        graph = start.graph
        objection = limits.objection(graph)
        if objection is not None:
            return ReductionDone(finding.signature, number, None, f"it is not admissible: {objection}")
        file = graph_file(self.store.path, finding, number)
        _make_folder(file.parent)
        only = systems_needed(finding, number, self.profile, self.store)
        experiment = Experiment(
            self.executor,
            self.profile.systems,
            graph,
            lambda ticket, each: replace(self._task(ticket, planned, each), only=only),
            seed=start.seed,
            runs=self.store.reduction_runs(finding.signature, number),
        )
        repeats = _REPEATS_OF_A_HANG if finding.kind == PASSED_A_LIMIT else REPEATS
        for progress in experiment.look(repeats, self.deadline):
            yield _reducing(finding, number, progress)
        kept = experiment.kept(
            Sameness.SIGNATURE, lambda failure: 0 if failure.signature == finding.signature else None
        )
        if len(experiment.looked) < repeats:
            return None
        if kept is None:  # a flaky failure
            return ReductionDone(finding.signature, number, None, f"it did not fail again in {repeats} runs")
        deadline, note = self._budget(finding, number, experiment)
        if note is not None:
            yield note
        events = experiment.reduce(kept, limits, Options(effort=Effort(deadline=deadline)))
        reduction = yield from _followed(events, finding, number, file)
        if not reduction.is_complete and reduction.triples_after == reduction.triples_before:
            return None
        shown = experiment.shown_by(reduction.graph) or kept.failure
        reduced = _outcome(number, reduction, limits, _figures(reduction, shown, whole.graph.spelling))
        self.store.keep_reduction(finding.signature, reduced)
        return ReductionDone(finding.signature, number, reduced)

    def _start(self, finding: Finding, planned: Planned, whole: Graph) -> _Start:
        """The whole case, and the graph that it was made of or is compared with."""
        source = self.plan.source(planned)
        seed = source.compared_with(planned) if finding.kind == CHANGED else source.seed_graph
        if seed is None or seed.table is whole.table:
            return _Start(whole, seed)
        from kgprobe.rdf.diff import aligned  # it needs numpy

        versions = aligned(seed, whole, whole_components=True)
        return _Start(versions.new, versions.old)

    def _budget(self, finding: Finding, number: int, experiment: Experiment) -> tuple[float | None, Note | None]:
        """When the reduction has to end, and what to tell about that: what is expensive gets only so much at once."""
        case, later = f"case {number} ({finding.signature})", "the same command continues it"
        deadline = self.deadline
        if finding.kind == PASSED_A_LIMIT:
            end = time.monotonic() + _SECONDS_FOR_A_HANG
            deadline = end if deadline is None else min(deadline, end)
            why = (
                f"each run that hangs takes until its limit: reducing it ends after {_SECONDS_FOR_A_HANG // 60} minutes"
            )
            return deadline, Note(f"{case}: {why}; {later}")
        if not all(experiment.looked):
            experiment.most_new_runs = _RUNS_FOR_A_FLAKY_FAILURE
            how_often = f"fails in {sum(experiment.looked)} of {len(experiment.looked)} runs"
            why = f"{how_often}: reducing it takes many runs, and ends after {_RUNS_FOR_A_FLAKY_FAILURE} of them"
            return deadline, Note(f"{case} {why}; {later}")
        return deadline, None

    def _question(
        self, finding: Finding, number: int, planned: Planned, whole: Inference
    ) -> Generator[Event, None, ReductionDone]:
        """Reduce the context of a question, and write the question to a file."""

        def task(ticket: int, part: Inference) -> Task:
            return self.plan.task(ticket, f"reduction {ticket}", planned, part)

        found = yield from reduced_question(finding, number, whole, self.executor, task, self.deadline)
        if isinstance(found, str):
            return ReductionDone(finding.signature, number, None, found)
        file = reduced_file(self.store.path, finding, found)
        _make_folder(file.parent)
        write_file(file, found.graph.encode())
        self.store.keep_reduction(finding.signature, found)
        return ReductionDone(finding.signature, number, found)

    def _task(self, ticket: int, planned: Planned, graph: Graph) -> Task:
        return self.plan.task(ticket, f"reduction {ticket}", planned, GraphInput(graph))


def _outcome(number: int, reduction: Reduction, limits: Limits, figures: dict[str, object]) -> Reduced:
    """The reduction as it is stored. What is pinned is told apart."""
    both = reduction.graph if reduction.before is None else with_more(reduction.graph, reduction.before)
    own = limits.own(both)
    if len(own) < len(both):
        figures |= {"own_triples": len(own), "own_graph": _text(limits.own(reduction.graph)), "pinned": limits.pinned}
    return Reduced(number, _axiom_kinds(both, limits.stays), _text(reduction.graph), figures)


def _followed(
    events: Iterable[ReductionEvent], finding: Finding, number: int, file: Path
) -> Generator[Event, None, Reduction]:
    """Follow a reduction to its end. The best graph so far is always in the file."""
    for event in events:
        match event:
            case Progress():
                yield _reducing(finding, number, event)
            case Better(candidate=better, before=before):
                _write(better, file)
                if before is not None:
                    _write(before, seed_file(file))
            case Finished(reduction=reduction):
                return reduction
    raise AssertionError("a reduction ends with its result")


def _reducing(finding: Finding, number: int, progress: Progress) -> Reducing:
    return Reducing(finding.signature, number, progress.phase, progress.size, progress.runs)


def systems_needed(finding: Finding, number: int, profile: Profile, store: Store) -> tuple[str, ...]:
    """The systems that have to be run to see the failure again.

    For a crash or a timeout, one system is enough. Answers are compared, so all systems run, except those that did not
    answer: waiting for their time limits again and again would take most of the time.
    """
    if finding.kind in ENDINGS:
        return (finding.system,)
    silent = {system for system, kind in store.kinds_of(number) if kind in ENDINGS}
    return tuple(table.name for table in profile.systems if table.name not in silent)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", where=Position(str(folder))) from None


def _write(graph: Graph, file: Path) -> None:
    save(graph, file, format_name="turtle")


def _text(graph: Graph) -> str:
    return render(graph, _TURTLE).text.decode()


def _figures(reduction: Reduction, shown: Failure | None, spelling: Spelling) -> dict[str, object]:
    """The figures to store with the graph."""
    return {
        "system_runs": reduction.system_runs,
        "triples_before": reduction.triples_before,
        "triples_after": reduction.triples_after,
        "axioms_after": reduction.axioms_after,
        "changes": None if reduction.changes is None else len(reduction.changes),
        "needed": None if reduction.changes is None else list(change_lines(reduction.changes, spelling)),
        "rate_before": reduction.rate_before.share,
        "rate": reduction.rate.share,
        "failed": reduction.rate.failed,
        "runs": reduction.rate.runs,
        "is_minimal": reduction.is_minimal,
        "seed_graph": None if reduction.before is None else _text(reduction.before),
        "words": [] if shown is None else list(shown.words),
    }


def _axiom_kinds(graph: Graph, pinned: Iterable[Triple]) -> str:
    """The kinds of axioms, each with the kinds of expressions in it; empty if there are none.

    Cases of one finding with the same kinds of axioms are most likely one bug. Pinned axioms are in all of them.
    """
    fixed = frozenset(pinned)
    axioms = [axiom for axiom in AxiomView(graph) if not fixed.issuperset(axiom.triples)]
    kinds = {" ".join(_kinds(axiom.expression)) for axiom in axioms if axiom.expression is not None}
    shown = sorted(kind for kind in kinds if kind.split()[0] not in _WITHOUT_MEANING)
    return " + ".join(shown)


def _kinds(expression: Expression) -> Iterator[str]:
    yield expression.head
    inner = sorted({kind for part in expression.args if isinstance(part, Expression) for kind in _kinds(part)})
    yield from inner


# -- questions ---------------------------------------------------------------------------------------------------------
# Each answer costs a request. So the premises are not asked again, and each answer is kept under its number: a
# reduction that was interrupted pays for no answer twice.

_TIMES_ASKED = 5
"""How often a question is asked to see how often the answer is wrong."""
_UNIT = "sentence"


def reduced_question(
    finding: Finding,
    number: int,
    inference: Inference,
    executor: Executor,
    task_for: Callable[[int, Inference], Task],
    deadline: float | None,
) -> Generator[Reducing, None, Reduced | str]:
    """The question that fails, with fewer sentences; or why it cannot be reduced."""
    asking = _Asking(finding, inference, executor, task_for)
    prompt = asking.failing()
    if prompt is None:
        return "no conclusion is answered wrongly any more"
    sentences = sentences_of(prompt.context)
    steps = reducing_parts(
        sentences,
        lambda candidates: asking.still_fails([_with_context(prompt, candidate) for candidate in candidates]),
        effort=Effort(repeats=_TIMES_ASKED, deadline=deadline, batch=max(1, executor.capacity // 2)),
    )
    try:
        while True:
            event = next(steps)
            if isinstance(event, Progress):
                yield Reducing(finding.signature, number, event.phase, event.size, event.runs, _UNIT)
    except DoesNotFailError:
        return f"it did not fail again when it was asked {_TIMES_ASKED} times"
    except StopIteration as end:
        fewer: FewerParts[str] = end.value
    reduced = _with_context(prompt, fewer.parts)
    cause = one_line(reduced.context) or "it needs no context"
    return Reduced(
        number,
        cause,
        _question_text(inference, reduced),
        _question_figures(fewer, len(sentences), asking.shown),
    )


@dataclass
class _Asking:
    """Asks one conclusion without its premises. The n-th answer to the same question is kept as its n-th run."""

    finding: Finding
    inference: Inference
    executor: Executor
    task_for: Callable[[int, Inference], Task]
    shown: Failure | None = None
    _times: Counter[str] = field(default_factory=Counter)
    _tickets: int = 0

    def failing(self) -> Prompt | None:
        """The conclusion that shows the finding. Its first answer is known, if answers are kept."""
        for prompt in self.inference.conclusions:
            [fails] = self.still_fails([prompt])
            if fails:
                self._times.clear()
                return prompt
        return None

    def still_fails(self, prompts: Sequence[Prompt]) -> list[bool]:
        """Whether the answer to each of these is wrong in the same way."""
        results = results_of([self._task(prompt) for prompt in prompts], self.executor)
        return [self._has(result) for result in results]

    def _task(self, prompt: Prompt) -> Task:
        alone = replace(self.inference, premises=(), conclusions=(prompt,))
        run = self._times[alone.digest()]
        self._times[alone.digest()] += 1
        self._tickets += 1
        return replace(self.task_for(self._tickets, alone), only=(self.finding.system,), run=run)

    def _has(self, result: Result) -> bool:
        failures = () if result.verdict is None else result.verdict.failures
        found = next((failure for failure in failures if failure.signature == self.finding.signature), None)
        self.shown = found or self.shown
        return found is not None


def _with_context(prompt: Prompt, sentences: Sequence[str]) -> Prompt:
    return replace(prompt, context=" ".join(sentences))


def _question_text(inference: Inference, prompt: Prompt) -> str:
    """The question as a line of JSON, with everything that is needed to ask it."""
    value = {
        "rule": inference.rule,
        "relations": list(inference.relations),
        "question": prompt.text,
        "context": prompt.context,
        "expected": prompt.expected,
        **({"right": list(prompt.right)} if prompt.right else {}),
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _question_figures(fewer: FewerParts[str], before: int, shown: Failure | None) -> dict[str, object]:
    return {
        "unit": _UNIT,
        "system_runs": fewer.runs,
        "triples_before": before,
        "triples_after": len(fewer.parts),
        "rate_before": fewer.rate_before.share,
        "rate": fewer.rate.share,
        "failed": fewer.rate.failed,
        "runs": fewer.rate.runs,
        "is_minimal": fewer.is_minimal,
        "needed": None,
        "words": [] if shown is None else list(shown.words),
    }
