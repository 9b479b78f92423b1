"""Names that match a pattern of SQL's LIKE, found without trying the pattern on each name."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from kgprobe.graph.terms import NamedNode

__all__ = ["NameList", "compiled"]

_END = "\n"


class NameList:
    """Names in one long text. A constant part of a pattern is searched there, and the names around it are tried."""

    def __init__(self, named: Sequence[tuple[str, tuple[NamedNode, ...]]]) -> None:
        self._named = named
        folded = [name.casefold().replace(_END, " ") for name, _ in named]
        self._text = _END + "".join(name + _END for name in folded)
        self._starts = list(accumulate((len(name) + 1 for name in folded), initial=1))
        self._known: dict[tuple[str, str | None], tuple[NamedNode, ...] | None] = {}

    def matching(self, pattern: str, escape: str | None, most: int) -> tuple[NamedNode, ...] | None:
        """The nodes whose names match, in order; None if a pattern has no constant part, or more than `most` match."""
        key = (pattern, escape)
        if key not in self._known:
            self._known[key] = self._search(pattern, escape, most)
        return self._known[key]

    def _search(self, pattern: str, escape: str | None, most: int) -> tuple[NamedNode, ...] | None:
        segments = _segments(pattern, escape)
        constants = [part for segment in segments for part in segment if part is not None]
        if not constants:
            return None
        constant = max(constants, key=len)
        whole = compiled(pattern, escape)
        wanted = constant.casefold().replace(_END, " ")
        if segments[0] and segments[0][0] == constant:  # then it is where a name starts
            wanted = _END + wanted
        found: dict[NamedNode, None] = {}
        for number in self._with(wanted):
            name, nodes = self._named[number]
            if whole.fullmatch(name):
                found.update(dict.fromkeys(nodes))
                if len(found) > most:
                    return None
        return tuple(found)

    def _with(self, wanted: str) -> Iterator[int]:
        """The numbers of the names that have this part."""
        place = self._text.find(wanted)
        while place >= 0:
            # A part that starts with the end of a line belongs to the line that follows.
            number = bisect_right(self._starts, place + 1 if wanted[0] == _END else place) - 1
            yield number
            place = self._text.find(wanted, self._starts[number + 1] - 1)


def compiled(pattern: str, escape: str | None = None) -> re.Pattern[str]:
    """The regular expression for a pattern of LIKE, without regard to case, as in SQLite and MySQL.

    What stands between two `%` is taken where it is first found, and never looked for again: no pattern is slow.
    """
    first, *others = (
        "".join("." if part is None else re.escape(part) for part in segment) for segment in _segments(pattern, escape)
    )
    middle = "".join(f"(?>.*?{each})" for each in others[:-1] if each)
    last = f".*{others[-1]}" if others else ""
    return re.compile(first + middle + last, re.IGNORECASE | re.DOTALL)


def _segments(pattern: str, escape: str | None) -> list[list[str | None]]:
    """What stands between the `%` of a pattern: constant texts, and None for each `_`."""
    segments: list[list[str | None]] = [[]]
    constant = ""

    def finish() -> None:
        nonlocal constant
        if constant:
            segments[-1].append(constant)
        constant = ""

    characters = iter(pattern)
    for character in characters:
        if character == escape:
            constant += next(characters, "")
        elif character == "%":
            finish()
            segments.append([])
        elif character == "_":
            finish()
            segments[-1].append(None)
        else:
            constant += character
    finish()
    return segments
