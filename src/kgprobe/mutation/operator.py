"""Operators: a description, and a function that proposes one change to a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import NamedTuple, Protocol, TypeAlias

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.fresh import FreshNames
from kgprobe.graph.graph import Graph
from kgprobe.mutation.pins import Pins

__all__ = ["Change", "Description", "Example", "Operator", "Propose", "PythonOperator", "Site", "Target"]


class Target(StrEnum):
    """What an operator changes: statements about individuals, about classes and properties, or both."""

    ABOX = "abox"
    TBOX = "tbox"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Example:
    """A graph that the operator applies to, and a possible result, both in Turtle."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Description:
    """The documentation of an operator."""

    name: str
    summary: str
    target: Target
    domain_specific: bool = False
    # Whether to remove also what depends on a removed triple: see `tidying`.
    tidies: bool = False
    # Variables whose values are removed from all triples, and pairs: the second replaces the first in all triples.
    deletes_nodes: tuple[str, ...] = ()
    replaces_nodes: tuple[tuple[str, str], ...] = ()
    sets: tuple[str, ...] = ()
    # Its origin: a row of a table in the paper on mutation testing, and its names in RDFMutate.
    paper: str | None = None
    rdfmutate: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Site:
    """Where an operator works: a graph, a random source, a source of new names, and what must not be touched."""

    graph: Graph
    random: Random
    fresh: FreshNames
    pins: Pins


class Change(NamedTuple):
    """A proposal of an operator: triples of the graph to remove, and triples that it lacks to add, by their keys.

    `binding` is what the operator chose.
    """

    removed: Sequence[KeyTriple]
    added: Sequence[KeyTriple]
    binding: Mapping[str, Key]


# One change, drawn at random from all that the operator can make; None if it cannot make any.
Propose: TypeAlias = Callable[[Site], Change | None]


class Operator(Protocol):
    """One way to change a graph."""

    @property
    def description(self) -> Description:
        """Its documentation."""
        ...

    @property
    def source(self) -> str:
        """Its source: SPARQL Update, or Python."""
        ...

    def bound(self, pins: Pins) -> Propose:
        """The function that proposes changes. They never touch what is pinned."""
        ...


@dataclass(frozen=True)
class PythonOperator:
    """An operator that SPARQL cannot express. The function must respect the pins of the site."""

    description: Description
    propose: Propose
    source: str

    def bound(self, pins: Pins) -> Propose:  # noqa: ARG002 - the site has them
        return self.propose
