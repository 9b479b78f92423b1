"""Uses: the triples that an answer depends on, as precisely as the text of a query says.

An answer is a function of the triples that match one of its uses. So if no added or removed triple matches any of them,
the answer stays the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.rdf.terms import NamedNode, Term

__all__ = ["ANYTHING", "AnyUse", "Condition", "PathUse", "Slot", "TripleUse", "Use"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A position in a pattern: one of some terms, or any term (None). Conditions refer to it by its variable."""

    terms: frozenset[Term] | None = None
    variable: str | None = None


ANYTHING = Slot()


@dataclass(frozen=True, slots=True)
class Condition:
    """A SPARQL expression with all IRIs in full, and the names of its variables."""

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
    """The pairs of nodes that a chain of edges connects; `reflexive` if a chain may have no edge (`p*`, not `p+`).

    An edge is a predicate and whether it is followed from object to subject. Each step uses any one of the edges.
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
