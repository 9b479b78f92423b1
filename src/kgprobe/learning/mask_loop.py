"""Learns a mask in rounds: learn it from all cases, run mutants that it admits and mutants that tell most, repeat.

This is section 5.5 of the paper without a person in the loop. It ends when enough new mutants that the mask admits have
passed in a row, or when all runs are used up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kgprobe.learning.new_mutants import NewMutant, NewMutants
from kgprobe.learning.suggesting import Rivals, rivals_of, suggested
from kgprobe.masks.learning.cases import JudgedGraph
from kgprobe.masks.learning.learning import LearnedMask

__all__ = ["Judge", "LearnedInRounds", "LoopOptions", "Round", "learning_in_rounds"]

Judge = Callable[[Sequence[NewMutant]], list[JudgedGraph]]
"""Runs mutants. Those that could not be judged are left out."""

_BATCH = 20
_POOL = 300
_ATTEMPTS = 20_000  # to find a batch of mutants that the mask admits
_ATTEMPTS_FOR_SUGGESTIONS = 1_500


@dataclass(frozen=True, kw_only=True)
class LoopOptions:
    """`runs` limits all runs. The loop ends when `in_a_row` mutants that the mask admits have passed."""

    runs: int = 1000
    in_a_row: int = 200
    noise: float = 0.0
    batch: int = _BATCH


@dataclass(frozen=True)
class Round:
    """The state after a round: runs so far, cases, shapes of the mask, and how many admitted mutants passed in a row."""

    runs: int
    cases: int
    shapes: int
    in_a_row: int


@dataclass(frozen=True)
class LearnedInRounds:
    """The mask, and how sure it is.

    After the mask was learned, `in_a_row` new mutants that it admits have passed, and none failed. `is_sure`: that is
    as many as were asked for. Otherwise, `why` says why the loop ended before.
    """

    mask: LearnedMask
    runs: int
    in_a_row: int
    is_sure: bool
    why: str = ""

    @property
    def most_failing(self) -> float:
        """With 95 % confidence, at most this share of the mutants that the mask admits fail."""
        return 1 - 0.05 ** (1 / self.in_a_row) if self.in_a_row else 1.0


def learning_in_rounds(
    cases: Sequence[JudgedGraph], new: NewMutants, judge: Judge, options: LoopOptions
) -> Iterator[Round | LearnedInRounds]:
    """Learn a mask, and yield the state after each round, and the result at the end."""
    known = list(cases)
    rivals = rivals_of(known, noise=options.noise)
    runs = in_a_row = 0

    def run(mutants: Sequence[NewMutant]) -> list[JudgedGraph]:
        nonlocal runs
        some = mutants[: max(0, options.runs - runs)]
        runs += len(some)
        for mutant in some:
            new.know(mutant)
        return judge(some) if some else []

    why = ""
    while in_a_row < options.in_a_row:
        if runs >= options.runs:
            why = f"all {options.runs} runs are used up"
            break
        wanted = min(options.batch, options.in_a_row - in_a_row)
        admitted = new.drawn(wanted, attempts=_ATTEMPTS, admits=rivals.mask.holds)
        if not admitted:
            why = "no new mutant is admissible"
            break
        found = run(admitted)
        failing = [case for case in found if case.failed]
        in_a_row = 0 if failing else in_a_row + len(found)
        known += found
        if failing or in_a_row <= options.batch:
            # The mask is wrong, or new: shapes that are too strict show only in mutants that it excludes.
            tried = run(_telling(rivals, new, options))
            known += tried
            if failing or any(case.failed is rivals.mask.holds(case.graph()) for case in tried):
                rivals = rivals_of(known, noise=options.noise)
                in_a_row = 0
        yield Round(runs, len(known), len(rivals.mask.shapes), in_a_row)
    yield LearnedInRounds(rivals.mask, runs, in_a_row, in_a_row >= options.in_a_row, why)


def _telling(rivals: Rivals, new: NewMutants, options: LoopOptions) -> list[NewMutant]:
    pool = new.drawn(_POOL, attempts=_ATTEMPTS_FOR_SUGGESTIONS, is_small=True)
    return [each.mutant for each in suggested(rivals, pool, options.batch)]
