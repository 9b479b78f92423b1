"""A set of literal values as a data range of OWL 2, for a reasoner, and in words, for people."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from kgprobe.owl.expression import Argument, Expression
from kgprobe.owl.literal_values import Value, literal_of, number_value
from kgprobe.owl.value_parts import TEXT_LAYERS, Cut, Intervals, Part, Points, Texts
from kgprobe.owl.value_spaces import DATES, FLOATS, NUMBERS, SPACES
from kgprobe.queries.filters.values import EVERYTHING, ValueSet
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode

__all__ = ["data_range", "in_words"]

_REALS = (XSD.integer, XSD.decimal, OWL.rational, OWL.real)
_CHAIN = tuple(XSD[datatype] for datatype, _ in TEXT_LAYERS)


class _NotExpressibleError(Exception):
    """OWL 2 has no data range for this set."""


def data_range(values: ValueSet) -> Argument | None:
    """A data range with exactly these values; None if OWL 2 has none, or if the values are not known exactly."""
    if not values.is_exact:
        return None
    if values.is_empty:
        return _not(RDFS.Literal)
    if (~values).is_empty:
        return RDFS.Literal
    is_most = "other" in values.spaces
    try:
        found = _union(_pieces(~values if is_most else values))
    except _NotExpressibleError:
        return None
    return _not(found) if is_most else found


def _not(argument: Argument) -> Expression:
    return Expression("DataComplementOf", argument)


def _and(*arguments: Argument) -> Argument:
    return arguments[0] if len(arguments) == 1 else Expression("DataIntersectionOf", *arguments)


def _union(pieces: Iterable[Argument]) -> Argument:
    found = tuple(dict.fromkeys(pieces))
    return found[0] if len(found) == 1 else Expression("DataUnionOf", *found)


def _pieces(values: ValueSet) -> Iterator[Argument]:
    yield from _chained([values.part(space) for space in NUMBERS], _REALS, _number_piece)
    for space in FLOATS:
        yield from _float_pieces(values, space)
    texts = values.part("string")
    if isinstance(texts, Texts):
        yield from _text_pieces(texts)
    yield from _date_time_pieces(values)
    for space in SPACES:
        part = values.part(space)
        kind = space.partition(" ")[0]
        if space in values.spaces and isinstance(part, Points) and not space.endswith(" NaN"):
            yield _point_piece(space, part)
        elif space in values.spaces and kind in DATES[1:]:  # XML Schema restricts them, but OWL 2 does not
            if not values.part(kind) == values.part(f"{kind} without zone") == SPACES[kind]:
                raise _NotExpressibleError
            yield XSD[kind]


# -- chains of datatypes: each is within the next ----------------------------------------------------------------------


def _chained(
    parts: Sequence[Part], datatypes: Sequence[NamedNode], piece: Callable[[NamedNode, Part], Iterable[Argument]]
) -> Iterator[Argument]:
    """Pieces for the layers of a chain. The first layers that have the same part need only one datatype."""
    same = 1
    while same < len(parts) and parts[same] == parts[0]:
        same += 1
    if not _is_nothing(parts[0]):
        yield from piece(datatypes[same - 1], parts[0])
    for layer in range(same, len(parts)):
        if not _is_nothing(parts[layer]):
            yield from (_and(each, _not(datatypes[layer - 1])) for each in piece(datatypes[layer], parts[layer]))


def _is_nothing(part: Part) -> bool:
    return isinstance(part, Intervals) and part.is_empty


def _literal_in(space: str, key: Fraction) -> Literal | None:
    return literal_of(Value(space, key))


def _number_literal(key: Fraction) -> Literal | None:
    return literal_of(number_value(key))


def _number_piece(datatype: NamedNode, part: Part) -> Iterator[Argument]:
    return _restrictions(datatype, part, _number_literal)


_LOW_FACETS, _HIGH_FACETS = ("minInclusive", "minExclusive"), ("maxExclusive", "maxInclusive")


def _restrictions(datatype: NamedNode, part: Part, literal: Callable[[Fraction], Literal | None]) -> Iterator[Argument]:
    if not isinstance(part, Intervals):
        return
    for low, high in part.pairs:
        facets: list[Argument] = []
        for (limit, after), names in (
            (low, ("minInclusive", "minExclusive")),
            (high, ("maxExclusive", "maxInclusive")),
        ):
            text = None if math.isinf(limit) else literal(Fraction(limit))
            if text is not None:
                facets += [XSD[names[after]], text]
        yield Expression("DatatypeRestriction", datatype, *facets) if facets else datatype


def _text_pieces(texts: Texts) -> Iterator[Argument]:
    listed = [Literal(text) for _, text in sorted(texts.exceptions)]
    kept = [text for text, key in zip(listed, sorted(texts.exceptions), strict=True) if key in texts]
    removed = [text for text in listed if text not in kept]
    if kept:
        yield Expression("DataOneOf", *kept)
    for each in _chained(texts.lengths[::-1], _CHAIN[::-1], _length_piece):
        yield _and(each, _not(Expression("DataOneOf", *removed))) if removed else each


def _length_piece(datatype: NamedNode, part: Part) -> Iterator[Argument]:
    if not isinstance(part, Intervals):
        return
    for (low, _), (high, _) in part.pairs:
        facets: list[Argument] = []
        if low > 0:
            facets += [XSD.minLength, Literal(int(low))]
        if not math.isinf(high):
            facets += [XSD.maxLength, Literal(int(high))]
        yield Expression("DatatypeRestriction", datatype, *facets) if facets else datatype


# -- other spaces ------------------------------------------------------------------------------------------------------


def _float_pieces(values: ValueSet, space: str) -> Iterator[Argument]:
    part = values.part(space)
    nan = f"{space} NaN"
    has_nan = nan in values.spaces
    if part == SPACES[space] and has_nan:
        yield XSD[space]
        return
    yield from _restrictions(XSD[space], part, partial(_literal_in, space))
    if has_nan:
        yield Expression("DataOneOf", Literal("NaN", datatype=XSD[space]))


def _date_time_pieces(values: ValueSet) -> Iterator[Argument]:
    zoned, unzoned = values.part("dateTime"), values.part("dateTime without zone")
    if zoned == unzoned == SPACES["dateTime"]:
        yield XSD.dateTime
        return
    yield from _restrictions(XSD.dateTimeStamp, zoned, partial(_literal_in, "dateTime"))
    for each in _restrictions(XSD.dateTime, unzoned, partial(_literal_in, "dateTime without zone")):
        yield _and(each, _not(XSD.dateTimeStamp))


def _point_piece(space: str, part: Points) -> Argument:
    datatype = RDF[space] if space in ("XMLLiteral", "langString") else XSD[space]
    if part == SPACES[space]:
        return datatype
    literals = [literal_of(Value(space, key)) for key in sorted(part.members, key=repr)]
    listed = Expression("DataOneOf", *(literal for literal in literals if literal is not None))
    return _and(datatype, _not(listed)) if part.is_complement else listed


# -- words -------------------------------------------------------------------------------------------------------------

_NAMES = {"langString": "strings with a language", "anyURI": "URIs", "boolean": "truth values", "string": "strings"}
_MOST_LISTED = 5


def in_words(values: ValueSet) -> str:
    """The set in plain words, as in "whole numbers from 0"."""
    if values.is_empty:
        return "no value"
    if values.possibly == EVERYTHING.possibly:
        return "any literal"
    found = [*_number_words(values), *_text_words(values.part("string")), *_other_words(values)]
    return " or ".join(dict.fromkeys(found))


def _number_words(values: ValueSet) -> Iterator[str]:
    parts = {space: values.part(space) for space in NUMBERS if space in values.spaces}
    named = "whole numbers" if set(parts) == {"integer"} else "numbers"
    spans = {span for part in parts.values() if isinstance(part, Intervals) for span in part.pairs}
    for low, high in sorted(spans):
        yield _span_words(named, low, high, _number_literal)
    for space in FLOATS:
        part = values.part(space)
        if space not in values.spaces or not isinstance(part, Intervals):
            continue
        pairs = [(-math.inf, 0), (math.inf, 1)] if part == SPACES[space] else None
        for low, high in [(pairs[0], pairs[1])] if pairs else part.pairs:
            yield _span_words(f"{space}s", low, high, partial(_literal_in, space))


def _span_words(named: str, low: Cut, high: Cut, literal: Callable[[Fraction], Literal | None]) -> str:
    ends = [None if math.isinf(end) else literal(Fraction(end)) for end, _ in (low, high)]
    if ends[0] is not None and ends[0] == ends[1]:
        return ends[0].value
    text = named
    if ends[0] is not None:
        text += f" {'above' if low[1] else 'from'} {ends[0].value}"
    if ends[1] is not None:
        text += f" {'to' if high[1] and ends[0] is not None else 'up to' if high[1] else 'below'} {ends[1].value}"
    return text


def _text_words(part: Part) -> Iterator[str]:
    if not isinstance(part, Texts):
        return
    listed = [f'"{text}"' for layer, text in sorted(part.exceptions) if (layer, text) in part]
    yield from listed[:_MOST_LISTED]
    if len(listed) > _MOST_LISTED:
        yield "other strings"
    for low, high in sorted({span for lengths in part.lengths for span in lengths.pairs}):
        if math.isinf(high[0]):
            yield "strings" if low[0] == 0 else f"strings of at least {low[0]} characters"
        elif low[0] == high[0]:
            yield f"strings of {low[0]} characters"
        else:
            yield f"strings of {low[0]} to {high[0]} characters"


def _other_words(values: ValueSet) -> Iterator[str]:
    for space in SPACES:
        if space not in values.spaces or space in (*NUMBERS, *FLOATS, "string", "other") or space.endswith(" NaN"):
            continue
        part = values.part(space)
        kind = space.partition(" ")[0]
        if isinstance(part, Points) and not part.is_complement and len(part.members) <= _MOST_LISTED:
            yield from sorted(str(literal_of(Value(space, key))) for key in part.members)
        elif isinstance(part, Intervals) and kind in DATES:
            for low, high in part.pairs:
                yield _span_words(f"{kind}s", low, high, partial(_literal_in, space))
        else:
            yield _NAMES.get(space, f"{space} values")
