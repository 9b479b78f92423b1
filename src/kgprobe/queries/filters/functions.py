"""The operators and functions of SPARQL 1.1: the arguments that they take, and the values that they return.

A call whose argument cannot be of the required kind is an error, and a FILTER that must be an error is never true. The
table is as generous as the engines: several of them take the year of an xsd:date, add strings, or subtract dates,
although SPARQL 1.1 does not define it. Nothing is assumed about literals of unknown datatypes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from kgprobe.owl.literal_values import NUMBERS, Doubt, Value, literal_of, number_value, value_of
from kgprobe.owl.value_parts import TEXT_LAYERS, Intervals, Texts
from kgprobe.owl.value_sets import ValueSet
from kgprobe.queries.filters.term_sets import (
    ANYTHING,
    BLANKS,
    FAMILIES,
    IRIS,
    LITERALS,
    NO_TERM,
    NUMBER_SPACES,
    TermSet,
    of_spaces,
)
from kgprobe.rdf.terms import XSD, Literal, NamedNode

_Result = Callable[[Sequence[TermSet]], TermSet]

_OTHER = FAMILIES["literal of another datatype"]
_NUMBER = FAMILIES["number"] | _OTHER
_DATE = FAMILIES["date"] | _OTHER
_DURATION = FAMILIES["duration"]
_STRING = FAMILIES["string"] | FAMILIES["string with a language"] | _OTHER
_BOOLEAN = FAMILIES["boolean"]
# The values that have a truth value: all others are an error in FILTER, `!`, `&&`, `||` and IF.
_TRUTH = _BOOLEAN | _NUMBER | _STRING
_TEXT = of_spaces("string")
_TEXTS = of_spaces("string", "langString")
ADDED = _NUMBER | _DURATION
"""The values that SUM and AVG add."""


@dataclass(frozen=True)
class Function:
    """The kinds of arguments that a function takes, in words and as sets, and the values that it may return.

    The last kind stands for all further arguments, too.
    """

    words: tuple[str, ...]
    arguments: tuple[TermSet, ...]
    result: TermSet | _Result


_WORDS = {
    "number": _NUMBER,
    "string": _STRING,
    "literal": LITERALS,
    "term": ANYTHING,
    "truth value": _TRUTH,
    "IRI": IRIS,
    "date or time": _DATE | _DURATION,
    "number, date or duration": _NUMBER | _DATE | _DURATION,
    "number, string, date or duration": _NUMBER | _STRING | _DATE | _DURATION,
    "number or duration": _NUMBER | _DURATION,
    "string, number or truth value": _STRING | _NUMBER | _BOOLEAN,
    "string, number, date or truth value": _STRING | _NUMBER | _BOOLEAN | _DATE | _DURATION,
    "string or date": _STRING | _DATE | _DURATION,
    "IRI or literal": IRIS | BLANKS | LITERALS,
}


def _function(*words: str, returns: TermSet | _Result) -> Function:
    return Function(words, tuple(_WORDS[word] for word in words), returns)


# -- results -----------------------------------------------------------------------------------------------------------


def _whole(low: int | float = -math.inf, high: int | float = math.inf) -> TermSet:
    ends = [end if math.isinf(end) else Fraction(end) for end in (low, high)]
    return TermSet.of_values(ValueSet.of_parts({"integer": Intervals.between(*ends)}))


def _date_part(low: float, high: float) -> _Result:
    """A part of a date; of a duration, it may be any number."""

    def result(arguments: Sequence[TermSet]) -> TermSet:
        is_date = all(argument.families <= {"date"} for argument in arguments)
        return _whole(low, high) if is_date else FAMILIES["number"]

    return result


def _seconds(arguments: Sequence[TermSet]) -> TermSet:
    if not all(argument.families <= {"date"} for argument in arguments):
        return FAMILIES["number"]
    line = Intervals.between(Fraction(0), Fraction(60), high_open=True)
    return TermSet.of_values(ValueSet.of_parts(dict.fromkeys(NUMBERS[:2], line)))


def _arithmetic(whole_stays_whole: bool) -> _Result:
    def result(arguments: Sequence[TermSet]) -> TermSet:
        spaces = frozenset().union(*(argument.literals.spaces for argument in arguments))
        if spaces <= {"integer"} and whole_stays_whole:
            return of_spaces("integer")
        if spaces <= set(NUMBERS):
            return of_spaces(*NUMBERS)
        return FAMILIES["number"] if spaces <= set(NUMBER_SPACES) else LITERALS

    return result


def _same_kind(arguments: Sequence[TermSet]) -> TermSet:
    spaces = arguments[0].literals.spaces
    return of_spaces(*NUMBERS) if spaces <= set(NUMBERS) else FAMILIES["number"] | _OTHER | _DURATION


def _rounded(arguments: Sequence[TermSet]) -> TermSet:
    spaces = arguments[0].literals.spaces
    return of_spaces("integer") if spaces <= set(NUMBERS) else _same_kind(arguments)


def _hash(digits: int) -> TermSet:
    length = Intervals.between(Fraction(digits), Fraction(digits))
    return TermSet.of_values(ValueSet.of_parts({"string": Texts((length,) * len(TEXT_LAYERS))}))


_COUNTS = _whole(0)
_ARITHMETIC = _arithmetic(whole_stays_whole=True)
_COMPARISON = _function("term", "term", returns=_BOOLEAN)
_DURATION_RESULT = _DURATION | _OTHER

FUNCTIONS: dict[str, Function] = {
    "=": _COMPARISON,
    "!=": _COMPARISON,
    # `<` orders no nodes, but some engines answer if both operands are the same node: false, and true for `<=`.
    **dict.fromkeys(("<", "<=", ">", ">="), _COMPARISON),
    "&&": _COMPARISON,
    "||": _COMPARISON,
    "!": _function("truth value", returns=_BOOLEAN),
    "+": _function("number, string, date or duration", "number, string, date or duration", returns=_ARITHMETIC),
    "-": _function("number, date or duration", "number, date or duration", returns=_ARITHMETIC),
    "*": _function("number or duration", "number or duration", returns=_ARITHMETIC),
    "/": _function("number or duration", "number or duration", returns=_arithmetic(whole_stays_whole=False)),
    "STR": _function("IRI or literal", returns=_TEXT),
    "LANG": _function("literal", returns=_TEXT),
    "LANGMATCHES": _function("string", "string", returns=_BOOLEAN),
    "DATATYPE": _function("literal", returns=IRIS),
    "IRI": _function("IRI or literal", returns=IRIS),
    "URI": _function("IRI or literal", returns=IRIS),
    "BNODE": _function("string", returns=BLANKS),
    "RAND": Function((), (), of_spaces("double")),
    "ABS": _function("number or duration", returns=_same_kind),
    "CEIL": _function("number", returns=_rounded),
    "FLOOR": _function("number", returns=_rounded),
    "ROUND": _function("number", returns=_rounded),
    "CONCAT": _function("IRI or literal", returns=_TEXTS),
    "STRLEN": _function("string", returns=_COUNTS),
    "UCASE": _function("string", returns=_TEXTS),
    "LCASE": _function("string", returns=_TEXTS),
    "ENCODE_FOR_URI": _function("string", returns=_TEXT),
    "CONTAINS": _function("string", "string", returns=_BOOLEAN),
    "STRSTARTS": _function("string", "string", returns=_BOOLEAN),
    "STRENDS": _function("string", "string", returns=_BOOLEAN),
    "STRBEFORE": _function("string", "string", returns=_TEXTS),
    "STRAFTER": _function("string", "string", returns=_TEXTS),
    "SUBSTR": _function("string", "number", "number", returns=_TEXTS),
    "REPLACE": _function("string", "string", "string", "string", returns=_TEXTS),
    "REGEX": _function("string", "string", "string", returns=_BOOLEAN),
    "YEAR": _function("date or time", returns=_date_part(-math.inf, math.inf)),
    "MONTH": _function("date or time", returns=_date_part(1, 12)),
    "DAY": _function("date or time", returns=_date_part(1, 31)),
    "HOURS": _function("date or time", returns=_date_part(0, 24)),
    "MINUTES": _function("date or time", returns=_date_part(0, 59)),
    "SECONDS": _function("date or time", returns=_seconds),
    "TIMEZONE": _function("date or time", returns=_DURATION_RESULT),
    "TZ": _function("date or time", returns=_TEXT),
    "NOW": Function((), (), of_spaces("dateTime", "dateTime without zone")),
    "UUID": Function((), (), IRIS),
    "STRUUID": Function((), (), _TEXT),
    "MD5": _function("string", returns=_hash(32)),
    "SHA1": _function("string", returns=_hash(40)),
    "SHA256": _function("string", returns=_hash(64)),
    "SHA384": _function("string", returns=_hash(96)),
    "SHA512": _function("string", returns=_hash(128)),
    "STRLANG": _function("string", "string", returns=of_spaces("langString")),
    "STRDT": _function("string", "IRI", returns=LITERALS),
    "SAMETERM": _COMPARISON,
    **dict.fromkeys(("ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC"), _function("term", returns=_BOOLEAN)),
    # Casts
    XSD.boolean.value: _function("string, number or truth value", returns=_BOOLEAN),
    XSD.integer.value: _function("string, number or truth value", returns=of_spaces("integer")),
    XSD.decimal.value: _function("string, number or truth value", returns=of_spaces("integer", "decimal")),
    XSD.double.value: _function("string, number or truth value", returns=of_spaces("double", "double NaN")),
    XSD.float.value: _function("string, number or truth value", returns=of_spaces("float", "float NaN")),
    XSD.dateTime.value: _function("string or date", returns=of_spaces("dateTime", "dateTime without zone")),
    XSD.date.value: _function("string or date", returns=of_spaces("date", "date without zone")),
    XSD.string.value: _function("IRI or literal", returns=_TEXT),
}
_MINUS = _function("number or duration", returns=_ARITHMETIC)


# -- calls -------------------------------------------------------------------------------------------------------------


def wrong_argument(name: str, arguments: Sequence[TermSet]) -> tuple[int, str] | None:
    """The first argument that is never of the kind that a function takes, and that kind; None if the call may work."""
    function = _called(name, len(arguments))
    if function is None or not function.arguments:
        return None
    for number, argument in enumerate(arguments):
        kind = min(number, len(function.arguments) - 1)
        if (argument & function.arguments[kind]).is_empty:
            return number, function.words[kind]
    return None


@lru_cache(maxsize=10_000)
def result_of(name: str, arguments: tuple[TermSet, ...]) -> TermSet:
    """The values that a call may return; none if it must be an error."""
    if any(argument.is_empty for argument in arguments) or wrong_argument(name, arguments) is not None:
        return NO_TERM
    folded = _folded(name, arguments)
    if folded is not None:
        return folded
    function = _called(name, len(arguments))
    if function is None:
        return ANYTHING
    if isinstance(function.result, TermSet):
        return function.result
    taken = [
        argument & function.arguments[min(number, len(function.arguments) - 1)]
        for number, argument in enumerate(arguments)
    ]
    return function.result(taken)


def _called(name: str, arguments: int) -> Function | None:
    return _MINUS if name in ("-", "+") and arguments == 1 else FUNCTIONS.get(name)


def aggregated(name: str, argument: TermSet, *, has_rows: bool = False) -> TermSet:
    """The values that an aggregate may have; none if it must be an error. The argument is that of any row."""
    if name == "COUNT":
        return _whole(1) if has_rows else _COUNTS
    if name in ("SUM", "AVG"):
        zero = _whole(0, 0)  # of no rows
        argument &= ADDED
        if has_rows and argument.is_empty is True:
            return argument
        added = result_of("+" if name == "SUM" else "/", (argument, argument))
        return added | zero
    if name == "GROUP_CONCAT":
        return _TEXTS
    return argument if name in ("MIN", "MAX", "SAMPLE") else ANYTHING


# -- calls with constants ----------------------------------------------------------------------------------------------

_EXACT: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
_CASTS = {
    XSD[name].value: XSD[name] for name in ("integer", "decimal", "double", "float", "boolean", "dateTime", "date")
}
# Engines agree that no other text is a number, however generous they are with its form.
_NUMERIC_CASTS = (XSD.integer, XSD.decimal, XSD.double, XSD.float)
_LARGEST = 10**18


def _folded(name: str, arguments: Sequence[TermSet]) -> TermSet | None:
    """The value of a call with constants, if it is simple to compute; None if it is not."""
    constants = [argument.constant for argument in arguments]
    literals = [constant for constant in constants if isinstance(constant, Literal)]
    if len(literals) != len(arguments) or not literals:
        return None
    if name in _CASTS and len(literals) == 1:
        return _cast(literals[0], _CASTS[name])
    if name in _EXACT:
        return _computed(name, literals)
    if name == "STRLEN" and literals[0].value.isascii():
        return _whole(len(literals[0].value), len(literals[0].value))
    return None


def _computed(name: str, literals: Sequence[Literal]) -> TermSet | None:
    numbers = [_exact(literal) for literal in literals]
    known = [number for number in numbers if number is not None]
    if len(known) != len(literals):
        return None
    found = known[0] if len(known) == 2 else Fraction(0)
    found = _EXACT[name](found, known[-1])
    literal = literal_of(number_value(found))
    small = abs(found) < _LARGEST and literal is not None
    # Two literals with one value may be the result: only the value is certain.
    return TermSet.of_values(ValueSet.of_literals([literal])) if small and literal is not None else None


def _exact(literal: Literal) -> Fraction | None:
    value = value_of(literal)
    is_number = isinstance(value, Value) and value.space in ("integer", "decimal")
    return value.key if is_number and isinstance(value, Value) and isinstance(value.key, Fraction) else None


def _cast(literal: Literal, datatype: NamedNode) -> TermSet | None:
    if literal.datatype != XSD.string:
        return None
    cast = Literal(literal.value, datatype=datatype)
    value = value_of(cast)
    if isinstance(value, Value):
        return TermSet.of_values(ValueSet.of_literals([cast]))
    if value is Doubt.ILL_TYPED and datatype in _NUMERIC_CASTS:
        any_number = value_of(Literal(literal.value.strip(), datatype=XSD.double))
        return NO_TERM if any_number is Doubt.ILL_TYPED and not _is_word(literal.value) else None
    return None


def _is_word(text: str) -> bool:
    """Whether engines may read the text as a truth value or as infinity."""
    return text.strip().lower().lstrip("+-") in ("true", "false", "inf", "infinity", "nan")
