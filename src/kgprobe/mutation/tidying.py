"""What must go along when triples go: the nodes that hang on nothing any more, and annotations of what is gone.

An axiom of OWL is often several triples: a blank node with its own triples, a list, an annotation of the whole. An
operator names the triple that holds the axiom together, and everything else that belongs to it follows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, BlankNode

__all__ = ["with_what_hangs_on"]


def with_what_hangs_on(
    graph: Graph, removed: Iterable[KeyTriple], added: Collection[KeyTriple] = ()
) -> list[KeyTriple]:
    """These triples, and those that have no reason to be there when these are gone and the others have come."""
    gone = dict.fromkeys(removed)
    kept = {keys[2] for keys in added}
    annotated = graph.key(OWL.annotatedSource)
    has_annotations = graph.count(None, annotated) > 0
    waiting = list(gone)
    for triple in waiting:
        node = triple[2]
        is_blank = type(graph.term(node)) is BlankNode
        is_orphan = is_blank and node not in kept and all(row in gone for row in graph.rows(None, None, node))
        orphans = [node] if is_orphan else []
        if has_annotations:
            orphans += _annotations(graph, triple, annotated)
        for orphan in orphans:
            more = [row for row in graph.rows(orphan) if row not in gone]
            gone.update(dict.fromkeys(more))
            waiting += more
    return list(gone)


def _annotations(graph: Graph, triple: KeyTriple, annotated: Key) -> list[Key]:
    """The nodes that annotate this triple."""
    s, p, o = triple
    prop, target = graph.key(OWL.annotatedProperty), graph.key(OWL.annotatedTarget)
    nodes = graph.subjects(annotated, s)
    return [node for node in nodes if graph.has(node, prop, p) and graph.has(node, target, o)]
