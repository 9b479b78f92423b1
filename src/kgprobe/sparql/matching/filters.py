"""What our own matching supports: triples, filters, and EXISTS with the same. And when a filter holds.

A group may contain other parts. They are left out, and mark the result as incomplete. The triples that are found are
still conditions that every solution meets. The common filters are evaluated here, and all others by pyoxigraph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pyoxigraph

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Filter, TriplePattern, Variable
from kgprobe.rdf.table import Key, KeyTriple, TripleTable
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term
from kgprobe.sparql import algebra
from kgprobe.sparql.algebra import Call, Expression, VariableUse
from kgprobe.sparql.documents import group_in
from kgprobe.sparql.engine.exact_store import PreparedQuery
from kgprobe.sparql.engine.rewriting import stand_in
from kgprobe.sparql.tokens import tokens
from kgprobe.sparql.traversal import has_exists, variables_in, without_negation

__all__ = ["NameTest", "Test", "remembered"]


@dataclass(frozen=True)
class Condition:
    """The expression of a filter without EXISTS, and its text."""

    expression: algebra.Expression
    text: str

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables in the expression, each once."""
        return tuple(dict.fromkeys(variables_in(self.expression)))


@dataclass(frozen=True)
class Exists:
    """EXISTS or NOT EXISTS with a group that is supported."""

    group: Group
    negated: bool


@dataclass
class Group:
    """The supported parts of a group; `complete` if it has no others."""

    triples: list[TriplePattern] = field(default_factory=list)
    filters: list[Condition | Exists] = field(default_factory=list)
    complete: bool = True


def query_of(text: str) -> str:
    """The query for all solutions of a WHERE clause with this text. The text begins on the second line."""
    return f"SELECT * WHERE {{\n{text}\n}}"


def read_group(text: str, prefixes: Mapping[str, str]) -> Group:
    """Read the content of a group, without its braces. It is part of a valid query."""
    query = query_of(text)
    found = group_in(query, prefixes)
    return Group(complete=False) if found is None else _supported(found, query)


def _supported(group: algebra.Group, text: str) -> Group:
    found = Group()
    triples: list[algebra.PlacedTriple] = []
    for element in group.elements:
        if isinstance(element, algebra.PlacedTriple):
            if isinstance(element.predicate, Variable | NamedNode):
                triples.append(element)
            else:
                found.complete = False
        elif isinstance(element, algebra.Filter) and (condition := _condition(element, text)) is not None:
            found.filters.append(condition)
        else:
            found.complete = False
    # The triples inside brackets come before the one that the brackets are part of.
    triples.sort(key=lambda triple: triple.span.end)
    found.triples = [(each.subject, each.predicate, each.object) for each in triples]  # type: ignore[misc]
    return found


def _condition(element: algebra.Filter, text: str) -> Condition | Exists | None:
    """The condition of a filter; None if it is not supported: EXISTS is only supported on its own."""
    start = element.span.start + len("FILTER")
    first = next(token for token in tokens(text) if token.start >= start)
    if isinstance(element.condition, algebra.Exists) and first.text != "(":
        inner = _supported(element.condition.group, text)
        return Exists(inner, element.condition.is_negated) if inner.complete else None
    if has_exists(element.condition):
        return None
    return Condition(element.condition, text[first.start : element.span.end])


# -- filters -----------------------------------------------------------------------------------------------------------

# A function that a FILTER may call. It takes the keys of its arguments, all of which are variables.
Test: TypeAlias = Callable[[Graph, tuple[Key, ...]], bool]


@dataclass(frozen=True)
class NameTest:
    """A test of one name that depends only on the name's types."""

    holds: Callable[[Graph, Key], bool]
    # A cache of the answers for the names of a table, because the same names are drawn repeatedly. If the types of a
    # name have changed, the changed triples are the key instead of the name: with the table, they determine its types.
    known: Callable[[TripleTable], dict[Any, bool]]

    def __call__(self, graph: Graph, keys: tuple[Key, ...]) -> bool:
        [name] = keys
        key: Key | tuple[KeyTriple, ...] = name
        changes = graph.changes_at(0, name)
        if changes is not None:
            is_a = graph.table.is_a
            key = tuple([triple for triple in changes if triple[1] == is_a]) or name
        answers = self.known(graph.table)
        answer = answers.get(key)
        if answer is None:
            answer = answers[key] = self.holds(graph, name)
        return answer


def remembered(test: Test) -> Test:
    """The test with a cache: each combination of values is tested once for each state of a graph.

    This is for tests that cost more than a lookup. Drawing from a few values tests the same ones repeatedly, and goes
    through all of them if no match was found.
    """

    def ask(graph: Graph, keys: tuple[Key, ...]) -> bool:
        answers = graph.cached(_no_answers)
        answer = answers.get((test, keys))
        if answer is None:
            answer = answers[test, keys] = test(graph, keys)
        return answer

    return ask


