"""Sets of RDF terms that an expression of SPARQL may have as its value, and how operators tell them apart.

A family has the values that operators compare with each other: numbers of all datatypes, for example. Where engines
differ, a family is as large as in the most generous of them. Before an engine compares an exact number with a float, it
rounds it. Rounding keeps the order of two numbers, but can make them equal.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, reduce

from kgprobe.owl.literal_values import (
    DATES,
    FLOATS,
    NUMBERS,
    OPAQUE,
    SPACES,
    ZONE_SPAN,
    Doubt,
    Value,
    float_key,
    float_of,
    literal_of,
    single,
    value_of,
)
from kgprobe.owl.value_parts import ALL_POINTS, NO_POINTS, NOWHERE, Cut, Intervals, Part, Points, Texts
from kgprobe.owl.value_sets import EVERYTHING, NOTHING, ValueSet
from kgprobe.rdf.terms import Literal, NamedNode, Term


@dataclass(frozen=True)
class TermSet:
    """IRIs, blank nodes, and literals by value. If `terms` is given, only these terms. `&` and `|` combine sets.

    Literals with the same value count as the same term, since several engines keep only the value of a number.
    """

    iris: Points = NO_POINTS
    blanks: bool = False
    literals: ValueSet = NOTHING
    terms: frozenset[Term] | None = None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:  # because a search combines the same sets again and again
        return hash((self.iris, self.blanks, self.literals, self.terms))

    @classmethod
    def of_term(cls, term: Term) -> TermSet:
        """The set of one term."""
        return _of_term(term)

    @classmethod
    def of_terms(cls, terms: Iterable[Term]) -> TermSet:
        """The set of these terms."""
        return reduce(TermSet.__or__, map(cls.of_term, terms), NO_TERM)

    @classmethod
    def of_values(cls, values: ValueSet) -> TermSet:
        """All literals with these values."""
        return cls(literals=values)

    def __and__(self, other: TermSet) -> TermSet:
        if self is ANYTHING:
            return other
        return self if other is ANYTHING or self is other else _common(self, other)

    def __or__(self, other: TermSet) -> TermSet:
        terms = self.terms | other.terms if self.terms is not None and other.terms is not None else None
        if self == NO_TERM or other == NO_TERM:
            return other if self == NO_TERM else self
        return TermSet(self.iris | other.iris, self.blanks or other.blanks, self.literals | other.literals, terms)

    def __contains__(self, term: Term) -> bool:
        """Whether a term may be in the set."""
        if self.terms is not None and not any(_may_be_same(term, known) for known in self.terms):
            return False
        if isinstance(term, NamedNode):
            return term in self.iris
        if not isinstance(term, Literal):
            return self.blanks
        value = value_of(term)
        return not self.literals.is_empty if isinstance(value, Doubt) else self.literals.has(value) is not False

    @cached_property
    def is_empty(self) -> bool:
        """Whether it certainly has no term."""
        if self.terms is not None and not self.terms:
            return True
        return self.iris.is_empty and not self.blanks and self.literals.is_empty is True

    @cached_property
    def families(self) -> frozenset[str]:
        """The families in which it may have a term."""
        found = {family_of(space) for space in self.literals.spaces}
        if not self.iris.is_empty:
            found.add("IRI")
        if self.blanks:
            found.add("blank node")
        return frozenset(found)

    def limited(self, families: Iterable[str]) -> TermSet:
        """The terms that are in these families."""
        wanted = frozenset(families)
        return self if self.families <= wanted else self & _all_of(wanted)

    def without_literals(self, values: ValueSet) -> TermSet:
        """The set without literals of these values."""
        return self & TermSet(ALL_POINTS, True, ~values)

    @property
    def constant(self) -> Term | None:
        """The only term that it may have, if it is known."""
        return next(iter(self.terms)) if self.terms is not None and len(self.terms) == 1 else None

    @cached_property
    def only_value(self) -> Literal | NamedNode | None:
        """The only term that it may have, or a literal for its only value; None if there are more."""
        constant = self.constant
        if isinstance(constant, Literal | NamedNode):
            return constant
        if self.blanks or not self.iris.is_empty or len(self.literals.spaces) != 1:
            return None
        (space,) = self.literals.spaces
        part = self.literals.part(space)
        keys: list[Hashable] = []
        if isinstance(part, Intervals) and len(part.cuts) == 2 and part.cuts[0][0] == part.cuts[1][0]:
            keys = [Fraction(part.cuts[0][0])]
        elif isinstance(part, Points) and part.count == 1 and not part.is_complement:
            keys = list(part.members)
        elif isinstance(part, Texts) and not part.has_ranges:
            keys = [text for text in part.exceptions if text in part]
        return literal_of(Value(space, keys[0])) if len(keys) == 1 else None

    @cached_property
    def only_texts(self) -> frozenset[str] | None:
        """All texts that it may have, if it has only strings, and only finitely many; None if it does not."""
        if self.blanks or not self.iris.is_empty:
            return None
        found: set[str] = set()
        for space in self.literals.spaces:
            part = self.literals.part(space)
            if isinstance(part, Texts) and not part.has_ranges:
                found.update(text[1] for text in part.exceptions if text in part)
            elif space in ("anyURI", "langString") and isinstance(part, Points) and not part.is_complement:
                found.update(str(key[0]) if isinstance(key, tuple) else str(key) for key in part.members)
            else:
                return None
        return frozenset(found)


@lru_cache(maxsize=10_000)
def _common(left: TermSet, right: TermSet) -> TermSet:
    """The terms that are in both sets."""
    if left.terms is None and right.terms is None:
        found = left.iris & right.iris, left.blanks and right.blanks, left.literals & right.literals
        for known in (left, right):
            if found == (known.iris, known.blanks, known.literals):
                return known
        return TermSet(*found)
    candidates = (left.terms or frozenset()) | (right.terms or frozenset())
    kept = [term for term in candidates if term in left and term in right]
    return TermSet.of_terms(kept) if kept else NO_TERM


def _may_be_same(left: Term, right: Term) -> bool:
    """Whether an engine may take two terms for one: some do not keep how a number is written, or "2"^^xsd:byte."""
    if left == right or not isinstance(left, Literal) or not isinstance(right, Literal):
        return left == right
    values = value_of(left), value_of(right)
    return values[0] == values[1] is not Doubt.UNKNOWN or Doubt.ILL_TYPED in values


@lru_cache(maxsize=10_000)
def _of_term(term: Term) -> TermSet:
    if isinstance(term, NamedNode):
        return TermSet(Points(frozenset({term})), terms=frozenset({term}))
    if not isinstance(term, Literal):
        return TermSet(blanks=True, terms=frozenset({term}))
    known = not isinstance(value_of(term), Doubt)
    # Engines differ on ill-typed literals: some compare "-5"^^xsd:positiveInteger as a number.
    return TermSet(literals=ValueSet.of_literals([term]) if known else EVERYTHING.doubted(), terms=frozenset({term}))


NO_TERM = TermSet()
ANYTHING = TermSet(ALL_POINTS, True, EVERYTHING)
IRIS = TermSet(ALL_POINTS)
BLANKS = TermSet(blanks=True)
NODES = TermSet(ALL_POINTS, True)
LITERALS = TermSet.of_values(EVERYTHING)


def of_spaces(*spaces: str) -> TermSet:
    """The literals with values in these spaces."""
    return TermSet.of_values(ValueSet.of_spaces(*spaces))


# -- families ----------------------------------------------------------------------------------------------------------

_NANS = tuple(f"{space} NaN" for space in FLOATS)
NAN = ValueSet.of_spaces(*_NANS)
NUMBER_SPACES = (*NUMBERS, *FLOATS, *_NANS)
_DATE_SPACES = tuple(zoned for kind in DATES for zoned in (kind, f"{kind} without zone"))
_FAMILY = {
    **dict.fromkeys(NUMBER_SPACES, "number"),
    # Some engines compare dates with points in time.
    **dict.fromkeys((*_DATE_SPACES, "time", "gMonth", "gDay", "gMonthDay"), "date"),
    # XPath reads a URI as a string where it needs one.
    **dict.fromkeys(("string", "anyURI"), "string"),
    "langString": "string with a language",
    "other": "literal of another datatype",
    **{space: space for space in (*OPAQUE.values(), "boolean") if space not in ("time", "gMonth", "gDay", "gMonthDay")},
}


def family_of(space: str) -> str:
    """The family of a value space."""
    return _FAMILY[space]


def order_family(family: str) -> str:
    """The families that `<` may compare have the same one. Some engines order strings with and without languages."""
    return "string" if family == "string with a language" else family


FAMILIES: dict[str, TermSet] = {
    **{
        family: of_spaces(*(space for space in SPACES if _FAMILY[space] == family))
        for family in dict.fromkeys(_FAMILY.values())
    },
    "IRI": IRIS,
    "blank node": BLANKS,
}


@lru_cache(maxsize=1_000)
def _all_of(families: frozenset[str]) -> TermSet:
    return reduce(TermSet.__or__, (FAMILIES[family] for family in sorted(families)), NO_TERM)


# -- the terms for which a comparison with a constant may be true ------------------------------------------------------


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
    return reduce(
        TermSet.__or__, (FAMILIES[other] for other in FAMILIES if order_family(other) == order_family(family))
    )


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


@lru_cache(maxsize=10_000)
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
