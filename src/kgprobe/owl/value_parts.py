"""Sets of values within one value space: intervals on a line, finite sets and their complements, texts by length.

All three kinds of set are closed under intersection, union and complement, and know whether they are empty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

__all__ = ["ALL_POINTS", "ALL_TEXTS", "EVERYWHERE", "NOWHERE", "NO_POINTS", "NO_TEXTS", "TEXT_LAYERS", "Cut"]
__all__ += ["Intervals", "Part", "Points", "Texts", "text_layer"]

# A place between numbers: just before the number (0), or just after it (1).
Cut: TypeAlias = tuple[Fraction | float, int]
_Both: TypeAlias = Callable[[bool, bool], bool]

_LOWEST: Cut = (-math.inf, 0)
_HIGHEST: Cut = (math.inf, 1)


@dataclass(frozen=True, slots=True)
class Intervals:
    """A set of points on a line. Its membership changes at each of the cuts, which are in order; it starts outside."""

    cuts: tuple[Cut, ...] = ()

    @classmethod
    def between(
        cls,
        low: Fraction | float = -math.inf,
        high: Fraction | float = math.inf,
        *,
        low_open: bool = False,
        high_open: bool = False,
    ) -> Intervals:
        """All points from `low` to `high`."""
        start, end = (low, int(low_open)), (high, int(not high_open))
        return cls((start, end)) if start < end else cls()

    @property
    def pairs(self) -> Iterator[tuple[Cut, Cut]]:
        """The intervals, from left to right."""
        return zip(self.cuts[::2], self.cuts[1::2], strict=True)

    def __contains__(self, point: Fraction | float) -> bool:
        return sum(cut <= (point, 0) for cut in self.cuts) % 2 == 1

    def __and__(self, other: Intervals) -> Intervals:
        return self._merged(other, lambda a, b: a and b)

    def __or__(self, other: Intervals) -> Intervals:
        return self._merged(other, lambda a, b: a or b)

    def __invert__(self) -> Intervals:
        return EVERYWHERE._merged(self, lambda whole, inside: whole and not inside)

    @property
    def is_empty(self) -> bool:
        return not self.cuts

    def whole(self) -> Intervals:
        """The same set of whole numbers, with closed ends."""
        found: list[Cut] = []
        for (low, after), (high, until) in self.pairs:
            first = low if math.isinf(low) else Fraction(math.floor(low) + 1 if after else math.ceil(low))
            last = high if math.isinf(high) else Fraction(math.floor(high) if until else math.ceil(high) - 1)
            if first > last:
                continue
            if found and found[-1][0] + 1 == first:
                found.pop()
            else:
                found.append((first, 0))
            found.append((last, 1))
        return Intervals(tuple(found))

    def _merged(self, other: Intervals, keep: _Both) -> Intervals:
        found: list[Cut] = []
        mine, others = self.cuts, other.cuts
        inside, passed, others_passed = False, 0, 0  # the cuts of each that are passed: inside after an odd number
        while passed < len(mine) or others_passed < len(others):
            is_next = others_passed == len(others) or (passed < len(mine) and mine[passed] <= others[others_passed])
            cut = mine[passed] if is_next else others[others_passed]
            passed += is_next
            others_passed += others_passed < len(others) and others[others_passed] == cut
            if keep(passed % 2 == 1, others_passed % 2 == 1) != inside:
                inside = not inside
                found.append(cut)
        return Intervals(tuple(found))


NOWHERE = Intervals()
EVERYWHERE = Intervals((_LOWEST, _HIGHEST))


@dataclass(frozen=True, slots=True)
class Points:
    """A finite set, or all values except a finite set. `size` is the number of values of the space, if it is finite."""

    members: frozenset[Hashable] = frozenset()
    is_complement: bool = False
    size: int | None = None

    def __contains__(self, value: Hashable) -> bool:
        return (value in self.members) != self.is_complement

    def __and__(self, other: Points) -> Points:
        if self.is_complement and other.is_complement:
            return self._with(self.members | other.members, is_complement=True)
        finite, test = (other, self) if self.is_complement else (self, other)
        return self._with((value for value in finite.members if value in test), is_complement=False)

    def __or__(self, other: Points) -> Points:
        return ~(~self & ~other)

    def __invert__(self) -> Points:
        return self._with(self.members, is_complement=not self.is_complement)

    @property
    def is_empty(self) -> bool:
        return self.count == 0

    @property
    def count(self) -> int | None:
        """The number of values; None if it is infinite."""
        if not self.is_complement:
            return len(self.members)
        return None if self.size is None else max(0, self.size - len(self.members))

    def _with(self, members: Iterable[Hashable], *, is_complement: bool) -> Points:
        return Points(frozenset(members), is_complement, self.size)


NO_POINTS = Points()
ALL_POINTS = Points(is_complement=True)


# -- texts -------------------------------------------------------------------------------------------------------------
# The datatypes of texts form a chain: each contains the next. A layer holds the texts of one datatype that are not in
# the next. These functions make a text of a layer with a given length.

_NMTOKEN, _NAME, _NCNAME, _LANGUAGE = 3, 4, 5, 6


def _language(length: int) -> str:
    return "a" * length if length <= 8 else "a" * (length % 8 or 8) + "-aaaaaaa" * ((length - 1) // 8)


TEXT_LAYERS: tuple[tuple[str, Callable[[int, int], str | None]], ...] = (
    ("string", lambda length, n: "\t" + chr(97 + n % 26) * (length - 1) if length else None),
    ("normalizedString", lambda length, n: " " + chr(97 + n % 26) * (length - 1) if length else None),
    ("token", lambda length, n: "" if not length else "!" * (length - 1) + "!?#$%&*+"[n % 8]),
    ("NMTOKEN", lambda length, n: "1" * (length - 1) + str(n % 10) if length else None),
    ("Name", lambda length, n: ":" + chr(97 + n % 26) * (length - 1) if length else None),
    ("NCName", lambda length, n: "_" + chr(97 + n % 26) * (length - 1) if length else None),
    ("language", lambda length, n: _language(length)[:-1] + chr(97 + n % 26) if length else None),
)
_LENGTHS = Intervals.between(Fraction(0))
_ENDLESS = 2**62
# No example is longer: a file may ask for a text that fills the memory.
_LONGEST = 10_000
# How many texts a layer has of length 0 or 1, where it has few.
_FEW = {**{(layer, 0): 0 for layer in range(7)}, (2, 0): 1, (0, 1): 3, (1, 1): 1, (_NAME, 1): 1, (_LANGUAGE, 1): 52}


def text_layer(text: str, is_of: Callable[[str, str], bool]) -> int:
    """The number of the layer that a text is in. `is_of` tells whether a text has the form of an XSD datatype."""
    found = 0
    for number, (datatype, _) in enumerate(TEXT_LAYERS):
        if is_of(datatype, text):
            found = number
    return found


@dataclass(frozen=True, slots=True)
class Texts:
    """A set of texts: for each layer the lengths that belong to it, and single texts for which the opposite holds.

    A text is given as a pair: the number of its layer, and the text itself.
    """

    lengths: tuple[Intervals, ...] = (NOWHERE,) * len(TEXT_LAYERS)
    exceptions: frozenset[tuple[int, str]] = frozenset()

    def __contains__(self, text: tuple[int, str]) -> bool:
        return (Fraction(len(text[1])) in self.lengths[text[0]]) != (text in self.exceptions)

    def __and__(self, other: Texts) -> Texts:
        return self._merged(other, lambda a, b: a and b, Intervals.__and__)

    def __or__(self, other: Texts) -> Texts:
        return self._merged(other, lambda a, b: a or b, Intervals.__or__)

    def __invert__(self) -> Texts:
        return Texts(tuple((~lengths & _LENGTHS).whole() for lengths in self.lengths), self.exceptions)

    @property
    def is_empty(self) -> bool:
        return not any(text in self for text in self.exceptions) and not any(
            self._has_more(layer, first, last)
            for layer in range(len(TEXT_LAYERS))
            for first, last in self._spans(layer)
        )

    @property
    def has_ranges(self) -> bool:
        """Whether it is more than a list of single texts."""
        return any(not lengths.is_empty for lengths in self.lengths)

    def members(self) -> Iterator[str]:
        """Some of its texts: single ones first, then short ones of each layer, the most usual layers first."""
        for layer, text in sorted(self.exceptions):
            if (layer, text) in self:
                yield text
        for layer in (_LANGUAGE, _NCNAME, _NMTOKEN, 2, _NAME, 1, 0):
            for first, last in self._spans(layer):
                for length in range(first, min(last, first + 2, _LONGEST) + 1):
                    texts = dict.fromkeys(TEXT_LAYERS[layer][1](length, number) for number in range(26))
                    yield from (text for text in texts if text is not None and (layer, text) in self)

    def _spans(self, layer: int) -> Iterator[tuple[int, int]]:
        for (low, _), (high, _) in self.lengths[layer].pairs:
            yield int(low), _ENDLESS if math.isinf(high) else int(high)

    def _has_more(self, layer: int, first: int, last: int) -> bool:
        """Whether the layer has a text of such a length that is not an exception."""
        if last > 1:
            return True  # more texts than anybody lists
        known = (_FEW.get((layer, length), _ENDLESS) for length in range(first, last + 1))
        listed = sum(text[0] == layer and first <= len(text[1]) <= last for text in self.exceptions)
        return sum(known) > listed

    def _merged(self, other: Texts, keep: _Both, of_lengths: Callable[[Intervals, Intervals], Intervals]) -> Texts:
        lengths = tuple(of_lengths(a, b).whole() for a, b in zip(self.lengths, other.lengths, strict=True))
        plain = Texts(lengths)
        listed = self.exceptions | other.exceptions
        return Texts(
            lengths, frozenset(text for text in listed if keep(text in self, text in other) != (text in plain))
        )


NO_TEXTS = Texts()
ALL_TEXTS = ~NO_TEXTS

Part: TypeAlias = Intervals | Points | Texts
