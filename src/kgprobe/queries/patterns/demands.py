"""The OPTIONALs of a group that must match, because a FILTER of the group needs one of their variables.

`?u :name ?n OPTIONAL { ?u :age ?a } FILTER(?a > 17)` has no answer in which the OPTIONAL does not match: if `?a` has no
value, the condition has an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from kgprobe.rdf.pattern import Variable
from kgprobe.sparql.algebra import Bind, Call, Expression, Filter, Given, Group, Optional, VariableUse
from kgprobe.sparql.scopes import Bound, bound_by, bound_by_group
from kgprobe.sparql.traversal import conjuncts

__all__ = ["bound_if_demanded", "demanded", "needed_for_truth", "needed_in"]

_NONE: frozenset[Variable] = frozenset()


def needed_in(group: Group) -> frozenset[Variable]:
    """The variables without which the FILTERs of a group are not true, those that a BIND needs for others included."""
    found = _any_of(needed_for_truth(each.condition) for each in group.elements if isinstance(each, Filter))
    for element in reversed(group.elements):
        if isinstance(element, Bind) and element.variable in found:
            binders = sum(element.variable in bound_by(each).possible for each in group.elements)
            found |= _needed(element.expression, is_true=None) if binders == 1 else _NONE
    return found


def needed_for_truth(condition: Expression) -> frozenset[Variable]:
    """The variables without which a condition is not true."""
    return _any_of(_needed(part, is_true=True) for part in conjuncts(condition))


def demanded(group: Group, needed: frozenset[Variable], outside: frozenset[Variable]) -> list[Optional]:
    """The OPTIONALs of a group that match, because only they bind variables that have a value in the end.

    Variables from `outside` can have a value without them.
    """
    found = []
    for variable in needed - outside:
        if isinstance(variable, Given):
            continue
        binders = [each for each in group.elements if variable in bound_by(each).possible]
        if len(binders) == 1 and isinstance(binders[0], Optional) and binders[0] not in found:
            found.append(binders[0])
    return found


def bound_if_demanded(optionals: Iterable[Optional]) -> Bound:
    """The variables that OPTIONALs bind if they match."""
    return reduce(Bound.__or__, (bound_by_group(each.group) for each in optionals), Bound())


# -- expressions -------------------------------------------------------------------------------------------------------


def _needed(expression: Expression, *, is_true: bool | None) -> frozenset[Variable]:
    """The variables without which an expression is not true, is not false, or has no value at all (None)."""
    if isinstance(expression, VariableUse):
        return frozenset((expression.variable,))
    if not isinstance(expression, Call):
        return _NONE
    name, arguments = expression.name, expression.arguments
    if name == "BOUND":
        return _needed(arguments[0], is_true=None) if is_true else _NONE
    if name == "!":
        return _needed(arguments[0], is_true=None if is_true is None else not is_true)
    if name in ("&&", "||"):
        parts = [_needed(each, is_true=is_true) for each in arguments]
        # One operand can decide alone, even if the other has an error.
        return _any_of(parts) if is_true is (name == "&&") else _all_of(parts)
    if name == "COALESCE":
        return _all_of([_needed(each, is_true=None) for each in arguments])
    if name == "IF":
        return _needed(arguments[0], is_true=None)
    if name in ("IN", "NOT IN"):
        return _needed(arguments[0], is_true=None) if len(arguments) > 1 else _NONE
    if expression.is_extension:
        return _NONE
    return _any_of(_needed(each, is_true=None) for each in arguments)


def _any_of(parts: Iterable[frozenset[Variable]]) -> frozenset[Variable]:
    return _NONE.union(*parts)


def _all_of(parts: Iterable[frozenset[Variable]]) -> frozenset[Variable]:
    given = list(parts)
    return frozenset.intersection(*given) if given else _NONE
