"""Kinds of axioms, each with a group that contradicts it and one that does not."""

from __future__ import annotations

import pytest

from queries.checks import errors, found

P = (
    "Declaration(ObjectProperty(:p)) Declaration(ObjectProperty(:q)) Declaration(Class(:A)) Declaration(Class(:B)) "
    "Declaration(DataProperty(:d)) Declaration(DataProperty(:e)) Declaration(Datatype(:t)) "
)
AXIOMS = [
    ("AsymmetricObjectProperty(:p)", "?x :p ?y . ?y :p ?x", "?x :p ?y . ?y :p ?z"),
    ("IrreflexiveObjectProperty(:p) SubObjectPropertyOf(:q :p)", "?x :q ?x", "?x :q ?y"),
    ("DisjointObjectProperties(:p :q)", "?x :p ?y ; :q ?y", "?x :p ?y ; :q ?z"),
    ("SubClassOf(:A ObjectMaxCardinality(0 :p))", "?x a :A ; :p ?y", "?x a :B ; :p ?y"),
    (
        "SubClassOf(:A ObjectMaxCardinality(1 :p)) DifferentIndividuals(:a :b)",
        "?x a :A ; :p :a , :b",
        "?x a :A ; :p :a , ?y",
    ),
    (
        "FunctionalObjectProperty(:p) DisjointClasses(:A :B)",
        "?x :p ?y , ?z . ?y a :A . ?z a :B",
        "?x :p ?y , ?z . ?y a :A",
    ),
    (
        "SubClassOf(:A ObjectAllValuesFrom(:p :B)) DisjointClasses(:A :B)",
        "?x a :A ; :p ?y . ?y a :A",
        "?x a :A ; :p ?y",
    ),
    ("EquivalentClasses(:A ObjectComplementOf(:B))", "?x a :A , :B", "?x a :A . ?y a :B"),
    (
        "EquivalentClasses(:A ObjectSomeValuesFrom(:p owl:Thing)) DisjointClasses(:A :B)",
        "?x :p ?y . ?x a :B",
        "?x :p ?y . ?y a :B",
    ),
    ("SubClassOf(:A :B) DisjointClasses(:A :B)", "?x a :A", "?x a :B"),
    ("SubClassOf(:A owl:Nothing)", "?x a :A", "?x a :B"),
    ("ObjectPropertyDomain(:p owl:Nothing)", "?x :p ?y", "?x :q ?y"),
    (
        "InverseObjectProperties(:p :q) ObjectPropertyRange(:q :A) DisjointClasses(:A :B)",
        "?x :p ?y . ?x a :B",
        "?x :p ?y . ?y a :B",
    ),
    (
        "SubObjectPropertyOf(ObjectPropertyChain(:p :q) :r) ObjectPropertyRange(:r :A) DisjointClasses(:A :B)",
        "?x :p/:q ?y . ?y a :B",
        "?x :q/:p ?y . ?y a :B",
    ),
    ("DataPropertyRange(:d xsd:nonNegativeInteger)", "?x :d -1", "?x :d 3"),
    ("DataPropertyRange(:d xsd:decimal)", "?x :d '3'^^xsd:double", "?x :d 3"),
    ('DatatypeDefinition(:t DataOneOf("a" "b")) DataPropertyRange(:d :t)', "?x :d 'c'", "?x :d 'a'"),
    (
        "SubDataPropertyOf(:e :d) DataPropertyRange(:d xsd:integer) Declaration(DataProperty(:e))",
        "?x :e 'c'",
        "?x :e 1",
    ),
    ("DisjointDataProperties(:d :e)", "?x :d ?v ; :e ?v", "?x :d ?v ; :e ?w"),
    ("DisjointClasses(:A :B)", "?x a :A . ?y a :B FILTER(?x = ?y)", "?x a :A . ?y a :B FILTER(?x != ?y)"),
    ("DisjointClasses(:A :B)", "?x a :A . ?y a :B . ?x owl:sameAs ?y", "?x a :A . ?y a :B . ?x owl:differentFrom ?y"),
    ("ClassAssertion(:A :a) DisjointClasses(:A :B)", ":a a :B", ":b a :B"),
]


@pytest.mark.parametrize(("axioms", "dead", "alive"), AXIOMS, ids=[each[0] for each in AXIOMS])
def test_an_axiom_forbids_a_pattern(axioms: str, dead: str, alive: str) -> None:
    assert errors(f"SELECT * {{ {dead} }}", P + axioms) != []
    assert errors(f"SELECT * {{ {alive} }}", P + axioms) == []


def test_a_key_proves_nothing_about_blank_nodes() -> None:
    axioms = P + "HasKey(:A () (:d)) Declaration(DataProperty(:d)) DisjointObjectProperties(:p :q)"
    axioms += " IrreflexiveObjectProperty(:p)"
    group = "?x a :A ; :d 1 . ?y a :A ; :d 1 . ?x :p ?y"
    assert {each.split()[0] for each in found(f"SELECT * {{ {group} }}", axioms)} <= {"warning"}
    assert errors(f"SELECT * {{ {group} FILTER(isIRI(?x) && isIRI(?y)) }}", axioms) != []
    assert errors(f"SELECT * {{ {group.replace('1 . ?y', '2 . ?y')} FILTER(isIRI(?x) && isIRI(?y)) }}", axioms) == []


def test_no_declared_disjointness_no_error() -> None:
    axioms = P + "ObjectPropertyDomain(:p :A) ObjectPropertyRange(:p :B)"
    assert errors("SELECT * { ?x :p ?y . ?y :p ?x . ?x a :A , :B }", axioms) == []


def test_several_errors_are_found_at_once() -> None:
    axioms = P + "AsymmetricObjectProperty(:p) DisjointClasses(:A :B)"
    query = "SELECT * { ?x :p ?y .\n?y :p ?x .\n?z a :A .\n?z a :B . ?x :q ?z }"
    assert errors(query, axioms) == ["contradiction 2", "contradiction 4"]
