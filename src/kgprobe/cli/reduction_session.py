"""The runs of `kgprobe reduce`: which failure there is, and whether a part of the graph still has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

from kgprobe.campaign.executor import Executor
from kgprobe.campaign.experiment import Experiment
from kgprobe.campaign.outcome import Kept, Sameness, kept_in, kept_success
from kgprobe.campaign.reducing import hints_in
from kgprobe.campaign.task import ChangedGraph, Result, Task, packed_graph
from kgprobe.cli.reduction_options import ReduceOptions
from kgprobe.cli.reduction_target import Target
from kgprobe.config.oracles import Harness, KnownBug, known_in
from kgprobe.config.preparation import Limits
from kgprobe.errors import InputError, Position
from kgprobe.graph.graph import Graph
from kgprobe.model import Failure, Status
from kgprobe.oracles.known import KnownBugs
from kgprobe.reduction.problem import Better, Progress
from kgprobe.reduction.reducer import Finished, Reduction

__all__ = ["SEED", "Session", "failure_to_keep"]

SEED = "seed graph"
"""The name of the graph that all tasks are relative to."""

_ABOUT_THE_END = {*map(str, Status), "exit status"}


class Session:
    """Runs of one graph and of parts of it."""

    def __init__(
        self,
        executor: Executor,
        harness: Harness,
        seed: Graph,
        graph: Graph,
        options: ReduceOptions,
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._seed = seed
        self._options = options
        self._experiment = Experiment(executor, harness.systems, graph, self._task)
        self._on_progress = on_progress
        for progress in self._experiment.look(options.first_runs):
            on_progress(progress)

    @property
    def looked(self) -> Sequence[Result]:
        """The runs of the whole graph."""
        return self._experiment.looked

    def reduce(self, kept: Kept, limits: Limits, target: Target) -> Reduction:
        """Make the graph small."""
        events = self._experiment.reduce(
            kept,
            limits,
            algorithm=self._options.algorithm,
            seed=self._seed if self._options.seed_graph else None,
            hints=hints_in(kept.words, self._experiment.graph),
            confidence=self._options.confidence,
            simplify=not self._options.no_simplify,
            most_runs=self._options.most_runs,
            random=Random(self._options.seed),
        )
        for event in events:
            match event:
                case Progress():
                    self._on_progress(event)
                case Better(candidate=better):
                    target.write(better)
                case Finished(reduction=reduction):
                    return reduction
        raise AssertionError("a reduction ends with its result")

    def shown_by(self, graph: Graph) -> Failure | None:
        """What the reduced graph gives."""
        return self._experiment.shown_by(graph)

    def _task(self, ticket: int, graph: Graph) -> Task:
        describe = self._options.sameness is not Sameness.SIGNATURE
        packed = packed_graph(graph, SEED, self._seed)
        return Task(ticket, "graph", packed, origin=SEED, reference=ChangedGraph(SEED, {}), describe=describe)


def failure_to_keep(results: Sequence[Result], known: Iterable[KnownBug], name: str, options: ReduceOptions) -> Kept:
    """The failure that a smaller graph must still have. InputError if there is none."""
    found = kept_in(results, options.sameness, _rank(known_in(known), options))
    if found is not None:
        return found
    if options.system and options.exact and options.signature is None:
        return kept_success(results)
    verdicts = [result.verdict for result in results if result.verdict is not None]
    signatures = dict.fromkeys(failure.signature for verdict in verdicts for failure in verdict.failures)
    where = Position(name)
    if signatures:
        hint = f"there is {'; '.join(signatures)}"
        raise InputError(f"no failure fits the signature '{options.signature}'", where=where, hint=hint)
    if options.system:
        hint = "--exact keeps what it prints, too"
        raise InputError("the command succeeds on this graph: there is nothing to reduce", where=where, hint=hint)
    why = next((verdict.why for verdict in verdicts if verdict.why), None)
    what = "the reasoners do not disagree about" if options.differential else "no system fails on"
    raise InputError(f"{what} this graph: there is nothing to reduce", where=where, hint=why)


def _rank(known: KnownBugs, options: ReduceOptions) -> Callable[[Failure], int | None]:
    """Which failures come first: those that are new, and disagreements before crashes."""
    wanted = KnownBugs([("*" if options.signature is None else options.signature, "")])

    def rank(failure: Failure) -> int | None:
        if wanted.note_for(failure.signature) is None:
            return None
        if options.differential:
            return int(failure.kind in _ABOUT_THE_END)
        return int(known.note_for(failure.signature) is not None)

    return rank
