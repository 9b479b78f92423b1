"""Rewriting ontologies for reasoners: other constructs, short names, and ontologies with an obvious model."""

from __future__ import annotations

import pytest

from kgprobe.rdf.terms import OWL
from kgprobe.reasoners.cases import all_cases
from kgprobe.reasoners.catalogue import shortened
from kgprobe.reasoners.ontology import as_lines
from kgprobe.reasoners.protocol import Consistency
from kgprobe.reasoners.rephrase import rephrased, spelled_out, truisms
from kgprobe.reasoners.small_model import has_tiny_model

from .reasoner_fixtures import ontology


def axioms_of(text: str) -> tuple[str, ...]:
    return tuple(sorted(line.strip() for line in as_lines(ontology(text).axioms)))


@pytest.mark.parametrize(
    ("said", "rather"),
    [
        ("FunctionalObjectProperty(ObjectInverseOf(:p))", "InverseFunctionalObjectProperty(:p)"),
        ("ObjectPropertyRange(ObjectInverseOf(:p) :A)", "ObjectPropertyDomain(:p :A)"),
        ("ObjectPropertyAssertion(ObjectInverseOf(:p) :a :b)", "ObjectPropertyAssertion(:p :b :a)"),
        ("InverseObjectProperties(:p ObjectInverseOf(:q))", "EquivalentObjectProperties(:q :p)"),
        ("InverseObjectProperties(:p ObjectInverseOf(:p))", ""),
        ("DisjointClasses(:A :B)", "DisjointClasses(:A :B)"),
        (
            "DisjointClasses(:A ObjectHasSelf(:p))",
            "SubClassOf(ObjectIntersectionOf(:A ObjectHasSelf(:p)) owl:Nothing)",
        ),
        ("DisjointUnion(:A :B :C)", "EquivalentClasses(:A ObjectUnionOf(:B :C)) DisjointClasses(:B :C)"),
        ("DisjointUnion(:A ObjectOneOf(:a :b) ObjectOneOf(:b :a))", "EquivalentClasses(:A ObjectOneOf(:b :a))"),
    ],
)
def test_rewriting_for_rustdl(said: str, rather: str) -> None:
    found = rephrased(ontology(said).axioms, with_marks=True)
    assert tuple(sorted(line.strip() for line in as_lines(found))) == axioms_of(rather)


@pytest.mark.parametrize(
    ("said", "rather"),
    [
        ("SubClassOf(:A :B)", "SubClassOf(:A :B)"),
        (
            "SubClassOf(ObjectMinCardinality(2 :p) :B)",
            "SubClassOf(owl:Thing ObjectUnionOf(ObjectMaxCardinality(1 :p) :B))",
        ),
        ("SubClassOf(ObjectMinCardinality(0 :p) :B)", "SubClassOf(owl:Thing ObjectUnionOf(owl:Nothing :B))"),
        (
            'SubClassOf(:A ObjectComplementOf(DataHasValue(:d "x")))',
            'SubClassOf(:A DataAllValuesFrom(:d DataComplementOf(DataOneOf("x"))))',
        ),
        (
            "ClassAssertion(ObjectComplementOf(ObjectSomeValuesFrom(:p DataSomeValuesFrom(:d xsd:string))) :a)",
            "ClassAssertion(ObjectAllValuesFrom(:p DataAllValuesFrom(:d DataComplementOf(xsd:string))) :a)",
        ),
        (
            "ClassAssertion(ObjectComplementOf(ObjectExactCardinality(1 :p)) :a)",
            "ClassAssertion(ObjectUnionOf(ObjectMaxCardinality(0 :p) ObjectMinCardinality(2 :p)) :a)",
        ),
    ],
)
def test_rewriting_for_pyhermit(said: str, rather: str) -> None:
    found = spelled_out(ontology(said).axioms)
    assert tuple(sorted(line.strip() for line in as_lines(found))) == axioms_of(rather)


def test_a_tautology_is_added_for_each_property() -> None:
    found = truisms(ontology("SubObjectPropertyOf(:p owl:topObjectProperty) FunctionalDataProperty(:d)").axioms)
    assert tuple(sorted(line.strip() for line in as_lines(found))) == axioms_of(
        "ObjectPropertyDomain(:p owl:Thing) ObjectPropertyRange(:p owl:Thing) DataPropertyRange(:d rdfs:Literal)"
    )


def test_short_names() -> None:
    text = ontology(
        'SubClassOf(:A :B) DataPropertyAssertion(:d :a "<urn:test:A> \\"<x>") SubClassOf(:B owl:Thing)'
    ).text
    assert shortened(text).splitlines() == [
        "SubClassOf(<i:0> <i:1>)",
        'DataPropertyAssertion(<i:2> <i:3> "<urn:test:A> \\"<x>")',
        f"SubClassOf(<i:1> <{OWL.Thing.value}>)",
    ]


def test_a_tiny_model_is_a_model() -> None:
    """No inconsistent case has one, and many of the consistent ones do."""
    cases = [case for case in all_cases() if isinstance(case.task, Consistency)]
    found = [case.expected for case in cases if has_tiny_model(case.ontology.axioms)]
    assert all(found)
    assert len(found) > 100
