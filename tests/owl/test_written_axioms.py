"""Every graph that `kgprobe info` classifies as OWL 2 DL round-trips through functional syntax."""

from __future__ import annotations

import pytest
from hypothesis import given
from support.axiom_sets import axioms_of
from support.owl_graphs import owl_triples
from support.turtle import graph_of

from kgprobe.errors import InputError
from kgprobe.formats import functional
from kgprobe.formats.files import render, writable_format
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.profiles import Profile, profiles
from kgprobe.owl.to_triples import triples
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Triple

_FORMAT = writable_format("", "functional")


def is_dl(graph: Graph) -> bool:
    return Profile.DL in profiles(list(AxiomView(graph)))


def written_and_read(graph: Graph) -> Graph:
    document = functional.parse(render(graph, _FORMAT).text.decode(), "written")
    return Graph(Triple(*triple) for triple in triples(document))


LOOSE = {
    "distinctMembers": "[] a owl:AllDifferent ; owl:distinctMembers (:a :b :c) .",
    "distinctMembers of two": "[] a owl:AllDifferent ; owl:distinctMembers (:a :b) .",
    "disjoint classes as a group of two": "[] a owl:AllDisjointClasses ; owl:members (:A :B) .",
    "numbers of another datatype": (
        ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:minCardinality 2 ] ."
    ),
    "an expression that two axioms share": (
        ":A rdfs:subClassOf _:e . :B rdfs:subClassOf _:e ."
        " _:e a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :A ."
    ),
    "an expression that an anonymous individual shares": (
        ":A rdfs:subClassOf _:e . _:x a _:e . _:e a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :A ."
    ),
    "types of RDF and RDFS": ":A a rdfs:Class . :p a rdf:Property .",
    "the data range of OWL 1": ":d rdfs:range [ a owl:DataRange ; owl:oneOf ('a' 'b') ] .",
    "a restriction that is a class, too": (
        ":A rdfs:subClassOf [ a owl:Restriction, owl:Class ; owl:onProperty :p ; owl:someValuesFrom :A ] ."
    ),
    "an expression that nothing uses": "[] a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :A .",
    "a list with types": (
        ":A owl:equivalentClass [ a owl:Class ; owl:unionOf _:l ] ."
        " _:l a rdf:List ; rdf:first :B ; rdf:rest [ a rdf:List ; rdf:first :A ; rdf:rest () ] ."
    ),
    "two ontologies": (
        "<urn:o> a owl:Ontology . <urn:o2> a owl:Ontology ; owl:versionIRI <urn:v> ; owl:imports <urn:o3> ."
    ),
}
NAMES = ":A a owl:Class . :B a owl:Class . :p a owl:ObjectProperty . :d a owl:DatatypeProperty ."


@pytest.mark.parametrize("turtle", LOOSE.values(), ids=LOOSE.keys())
def test_a_loose_spelling_is_written_as_its_axiom(turtle: str) -> None:
    graph = graph_of(f"{NAMES} {turtle}")
    assert is_dl(graph)
    again = written_and_read(graph)
    assert axioms_of(again) == axioms_of(graph)
    assert is_dl(again)


def test_rewritten_and_omitted_triples_are_reported() -> None:
    rendered = render(graph_of(f"{NAMES} {LOOSE['distinctMembers']} {LOOSE['types of RDF and RDFS']}"), _FORMAT)
    assert b"DifferentIndividuals(:a :b :c)" in rendered.text
    assert rendered.notes[1:] == (
        "spells 1 axiom in the standard way",
        "leaves out triples that form no axiom: 2 triples, such as :A a rdfs:Class",
    )


@pytest.mark.parametrize("turtle", [":A :q (1 2) .", ":A owl:complementOf :B .", ":A owl:onProperty :p ."])
def test_graphs_that_are_not_owl_are_still_refused(turtle: str) -> None:
    with pytest.raises(InputError, match=r"functional syntax has only axioms"):
        render(graph_of(f"{NAMES} {turtle}"), _FORMAT)


_NAMED = graph_of(f"{NAMES} :C a owl:Class . :D a owl:Class . :q a owl:ObjectProperty .")


@given(owl_triples)
def test_every_graph_in_owl_dl_can_be_written(drawn: list[Triple]) -> None:
    graph = Graph([*_NAMED, *drawn])  # most graphs without declarations are not in DL
    if is_dl(graph):
        assert axioms_of(written_and_read(graph)) == axioms_of(graph)
