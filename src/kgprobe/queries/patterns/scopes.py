"""Which variables of one name are the same, and which must have a value because a FILTER needs it.

`?u :name ?n OPTIONAL { ?u :age ?a } FILTER(?a > 17)` has no answer in which the OPTIONAL does not match: if `?a` has no
value, the condition has an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce

from kgprobe.queries.patterns.facts import scoped
from kgprobe.rdf.pattern import Variable
from kgprobe.sparql.algebra import (
    Bind,
    Call,
    Exists,
    Expression,
    Filter,
    Given,
    GraphGroup,
    Group,
    Optional,
    QueryTree,
    VariableUse,
)
from kgprobe.sparql.scopes import Bound, bound_by, bound_by_group, renamed_by
from kgprobe.sparql.traversal import conjuncts


@dataclass(frozen=True)
class Scope:
    """Which variables of a part of the query are those of its surroundings; all others get a name of their own."""

    kept: frozenset[Variable] | None = None
    label: int = 0
    outer: Scope | None = None
    # Variables that the surroundings perhaps bind: EXISTS sees them, but the facts about them need not hold.
    perhaps: frozenset[Variable] = frozenset()

    def of(self, variable: Variable) -> Variable:
        if self.kept is None or self.outer is None or isinstance(variable, Given):
            return variable
        if variable in self.kept:
            return self.outer.of(variable)
        return scoped(variable, self.label)

    def all_of(self, variables: Iterable[Variable]) -> frozenset[Variable]:
        return frozenset(map(self.of, variables))


WHOLE = Scope()
"""The scope of a whole query."""


def exists_scope(exists: Exists, bound: Bound, scope: Scope) -> Scope:
    return Scope(bound.certain, exists.span.start, scope, perhaps=bound.possible | scope.perhaps)


def scope_inside(element: Group | GraphGroup, scope: Scope) -> Scope:
    """The scope of a group in braces. By the standard, `?g` has no value in `GRAPH ?g { … }`, but engines differ."""
    if isinstance(element, GraphGroup) and isinstance(element.name, Variable):
        return replace(scope, perhaps=scope.perhaps | {element.name})
    return scope


def query_scope(query: QueryTree, scope: Scope) -> Scope:
    if query.projected is None:
        return scope
    visible = frozenset(column.variable for column in query.projected) - renamed_by(query)
    return Scope(visible, query.span.start, scope, scope.perhaps)


# -- OPTIONALs that must match -----------------------------------------------------------------------------------------

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
