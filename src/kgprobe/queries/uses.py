"""What of a graph an answer depends on: the triples that can be seen, as precisely as a text tells.

An answer is a function of the triples that match one of its uses. So if no triple that was added or removed matches any
of them, the answer is what it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.graph.terms import NamedNode, Term

__all__ = ["ANYTHING", "AnyUse", "Condition", "PathUse", "Slot", "TripleUse", "Use"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a pattern: one of some terms, or anything (None). Conditions call it by its variable."""

    terms: frozenset[Term] | None = None
    variable: str | None = None


ANYTHING = Slot()


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression of SPARQL, with every IRI spelled out, and the names of the variables in it."""

    text: str
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TripleUse:
    """The triples that match one pattern and meet its conditions. A variable in two slots has one value."""

    subject: Slot
    predicate: Slot
    object: Slot
    conditions: tuple[Condition, ...] = ()
    text: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class PathUse:
    """The pairs of nodes that a chain of edges joins; `reflexive` if a chain may have no edge (`p*`, not `p+`).

    An edge is a predicate and whether it is walked from object to subject. Each step takes any one of the edges.
    """

    subject: Slot
    edges: frozenset[tuple[NamedNode, bool]]
    object: Slot
    reflexive: bool
    text: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class AnyUse:
    """Every triple."""

    text: str = ""
    line: int | None = None


Use: TypeAlias = TripleUse | PathUse | AnyUse
