"""What must go along when triples go: the nodes that hang on nothing any more, and annotations of what is gone.

An axiom of OWL is often several triples: a blank node with its own triples, a list, an annotation of the whole. An
operator names the triple that holds the axiom together, and everything else that belongs to it follows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode

__all__ = ["with_what_hangs_on"]

# A node with one of these types is an axiom. Without the type it is nothing.
_AXIOM_TYPES = frozenset(
    (OWL.AllDifferent, OWL.AllDisjointClasses, OWL.AllDisjointProperties, OWL.NegativePropertyAssertion)
)
# Axioms about an expression. One that nothing refers to, and about which no axiom is left, is of no use.
_AXIOM_PREDICATES = frozenset(
    (
        *(RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, OWL.hasKey),
        *(RDFS.subPropertyOf, OWL.equivalentProperty, OWL.propertyDisjointWith, OWL.propertyChainAxiom),
        *(RDFS.domain, RDFS.range),
    )
)


def with_what_hangs_on(
    graph: Graph, removed: Iterable[KeyTriple], added: Collection[KeyTriple] = ()
) -> list[KeyTriple]:
    """These triples, and those that have no reason to be there when these are gone and the others have come."""
    gone = dict.fromkeys(removed)
    starts, ends = {keys[0] for keys in added}, {keys[2] for keys in added}
    annotated = graph.key(OWL.annotatedSource)
    has_annotations = type(annotated) is int or graph.is_changed(1, annotated)
    term, rows = graph.term, graph.rows
    waiting = list(gone)
    for triple in waiting:  # it grows on the way
        subject, _, value = triple
        orphans = _annotations(graph, triple, annotated) if has_annotations else []
        is_free = type(term(value)) is BlankNode and value not in starts and value not in ends
        if is_free and all(row in gone for row in rows(None, None, value)):
            orphans.append(value)
        is_free = subject not in starts and type(term(subject)) is BlankNode
        if is_free and _is_left_alone(graph, triple, gone, referred_to=subject in ends):
            orphans.append(subject)
        for node in orphans:
            more = [row for row in rows(node) if row not in gone]
            gone.update(dict.fromkeys(more))
            waiting += more
    return list(gone)


def _is_left_alone(graph: Graph, triple: KeyTriple, gone: Collection[KeyTriple], *, referred_to: bool) -> bool:
    """Whether the subject of a triple that goes, which is a blank node, said this and nothing else."""
    node, predicate, value = triple
    term = graph.term(predicate)
    if term == RDF.type:
        return graph.term(value) in _AXIOM_TYPES
    if term not in _AXIOM_PREDICATES or referred_to:
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
