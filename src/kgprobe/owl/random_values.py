"""Random literals of a datatype, or in the range of a property."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random

from kgprobe.owl.datatypes import BUILT_IN_DATATYPES, INTEGERS, Datatype, is_well_formed
from kgprobe.rdf.graph import BrokenListError, Graph, read_list
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term

__all__ = ["ANY_BOUNDS", "Bounds", "is_known", "random_literal", "random_value_for"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a value: numbers and times between two limits, texts between two lengths."""

    low: float = -math.inf
    high: float = math.inf
    low_is_open: bool = False
    high_is_open: bool = False
    shortest: int = 0
    longest: float = math.inf


ANY_BOUNDS = Bounds()

# The largest distance of random numbers from zero, or from the only limit: enough to be wrong in most systems.
_FAR = 1000
# The largest excess of a text over its minimum length. A file may request a text that fills the memory.
_LONGER = 11
_MOST_LETTERS = 10_000
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_Make = Callable[[Random, Bounds], str | None]


def is_known(datatype: NamedNode) -> bool:
    """Whether values of this datatype can be generated."""
    return datatype in _MAKERS


def random_literal(datatype: NamedNode, random: Random, bounds: Bounds = ANY_BOUNDS) -> Literal | None:
    """A random value of the datatype within the bounds; None if no such value exists, or the datatype is not known."""
    maker = _MAKERS.get(datatype)
    text = maker(random, bounds) if maker else None
    if text is None:
        return None
    if datatype == RDF.PlainLiteral or datatype == RDFS.Literal:
        return Literal(text)
    if datatype == RDF.langString:
        return Literal(text, language="en")
    if datatype == OWL.real:  # this datatype has values but no literals
        return Literal(text, datatype=XSD.decimal)
    literal = Literal(text, datatype=datatype)
    is_wrong = datatype in BUILT_IN_DATATYPES and not is_well_formed(literal)  # a name without letters, for one
    return None if is_wrong else literal


def _below(random: Random, count: int) -> int:
    return int(random.random() * count)


def _text(random: Random, bounds: Bounds) -> str | None:
    shortest, longest = max(bounds.shortest, 1), bounds.longest
    if longest < bounds.shortest or shortest > _MOST_LETTERS:
        return None
    if longest < 1:
        return ""
    length = shortest + _below(random, int(min(longest, shortest + _LONGER)) - shortest + 1)
    return "".join(_LETTERS[_below(random, 26)] for _ in range(length))


def _letter(random: Random, bounds: Bounds) -> str | None:
    """A text that is as short as it can be: OWLAPI takes longer names for errors, and so for a violation of OWL 2."""
    return _text(random, replace(bounds, longest=min(bounds.longest, max(bounds.shortest, 1))))


def _integer(datatype: Datatype) -> _Make:
    lowest = -math.inf if datatype.least is None else datatype.least
    highest = math.inf if datatype.most is None else datatype.most

    def make(random: Random, bounds: Bounds) -> str | None:
        low, high = _window(max(lowest, bounds.low), min(highest, bounds.high))
        if math.isinf(low) or math.isinf(high):
            return None
        first = math.floor(low) + 1 if bounds.low_is_open and low == bounds.low else math.ceil(low)
        last = math.ceil(high) - 1 if bounds.high_is_open and high == bounds.high else math.floor(high)
        return str(first + _below(random, last - first + 1)) if first <= last else None

    return make


def _decimal(random: Random, bounds: Bounds) -> str | None:
    number = _number(random, bounds)
    if number is None:
        return None
    text = f"{number:.3f}".rstrip("0")
    # Rounding may have left the bounds; with three more digits, it seldom does.
    if not _within(float(text), bounds):
        text = f"{number:.9f}".rstrip("0")
    if not _within(float(text), bounds):
        text = format(Decimal(number), "f")
    text = text + "0" if text.endswith(".") else text
    return text if _within(float(text), bounds) else None


def _double(random: Random, bounds: Bounds) -> str | None:
    number = _number(random, bounds)
    return None if number is None else repr(number)


def _number(random: Random, bounds: Bounds) -> float | None:
    low, high = _window(bounds.low, bounds.high)
    if low > high or math.isinf(low) or math.isinf(high):
        return None
    for _ in range(20):
        number = low + random.random() * (high - low)
        if _within(number, bounds):
            return number
    return None


