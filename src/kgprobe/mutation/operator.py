"""What an operator is: a description, and a function that proposes one change to a graph."""

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
    """What an operator changes: what is said about individuals, about classes and properties, or either."""

    ABOX = "abox"
    TBOX = "tbox"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Example:
    """A graph that the operator applies to, and one that can come out of it, both in Turtle."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Description:
    """What a person should know of an operator."""

    name: str
    summary: str
    target: Target
    domain_specific: bool = False
    # Whether what hangs on a removed triple goes along: see `tidying`.
    tidies: bool = False
    # Variables whose values go from all triples, and pairs of which the second takes the place of the first.
    deletes_nodes: tuple[str, ...] = ()
    replaces_nodes: tuple[tuple[str, str], ...] = ()
    sets: tuple[str, ...] = ()
    # Where it comes from: the row of a table in the paper on mutation testing, and what RDFMutate calls it.
    paper: str | None = None
    rdfmutate: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Site:
    """Where an operator works: a graph, what must not be touched in it, and a source of chance and of new names."""

    graph: Graph
    random: Random
    fresh: FreshNames
    pins: Pins


class Change(NamedTuple):
    """What an operator proposes: triples that are here and go, triples that are not here and come, by their keys.

    `binding` tells what the operator chose.
    """

    removed: Sequence[KeyTriple]
    added: Sequence[KeyTriple]
    binding: Mapping[str, Key]


# One change, drawn at random from all that the operator could make of this graph; None if there is none.
Propose: TypeAlias = Callable[[Site], Change | None]


class Operator(Protocol):
    """One way to change a graph."""

    @property
    def description(self) -> Description:
        """What it does, in words."""
        ...

    @property
    def source(self) -> str:
        """Its text: SPARQL Update, or Python."""
        ...

    def bound(self, pins: Pins) -> Propose:
        """The function that proposes changes which leave alone what is pinned."""
        ...


@dataclass(frozen=True)
class PythonOperator:
    """An operator that SPARQL cannot express. The function asks the site's pins before it touches anything."""

    description: Description
    propose: Propose
    source: str

    def bound(self, pins: Pins) -> Propose:  # noqa: ARG002 - the site has them
        return self.propose
