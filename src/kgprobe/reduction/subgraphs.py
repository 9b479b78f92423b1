"""Graphs with some of the triples of another, made at the price of the smaller part."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain

from kgprobe.graph.graph import Graph
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.table import TableBuilder
from kgprobe.graph.terms import Triple

__all__ = ["exactly", "with_more", "with_only", "without"]


def exactly(triples: Iterable[Triple], spelling: Spelling) -> Graph:
    """A graph of these triples with a table of its own; blank nodes keep their labels, whatever these look like."""
    builder = TableBuilder()
    builder.extend(chain.from_iterable((each.subject, each.predicate, each.object) for each in triples))  # type: ignore[misc]
    return Graph.from_table(builder.build(random_labels=False), spelling)


def without(graph: Graph, removed: Iterable[Triple]) -> Graph:
    """The graph without these triples, which it has."""
    smaller = graph.copy()
    smaller.change(map(graph.keys, dict.fromkeys(removed)), ())
    return smaller


def with_more(graph: Graph, added: Iterable[Triple]) -> Graph:
    """The graph with these triples as well."""
    larger = graph.copy()
    for triple in added:
        larger.add(triple)
    return larger


def with_only(graph: Graph, kept: Collection[Triple]) -> Graph:
    """The graph without all other triples, in the order that the graph has them."""
    chosen = kept if isinstance(kept, (set, frozenset)) else set(kept)
    if 2 * len(chosen) < len(graph):  # a table of its own costs less than a note of all that is gone
        return exactly((triple for triple in graph if triple in chosen), graph.spelling)
    return without(graph, (triple for triple in graph if triple not in chosen))
