"""The stated hierarchy: it counts as complete only if a reasoner finds no more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, assume, given, settings
from support.shared_data import needs_shared_data, shared
from support.turtle import EX, graph_of

from entailment.simple_ontologies import simple_ontologies
from kgprobe.entailment.stated_hierarchy import StatedHierarchy, stated_hierarchy
from kgprobe.formats.files import load
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDFS, NamedNode, Term, Triple
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.protocol import Classification, Hierarchy, Reasoner

_DECLARED = """
    :A a owl:Class . :B a owl:Class . :C a owl:Class . :p a owl:ObjectProperty . :q a owl:ObjectProperty .
    :d a owl:DatatypeProperty . :note a owl:AnnotationProperty .
"""
_SOME = ":A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B] . "

_COMPLETE = {
    "nothing": "",
    "names": ":A rdfs:subClassOf :B . :B rdfs:subClassOf :C .",
    "a cycle": ":A rdfs:subClassOf :B . :B rdfs:subClassOf :A .",
    "equivalent names": ":A owl:equivalentClass :B .",
    "an existential restriction": _SOME,
    "nested restrictions": """:A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom
        [a owl:Restriction ; owl:onProperty :q ; owl:someValuesFrom owl:Thing]] .""",
    "an intersection": """:A rdfs:subClassOf
        [a owl:Class ; owl:intersectionOf (:B [a owl:Class ; owl:intersectionOf (:C)])] .""",
    "properties": _SOME
    + """:p rdfs:subPropertyOf :q . :p a owl:TransitiveProperty, owl:SymmetricProperty, owl:ReflexiveProperty .
        :p owl:inverseOf :q . :q owl:propertyChainAxiom (:p :p) . :p owl:equivalentProperty :q .""",
    "ranges with restrictions": _SOME + ":p rdfs:range :C . :p a owl:TransitiveProperty .",
    "domains and ranges without restrictions": ":p rdfs:domain :A ; rdfs:range :B . :p owl:inverseOf :q .",
    "a trivial domain": _SOME + ":p rdfs:domain owl:Thing .",
    "a domain of an annotation": _SOME + ":note rdfs:domain :C .",
    "individuals": _SOME
    + ":a a :A ; :p :b ; :d 5 . :b a [a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :C] .",
    "the same individual twice": ":a owl:sameAs :b . :a a :A .",
    "annotations": """:A :note "1"^^xsd:integer, "x"^^:unknown ; rdfs:label "A" . :A rdfs:subClassOf :B .
        [] a owl:Axiom ; :note "n" ;
            owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B .""",
    "a data property": ":A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :d ; owl:someValuesFrom xsd:string] .",
    "a range of a data property": ":d rdfs:range xsd:string .",
}

_INCOMPLETE = {
    "disjoint classes": ":A owl:disjointWith :B .",
    "a restriction on the left": "[a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B] rdfs:subClassOf :A .",
    "a definition": ":A owl:equivalentClass [a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B] .",
    "a definition without an axiom": ":A owl:intersectionOf (:B :C) .",
    "a named restriction": ":A a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B .",
    "a domain with restrictions": _SOME + ":p rdfs:domain :C .",
    "a range of an inverse property": _SOME + ":p rdfs:range :C . :p owl:inverseOf :q .",
    "a symmetric range": _SOME + ":p rdfs:range :C ; a owl:SymmetricProperty .",
    "a reflexive domain": ":p rdfs:domain :C ; a owl:ReflexiveProperty .",
    "a universal restriction": ":A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :p ; owl:allValuesFrom :B] .",
    "a union": ":A rdfs:subClassOf [a owl:Class ; owl:unionOf (:B :C)] .",
    "a nominal": ":A owl:equivalentClass [a owl:Class ; owl:oneOf (:a)] .",
    "a functional property": _SOME + ":p a owl:FunctionalProperty .",
    "everything": "owl:Thing rdfs:subClassOf :A .",
    "nothing": ":A rdfs:subClassOf owl:Nothing .",
    "nothing as a value": """:A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom
        owl:Nothing] .""",
    "a member of nothing": ":a a owl:Nothing .",
    "the empty property": _SOME + ":p rdfs:subPropertyOf owl:bottomObjectProperty .",
    "a subproperty of a built-in property": ":p rdfs:subPropertyOf rdfs:subClassOf .",
    "a negative fact": """[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :a ; owl:assertionProperty :p ;
        owl:targetIndividual :b .""",
    "different individuals": ":a owl:differentFrom :b .",
    "a key": ":A owl:hasKey (:p) .",
    "a rule": "[] a swrl:Imp ; swrl:body () ; swrl:head () .",
    "a value and a range": ':a :d "x" . :d rdfs:range xsd:integer .',
    "a restriction and a range of data": """:d rdfs:range xsd:integer .
        :A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :d ; owl:someValuesFrom xsd:string] .""",
    "an ill-typed literal": ':a :d "x"^^xsd:integer .',
    "a literal of an unknown datatype": ':a :d "x"^^:unknown .',
    "an undeclared property with an ill-typed literal": ':a :undeclared "x"^^xsd:integer .',
    "a class that is a datatype": ":A a rdfs:Datatype . :A rdfs:subClassOf :B .",
    "a defined datatype": """:D a rdfs:Datatype . :A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :d ;
        owl:someValuesFrom :D] .""",
    "a data property with a class": """:A rdfs:subClassOf
        [a owl:Restriction ; owl:onProperty :d ; owl:someValuesFrom :B] .""",
    "an inverse of a data property": ":d owl:inverseOf :p .",
    "a broken list": ":A rdfs:subClassOf [a owl:Class ; owl:intersectionOf [rdf:first :B]] .",
    "an annotation of an axiom that is not stated": """[] a owl:Axiom ;
        owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B .""",
}


@pytest.mark.parametrize("body", _COMPLETE.values(), ids=_COMPLETE.keys())
def test_harmless_axioms_keep_the_hierarchy_complete(body: str) -> None:
    stated = stated_hierarchy(graph_of(_DECLARED + body))
    assert stated.complete, stated.why


@pytest.mark.parametrize("body", _INCOMPLETE.values(), ids=_INCOMPLETE.keys())
def test_constructs_that_may_add_edges_make_the_hierarchy_incomplete(body: str) -> None:
    assert not stated_hierarchy(graph_of(_DECLARED + body)).complete


def test_edges_and_classes() -> None:
    stated = stated_hierarchy(
        graph_of(
            """:A a owl:Class ; rdfs:subClassOf :B, owl:Thing, :A, [a owl:Class ; owl:intersectionOf (:C [a owl:Class ;
            owl:intersectionOf (:D)])] . :E owl:equivalentClass :F . :i a :G . :H a rdfs:Class ."""
        )
    )
    assert set(stated.nodes.edges()) == {(EX.A, EX.B), (EX.A, EX.C), (EX.A, EX.D), (EX.E, EX.F), (EX.F, EX.E)}
    assert sorted(stated.nodes.classes, key=str) == [EX[name] for name in "ABCDEFGH"]


def test_a_datatype_is_not_a_class_even_with_an_edge() -> None:
    stated = stated_hierarchy(graph_of(":D a rdfs:Datatype ; owl:equivalentClass :C . :A a owl:Class ."))
    assert set(stated.nodes.edges()) == {(EX.D, EX.C), (EX.C, EX.D)}
    assert sorted(stated.nodes.classes, key=str) == [EX.A, EX.C]


def test_the_reason_is_given() -> None:
    assert stated_hierarchy(graph_of(_SOME)).why == "only SubClassOf between names and existential restrictions"
    assert stated_hierarchy(graph_of(":A owl:disjointWith :B .")).why == "it uses owl:disjointWith"


def test_added_triples_count_and_removed_triples_do_not() -> None:
    graph = graph_of(":A rdfs:subClassOf :B . :B owl:disjointWith :C .")
    graph.remove(Triple(EX.B, OWL.disjointWith, EX.C))
    graph.remove(Triple(EX.A, RDFS.subClassOf, EX.B))
    graph.add(Triple(EX.New, RDFS.subClassOf, EX.B))
    stated = stated_hierarchy(graph)
    assert stated.complete
    assert stated.nodes.edges() == [(EX.New, EX.B)]
    assert [(graph.term(a), graph.term(b)) for a, b in stated.edge_keys()] == [(EX.New, EX.B)]


# -- comparison with a reasoner ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reasoner() -> Iterator[Reasoner]:
    opened = open_reasoner("rustdl")
    yield opened
    opened.close()


def _stated_above(stated: StatedHierarchy) -> dict[Term, set[Term]]:
    above: dict[Term, set[Term]] = {each: set() for each in stated.nodes.classes}
    changed = True
    while changed:
        changed = False
        for lower, upper in stated.nodes.edges():
            more = ({upper} | above[upper]) - above[lower]
            above[lower] |= more
            changed = changed or bool(more)
    return {each: found - {each} for each, found in above.items()}


def _inferred_above(found: Hierarchy) -> dict[Term, set[Term]]:
    above: dict[Term, set[Term]] = {}
    for name, members in found.groups.items():
        names: set[NamedNode] = set()
        pending = [name]
        while pending:
            names |= (parents := found.parents.get(pending.pop(), frozenset()) - names)
            pending += parents
        upper = members.union(*(found.groups[each] for each in names))
        above |= {member: set(upper - {member}) for member in members}
    return above


def _assert_nothing_more_follows(graph: Graph, stated: StatedHierarchy, reasoner: Reasoner) -> None:
    [answer] = reasoner.answer(graph, [Classification()])
    assert isinstance(answer.value, Hierarchy), answer.why
    assert not answer.value.unsatisfiable
    assert _stated_above(stated) == _inferred_above(answer.value)


@settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
@given(triples=simple_ontologies())
def test_a_reasoner_adds_nothing_to_a_complete_hierarchy(reasoner: Reasoner, triples: list[Triple]) -> None:
    graph = Graph(triples)
    stated = stated_hierarchy(graph)
    assume(stated.complete)
    _assert_nothing_more_follows(graph, stated, reasoner)


# In a manual run over all 123, 80 were complete, and the reasoner agreed on all of them. These are fast.
_ORE = [10264, 1034, 11014, 11497, 12379, 12932, 2228, 9251]


@needs_shared_data
@pytest.mark.parametrize("number", _ORE)
def test_a_reasoner_adds_nothing_to_complete_real_ontologies(reasoner: Reasoner, number: int) -> None:
    graph = load(str(shared(f"ore/ore_ont_{number}.owl"))).graph
    stated = stated_hierarchy(graph)
    assert stated.complete
    _assert_nothing_more_follows(graph, stated, reasoner)


@needs_shared_data
def test_the_gene_ontology_is_complete() -> None:
    stated = stated_hierarchy(load(str(shared("go/go-2024.obo.gz"))).graph)
    assert stated.complete
    assert (len(stated.nodes.rows), len(stated.nodes.classes)) == (64364, 40939)
