"""What is to be made smaller, and what must not be lost on the way: the test that still has to fail.

A `Problem` stands between the passes and the system under test. It decides no graph twice, runs none that is not
admissible, counts the runs, repeats them until a failure is confirmed, and tells the best graph so far to whoever keeps
it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

from kgprobe.errors import InputError
from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import Term, Triple
from kgprobe.masks.mask import Cost, Mask
from kgprobe.reduction.digests import Digests
from kgprobe.reduction.rates import Rate, SameRate
from kgprobe.reduction.trail import Trail

__all__ = ["REPEATS", "DoesNotFailError", "Effort", "OnBetter", "OnStep", "OutOfRunsError", "Problem", "StillFails"]

REPEATS = 10
"""How often the whole graph is run at first, and the result at last."""

StillFails: TypeAlias = Callable[[Sequence[Graph]], Sequence[bool]]
"""For each graph, whether the failure is still there. The graphs may be run at the same time."""

OnBetter: TypeAlias = Callable[[Graph], None]
OnStep: TypeAlias = Callable[[str, int, int], None]
"""What is done now, how many triples are left, and how many runs there were."""


class DoesNotFailError(InputError):
    """There is nothing to reduce: the graph does not fail as it is."""


class OutOfRunsError(Exception):
    """The runs or the time that were allowed are used up. It never leaves this package."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """What a reduction may cost, and how sure it has to be.

    `repeats` is how often the whole graph is run at first to see how often it fails, and the result at last to see that
    it fails as often; with 1, each run is taken at its word. `deadline` is a time of `time.monotonic`. `batch` is how
    many graphs can be run at once.
    """

    repeats: int = REPEATS
    confidence: float = 0.99
    most_runs: int | None = None
    deadline: float | None = None
    batch: int = 1

    def __post_init__(self) -> None:
        too_few = self.most_runs is not None and self.most_runs < self.repeats
        if self.batch < 1 or self.repeats < 1 or too_few or not 0 < self.confidence < 1:
            raise InputError(
                f"batch {self.batch}, repeats {self.repeats}, confidence {self.confidence:g} and {self.most_runs} runs"
                " do not go together",
                hint="the first two are at least 1, the confidence is between 0 and 1, and there are runs for a start",
            )

    def allows(self, runs: int) -> bool:
        """Whether there may be so many runs in all, and more of them now."""
        is_late = self.deadline is not None and time.monotonic() >= self.deadline
        return not is_late and (self.most_runs is None or runs <= self.most_runs)


@dataclass
class _Known:
    """What is known of a graph: how often it failed, and whether that is often enough."""

    rate: Rate = field(default_factory=Rate)
    fails: bool | None = None


class Problem:
    """A graph that fails, and the test for that.

    `stays` are triples of the graph that every smaller one must have, and `mask` says which graphs are admissible.
    """

    def __init__(
        self,
        graph: Graph,
        still_fails: StillFails,
        *,
        mask: Mask | None = None,
        stays: Iterable[Triple] = (),
        on_better: OnBetter | None = None,
        on_step: OnStep | None = None,
        effort: Effort | None = None,
    ) -> None:
        self.best = graph
        self.runs = 0
        self.phase = "checking"
        self.rate = Rate()
        self.stays = frozenset(stays)
        self.trail = Trail(Delta())
        self.mask = mask or Mask()
        self.effort = effort or Effort()
        self._whole = graph
        self._still_fails = still_fails
        self._on_better = on_better
        self._on_step = on_step
        self._is_strict = False
        self._known: dict[int, _Known] = {}
        self._stay_keys = frozenset(map(graph.keys, self.stays))
        self._digests = Digests()
        self._same_rate = SameRate(Rate(1, 1), self.effort.confidence)

    @property
    def batch(self) -> int:
        """How many graphs can be run at once."""
        return self.effort.batch

    @property
    def best_rate(self) -> Rate:
        """How often the best graph has failed by now."""
        known = self._known.get(self._digests.of(self.best))
        return Rate() if known is None else known.rate

    def confirm(self) -> None:
        """Run the graph as it is, as often as was asked for. InputError if it does not fail."""
        repeats = self.effort.repeats
        self.rate = Rate(sum(self.run([self.best] * repeats)), repeats)
        if not self.rate.failed:
            times = f"in none of {repeats} runs" if repeats > 1 else "here"
            hint = "a failure that comes and goes needs more repeats"
            raise DoesNotFailError(f"this graph of {len(self.best)} triples does not fail {times}", hint=hint)
        self._same_rate = SameRate(self.rate, self.effort.confidence)
        self._known[self._digests.of(self.best)] = _Known(self.rate, fails=True)
        if self._on_better is not None:
            self._on_better(self.best)

    def holds(self) -> bool:
        """Whether the best graph fails as often as the whole one, by runs of its own: the last word on a result."""
        self.phase = "confirming"
        known = self._known[self._digests.of(self.best)]
        if self.best is self._whole or self._is_strict or self.effort.repeats == 1:
            return True  # run as often as that before
        fresh = _Known()
        self._decide({0: (self.best, fresh)}, strictly=True)
        known.rate = fresh.rate
        return bool(fresh.fails)

    def start_over(self) -> None:
        """Begin with the whole graph again, and believe nothing before it has been seen as often as the whole graph."""
        self._is_strict = True
        for digest in [digest for digest, known in self._known.items() if known.fails]:
            del self._known[digest]
        self._known[self._digests.of(self._whole)] = _Known(self.rate, fails=True)
        self.best = self._whole
        if self._on_better is not None:
            self._on_better(self.best)

    def admits(self, graph: Graph) -> bool:
        """Whether a graph may be run at all."""
        return self._keeps_what_stays(graph) and self.mask.admits(graph)

    def _keeps_what_stays(self, graph: Graph) -> bool:
        if graph.table is not self._whole.table:
            return all(triple in graph for triple in self.stays)
        return not any(keys in self._stay_keys and not graph.has(*keys) for keys in graph.changed_keys)

    def objections(self, graph: Graph) -> frozenset[Term]:
        """The nodes of a graph that the mask objects to; none if it does not object to any node in particular."""
        for check in self.mask.checks:
            if check.cost is not Cost.REASONING and not check.admits(graph):
                return frozenset(each.node for each in check.rejections(graph) if each.node is not None)
        return frozenset()

    def fails(self, graph: Graph) -> bool:
        """Whether this graph still fails."""
        return self.verdicts([graph])[0]

    def fails_afresh(self, graph: Graph) -> bool:
        """The same, run even if it was run before."""
        if not self.admits(graph):
            return False
        known = self._known[self._digests.of(graph)] = _Known()
        self._decide({0: (graph, known)}, strictly=self._is_strict)
        return bool(known.fails)

    def fails_anyway(self, graph: Graph) -> bool:
        """The same, admissible or not, to learn something about the best graph; it is not taken for better."""
        known = self._known.get(self._digests.of(graph))
        if known is not None and known.rate.runs:
            return known.rate.failed > 0
        return any(self.run([graph] * self._same_rate.runs_at_once(Rate(), strictly=False)))

    def verdicts(self, graphs: Sequence[Graph]) -> list[bool]:
        """Whether each of these graphs still fails. Only those are run that are new, and admissible."""
        digests = [self._digests.of(graph) for graph in graphs]
        pending: dict[int, tuple[Graph, _Known]] = {}
        for digest, graph in zip(digests, graphs, strict=True):
            if digest not in self._known:
                known = self._known[digest] = _Known()
                if self.admits(graph):
                    pending[digest] = graph, known
                else:
                    known.fails = False
        while pending:
            some = dict(islice(pending.items(), self.batch))
            pending = {digest: pair for digest, pair in pending.items() if digest not in some}
            try:
                self._decide(some, strictly=self._is_strict)
            except BaseException:  # what was not decided is not known
                self._known = {digest: known for digest, known in self._known.items() if known.fails is not None}
                raise
        return [bool(self._known[digest].fails) for digest in digests]

    def first(self, graphs: Iterator[Graph]) -> int | None:
        """Which of these graphs is the first that still fails. As many are taken at a time as can be run at once."""
        start = 0
        while some := list(islice(graphs, self.batch)):
            verdicts = self.verdicts(some)
            if True in verdicts:
                return start + verdicts.index(True)
            start += len(some)
        return None

    def adopt(self, graph: Graph) -> None:
        """Take a graph that fails for the best one, because it is smaller, or as small and simpler."""
        if len(graph) <= len(self.best):
            self.best = graph
            if self._on_better is not None:
                self._on_better(graph)

    def _decide(self, graphs: dict[int, tuple[Graph, _Known]], *, strictly: bool) -> None:
        """Run these graphs, at most `batch`, until it is known of each whether it fails often enough."""
        while pending := {digest: pair for digest, pair in graphs.items() if pair[1].fails is None}:
            order = [pair for pair in pending.values() for _ in range(self._copies(pair[1], len(pending), strictly))]
            order = order[: self.batch]
            for (_, known), failed in zip(order, self.run([graph for graph, _ in order]), strict=True):
                known.rate += Rate(int(failed), 1)
            for graph, known in pending.values():
                known.fails = self._same_rate.verdict(known.rate, strictly=strictly)
                if known.fails and len(graph) < len(self.best):
                    self.adopt(graph)

    def _copies(self, known: _Known, undecided: int, strictly: bool) -> int:
        """How often a graph is run at once, so that a flaky failure does not leave workers idle."""
        return min(self._same_rate.runs_at_once(known.rate, strictly=strictly), max(1, self.batch // undecided))

    def run(self, graphs: Sequence[Graph]) -> Sequence[bool]:
        """Run these graphs, in batches, and nothing else: no memory of what was run before."""
        failed: list[bool] = []
        for start in range(0, len(graphs), self.batch):
            some = graphs[start : start + self.batch]
            if not self.effort.allows(self.runs + len(some)):
                raise OutOfRunsError
            self.runs += len(some)
            failed += self._still_fails(some)
            if self._on_step is not None:
                self._on_step(self.phase, len(self.best), self.runs)
        return failed
