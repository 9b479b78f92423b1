"""What is to be made smaller, and what must not be lost on the way: the test that still has to fail.

A `Problem` stands between the passes and the system under test. It runs no graph twice, counts the runs, repeats them
if the failure is not there every time, and tells the best graph so far to whoever keeps it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from kgprobe.errors import InputError
from kgprobe.graph.graph import Graph
from kgprobe.reduction.digests import Digests

__all__ = ["DoesNotFailError", "OnBetter", "OnStep", "OutOfRunsError", "Problem", "StillFails"]

StillFails: TypeAlias = Callable[[Sequence[Graph]], Sequence[bool]]
"""For each graph, whether the failure is still there. The graphs may be run at the same time."""

OnBetter: TypeAlias = Callable[[Graph], None]
OnStep: TypeAlias = Callable[[str, int, int], None]
"""What is done now, how many triples are left, and how many runs there were."""


class DoesNotFailError(InputError):
    """There is nothing to reduce: the graph does not fail as it is."""


class OutOfRunsError(Exception):
    """The number of runs that were allowed is used up. It never leaves this package."""


class Problem:
    """A graph that fails, and the test for that."""

    def __init__(
        self,
        graph: Graph,
        still_fails: StillFails,
        *,
        on_better: OnBetter | None = None,
        on_step: OnStep | None = None,
        repeats: int = 1,
        confidence: float = 0.99,
        most_runs: int | None = None,
        batch: int = 1,
    ) -> None:
        if batch < 1 or repeats < 1 or (most_runs is not None and most_runs < repeats) or not 0 < confidence < 1:
            raise InputError(
                f"batch {batch}, repeats {repeats}, confidence {confidence:g} and {most_runs} runs do not go together",
                hint="the first two are at least 1, the confidence is between 0 and 1, and there are runs for a start",
            )
        self.best = graph
        self.batch = batch
        self.runs = 0
        self.phase = "checking"
        self.rate = 1.0
        self._still_fails = still_fails
        self._on_better = on_better
        self._on_step = on_step
        self._repeats = repeats
        self._tries = 1
        self._confidence = confidence
        self._most_runs = most_runs
        self._verdicts: dict[int, bool] = {}
        self._digests = Digests()

    def confirm(self) -> None:
        """Run the graph as it is, as often as was asked for. InputError if it does not fail."""
        failed = sum(self.run([self.best] * self._repeats))
        if not failed:
            times = f"in none of {self._repeats} runs" if self._repeats > 1 else "here"
            hint = "a failure that comes and goes needs more repeats" if self._repeats == 1 else None
            raise DoesNotFailError(f"this graph of {len(self.best)} triples does not fail {times}", hint=hint)
        self.rate = failed / self._repeats
        if failed < self._repeats:
            # So many passes in a row are less likely than 1 - confidence if the graph fails as often as the first.
            self._tries = math.ceil(math.log(1 - self._confidence) / math.log(1 - self.rate))
        self._verdicts[self._digests.of(self.best)] = True
        if self._on_better is not None:
            self._on_better(self.best)

    def fails(self, graph: Graph) -> bool:
        """Whether this graph still fails."""
        return self.verdicts([graph])[0]

    def fails_afresh(self, graph: Graph) -> bool:
        """The same, run even if it was run before."""
        failed = any(self.run([graph] * self._tries))
        if failed and len(graph) < len(self.best):
            self.adopt(graph)
        return failed

    def verdicts(self, graphs: Sequence[Graph]) -> list[bool]:
        """Whether each of these graphs still fails. Only those are run that were not run before."""
        digests = [self._digests.of(graph) for graph in graphs]
        new = {digest: graph for digest, graph in zip(digests, graphs, strict=True) if digest not in self._verdicts}
        pending = list(new)
        while pending:
            some, pending = pending[: self.batch], pending[self.batch :]
            self._decide({digest: new[digest] for digest in some})
        return [self._verdicts[digest] for digest in digests]

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

    def _decide(self, graphs: dict[int, Graph]) -> None:
        """Run these graphs, at most `batch`, until each has failed once or has passed often enough."""
        passed = dict.fromkeys(graphs, 0)
        while passed:
            order = [digest for digest in passed for _ in range(self._copies(len(passed)))][: self.batch]
            for digest, failed in zip(order, self.run([graphs[digest] for digest in order]), strict=True):
                if failed:
                    self._verdicts[digest] = True
                    passed.pop(digest, None)
                elif digest in passed:
                    passed[digest] += 1
            for digest in [digest for digest, times in passed.items() if times >= self._tries]:
                del passed[digest]
                self._verdicts[digest] = False
            for digest in graphs:
                if self._verdicts.get(digest) and len(graphs[digest]) < len(self.best):
                    self.adopt(graphs[digest])

    def _copies(self, undecided: int) -> int:
        """How often each graph is run at once, so that a flaky failure does not leave workers idle."""
        return min(self._tries, max(1, self.batch // undecided))

    def run(self, graphs: Sequence[Graph]) -> Sequence[bool]:
        """Run these graphs, in batches, and nothing else: no memory of what was run before."""
        failed: list[bool] = []
        for start in range(0, len(graphs), self.batch):
            some = graphs[start : start + self.batch]
            if self._most_runs is not None and self.runs + len(some) > self._most_runs:
                raise OutOfRunsError
            self.runs += len(some)
            failed += self._still_fails(some)
            if self._on_step is not None:
                self._on_step(self.phase, len(self.best), self.runs)
        return failed
