"""The facts that must hold if a part of a query matches.

A triple that must be in the graph is an `Edge`; a FILTER that must be true is a `Condition`. Each fact knows the part
of the query that states it. Variables in facts may be renamed, because of their scope: `name_of` gives back the name in
the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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
    "MAYBE",
    "NEVER",
    "SCOPED",
    "Binding",
    "Choice",
    "Condition",
    "Edge",
    "Fact",
    "Node",
    "Rows",
    "Walk",
    "as_written",
    "is_certain",
    "is_unbound",
    "name_of",
    "scope_of",
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


# -- names ---------------------------------------------------------------------------------------------------------

# These follow the name of a renamed variable. No name in a query has such characters.
SCOPED, MAYBE, NEVER = "@", "?", "!"
_RENAMED = re.compile(r"(\?\w+)(?:@\d+[?!]?)+")
_UNNAMED = re.compile(r"\?\[[^\]\s]*\](?:@\d+[?!]?)*")


def name_of(variable: Variable) -> str:
    """The name of a variable in the text of the query."""
    return variable.name.partition(SCOPED)[0]


def scope_of(variable: Variable) -> str:
    """Where the variable of this name has its value: the same for variables that see each other."""
    return variable.name.partition(SCOPED)[2]


def shown(variable: Variable) -> str:
    """A variable as the query writes it, or in words if it does not."""
    if isinstance(variable, Given) or not variable.hidden:
        return str(variable) if isinstance(variable, Given) else f"?{name_of(variable)}"
    name = name_of(variable)
    return name if name.startswith("_:") else "a blank node" if name else "a node within the path"


def as_written(words: str) -> str:
    """A text in which variables have the names that they have in the query."""
    return _RENAMED.sub(r"\1", _UNNAMED.sub("a blank node", words))


# Variables that software binds before a query runs: SHACL, SPIN, and grlc.
_BOUND_BY_SHACL = frozenset({"this", "PATH", "value", "currentShape", "shapesGraph"})
_BOUND_BY_OTHERS = re.compile(r"_\w+|arg\d+")


def unless_bound_before(variable: Variable) -> str:
    """The proviso for a variable that the query never binds, but that has the name of one with a value from outside."""
    name = name_of(variable)
    if name not in _BOUND_BY_SHACL and _BOUND_BY_OTHERS.fullmatch(name) is None:
        return ""
    return f"unless the software that runs the query gives ?{name} a value, as SHACL, SPIN and grlc do"


def is_unbound(variable: Variable) -> bool:
    """Whether the variable of a condition can have no value where the condition stands."""
    return variable.name.endswith(NEVER)


def is_certain(variable: Variable) -> bool:
    """Whether the variable of an expression has a value where the expression stands."""
    return not variable.name.endswith((MAYBE, NEVER))
