"""Reads an ontology for a reasoner from a graph that need not follow OWL's mapping to RDF exactly."""

from __future__ import annotations

from dataclasses import replace

from kgprobe.entailment.regime import UndecidedError
from kgprobe.graph.axioms.axiom_groups import axiom_groups
from kgprobe.graph.axioms.name_kinds import NameKinds
from kgprobe.graph.axioms.unusual_axioms import statements_within
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import RDF, Triple
from kgprobe.reasoners.ontology import Ontology

__all__ = ["readable_ontology"]

_ABOUT_TRIPLES = frozenset({RDF.subject, RDF.predicate, RDF.object})


def readable_ontology(graph: Graph) -> Ontology:
    """The axioms of a graph, including older and looser spellings. Raises UndecidedError if it cannot read a triple.

    A reasoner would ignore that triple and might miss conclusions.
    """
    found = Ontology.of(graph)
    if not found.leftovers:
        return found
    _refuse_what_cannot_be_read(graph)
    return replace(found, leftovers=0)


def _refuse_what_cannot_be_read(graph: Graph) -> None:
    kinds = NameKinds(graph)
    for group in axiom_groups(graph):
        if group.expression is not None or None not in statements_within(group.triples, kinds):
            continue
        if not all(map(_is_about_triple, group.triples)):
            first = graph.spelling.triple(group.triples[0])
            raise UndecidedError(
                f"the class hierarchy is uncertain, since this is not an axiom of OWL 2: {first}",
                hint="correct it, or choose the regime rl, rdfs or none",
            )


def _is_about_triple(triple: Triple) -> bool:
    return triple.predicate in _ABOUT_TRIPLES
