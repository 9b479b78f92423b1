"""Axioms taken out of an ontology: with everything that only they need, and nothing else."""

from __future__ import annotations

import pytest

from kgprobe.formats.files import read_graph
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, NamedNode
from kgprobe.suite_score.mutants import axiom_changes

PREFIXES = """@prefix : <urn:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix dcterms: <http://purl.org/dc/terms/> .
:A a owl:Class . :B a owl:Class . :C a owl:Class . :p a owl:ObjectProperty . :d a owl:DatatypeProperty .
:note a owl:AnnotationProperty .
"""


def changed(text: str, *, annotations: bool = False) -> tuple[Graph, list[tuple[str, str, str, int]]]:
    """The graph, and each change: in words, the type of axiom, what it is about, and the number of its triples."""
    graph = read_graph((PREFIXES + text).encode())
    return graph, [
        (*change.describe(), len(change.delta.removed)) for change in axiom_changes(graph, annotations=annotations)
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (":A rdfs:subClassOf :B .", [("- A SubClassOf B", "SubClassOf", "urn:A", 1)]),
        (
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .",
            [("- A SubClassOf p some B", "SubClassOf", "urn:A", 4)],
        ),
        (
            "[] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) .",
            [("- DisjointClasses: A, B, C", "DisjointClasses", "urn:A", 8)],
        ),
        (
            ":A rdfs:subClassOf :B . [] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ;"
            ' owl:annotatedTarget :B ; rdfs:comment "why" .',
            [('- A SubClassOf B [rdfs:comment "why"]', "SubClassOf", "urn:A", 6)],
        ),
        (
            ":i a :A ; :p :j ; :d 3 .",
            [
                ("- i Type A", "ClassAssertion", "urn:A", 1),
                ("- i p j", "ObjectPropertyAssertion", "urn:A", 1),
                ("- i d 3", "DataPropertyAssertion", "urn:A", 1),
            ],
        ),
        (
            "[] a owl:AllDifferent ; owl:distinctMembers ( :i :j :k ) .",
            [("- DifferentIndividuals: i, j, k", "DifferentIndividuals", "urn:i", 8)],
        ),
        # Without a declaration of its property, a fact is still one.
        (":i :q :j .", [("- i q j", "ObjectPropertyAssertion", "urn:i", 1)]),
        (':i :q "x" .', [('- i q "x"', "DataPropertyAssertion", "urn:i", 1)]),
        (":q rdfs:domain :A .", [("- :q rdfs:domain :A", "PropertyDomain", "urn:q", 1)]),
        # No axioms: declarations, annotations, the header.
        (":A a rdfs:Class . :D a rdfs:Class . :p a rdf:Property . :r a rdf:Property . :A a owl:DeprecatedClass .", []),
        ('<urn:o> a owl:Ontology ; dcterms:title "x" ; :version 1 .', []),
        ('<urn:o> a owl:Ontology ; dcterms:creator [ a :Person ; :name "x" ] .', []),
        (':A rdfs:label "a" ; :note "n" ; rdfs:seeAlso :B .', []),
        (":n2 a owl:AnnotationProperty ; rdfs:subPropertyOf :note ; rdfs:domain :A .", []),
    ],
)
def test_each_logical_axiom_is_taken_out_with_its_structure(text: str, wanted: list[tuple[str, str, str, int]]) -> None:
    _, found = changed(text)
    assert found == wanted


def test_annotations_are_taken_out_if_wanted() -> None:
    text = ':A rdfs:label "a" ; :note "n" ; rdfs:subClassOf :B .'
    assert len(changed(text)[1]) == 1
    found = changed(text, annotations=True)[1]
    assert sorted(kind for _, kind, _, _ in found) == ["AnnotationAssertion", "AnnotationAssertion", "SubClassOf"]


def test_a_class_expression_that_two_axioms_share_stays() -> None:
    text = """_:r a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :C .
    :A rdfs:subClassOf _:r , [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :A ] .
    :B rdfs:subClassOf _:r ."""
    graph, found = changed(text)
    assert sorted(size for *_, size in found) == [1, 1, 4]
    assert {kind for _, kind, _, _ in found} == {"SubClassOf"}
    for change in axiom_changes(graph):
        mutant = graph.copy()
        mutant.apply(change.delta)
        restrictions = {triple.subject for triple in mutant.triples(None, RDF.type, OWL.Restriction)}
        used = {triple.object for triple in mutant.triples() if triple.object in restrictions}
        assert used == restrictions  # none is left over


def test_all_changes_together_take_out_each_logical_triple_once() -> None:
    graph, _ = changed(
        """:A owl:disjointWith :C ; rdfs:subClassOf :B .
        :A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:allValuesFrom :C ] .
        :B owl:equivalentClass [ a owl:Class ; owl:unionOf ( :A :C ) ] . :i a :A ; :p [ a :B ] ."""
    )
    gone = [triple for change in axiom_changes(graph) for triple in change.delta.removed]
    assert len(gone) == len(set(gone))
    left = [triple for triple in graph if triple not in set(gone)]
    assert all(triple.predicate == RDF.type and isinstance(triple.subject, NamedNode) for triple in left)
    assert len(left) == 6
