"""Conditions that are true whatever the values: they cannot be false, and cannot be an error.

Numbers that are written as owl:rational, which engines do not compare, are left out of account.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from kgprobe.graph.pattern import Variable
from kgprobe.graph.terms import OWL, Literal, NamedNode
from kgprobe.ontology.literal_values import Value, value_of
from kgprobe.queries.algebra import Call, Constant, Expression, Span, VariableUse
from kgprobe.sparql.filters.branches import COMPARISONS, TooManyWaysError, ways
from kgprobe.sparql.filters.expressions import evaluated
from kgprobe.sparql.filters.refutation import Fact, Link, is_refuted
from kgprobe.sparql.filters.term_sets import ANYTHING, TermSet

__all__ = ["always_true"]

# The values that all engines compare with each other. Dates are left out: engines differ on time zones.
_COMPARABLE = (
    frozenset({"integer", "decimal", "float", "double"}),
    frozenset({"string"}),
    frozenset({"boolean"}),
)
_TESTS = frozenset({"ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "SAMETERM", "BOUND"})


def always_true(condition: Expression, facts: Sequence[Fact | Link]) -> bool:
    """Whether the condition is true for all values of its variables that the facts allow."""
    known = [fact for fact in facts if isinstance(fact, Fact)]
    links = [fact for fact in facts if isinstance(fact, Link)]
    return _Sure(known).has_no_error(condition) and _is_never_false(condition, known, links)


def _is_never_false(condition: Expression, facts: Sequence[Fact], links: Sequence[Link]) -> bool:
    try:
        false_ways = ways(Call("!", (condition,), Span(0, 0)))
    except TooManyWaysError:
        return False
    return all(is_refuted(way, facts, links, (), with_nan=True) for way in false_ways)


class _Sure:
    """Knows which variables surely have a value, and which values."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._facts = list(facts)

    def has_no_error(self, expression: Expression) -> bool:
        """Whether the expression has a truth value for all values of its variables."""
        if not isinstance(expression, Call):
            return isinstance(expression, Constant) and _is_plain(expression)
        arguments = expression.arguments
        if expression.name in ("&&", "||", "!"):
            return all(map(self.has_no_error, arguments))
        if expression.name == "BOUND":
            return True
        if expression.name in ("IN", "NOT IN"):
            return all(self._is_comparable("=", arguments[0], member) for member in arguments[1:])
        if expression.name in COMPARISONS and len(arguments) == 2:
            return self._is_comparable(expression.name, arguments[0], arguments[1])
        return expression.name in _TESTS and all(map(self._has_value, arguments))

    def _is_comparable(self, operator: str, left: Expression, right: Expression) -> bool:
        if not self._has_value(left) or not self._has_value(right):
            return False
        terms = evaluated(left, self._of) | evaluated(right, self._of)
        if terms.literals.is_empty:
            return operator in ("=", "!=")
        is_literal = terms.iris.is_empty and not terms.blanks
        return is_literal and any(terms.literals.spaces <= family for family in _COMPARABLE)

    def _has_value(self, expression: Expression) -> bool:
        if isinstance(expression, Constant):
            return not isinstance(expression.term, Literal) or expression.term.datatype != OWL.rational
        return isinstance(expression, VariableUse) and any(
            fact.is_bound for fact in self._facts if fact.variable == expression.variable
        )

    def _of(self, variable: Variable) -> TermSet:
        about = (fact.allowed for fact in self._facts if fact.variable == variable)
        return reduce(TermSet.__and__, about, ANYTHING)


def _is_plain(constant: Constant) -> bool:
    if isinstance(constant.term, NamedNode) or not isinstance(constant.term, Literal):
        return False
    if constant.term.datatype == OWL.rational:
        return False
    value = value_of(constant.term)
    return isinstance(value, Value) and value.space in ("boolean", "string", "integer", "decimal")
