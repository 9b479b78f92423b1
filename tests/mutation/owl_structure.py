"""Checks the blank nodes of an ontology: lists are complete, and every expression is used once."""

from __future__ import annotations

from collections import Counter

from kgprobe.owl.entities import entities
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Term

__all__ = ["faults", "punned"]

# A node without references is an axiom: it has one of these types, or is the subject of one of these predicates.
_AXIOM_TYPES = {OWL.Axiom, OWL.Annotation, OWL.AllDifferent, OWL.AllDisjointClasses, OWL.AllDisjointProperties}
_AXIOM_TYPES |= {OWL.NegativePropertyAssertion, OWL.Ontology}
_AXIOM_PREDICATES = {RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith, OWL.hasKey, RDFS.subPropertyOf}
_AXIOM_PREDICATES |= {RDFS.domain, RDFS.range, OWL.equivalentProperty, OWL.propertyDisjointWith}
_CELL = {RDF.first, RDF.rest}
# The minimum number of triples of a node, by type.
_LEAST = {OWL.Restriction: 3, OWL.NegativePropertyAssertion: 4, OWL.AllDifferent: 2, OWL.AllDisjointClasses: 2}


def faults(graph: Graph) -> set[tuple[str, Term]]:
    """Descriptions of the faults, each with its blank node."""
    blanks = {key for row in graph.rows() for key in (row[0], row[2]) if isinstance(graph.term(key), BlankNode)}
    return {(fault, graph.term(node)) for node in blanks for fault in _faults_of(graph, node)}


def _faults_of(graph: Graph, node: Key) -> list[str]:
    predicates = [graph.term(predicate) for _, predicate, _ in graph.rows(node)]
    types = {graph.term(value) for value in graph.objects(node, graph.key(RDF.type))}
    annotating = {graph.key(OWL.annotatedSource), graph.key(OWL.annotatedTarget)}
    referring = [row for row in graph.rows(None, None, node) if row[1] not in annotating]
    is_axiom = bool(types & _AXIOM_TYPES or _AXIOM_PREDICATES & set(predicates))
    found = {
        "nothing is said of the node": not predicates,
        "the node is shared": len(referring) > 1,
        "nothing refers to the node": not referring and not is_axiom,
        "the list is broken": bool(_CELL & set(predicates)) and any(predicates.count(each) != 1 for each in _CELL),
        "a part is missing": any(len(predicates) < least for kind, least in _LEAST.items() if kind in types),
        "the restriction is on nothing": OWL.Restriction in types and predicates.count(OWL.onProperty) != 1,
    }
    dangling = _dangling(graph, node) if OWL.Axiom in types else []
    return [fault for fault, is_so in found.items() if is_so] + dangling


def _dangling(graph: Graph, node: Key) -> list[str]:
    """An annotation must annotate a triple that exists."""
    parts = [
        graph.objects(node, graph.key(part))
        for part in (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget)
    ]
    if any(len(part) != 1 for part in parts):
        return ["the annotation lacks a part"]
    s, p, o = (part[0] for part in parts)
    return [] if graph.has(s, p, o) else ["the annotation is of nothing"]


def punned(graph: Graph) -> set[Term]:
    """The names that are used as two kinds of entities."""
    found = entities(graph)
    properties = (found.object_properties, found.data_properties, found.annotation_properties)
    kinds = (found.classes, found.datatypes, found.individuals, *properties)
    counted = Counter(name for kind in kinds for name in kind)
    return {name for name, count in counted.items() if count > 1}
