"""A reduction of any kind of input: which candidates fail, and which one is the best so far.

A `Problem` stands between the passes, which propose smaller candidates, and the system under test. It decides no
candidate twice, runs none that is not admissible, counts the runs, and repeats them until a failure is confirmed. All
it knows about a candidate is its size, its digest, whether it is admissible and whether it still fails.

A smaller candidate counts only if it fails as often as the whole one. A sequential test decides this with as few runs
as possible: a candidate that passes once where the whole one always failed is rejected immediately, and one that keeps
failing is accepted after a few runs.

Passes are generators. They yield events, `Progress` after each batch of runs and `Better` for each new best candidate,
and return their results; `Steps` is the type of such a generator.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeAlias, TypeVar

from kgprobe.errors import InputError

__all__ = [
    "REPEATS",
    "Better",
    "DoesNotFailError",
    "Effort",
    "OutOfRunsError",
    "Problem",
    "Progress",
    "Rate",
    "SameRate",
    "Steps",
    "StillFails",
    "last_of",
    "solved",
]

REPEATS = 10
"""How often the whole input is run at the start, and the result at the end."""
Candidate = TypeVar("Candidate")
Value = TypeVar("Value")
StillFails: TypeAlias = Callable[[Sequence[Candidate]], Sequence[bool]]
"""Tells for each candidate whether it still fails. Candidates may run at the same time."""
# A candidate that fails at most half as often must be distinguished from one that fails as often.
_RARER = 0.5
# During the search, a candidate that fails less often is accepted with this probability. The result is tested strictly.
_DOUBT = 0.25


@dataclass(frozen=True)
class Progress:
    """Candidates have run: the current phase, the size of the best candidate, and the number of runs so far."""

    phase: str
    size: int
    runs: int


@dataclass(frozen=True)
class Better(Generic[Candidate]):
    """A candidate that fails and is better than all earlier ones. The first is the whole input.

    If the failure is a difference from the answer for another input, `before` is that one.
    """

    candidate: Candidate
    before: Candidate | None = None


Steps: TypeAlias = Generator["Progress | Better[Candidate]", None, Value]


class DoesNotFailError(InputError):
    """There is nothing to reduce: the whole input does not fail."""


class OutOfRunsError(Exception):
    """No more runs, or no more time, are allowed. This package always catches it."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """The limits on the cost of a reduction, and its confidence.

    `repeats` is how often the whole input is run first, to see how often it fails, and the result last, to see that it
    fails as often. With 1, each single run decides. `deadline` is a time of `time.monotonic`. `batch` is how many
    candidates can be run at the same time.
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
                hint="the first two are at least 1, the confidence is between 0 and 1, and runs are not below repeats",
            )

    def allows(self, runs: int) -> bool:
        """Whether this many runs in total are allowed, and time is left."""
        is_late = self.deadline is not None and time.monotonic() >= self.deadline
        return not is_late and (self.most_runs is None or runs <= self.most_runs)


@dataclass(frozen=True, slots=True)
class Rate:
    """The number of runs, and how many of them failed."""

    failed: int = 0
    runs: int = 0

    @property
    def share(self) -> float:
        """The share of the runs that failed; 1 before the first run."""
        return self.failed / self.runs if self.runs else 1.0

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.failed + other.failed, self.runs + other.runs)

    def __str__(self) -> str:
        return f"{self.failed} of {self.runs} run{'s' if self.runs != 1 else ''}"


class SameRate:
    """Whether a candidate fails as often as the whole input, judging by the runs of both.

    `confidence` is the probability that a graph which fails as often is accepted, and that the result does not fail
    more rarely. After one run of the whole graph, its rate is unknown, and one run decides about every other graph.
    """

    def __init__(self, whole: Rate, confidence: float) -> None:
        self._trusts_one_run = whole.runs == 1
        self._least = whole.runs
        self._is_certain = whole.failed == whole.runs
        rate = whole.share
        self._for_failure = math.log(1 / _RARER)
        self._for_pass = -math.inf if self._is_certain else math.log((1 - rate) / (1 - rate * _RARER))
        self._sure = math.log(1 / (1 - confidence))
        # If the candidate fails as often as the whole, this many passes in a row are less likely than 1 - confidence.
        self._most_passes = 1 if self._is_certain else math.ceil(-self._sure / math.log(1 - rate))

    def verdict(self, seen: Rate, *, strictly: bool) -> bool | None:
        """True if it fails as often, False if not, None if more runs are needed."""
        if self._trusts_one_run and seen.runs:
            return seen.failed == seen.runs
        passed = seen.runs - seen.failed
        evidence = seen.failed * self._for_failure + (passed * self._for_pass if passed else 0.0)
        if evidence <= -self._sure or (not seen.failed and passed >= self._most_passes):
            return False
        if strictly:
            return True if evidence >= self._sure and seen.runs >= self._least else None
        return True if evidence >= math.log(1 / _DOUBT) - 1e-9 else None

    def runs_at_once(self, seen: Rate, *, strictly: bool) -> int:
        """How many runs to start together: more than one only if a single run cannot decide."""
        if self._is_certain and not seen.runs:
            return 1
        return max(1, self._least - seen.runs) if strictly else self._most_passes


