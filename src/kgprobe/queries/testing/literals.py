"""Literals worth trying, those on both sides of a constant, and literals that no axiom and no property tells apart.

A condition such as `?age >= 40` changes its value between 39 and 40. The constant may also stand behind a function:
`STRLEN(?name) > 3`, `YEAR(?date) = 2017`, `REGEX(?name, "^A")`. So a constant of one kind also suggests values of
others.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import cached_property
from random import Random

from kgprobe.owl.datatypes import BUILT_IN_DATATYPES, INTEGERS, NUMBERS, is_well_formed
from kgprobe.owl.expression import Argument, Expression
from kgprobe.owl.literal_values import DATES, FLOATS, Doubt, value_of
from kgprobe.owl.value_sets import ValueSet
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.facts import BeyondRulesError, ValueSpace
from kgprobe.rdf.terms import RDF, RDFS, XSD, Literal, NamedNode, Term

_TEXTS = frozenset([XSD.string, XSD.normalizedString, XSD.token, RDFS.Literal, RDF.PlainLiteral])
_MOMENTS = frozenset([XSD.dateTime, XSD.dateTimeStamp])
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?")
_TAG = re.compile(r"[a-zA-Z]{2,3}(-[a-zA-Z0-9]{1,8})*")
_SPECIAL = re.compile(r"\\([.^$*+?()\[\]{}|\\-])|[\^$]|\.[*+?]?|\\[a-zA-Z][*+?]?|[()\[\]{}|*+?]")
_LONGEST = 64
_FAR = 100
_SHORTEST_MONTH = 28
_MOST_DATES = 12
_FIRST_YEAR, _LAST_YEAR, _MONTHS = 1000, 9999, 12


def around(constant: Term, datatype: NamedNode) -> list[Literal]:
    """Literals of a datatype on which a condition with this constant may change its value, the constant first."""
    if not isinstance(constant, Literal):
        return []
    if datatype in NUMBERS:
        return _valid(_literal(text, datatype) for text in _numbers(constant, whole=datatype in INTEGERS))
    if datatype in _MOMENTS or datatype == XSD.date:
        return _valid(_literal(text, datatype) for text in _dates(constant, with_time=datatype != XSD.date))
    if datatype in _TEXTS:
        return _valid(_literal(text, datatype) for text in _texts(constant))
    if datatype == RDF.langString:
        return _tagged(constant)
    if datatype == XSD.gYear and (number := _number(constant)) is not None and number == int(number):
        return _valid(_literal(f"{int(number) + step:04}", datatype) for step in (0, -1, 1))
    return [constant] if constant.datatype == datatype else []


def with_parts(constants: Iterable[Literal], datatype: NamedNode) -> list[Literal]:
    """Dates whose year, month and day are numbers among the constants: `YEAR(?d) = 2018 && MONTH(?d) = 8`."""
    if datatype not in _MOMENTS and datatype != XSD.date:
        return []
    numbers = [
        int(number) for constant in constants if (number := _number(constant)) is not None and number == int(number)
    ]
    years = [number for number in numbers if _FIRST_YEAR < number < _LAST_YEAR] or [2000]
    small = [number for number in numbers if 1 <= number <= _SHORTEST_MONTH]
    if not small:
        return []
    months = [number for number in small if number <= _MONTHS] or [1]
    texts = [f"{year:04}-{month:02}-{day:02}" for year in years for month in months for day in (1, *small)]
    suffix = "" if datatype == XSD.date else "T00:00:00Z"
    return _valid(_literal(text + suffix, datatype) for text in texts[:_MOST_DATES])


def far_from(constant: Literal, datatype: NamedNode, random: Random) -> Literal | None:
    """A random literal of a datatype at some distance from a constant, before or after it."""
    step = int(random.random() * 2 * _FAR) - _FAR
    number = _number(constant)
    if number is not None and datatype in NUMBERS:
        text = str(int(number) + step) if datatype in INTEGERS else f"{int(number) + step}.5"
    elif datatype in _MOMENTS and (found := _MOMENT.fullmatch(constant.value)):
        try:
            text = (datetime.fromisoformat(found[1]) + timedelta(hours=step)).isoformat() + (found[3] or "Z")
        except (ValueError, OverflowError):
            return None
    else:
        return None
    valid = _valid([_literal(text, datatype)])
    return valid[0] if valid else None


def simplicity(term: Term) -> tuple[int, bool, str, str]:
    """The order from simple to complicated: short first, then without a sign."""
    return len(term.value), term.value.startswith(("-", "+")), term.value, str(term)


def _literal(text: str, datatype: NamedNode) -> Literal:
    plain = datatype in (RDFS.Literal, RDF.PlainLiteral)
    return Literal(text) if plain else Literal(text, datatype=datatype)


def _valid(literals: Iterable[Literal]) -> list[Literal]:
    return [
        literal
        for literal in dict.fromkeys(literals)
        if literal.datatype not in BUILT_IN_DATATYPES or is_well_formed(literal)
    ]


def _number(literal: Literal) -> Decimal | None:
    if literal.datatype not in NUMBERS:
        return None
    try:
        number = Decimal(literal.value)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < _LONGEST else None


def _numbers(constant: Literal, *, whole: bool) -> Iterator[str]:
    number = _number(constant)
    if number is None:
        if constant.value and constant.value.lstrip("+-").isdecimal() and len(constant.value) < _LONGEST:
            yield constant.value
        return
    if whole:
        below = int(number.to_integral_value(rounding="ROUND_FLOOR"))
        yield from map(str, dict.fromkeys((below, below + 1, below - 1)))
        return
    for step in ("0", "-0.5", "0.5"):
        text = format(number + Decimal(step), "f")
        yield text if "." in text else f"{text}.0"


def _dates(constant: Literal, *, with_time: bool) -> Iterator[str]:
    number = _number(constant)
    if number is not None and number == int(number):
        yield from _dates_with(int(number), with_time=with_time)
        return
    found = _MOMENT.fullmatch(constant.value)
    try:
        moment = datetime.fromisoformat(found[1]) if found else datetime.fromisoformat(constant.value[:10])
        zone = (found[3] or "") if found else constant.value[10:]
        steps = [timedelta(), -timedelta(seconds=1), timedelta(seconds=1)]
        if not with_time:
            steps = [timedelta(), -timedelta(days=1), timedelta(days=1)]
        moments = [moment + step for step in steps]
    except (ValueError, OverflowError):
        return
    if with_time:
        yield from (each.isoformat() + (zone or "Z") for each in moments)
        if not zone:
            yield from (each.isoformat() for each in moments)
    else:
        yield from (each.date().isoformat() + zone for each in moments)


def _dates_with(number: int, *, with_time: bool) -> Iterator[str]:
    """Dates in the year with this number, or its neighbours; in the month, if it is too small for a year."""
    days = []
    if _FIRST_YEAR < number < _LAST_YEAR:
        days = [date(number + step, 1, 1) for step in (0, -1, 1)]
    elif 1 <= number <= _MONTHS:
        days = [date(2000, number, 1), date(2000, number % _MONTHS + 1, 1), date(2000, 1, number)]
    for day in days:
        yield f"{day.isoformat()}T00:00:00Z" if with_time else day.isoformat()


def _texts(constant: Literal) -> Iterator[str]:
    number = _number(constant)
    if number is not None:
        if 0 <= number <= _LONGEST and number == int(number):
            yield from ("a" * max(int(number) + step, 0) for step in (0, -1, 1))
        return
    text = constant.value
    yield text
    # What a regular expression looks for, as far as it is spelt out.
    plain = _SPECIAL.sub(lambda found: found[1] or "", text)
    for spelled in dict.fromkeys([plain, text]):
        yield from (spelled + "a", "a" + spelled, spelled[:-1], spelled, spelled.upper(), spelled.lower())


def _tagged(constant: Literal) -> list[Literal]:
    if constant.language:
        return [constant, Literal(constant.value, language="en" if constant.language != "en" else "de")]
    tags = [constant.value.lower()] if _TAG.fullmatch(constant.value) else []
    return [Literal("a", language=tag) for tag in tags] + [Literal(text, language="en") for text in _texts(constant)]


# -- literals as OWL sees them -----------------------------------------------------------------------------------------


class Signs:
    """Signs of literals under some axioms and classes: `trees`."""

    def __init__(self, schema: Schema, trees: Sequence[Expression], space: ValueSpace) -> None:
        self._schema = schema
        self._trees = trees
        self._space = space
        self._known: dict[Literal, tuple[Hashable, Hashable]] = {}
        self._values: dict[Hashable, int] = {}

    def of(self, literal: Literal) -> tuple[Hashable, Hashable]:
        """A sign of a literal, and its value. No axiom and no property tells two values with one sign apart."""
        found = self._known.get(literal)
        if found is None:
            found = self._known[literal] = self._new(literal)
        return found

    def is_stated(self, literal: Literal) -> bool:
        """Whether an axiom or a property has this value; if nobody knows its value, the answer is yes."""
        try:
            return self._space.value(literal)[0] in self._stated_values
        except BeyondRulesError:
            return True

    def _new(self, literal: Literal) -> tuple[Hashable, Hashable]:
        try:
            value, mark = self._space.value(literal)
        except BeyondRulesError:
            return literal, literal
        if mark:
            return literal, literal
        number = self._values.setdefault(value, len(self._values))  # numbers are faster to hash than values
        if value in self._stated_values:
            return literal, number
        inside = tuple(self._space.contains(range_, literal) for range_ in self._ranges)
        return literal if None in inside else (literal.datatype, inside), number

    @cached_property
    def _stated_values(self) -> frozenset[Hashable]:
        found: set[Hashable] = set()
        for tree in self._trees:
            for node in nodes_of(tree):
                for argument in node.args:
                    if isinstance(argument, Literal):
                        try:
                            found.add(self._space.value(argument)[0])
                        except BeyondRulesError:
                            continue
        return frozenset(found)

    @cached_property
    def _ranges(self) -> list[Argument]:
        """The data ranges in the axioms and in the properties, those within others included."""
        found: dict[Argument, None] = {}
        for tree in self._trees:
            for node in nodes_of(tree):
                if node.head.startswith("Data") or node.head == "DatatypeRestriction":
                    found |= {argument: None for argument in node.args if isinstance(argument, NamedNode | Expression)}
                    if node.head in ("DatatypeRestriction", "DataOneOf", "DataComplementOf"):
                        found[node] = None
        properties = {term for term in found if isinstance(term, NamedNode) and self._is_property(term)}
        return [term for term in found if term not in properties and not _is_class(term)]

    def _is_property(self, name: NamedNode) -> bool:
        return "Datatype" not in self._schema.kinds(name) and ValueSet.of_datatype(name).is_empty is None


def _is_class(term: Argument) -> bool:
    return isinstance(term, Expression) and not term.head.startswith("Data")


def nodes_of(tree: Expression) -> Iterator[Expression]:
    """An axiom or class with all that is in it."""
    yield tree
    for argument in tree.args:
        if isinstance(argument, Expression):
            yield from nodes_of(argument)


def value_space(schema: Schema) -> ValueSpace:
    """The literals as the datatypes of an ontology see them."""

    def value(literal: Literal) -> tuple[Hashable, str]:
        found = value_of(literal)
        if isinstance(found, Doubt):
            raise BeyondRulesError
        kind = found.space.partition(" ")[0]
        # OWL tells two zeros apart, and one point in time in two time zones.
        is_date = kind in DATES and not (literal.value.endswith("Z") and "." not in literal.value)
        is_zero = kind in FLOATS and found.key == 0
        return found, literal.value if is_date or is_zero else ""

    def example(data_range: Argument) -> Literal | None:
        return next(iter(schema.values(data_range).examples(1)), None)

    return ValueSpace(value, lambda data_range, literal: schema.values(data_range).contains(literal), example)