def _no_answers(_: Graph) -> dict[tuple[Test, tuple[Key, ...]], bool]:
    """An empty cache, to be filled later."""
    return {}


_KINDS: dict[str, type] = {"ISIRI": NamedNode, "ISURI": NamedNode, "ISBLANK": BlankNode, "ISLITERAL": Literal}
# The term of the first variable, in an expression that stands for a filter.
_TERM = "terms[{0}] if type({0}) is int else {0}"
# How many answers of pyoxigraph are cached for one filter. An evaluation takes about 50 µs, a cache hit less than 1.
_REMEMBERED = 1 << 14


def filter_of(condition: Condition, visible: tuple[Variable, ...], prefixes: Mapping[str, str]) -> Filter:
    """The filter for a condition. Variables that are not visible have no value in it."""
    variables = tuple(variable for variable in condition.variables if variable in visible)
    call, is_negated = without_negation(condition.expression)
    if isinstance(call, Call) and len(variables) == len(condition.variables):
        arguments = _variables_of(call)
        if call.name in ("=", "!=") and len(arguments) == 2 and not is_negated:
            return _comparison(call.name, *arguments, _ask(condition.text, variables, prefixes))
        if call.name == "SAMETERM" and len(arguments) == 2 and not is_negated:
            return Filter(arguments, lambda _, keys: keys[0] == keys[1])
        if call.name in _KINDS and len(arguments) == 1:
            return _kind(_KINDS[call.name], arguments, wanted=not is_negated)
    ask = _ask(condition.text, variables, prefixes)
    return Filter(variables, lambda graph, keys: ask(*map(graph.term, keys)))


def test_of(expression: Expression, visible: tuple[Variable, ...], tests: Mapping[str, Test]) -> Filter | None:
    """The filter for a call of one of these functions, negated or not; None for any other expression."""
    call, is_negated = without_negation(expression)
    test = tests.get(call.name) if isinstance(call, Call) else None
    if not isinstance(call, Call) or not test or len(arguments := _variables_of(call)) < len(call.arguments):
        return None
    if not set(arguments) <= set(visible):
        return Filter((), lambda _, __: False)  # a call without a value is an error, and an error is not true
    if not is_negated:
        return Filter(arguments, test, known=test.known if isinstance(test, NameTest) else None)
    return Filter(arguments, lambda graph, keys: not test(graph, keys))


def _variables_of(call: Call) -> tuple[Variable, ...]:
    """The arguments that are variables."""
    return tuple(argument.variable for argument in call.arguments if isinstance(argument, VariableUse))


def _comparison(sign: str, one: Variable, other: Variable, ask: Callable[..., bool]) -> Filter:
    wanted = sign == "="

    def holds(graph: Graph, keys: tuple[Key, ...]) -> bool:
        first, second = graph.term(keys[0]), graph.term(keys[1])
        if isinstance(first, Literal) and isinstance(second, Literal):
            return ask(first, second) if one != other else ask(first)  # literals are compared by value
        return (keys[0] == keys[1]) is wanted

    # Terms other than literals are compared by their keys.
    inline = f"{{call}} if type({_TERM}) is Literal else ({{0}} == {{1}}) is {wanted}"
    return Filter((one, other), holds, inline)


def _kind(kind: type, variables: tuple[Variable, ...], *, wanted: bool) -> Filter:
    return Filter(
        variables,
        lambda graph, keys: isinstance(graph.term(keys[0]), kind) is wanted,
        f"(type({_TERM}) is {kind.__name__}) is {wanted}",
    )


def _ask(text: str, variables: tuple[Variable, ...], prefixes: Mapping[str, str]) -> Callable[..., bool]:
    """A function with which pyoxigraph evaluates the expression for given values of its variables."""
    store = pyoxigraph.Store()
    names = " ".join(map(str, variables)) or "*"
    query = PreparedQuery.of(f"SELECT {names} WHERE {{ FILTER {text} }}", "<filter>", prefixes)
    substituted = [pyoxigraph.Variable(variable.name) for variable in variables]

    @functools.lru_cache(maxsize=_REMEMBERED)
    def ask(*terms: Term) -> bool:
        stored = [stand_in(term) for term in terms]
        substitutions = dict(zip(substituted, stored, strict=True))
        found = query.results(store, substitutions=substitutions, has_stand_ins=stored != list(terms))
        assert isinstance(found, pyoxigraph.QuerySolutions)  # noqa: S101 - SELECT returns solutions
        return next(found, None) is not None

    return ask
