"""From a name to the axioms that mention it: up from expressions and lists to the triples that hold all together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.derived import KeySet
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, BlankNode

__all__ = ["all_with", "root_triples"]

_ANNOTATING = KeySet(OWL.annotatedSource, OWL.annotatedTarget)


def all_with(graph: Graph, rows: Iterable[KeyTriple], besides: Iterable[Key] = ()) -> Iterator[KeyTriple]:
    """What must go for these triples to be gone: they, or those that hold the axioms together which they are in.

    What hangs on these must go along, see `tidying`. `besides` are nodes that are seen to in another way.
    """
    seen = set(besides)
    for row in rows:
        if type(graph.term(row[0])) is BlankNode:
            yield from _up_from_node(graph, row[0], seen)
        else:
            yield row


def root_triples(graph: Graph, node: Key) -> Iterator[KeyTriple]:
    """The triples that hold the axioms together which have this blank node in them."""
    return _up_from_node(graph, node, set())


def _up_from_node(graph: Graph, node: Key, seen: set[Key]) -> Iterator[KeyTriple]:
    """An expression or a list is in what refers to it; a node that nothing refers to is an axiom by itself."""
    # An annotation refers to what it annotates, and that is not in it.
    annotating = _ANNOTATING.of(graph)
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        referring = [row for row in graph.to(current) if row[1] not in annotating]
        if not referring:
            yield from graph.about(current)
        for row in referring:
            if isinstance(graph.term(row[0]), BlankNode):
                waiting.append(row[0])
            else:
                yield row
