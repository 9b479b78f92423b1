"""Which runs find the steps that cause a failure, with as few of them as allowed.

If there are enough runs, each step is left out once and tried alone once. Otherwise, a binary search in the order of
suspicion finds a small set of steps that fails, and these steps are tried first. The same search finds steps that fail
together where no single one is needed, or enough.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from enum import StrEnum

__all__ = ["Answer", "Ask", "Steps", "search"]

Steps = frozenset[int]


class Answer(StrEnum):
    """What the run of a graph with some of the steps has shown about the failure."""

    FAILS = "fails"
    GONE = "gone"
    UNCLEAR = "unclear"


Ask = Callable[[Sequence[Steps]], list[Answer]]
"""Runs graphs with these steps. The list is shorter if no more runs are allowed."""


def search(order: Sequence[int], ask: Ask, runs_left: Callable[[], int]) -> list[int] | None:
    """Ask about graphs with some of these steps, the most suspicious first. The graph with all of them fails.

    Returns steps that fail together, in their order, if it had to look for them and had enough runs.
    """
    everything = frozenset(order)
    without = [everything - {step} for step in order]
    alone = [frozenset({step}) for step in order]
    if runs_left() >= 2 * len(order):
        answers = ask([*without, *alone])
        if Answer.GONE not in answers[: len(order)] and Answer.FAILS not in answers[len(order) :]:
            return _small_set(order, ask)
        return None
    together = _small_set(order, ask)
    if together is not None:
        ask([each for step in together for each in (everything - {step}, frozenset({step}))])
    ask(list(_in_turn(without, alone)))
    return together


def _small_set(order: Sequence[int], ask: Ask) -> list[int] | None:
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


def _in_turn(*lists: Collection[Steps]) -> Iterator[Steps]:
    for together in zip(*lists, strict=True):
        yield from together
