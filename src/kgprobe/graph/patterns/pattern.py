"""Patterns: triples with variables, and filters on the variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import TripleTable
from kgprobe.graph.terms import Term

__all__ = ["Binding", "Filter", "Pattern", "TriplePattern", "Variable"]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a pattern. A blank node in a pattern is a hidden variable, whose values are not reported."""

    name: str
    hidden: bool = False

    def __str__(self) -> str:
        return f"?{self.name}"


TriplePattern: TypeAlias = tuple[Variable | Term, Variable | Term, Variable | Term]
Binding: TypeAlias = dict[str, Term]


@dataclass(frozen=True)
class Filter:
    """A condition on the values of some variables, in a graph."""

    variables: tuple[Variable, ...]
    holds: Callable[[Graph, tuple[Key, ...]], bool]
    # The same as a Python expression, where that is short. Functions that are compiled for a pattern are spared a call.
    # {0} is the key of the first variable; the keys of `constants` follow those of the variables; `terms` are the terms
    # of the graph's table, and {call} is the call of `holds`.
    inline: str | None = None
    constants: tuple[Term, ...] = ()
    # For a condition on one variable that asks for nothing but the triples about its value: the answers so far for the
    # terms of a table, by their keys. They are good for values about which nothing has changed.
    known: Callable[[TripleTable], Mapping[Any, bool]] | None = None


@dataclass(frozen=True)
class Pattern:
    """A basic graph pattern: all of its triples must be in the graph, and all of its filters must hold."""

    triples: tuple[TriplePattern, ...]
    filters: tuple[Filter, ...] = ()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the triples, in order of appearance."""
        return variables_of(self.triples)


def variables_of(triples: Iterable[TriplePattern]) -> tuple[Variable, ...]:
    """The variables of some triples, each once, in order of appearance."""
    return tuple(dict.fromkeys(part for triple in triples for part in triple if isinstance(part, Variable)))
