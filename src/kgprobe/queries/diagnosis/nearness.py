"""How near two names are: whether one may be a slip of the pen for the other."""

from __future__ import annotations

import re

__all__ = ["distance", "is_near", "is_other_letter", "is_other_number", "is_other_word"]

_DIGITS = re.compile(r"\d+")
_SHORTEST = 3  # `?a` and `?b` are never slips of each other
_FARTHEST = 4
_SHORTEST_WORD = 5


def is_near(one: str, other: str) -> bool:
    """Whether names differ, but by few characters for their length."""
    longer = max(len(one), len(other))
    if one == other or min(len(one), len(other)) < _SHORTEST:
        return False
    limit = 1 if longer < 8 else 2 if longer < 12 else min(longer // 4, _FARTHEST)
    return abs(len(one) - len(other)) <= limit and distance(one, other) <= limit


def is_other_number(one: str, other: str) -> bool:
    """Whether names differ only in their numbers, which is seldom a slip: `?user1` and `?user2`."""
    return one != other and _DIGITS.sub("0", one) == _DIGITS.sub("0", other)


def is_other_letter(one: str, other: str) -> bool:
    """Whether short names differ in a letter, so that both may be words: `?data` and `?date`."""
    is_swap = sorted(one.casefold()) == sorted(other.casefold())
    return len(one) == len(other) < _SHORTEST_WORD and not is_swap


def is_other_word(one: str, other: str) -> bool:
    """Whether a name is another with more at its ends, as `?sampler` is to `?sample`. A doubled letter is a slip."""
    short, long = sorted((one, other), key=len)
    has_more = long.startswith(short) or long.endswith(short)
    return is_other_number(one, other) or (has_more and long not in (short + short[-1:], short[:1] + short))


def distance(one: str, other: str) -> int:
    """How many characters were forgotten, added, replaced, or swapped with the next."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        current = [row]
        for column, wanted in enumerate(other, start=1):
            costs = [last[column] + 1, current[-1] + 1, last[column - 1] + (letter != wanted)]
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted:
                costs.append(before[column - 2] + 1)
            current.append(min(costs))
        before, last = last, current
    return last[-1]
