"""The values that literals denote, in the value spaces of OWL 2 and XML Schema, and literals for given values.

A value is a pair: the name of its space, and a key within it. The numbers of owl:real are four spaces, so that each
datatype is a union of spaces: whole numbers, other decimals, other rationals, and irrational numbers. Floats and
doubles are spaces apart; their keys number them in ascending order. A date with a time zone is in another space than
one without. The key of a date is the number of seconds since the year 1.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache

from kgprobe.owl.datatypes import BUILT_IN_DATATYPES, is_well_formed
from kgprobe.owl.value_parts import (
    ALL_POINTS,
    ALL_TEXTS,
    EVERYWHERE,
    NO_TEXTS,
    NOWHERE,
    TEXT_LAYERS,
    Intervals,
    Part,
    Points,
    Texts,
    text_layer,
)
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode

__all__ = [
    "DATES",
    "FLOATS",
    "NUMBERS",
    "OPAQUE",
    "SPACES",
    "ZONE_SPAN",
    "Doubt",
    "Value",
    "datatype_parts",
    "float_key",
    "float_of",
    "is_empty_part",
    "literal_of",
    "nothing_of",
    "single",
    "value_of",
]


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a literal: its space, and its key there."""

    space: str
    key: Hashable


class Doubt(Enum):
    """Why a literal has no value here."""

    ILL_TYPED = "its text does not have the form that its datatype requires"
    UNKNOWN = "nothing is known about its datatype"


NO_VALUE = (Doubt.ILL_TYPED, Doubt.UNKNOWN)

# Datatypes that OWL 2 does not have, but that SPARQL engines know. Each has a value space; nothing is known inside it.
OPAQUE: dict[NamedNode, str] = {
    XSD.time: "time",
    XSD.duration: "duration",
    XSD.dayTimeDuration: "duration",
    XSD.yearMonthDuration: "duration",
    XSD.gMonth: "gMonth",
    XSD.gDay: "gDay",
    XSD.gMonthDay: "gMonthDay",
    XSD.hexBinary: "hexBinary",
    XSD.base64Binary: "base64Binary",
    RDF.XMLLiteral: "XMLLiteral",
}
# Datatypes with a place on a line of time.
DATED: dict[NamedNode, str] = {
    XSD.dateTime: "dateTime",
    XSD.dateTimeStamp: "dateTime",
    XSD.date: "date",
    XSD.gYearMonth: "gYearMonth",
    XSD.gYear: "gYear",
}
_DATE = re.compile(
    r"(?P<year>-?(?:[1-9][0-9]{3,}|0[0-9]{3}))(?:-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12][0-9]|3[01])"
    r"(?:T(?P<hour>[01][0-9]|2[0-4]):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9](?:\.[0-9]+)?))?)?)?"
    r"(?P<zone>Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?",
    re.ASCII,
)
_PARTS = {"dateTime": 6, "date": 3, "gYearMonth": 2, "gYear": 1}
_WHOLE_NUMBERS = frozenset(
    datatype for datatype, known in BUILT_IN_DATATYPES.items() if known.form is BUILT_IN_DATATYPES[XSD.integer].form
)
_TEXTS = {XSD[datatype] for datatype, _ in TEXT_LAYERS}
_FLOATS = {XSD.float: "float", XSD.double: "double"}
_FORMATS = {"float": ("<f", "<i", 0x7FFFFFFF), "double": ("<d", "<q", 0x7FFFFFFFFFFFFFFF)}
# No realistic number has more digits, and Python refuses or takes long for the huge ones of hostile files.
_LONGEST = 1000
_LARGEST_YEAR = 9


