"""Expressions of SPARQL without their place in the text, and the terms that they may evaluate to."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import reduce

from kgprobe.owl.literal_values import Value, value_of
from kgprobe.owl.value_spaces import NUMBERS
from kgprobe.queries.filters.functions import UNSTEADY, aggregated, result_of
from kgprobe.queries.filters.term_sets import ANYTHING, FAMILIES, NO_TERM, TermSet
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import Literal
from kgprobe.sparql.algebra import Aggregate, Call, Constant, Exists, Expression, VariableUse

__all__ = ["Linear", "evaluated", "exact_number", "identity", "linear"]

_BOOLEANS = frozenset({"&&", "||", "IN", "NOT IN", "BOUND"})


def evaluated(expression: Expression, domain: Callable[[Variable], TermSet]) -> TermSet:
    """The terms that an expression may evaluate to; none if it must be an error."""
    if isinstance(expression, Constant):
        return TermSet.of_term(expression.term)
    if isinstance(expression, VariableUse):
        return domain(expression.variable)
    if isinstance(expression, Exists):
        return FAMILIES["boolean"]
    if isinstance(expression, Aggregate):
        argument = ANYTHING if expression.argument is None else evaluated(expression.argument, domain)
        return aggregated(expression.name, argument, has_rows=expression.has_rows)
    if expression.name in _BOOLEANS:
        return FAMILIES["boolean"]
    if expression.is_extension:
        return ANYTHING
    values = [evaluated(argument, domain) for argument in expression.arguments]
    if expression.name == "COALESCE":
        return reduce(TermSet.__or__, values, NO_TERM)
    if expression.name == "IF" and len(values) == 3:
        return NO_TERM if values[0].is_empty else values[1] | values[2]
    return result_of(expression.name, values)


def identity(expression: Expression) -> Hashable:
    """A key that is equal for expressions that have the same value in the same solution."""
    if isinstance(expression, VariableUse):
        return expression.variable
    if isinstance(expression, Constant):
        number = exact_number(expression)
        return expression.term if number is None else ("number", number)
    if isinstance(expression, Call) and expression.name not in UNSTEADY and not expression.is_extension:
        return (expression.name, *map(identity, expression.arguments))
    return ("place", expression.span)


def exact_number(expression: Expression) -> Fraction | None:
    """The number that a constant denotes, if it is neither a float nor a double."""
    if not isinstance(expression, Constant) or not isinstance(expression.term, Literal):
        return None
    value = value_of(expression.term)
    is_number = isinstance(value, Value) and value.space in NUMBERS
    return value.key if is_number and isinstance(value, Value) and isinstance(value.key, Fraction) else None


# -- sums --------------------------------------------------------------------------------------------------------------

Linear = tuple[dict[Hashable, int], Fraction]


def linear(expression: Expression, is_exact: Callable[[Expression], bool]) -> Linear | None:
    """The expression as a sum of parts and a number; None if a part may be a float, since sums of floats are rounded.

    `is_exact` tells whether a part is surely an integer or a decimal.
    """
    number = exact_number(expression)
    if number is not None:
        return {}, number
    if isinstance(expression, Call) and expression.name in ("+", "-"):
        sides = [linear(argument, is_exact) for argument in expression.arguments]
        known = [side for side in sides if side is not None]
        if len(known) != len(sides):
            return None
        sign = 1 if expression.name == "+" else -1
        return _sum(known[0], known[1], sign) if len(known) == 2 else _sum(({}, Fraction(0)), known[0], sign)
    return ({identity(expression): 1}, Fraction(0)) if is_exact(expression) else None


def _sum(left: Linear, right: Linear, sign: int) -> Linear:
    parts = dict(left[0])
    for part, count in right[0].items():
        parts[part] = parts.get(part, 0) + sign * count
    return {part: count for part, count in parts.items() if count}, left[1] + sign * right[1]
