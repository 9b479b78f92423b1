"""Bounds between numbers: where to draw the line between values that pass and values that fail."""

from __future__ import annotations

from decimal import Decimal

from kgprobe.rdf.terms import XSD, Literal, NamedNode

__all__ = ["bound_between", "literal_for"]

_MOST_DIGITS = 12


def bound_between(good: Decimal, bad: Decimal) -> tuple[Decimal, bool]:
    """The roundest number from `bad` to `good`, and whether a value equal to it is good.

    People choose round limits. Of equally round ones, take the one nearest to the middle, which is wrong by least.
    """
    low, high = min(good, bad), max(good, bad)
    middle = (low + high) / 2
    if low <= 0 <= high:
        return Decimal(0), bad != 0
    for digits in range(-_MOST_DIGITS, _MOST_DIGITS):
        unit = Decimal(1).scaleb(-digits)
        if unit > abs(high) and unit > abs(low):
            continue
        nearest = (middle / unit).to_integral_value() * unit
        options = [each for each in (nearest, nearest - unit, nearest + unit) if low <= each <= high]
        if options:
            best = min(options, key=lambda each: (abs(each - middle), each))
            return best, best != bad
    return good, True


def literal_for(number: Decimal, datatype: NamedNode) -> Literal:
    """The number as a literal that can be compared with those of a datatype."""
    text = format(number.normalize(), "f") if number else "0"
    if datatype in (XSD.double, XSD.float):
        return Literal(text if "." in text else f"{text}.0", datatype=datatype)
    return Literal(text, datatype=XSD.integer) if "." not in text else Literal(text, datatype=XSD.decimal)
