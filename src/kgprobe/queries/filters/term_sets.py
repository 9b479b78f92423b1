"""Sets of RDF terms that an expression of SPARQL may have as its value, and how operators tell them apart.

A family has the values that operators compare with each other: numbers of all datatypes, for example. Where engines
differ, a family is as large as in the most generous of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, reduce

from kgprobe.owl.literal_values import OPAQUE, Doubt, Value, literal_of, value_of
from kgprobe.owl.value_parts import ALL_POINTS, NO_POINTS, Intervals, Points, Texts
from kgprobe.owl.value_spaces import DATES, FLOATS, NUMBERS, SPACES
from kgprobe.queries.filters.values import EVERYTHING, NOTHING, ValueSet
from kgprobe.rdf.terms import Literal, NamedNode, Term

__all__ = [
    "ANYTHING",
    "BLANKS",
    "FAMILIES",
    "IRIS",
    "LITERALS",
    "NAN",
    "NODES",
    "NO_TERM",
    "NUMBER_SPACES",
    "TermSet",
    "family_of",
    "of_spaces",
    "order_family",
]


@dataclass(frozen=True)
class TermSet:
    """IRIs, blank nodes, and literals by value. If `terms` is given, only these terms. `&` and `|` combine sets.

    Literals with the same value count as the same term, since several engines keep only the value of a number.
    """

    iris: Points = NO_POINTS
    blanks: bool = False
    literals: ValueSet = NOTHING
    terms: frozenset[Term] | None = None

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
        if other is ANYTHING or self is other:
            return self
        if self.terms is None and other.terms is None:
            found = self.iris & other.iris, self.blanks and other.blanks, self.literals & other.literals
            for known in (self, other):
                if found == (known.iris, known.blanks, known.literals):
                    return known
            return TermSet(*found)
        kept = [term for term in self._candidates(other) if term in self and term in other]
        return TermSet.of_terms(kept) if kept else NO_TERM

    def __or__(self, other: TermSet) -> TermSet:
        terms = self.terms | other.terms if self.terms is not None and other.terms is not None else None
        if self == NO_TERM or other == NO_TERM:
            return other if self == NO_TERM else self
        return TermSet(self.iris | other.iris, self.blanks or other.blanks, self.literals | other.literals, terms)

    def __contains__(self, term: Term) -> bool:
        """Whether a term may be in the set."""
        if self.terms is not None and not any(_may_be_same(term, each) for each in self.terms):
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

    def _candidates(self, other: TermSet) -> frozenset[Term]:
        if self.terms is None:
            return other.terms or frozenset()
        return self.terms if other.terms is None else self.terms | other.terms


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