def _within(number: float, bounds: Bounds) -> bool:
    above = number > bounds.low if bounds.low_is_open else number >= bounds.low
    return above and (number < bounds.high if bounds.high_is_open else number <= bounds.high)


def _window(low: float, high: float) -> tuple[float, float]:
    """The limits, with defaults for missing ones in the range of most values."""
    if low == -math.inf:
        low = -_FAR if high == math.inf else high - 2 * _FAR
    return low, low + 2 * _FAR if high == math.inf else high


def _rational(random: Random, bounds: Bounds) -> str | None:
    number = _integer(BUILT_IN_DATATYPES[XSD.integer])(random, bounds)
    return None if number is None else f"{number}/1"


def _boolean(random: Random, bounds: Bounds) -> str:  # noqa: ARG001 - has no order and no length
    return ("true", "false")[_below(random, 2)]


def _sized(make: Callable[[Random, Bounds], str | None]) -> _Make:
    """Only texts whose length is within the bounds."""

    def checked(random: Random, bounds: Bounds) -> str | None:
        text = make(random, bounds)
        return text if text is not None and bounds.shortest <= len(text) <= bounds.longest else None

    return checked


def _framed(before: str, after: str = "") -> _Make:
    """A text with a prefix and a suffix that give it the form of its datatype."""

    def make(random: Random, bounds: Bounds) -> str | None:
        frame = len(before + after)
        inside = Bounds(shortest=max(bounds.shortest - frame, 1), longest=bounds.longest - frame)
        text = _text(random, inside) if inside.longest >= 1 else None
        return None if text is None else before + text + after

    return make


def _date(random: Random) -> str:
    month = _below(random, 12)
    return f"{1970 + _below(random, 80)}-{month + 1:02}-{1 + _below(random, _DAYS[month]):02}"


def _time(random: Random) -> str:
    return f"{_below(random, 24):02}:{_below(random, 60):02}:{_below(random, 60):02}"


def _bytes(encode: Callable[[bytes], str]) -> _Make:
    def make(random: Random, bounds: Bounds) -> str | None:
        text = _text(random, bounds)
        return None if text is None else encode(text.encode())

    return make


_MAKERS: dict[NamedNode, _Make] = {
    XSD.string: _text,
    XSD.normalizedString: _text,
    XSD.token: _text,
    XSD.language: _sized(lambda random, _: ("en", "de", "no", "fr")[_below(random, 4)]),
    XSD.Name: _letter,
    XSD.NCName: _letter,
    XSD.NMTOKEN: _text,
    RDF.PlainLiteral: _text,
    RDF.langString: _text,
    RDFS.Literal: _text,
    RDF.XMLLiteral: _framed("<b>", "</b>"),
    OWL.real: _decimal,
    OWL.rational: _rational,
    XSD.decimal: _decimal,
    XSD.double: _double,
    XSD.float: _double,
    **{name: _integer(BUILT_IN_DATATYPES[name]) for name in INTEGERS},
    XSD.boolean: _boolean,
    XSD.hexBinary: _bytes(lambda data: data.hex().upper()),
    XSD.base64Binary: _bytes(lambda data: base64.b64encode(data).decode()),
    XSD.anyURI: _framed("urn:example:"),
    XSD.dateTime: lambda random, _: f"{_date(random)}T{_time(random)}",
    XSD.dateTimeStamp: lambda random, _: f"{_date(random)}T{_time(random)}Z",
    XSD.date: lambda random, _: _date(random),
    XSD.time: lambda random, _: _time(random),
    XSD.gYear: lambda random, _: str(1970 + _below(random, 80)),
    XSD.duration: lambda random, _: f"P{1 + _below(random, 400)}D",
}


# -- values for a property: within its range if it has one, else like its other values ---------------------------------

# The number of nested datatype definitions that are followed: a definition may be circular.
_DEEPEST = 8
# Larger numbers are not floats, and do not occur as limits in practice.
_HUGE = 10**300


