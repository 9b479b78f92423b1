"""The runs of `kgprobe reduce`: which failure there is, and whether a part of the graph still has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from random import Random

from kgprobe.campaign.local import LocalWorkers
from kgprobe.campaign.outcome import Kept, Sameness, kept_in, kept_success
from kgprobe.campaign.reducing import hints_in, results_of
from kgprobe.campaign.task import Result, task_for
from kgprobe.cli.reduction_options import ReduceOptions
from kgprobe.cli.reduction_target import Target
from kgprobe.config.oracles import known_in
from kgprobe.config.profile import Profile
from kgprobe.errors import InputError, Position
from kgprobe.graph.files import render, writable_format
from kgprobe.graph.graph import Graph
from kgprobe.model import Failure, Status
from kgprobe.oracles.known import KnownBugs
from kgprobe.reduction.problem import OnStep
from kgprobe.reduction.reducer import Reduction, reduce

__all__ = ["Session", "failure_to_keep"]

_FOR_ALL_GRAPHS = {"turtle", "ttl", "ntriples", "nt", "nquads", "nq", "trig"}
_ABOUT_THE_END = {*map(str, Status), "exit status"}


class Session:
    """Runs of one graph and of parts of it."""

    def __init__(
        self,
        executor: LocalWorkers,
        profile: Profile,
        seed: Graph,
        graph: Graph,
        options: ReduceOptions,
        on_step: OnStep,
    ) -> None:
        self._executor = executor
        self._seed = seed
        self._graph = graph
        self._options = options
        self._on_step = on_step
        self._batch = max(1, executor.capacity // 2)
        self._formats = {system.format for system in profile.systems} - _FOR_ALL_GRAPHS
        self._tickets = count()
        self.looked: list[Result] = []
        while (left := options.repeats - len(self.looked)) > 0:
            self.looked += self._run([graph] * min(left, self._batch))
            on_step("checking", len(graph), len(self.looked))

    def reduce(self, kept: Kept, target: Target) -> Reduction:
        """Make the graph small."""
        # The runs that told what to keep are the ones that a reduction begins with: nothing is run twice.
        first = iter(self.looked)

        def still_fails(graphs: Sequence[Graph]) -> list[bool]:
            known = [result for _, result in zip(graphs, first, strict=False)] if graphs[0] is self._graph else []
            if known:
                return list(map(kept.is_in, known))
            sayable = list(map(self._can_be_said, graphs))
            results = iter(self._run([graph for graph, is_sayable in zip(graphs, sayable, strict=True) if is_sayable]))
            return [is_sayable and kept.is_in(next(results)) for is_sayable in sayable]

        return reduce(
            self._graph,
            still_fails,
            algorithm=self._options.algorithm,
            seed=self._seed if self._options.seed_graph else None,
            hints=hints_in(kept.words, self._graph),
            on_better=target.write,
            on_step=self._on_step,
            repeats=self._options.repeats,
            confidence=self._options.confidence,
            simplify=not self._options.no_simplify,
            most_runs=self._options.most_runs,
            batch=self._batch,
            random=Random(self._options.seed),
        )

    def _run(self, graphs: Sequence[Graph]) -> list[Result]:
        describe = self._options.sameness is not Sameness.SIGNATURE
        tasks = [task_for(next(self._tickets), "graph", 0, graph, self._seed, describe=describe) for graph in graphs]
        return results_of(tasks, self._executor)

    def _can_be_said(self, graph: Graph) -> bool:
        """Whether the systems can be given this graph: a part of an ontology need not be one."""
        try:
            for name in self._formats:
                render(graph, writable_format("-", name))
        except InputError:
            return False
        return True


def failure_to_keep(results: Sequence[Result], profile: Profile, name: str, options: ReduceOptions) -> Kept:
    """The failure that a smaller graph must still have. InputError if there is none."""
    found = kept_in(results, options.sameness, _rank(profile, options))
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


def _rank(profile: Profile, options: ReduceOptions) -> Callable[[Failure], int | None]:
    """Which failures come first: those that are new, and disagreements before crashes."""
    known = known_in(profile)
    wanted = KnownBugs([("*" if options.signature is None else options.signature, "")])

    def rank(failure: Failure) -> int | None:
        if wanted.note_for(failure.signature) is None:
            return None
        if options.differential:
            return int(failure.kind in _ABOUT_THE_END)
        return int(known.note_for(failure.signature) is not None)

    return rank
