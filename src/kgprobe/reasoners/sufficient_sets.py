"""Small sets of items that are enough for something: the reasons for an answer, found with yes-or-no questions.

`needed` halves the items again and again (Junker's QuickXplain), which yields a set in which every item is needed.
Another such set may be smaller. It lacks one of the items of each known set, so leaving them out one by one (Reiter's
hitting set tree) finds it; that is `smallest`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

__all__ = ["OutOfTimeError", "needed", "smallest"]

Item = TypeVar("Item", bound=Hashable)


class OutOfTimeError(Exception):
    """Raised by a question when no time is left for the search."""


def needed(items: Sequence[Item], is_enough: Callable[[list[Item]], bool]) -> list[Item]:
    """A subset that is enough, and no part of which is. All items together must be enough."""

    def search(background: list[Item], changed: bool, candidates: list[Item]) -> list[Item]:
        if changed and is_enough(background):
            return []
        if len(candidates) == 1:
            return candidates
        half = len(candidates) // 2
        left, right = candidates[:half], candidates[half:]
        from_right = search(background + left, bool(left), right)
        from_left = search(background + from_right, bool(from_right), left)
        return from_left + from_right

    if not items or is_enough([]):
        return []
    return search([], False, list(items))


def smallest(
    first: list[Item],
    items: Sequence[Item],
    is_enough: Callable[[list[Item]], bool],
    may_go_on: Callable[[], bool] = lambda: True,
) -> tuple[list[Item], bool]:
    """The smallest subset that is enough, and whether the search for it was completed. `first` is one in which every
    item is needed.
    """
    best = first
    known = [first]
    pending: list[frozenset[Item]] = [frozenset()]
    tried = {frozenset[Item]()}
    while pending and len(best) > 1:
        left_out = pending.pop(0)
        found = next((each for each in known if left_out.isdisjoint(each)), None)
        if found is None:
            if not may_go_on():
                return best, False
            rest = [item for item in items if item not in left_out]
            try:
                if not is_enough(rest):
                    continue
                found = needed(rest, is_enough)
            except OutOfTimeError:
                return best, False
            known.append(found)
            best = min(best, found, key=len)
        for item in found:
            further = left_out | {item}
            if further not in tried:
                tried.add(further)
                pending.append(further)
    return best, True
