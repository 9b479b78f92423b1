"""What must go along when triples go: the nodes that hang on nothing any more, and annotations of what is gone.

An axiom of OWL is often several triples: a blank node with its own triples, a list, an annotation of the whole. An
operator names the triple that holds the axiom together, and everything else that belongs to it follows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode, NamedNode

__all__ = ["with_what_hangs_on"]

# A node with one of these types is an axiom. Without the type it is nothing.
_AXIOM_TYPES = (OWL.AllDifferent, OWL.AllDisjointClasses, OWL.AllDisjointProperties, OWL.NegativePropertyAssertion)
# Axioms about an expression. One that nothing refers to, and about which no axiom is left, is of no use.
_AXIOM_PREDICATES = (
    *(RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, OWL.hasKey),
    *(RDFS.subPropertyOf, OWL.equivalentProperty, OWL.propertyDisjointWith, OWL.propertyChainAxiom),
    *(RDFS.domain, RDFS.range),
)


def with_what_hangs_on(
    graph: Graph, removed: Iterable[KeyTriple], added: Collection[KeyTriple] = ()
) -> list[KeyTriple]:
    """These triples, and those that have no reason to be there when these are gone and the others have come."""
    gone = dict.fromkeys(removed)
    kept = {key for s, _, o in added for key in (s, o)}
    annotated = graph.key(OWL.annotatedSource)
    has_annotations = graph.count(None, annotated) > 0
    waiting = list(gone)
    finished: set[Key] = set()  # nodes of which nothing is left
    while waiting:
        triple = waiting.pop()
        orphans = _annotations(graph, triple, annotated) if has_annotations else []
        if _is_orphan(graph, triple[2], gone, kept):
            orphans.append(triple[2])
        if triple[0] not in finished and _is_left_alone(graph, triple, gone, kept, added):
            orphans.append(triple[0])
        finished.update(orphans)
        for node in orphans:
            for row in graph.rows(node):
                if row not in gone:
                    gone[row] = None
                    waiting.append(row)
    return list(gone)


def _is_orphan(graph: Graph, node: Key, gone: Collection[KeyTriple], kept: Collection[Key]) -> bool:
    if not isinstance(graph.term(node), BlankNode) or node in kept:
        return False
    return all(row in gone for row in graph.rows(None, None, node))


def _is_left_alone(
    graph: Graph, triple: KeyTriple, gone: Collection[KeyTriple], kept: Collection[Key], added: Collection[KeyTriple]
) -> bool:
    """Whether the subject of a triple that goes is a blank node that said this and nothing else."""
    node, predicate, value = triple
    if not isinstance(graph.term(node), BlankNode) or any(keys[0] == node for keys in added):
        return False
    term = graph.term(predicate)
    if term == RDF.type:
        return graph.term(value) in _AXIOM_TYPES
    if not isinstance(term, NamedNode) or term not in _AXIOM_PREDICATES or node in kept:
        return False
    referring = {graph.key(OWL.annotatedSource), graph.key(OWL.annotatedTarget)}
    if any(row not in gone and row[1] not in referring for row in graph.rows(None, None, node)):
        return False
    return not any(row not in gone and graph.term(row[1]) in _AXIOM_PREDICATES for row in graph.rows(node))


def _annotations(graph: Graph, triple: KeyTriple, annotated: Key) -> list[Key]:
    """The nodes that annotate this triple."""
    s, p, o = triple
    prop, target = graph.key(OWL.annotatedProperty), graph.key(OWL.annotatedTarget)
    nodes = graph.subjects(annotated, s)
    return [node for node in nodes if graph.has(node, prop, p) and graph.has(node, target, o)]
