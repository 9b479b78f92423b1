"""Random conditions of SPARQL over a pool of awkward terms, and what engines make of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Literal as OneOf

from pyoxigraph import Quad, QuerySolutions, Store

from kgprobe.owl.literal_values import Value, value_of
from kgprobe.owl.value_sets import ValueSet
from kgprobe.queries.filters.conditions import StatedCondition
from kgprobe.queries.filters.refutation import KnownTerms, SameValue
from kgprobe.queries.filters.term_sets import NODES, TermSet
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, XSD, BlankNode, Literal, NamedNode, Term
from kgprobe.sparql.algebra import Bind, Filter, QueryTree, Values
from kgprobe.sparql.documents import read_document

_PROLOGUE = f"PREFIX xsd: <{XSD.iri}> PREFIX owl: <{OWL.iri}> "


def _typed(datatype: str, *texts: str) -> list[Term]:
    return [Literal(text, datatype=XSD[datatype]) for text in texts]


@dataclass(frozen=True)
class Pool:
    """Terms that variables may have, the variables, and datatypes that facts restrict them to."""

    kind: OneOf["mixed", "numbers", "dates"]
    terms: tuple[Term, ...]
    names: tuple[str, ...]
    datatypes: tuple[str, ...]

    @cached_property
    def constants(self) -> tuple[NamedNode | Literal, ...]:
        """The terms that a query can name."""
        return tuple(term for term in self.terms if not isinstance(term, BlankNode))

    @cached_property
    def store(self) -> Store:
        """A store with all terms."""
        store = Store()
        store.bulk_extend(Quad(NamedNode("u:s"), NamedNode("u:p"), term) for term in self.terms)
        return store


_SMALL = _typed("integer", "-1", "0", "1", "2", "16777216", "16777217", "007")
_NUMBERS = (
    *_SMALL,
    *_typed("decimal", "0.1", "1.0", "1.5"),
    *_typed("float", "0.1", "1", "16777216", "NaN", "-0.0"),
    *_typed("double", "0.1", "2.0E0", "16777217", "NaN", "INF"),
    *_typed("byte", "2", "300"),
)
_DATES = (
    *_typed("dateTime", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00", "2020-01-01T10:00:00Z"),
    *_typed("dateTime", "2019-12-31T23:00:00-05:00", "2020-01-02T00:00:00", "2020-01-01T24:00:00Z"),
    *_typed("dateTimeStamp", "2020-01-01T00:00:00+01:00"),
    *_typed("date", "2020-01-01", "2020-01-02", "2020-01-01Z", "2019-12-31-14:00"),
    *_typed("gYear", "2020", "2021"),
    *_typed("gYearMonth", "2020-01"),
)
_REST = (
    *_typed("integer", "abc"),
    *_typed("positiveInteger", "1", "-5"),
    *_typed("string", "", "a", "b", "ab", "1"),
    *_typed("token", "a"),
    *_typed("anyURI", "a", "u:a"),
    *_typed("boolean", "true", "false", "1"),
    *_typed("dateTime", "2021-02-30T00:00:00Z"),
    *_typed("time", "10:00:00", "24:00:00"),
    *_typed("duration", "P1M", "P30D"),
    *_typed("hexBinary", "aa", "AA", "ab"),
    Literal("1/2", datatype=OWL.rational),
    Literal("a", language="en"),
    Literal("b", language="en"),
    Literal("a", language="de"),
    Literal("x", datatype=NamedNode("u:type")),
    Literal("y", datatype=NamedNode("u:type")),
    NamedNode("u:a"),
    NamedNode("u:b"),
    BlankNode("n"),
)
MIXED = Pool(
    "mixed",
    (*_NUMBERS, *_DATES, *_REST),
    ("a", "b"),
    ("integer", "decimal", "float", "double", "string", "dateTime", "boolean", "date", "byte", "token", "anyURI"),
)
_NUMERIC = ("integer", "decimal", "float", "double", "nonNegativeInteger", "byte")
NUMBERS = Pool("numbers", _NUMBERS, ("a", "b", "c"), _NUMERIC)
# rdflib orders NaN, and infinite numbers make it fail.
FINITE = Pool(
    "numbers",
    tuple(term for term in _NUMBERS if isinstance(term, Literal) and term.value not in ("NaN", "INF")),
    ("a", "b"),
    _NUMERIC,
)
DATES = Pool("dates", _DATES, ("a", "b", "c"), ("dateTime", "dateTimeStamp", "date", "gYear"))


@dataclass(frozen=True)
class Case:
    """Conditions as text and as values, and facts about the variables."""

    text: str
    conditions: tuple[StatedCondition, ...]
    facts: tuple[KnownTerms | SameValue, ...]

    def only(self, numbers: Collection[int]) -> str:
        """The text of some of the conditions."""
        return " ".join(condition.text for condition in self.conditions if condition.origin in numbers)


def random_case(random: Random, pool: Pool) -> Case:
    """One to five conditions, and facts about some of the variables."""
    text = " ".join(_Writer(random, pool).condition() for _ in range(random.randint(1, 5)))
    return Case(text, tuple(conditions_in(text)), tuple(_facts(random, pool)))


def conditions_in(text: str) -> Iterator[StatedCondition]:
    """The FILTERs, BINDs and VALUES in the text of a group, numbered from 0."""
    whole = f"{_PROLOGUE}SELECT * {{ {text} }}"
    (query,) = read_document(whole).operations
    assert isinstance(query, QueryTree)
    assert query.where is not None
    for number, element in enumerate(query.where.elements):
        assert isinstance(element, Filter | Bind | Values)
        content = element.condition if isinstance(element, Filter) else element
        yield StatedCondition(content, number, whole[element.span.start : element.span.end])


def _facts(random: Random, pool: Pool) -> Iterator[KnownTerms | SameValue]:
    for number, name in enumerate(pool.names, 100):
        allowed = _allowed(random, pool)
        if allowed is not None:
            yield KnownTerms(Variable(name), number, allowed)
    if random.random() < 0.15:
        left, right = random.sample(pool.names, 2)
        yield SameValue(Variable(left), Variable(right), 200, by_term=random.random() < 0.3)


def _allowed(random: Random, pool: Pool) -> TermSet | None:
    kind = random.randrange(8)
    if kind == 0 and pool.kind == "mixed":
        return NODES
    if kind == 1:
        return TermSet.of_terms(random.sample(pool.constants, random.randint(1, 3)))
    if kind < 5:
        return TermSet.of_values(ValueSet.of_datatype(XSD[random.choice(pool.datatypes)]))
    return None


# -- text --------------------------------------------------------------------------------------------------------------

_FUNCTIONS = ("STR", "LANG", "DATATYPE", "STRLEN", "YEAR", "MONTH", "HOURS", "ABS", "CEIL", "UCASE", "IRI", "MD5", "TZ")
_CASTS = ("xsd:integer", "xsd:double", "xsd:string", "xsd:boolean", "xsd:dateTime", "xsd:decimal", "xsd:date")


@dataclass(frozen=True)
class _Writer:
    """Writes random conditions on the variables and terms of a pool."""

    random: Random
    pool: Pool

    def condition(self) -> str:
        if self.random.random() < 0.05:
            rows = " ".join(self._constant() for _ in range(self.random.randint(1, 3)))
            return f"VALUES {self._variable()} {{ {rows} }}"
        return f"FILTER({self._truth(2)})"

    def _truth(self, depth: int) -> str:
        kind = self.random.random()
        if depth and kind < 0.08:
            return f"({self._truth(depth - 1)} && {self._truth(depth - 1)})"
        if depth and kind < 0.16:
            return f"({self._truth(depth - 1)} || {self._truth(depth - 1)})"
        if depth and kind < 0.24:
            return f"!({self._truth(depth - 1)})"
        if depth and kind < 0.27:
            name = self.random.choice(("IF", "COALESCE"))
            return f"{name}({', '.join(self._truth(depth - 1) for _ in range(3))})"
        if kind < 0.33:
            members = ", ".join(self._operand(0) for _ in range(self.random.randint(1, 3)))
            return f"{self._variable()} {self.random.choice(('IN', 'NOT IN'))} ({members})"
        if self.pool.kind == "mixed" and kind < 0.45:
            return self._test()
        operator = self.random.choice(("=", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="))
        return f"{self._operand(1)} {operator} {self._operand(1)}"

    def _test(self) -> str:
        name = self.random.choice(("isIRI", "isLiteral", "isBlank", "isNumeric", "BOUND", "", "two"))
        if name == "two":
            name = self.random.choice(("CONTAINS", "STRSTARTS", "STRENDS", "sameTerm", "REGEX", "langMatches"))
            return f"{name}({self._operand(1)}, {self._operand(0)})"
        return f"{name}({self._variable()})" if name else self._operand(1)

    def _operand(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.55:
            return self._variable()
        if not depth or kind < 0.85:
            return self._constant()
        if self.pool.kind != "numbers" and kind < 0.93:
            return f"{self.random.choice((*_FUNCTIONS, *_CASTS, '-'))}({self._operand(0)})"
        return f"({self._operand(0)} {self.random.choice('+-+-*/')} {self._operand(0)})"

    def _variable(self) -> str:
        return "?" + self.random.choice(self.pool.names)

    def _constant(self) -> str:
        # Small numbers contradict each other more often than terms of any kind.
        is_small = self.pool.kind != "dates" and self.random.random() < 0.5
        return str(self.random.choice(_SMALL if is_small else self.pool.constants))


# -- engines -----------------------------------------------------------------------------------------------------------


def solutions(pool: Pool, text: str, facts: Sequence[KnownTerms | SameValue]) -> Iterator[dict[str, Term]]:
    """The values from the pool for which pyoxigraph finds the conditions true. The facts are not looked at."""
    names = names_in(pool, text, facts)
    found = pool.store.query(question(names, text))
    assert isinstance(found, QuerySolutions)
    for row in found:
        yield {name: row[name] for name in names}


def names_in(pool: Pool, text: str, facts: Sequence[KnownTerms | SameValue]) -> list[str]:
    """The variables of the pool that the conditions or the facts are about."""
    ends = [(fact.variable,) if isinstance(fact, KnownTerms) else (fact.left, fact.right) for fact in facts]
    named = {variable.name for variables in ends for variable in variables}
    return [name for name in pool.names if f"?{name}" in text or name in named]


def question(names: Sequence[str], text: str) -> str:
    """A query for all values from the pool for which the conditions are true."""
    patterns = " ".join(f"<u:s> <u:p> ?{name} ." for name in names)
    return f"{_PROLOGUE}SELECT * {{ {patterns} {text} }}"


def fits(values: Mapping[str, Term], facts: Sequence[KnownTerms | SameValue]) -> bool:
    """Whether the facts allow these values."""
    for fact in facts:
        if isinstance(fact, KnownTerms):
            term = values.get(fact.variable.name)
            if term is not None and not _may_be(term, fact.allowed):
                return False
        elif not _is_same(values.get(fact.left.name), values.get(fact.right.name), by_term=fact.by_term):
            return False
    return True


def _may_be(term: Term, allowed: TermSet) -> bool:
    if allowed.terms is not None:
        return any(_is_same(term, each) for each in allowed.terms)
    # A literal of an unknown datatype may have any value, but not two values at once.
    return allowed.literals.contains(term) is True if isinstance(term, Literal) else term in allowed


def _is_same(left: Term | None, right: Term | None, *, by_term: bool = False) -> bool:
    if left is None or right is None or left == right:
        return True
    if by_term or not isinstance(left, Literal) or not isinstance(right, Literal):
        return False
    value = value_of(left)
    return isinstance(value, Value) and value == value_of(right)