def random_value_for(graph: Graph, of: Key, random: Random) -> Literal | None:
    """A literal in the range of this property, or of this datatype; None if it is empty."""
    term = graph.term(of)
    if isinstance(term, NamedNode) and is_known(term):
        return random_literal(term, random)
    ranges = graph.objects(of, graph.key(RDFS.range))
    if ranges:
        return _value_in(graph, ranges[_below(random, len(ranges))], random, _DEEPEST)
    if graph.count(of, graph.key(OWL.equivalentClass)):
        return _value_in(graph, of, random, _DEEPEST)
    return random_literal(_usual_datatype(graph, of, random), random) or random_literal(XSD.string, random)


def _usual_datatype(graph: Graph, of: Key, random: Random) -> NamedNode:
    """The datatype of one of the values that the property has."""
    row = graph.sample(random, None, of)
    value = graph.term(row[2]) if row else None
    return value.datatype if isinstance(value, Literal) else XSD.string


def _value_in(graph: Graph, data_range: Key, random: Random, depth: int) -> Literal | None:
    """A value in a data range: a datatype by name or definition, an enumeration, a restriction, a union."""
    term = graph.term(data_range)
    if isinstance(term, NamedNode) and is_known(term):
        return random_literal(term, random)
    if depth == 0:
        return None
    for members in _lists(graph, data_range, OWL.oneOf):
        literals = [member for member in members if isinstance(member, Literal)]
        return literals[_below(random, len(literals))] if literals else None
    for members in _lists(graph, data_range, OWL.unionOf):
        member = members[_below(random, len(members))] if members else None
        return None if member is None else _value_in(graph, graph.key(member), random, depth - 1)
    for facets in _lists(graph, data_range, OWL.withRestrictions):
        return _restricted(graph, data_range, facets, random)
    for definition in graph.objects(data_range, graph.key(OWL.equivalentClass)):
        return _value_in(graph, definition, random, depth - 1)
    return None


def _restricted(graph: Graph, data_range: Key, facets: tuple[Term, ...], random: Random) -> Literal | None:
    bounds: Bounds | None = ANY_BOUNDS
    for facet in facets:
        for _, predicate, value in graph.rows(graph.key(facet)):
            bounds = _narrowed(bounds, graph.term(predicate), graph.term(value)) if bounds else None
    for datatype in graph.objects(data_range, graph.key(OWL.onDatatype)):
        term = graph.term(datatype)
        return random_literal(term, random, bounds) if isinstance(term, NamedNode) and bounds else None
    return None


def _narrowed(bounds: Bounds, facet: Term, value: Term) -> Bounds | None:
    """The bounds with one more facet; None if the facet is not supported, as for patterns and for times."""
    limit = _number_of(value)
    if limit is None:
        return None
    if facet in (XSD.minInclusive, XSD.minExclusive):
        is_open = facet == XSD.minExclusive
        if limit > bounds.low or (limit == bounds.low and is_open):
            bounds = replace(bounds, low=limit, low_is_open=is_open)
        return bounds
    if facet in (XSD.maxInclusive, XSD.maxExclusive):
        is_open = facet == XSD.maxExclusive
        if limit < bounds.high or (limit == bounds.high and is_open):
            bounds = replace(bounds, high=limit, high_is_open=is_open)
        return bounds
    if facet not in (XSD.minLength, XSD.maxLength, XSD.length):
        return None
    if facet != XSD.maxLength:
        bounds = replace(bounds, shortest=max(bounds.shortest, int(limit)))
    if facet != XSD.minLength:
        bounds = replace(bounds, longest=min(bounds.longest, limit))
    return bounds


def _number_of(value: Term) -> float | None:
    """The number that a literal denotes. An integer keeps all its digits."""
    if not isinstance(value, Literal):
        return None
    try:
        number = int(value.value) if value.value.lstrip("+-").isdecimal() else float(value.value)
    except ValueError:
        return None
    return number if abs(number) < _HUGE else None


def _lists(graph: Graph, node: Key, predicate: NamedNode) -> list[tuple[Term, ...]]:
    """The members of the lists of this node; broken lists are skipped."""
    found = []
    for head in graph.objects(node, graph.key(predicate)):
        try:
            found.append(read_list(graph, graph.term(head)).members)
        except BrokenListError:
            continue
    return found
