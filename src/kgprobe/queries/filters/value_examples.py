"""Values to show and to test with: the simplest ones in a part of a value space, and those at its limits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from kgprobe.owl.literal_values import Value, literal_of, number_value, value_of
from kgprobe.owl.value_parts import Intervals, Part, Points, Texts
from kgprobe.owl.value_spaces import DATES, FLOATS, NUMBERS, SPACES
from kgprobe.rdf.terms import XSD, Literal

__all__ = ["beside", "counted", "simplest"]


def counted(space: str, part: Part, most: int) -> int | None:
    """The number of values in a part of a space; None if it is not known, infinite, or larger than `most`."""
    if isinstance(part, Points):
        return part.count
    if isinstance(part, Texts):
        return None if part.has_ranges else sum(text in part for text in part.exceptions)
    if space not in ("integer", *FLOATS):
        points = [low[0] for low, high in part.pairs if low[0] == high[0]]
        is_finite = 2 * len(points) == len(part.cuts) and space in NUMBERS
        return sum(number_value(Fraction(point)).space == space for point in points) if is_finite else None
    total = sum((float(high[0] - low[0]) + 1 for low, high in part.whole().pairs), 0.0)
    if space in FLOATS and Fraction(0) in part:
        total += 1
    return int(total) if total <= most else None


def simplest(space: str, part: Part) -> Iterator[Literal]:
    """Literals for some of the values in a part of a space, the simplest first."""
    for key in _simple_keys(space, part):
        literal = literal_of(Value(space, key))
        if literal is not None:
            yield literal


_PLAIN_POINTS: dict[str, tuple[object, ...]] = {
    "boolean": (True, False),
    "langString": (("a", "en"), ("b", "en"), ("a", "de")),
    "anyURI": ("urn:a", "urn:b", "urn:c"),
    "hexBinary": ("", "00", "01"),
    "base64Binary": ("", "AA==", "AQ=="),
    "XMLLiteral": ("a", "<b>a</b>"),
    "time": ("00:00:00", "12:00:00"),
    "duration": ("P1D", "P2D"),
    "gMonth": ("--01", "--02"),
    "gDay": ("---01", "---02"),
    "gMonthDay": ("--01-01", "--01-02"),
    "float NaN": ("NaN",),
    "double NaN": ("NaN",),
}
_YEAR_2000 = Fraction(730119 * 86400)


def _simple_keys(space: str, part: Part) -> Iterator[object]:
    if isinstance(part, Texts):
        yield from ((_layer_of(text), text) for text in part.members())
    elif isinstance(part, Points):
        listed = sorted(part.members, key=repr) if not part.is_complement else _PLAIN_POINTS.get(space, ())
        yield from (value for value in listed if value in part)
    else:
        yield from (key for key in _on_line(space, part) if key in part and _is_of(space, key))


def _layer_of(text: str) -> int:
    value = value_of(Literal(text))
    return value.key[0] if isinstance(value, Value) and isinstance(value.key, tuple) else 0


def _is_of(space: str, key: Fraction) -> bool:
    return space not in NUMBERS or number_value(key).space == space


def _step(space: str) -> Fraction:
    kind = space.partition(" ")[0]
    steps = {
        "decimal": Fraction(1, 2),
        "rational": Fraction(1, 3),
        "dateTime": Fraction(3600),
        "gYear": Fraction(31622400),
    }
    return steps.get(
        kind, Fraction(31 * 86400) if kind == "gYearMonth" else Fraction(86400) if kind in DATES else Fraction(1)
    )


def _home(space: str) -> list[Fraction]:
    """Usual values of a space."""
    kind = space.partition(" ")[0]
    if kind in DATES:
        return [_YEAR_2000 + number * _step(space) for number in range(3)]
    if space in FLOATS:
        ones = [value_of(Literal(text, datatype=XSD[space])) for text in ("0", "1", "-1", "0.5")]
        return [each.key for each in ones if isinstance(each, Value) and isinstance(each.key, Fraction)]
    return [number * _step(space) for number in (0, 1, 2, -1, 3, 5)]


def _on_line(space: str, part: Intervals) -> Iterator[Fraction]:
    step = _step(space)
    yield from _home(space)
    for (low, _), (high, _) in part.pairs:
        ends = [Fraction(end) for end in (low, high) if not math.isinf(end)]
        for end in ends:
            yield from (end + number * step for number in (0, 1, -1))
        if len(ends) == 2:
            middle = (ends[0] + ends[1]) / 2
            yield from (middle, Fraction(round(middle)), (ends[0] + middle) / 2, ends[0] + (ends[1] - ends[0]) / 3)


def beside(space: str, part: Part) -> Iterator[Literal]:
    """Literals at the ends of the intervals of a part, and one step before and after them."""
    if isinstance(part, Texts):
        yield from (Literal("a" * length) for length in _lengths_beside(part))
        return
    if isinstance(part, Points):
        return
    for end, _ in (part.whole() if space in ("integer", *FLOATS) else part).cuts:
        if not math.isinf(end):
            for key in (Fraction(end) - _step(space), Fraction(end), Fraction(end) + _step(space)):
                if key in SPACES[space]:  # type: ignore[operator]  # a line
                    literal = literal_of(number_value(key) if space in NUMBERS else Value(space, key))
                    if literal is not None:
                        yield literal


def _lengths_beside(part: Texts) -> list[int]:
    ends = {int(end) for lengths in part.lengths for end, _ in lengths.cuts if not math.isinf(end)}
    return sorted({length for end in ends for length in (end - 1, end, end + 1) if 0 <= length <= 10_000})
