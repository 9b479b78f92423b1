"""Reduces anything that consists of parts: the lines of a text, the turns of a dialogue, the rows of a table.

A candidate is a tuple of some of the parts, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from kgprobe.reduction.problem import Effort, Problem, Rate, Steps, StillFails, last_of, solved
from kgprobe.reduction.search import needed

__all__ = ["FewerParts", "fewer_parts", "reduce_parts", "reducing_parts"]

Part = TypeVar("Part")


@dataclass(frozen=True)
class FewerParts(Generic[Part]):
    """The result, and its cost. `is_minimal`: no single part can be left out, and the runs were not used up."""

    parts: tuple[Part, ...]
    runs: int
    rate_before: Rate
    rate: Rate
    is_minimal: bool


def reduce_parts(
    parts: Iterable[Part],
    still_fails: StillFails[tuple[Part, ...]],
    *,
    admits: Callable[[tuple[Part, ...]], bool] = lambda _: True,
    digest: Callable[[tuple[Part, ...]], Hashable] = lambda parts: parts,
    effort: Effort | None = None,
) -> FewerParts[Part]:
    """As few of the parts as the failure needs. InputError if all of them together do not fail.

    Only candidates that `admits` accepts are run, and of several with the same `digest` only one.
    """
    return last_of(reducing_parts(parts, still_fails, admits=admits, digest=digest, effort=effort))


def reducing_parts(
    parts: Iterable[Part],
    still_fails: StillFails[tuple[Part, ...]],
    *,
    admits: Callable[[tuple[Part, ...]], bool] = lambda _: True,
    digest: Callable[[tuple[Part, ...]], Hashable] = lambda parts: parts,
    effort: Effort | None = None,
) -> Steps[tuple[Part, ...], FewerParts[Part]]:
    """Like `reduce_parts`, but yields events."""
    problem = Problem(tuple(parts), still_fails, size=len, digest=digest, admits=admits, effort=effort)
    is_complete = yield from solved(problem, lambda: fewer_parts(problem))
    return FewerParts(problem.best, problem.runs, problem.rate, problem.best_rate, is_complete)


def fewer_parts(problem: Problem[tuple[Part, ...]]) -> Steps[tuple[Part, ...], None]:
    """Leave parts out until no single one can be left out."""
    problem.phase = "parts"
    whole = problem.best

    def verdicts(sets: Sequence[Sequence[int]]) -> Steps[tuple[Part, ...], list[bool]]:
        return problem.verdicts([tuple(whole[number] for number in sorted(numbers)) for numbers in sets])

    found = yield from needed(len(whole), verdicts, lambda _, rest: [1.0] * len(rest), batch=problem.batch)
    least = tuple(whole[number] for number in sorted(found))
    problem.phase = "single parts"
    place = 0
    while True:
        order = [*range(place, len(least)), *range(place)]
        number = yield from problem.first(_without(least, each) for each in order)
        if number is not None:
            place = order[number]
            least = _without(least, place)
        elif len(problem.best) < len(least):
            # If several candidates fail at once, the search continues with one, which need not be the smallest.
            place, least = 0, problem.best
        else:
            break
    yield from problem.adopt(least)


def _without(parts: tuple[Part, ...], number: int) -> tuple[Part, ...]:
    return parts[:number] + parts[number + 1 :]
