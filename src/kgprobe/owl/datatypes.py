"""The datatypes of OWL 2: their names, the form of their literals, and the facets that restrict them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode

__all__ = ["BUILT_IN_DATATYPES", "FACET_OF_SIGN", "INTEGERS", "NUMBERS", "is_well_formed"]

FACET_OF_SIGN = {"<": XSD.maxExclusive, "<=": XSD.maxInclusive, ">": XSD.minExclusive, ">=": XSD.minInclusive}
"""The facet that restricts values to one side of a limit, by the sign before the limit."""

_BOUNDS = frozenset(FACET_OF_SIGN.values())
_LENGTHS = frozenset({XSD.length, XSD.minLength, XSD.maxLength})
_TEXT = _LENGTHS | {XSD.pattern}


@dataclass(frozen=True, slots=True)
class Datatype:
    """A datatype that OWL 2 knows: its facets, its lexical forms, and for whole numbers the smallest and largest."""

    facets: frozenset[NamedNode] = frozenset()
    form: re.Pattern[str] | None = None
    least: int | None = None
    most: int | None = None


def _datatype(
    facets: frozenset[NamedNode], form: str | None = None, least: int | None = None, most: int | None = None
) -> Datatype:
    return Datatype(facets, None if form is None else re.compile(form, re.ASCII), least, most)


_INTEGER = r"[+-]?[0-9]+"
_DECIMAL = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)"
_FLOAT = rf"{_DECIMAL}([Ee][+-]?[0-9]+)?|[+-]?INF|NaN"
_ZONE = r"(Z|[+-]((0[0-9]|1[0-3]):[0-5][0-9]|14:00))"
_DAY = r"-?([1-9][0-9]{3,}|0[0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_TIME = r"(([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?|24:00:00(\.0+)?)"
_BASE64 = r"(([A-Za-z0-9+/] ?){4})*(([A-Za-z0-9+/] ?){3}=|([A-Za-z0-9+/] ?){2}= ?=)?"
_NAME_START = r"[^\W\d]"

BUILT_IN_DATATYPES: dict[NamedNode, Datatype] = {
    RDFS.Literal: _datatype(frozenset()),
    RDF.PlainLiteral: _datatype(_TEXT | {RDF.langRange}),
    RDF.XMLLiteral: _datatype(_TEXT),
    RDF.langString: _datatype(_TEXT),
    OWL.real: _datatype(_BOUNDS),
    OWL.rational: _datatype(_BOUNDS, r"[+-]?[0-9]+\s*/\s*[0-9]*[1-9][0-9]*"),
    XSD.string: _datatype(_TEXT),
    XSD.normalizedString: _datatype(_TEXT, r"[^\r\n\t]*"),
    XSD.token: _datatype(_TEXT, r"(\S+( \S+)*)?"),
    XSD.language: _datatype(_TEXT, r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*"),
    XSD.Name: Datatype(_TEXT, re.compile(rf"({_NAME_START}|:)[\w\-.:·]*")),
    XSD.NCName: Datatype(_TEXT, re.compile(rf"{_NAME_START}[\w\-.·]*")),
    XSD.NMTOKEN: Datatype(_TEXT, re.compile(r"[\w\-.:·]+")),
    XSD.anyURI: _datatype(_TEXT - {XSD.length}),
    XSD.boolean: _datatype(frozenset(), "true|false|1|0"),
    XSD.hexBinary: _datatype(_LENGTHS, "([0-9a-fA-F]{2})*"),
    XSD.base64Binary: _datatype(_LENGTHS, _BASE64),
    XSD.decimal: _datatype(_BOUNDS, _DECIMAL),
    XSD.double: _datatype(_BOUNDS, _FLOAT),
    XSD.float: _datatype(_BOUNDS, _FLOAT),
    XSD.dateTime: _datatype(_BOUNDS, f"{_DAY}T{_TIME}{_ZONE}?"),
    XSD.dateTimeStamp: _datatype(_BOUNDS, f"{_DAY}T{_TIME}{_ZONE}"),
    XSD.integer: _datatype(_BOUNDS, _INTEGER),
    XSD.nonNegativeInteger: _datatype(_BOUNDS, _INTEGER, least=0),
    XSD.nonPositiveInteger: _datatype(_BOUNDS, _INTEGER, most=0),
    XSD.positiveInteger: _datatype(_BOUNDS, _INTEGER, least=1),
    XSD.negativeInteger: _datatype(_BOUNDS, _INTEGER, most=-1),
    XSD.long: _datatype(_BOUNDS, _INTEGER, -(2**63), 2**63 - 1),
    XSD.int: _datatype(_BOUNDS, _INTEGER, -(2**31), 2**31 - 1),
    XSD.short: _datatype(_BOUNDS, _INTEGER, -(2**15), 2**15 - 1),
    XSD.byte: _datatype(_BOUNDS, _INTEGER, -(2**7), 2**7 - 1),
    XSD.unsignedLong: _datatype(_BOUNDS, _INTEGER, 0, 2**64 - 1),
    XSD.unsignedInt: _datatype(_BOUNDS, _INTEGER, 0, 2**32 - 1),
    XSD.unsignedShort: _datatype(_BOUNDS, _INTEGER, 0, 2**16 - 1),
    XSD.unsignedByte: _datatype(_BOUNDS, _INTEGER, 0, 2**8 - 1),
}
INTEGERS = frozenset(
    name for name, known in BUILT_IN_DATATYPES.items() if known.form and known.form.pattern == _INTEGER
)
NUMBERS = INTEGERS | {XSD.decimal, XSD.double, XSD.float}
# No realistic number has more digits, and Python's int refuses the huge ones of hostile files.
_MOST_DIGITS = 400

# Section 2.2.1 of "OWL 2 Profiles"; OWL 2 QL has the same list.
EL_DATATYPES = frozenset(
    {
        *(RDF.PlainLiteral, RDF.XMLLiteral, RDFS.Literal, OWL.real, OWL.rational),
        *(XSD.decimal, XSD.integer, XSD.nonNegativeInteger, XSD.string, XSD.normalizedString, XSD.token),
        *(XSD.Name, XSD.NCName, XSD.NMTOKEN, XSD.hexBinary, XSD.base64Binary, XSD.anyURI),
        *(XSD.dateTime, XSD.dateTimeStamp),
    }
)
# Section 4.2.1: all but real numbers. OWLAPI leaves out two unsigned types; so do we.
RL_DATATYPES = frozenset(BUILT_IN_DATATYPES) - {
    *(OWL.real, OWL.rational, RDF.langString),
    *(XSD.unsignedInt, XSD.unsignedShort),
}


def is_well_formed(literal: Literal) -> bool:
    """Whether a literal of a built-in datatype has the form that its datatype requires."""
    datatype = BUILT_IN_DATATYPES[literal.datatype]
    if datatype.form is None:
        return True
    if datatype.form.fullmatch(literal.value) is None:
        return False
    if datatype.least is None and datatype.most is None:
        return True
    if len(literal.value) > _MOST_DIGITS:
        return (datatype.least is None) if literal.value.startswith("-") else (datatype.most is None)
    number = int(literal.value)
    return (datatype.least is None or number >= datatype.least) and (datatype.most is None or number <= datatype.most)
