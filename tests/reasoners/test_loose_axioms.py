"""Axioms that do not follow OWL's mapping to RDF exactly but can be read: reasoners get their meaning."""

from __future__ import annotations

import pytest
from ontology.turtle import graph_of

from kgprobe.graph.graph import Graph
from kgprobe.processes.limits import Limits
from kgprobe.reasoners.choice import open_reasoner
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Consistency

from .reasoner_fixtures import needs

_NAMES = """:A a owl:Class . :B a owl:Class . :C a owl:Class . :p a owl:ObjectProperty . :q a owl:ObjectProperty .
    :d a owl:DatatypeProperty . :i a owl:NamedIndividual, :A . :j a owl:NamedIndividual . """
_SHARED = "_:r a owl:Restriction ; owl:onProperty :p ; owl:allValuesFrom owl:Nothing . "


def _ontology(text: str) -> Ontology:
    return Ontology.of(graph_of(_NAMES + text))


# Each is inconsistent, and consistent without the unusual spelling.
CLASHES = {
    "two disjoint classes": ":i a :B . [] a owl:AllDisjointClasses ; owl:members (:A :B) .",
    "two disjoint properties": ":i :p :j ; :q :j . [] a owl:AllDisjointProperties ; owl:members (:p :q) .",
    "two different individuals": ":i owl:sameAs :j . [] a owl:AllDifferent ; owl:members (:i :j) .",
    "with a comment": ':i a :B . [] a owl:AllDisjointClasses ; owl:members (:A :B) ; rdfs:comment "no" .',
    "members of OWL 1": ":k a :A ; owl:sameAs :j . [] a owl:AllDifferent ; owl:distinctMembers (:i :j :k) .",
    "a number of another type": """:i :p :j, :k . [] a owl:AllDifferent ; owl:members (:i :j :k) .
        :A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :p ; owl:maxCardinality 1] .""",
    "a shared expression": f":A rdfs:subClassOf _:r . :B rdfs:subClassOf _:r . {_SHARED} :i :p :j .",
}


@needs("rustdl")
@needs("pyhermit")
@pytest.mark.parametrize("text", CLASHES.values(), ids=list(CLASHES))
def test_unusual_spellings_count(text: str) -> None:
    reasoner = open_reasoner("auto", Limits(30, 1024))
    try:
        (answer,) = reasoner.answer(graph_of(_NAMES + text), [Consistency()])
    finally:
        reasoner.close()
    assert answer.value is False
    assert _ontology(text).leftovers == 0


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("_:l rdf:first :A ; rdf:rest rdf:nil .", 0),  # an empty list states nothing
        (_SHARED, 0),
        (":A rdfs:subClassOf _:nothing .", 1),
        (":i :d :j .", 1),
        (f":A rdfs:subClassOf _:r . :B rdfs:subClassOf _:r . {_SHARED} _:r owl:hasValue :i .", 6),
        ("_:x a :A . [] a owl:AllDifferent ; owl:members _:l ; owl:members _:l2 . _:l rdf:first _:x .", 4),
        # Each copy of the shared node has a different individual, so the copies do not state everything.
        (
            """_:x a :A . :A rdfs:subClassOf _:r . :B rdfs:subClassOf _:r .
            _:r a owl:Restriction ; owl:onProperty :p ; owl:hasValue _:x .""",
            5,
        ),
    ],
)
def test_unreadable_triples_are_counted(text: str, count: int) -> None:
    assert _ontology(text).leftovers == count


def test_variants_of_a_graph_are_read_like_independent_graphs() -> None:
    base = graph_of(_NAMES + " ".join(CLASHES.values()))
    triples = sorted(base, key=str)
    for number in range(len(triples)):
        changed = base.copy()
        for triple in triples[number : number + 2]:
            changed.remove(triple)
        alone = Graph(changed)
        assert Ontology.of(changed) == Ontology.of(alone), triples[number]
