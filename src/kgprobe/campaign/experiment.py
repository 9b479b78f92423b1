"""Runs a failing graph and parts of it, and decides whether they still have the failure that a reduction keeps.

Both `kgprobe test` and `kgprobe reduce` reduce graphs with this.
"""

from __future__ import annotations

import pickle
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import count
from typing import Protocol

from kgprobe.campaign.executor import ChangedGraph, Executor, Job, Resource, Result, Task, packed_graph
from kgprobe.campaign.harness import Harness
from kgprobe.config.preparation import Limits
from kgprobe.config.system_table import SystemTable
from kgprobe.config.systems import can_all_be_sent
from kgprobe.errors import InputError
from kgprobe.model import Failure, Status
from kgprobe.oracles.differential import CHANGED
from kgprobe.oracles.signatures import KnownBugs, are_alike, names_in_messages
from kgprobe.rdf.canonical import Fingerprints
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.reduction.graph_problem import Pair, of_component
from kgprobe.reduction.problem import DoesNotFailError, OutOfRunsError, Progress
from kgprobe.reduction.reducer import Event, Finished, Options, Reduction, reducing

__all__ = [
    "SEED",
    "Experiment",
    "FailureReduced",
    "Kept",
    "KeptRuns",
    "NoSuchFailureError",
    "Sameness",
    "Wanted",
    "hints_in",
    "job_for",
    "kept_in",
    "kept_success",
    "reduce_failure",
    "results_of",
]

_ABOUT_THE_END = {*map(str, Status), "exit status"}
SEED = "seed graph"
"""The name of the graph that the tasks of `reduce_failure` are relative to."""
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"'(),;]+")


class NoSuchFailureError(InputError):
    """The graph fails, but not in the way that was asked for."""


class Sameness(StrEnum):
    """What counts as the same failure in a smaller graph: its signature, how all runs end, or all output."""

    SIGNATURE = "signature"
    ENDING = "ending"
    EXACT = "exact"


@dataclass(frozen=True)
class Kept:
    """The failure that a smaller graph must still have; `text` describes it.

    `failure` is the failure of the whole graph, or None if that succeeded. A smaller graph must fail in the same way,
    whatever its names are.
    """

    sameness: Sameness
    value: str
    text: str
    failure: Failure | None = None
    others: tuple[str, ...] = ()

    @property
    def is_difference(self) -> bool:
        """Whether it is a difference from the answer for another graph, so that two graphs have to be reduced."""
        return self.failure is not None and self.failure.kind == CHANGED

    @property
    def words(self) -> tuple[str, ...]:
        """The lines that describe the failure."""
        return () if self.failure is None else self.failure.words

    def is_in(self, result: Result, names: Callable[[], Collection[str]]) -> bool:
        """Whether a run did it; `names` are those of the whole graph and of the one that was run."""
        if self.sameness is Sameness.EXACT and (result.exact != self.value or not self.is_difference):
            return result.exact == self.value
        if self.sameness is Sameness.ENDING and result.outcome != self.value:
            return False
        return self.failure_in(result, names) is not None

    def failure_in(self, result: Result, names: Callable[[], Collection[str]]) -> Failure | None:
        """The failure of a run that is this one."""
        if self.failure is None or result.verdict is None:
            return None
        for failure in result.verdict.failures:
            if failure.signature == self.failure.signature and are_alike(failure.way, self.failure.way, names):
                return failure
        return None


def kept_in(results: Iterable[Result], sameness: Sameness, rank: Callable[[Failure], int | None]) -> Kept | None:
    """Choose what to keep from these runs of one graph: the failure with the lowest rank, or the run with it.

    A failure without a rank does not count. None if none is left.
    """
    ranked = [
        (at, failure, result)
        for result in results
        for failure in (result.verdict.failures if result.verdict else ())
        if (at := rank(failure)) is not None
    ]
    if not ranked:
        return None
    # Of several failures that rank first, the most frequent is kept, so that its rate is as high as can be.
    frequency = Counter((failure.signature, failure.way) for _, failure, _ in ranked)
    _, chosen, result = min(ranked, key=lambda each: (each[0], -frequency[each[1].signature, each[1].way]))
    others = dict.fromkeys(failure.signature for _, failure, _ in ranked if failure.signature != chosen.signature)
    if sameness is Sameness.SIGNATURE:
        return Kept(sameness, chosen.signature, chosen.signature, chosen, tuple(others))
    return _whole(result, sameness, chosen)


