"""Which class expressions OWL 2 QL and RL allow where: the grammars of the two profiles.

Each grammar is a table from constructs to a test of their arguments. What is not in the table is not allowed.
OWL 2 EL allows the same everywhere, and has no table here.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from kgprobe.graph.axioms.expression import Argument, Expression, number
from kgprobe.graph.terms import OWL

__all__ = ["Position", "fits"]


class Position(Enum):
    """Where a class expression stands: left or right of SubClassOf, or in EquivalentClasses."""

    QL_SUB = "a subclass in OWL 2 QL"
    QL_SUPER = "a superclass in OWL 2 QL"
    RL_SUB = "a subclass in OWL 2 RL"
    RL_SUPER = "a superclass in OWL 2 RL"
    RL_EQUIVALENT = "an equivalent class in OWL 2 RL"


def fits(expression: Argument, position: Position) -> bool:
    """Whether the profile allows the expression in this position."""
    if type(expression) is not Expression:
        return _name_fits(expression, position)
    # From the innermost expression to the outermost, not recursively: a hostile tree is deeper than Python's stack.
    order: list[Expression] = [expression]
    for tree in order:
        order.extend(argument for argument in tree.args if type(argument) is Expression)
    known: _Known = {}
    for tree in reversed(order):
        known[id(tree)] = {
            each for each, grammar in _GRAMMARS.items() if tree.head in grammar and grammar[tree.head](tree, known)
        }
    return position in known[id(expression)]


_Known: TypeAlias = "dict[int, set[Position]]"
_Test: TypeAlias = Callable[[Expression, _Known], bool]


def _name_fits(name: Argument, position: Position) -> bool:
    return name != OWL.Thing or position in (Position.QL_SUB, Position.QL_SUPER)


def _part_fits(part: Argument, position: Position, known: _Known) -> bool:
    return position in known[id(part)] if type(part) is Expression else _name_fits(part, position)


def _always(_: Expression, __: _Known) -> bool:
    return True


def _operands(position: Position) -> _Test:
    return lambda tree, known: all(_part_fits(operand, position, known) for operand in tree.args)


def _filler(position: Position) -> _Test:
    return lambda tree, known: _part_fits(tree.args[1], position, known)


def _thing_filler(tree: Expression, _: _Known) -> bool:
    return tree.args[1] == OWL.Thing


def _named_filler(tree: Expression, _: _Known) -> bool:
    return type(tree.args[1]) is not Expression


def _rl_some(tree: Expression, known: _Known) -> bool:
    return tree.args[1] == OWL.Thing or _part_fits(tree.args[1], Position.RL_SUB, known)


def _at_most_one(tree: Expression, _: _Known) -> bool:
    return number(tree.args[0]) <= 1


def _rl_at_most_one(tree: Expression, known: _Known) -> bool:
    filler = tree.args[2] if len(tree.args) > 2 else OWL.Thing
    return number(tree.args[0]) <= 1 and (filler == OWL.Thing or _part_fits(filler, Position.RL_SUB, known))


_GRAMMARS: dict[Position, dict[object, _Test]] = {
    Position.QL_SUB: {
        "DataSomeValuesFrom": _always,
        "ObjectSomeValuesFrom": _thing_filler,
    },
    Position.QL_SUPER: {
        "DataSomeValuesFrom": _always,
        "ObjectSomeValuesFrom": _named_filler,
        "ObjectComplementOf": _operands(Position.QL_SUB),
        "ObjectIntersectionOf": _operands(Position.QL_SUPER),
    },
    Position.RL_SUB: {
        "DataHasValue": _always,
        "DataSomeValuesFrom": _always,
        "ObjectHasValue": _always,
        "ObjectOneOf": _always,
        "ObjectIntersectionOf": _operands(Position.RL_SUB),
        "ObjectUnionOf": _operands(Position.RL_SUB),
        "ObjectSomeValuesFrom": _rl_some,
    },
    Position.RL_SUPER: {
        "DataAllValuesFrom": _always,
        "DataHasValue": _always,
        "DataMaxCardinality": _at_most_one,
        "ObjectAllValuesFrom": _filler(Position.RL_SUPER),
        "ObjectComplementOf": _operands(Position.RL_SUB),
        "ObjectHasValue": _always,
        "ObjectIntersectionOf": _operands(Position.RL_SUPER),
        "ObjectMaxCardinality": _rl_at_most_one,
    },
    Position.RL_EQUIVALENT: {
        "DataHasValue": _always,
        "ObjectHasValue": _always,
        "ObjectIntersectionOf": _operands(Position.RL_EQUIVALENT),
    },
}
