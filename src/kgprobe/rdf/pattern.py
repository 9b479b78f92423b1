"""Patterns: triples with variables and filters on them, and the order in which to look up the triples."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, TripleTable
from kgprobe.rdf.terms import Term

__all__ = ["Binding", "Filter", "Pattern", "TriplePattern", "Variable", "components", "connected_order", "order"]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a pattern. A blank node in a pattern is a hidden variable: its values are not reported."""

    name: str
    hidden: bool = False

    def __hash__(self) -> int:  # faster than the generated one, and variables are keys everywhere
        return hash(self.name)

    def __str__(self) -> str:
        return f"?{self.name}"


TriplePattern: TypeAlias = tuple[Variable | Term, Variable | Term, Variable | Term]
Binding: TypeAlias = dict[str, Term]


@dataclass(frozen=True)
class Filter:
    """A condition on the values of some variables, in a graph."""

    variables: tuple[Variable, ...]
    holds: Callable[[Graph, tuple[Key, ...]], bool]
    # The condition as a Python expression, if it is short. This saves compiled functions a call. {0} is the key of the
    # first variable; the keys of `constants` follow those of the variables; `terms` are the terms of the graph's table,
    # and {call} is the call of `holds`.
    inline: str | None = None
    constants: tuple[Term, ...] = ()
    # For a condition on one variable that depends only on the triples about its value: a cache of the answers for the
    # terms of a table, by key. It is valid for values whose triples have not changed.
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


# -- the order in which to look up the triples of a pattern ------------------------------------------------------------


@dataclass(frozen=True)
class _Candidate:
    bound: int
    triples: tuple[TriplePattern, ...]


def components(triples: Sequence[TriplePattern]) -> list[list[TriplePattern]]:
    """Groups of triples that share no variable. A pattern's matches are the cross product of the groups' matches."""
    groups: list[list[TriplePattern]] = []
    for triple in triples:
        variables = set(variables_of([triple]))
        touching = [group for group in groups if variables & set(variables_of(group))]
        groups = [group for group in groups if group not in touching]
        groups.append([*(inner for group in touching for inner in group), triple])
    return groups


def order(graph: Graph, triples: Sequence[TriplePattern], known: Collection[Variable] = ()) -> list[TriplePattern]:
    """An order for all triples: component by component, with the fewest matches first."""
    orders = [connected_order(graph, group, known) for group in components(triples)]
    orders.sort(key=lambda candidate: candidate.bound)
    return [triple for candidate in orders for triple in candidate.triples]


def connected_order(graph: Graph, triples: Sequence[TriplePattern], known: Collection[Variable] = ()) -> _Candidate:
    """The best order of connected triples. From each start, the most selective triple comes next."""
    return min((_from_start(graph, start, triples, known) for start in triples), key=lambda candidate: candidate.bound)


def _from_start(
    graph: Graph, start: TriplePattern, triples: Sequence[TriplePattern], known: Collection[Variable]
) -> _Candidate:
    seen = set(known)
    chosen: list[TriplePattern] = []
    rest = list(triples)
    bound = 1
    next_triple = start
    while True:
        bound *= most_matches(graph, next_triple, seen)
        chosen.append(next_triple)
        rest.remove(next_triple)
        seen.update(variables_of([next_triple]))
        if not rest:
            return _Candidate(bound, tuple(chosen))
        reachable = [triple for triple in rest if seen & set(variables_of([triple]))] or rest
        next_triple = min(reachable, key=lambda triple: most_matches(graph, triple, seen))


def most_matches(graph: Graph, triple: TriplePattern, known: Collection[Variable]) -> int:
    """The most places (see `Graph.at`) that a lookup has for any values of the known variables."""
    s, p, o = (None if isinstance(part, Variable) else graph.key(part) for part in triple)
    most = graph.places(s, p, o)
    subject, _, object_ = (isinstance(part, Variable) and part in known for part in triple)
    if (subject or object_) and most > 1:
        return min(most, graph.most_places(p, subject=subject or s is not None, object_=object_ or o is not None))
    return most