@dataclass
class _Known:
    """The results for a candidate: how often it failed, and whether that is often enough."""

    rate: Rate = field(default_factory=Rate)
    fails: bool | None = None


class Problem(Generic[Candidate]):
    """An input that fails, and the test for that. `name` is its name in errors."""

    def __init__(
        self,
        whole: Candidate,
        still_fails: StillFails[Candidate],
        *,
        size: Callable[[Candidate], int],
        digest: Callable[[Candidate], Hashable],
        admits: Callable[[Candidate], bool] = lambda _: True,
        effort: Effort | None = None,
        name: str = "this input",
    ) -> None:
        self.best = whole
        self.runs = 0
        self.phase = "checking"
        self.rate = Rate()
        self.effort = effort or Effort()
        self._whole = whole
        self._still_fails = still_fails
        self.size = size
        self._digest = digest
        self._admits = admits
        self._name = name
        self._is_strict = False
        self._known: dict[Hashable, _Known] = {}
        self._same_rate = SameRate(Rate(1, 1), self.effort.confidence)

    @property
    def batch(self) -> int:
        """How many candidates can be run at the same time."""
        return self.effort.batch

    @property
    def best_rate(self) -> Rate:
        """How often the best candidate has failed so far."""
        known = self._known.get(self._digest(self.best))
        return Rate() if known is None else known.rate

    def better(self, candidate: Candidate) -> Better[Candidate]:
        """The event for a new best candidate."""
        return Better(candidate)

    # -- from the first run to the last --------------------------------------------------------------------------------

    def confirm(self) -> Steps[Candidate, None]:
        """Run the whole input as often as requested. DoesNotFailError if it does not fail."""
        repeats = self.effort.repeats
        self.rate = Rate(sum((yield from self.run([self.best] * repeats))), repeats)
        if not self.rate.failed:
            how = f"fails in none of {repeats} runs" if repeats > 1 else "does not fail here"
            raise DoesNotFailError(f"{self._name} {how}", hint="a failure that comes and goes needs more repeats")
        self._same_rate = SameRate(self.rate, self.effort.confidence)
        self._known[self._digest(self.best)] = _Known(self.rate, fails=True)
        yield self.better(self.best)

    def holds(self) -> Steps[Candidate, bool]:
        """Whether the best candidate fails as often as the whole input, judged by new runs."""
        self.phase = "confirming"
        known = self._known[self._digest(self.best)]
        if self.best is self._whole or self._is_strict or self.effort.repeats == 1:
            return True  # it already had enough runs
        fresh = _Known()
        yield from self._decide({0: (self.best, fresh)}, strictly=True)
        known.rate = fresh.rate
        return bool(fresh.fails)

    def start_over(self) -> Steps[Candidate, None]:
        """Start from the whole input again. From now on, run each failing candidate as often as the whole input."""
        self._is_strict = True
        for digest in [digest for digest, known in self._known.items() if known.fails]:
            del self._known[digest]
        self._known[self._digest(self._whole)] = _Known(self.rate, fails=True)
        self.best = self._whole
        yield self.better(self.best)

    # -- for passes ----------------------------------------------------------------------------------------------------

    def fails(self, candidate: Candidate) -> Steps[Candidate, bool]:
        """Whether a candidate still fails."""
        return (yield from self.verdicts([candidate]))[0]

    def fails_afresh(self, candidate: Candidate) -> Steps[Candidate, bool]:
        """The same, but run it even if its result is known."""
        if not self._admits(candidate):
            return False
        known = self._known[self._digest(candidate)] = _Known()
        yield from self._decide({0: (candidate, known)}, strictly=self._is_strict)
        return bool(known.fails)

    def fails_anyway(self, candidate: Candidate) -> Steps[Candidate, bool]:
        """The same for a candidate that need not be admissible. It does not become the best one."""
        known = self._known.get(self._digest(candidate))
        if known is not None and known.rate.runs:
            return known.rate.failed > 0
        return any((yield from self.run([candidate] * self._same_rate.runs_at_once(Rate(), strictly=False))))

    def verdicts(self, candidates: Sequence[Candidate]) -> Steps[Candidate, list[bool]]:
        """Whether each of these candidates still fails. Only new and admissible ones are run."""
        digests = [self._digest(candidate) for candidate in candidates]
        pending: dict[Hashable, tuple[Candidate, _Known]] = {}
        for digest, candidate in zip(digests, candidates, strict=True):
            if digest not in self._known:
                known = self._known[digest] = _Known()
                if self._admits(candidate):
                    pending[digest] = candidate, known
                else:
                    known.fails = False
        while pending:
            some = dict(islice(pending.items(), self.batch))
            pending = {digest: pair for digest, pair in pending.items() if digest not in some}
            try:
                yield from self._decide(some, strictly=self._is_strict)
            except BaseException:  # nothing is known about candidates that were not decided
                self._known = {digest: known for digest, known in self._known.items() if known.fails is not None}
                raise
        return [bool(self._known[digest].fails) for digest in digests]

    def first(self, candidates: Iterator[Candidate]) -> Steps[Candidate, int | None]:
        """The number of the first candidate that still fails. As many run together as possible."""
        start = 0
        while some := list(islice(candidates, self.batch)):
            verdicts = yield from self.verdicts(some)
            if True in verdicts:
                return start + verdicts.index(True)
            start += len(some)
        return None

    def adopt(self, candidate: Candidate) -> Steps[Candidate, None]:
        """Make a failing candidate the best one. It is smaller, or of the same size and simpler."""
        if self.size(candidate) <= self.size(self.best):
            self.best = candidate
            yield self.better(candidate)

    def run(self, candidates: Sequence[Candidate]) -> Steps[Candidate, Sequence[bool]]:
        """Run these candidates in batches, even if results are known."""
        failed: list[bool] = []
        for start in range(0, len(candidates), self.batch):
            some = candidates[start : start + self.batch]
            if not self.effort.allows(self.runs + len(some)):
                raise OutOfRunsError
            self.runs += len(some)
            failed += self._still_fails(some)
            yield Progress(self.phase, self.size(self.best), self.runs)
        return failed

    def _decide(
        self, candidates: dict[Hashable, tuple[Candidate, _Known]], *, strictly: bool
    ) -> Steps[Candidate, None]:
        """Run these candidates, at most `batch`, until each is known to fail often enough or not."""
        while pending := {digest: pair for digest, pair in candidates.items() if pair[1].fails is None}:
            order = [pair for pair in pending.values() for _ in range(self._copies(pair[1], len(pending), strictly))]
            order = order[: self.batch]
            failures = yield from self.run([candidate for candidate, _ in order])
            for (_, known), failed in zip(order, failures, strict=True):
                known.rate += Rate(int(failed), 1)
            for candidate, known in pending.values():
                known.fails = self._same_rate.verdict(known.rate, strictly=strictly)
                if known.fails and self.size(candidate) < self.size(self.best):
                    yield from self.adopt(candidate)

    def _copies(self, known: _Known, undecided: int, strictly: bool) -> int:
        """How many runs of one candidate to start together, so that a flaky failure does not leave workers idle."""
        return min(self._same_rate.runs_at_once(known.rate, strictly=strictly), max(1, self.batch // undecided))


def solved(
    problem: Problem[Candidate],
    search: Callable[[], Steps[Candidate, None]],
    then: Callable[[], Steps[Candidate, None]] | None = None,
) -> Steps[Candidate, bool]:
    """Search until the best candidate fails as often as the whole input, then do everything else that needs runs.

    False if the runs or the time were used up before.
    """
    try:
        yield from problem.confirm()
        while True:
            yield from search()
            if (yield from problem.holds()):
                break
            yield from problem.start_over()
        if then is not None:
            yield from then()
    except OutOfRunsError:
        return False
    return True


def last_of(steps: Steps[Candidate, Value]) -> Value:
    """The result of all steps, without their events."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: Value = end.value
            return value
