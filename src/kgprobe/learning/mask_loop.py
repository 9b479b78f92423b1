"""Learns a mask in rounds, which is section 5.5 of the paper without a person in the loop.

In each round, a mask is learned from all cases so far. Then mutants run whose verdicts decide between shapes, which
shows where the mask is too strict, and new mutants that the mask admits, which shows where it is too permissive. It
ends when enough of the latter have passed in a row, or when all runs are used up. Once a mutant that a mask admits has
failed, masks have no exceptions any more: safe is better than exact.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from kgprobe.campaign.executor import LazyExecutor, Result, Task
from kgprobe.campaign.experiment import results_of
from kgprobe.campaign.run import MakeExecutor, check_systems, job_of
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import FurtherRun
from kgprobe.learning.stored_campaign import StoredCampaign, cases_of, further_case, opened_campaign
from kgprobe.learning.suggesting import NewMutant, NewMutants, Rivals, rivals_of, suggested
from kgprobe.masks.learning.conditions import Clause
from kgprobe.masks.learning.learning import LearnedMask, LearnedShape, fisher
from kgprobe.masks.learning.observations import JudgedGraph
from kgprobe.masks.learning.shacl_text import clause_in_words, clause_text, kind_of
from kgprobe.model import GraphInput, Outcome
from kgprobe.mutation.mutant import delta_value, read_delta

__all__ = ["LearnedInRounds", "LoopOptions", "Round", "learning_a_mask", "new_mutants_of"]


_MOST_OF_PASSING = 1 / 3  # a condition that excludes more of them is not what the failures are about


def without_exceptions(mask: LearnedMask, cases: Sequence[JudgedGraph]) -> LearnedMask:
    """The mask, with the first condition only of each shape, where that excludes few passing cases.

    `cases` are those that it was learned from.
    """
    shapes = tuple(_stricter(shape, mask, cases) for shape in mask.shapes)
    excluded = {name for shape in shapes for name in (*shape.explains, *shape.excludes)}
    right = sum((case.name in excluded) is case.failed for case in cases)
    unexplained = tuple(case.name for case in cases if case.failed and case.name not in excluded)
    return replace(mask, shapes=shapes, unexplained=unexplained, accuracy=right / len(cases))


def _stricter(shape: LearnedShape, mask: LearnedMask, cases: Sequence[JudgedGraph]) -> LearnedShape:
    if not shape.clause.alternatives:
        return shape
    clause = Clause(shape.clause.condition)
    violating = [case for case in cases if not clause.holds(case.graph())]
    explains = tuple(case.name for case in violating if case.failed)
    excludes = tuple(case.name for case in violating if not case.failed)
    if len(excludes) > _MOST_OF_PASSING * mask.passing or len(excludes) >= len(explains):
        return shape
    spelling = cases[0].seed.spelling
    return replace(
        shape,
        kind=kind_of(clause),
        words=clause_in_words(clause, spelling),
        explains=explains,
        excludes=excludes,
        p=fisher(len(explains), len(violating), mask.failing, mask.cases),
        clause=clause,
        turtle=clause_text(clause, shape.name, dict(mask.prefixes)),
    )


Judge = Callable[[Sequence[NewMutant], bool], list[JudgedGraph]]
"""Runs mutants, and says whether they were suggested. Those that could not be judged are left out."""

_BATCH = 20
_POOL = 300
_ATTEMPTS = 20_000  # to find a batch of mutants that the mask admits
_ATTEMPTS_FOR_A_POOL = 1_500
_MOST_SUGGESTED = 3  # batches, before mutants that the mask admits are run


@dataclass(frozen=True, kw_only=True)
class LoopOptions:
    """`runs` limits all runs. The loop ends when `in_a_row` mutants that the mask admits have passed.

    `noise` is the share of verdicts that can be wrong. Nothing starts after the deadline, a time of `time.monotonic`.
    """

    runs: int = 1000
    in_a_row: int = 200
    noise: float = 0.0
    batch: int = _BATCH
    deadline: float | None = None


@dataclass(frozen=True)
class Start:
    """Where the loop starts: cases to learn from, runs made before, and admitted mutants that have passed since.

    `is_strict`: a mutant that an earlier mask admitted has failed.
    """

    cases: Sequence[JudgedGraph]
    runs: int = 0
    passed: Sequence[JudgedGraph] = ()
    is_strict: bool = False


@dataclass(frozen=True)
class Round:
    """The state after a batch: all runs, all cases, the shapes of the mask, and how many admitted mutants passed."""

    runs: int
    cases: int
    shapes: int
    in_a_row: int


@dataclass(frozen=True)
class LearnedInRounds:
    """The mask, and how sure it is.

    After it was learned, `in_a_row` new mutants that it admits have run, and all of them passed. `is_sure`: that is as
    many as were asked for. Otherwise, `why` says why the loop ended before.
    """

    mask: LearnedMask
    runs: int
    in_a_row: int
    is_sure: bool
    why: str = ""

    @property
    def most_failing(self) -> float:
        """With 95 % confidence, at most this share of the mutants that the mask admits fails."""
        return 1 - 0.05 ** (1 / self.in_a_row) if self.in_a_row else 1.0


def learning_in_rounds(
    start: Start, new: NewMutants, judge: Judge, options: LoopOptions
) -> Iterator[Round | LearnedInRounds]:
    """Learn a mask; yield the state after each batch, and the result at the end."""
    loop = _Loop(start, new, judge, options)
    is_checked = loop.in_a_row > 0
    while True:
        if not is_checked:
            yield from loop.suggested()
        if (yield from loop.admitted()):
            break
        is_checked = False
    yield loop.result()


class _Loop:
    """The state of the loop."""

    def __init__(self, start: Start, new: NewMutants, judge: Judge, options: LoopOptions) -> None:
        self._cases = list(start.cases)
        self._new = new
        self._judge = judge
        self._options = options
        self._runs = start.runs
        self._why = ""
        self._is_strict = start.is_strict
        self._rivals = self._learned()
        self._passed = list(start.passed)
        self.in_a_row = len(self._passed)
        if not all(self._rivals.mask.holds(case.graph()) for case in self._passed):
            self._learn(())  # the mask was learned in another way

    def suggested(self) -> Iterator[Round]:
        """Run mutants whose verdicts decide between shapes, until the mask predicts them."""
        for _ in range(_MOST_SUGGESTED):
            if self._is_over():
                return
            pool = self._new.drawn(_POOL, attempts=_ATTEMPTS_FOR_A_POOL, is_small=True)
            chosen = [suggestion.mutant for suggestion in suggested(self._rivals, pool, self._options.batch)]
            judged = self._run(chosen, is_suggested=True)
            if not judged:
                return
            mask = self._rivals.mask
            is_wrong = any(case.failed is mask.holds(case.graph()) for case in judged)
            self._learn(judged)
            yield self._state()
            if self._is_strict or not is_wrong:
                return

    def admitted(self) -> Generator[Round, None, bool]:
        """Run mutants that the mask admits until one fails. Returns whether the loop is over."""
        options = self._options
        while self.in_a_row < options.in_a_row:
            if self._is_over():
                return True
            wanted = min(options.batch, options.in_a_row - self.in_a_row)
            chosen = self._new.drawn(wanted, attempts=_ATTEMPTS, admits=self._rivals.mask.holds)
            if not chosen:
                self._why = "no new mutant is admissible"
                return True
            judged = self._run(chosen, is_suggested=False)
            if any(case.failed for case in judged):
                self._is_strict = True
                self._learn(judged)
                yield self._state()
                return False
            self._passed += judged
            self.in_a_row += len(judged)
            yield self._state()
        return True

    def result(self) -> LearnedInRounds:
        is_sure = self.in_a_row >= self._options.in_a_row
        return LearnedInRounds(self._rivals.mask, self._runs, self.in_a_row, is_sure, self._why)

    def _learn(self, judged: Sequence[JudgedGraph]) -> None:
        self._cases += [*self._passed, *judged]
        self._passed = []
        self.in_a_row = 0
        self._rivals = self._learned()

    def _learned(self) -> Rivals:
        rivals = rivals_of(self._cases, noise=self._options.noise)
        if not self._is_strict:
            return rivals
        return replace(rivals, mask=without_exceptions(rivals.mask, self._cases))

    def _run(self, mutants: Sequence[NewMutant], *, is_suggested: bool) -> list[JudgedGraph]:
        some = mutants[: max(0, self._options.runs - self._runs)]
        self._runs += len(some)
        for mutant in some:
            self._new.know(mutant)
        return self._judge(some, is_suggested) if some else []

    def _is_over(self) -> bool:
        if self._runs >= self._options.runs:
            self._why = f"all {self._options.runs} runs are used up"
        elif self._options.deadline is not None and time.monotonic() >= self._options.deadline:
            self._why = "the time is up"
        return bool(self._why)

    def _state(self) -> Round:
        return Round(self._runs, len(self._cases), len(self._rivals.mask.shapes), self.in_a_row)


def learning_a_mask(
    store: Store, make_executor: MakeExecutor, options: LoopOptions
) -> Generator[Round | LearnedInRounds, None, None]:
    """Learn a mask from the cases of a store, which is open for writing, and from more mutants.

    Yields the state after each batch, and the result at the end. The next call continues where this one stopped.
    """
    with opened_campaign(store, runs_systems=True) as campaign:
        check_systems(campaign.profile)
        cases = cases_of(store, campaign.sources)
        new = new_mutants_of(store, campaign, cases)
        with closing(LazyExecutor(lambda: make_executor(job_of(campaign.profile, campaign.sources)))) as executor:
            judge = _Judge(store, campaign, executor)
            yield from learning_in_rounds(_start(store, cases), new, judge.judged, options)


def _start(store: Store, cases: Sequence[JudgedGraph]) -> Start:
    """Where to start. Mutants that a mask admitted at the end, and that passed, were not used to learn it."""
    runs = store.further_runs()
    since = 0
    while since < len(runs) and not runs[-1 - since].is_suggested and runs[-1 - since].outcome is Outcome.PASS:
        since += 1
    is_strict = any(run.outcome is Outcome.FAIL and not run.is_suggested for run in runs)
    return Start(cases[: len(cases) - since], len(runs), cases[len(cases) - since :], is_strict)


def new_mutants_of(store: Store, campaign: StoredCampaign, cases: Sequence[JudgedGraph]) -> NewMutants:
    """Mutants that neither the campaign nor an earlier search for a mask has run."""
    numbers = {id(source.seed_graph): source.number for source in campaign.sources}
    known = [(numbers[id(case.seed)], case.change) for case in cases]
    with store.reading():
        known += [(run.source, read_delta(run.change)) for run in store.further_runs()]
    return NewMutants(campaign.prepared.preparation, known)


class _Judge:
    """Runs mutants with the systems and oracles of a campaign, and keeps the results."""

    def __init__(self, store: Store, campaign: StoredCampaign, executor: LazyExecutor) -> None:
        self._store = store
        self._campaign = campaign
        self._executor = executor
        self._next = len(store.further_runs()) + 1

    def judged(self, mutants: Sequence[NewMutant], is_suggested: bool) -> list[JudgedGraph]:
        """Run mutants, at most as many at the same time as there is room for."""
        further: list[FurtherRun] = []
        size = max(1, self._executor.capacity)
        for start in range(0, len(mutants), size):
            some = mutants[start : start + size]
            results = results_of([self._task(ticket, mutant) for ticket, mutant in enumerate(some)], self._executor)
            runs = [self._run(mutant, result, is_suggested) for mutant, result in zip(some, results, strict=True)]
            self._store.keep_further_runs(runs)
            further += runs
        cases = (further_case(self._store, run, self._campaign.sources) for run in further)
        return [case for case in cases if case is not None]

    def _task(self, ticket: int, mutant: NewMutant) -> Task:
        source = self._campaign.sources[mutant.source]
        return source.task(ticket, f"{source.name}#+{self._next + ticket}", GraphInput(mutant.graph))

    def _run(self, mutant: NewMutant, result: Result, is_suggested: bool) -> FurtherRun:
        number, self._next = self._next, self._next + 1
        outcome = Outcome.UNDECIDED if result.verdict is None else result.verdict.outcome
        return FurtherRun(number, mutant.source, delta_value(mutant.change), is_suggested, outcome)
