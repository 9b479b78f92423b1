"""The facts that must hold if a part of a query matches.

A triple that must be in the graph is an `Edge`; a FILTER that must be true is a `Condition`. Each fact knows the part
of the query that states it. A variable whose scope makes it another one than those of its name is a `ScopedVariable`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.sparql.algebra import (
    Bind,
    Expression,
    Filter,
    Given,
    GraphGroup,
    Part,
    PlacedTriple,
    Values,
)

__all__ = [
    "Binding",
    "Choice",
    "Condition",
    "Edge",
    "Fact",
    "Node",
    "Presence",
    "Rows",
    "ScopedVariable",
    "Walk",
    "is_certain",
    "is_unbound",
    "label_of",
    "scoped",
    "scopes_of",
    "shown",
    "unless_bound_before",
]


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
