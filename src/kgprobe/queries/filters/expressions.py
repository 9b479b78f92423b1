"""Expressions of SPARQL without their place in the text: how they can be true, and the terms that they may evaluate to.

Disjunctions, IN, IF and negations are split: `?a < 1 || ?a > 5` can be true in two ways. An operand of `||` may be an
error if the other is true, so a way claims nothing about the other operand.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from kgprobe.owl.literal_values import NUMBERS, Value, value_of
from kgprobe.queries.filters.functions import aggregated, result_of
from kgprobe.queries.filters.term_sets import ANYTHING, FAMILIES, NO_TERM, TermSet
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import Literal, Term
from kgprobe.sparql.algebra import Aggregate, Bind, Call, Constant, Exists, Expression, Span, Values, VariableUse
from kgprobe.sparql.tokens import UNSTEADY


@dataclass(frozen=True, slots=True)
class Compare:
    """`left operator right` is true."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Truth:
    """The truth value of the expression is this, without an error."""

    expression: Expression
    is_true: bool


@dataclass(frozen=True, slots=True)
class IsBound:
    """The variable has a value, or has none."""

    variable: Variable
    is_bound: bool


@dataclass(frozen=True, slots=True)
class IsNan:
    """The value of the expression is NaN: then both `<` and `>=` are false."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class IsTerm:
    """The value of an expression is this term, or that of another expression."""

    expression: Expression
    term: Term | Expression


Claim: TypeAlias = Compare | Truth | IsBound | IsNan | IsTerm
Way: TypeAlias = tuple[Claim, ...]

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
# The same comparison with its operands exchanged.
FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_MOST = 200
_NO_SPAN = Span(0, 0)


class TooManyWaysError(Exception):
    """A condition can be true in more ways than anybody would look at."""


def ways(condition: Expression | Bind | Values) -> Sequence[Way]:
    """All ways in which a condition can hold. No way means that it never does."""
    if isinstance(condition, Bind):
        return ()  # a BIND never fails
    if isinstance(condition, Values):
        return [tuple(_row(condition.variables, row)) for row in condition.rows]
    return _ways(condition, is_true=True)


def _row(variables: Sequence[Variable], row: Sequence[Term | None]) -> Iterator[Claim]:
    for variable, term in zip(variables, row, strict=False):
        if term is not None:
            yield IsTerm(VariableUse(variable, _NO_SPAN), term)


def _ways(expression: Expression, *, is_true: bool) -> list[Way]:
    if not isinstance(expression, Call):
        return [(Truth(expression, is_true),)]
    name, arguments = expression.name, expression.arguments
    if name == "!" and len(arguments) == 1:
        return _ways(arguments[0], is_true=not is_true)
    if name in ("&&", "||"):
        parts = [_ways(argument, is_true=is_true) for argument in arguments]
        return _all_of(parts) if (name == "&&") == is_true else _any_of(parts)
    if name in ("IN", "NOT IN"):
        return _membership(arguments[0], arguments[1:], is_member=(name == "IN") == is_true)
    if name == "IF" and len(arguments) == 3:
        return _any_of(
            [
                _all_of([_ways(arguments[0], is_true=chosen), _ways(branch, is_true=is_true)])
                for chosen, branch in ((True, arguments[1]), (False, arguments[2]))
            ]
        )
    if name == "COALESCE":
        return _any_of([_ways(argument, is_true=is_true) for argument in arguments])
    if name == "BOUND" and isinstance(arguments[0], VariableUse):
        return [(IsBound(arguments[0].variable, is_true),)]
    if name in COMPARISONS and len(arguments) == 2:
        return _comparison(name, arguments[0], arguments[1], is_true=is_true)
    if name == "SAMETERM" and is_true and len(arguments) == 2:
        return [(IsTerm(arguments[0], arguments[1]),)]
    return [(Truth(expression, is_true),)]


def _comparison(name: str, left: Expression, right: Expression, *, is_true: bool) -> list[Way]:
    if is_true:
        return [(Compare(name, left, right),)]
    opposite: Way = (Compare(_OPPOSITE[name], left, right),)
    if name in ("=", "!="):
        return [opposite]
    return [opposite, *((IsNan(side),) for side in (left, right) if not isinstance(side, Constant))]


def _membership(value: Expression, members: Sequence[Expression], *, is_member: bool) -> list[Way]:
    if is_member:
        return _any_of([_comparison("=", value, member, is_true=True) for member in members])
    return _all_of([_comparison("=", value, member, is_true=False) for member in members])


def _any_of(parts: Sequence[list[Way]]) -> list[Way]:
    return _limited([way for part in parts for way in part])


def _all_of(parts: Sequence[list[Way]]) -> list[Way]:
    found: list[Way] = [()]
    for part in parts:
        found = _limited([(*way, *more) for way in found for more in part])
    return found


def _limited(found: list[Way]) -> list[Way]:
    if len(found) > _MOST:
        raise TooManyWaysError
    return found


# -- the terms that expressions may evaluate to ------------------------------------------------------------------------

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
    values = tuple(evaluated(argument, domain) for argument in expression.arguments)
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
