"""Which runs find the steps that cause a failure, with as few of them as allowed.

If there are enough runs, each step is left out once and tried alone once. Otherwise, a binary search in the order of
suspicion finds a small set of steps that fails, and these steps are tried first. The same search finds steps that fail
together where no step is needed or enough by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

Steps = frozenset[int]


class Answer(StrEnum):
    """What the run of a graph with some of the steps has shown about the failure."""

    FAILS = "fails"
    GONE = "gone"
    UNCLEAR = "unclear"


Ask = Callable[[Sequence[Steps]], list[Answer]]
"""Runs graphs with these steps. The list is shorter if no more runs are allowed."""


def search(
    order: Sequence[int], alone: Callable[[int], Steps], ask: Ask, runs_left: Callable[[], int]
) -> list[int] | None:
    """Ask about graphs with some of these steps, the most suspicious first. The graph with all of them fails.

    `alone` is a step with all that it depends on. Returns steps that fail together, if it had to look for them and had
    enough runs.
    """
    tries = {step: list(_tries(frozenset(order), alone(step), step)) for step in order}
    if runs_left() >= len({steps for sets in tries.values() for steps in sets}):
        ask([steps for sets in tries.values() for steps in sets])
        return None
    together = small_set(order, ask)
    for step in together or ():
        ask(tries[step])
    for step in order:
        ask(tries[step])
    return together


def _tries(everything: Steps, alone: Steps, step: int) -> Iterator[Steps]:
    """Without the step, with it alone, and with only what it depends on."""
    yield everything - {step}
    yield alone
    if len(alone) > 1:
        yield alone - {step}


def small_set(order: Sequence[int], ask: Ask) -> list[int] | None:
    """Steps that fail together, few if not as few as possible; None if the runs are used up before.

    `needed` and the first `end` steps of the order fail together. A binary search finds a number of steps that fails
    while one less does not: the last of them is needed.
    """
    needed: list[int] = []
    end = len(order)
    while end:
        low, high = 0, end
        while high - low > 1:
            middle = (low + high) // 2
            answers = ask([frozenset([*needed, *order[:middle]])])
            if not answers:
                return None
            low, high = (low, middle) if answers == [Answer.FAILS] else (middle, high)
        needed.append(order[high - 1])
        end = high - 1
        if end:
            answers = ask([frozenset(needed)])
            if not answers:
                return None
            if answers == [Answer.FAILS]:
                break
    return sorted(needed)