@lru_cache(maxsize=10_000)
def value_of(literal: Literal) -> Value | Doubt:
    """The value that a literal denotes, if its datatype is known and its text has the right form."""
    datatype, text = literal.datatype, literal.value
    if literal.language:
        return Value("langString", (text, literal.language.lower()))
    if datatype in BUILT_IN_DATATYPES and not is_well_formed(literal):
        # Some engines accept white space around a number, others do not.
        trimmed = text.strip(" \t\r\n")
        return (
            Doubt.UNKNOWN
            if trimmed != text and is_well_formed(Literal(trimmed, datatype=datatype))
            else Doubt.ILL_TYPED
        )
    if datatype in _TEXTS:
        return Value("string", (text_layer(text, _has_form), text))
    if datatype == XSD.boolean:
        return Value("boolean", text in ("true", "1"))
    if datatype in _FLOATS:
        return _float_value(_FLOATS[datatype], text)
    if datatype in _WHOLE_NUMBERS or datatype in (XSD.decimal, OWL.rational):
        return Doubt.UNKNOWN if len(text) > _LONGEST else number_value(Fraction(text.replace(" ", "")))
    if datatype in DATED:
        return _date_value(DATED[datatype], text)
    if datatype == XSD.anyURI:
        return Value("anyURI", text)
    if datatype in OPAQUE:
        return Value(OPAQUE[datatype], _opaque_key(datatype, text))
    return Doubt.UNKNOWN


def _opaque_key(datatype: NamedNode, text: str) -> Hashable:
    if datatype == XSD.hexBinary:
        return text.lower()
    return text.replace(" ", "") if datatype == XSD.base64Binary else text


def _has_form(datatype: str, text: str) -> bool:
    form = BUILT_IN_DATATYPES[XSD[datatype]].form
    return form is None or form.fullmatch(text) is not None


# -- numbers -----------------------------------------------------------------------------------------------------------


def number_value(number: Fraction) -> Value:
    """A number as a value of owl:real."""
    if number.denominator == 1:
        return Value("integer", number)
    return Value("decimal" if _is_decimal(number) else "rational", number)


def _is_decimal(number: Fraction) -> bool:
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def _float_value(space: str, text: str) -> Value:
    number = float(text.replace("INF", "inf").replace("NaN", "nan"))
    if math.isnan(number):
        return Value(f"{space} NaN", "NaN")
    return Value(space, Fraction(float_key(space, number)))


def float_key(space: str, number: float) -> int:
    """The number of a float or double, counted from zero. Both zeros have the number 0."""
    as_float, as_int, positive = _FORMATS[space]
    try:
        packed = struct.pack(as_float, number)
    except OverflowError:  # too large for a float: it becomes infinite
        packed = struct.pack(as_float, math.copysign(math.inf, number))
    (bits,) = struct.unpack(as_int, packed)
    return int(bits) if bits >= 0 else -(int(bits) & positive)


def float_of(space: str, key: int) -> float:
    """The float or double with this number."""
    as_float, as_int, _ = _FORMATS[space]
    (number,) = struct.unpack(as_float, struct.pack(as_int, abs(key)))
    return math.copysign(number, key) if key else 0.0


