"""The terms for which a comparison with a constant may be true.

Before an engine compares an exact number with a float, it rounds it. Rounding keeps the order of two numbers, but can
make them equal.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache, reduce

from kgprobe.owl.literal_values import Doubt, Value, float_key, float_of, value_of
from kgprobe.owl.value_parts import ALL_POINTS, NOWHERE, Cut, Intervals, Part, Points
from kgprobe.owl.value_spaces import FLOATS, NUMBERS, SPACES, ZONE_SPAN, single
from kgprobe.queries.filters.term_sets import (
    ANYTHING,
    FAMILIES,
    LITERALS,
    NAN,
    NO_TERM,
    TermSet,
    family_of,
    order_family,
)
from kgprobe.queries.filters.values import EVERYTHING, ValueSet
from kgprobe.rdf.terms import Literal, NamedNode

__all__ = ["float_number", "nearly", "number_hull", "satisfying", "tolerance"]


def tolerance(number: Fraction) -> Fraction | None:
    """How far apart two numbers may be that are equal once they are rounded to floats; None for huge numbers."""
    return None if abs(number) > _LARGEST_FLOAT else abs(number) / 2**22 + Fraction(1, 2**140)


_LARGEST_FLOAT = 3 * 10**38


def float_number(value: Value) -> Fraction | float | None:
    """The number that a value is; None if it is not a number."""
    if not isinstance(value.key, Fraction):
        return None
    if value.space in NUMBERS:
        return value.key
    if value.space not in FLOATS:
        return None
    number = float_of(value.space, int(value.key))
    return number if math.isinf(number) else Fraction(number)


@lru_cache(maxsize=10_000)
def satisfying(operator: str, constant: Literal | NamedNode) -> TermSet:
    """The terms x for which `x operator constant` may be true."""
    if isinstance(constant, NamedNode):
        return _satisfying_iri(operator, constant)
    value = value_of(constant)
    if isinstance(value, Doubt):
        return ANYTHING if operator in ("=", "!=") else LITERALS
    number = float_number(value)
    if number is not None:
        return _numbers(operator, value, number)
    if isinstance(value.key, Fraction):
        return _dates(operator, value.space, value.key)
    if value.space.endswith("NaN"):
        return ANYTHING if operator == "!=" else _NAN_IF_EQUAL[operator]
    if operator == "!=":
        return ANYTHING.without_literals(_alone(value))
    return _equal(value) if operator == "=" else _comparable(value.space)


# Some engines find NaN <= NaN true.
_NAN_IF_EQUAL = {
    **dict.fromkeys(("<", "=", ">"), NO_TERM),
    **dict.fromkeys(("<=", ">="), TermSet.of_values(NAN)),
}


def _equal(value: Value) -> TermSet:
    if value.space == "string":
        (_, text) = value.key if isinstance(value.key, tuple) else (0, "")
        return TermSet.of_values(_alone(value) | _alone(Value("anyURI", text)))
    return TermSet.of_values(_alone(value)) if value.space in ("langString", "boolean") else _comparable(value.space)


def _comparable(space: str) -> TermSet:
    family = family_of(space)
    return reduce(TermSet.__or__, (FAMILIES[each] for each in FAMILIES if order_family(each) == order_family(family)))


def _satisfying_iri(operator: str, constant: NamedNode) -> TermSet:
    if operator == "=":
        return TermSet.of_term(constant)
    if operator == "!=":
        return TermSet(ALL_POINTS & ~Points(frozenset({constant})), True, EVERYTHING)
    # Some engines find `<=` true if both operands are the same node.
    return TermSet.of_term(constant) if operator in ("<=", ">=") else NO_TERM


def _alone(value: Value) -> ValueSet:
    return ValueSet.of_parts({value.space: single(value)})


def _side(operator: str, limit: Fraction | float, slack: Fraction | int = 0) -> Intervals:
    """The numbers x with `x operator limit`, or nearly so."""
    if operator in ("<", "<="):
        return Intervals.between(high=limit + slack, high_open=operator == "<")
    if operator in (">", ">="):
        return Intervals.between(low=limit - slack, low_open=operator == ">")
    near = Intervals.between(limit - slack, limit + slack)
    return ~near if operator == "!=" else near


def _numbers(operator: str, value: Value, number: Fraction | float) -> TermSet:
    """The numbers that compare so with a number. Unless both are exact, or both are floats, they are rounded first."""
    is_exact = value.space in NUMBERS
    parts: dict[str, Part] = {}
    for space in NUMBERS:
        parts[space] = _side(operator, number) if is_exact else _rounded_side(operator, number)
    for space in FLOATS:
        whole = SPACES[space]
        side = _rounded_side(operator, number) if is_exact else _side(operator, number)
        parts[space] = _float_keys(space, side) & whole  # type: ignore[operator]  # both are lines
    found = TermSet.of_values(ValueSet.of_parts(parts))
    if operator == "!=":
        return found | ANYTHING.without_literals(ValueSet.of_spaces(*NUMBERS, *FLOATS))
    return found


def number_hull(terms: TermSet) -> tuple[Cut, Cut]:
    """The first and the last place of the numbers among the terms."""
    lows: list[Cut] = []
    highs: list[Cut] = []
    for space in terms.literals.spaces & {*NUMBERS, *FLOATS}:
        part = terms.literals.part(space)
        line = part.whole() if isinstance(part, Intervals) and space in ("integer", *FLOATS) else part
        if isinstance(line, Intervals) and line.cuts:
            lows.append(_number_cut(space, line.cuts[0]))
            highs.append(_number_cut(space, line.cuts[-1]))
    return min(lows, default=(-math.inf, 0)), max(highs, default=(math.inf, 1))


def _number_cut(space: str, cut: Cut) -> Cut:
    if space not in FLOATS:
        return cut
    number = float_of(space, int(cut[0]))
    return (number if math.isinf(number) else Fraction(number), cut[1])


@lru_cache(maxsize=10_000)
def nearly(operator: str, limit: Fraction) -> TermSet | None:
    """The numbers for which a comparison with this number is true or nearly so; None for huge numbers."""
    slack = tolerance(limit)
    if slack is None:
        return None
    side = _side(operator, limit, slack)
    parts: dict[str, Part] = dict.fromkeys(NUMBERS, side)
    for space in FLOATS:
        parts[space] = _float_keys(space, side) & SPACES[space]  # type: ignore[operator]  # both are lines
    return TermSet.of_values(ValueSet.of_parts(parts))


def _rounded_side(operator: str, number: Fraction | float) -> Intervals:
    if isinstance(number, float):
        return _side(operator, number) if operator in ("<", ">") else Intervals.between()
    if operator in ("<", ">"):  # rounding never turns the order of two numbers round
        return _side(operator, number)
    slack = tolerance(number)
    if slack is None:
        return Intervals.between()
    # Numbers that round to different floats are different; the number itself is equal to its float.
    return _side(operator, number, 0 if operator == "!=" else slack)


def _float_keys(space: str, side: Intervals) -> Intervals:
    """The keys of the floats that are in an interval of numbers."""
    cuts = [_key_cut(space, limit, after) for limit, after in side.cuts]
    pairs = zip(cuts[::2], cuts[1::2], strict=True)
    return reduce(Intervals.__or__, (Intervals(pair) for pair in pairs if pair[0] < pair[1]), NOWHERE)


def _key_cut(space: str, limit: Fraction | float, after: int) -> Cut:
    if math.isinf(limit):
        return Fraction(float_key(space, float(limit))), after
    try:
        near = float(limit)
    except OverflowError:
        near = math.inf if limit > 0 else -math.inf
    key = float_key(space, near)
    found = float_of(space, key)
    if math.isinf(found):
        return Fraction(key), int(found < 0)
    exact = Fraction(found)
    if exact == limit:
        return Fraction(key), after
    return Fraction(key), int(exact < limit)


def _dates(operator: str, space: str, key: Fraction) -> TermSet:
    """The dates that compare so with a date. A date without a time zone may be 14 hours off one that has a zone."""
    kind = space.partition(" ")[0]
    other = kind if kind != space else f"{kind} without zone"
    parts: dict[str, Part] = {space: _side(operator, key)}
    if operator == "!=":
        return ANYTHING.without_literals(~ValueSet.of_parts(parts) & ValueSet.of_spaces(space))
    parts[other] = _side(operator, key, ZONE_SPAN)
    others = FAMILIES["date"].literals & ~ValueSet.of_spaces(space, other)
    return TermSet.of_values(ValueSet.of_parts(parts) | others)
