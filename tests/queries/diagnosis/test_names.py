"""Unknown names: errors only where the ontology must have them, with the nearest name."""

from __future__ import annotations

import pytest

from kgprobe.queries.diagnosis.checking import Checker
from kgprobe.queries.diagnosis.names import own_namespaces
from kgprobe.queries.files.texts import QueryText
from kgprobe.queries.schema import Schema
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Namespace, Triple
from queries.checks import ENGINES, check, found

OBO = Namespace("http://purl.obolibrary.org/obo/")
EX = Namespace("http://example.org/terms/")

NAMES = [
    ("ASK { ?u sn:frend_of ?v }", ["error unknown-term 1"]),
    ("ASK { ?u a sn:Usr }", ["error unknown-term 1"]),
    ("ASK { ?c rdfs:subClassOf sn:Usr }", ["error unknown-term 1"]),
    ("ASK { ?u sn:likes/sn:nothing ?v }", ["error unknown-term 1"]),
    ("ASK { ?u rdf:typ ?v }", ["error unknown-term 1"]),
    ("ASK { ?u rdfs:lable ?v }", ["error unknown-term 1"]),
    ("ASK { ?u a owl:Clas }", ["error unknown-term 1"]),
    ("ASK { ?u rdf:_12 ?v . ?v rdf:first ?w ; a rdf:Bag }", []),
    ("ASK { ?u sn:age '5'^^xsd:interger }", ["warning unknown-term 1"]),
    # data may have other individuals, and names of other vocabularies
    ("ASK { sn:somebody sn:age ?a }", ["warning unknown-term 1"]),
    ("ASK { ?u sn:age ?a FILTER(?u = sn:somebody) }", ["warning unknown-term 1"]),
    ("ASK { ?u <http://xmlns.com/foaf/0.1/nam> ?n }", []),
    ("ASK { GRAPH sn:graph { ?u sn:age ?a } }", []),
    ("ASK { SERVICE <http://example.org/> { ?u sn:nothing ?a } }", []),
    ("ASK { ?u sn:age ?a FILTER(sn:function(?a)) }", []),
    # an update may introduce names
    ("INSERT DATA { sn:new a sn:User }", []),
    ("INSERT DATA { sn:New a owl:Class . sn:x a sn:New }", []),
    ("INSERT DATA { sn:x a sn:New }", ["error unknown-term 1"]),
]


@pytest.mark.parametrize(("query", "expected"), NAMES, ids=[query for query, _ in NAMES])
def test_names(query: str, expected: list[str]) -> None:
    assert found(query) == expected


def test_the_nearest_name_is_a_fix() -> None:
    (diagnostic,) = check("ASK { ?u <https://example.org/social-network#frend_of> ?v }").diagnostics
    assert [fix.title for fix in diagnostic.fixes] == [
        "use the nearest name: <https://example.org/social-network#friend_of>"
    ]
    (diagnostic,) = check("ASK { ?u rdf:typ ?v }").diagnostics
    assert [fix.title for fix in diagnostic.fixes] == ["use the nearest name: rdf:type"]


def found_in(graph: list[Triple], query: str) -> list[str]:
    report = Checker(Schema(Graph(graph)), ENGINES).check(QueryText.whole("query.rq", query))
    return [f"{diagnostic.severity.value} {diagnostic.code}" for diagnostic in report.diagnostics]


def test_shared_identifiers_and_missing_imports_give_warnings() -> None:
    iri = NamedNode("http://purl.obolibrary.org/obo/zoo.owl")
    names = [OBO.ZOO_0000001, OBO.ZOO_0000002]
    graph = [Triple(iri, RDF.type, OWL.Ontology), *(Triple(name, RDF.type, OWL.Class) for name in names)]
    assert found_in(graph, f"ASK {{ ?x a {OBO.ZOO_0000003} }}") == ["warning unknown-term"]
    assert found_in(graph, f"ASK {{ ?x a {OBO.GO_0008150} }}") == ["warning unknown-term"]
    imported = [*graph, Triple(iri, OWL.imports, NamedNode("http://example.org/terms"))]
    assert found_in(graph, f"ASK {{ ?x {EX.other} ?y }}") == []
    assert found_in(imported, f"ASK {{ ?x {EX.other} ?y }}") == ["warning unknown-term"]


def test_the_namespaces_that_an_ontology_defines() -> None:
    iri = NamedNode("http://example.org/zoo.owl")
    vann = NamedNode("http://purl.org/vocab/vann/preferredNamespaceUri")
    graph = [
        Triple(iri, RDF.type, OWL.Ontology),
        Triple(iri, vann, Literal("http://example.org/preferred#")),
        Triple(NamedNode("http://example.org/claimed#a"), RDFS.isDefinedBy, iri),
        *(Triple(EX[name], RDF.type, OWL.Class) for name in "abc"),
        Triple(NamedNode("http://xmlns.com/foaf/0.1/Person"), RDF.type, OWL.Class),
    ]
    assert own_namespaces(Schema(Graph(graph))) == {
        "http://example.org/zoo.owl#",
        "http://example.org/zoo.owl/",
        "http://example.org/preferred#",
        "http://example.org/claimed#",
        "http://example.org/terms/",
    }
    assert found_in(graph, f"ASK {{ ?x a {EX.d} }}") == ["error unknown-term"]
    assert found_in(graph, "ASK { ?x a <http://xmlns.com/foaf/0.1/Agent> }") == []


def test_a_name_that_would_not_be_an_iri_in_another_namespace() -> None:
    query = "PREFIX x: <https://example.org/social-network> ASK { ?s ?p x:\\#b }"
    assert found(query) == ["warning unknown-term 1"]
