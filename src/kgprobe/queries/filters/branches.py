"""The ways in which a condition can be true, each as a list of simple claims.

Disjunctions, IN, IF and negations are split: `?a < 1 || ?a > 5` can be true in two ways. An operand of `||` may be an
error if the other is true, so a way claims nothing about the other operand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import Term
from kgprobe.sparql.algebra import Bind, Call, Constant, Expression, Span, Values, VariableUse

__all__ = [
    "COMPARISONS",
    "FLIPPED",
    "Claim",
    "Compare",
    "IsBound",
    "IsNan",
    "IsTerm",
    "TooManyWaysError",
    "Truth",
    "Way",
    "ways",
]


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
