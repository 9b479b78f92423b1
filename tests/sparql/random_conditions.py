"""Random conditions of SPARQL over a pool of awkward terms, and what engines make of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from pyoxigraph import QuerySolutions, Store

from kgprobe.graph.patterns.pattern import Variable
from kgprobe.graph.terms import OWL, XSD, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.ontology.literal_values import value_of
from kgprobe.queries.algebra import Bind, Filter, QueryTree, Values
from kgprobe.queries.documents import read_document
from kgprobe.sparql.conditions import Condition, Fact, Link
from kgprobe.sparql.term_sets import NODES, TermSet
from kgprobe.sparql.values import ValueSet

NAMES = ("a", "b", "c")
_PROLOGUE = f"PREFIX xsd: <{XSD.iri}> PREFIX owl: <{OWL.iri}> "


def _typed(datatype: str, *texts: str) -> list[Term]:
    return [Literal(text, datatype=XSD[datatype]) for text in texts]


POOL: tuple[Term, ...] = (
    *_typed("integer", "-1", "0", "1", "2", "3", "16777216", "16777217", "abc", "007"),
    *_typed("decimal", "0.1", "0.5", "1.0", "1.5", "2.5"),
    *_typed("float", "0.1", "1", "1.5", "16777216", "NaN", "INF", "-0.0"),
    *_typed("double", "0.1", "1", "2.0E0", "16777217", "NaN", "-INF"),
    *_typed("byte", "2", "300"),
    *_typed("positiveInteger", "1", "-5"),
    *_typed("string", "", "a", "b", "ab", "1"),
    *_typed("token", "a"),
    *_typed("anyURI", "a", "u:a"),
    *_typed("boolean", "true", "false", "1"),
    *_typed("dateTime", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00", "2020-01-01T10:00:00Z", "2019-12-31T23:00:00-05:00"),
    *_typed("dateTime", "2020-01-02T00:00:00", "2020-01-01T24:00:00Z", "2021-02-30T00:00:00Z"),
    *_typed("dateTimeStamp", "2020-01-01T00:00:00+01:00"),
    *_typed("date", "2020-01-01", "2020-01-02", "2020-01-01Z", "2019-12-31-14:00"),
    *_typed("gYear", "2020", "2021"),
    *_typed("gYearMonth", "2020-01"),
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
_CONSTANTS = tuple(term for term in POOL if not isinstance(term, BlankNode))
_DATATYPES = ("integer", "decimal", "float", "double", "string", "dateTime", "dateTimeStamp", "boolean", "date")
_DATATYPES += ("nonNegativeInteger", "byte", "token", "anyURI")


@dataclass(frozen=True)
class Case:
    """Conditions as text and as values, and facts about the variables."""

    text: str
    conditions: tuple[Condition, ...]
    facts: tuple[Fact | Link, ...]


def random_case(random: Random) -> Case:
    """One to four conditions, and facts about some of the variables."""
    text = " ".join(_condition(random) for _ in range(random.randint(1, 4)))
    return Case(text, tuple(conditions_in(text)), tuple(_facts(random)))


def conditions_in(text: str) -> Iterator[Condition]:
    """The FILTERs, BINDs and VALUES in the text of a group, numbered from 0."""
    (query,) = read_document(f"{_PROLOGUE}SELECT * {{ {text} }}").operations
    assert isinstance(query, QueryTree) and query.where is not None
    for number, element in enumerate(query.where.elements):
        if isinstance(element, Filter):
            yield Condition(element.condition, number)
        else:
            assert isinstance(element, Bind | Values)
            yield Condition(element, number)


def _facts(random: Random) -> Iterator[Fact | Link]:
    for number, name in enumerate(NAMES, 100):
        allowed = _allowed(random)
        if allowed is not None:
            yield Fact(Variable(name), number, allowed)
    if random.random() < 0.15:
        left, right = random.sample(NAMES, 2)
        yield Link(Variable(left), Variable(right), 200, by_term=random.random() < 0.3)


def _allowed(random: Random) -> TermSet | None:
    kind = random.randrange(6)
    if kind == 0:
        return NODES
    if kind == 1:
        return TermSet.of_terms(random.sample(_CONSTANTS, random.randint(1, 3)))
    if kind < 4:
        return TermSet.of_values(ValueSet.of_datatype(XSD[random.choice(_DATATYPES)]))
    return None


# -- text --------------------------------------------------------------------------------------------------------------


def _condition(random: Random) -> str:
    if random.random() < 0.05:
        rows = " ".join(_constant(random) for _ in range(random.randint(1, 3)))
        return f"VALUES ?{random.choice(NAMES)} {{ {rows} }}"
    return f"FILTER({_truth(random, 2)})"


def _truth(random: Random, depth: int) -> str:
    kind = random.random()
    if depth and kind < 0.1:
        return f"({_truth(random, depth - 1)} && {_truth(random, depth - 1)})"
    if depth and kind < 0.2:
        return f"({_truth(random, depth - 1)} || {_truth(random, depth - 1)})"
    if depth and kind < 0.3:
        return f"!({_truth(random, depth - 1)})"
    if kind < 0.37:
        members = ", ".join(_operand(random, 0) for _ in range(random.randint(1, 3)))
        return f"{_variable(random)} {random.choice(('IN', 'NOT IN'))} ({members})"
    if kind < 0.45:
        test = random.choice(("isIRI", "isLiteral", "isBlank", "isNumeric", "BOUND"))
        return f"{test}({_variable(random)})"
    if kind < 0.48:
        return _operand(random, 1)
    if kind < 0.52:
        test = random.choice(("CONTAINS", "STRSTARTS", "STRENDS", "sameTerm", "REGEX"))
        return f"{test}({_operand(random, 0)}, {_operand(random, 0)})"
    if depth and kind < 0.55:
        name = random.choice(("IF", "COALESCE"))
        return f"{name}({', '.join(_truth(random, depth - 1) for _ in range(3))})"
    operator = random.choice(("=", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="))
    return f"{_operand(random, 1)} {operator} {_operand(random, 1)}"


def _operand(random: Random, depth: int) -> str:
    kind = random.random()
    if kind < 0.5:
        return _variable(random)
    if not depth or kind < 0.85:
        return _constant(random)
    if kind < 0.93:
        function = random.choice(_FUNCTIONS)
        return f"{function}({_operand(random, 0)})"
    return f"({_operand(random, 0)} {random.choice('+-*/')} {_operand(random, 0)})"


_FUNCTIONS = ("STR", "LANG", "DATATYPE", "STRLEN", "YEAR", "MONTH", "HOURS", "ABS", "CEIL", "UCASE", "IRI", "MD5", "TZ")
_FUNCTIONS += ("xsd:integer", "xsd:double", "xsd:string", "xsd:boolean", "xsd:dateTime", "xsd:decimal", "xsd:date", "-")


def _variable(random: Random) -> str:
    return "?" + random.choice(NAMES)


def _constant(random: Random) -> str:
    # Constants of the same kind contradict each other more often.
    return str(random.choice(_CONSTANTS if random.random() < 0.4 else _CONSTANTS[:14]))


# -- engines -----------------------------------------------------------------------------------------------------------


def pool_store() -> Store:
    """A store with all terms of the pool."""
    store = Store()
    subject, predicate = NamedNode("u:s"), NamedNode("u:p")
    store.bulk_extend([_quad(Triple(subject, predicate, term)) for term in POOL])
    return store


def _quad(triple: Triple):  # type: ignore[no-untyped-def]  # pyoxigraph has no name for quads here
    from pyoxigraph import Quad

    return Quad(triple.subject, triple.predicate, triple.object)


def solutions(store: Store, text: str, variables: Iterable[str]) -> Iterator[dict[str, Term]]:
    """The values from the pool for which pyoxigraph finds the conditions true."""
    names = sorted(variables)
    patterns = " ".join(f"<u:s> <u:p> ?{name} ." for name in names)
    found = store.query(f"{_PROLOGUE}SELECT * {{ {patterns} {text} }}")
    assert isinstance(found, QuerySolutions)
    for row in found:
        yield {name: row[name] for name in names}  # type: ignore[misc]  # the pool has no triples


def fits(values: Mapping[str, Term], facts: Sequence[Fact | Link]) -> bool:
    """Whether the facts allow these values."""
    for fact in facts:
        if isinstance(fact, Fact):
            term = values.get(fact.variable.name)
            if term is not None and not _may_be(term, fact.allowed):
                return False
        elif not _is_same(values.get(fact.left.name), values.get(fact.right.name), by_term=fact.by_term):
            return False
    return True


def _may_be(term: Term, allowed: TermSet) -> bool:
    # A literal of an unknown datatype may have any value, but not two values at once.
    if isinstance(term, Literal) and allowed.terms is None and allowed.literals.contains(term) is not True:
        return False
    return term in allowed


def _is_same(left: Term | None, right: Term | None, *, by_term: bool) -> bool:
    if left is None or right is None or left == right:
        return True
    if by_term or not isinstance(left, Literal) or not isinstance(right, Literal):
        return False
    return value_of(left) == value_of(right)
