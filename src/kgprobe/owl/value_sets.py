"""Sets of literal values, as the data ranges of OWL 2 describe them, and examples of them to show and to test with.

A set is known between two limits: `surely` holds only values that belong to it, `possibly` holds all that may. They
are the same unless the data range has a pattern, or a datatype about which nothing is known. So every question has
three answers: yes, no, and None for unknown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from itertools import islice
from operator import and_, or_

from kgprobe.owl.expression import Argument, Expression
from kgprobe.owl.literal_values import (
    DATES,
    FLOATS,
    NUMBERS,
    SPACES,
    ZONE_SPAN,
    Doubt,
    Value,
    datatype_parts,
    is_empty_part,
    literal_of,
    nothing_of,
    number_value,
    single,
    value_of,
)
from kgprobe.owl.value_parts import TEXT_LAYERS, Intervals, Part, Points, Texts
from kgprobe.rdf.terms import XSD, Literal, NamedNode


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
        return [one.key for one in ones if isinstance(one, Value) and isinstance(one.key, Fraction)]
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


# -- sets --------------------------------------------------------------------------------------------------------------

_BITS = {space: 1 << number for number, space in enumerate(SPACES)}
_EMPTY = {space: nothing_of(space) for space in SPACES}
# The number of nested definitions of datatypes that are followed: a definition may be circular.
_DEEPEST = 30


@dataclass(frozen=True, slots=True)
class _Parts:
    """A part of each value space. Most parts are whole or empty.

    `whole` has the bits of the spaces with all of their values. `some` has the parts that are neither whole nor empty.
    """

    whole: int = 0
    some: Mapping[str, Part] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Iterable[tuple[str, Part]], whole: int = 0) -> _Parts:
        """These parts, and all values of the spaces of `whole`."""
        some: dict[str, Part] = {}
        for space, part in parts:
            if part == SPACES[space]:
                whole |= _BITS[space]
            elif part != _EMPTY[space]:
                some[space] = part
        return cls(whole, some)

    def __hash__(self) -> int:
        return hash((self.whole, frozenset(self.some.items())))

    def __iter__(self) -> Iterator[tuple[str, Part]]:
        """The parts that are not empty, in the order of the spaces."""
        return ((space, self[space]) for space in SPACES if self.whole & _BITS[space] or space in self.some)

    def __getitem__(self, space: str) -> Part:
        return SPACES[space] if self.whole & _BITS[space] else self.some.get(space, _EMPTY[space])

    def __and__(self, other: _Parts) -> _Parts:
        some: dict[str, Part] = {}
        for space, part in self.some.items():
            if other.whole & _BITS[space]:
                some[space] = part
            elif space in other.some:
                found = part & other.some[space]  # type: ignore[operator]  # two parts of one space
                if found != _EMPTY[space]:
                    some[space] = found
        some |= {space: part for space, part in other.some.items() if self.whole & _BITS[space]}
        return _Parts(self.whole & other.whole, some)

    def __or__(self, other: _Parts) -> _Parts:
        whole = self.whole | other.whole
        together = {**self.some, **other.some}
        for space in self.some.keys() & other.some.keys():
            together[space] = self.some[space] | other.some[space]  # type: ignore[operator]  # two parts of one space
        return _Parts.of(((space, part) for space, part in together.items() if not whole & _BITS[space]), whole)

    def __invert__(self) -> _Parts:
        # The space of a complement is limited: a line of floats has ends, and lengths are not negative.
        rest = ((space, ~part & SPACES[space]) for space, part in self.some.items())  # type: ignore[operator]
        return _Parts.of(rest, _ALL.whole & ~self.whole & ~sum(_BITS[space] for space in self.some))

    @property
    def spaces(self) -> frozenset[str]:
        """The names of the spaces in which it has a value."""
        whole = _spaces_of(self.whole)
        return whole.union(space for space, part in self.some.items() if not is_empty_part(space, part))


@lru_cache(maxsize=1_000)
def _spaces_of(bits: int) -> frozenset[str]:
    return frozenset(space for space, bit in _BITS.items() if bits & bit)


_ALL, _NONE = _Parts(sum(_BITS.values())), _Parts()


@dataclass(frozen=True)
class ValueSet:
    """A set of literal values. `&`, `|` and `~` combine sets."""

    surely: _Parts
    possibly: _Parts

    # -- making sets -----------------------------------------------------------------------------------------------

    @classmethod
    def of_parts(cls, parts: Mapping[str, Part]) -> ValueSet:
        """The set with these parts of the value spaces."""
        known = _Parts.of(parts.items())
        return cls(known, known)

    @classmethod
    def of_spaces(cls, *spaces: str) -> ValueSet:
        """All values of these spaces."""
        return _of_spaces(frozenset(spaces))

    @classmethod
    def of_datatype(cls, datatype: NamedNode) -> ValueSet:
        """The values of a datatype."""
        parts = datatype_parts(datatype)
        if parts is not None:
            return cls.of_parts(parts)
        if datatype in (XSD.dayTimeDuration, XSD.yearMonthDuration):
            return cls(_NONE, _Parts.of([("duration", SPACES["duration"])]))
        return cls(_NONE, _ALL)

    @classmethod
    def of_literals(cls, literals: Iterable[Literal]) -> ValueSet:
        """The values of these literals. An ill-typed literal has none."""
        return reduce(or_, map(_of_literal, literals), NOTHING)

    @classmethod
    def of_range(
        cls, data_range: Argument, definitions: Mapping[NamedNode, Argument] | None = None, *, depth: int = _DEEPEST
    ) -> ValueSet:
        """The values in a data range. `definitions` has the data ranges of datatypes that the ontology defines."""
        known = definitions or {}
        if isinstance(data_range, NamedNode):
            if data_range in known and depth and datatype_parts(data_range) is None:
                return cls.of_range(known[data_range], known, depth=depth - 1)
            return cls.of_datatype(data_range)
        if not isinstance(data_range, Expression) or not depth:
            return _UNKNOWN
        if data_range.head == "DataOneOf":
            return reduce(
                or_, (_listed(literal) for literal in data_range.args if isinstance(literal, Literal)), NOTHING
            )
        if data_range.head == "DatatypeRestriction":
            return _restricted(data_range, cls.of_range(data_range.args[0], known, depth=depth - 1))
        inside = [cls.of_range(argument, known, depth=depth - 1) for argument in data_range.args]
        if data_range.head == "DataComplementOf" and len(inside) == 1:
            return ~inside[0]
        if data_range.head in ("DataIntersectionOf", "DataUnionOf") and inside:
            return reduce(and_ if data_range.head == "DataIntersectionOf" else or_, inside)
        return _UNKNOWN

    # -- combining sets --------------------------------------------------------------------------------------------

    def __and__(self, other: ValueSet) -> ValueSet:
        if self is EVERYTHING or self is other:
            return other
        return self if other is EVERYTHING else self._combined(and_, other)

    def __or__(self, other: ValueSet) -> ValueSet:
        return self if self is other else self._combined(or_, other)

    def __invert__(self) -> ValueSet:
        surely = ~self.possibly
        return ValueSet(surely, surely if self.is_exact else ~self.surely)

    def _combined(self, operate: Callable[[_Parts, _Parts], _Parts], other: ValueSet) -> ValueSet:
        surely = operate(self.surely, other.surely)
        if self.is_exact and other.is_exact:
            for known in (self, other):  # they may know their spaces already
                if surely == known.surely:
                    return known
            return ValueSet(surely, surely)
        return ValueSet(surely, operate(self.possibly, other.possibly))

    def only(self, spaces: Iterable[str]) -> ValueSet:
        """The values that are in these spaces."""
        return self & ValueSet.of_spaces(*spaces)

    def doubted(self) -> ValueSet:
        """A subset of this set about which nothing else is known."""
        return ValueSet(_NONE, self.possibly)

    # -- asking sets -----------------------------------------------------------------------------------------------

    @property
    def is_exact(self) -> bool:
        """Whether every value is known to belong to it or not."""
        return self.surely is self.possibly

    def contains(self, literal: Literal) -> bool | None:
        """Whether the value of a literal is in the set. An ill-typed literal is in no set."""
        value = value_of(literal)
        if value is Doubt.ILL_TYPED:
            return False
        if isinstance(value, Doubt):
            return True if self.surely == _ALL else None if self.spaces else False
        return self.has(value)

    def has(self, value: Value) -> bool | None:
        """Whether a value is in the set."""
        if value.key in self.surely[value.space]:  # type: ignore[operator]  # the key fits the space
            return True
        return None if value.key in self.possibly[value.space] else False  # type: ignore[operator]

    @cached_property
    def is_empty(self) -> bool | None:
        """Whether it has no value."""
        if not self.spaces:
            return True
        return False if self.is_exact or self.surely.spaces else None

    def is_within(self, other: ValueSet) -> bool | None:
        """Whether all of its values are in another set."""
        return (self & ~other).is_empty

    @cached_property
    def spaces(self) -> frozenset[str]:
        """The names of the spaces in which it may have a value."""
        return self.possibly.spaces

    def part(self, space: str) -> Part:
        """The part of a space that it may cover."""
        return self.possibly[space]

    def size(self, most: int = 1_000) -> int | None:
        """The number of its values; None if it is not known, infinite, or larger than `most`.

        OWL tells values apart that are equal: both zeros of the floats, and a point in time in two time zones.
        """
        if not self.is_exact:
            return None
        total = 0
        for space, part in self.surely:
            count = 0 if is_empty_part(space, part) else counted(space, part, most)
            if count is None or total + count > most:
                return None
            total += count
        return total

    # -- values for tests ------------------------------------------------------------------------------------------

    def examples(self, most: int = 10) -> tuple[Literal, ...]:
        """Literals for some of its values, the simplest first, from each space in turn."""
        found = [
            list(islice(simplest(space, part), most)) for space, part in self.surely if not is_empty_part(space, part)
        ]
        turns = (literals[turn] for turn in range(most) for literals in found if turn < len(literals))
        return tuple(islice(dict.fromkeys(turns), most))

    def near(self) -> tuple[tuple[Literal, bool], ...]:
        """Literals on both sides of each limit of the set, and at the limit, and whether each is in the set."""
        found: dict[Literal, bool] = {}
        for space, part in self.possibly:
            if is_empty_part(space, part):
                continue
            for literal in beside(space, part):
                inside = self.contains(literal)
                if inside is not None:
                    found[literal] = inside
        return tuple(found.items())


@lru_cache(maxsize=1_000)
def _of_spaces(spaces: frozenset[str]) -> ValueSet:
    return ValueSet.of_parts({space: SPACES[space] for space in spaces})


def _of_literal(literal: Literal) -> ValueSet:
    value = value_of(literal)
    if value is Doubt.ILL_TYPED:
        return NOTHING
    if isinstance(value, Doubt):
        return ValueSet(_NONE, EVERYTHING.possibly)
    return ValueSet.of_parts({value.space: single(value)})


def _listed(literal: Literal) -> ValueSet:
    """The value of a literal in an enumeration.

    There, OWL tells values apart that are equal: two zeros, and one point in time in two time zones.
    """
    value, alone = value_of(literal), _of_literal(literal)
    is_one_of_many = isinstance(value, Value) and (value.space in DATES or (value.space in FLOATS and value.key == 0))
    return alone.doubted() if is_one_of_many else alone


# -- facets ------------------------------------------------------------------------------------------------------------

_BOUNDS = {
    XSD.minInclusive: (True, False),
    XSD.minExclusive: (True, True),
    XSD.maxInclusive: (False, False),
    XSD.maxExclusive: (False, True),
}
_LENGTHS = (XSD.length, XSD.minLength, XSD.maxLength)


def _restricted(restriction: Expression, base: ValueSet) -> ValueSet:
    facets = restriction.args[1:]
    found = base
    for facet, limit in zip(facets[::2], facets[1::2], strict=False):
        allowed = _facet(facet, limit)
        found = found.doubted() if allowed is None else found & allowed
    return found


def _facet(facet: Argument, limit: Argument) -> ValueSet | None:
    """The values that a facet allows; None if nothing is known about it."""
    value = value_of(limit) if isinstance(limit, Literal) else Doubt.UNKNOWN
    if isinstance(value, Doubt) or not isinstance(facet, NamedNode):
        return None
    if facet in _BOUNDS and isinstance(value.key, Fraction):
        is_low, is_open = _BOUNDS[facet]
        return _bounded(value.space, value.key, is_low=is_low, is_open=is_open)
    if facet in _LENGTHS and value.space == "integer" and isinstance(value.key, Fraction):
        low = Fraction(0) if facet == XSD.maxLength else value.key
        high = math.inf if facet == XSD.minLength else value.key
        lengths = Intervals.between(low, high)
        texts = ValueSet.of_parts({"string": Texts((lengths,) * len(TEXT_LAYERS))})
        return texts | ValueSet.of_spaces("anyURI", "langString", "hexBinary", "base64Binary", "XMLLiteral").doubted()
    return None


def _bounded(space: str, key: Fraction, *, is_low: bool, is_open: bool) -> ValueSet | None:
    def side(limit: Fraction, *, is_open: bool) -> Intervals:
        if is_low:
            return Intervals.between(low=limit, low_open=is_open)
        return Intervals.between(high=limit, high_open=is_open)

    if space in NUMBERS:
        return ValueSet.of_parts(dict.fromkeys(NUMBERS, side(key, is_open=is_open)))
    if space in FLOATS:
        return ValueSet.of_parts({space: side(key, is_open=is_open)}) & ValueSet.of_spaces(space)
    kind = space.partition(" ")[0]
    if kind not in DATES:
        return None
    # Dates with and without a time zone are ordered only if no time zone would change the order.
    other = kind if kind != space else f"{kind} without zone"
    apart = key + (ZONE_SPAN if is_low else -ZONE_SPAN)
    found = ValueSet.of_parts({space: side(key, is_open=is_open), other: side(apart, is_open=True)})
    return found if kind == "dateTime" else found.doubted()


EVERYTHING = ValueSet(_ALL, _ALL)
NOTHING = ValueSet(_NONE, _NONE)
_UNKNOWN = ValueSet(_NONE, _ALL)