def _decimal_text(number: Fraction) -> str:
    digits = 0
    while (number * 10**digits).denominator != 1:
        digits += 1
    text = str(abs(int(number * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if number < 0 else ""
    return f"{sign}{text[: len(text) - digits]}.{text[len(text) - digits :] or '0'}"


# -- dates -------------------------------------------------------------------------------------------------------------


def _date_value(space: str, text: str) -> Value | Doubt:
    match = _DATE.fullmatch(text)
    parts = match.groups() if match else ()
    if match is None or sum(part is not None for part in parts[:6]) != _PARTS[space]:
        return Doubt.ILL_TYPED
    if len(match["year"]) > _LARGEST_YEAR:
        return Doubt.UNKNOWN
    year, month, day, hour, minute = (int(part or least) for part, least in zip(parts, (1, 1, 1, 0, 0), strict=False))
    second = Fraction(match["second"] or 0)
    if day > _month_length(year, month) or (hour == 24 and (minute or second)):
        return Doubt.ILL_TYPED
    local = Fraction(((_days_before(year, month) + day - 1) * 24 + hour) * 3600 + minute * 60) + second
    zone = match["zone"]
    return Value(f"{space} without zone", local) if zone is None else Value(space, local - _offset(zone))


def _offset(zone: str) -> int:
    if zone == "Z":
        return 0
    seconds = int(zone[1:3]) * 3600 + int(zone[4:6]) * 60
    return -seconds if zone[0] == "-" else seconds


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _month_length(year: int, month: int) -> int:
    return 29 if month == 2 and _is_leap(year) else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def _days_before(year: int, month: int) -> int:
    """The days from the start of the year 1 to the start of a month, in the Gregorian calendar."""
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400 + sum(_month_length(year, m) for m in range(1, month))


def _date_text(seconds: Fraction, space: str) -> str:
    days, rest = divmod(seconds, 86400)
    year = int(days // Fraction(3652425, 10000)) + 1
    while _days_before(year, 1) > days:
        year -= 1
    while _days_before(year + 1, 1) <= days:
        year += 1
    month = max(m for m in range(1, 13) if _days_before(year, m) <= days)
    day = int(days) - _days_before(year, month) + 1
    written = f"{'-' if year < 0 else ''}{abs(year):04}"
    parts = _PARTS[space]
    if parts > 1:
        written += f"-{month:02}"
    if parts > 2:
        written += f"-{day:02}"
    if parts > 3:
        hour, rest = divmod(rest, 3600)
        minute, second = divmod(rest, 60)
        fraction = "" if second.denominator == 1 else _decimal_text(second % 1)[1:]
        written += f"T{int(hour):02}:{int(minute):02}:{int(second):02}{fraction}"
    return written


# -- literals for values -----------------------------------------------------------------------------------------------


def literal_of(value: Value) -> Literal | None:
    """A literal that denotes the value, written in the usual way; None for an irrational number."""
    space, key = value.space, value.key
    if isinstance(key, Fraction):
        return _number_literal(space, key)
    if space == "string" and isinstance(key, tuple):
        return Literal(key[1])
    if space == "langString" and isinstance(key, tuple):
        return Literal(key[0], language=key[1])
    if space == "boolean":
        return Literal("true" if key else "false", datatype=XSD.boolean)
    if space.endswith(" NaN"):
        return Literal("NaN", datatype=XSD[space.removesuffix(" NaN")])
    datatype = RDF.XMLLiteral if space == "XMLLiteral" else XSD[space]
    return Literal(str(key), datatype=datatype)


def _number_literal(space: str, key: Fraction) -> Literal | None:
    if space == "integer":
        return Literal(str(key.numerator), datatype=XSD.integer)
    if space == "decimal":
        return Literal(_decimal_text(key), datatype=XSD.decimal)
    if space == "rational":
        return Literal(f"{key.numerator}/{key.denominator}", datatype=OWL.rational)
    if space in ("float", "double"):
        number = float_of(space, int(key))
        text = str(number).replace("inf", "INF")
        return Literal(text, datatype=XSD[space])
    kind, _, unzoned = space.partition(" ")
    if kind not in _PARTS:
        return None
    return Literal(_date_text(key, kind) + ("" if unzoned else "Z"), datatype=XSD[kind])


# -- value spaces: which part of which space each datatype covers ------------------------------------------------------

NUMBERS = ("integer", "decimal", "rational", "irrational")
FLOATS = ("float", "double")
DATES = ("dateTime", "date", "gYearMonth", "gYear")
# A date without a time zone may be up to 14 hours earlier or later than the same date in UTC.
ZONE_SPAN = 14 * 3600

_FLOAT_LINES = {
    space: Intervals.between(Fraction(-float_key(space, math.inf)), Fraction(float_key(space, math.inf)))
    for space in FLOATS
}
# Each space with all of its values. "other" has the values of all datatypes that are not known.
SPACES: dict[str, Part] = {
    "string": ALL_TEXTS,
    **dict.fromkeys(NUMBERS, EVERYWHERE),
    **_FLOAT_LINES,
    "boolean": Points(is_complement=True, size=2),
    **dict.fromkeys((zoned for kind in DATES for zoned in (kind, f"{kind} without zone")), EVERYWHERE),
    "langString": ALL_POINTS,
    "anyURI": ALL_POINTS,
    **dict.fromkeys(OPAQUE.values(), ALL_POINTS),
    **{f"{space} NaN": Points(is_complement=True, size=1) for space in FLOATS},
    "other": ALL_POINTS,
}
_CHAIN = {RDF.PlainLiteral: 0, **{XSD[layer[0]]: number for number, layer in enumerate(TEXT_LAYERS)}}


def nothing_of(space: str) -> Part:
    """The empty part of a space."""
    whole = SPACES[space]
    if isinstance(whole, Intervals):
        return NOWHERE
    return NO_TEXTS if isinstance(whole, Texts) else Points(size=whole.size)


def is_empty_part(space: str, part: Part) -> bool:
    """Whether a part of a space has no value."""
    if not isinstance(part, Intervals):
        return part.is_empty
    if space == "integer" or space in FLOATS:
        return part.whole().is_empty
    if space in ("decimal", "rational", "irrational"):
        return not any(
            low[0] < high[0] or (not math.isinf(low[0]) and number_value(Fraction(low[0])).space == space)
            for low, high in part.pairs
        )
    return part.is_empty


def datatype_parts(datatype: NamedNode) -> Mapping[str, Part] | None:
    """The parts of the spaces that a datatype covers; None if the datatype is not known."""
    if datatype == RDFS.Literal:
        return SPACES
    if datatype in _CHAIN:
        lengths = ALL_TEXTS.lengths[0]
        texts = Texts(tuple(lengths if layer >= _CHAIN[datatype] else NOWHERE for layer in range(len(TEXT_LAYERS))))
        return {"string": texts, **({"langString": ALL_POINTS} if datatype == RDF.PlainLiteral else {})}
    known = BUILT_IN_DATATYPES.get(datatype)
    if known is not None and known.form is BUILT_IN_DATATYPES[XSD.integer].form:
        low, high = known.least, known.most
        return {
            "integer": Intervals.between(
                -math.inf if low is None else Fraction(low), math.inf if high is None else Fraction(high)
            )
        }
    return _simple_parts(datatype)


def _simple_parts(datatype: NamedNode) -> Mapping[str, Part] | None:
    if datatype in _REALS:
        return dict.fromkeys(NUMBERS[: _REALS[datatype]], EVERYWHERE)
    if datatype in DATED:
        kind = DATED[datatype]
        zoned: dict[str, Part] = {kind: EVERYWHERE}
        return zoned if datatype == XSD.dateTimeStamp else {**zoned, f"{kind} without zone": EVERYWHERE}
    space = _SIMPLE.get(datatype)
    if space is None:
        return None
    nan = {f"{space} NaN": SPACES[f"{space} NaN"]} if space in FLOATS else {}
    return {space: SPACES[space], **nan}


_REALS = {XSD.decimal: 2, OWL.rational: 3, OWL.real: 4}
_SIMPLE: dict[NamedNode, str] = {
    XSD.float: "float",
    XSD.double: "double",
    XSD.boolean: "boolean",
    XSD.anyURI: "anyURI",
    RDF.langString: "langString",
    **{opaque: space for opaque, space in OPAQUE.items() if opaque.value.rpartition("#")[2] == space},
}


def single(value: Value) -> Part:
    """The part of its space that has only this value."""
    whole = SPACES[value.space]
    if isinstance(whole, Intervals):
        return Intervals.between(value.key, value.key)  # type: ignore[arg-type]  # lines have numbers as keys
    if isinstance(whole, Texts):
        return Texts(exceptions=frozenset({value.key}))  # type: ignore[arg-type]  # the key of a text is a pair
    return Points(frozenset({value.key}), size=whole.size)
