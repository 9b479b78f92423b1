"""The facts that must hold if a part of a query matches, and the scopes of their variables.

A triple that must be in the graph is an `Edge`; a FILTER that must be true is a `Condition`. Each fact knows the part
of the query that states it. A variable whose scope makes it another one than those of its name is a `ScopedVariable`.

Some variables must have a value because a FILTER needs it: `?u :name ?n OPTIONAL { ?u :age ?a } FILTER(?a > 17)` has no
answer in which the OPTIONAL does not match, since without a value of `?a` the condition has an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import reduce
from typing import TypeAlias

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import NamedNode, Term
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
    Part,
    PlacedTriple,
    QueryTree,
    Values,
    VariableUse,
)
from kgprobe.sparql.scopes import Bound, bound_by, bound_by_group, renamed_by
from kgprobe.sparql.traversal import conjuncts

__all__ = ["Choice", "Fact", "label_of"]


@dataclass(frozen=True, slots=True)
class Edge:
    """A triple that is in the graph. Without a predicate, it is a triple with an unknown one."""

    subject: Part
    predicate: Variable | NamedNode | None
    object: Part
    source: PlacedTriple


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression that is true. If it is a `demand`, it has an error unless an OPTIONAL matches."""

    expression: Expression
    source: Filter
    is_demand: bool = False


@dataclass(frozen=True, slots=True)
class Binding:
    """A variable that has the value of an expression, unless the expression has an error.

    If it has an error, other parts of the query may bind the `free` variable. If not, that variable has the same value.
    """

    variable: Variable
    expression: Expression
    source: Bind
    free: Variable | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Variables that have the values of one of the rows."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[Term | None, ...], ...]
    source: Values


@dataclass(frozen=True, slots=True)
class Node:
    """A variable that is an IRI or a blank node, because it is the name of a graph."""

    variable: Variable
    source: GraphGroup


@dataclass(frozen=True, slots=True)
class Choice:
    """A path that matches in one of several ways: the edges of at least one of them are in the graph."""

    ways: tuple[tuple[Edge | Walk, ...], ...]
    source: PlacedTriple


@dataclass(frozen=True, slots=True)
class Walk:
    """One or several triples with this predicate in a row: if it is transitive, the ends are connected."""

    subject: Part
    predicate: NamedNode
    object: Part
    source: PlacedTriple


Fact: TypeAlias = Edge | Condition | Binding | Rows | Node | Choice | Walk


# -- variables ---------------------------------------------------------------------------------------------------------


class Presence(Enum):
    """Whether a variable has a value where an expression uses it."""

    CERTAIN = ""
    POSSIBLE = "?"
    NEVER = "!"


@dataclass(frozen=True, slots=True)
class ScopedVariable(Variable):
    """A variable that is another one than those of the same name elsewhere in the query.

    `scopes` are the places of the parts of the query to which it belongs.
    """

    scopes: tuple[int, ...] = ()
    presence: Presence = Presence.CERTAIN

    def __hash__(self) -> int:
        return hash((self.name, self.scopes))

    def __str__(self) -> str:
        return shown(self)


def scoped(variable: Variable, place: int, presence: Presence = Presence.CERTAIN) -> ScopedVariable:
    """The variable of the same name in the part of the query at this place."""
    return ScopedVariable(variable.name, variable.hidden, (*scopes_of(variable), place), presence)


def scopes_of(variable: Variable) -> tuple[int, ...]:
    """Where the variable has its value: the same for variables that see each other."""
    return variable.scopes if isinstance(variable, ScopedVariable) else ()


def label_of(variable: Variable) -> str:
    """A text that no other variable of the query has."""
    if not isinstance(variable, ScopedVariable):
        return variable.name
    return f"{variable.name}@{'/'.join(map(str, variable.scopes))}{variable.presence.value}"


def shown(variable: Variable) -> str:
    """A variable as the query writes it, or in words if it does not."""
    if isinstance(variable, Given) or not variable.hidden:
        return str(variable) if isinstance(variable, Given) else f"?{variable.name}"
    name = variable.name
    return name if name.startswith("_:") else "a blank node" if name else "a node within the path"


# Variables that software binds before a query runs: SHACL, SPIN, and grlc.
_BOUND_BY_SHACL = frozenset({"this", "PATH", "value", "currentShape", "shapesGraph"})
_BOUND_BY_OTHERS = re.compile(r"_\w+|arg\d+")


def unless_bound_before(variable: Variable) -> str:
    """The proviso for a variable that the query never binds, but that has the name of one with a value from outside."""
    name = variable.name
    if name not in _BOUND_BY_SHACL and _BOUND_BY_OTHERS.fullmatch(name) is None:
        return ""
    return f"unless the software that runs the query gives ?{name} a value, as SHACL, SPIN and grlc do"


def is_unbound(variable: Variable) -> bool:
    """Whether the variable of a condition can have no value where the condition stands."""
    return isinstance(variable, ScopedVariable) and variable.presence is Presence.NEVER


def is_certain(variable: Variable) -> bool:
    """Whether the variable of an expression has a value where the expression stands."""
    return not isinstance(variable, ScopedVariable) or variable.presence is Presence.CERTAIN


# -- scopes ------------------------------------------------------------------------------------------------------------


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
    found = _any_of(needed_for_truth(part.condition) for part in group.elements if isinstance(part, Filter))
    for element in reversed(group.elements):
        if isinstance(element, Bind) and element.variable in found:
            binders = sum(element.variable in bound_by(other).possible for other in group.elements)
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
        binders = [element for element in group.elements if variable in bound_by(element).possible]
        if len(binders) == 1 and isinstance(binders[0], Optional) and binders[0] not in found:
            found.append(binders[0])
    return found


def bound_if_demanded(optionals: Iterable[Optional]) -> Bound:
    """The variables that OPTIONALs bind if they match."""
    return reduce(Bound.__or__, (bound_by_group(optional.group) for optional in optionals), Bound())


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
        parts = [_needed(argument, is_true=is_true) for argument in arguments]
        # One operand can decide alone, even if the other has an error.
        return _any_of(parts) if is_true is (name == "&&") else _all_of(parts)
    if name == "COALESCE":
        return _all_of([_needed(argument, is_true=None) for argument in arguments])
    if name == "IF":
        return _needed(arguments[0], is_true=None)
    if name in ("IN", "NOT IN"):
        return _needed(arguments[0], is_true=None) if len(arguments) > 1 else _NONE
    if expression.is_extension:
        return _NONE
    return _any_of(_needed(argument, is_true=None) for argument in arguments)


def _any_of(parts: Iterable[frozenset[Variable]]) -> frozenset[Variable]:
    return _NONE.union(*parts)


def _all_of(parts: Iterable[frozenset[Variable]]) -> frozenset[Variable]:
    given = list(parts)
    return frozenset.intersection(*given) if given else _NONE
