"""An ontology prepared for queries: names, properties, facts, imports, consistency."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.clashes import axioms, schema, statements
from support.shared_data import needs_shared_data, shared

from kgprobe.errors import InputError
from kgprobe.formats.imports import Library
from kgprobe.lsp.variable_classes import types_of
from kgprobe.queries.clashes.clash import ClashFinder
from kgprobe.queries.clashes.reasoning import Engines
from kgprobe.queries.schema import Schema, check_consistency, load_schema
from kgprobe.queries.statements import variable
from kgprobe.rdf.terms import RDFS, XSD, Literal, NamedNode
from kgprobe.reasoners.auto import opened


def name(local: str) -> NamedNode:
    return NamedNode(f"urn:test:{local}")


def given(text: str) -> Schema:
    return schema(*axioms(text))


def test_kinds_are_declared_or_used() -> None:
    found = given('ObjectPropertyDomain(:p :A) DataPropertyAssertion(:d :a "x") DatatypeDefinition(:t xsd:integer)')
    assert {each: found.kinds(name(each)) for each in "pAdat"} == {
        "p": {"ObjectProperty"},
        "A": {"Class"},
        "d": {"DataProperty"},
        "a": {"NamedIndividual"},
        "t": {"Datatype"},
    }
    assert found.kinds(name("other")) == frozenset()
    assert found.kinds(RDFS.label) == {"AnnotationProperty"}


def test_what_is_inherited_comes_with_its_axioms() -> None:
    text = (
        "SubDataPropertyOf(:p :q) EquivalentDataProperties(:q :r) SubDataPropertyOf(:s :p)"
        " DataPropertyRange(:r xsd:integer) FunctionalDataProperty(:q)"
    )
    found = given(text)
    assert set(found.super_properties(name("p"))) == {name("p"), name("q"), name("r")}
    [(values, because)] = found.data_ranges(name("p"))
    assert values == XSD.integer
    assert because == axioms(
        "SubDataPropertyOf(:p :q) EquivalentDataProperties(:q :r) DataPropertyRange(:r xsd:integer)"
    )
    functional = found.functional_data(name("s"))
    assert functional is not None
    assert functional.what == name("q")
    assert functional.axioms == axioms("SubDataPropertyOf(:s :p) SubDataPropertyOf(:p :q) FunctionalDataProperty(:q)")


def test_a_property_below_does_not_make_the_one_above_functional() -> None:
    found = given("SubDataPropertyOf(:p :q) FunctionalDataProperty(:p) DataPropertyRange(:p xsd:integer)")
    assert found.functional_data(name("q")) is None
    assert found.data_ranges(name("q")) == ()


def test_axioms_about_everything_are_ranges_too() -> None:
    found = given(
        "SubClassOf(owl:Thing DataAllValuesFrom(:p xsd:integer)) SubClassOf(owl:Thing DataMaxCardinality(1 :p))"
        " SubClassOf(:A DataAllValuesFrom(:q xsd:integer))"
    )
    assert [said.what for said in found.data_ranges(name("p"))] == [XSD.integer]
    assert found.functional_data(name("p")) is not None
    assert found.data_ranges(name("q")) == ()


def test_domains_and_ranges_through_inverses() -> None:
    found = given(
        "ObjectPropertyDomain(:likes :User) InverseObjectProperties(:likes :likedBy) SubObjectPropertyOf(:loves :likes)"
    )
    assert [said.what for said in found.domains(name("loves"))] == [name("User")]
    assert [said.what for said in found.ranges(name("likedBy"))] == [name("User")]
    assert found.domains(name("likedBy")) == ()


def test_facts_of_properties_below_count() -> None:
    text = 'DataPropertyAssertion(:p :a "1") DataPropertyAssertion(:q :a "2") SubDataPropertyOf(:p :q)'
    found = given(text)
    assert {fact.value for fact in found.facts(name("a"), name("q"))} == {Literal("1"), Literal("2")}
    assert {fact.value for fact in found.facts(name("a"), name("p"))} == {Literal("1")}
    assert found.facts(name("b"), name("q")) == ()


def test_several_files_are_one_ontology(tmp_path: Path) -> None:
    header = "@prefix : <urn:test:> . @prefix owl: <http://www.w3.org/2002/07/owl#> ."
    first, second = tmp_path / "first.ttl", tmp_path / "second.ttl"
    first.write_text(f"{header} <urn:one> a owl:Ontology ; owl:imports <urn:two>, <urn:three> . :A a owl:Class .")
    second.write_text(f"{header} <urn:two> a owl:Ontology . :B a owl:Class ; owl:disjointWith :A .")
    found = load_schema([first, second])
    assert found.kinds(name("A")) == found.kinds(name("B")) == {"Class"}
    assert found.missing_imports == {NamedNode("urn:three")}
    assert load_schema([first], Library(folders=[tmp_path])).missing_imports == {NamedNode("urn:three")}
    assert load_schema([first]).missing_imports == {NamedNode("urn:two"), NamedNode("urn:three")}


def test_a_file_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        load_schema([tmp_path / "missing.ttl"])
    with pytest.raises(InputError):
        load_schema([])


def test_an_inconsistent_ontology_is_refused_with_the_reason() -> None:
    text = "DisjointClasses(:Cat :Dog) ClassAssertion(:Cat :tom) ClassAssertion(:Dog :tom) SubClassOf(:Cat :Animal)"
    with opened("auto") as reasoner:
        with pytest.raises(InputError) as raised:
            check_consistency(given(text), reasoner)
        assert check_consistency(given("DisjointClasses(:Cat :Dog) ClassAssertion(:Cat :tom)"), reasoner) == ""
    assert raised.value.exit_code == 2
    for words in ("every query would be wrong", "Cat DisjointWith Dog", "tom Type Cat", "tom Type Dog"):
        assert words in str(raised.value)
    assert "Animal" not in str(raised.value)


@needs_shared_data
def test_koala_is_inconsistent() -> None:
    found = load_schema([shared("../vocabularies/koala.owl")])
    with opened("auto") as reasoner, pytest.raises(InputError, match="Marsupials DisjointWith Person"):
        check_consistency(found, reasoner)


# -- inferred types ---------------------------------------------------------------------------------------------------

FAMILY = (
    "SubClassOf(:Woman :Person) SubClassOf(:Mother :Woman) ObjectPropertyDomain(:child :Parent)"
    " EquivalentClasses(:Mother ObjectIntersectionOf(:Woman :Parent)) DisjointClasses(:Person :Place)"
)


def test_the_types_of_a_variable_with_reasons() -> None:
    engines = Engines()
    finder = ClashFinder(given(FAMILY), engines)
    patterns = statements(
        "ClassAssertion(:Woman v:x)", "ObjectPropertyAssertion(:child v:x v:y)", "ClassAssertion(:Place v:z)"
    )
    try:
        found = {inferred.kind: inferred for inferred in types_of(variable("x"), patterns, finder)}
        assert types_of(variable("y"), patterns, finder) == ()
        assert types_of(variable("x"), [*patterns, *statements("ClassAssertion(owl:Nothing v:x)")], finder) == ()
    finally:
        engines.close()
    assert next(iter(found)) == name("Mother")
    assert set(found) == {name("Mother"), name("Woman"), name("Parent"), name("Person")}
    assert found[name("Mother")].origins == (0, 1)
    assert set(found[name("Mother")].axioms) == set(
        axioms("ObjectPropertyDomain(:child :Parent) EquivalentClasses(:Mother ObjectIntersectionOf(:Woman :Parent))")
    )
    assert found[name("Woman")].axioms == ()
    assert found[name("Woman")].origins == (0,)
