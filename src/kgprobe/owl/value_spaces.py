"""The value spaces of literals, and which part of which space each datatype of OWL 2 and XML Schema covers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from kgprobe.owl.datatypes import BUILT_IN_DATATYPES
from kgprobe.owl.literal_values import DATED, OPAQUE, Value, float_key, number_value
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
)
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, NamedNode

__all__ = [
    "DATES",
    "FLOATS",
    "NUMBERS",
    "SPACES",
    "ZONE_SPAN",
    "datatype_parts",
    "is_empty_part",
    "nothing_of",
    "single",
]

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
_CHAIN = {RDF.PlainLiteral: 0, **{XSD[name]: number for number, (name, _) in enumerate(TEXT_LAYERS)}}


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
    **{datatype: space for datatype, space in OPAQUE.items() if datatype.value.rpartition("#")[2] == space},
}


def single(value: Value) -> Part:
    """The part of its space that has only this value."""
    whole = SPACES[value.space]
    if isinstance(whole, Intervals):
        return Intervals.between(value.key, value.key)  # type: ignore[arg-type]  # lines have numbers as keys
    if isinstance(whole, Texts):
        return Texts(exceptions=frozenset({value.key}))  # type: ignore[arg-type]  # the key of a text is a pair
    return Points(frozenset({value.key}), size=whole.size)
