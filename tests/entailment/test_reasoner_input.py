"""Graphs that are not pure OWL 2: which of them can be classified, and which are refused."""

from __future__ import annotations

import pytest
from ontology.turtle import EX, graph_of

from kgprobe.entailment.class_hierarchy import readable_ontology
from kgprobe.entailment.rules import UndecidedError
from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.terms import NamedNode

A, B = NamedNode(f"{EX.iri}A"), NamedNode(f"{EX.iri}B")
CLASSES = ":A a owl:Class ; rdfs:subClassOf :B . :B a owl:Class . "


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":note rdf:subject :A ; rdf:predicate rdfs:subClassOf ; rdf:object :B .",  # says nothing about A itself
        "[] rdf:subject :A ; rdf:predicate rdfs:subClassOf ; rdf:object :B .",
        "_:l rdf:first :A ; rdf:rest rdf:nil .",
    ],
)
def test_triples_without_logical_meaning_are_ignored(text: str) -> None:
    found = readable_ontology(graph_of(CLASSES + text))
    assert found.axioms == (Expression("SubClassOf", A, B),)
    assert found.leftovers == 0


def test_older_spellings_are_read() -> None:
    found = readable_ontology(graph_of(CLASSES + "[] a owl:AllDisjointClasses ; owl:members (:A :B) ."))
    assert Expression("DisjointClasses", A, B) in found.axioms


def test_unreadable_triples_are_reported() -> None:
    with pytest.raises(UndecidedError, match=r"not an axiom of OWL 2: .*A rdfs:subClassOf"):
        readable_ontology(graph_of(CLASSES + ":A rdfs:subClassOf _:nothing ."))