def _whole(result: Result, sameness: Sameness, failure: Failure | None = None) -> Kept:
    value = result.exact if sameness is Sameness.EXACT else result.outcome
    text = f"{result.outcome}, with exactly this output" if sameness is Sameness.EXACT else result.outcome
    return Kept(sameness, value, text, failure)


def kept_success(results: Sequence[Result]) -> Kept:
    """The exact outcome of the first run, which need not be a failure."""
    return _whole(results[0], Sameness.EXACT)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which failure to keep, if there are several: one that fits `signature`, a pattern in which * is any text.

    Failures that are not known come first; with `disagreements_first`, those that are not about how a run ended. With
    `or_success`, the exact outcome of a graph without a failure can be kept, too.
    """

    sameness: Sameness = Sameness.SIGNATURE
    signature: str | None = None
    known: KnownBugs = field(default_factory=lambda: KnownBugs([]))
    disagreements_first: bool = False
    or_success: bool = False

    def chosen(self, results: Sequence[Result]) -> Kept:
        """The failure to keep of these runs of one graph. DoesNotFailError if there is none."""
        found = kept_in(results, self.sameness, self._rank)
        if found is not None:
            return found
        if self.or_success and self.sameness is Sameness.EXACT and self.signature is None:
            return kept_success(results)
        verdicts = [result.verdict for result in results if result.verdict is not None]
        signatures = dict.fromkeys(failure.signature for verdict in verdicts for failure in verdict.failures)
        if signatures:
            hint = f"there is {'; '.join(signatures)}"
            raise NoSuchFailureError(f"no failure fits the signature '{self.signature}'", hint=hint)
        why = next((verdict.why for verdict in verdicts if verdict.why), None)
        raise DoesNotFailError("no system fails on this graph: there is nothing to reduce", hint=why)

    def _rank(self, failure: Failure) -> int | None:
        if self.signature is not None and not _fits(self.signature, failure):
            return None
        if self.disagreements_first:
            return int(failure.kind in _ABOUT_THE_END)
        return int(self.known.note_for(failure.signature) is not None)


def _fits(pattern: str, failure: Failure) -> bool:
    return KnownBugs([(pattern, "")]).note_for(failure.signature) is not None


class KeptRuns(Protocol):
    """What is known from an earlier, interrupted experiment with the same graph, and a place to keep more of it."""

    def looks(self) -> tuple[Failure | None, list[bool]]:
        """The failure of the whole graph, and for each of its runs whether it had that."""
        ...

    def keep_looks(self, failure: Failure, looked: Sequence[bool]) -> None:
        """Keep these."""
        ...

    def next_verdict(self, digest: str) -> bool | None:
        """The verdict of the next run of the graph with this digest; None if that is not known."""
        ...

    def keep_verdict(self, digest: str, failed: bool) -> None:
        """Keep the verdict of a run."""
        ...


class Experiment:
    """Runs a graph and parts of it. `task_for` makes a task from a ticket and a graph.

    A graph is compared with the one that its task names. `seed` is the graph that it was made of by changes, with the
    same blank nodes: for a difference, the one that it is compared with. With `runs`, what ran before is not run again,
    and what runs is kept.
    """

    def __init__(
        self,
        executor: Executor,
        systems: Sequence[SystemTable],
        graph: Graph,
        task_for: Callable[[int, Graph], Task],
        *,
        seed: Graph | None = None,
        runs: KeptRuns | None = None,
    ) -> None:
        self.graph = graph
        self.results_of_looks: list[Result] = []
        self.most_new_runs: int | None = None
        self._seed = seed
        self._runs = runs
        self._failure, self.looked = (None, []) if runs is None else runs.looks()
        self._digests = Fingerprints(of_component)
        self._new_runs = 0
        self._executor = executor
        self._task_for = task_for
        self._batch = max(1, executor.capacity // 2)
        self._systems = systems
        self._tickets = count()
        self._shown: tuple[Graph, Failure] | None = None

    def look(self, repeats: int, deadline: float | None = None) -> Iterator[Progress]:
        """Run the whole graph `repeats` times, if time allows. A reduction uses these runs and does not repeat them."""
        if self.looked:
            return
        while (left := repeats - len(self.results_of_looks)) > 0 and (deadline is None or time.monotonic() < deadline):
            self.results_of_looks += self.results([self.graph] * min(left, self._batch))
            self.looked = [False] * len(self.results_of_looks)  # until it is known which failure counts
            yield Progress("checking", len(self.graph), len(self.looked))

    def kept(self, sameness: Sameness, rank: Callable[[Failure], int | None]) -> Kept | None:
        """The failure of the whole graph to keep, as `kept_in`."""
        if self._failure is not None:
            return Kept(sameness, self._failure.signature, self._failure.signature, self._failure)
        kept = kept_in(self.results_of_looks, sameness, rank)
        if kept is not None:
            self.choose(kept)
            if self._runs is not None and kept.failure is not None:
                self._runs.keep_looks(kept.failure, self.looked)
        return kept

    def choose(self, kept: Kept) -> None:
        """Count in which runs of the whole graph this failure was seen."""
        self.looked = [self.shows(kept, self.graph, result) for result in self.results_of_looks]

    def reduce(self, kept: Kept, limits: Limits, options: Options) -> Iterator[Event]:
        """Reduce the graph. What the experiment knows takes the place of these options."""
        first = iter(self.looked)

        def still_fails(graphs: Sequence[Graph]) -> list[bool]:
            return compares([Pair(graph, graph) for graph in graphs])

        def compares(pairs: Sequence[Pair]) -> list[bool]:
            known = [failed for _, failed in zip(pairs, first, strict=False)] if pairs[0].after is self.graph else []
            return known or self._verdicts(kept, pairs)

        known = replace(
            options,
            mask=limits.mask,
            stays=limits.stays,
            effort=replace(options.effort, batch=self._batch, repeats=len(self.looked)),
            hints=hints_in(kept.words, self.graph),
            seed=self._seed,
        )
        return reducing(self.graph, still_fails, known, compares=compares if kept.is_difference else None)

    def _verdicts(self, kept: Kept, pairs: Sequence[Pair]) -> list[bool]:
        """Whether each of these graphs has the failure. Those that ran before are not run again."""
        digests = ["" if self._runs is None else self._digest(pair, kept) for pair in pairs]
        verdicts = [None if self._runs is None else self._runs.next_verdict(digest) for digest in digests]
        new = [number for number, verdict in enumerate(verdicts) if verdict is None]
        self._new_runs += len(new)
        if self.most_new_runs is not None and self._new_runs > self.most_new_runs:
            raise OutOfRunsError
        run = [number for number in new if can_all_be_sent(pairs[number].after, self._systems)]
        tasks = [
            self._task(pairs[number].after, pairs[number].before if kept.is_difference else None) for number in run
        ]
        for number, result in zip(run, results_of(tasks, self._executor), strict=True):
            verdicts[number] = self.shows(kept, pairs[number].after, result)
        for number in new:
            verdicts[number] = bool(verdicts[number])
            if self._runs is not None:
                self._runs.keep_verdict(digests[number], bool(verdicts[number]))
        return list(map(bool, verdicts))

    def _digest(self, pair: Pair, kept: Kept) -> str:
        parts = (pair.before, pair.after) if kept.is_difference else (pair.after,)
        return " ".join(str(self._digests.of(graph)) for graph in parts)

    def shown_by(self, graph: Graph) -> Failure | None:
        """The failure that was seen when this graph itself ran; None if it was not the last one."""
        if self._shown is None:
            return None
        last, failure = self._shown
        return failure if len(graph) == len(last) and all(triple in last for triple in graph) else None

    def shows(self, kept: Kept, graph: Graph, result: Result) -> bool:
        """Whether the run of this graph, the whole or a part, has this failure."""

        def names() -> Collection[str]:
            return self._names if graph is self.graph else self._names | names_in_messages(graph)

        is_there = kept.is_in(result, names)
        failure = kept.failure_in(result, names) if is_there else None
        if failure is not None and (self._shown is None or len(graph) <= len(self._shown[0])):
            self._shown = graph, failure
        return is_there

    @cached_property
    def _names(self) -> set[str]:
        return names_in_messages(self.graph).union(*map(names_in_messages, filter(None, [self._seed])))

    def results(self, graphs: Sequence[Graph]) -> list[Result]:
        """Run these graphs, each once."""
        return results_of([self._task(graph) for graph in graphs], self._executor)

    def _task(self, graph: Graph, before: Graph | None = None) -> Task:
        """The task for a graph, compared with `before` or with the graph that the task names."""
        task = self._task_for(next(self._tickets), graph)
        if before is None:
            return task
        # Packed as another case would be: as changes to the same seed graph, if it was made from that.
        return replace(task, reference=self._task_for(task.ticket, before).input)


@dataclass(frozen=True)
class FailureReduced:
    """The last event of `reduce_failure`; `shown` is the failure of the reduced graph itself."""

    reduction: Reduction
    kept: Kept
    shown: Failure | None


def job_for(harness: Harness, seed: Graph) -> Job:
    """The job for an executor that runs graphs made from this seed graph."""
    return Job(harness, (Resource(SEED, pickle.dumps(seed)),))


def reduce_failure(
    executor: Executor,
    harness: Harness,
    graph: Graph,
    wanted: Wanted,
    limits: Limits,
    *,
    made_of: Graph,
    options: Options,
) -> Iterator[Event | FailureReduced]:
    """Find the failure of a graph, and reduce the graph as long as it has this failure.

    `executor` works on the job that `job_for` makes of `made_of`.
    """
    describe = wanted.sameness is not Sameness.SIGNATURE

    def task(ticket: int, each: Graph) -> Task:
        packed = packed_graph(each, SEED, made_of)
        return Task(ticket, "graph", packed, origin=SEED, reference=ChangedGraph(SEED, {}), describe=describe)

    experiment = Experiment(executor, harness.systems, graph, task, seed=options.seed)
    yield from experiment.look(options.effort.repeats)
    kept = wanted.chosen(experiment.results_of_looks)
    experiment.choose(kept)
    for event in experiment.reduce(kept, limits, options):
        if isinstance(event, Finished):
            yield FailureReduced(event.reduction, kept, experiment.shown_by(event.reduction.graph))
        else:
            yield event


def hints_in(words: Iterable[str], graph: Graph) -> list[Term]:
    """The names of the graph in the description of a failure."""
    names = dict.fromkeys(name for line in words for name in _IRI.findall(line))
    return [node for node in map(_node, names) if node is not None and graph.mentions(node)]


def _node(name: str) -> NamedNode | None:
    """The node with this name; None for text that only looks like an IRI."""
    try:
        return NamedNode(name)
    except ValueError:
        return None


def results_of(tasks: Sequence[Task], executor: Executor) -> list[Result]:
    """Run tasks and return their results in order. No other task may be under way. Raises errors of kgprobe itself."""
    for task in tasks:
        executor.submit(task)
    found: dict[int, Result] = {}
    while len(found) < len(tasks):
        for result in executor.wait():
            if result.error is not None:
                raise result.error
            found[result.ticket] = result
    return [found[task.ticket] for task in tasks]
