"""owlrl, a second implementation of RDFS and OWL 2 RL, over rdflib."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import owlrl  # type: ignore[import-untyped]
import rdflib
from rdflib.term import Node

from kgprobe.entailment.rules import Regime
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple

__all__ = ["reference_closure"]


def reference_closure(triples: Iterable[Triple], regime: Regime) -> set[Triple]:
    """The conclusions about terms that occur in the triples."""
    terms: dict[Node, Any] = {}
    graph = rdflib.Graph()
    for triple in triples:
        parts: list[Any] = [triple.subject, triple.predicate, triple.object]
        s, p, o = map(_for_rdflib, parts)
        terms |= zip((s, p, o), parts, strict=True)
        graph.add((s, p, o))
    semantics = {Regime.RDFS: owlrl.RDFS_Semantics, Regime.RL: owlrl.OWLRL_Semantics}[regime]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        owlrl.DeductiveClosure(semantics, axiomatic_triples=False, datatype_axioms=False).expand(graph)
    found = ((terms[s], terms[p], terms[o]) for s, p, o in graph if s in terms and p in terms and o in terms)
    # owlrl keeps triples that are not RDF: blank nodes as predicates, and literals as subjects.
    return {Triple(s, p, o) for s, p, o in found if isinstance(p, NamedNode) and not isinstance(s, Literal)}


def _for_rdflib(term: Term) -> Node:
    if isinstance(term, NamedNode):
        return rdflib.URIRef(term.value)
    if isinstance(term, BlankNode):
        return rdflib.BNode(term.value)
    if term.language:
        return rdflib.Literal(term.value, lang=term.language)
    return rdflib.Literal(term.value, datatype=rdflib.URIRef(term.datatype.value), normalize=False)
