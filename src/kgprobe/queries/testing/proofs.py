"""Proofs that cover all data: the pattern of a query cannot match, or whatever matches has a property.

Both use the facts that must hold whenever the query has an answer (`queries.patterns.worlds`). An answer comes from one
branch of each UNION, and from one way of each path, so a property is proven if it follows from each combination of
them. A proof is sound, but many true statements have none here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice, product
from math import prod
from operator import and_

from kgprobe.owl.datatypes import FACET_OF_SIGN
from kgprobe.owl.expression import Argument, Expression
from kgprobe.owl.meaning import evaluate
from kgprobe.owl.value_sets import EVERYTHING, ValueSet
from kgprobe.queries.clashes.clash import ClashFinder
from kgprobe.queries.clashes.reasoning import Engines
from kgprobe.queries.diagnosis.proving import Blame, Prover, message_of
from kgprobe.queries.diagnosis.views import View
from kgprobe.queries.filters.expressions import FLIPPED
from kgprobe.queries.patterns.facts import Choice, Condition, Fact, label_of
from kgprobe.queries.patterns.worlds import worlds_of
from kgprobe.queries.schema import Schema
from kgprobe.queries.statements import variable
from kgprobe.queries.testing.facts import BeyondRulesError, Certainty, Facts, Rules, ValueSpace
from kgprobe.queries.testing.request import AtMost, Empty, Expectation, Property, Related
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import XSD, Literal, NamedNode, Term
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Entails, Reasoner
from kgprobe.sparql.algebra import Call, Constant, Element, GraphGroup, Group, QueryTree, Union, VariableUse
from kgprobe.sparql.algebra import Expression as QueryExpression
from kgprobe.sparql.scopes import has_row_without_match
from kgprobe.sparql.traversal import conjuncts

_SECONDS = 10.0
_MOST_WAYS = 64
_COMPARISONS = frozenset({*FACET_OF_SIGN, "="})
_ORDERED = (("integer", XSD.integer), ("dateTime", XSD.dateTime))


def why_no_match(query: QueryTree, schema: Schema, text: str) -> str:
    """Why the query has no answer on any data; empty if it may have one."""
    worlds = worlds_of(query)
    if not worlds or has_row_without_match(query):
        return ""
    with closing(Engines()) as engines:
        prover = Prover(schema, ClashFinder(schema, engines))
        for found in prover.findings(worlds[:1], text):
            if isinstance(found, Blame) and found.conflict.is_proof:
                return message_of(found, lambda fact: text.count("\n", 0, fact.source.span.start) + 1)
    return ""


@dataclass(frozen=True)
class Pattern:
    """What must hold for the variables of a query whenever it has an answer that comes from one way to match.

    `bound` are the variables that can have a value then.
    """

    schema: Schema
    view: View
    facts: Facts
    bound: frozenset[Variable]

    @classmethod
    def all_of(cls, query: QueryTree, schema: Schema, space: ValueSpace) -> list[Pattern]:
        """The patterns of a query, one for each way to match; none if they do not cover all answers."""
        if has_row_without_match(query) or query.form not in ("SELECT", "ASK"):
            return []  # the variables of a triple that is made are not those of the query
        computed = {each.variable for each in query.projected or () if each.expression is not None}
        computed |= set(query.values.variables if query.values is not None else ())
        axioms = schema.ontology.axioms
        rules = Rules.of(axioms, space)
        found = []
        for tree in _without_unions(query):
            world = next(iter(worlds_of(tree)), None)
            if world is None:
                return []
            for facts in _without_choices(world.facts):
                view = View(tuple(enumerate(facts)), schema)
                pattern = cls(schema, view, Facts(space), world.possible | computed)
                try:
                    rules.assertions(pattern.facts, [*axioms, *pattern.axioms()])
                    rules.saturate(pattern.facts)
                except BeyondRulesError:
                    return []
                found.append(pattern)
        return found

    def axioms(self) -> list[Expression]:
        """The pattern as assertions about the individuals that its variables stand for."""
        stated = [statement.axiom for statement in self.view.statements]
        for link in self.view.links:
            source = link.subject if isinstance(link.subject, NamedNode) else None
            if isinstance(link.subject, Variable):
                source = variable(label_of(link.subject))
            if source is None or link.predicate is None or not isinstance(link.object, Variable):
                continue
            if self.view.kind(link) == "DataProperty":
                for each in self.limits(link.object):
                    restricted = Expression("DataSomeValuesFrom", link.predicate, each)
                    stated.append(Expression("ClassAssertion", restricted, source))
        return stated

    def values(self, name: Variable) -> ValueSet:
        """The values that a variable can have, if it stands for a literal."""
        ranges = [
            self.schema.values_of(link.predicate)
            for link in self.view.links
            if link.object == name and link.predicate is not None and self.view.kind(link) == "DataProperty"
        ]
        return reduce(and_, ranges, EVERYTHING)

    def limits(self, name: Variable) -> Iterator[Expression]:
        """Data ranges that the conditions on a variable imply: one for all of them."""
        spaces = {space.partition(" ")[0] for space in self.values(name).spaces}
        for space, datatype in _ORDERED:
            if spaces != {space}:
                continue
            facets: list[Argument] = []
            for _, fact in self.view.facts:
                if isinstance(fact, Condition):
                    for part in conjuncts(fact.expression):
                        facets += _facets(part, name, datatype)
            if facets:
                yield Expression("DatatypeRestriction", datatype, *facets)


def _without_unions(query: QueryTree) -> list[QueryTree]:
    """The query with one branch of each UNION that must match, for each combination; the query itself if too many."""
    if query.where is None:
        return [query]
    groups = list(islice(_with_branches(query.where), _MOST_WAYS + 1))
    return [replace(query, where=group) for group in groups] if len(groups) <= _MOST_WAYS else [query]


def _with_branches(group: Group) -> Iterator[Group]:
    return (replace(group, elements=elements) for elements in _combined([_ways(each) for each in group.elements]))


def _ways(element: Element) -> Callable[[], Iterator[Element]]:
    match element:
        case Union(branches=branches):
            return lambda: (way for branch in branches for way in _with_branches(branch))
        case Group():
            return lambda: _with_branches(element)
        case GraphGroup(group=inner):
            return lambda: (replace(element, group=way) for way in _with_branches(inner))
        case _:
            return lambda: iter((element,))


def _combined(ways: Sequence[Callable[[], Iterator[Element]]]) -> Iterator[tuple[Element, ...]]:
    """All combinations, made only as far as they are read: the branches of a few UNIONs may have millions."""
    if not ways:
        yield ()
        return
    for first in ways[0]():
        for others in _combined(ways[1:]):
            yield (first, *others)


def _without_choices(facts: Sequence[Fact]) -> list[list[Fact]]:
    """The facts with the edges of one way of each path, for each combination; without these paths if too many."""
    choices = [fact for fact in facts if isinstance(fact, Choice)]
    others: list[Fact] = [fact for fact in facts if not isinstance(fact, Choice)]
    if prod(len(choice.ways) for choice in choices) > _MOST_WAYS:
        return [others]
    return [
        [*others, *(edge for way in chosen for edge in way)] for chosen in product(*(choice.ways for choice in choices))
    ]


def _facets(condition: QueryExpression, name: Variable, datatype: NamedNode) -> list[Argument]:
    if not isinstance(condition, Call) or len(condition.arguments) != 2 or condition.name not in _COMPARISONS:
        return []
    one, other = condition.arguments
    sign = condition.name
    if isinstance(one, Constant):
        one, other, sign = other, one, FLIPPED[sign]
    if not isinstance(one, VariableUse) or one.variable != name or not isinstance(other, Constant):
        return []
    limit = other.term
    if not isinstance(limit, Literal) or limit.datatype != datatype:
        return []
    if datatype == XSD.dateTime and not limit.value.endswith("Z"):
        return []  # without a time zone, SPARQL and OWL order times differently
    if sign == "=":
        return [XSD.minInclusive, limit, XSD.maxInclusive, limit] if datatype == XSD.integer else []
    return [FACET_OF_SIGN[sign], limit]


@dataclass(frozen=True)
class _CertaintyOfPattern(Certainty):
    """What is certain from the facts of a pattern, in which literals are known by their sets of values."""

    is_below: Callable[[Argument, Argument], bool]

    def at_least_values(
        self, least: int, names: Sequence[Argument], values: Argument, node: Term, *, is_negated: bool
    ) -> bool:
        if super().at_least_values(least, names, values, node, is_negated=is_negated):
            return True
        if is_negated or least > 1 or len(names) > 1:
            return False
        wanted = ValueSet.of_range(values)
        return any(
            self.is_below(promise.args[0], names[0]) and ValueSet.of_range(promise.args[1]).is_within(wanted) is True
            for owner, promise in self.facts.obligations
            if owner == node and promise.head == "DataSomeValuesFrom"
        )


class PropertyProver:
    """Proves that every answer has a property."""

    def __init__(self, patterns: Sequence[Pattern], schema: Schema, reasoner: Reasoner) -> None:
        """The patterns are those of all ways to match."""
        self._patterns = patterns
        self._schema = schema
        self._reasoner = reasoner

    def proves(self, property_: Property) -> bool:
        """Whether each pattern entails the property."""
        return bool(self._patterns) and all(self._follows_from(pattern, property_) for pattern in self._patterns)

    def _follows_from(self, pattern: Pattern, property_: Property) -> bool:
        match property_:
            case Expectation(variable=name) if Variable(name) not in pattern.bound:
                return True  # a variable without a value has every property
            case Expectation(variable=name, kind=kind, is_data_range=True):
                known = Variable(name) in pattern.view.literals
                limits = [ValueSet.of_range(each) for each in pattern.limits(Variable(name))]
                values = reduce(and_, limits, pattern.values(Variable(name)))
                return known and values.is_within(ValueSet.of_range(kind)) is True
            case Expectation(variable=name, kind=kind):
                if Variable(name) not in pattern.view.nodes:
                    return False
                return self._follows(pattern, Expression("ClassAssertion", kind, variable(name)))
            case Related():
                return self._is_related(pattern, property_)
            case _:
                return False

    def _is_related(self, pattern: Pattern, relation: Related) -> bool:
        if any(Variable(name) not in pattern.bound for name in relation.variables):
            return True
        ends = [
            variable(label_of(part)) if isinstance(part, Variable) else part
            for part in (relation.subject, relation.object)
        ]
        if any(Variable(name) not in pattern.view.nodes for name in relation.variables):
            return False
        if "ObjectProperty" not in self._schema.kinds(relation.predicate):
            return False
        return self._follows(pattern, Expression("ObjectPropertyAssertion", relation.predicate, *ends))

    def _follows(self, pattern: Pattern, question: Expression) -> bool:
        if question.head == "ClassAssertion":
            kind, individual = question.args
            certainty = _CertaintyOfPattern(pattern.facts, self._is_below)
            if evaluate(kind, certainty, pattern.facts.node(individual)):  # type: ignore[arg-type]
                return True
        axioms = pattern.axioms()
        module = self._schema.module([*axioms, question])
        ontology = Ontology((*module.stated(), *axioms))
        (answer,) = self._reasoner.answer(ontology, [Entails(question)], seconds=_SECONDS)
        return answer.decided and answer.value is True

    def _is_below(self, lower: Argument, upper: Argument) -> bool:
        return isinstance(lower, NamedNode) and upper in self._schema.super_properties(lower)


def proven_by_no_match(properties: Sequence[Property]) -> bool:
    """Whether a query without any answer has all these properties."""
    return all(isinstance(each, Empty | AtMost) for each in properties) and bool(properties)
