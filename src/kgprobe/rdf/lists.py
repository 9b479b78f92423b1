"""Reads and writes RDF lists. A broken list is not read in part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import KeyTriple
from kgprobe.rdf.terms import RDF, BlankNode, NamedNode, Subject, Term, Triple

__all__ = ["BrokenListError", "RdfList", "read_list", "write_list"]

_FIRST, _REST, _NIL = RDF.first, RDF.rest, RDF.nil


class BrokenListError(ValueError):
    """Not a list: a cell lacks one of its two parts or has several, or the cells form a cycle."""


@dataclass(frozen=True)
class RdfList:
    """The members of a list, and the triples that make it up."""

    members: tuple[Term, ...]
    triples: tuple[Triple, ...]


def read_list(graph: Graph, head: Term) -> RdfList:
    """The list that begins at this node; `rdf:nil` is the empty list."""
    members: list[Term] = []
    triples: list[Triple] = []
    seen: set[Term] = set()
    cell = head
    while cell != _NIL:
        if cell in seen:
            raise BrokenListError(f"the list at {head} is cyclic")
        seen.add(cell)
        first = _only(graph, cell, _FIRST, head)
        rest = _only(graph, cell, _REST, head)
        members.append(graph.term(first[2]))
        triples += [graph.triple(first), graph.triple(rest)]
        cell = graph.term(rest[2])
    return RdfList(tuple(members), tuple(triples))


def write_list(members: Sequence[Term], fresh: Callable[[], BlankNode]) -> tuple[Subject, list[Triple]]:
    """The head of a new list with these members, and the triples to add for it."""
    cells: list[Subject] = [*(fresh() for _ in members), _NIL]
    triples: list[Triple] = []
    for cell, member, rest in zip(cells, members, cells[1:], strict=False):
        triples += [Triple(cell, _FIRST, member), Triple(cell, _REST, rest)]
    return cells[0], triples


def _only(graph: Graph, cell: Term, predicate: NamedNode, head: Term) -> KeyTriple:
    found = list(graph.rows(graph.key(cell), graph.key(predicate)))
    if len(found) != 1:
        raise BrokenListError(f"the list at {head} has {len(found)} values for {predicate} at {cell}, not one")
    return found[0]
