"""The facts that must hold if a part of a query matches.

A triple that must be in the graph is an `Edge`; a FILTER that must be true is a `Condition`. Each fact knows the part
of the query that states it. Variables in facts may be renamed, because of their scope: `name_of` gives back the name in
the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.graph.pattern import Variable
from kgprobe.graph.terms import NamedNode, Term
from kgprobe.queries.algebra import (
    Bind,
    Expression,
    Filter,
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
    "as_written",
    "is_certain",
    "is_unbound",
    "name_of",
    "scope_of",
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
    """A variable that is an IRI, because it is the name of a graph."""

    variable: Variable
    source: GraphGroup


@dataclass(frozen=True, slots=True)
class Choice:
    """A path that matches in one of several ways: the edges of at least one of them are in the graph."""

    ways: tuple[tuple[Edge, ...], ...]
    source: PlacedTriple


Fact: TypeAlias = Edge | Condition | Binding | Rows | Node | Choice


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


def as_written(words: str) -> str:
    """A text in which variables have the names that they have in the query."""
    return _RENAMED.sub(r"\1", _UNNAMED.sub("a blank node", words))


def is_unbound(variable: Variable) -> bool:
    """Whether the variable of a condition can have no value where the condition stands."""
    return variable.name.endswith(NEVER)


def is_certain(variable: Variable) -> bool:
    """Whether the variable of an expression has a value where the expression stands."""
    return not variable.name.endswith((MAYBE, NEVER))
