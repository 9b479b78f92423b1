"""Runs graphs with some of the steps of a failing mutant, each once, within a number of runs.

A failure that does not show in every run needs several: only if it never shows, it is gone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kgprobe.learning.partial_mutants import PartialMutant, PartialMutants
from kgprobe.learning.step_search import Answer, Steps
from kgprobe.rdf.graph import Delta, Graph

__all__ = ["CaseRuns", "Tried"]

_RUNS_OF_THE_WHOLE = 2
_MORE_RUNS_OF_THE_WHOLE = 3  # of one that did not always fail
_MOST_REPEATS = 5
_OVERLOOKED = 0.05  # the accepted chance that a failure is there and does not show


@dataclass(frozen=True)
class Tried:
    """A graph with some of the steps, and the answer of each of its runs; none if it may not be run."""

    steps: Steps
    answers: tuple[Answer, ...]

    @property
    def rate(self) -> float:
        """The share of the runs that fail."""
        return sum(answer is Answer.FAILS for answer in self.answers) / max(1, len(self.answers))


class CaseRuns:
    """The runs of one failing case: `run` runs graphs, and `may_run` says whether a graph is admissible.

    `seed_passes`: the seed graph, without any step, need not be run, unless the failure is flaky. `earlier` are runs
    that were stored.
    """

    def __init__(
        self,
        mutants: PartialMutants,
        run: Callable[[Sequence[Graph]], list[Answer]],
        *,
        most: int,
        may_run: Callable[[Graph], bool],
        seed_passes: bool,
        earlier: Iterable[Tried] = (),
    ) -> None:
        self._mutants = mutants
        self._run = run
        self._most = most
        self._may_run = may_run
        self._seed_passes = seed_passes
        self._tried: dict[Delta, Tried] = {}
        self._repeats = 1
        self.runs = 0
        for tried in earlier:
            made = mutants.made(tried.steps)
            self._tried[made.change] = Tried(made.steps, tried.answers)
            self.runs += len(tried.answers)

    @property
    def everything(self) -> Steps:
        """All steps."""
        return frozenset(range(len(self._mutants)))

    @property
    def tried(self) -> tuple[Tried, ...]:
        """All graphs that were tried, in order."""
        return tuple(self._tried.values())

    def is_reproduced(self) -> bool:
        """Run the whole mutant, until it is known whether it fails, and how often. False: it does not fail again.

        It runs at least once, even if it did so before: this run shows the failure that others are compared with.
        """
        whole = self._mutants.made(self.everything)
        found = self._tried_again(whole, _RUNS_OF_THE_WHOLE, at_least=1)
        if found.rate < 1:
            found = self._tried_again(whole, _RUNS_OF_THE_WHOLE + _MORE_RUNS_OF_THE_WHOLE)
        if 0 < found.rate < 1:
            needed = math.ceil(math.log(_OVERLOOKED) / math.log(1 - found.rate))
            self._repeats = min(_MOST_REPEATS, needed)
        return found.rate > 0

    @property
    def rate(self) -> float:
        """The share of runs of the whole mutant that fail."""
        return self._tried[self._mutants.made(self.everything).change].rate

    def left(self) -> int:
        """How many more graphs can be tried."""
        return max(0, self._most - self.runs) // self._repeats

    def ask(self, wanted: Sequence[Steps]) -> list[Answer]:
        """The answers for graphs with these steps; fewer if the runs are used up."""
        made = [self._mutants.made(steps) for steps in wanted]
        self._try(made)
        answers = []
        for each in made:
            answer = self._answer(each)
            if answer is None:
                break
            answers.append(answer)
        return answers

    def ask_outside(self, wanted: Sequence[Steps]) -> None:
        """Run graphs with these steps that are not admissible.

        They may fail for reasons of their own, so it only counts if the failure is gone.
        """
        for made in map(self._mutants.made, wanted):
            tried = self._tried.get(made.change)
            if tried is not None and not tried.answers and self.left():
                answers = self._answers([made.graph] * self._repeats)
                seen = tuple(Answer.UNCLEAR if answer is Answer.FAILS else answer for answer in answers)
                self._tried[made.change] = Tried(made.steps, seen)

    def is_needed(self, step: int) -> bool:
        """Whether the failure is gone without this step, and those that depend on it."""
        return self._fails and self.answer(self.everything - {step}) is Answer.GONE

    def is_enough(self, step: int) -> bool:
        """Whether the failure comes with this step alone. Steps that it depends on are there, and do not fail."""
        alone = self._mutants.alone(step)
        return self._fails and self.answer(alone) is Answer.FAILS and self.answer(alone - {step}) is Answer.GONE

    @property
    def _fails(self) -> bool:
        return self.answer(self.everything) is Answer.FAILS

    def is_decided(self, step: int) -> bool:
        """Whether all that can be known about a step is known."""
        alone = self._mutants.alone(step)
        return all(self.answer(each) is not None for each in (self.everything - {step}, alone, alone - {step}))

    def answer(self, steps: Steps) -> Answer | None:
        """The answer for a graph with these steps; None if it was not tried."""
        return self._answer(self._mutants.made(steps))

    def _answer(self, made: PartialMutant) -> Answer | None:
        if not made.steps and self._seed_passes and self._repeats == 1:
            return Answer.GONE
        tried = self._tried.get(made.change)
        if tried is None:
            return None
        if Answer.FAILS in tried.answers:
            return Answer.FAILS
        if not tried.answers or Answer.UNCLEAR in tried.answers:
            return Answer.UNCLEAR
        return Answer.GONE if len(tried.answers) >= self._repeats else None

    def _try(self, wanted: Iterable[PartialMutant]) -> None:
        """Run the graphs that were not tried yet, all at the same time."""
        new: dict[Delta, PartialMutant] = {}
        left = self.left()
        for made in wanted:
            change = made.change
            if change in new or self._answer(made) is not None:
                continue
            if not self._may_run(made.graph):
                self._tried[change] = Tried(made.steps, ())
            elif left > 0:
                new[change] = made
                left -= 1
            else:
                break
        graphs = [made.graph for made in new.values() for _ in range(self._repeats)]
        answers = iter(self._answers(graphs))
        for change, made in new.items():
            self._tried[change] = Tried(made.steps, tuple(next(answers) for _ in range(self._repeats)))

    def _tried_again(self, made: PartialMutant, times: int, *, at_least: int = 0) -> Tried:
        """Run one graph until it has run this many times, or all runs are used up."""
        before = self._tried.get(made.change, Tried(made.steps, ()))
        more = max(at_least, times - len(before.answers))
        answers = self._answers([made.graph] * min(more, self._most - self.runs))
        self._tried[made.change] = Tried(made.steps, (*before.answers, *answers))
        return self._tried[made.change]

    def _answers(self, graphs: Sequence[Graph]) -> list[Answer]:
        self.runs += len(graphs)
        return self._run(graphs) if graphs else []
