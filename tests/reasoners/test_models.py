"""Models are true: on cases with known answers, on random ontologies and their variants, and after a change."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from support.random_ontologies import Source
from support.shared_data import needs_shared_data, shared

from kgprobe.formats.files import load
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.owl.expression import Expression
from kgprobe.reasoners.cases import Case, all_cases
from kgprobe.reasoners.conditions import satisfies
from kgprobe.reasoners.interpretation import BeyondModelsError, Interpretation
from kgprobe.reasoners.models import SeedModel, find_model
from kgprobe.reasoners.negation import refutations
from kgprobe.reasoners.ontology import READINGS, Ontology
from kgprobe.reasoners.protocol import axiom_of

from .reasoner_fixtures import ontology


def _ways(case: Case) -> list[tuple[Expression, ...]]:
    """The ontologies that have a model exactly if the answer to the case is that of a model."""
    axiom = axiom_of(case.task)
    return [(*case.ontology.axioms, *way) for way in ([[]] if axiom is None else refutations(axiom) or [])]


def test_no_case_has_a_model_that_should_have_none() -> None:
    found = missed = 0
    for case in all_cases():
        has_model = any(find_model(axioms) is not None for axioms in _ways(case))
        is_possible = case.expected is (axiom_of(case.task) is None)
        assert is_possible or not has_model, case.name
        found += has_model
        missed += is_possible and not has_model
    assert found > 350
    assert missed < found / 20


def _state(model: Interpretation) -> str:
    tables = (model.kinds, model.members, model.links, model.backward, model.values, model.witnesses, model.depths)
    return repr(tables)


def _variants(random: Random, axioms: tuple[Expression, ...]) -> Iterator[tuple[list[Expression], list[Expression]]]:
    for _ in range(6):
        removed = random.sample(axioms, random.randint(0, min(3, len(axioms))))
        added = [axiom for axiom in Source(random).ontology().axioms if axiom not in axioms]
        yield random.sample(added, min(len(added), random.randint(1, 3))), removed


@pytest.mark.parametrize("number", [150, pytest.param(2_000, marks=pytest.mark.thorough)])
def test_a_variant_is_admitted_only_with_a_model(number: int) -> None:
    admitted = refused = 0
    for seed in range(number):
        random = Random(seed)
        axioms = Source(random).ontology().axioms
        known = SeedModel.of(axioms)
        if known is None:
            continue
        assert all(satisfies(known.model, axiom) for axiom in axioms)
        before = _state(known.model)
        for added, removed in _variants(random, axioms):
            stated = [*(axiom for axiom in axioms if axiom not in removed), *added]
            with known.variant(added, frozenset(removed)) as model:
                if model is None:
                    refused += 1
                else:
                    admitted += 1
                    assert [axiom for axiom in stated if not satisfies(model, axiom)] == []
            assert _state(known.model) == before
    assert admitted > number
    assert refused > number / 10


def test_the_same_answer_whatever_was_asked_before() -> None:
    random = Random(3)
    for _ in range(40):
        axioms = Source(random).ontology().axioms
        one, other = SeedModel.of(axioms), SeedModel.of(axioms)
        if one is None or other is None:
            continue
        variants = [(added, frozenset(removed)) for added, removed in _variants(random, axioms)]
        forwards = [one.admits(*variant) for variant in variants]
        backwards = [other.admits(*variant) for variant in reversed(variants)]
        assert forwards == backwards[::-1]


@needs_shared_data
def test_mutants_of_real_ontologies_have_models_in_which_all_axioms_are_true() -> None:
    admitted = 0
    for path in sorted(shared("ore").glob("*.owl"))[::25]:
        graph = load(path).graph
        reading = READINGS.of(graph.table)
        known = SeedModel.of(reading.axioms)
        assert known is not None, path.name
        for operators in ("owl-el", "owl-dl", "abox"):
            generator = Generator(graph, [Weighted(each) for each in operator_set(operators)], mutations=6, seed=1)
            for mutant in generator.mutants(2):
                change = reading.change(mutant.graph)
                assert change is not None
                assert {*reading.axioms} - change.removed | {*change.added} == {*Ontology.of(mutant.graph).axioms}
                with known.variant(change.added, change.removed) as model:
                    if model is not None:
                        admitted += 1
                        assert all(satisfies(model, axiom) for axiom in Ontology.of(mutant.graph).axioms)
    assert admitted > 20


# Each has a model only with what its name says.
WITH_MODEL = {
    "a value": "SubClassOf(:A DataSomeValuesFrom(:d xsd:integer)) ClassAssertion(:A :i)",
    "a value in two ranges": """DataPropertyRange(:d xsd:nonNegativeInteger) ClassAssertion(
        DataSomeValuesFrom(:d DatatypeRestriction(xsd:integer xsd:maxInclusive "0"^^xsd:integer)) :i)""",
    "a value in an intersection": """ClassAssertion(
        DataSomeValuesFrom(:d DataIntersectionOf(xsd:decimal DataComplementOf(xsd:integer))) :i)""",
    "three values": """ClassAssertion(
        DataMinCardinality(3 :d DataOneOf("1"^^xsd:integer "2"^^xsd:integer "3"^^xsd:integer)) :i)""",
    "one individual with two names": """FunctionalObjectProperty(:p) ObjectPropertyAssertion(:p :i :i)
        ObjectPropertyAssertion(:p :i :j) ClassAssertion(:A :i) ClassAssertion(:B :j)""",
    "a key": """HasKey(:A (:p) ()) ClassAssertion(:A :i) ClassAssertion(:A :j)
        ObjectPropertyAssertion(:p :i :i) ObjectPropertyAssertion(:p :j :i)""",
    "a choice": "ClassAssertion(ObjectUnionOf(:A :B) :i) DisjointClasses(:A ObjectOneOf(:i))",
    "a cycle": """SubClassOf(:A ObjectSomeValuesFrom(:p :A)) ClassAssertion(:A :i)
        TransitiveObjectProperty(:p) InverseObjectProperties(:p :q)""",
    "a chain": """SubObjectPropertyOf(ObjectPropertyChain(:p :p) :q) ObjectPropertyRange(:q :B)
        ObjectPropertyAssertion(:p :i :j) ObjectPropertyAssertion(:p :j :i)""",
    "a part of everything": "SubObjectPropertyOf(:p owl:topObjectProperty) ObjectPropertyAssertion(:p :i :j)",
    "a class of things without a link": "EquivalentClasses(:A ObjectAllValuesFrom(:p :B)) ClassAssertion(:A :i)",
    "a datatype with a name": """DatatypeDefinition(:t DataOneOf("a" "b")) DataPropertyRange(:d :t)
        ClassAssertion(DataMinCardinality(2 :d) :i)""",
}
WITHOUT_MODEL = {
    "a value in two ranges": """DataPropertyRange(:d xsd:nonNegativeInteger)
        DataPropertyAssertion(:d :i "-1"^^xsd:integer)""",
    "four values": """ClassAssertion(
        DataMinCardinality(4 :d DataOneOf("1"^^xsd:integer "2"^^xsd:integer "3"^^xsd:integer)) :i)""",
    "two individuals": """FunctionalObjectProperty(:p) ObjectPropertyAssertion(:p :i :i)
        ObjectPropertyAssertion(:p :i :j) DifferentIndividuals(:i :j)""",
    "a key": """HasKey(:A (:p) ()) ClassAssertion(:A :i) ClassAssertion(:A :j) DifferentIndividuals(:i :j)
        ObjectPropertyAssertion(:p :i :i) ObjectPropertyAssertion(:p :j :i)""",
    "everything": """ClassAssertion(:A :i) ClassAssertion(:B :j) DisjointClasses(:A :B)
        SubObjectPropertyOf(owl:topObjectProperty :p) ObjectPropertyRange(:p :A)""",
    "infinitely many things": """FunctionalObjectProperty(ObjectInverseOf(:p)) ClassAssertion(:A :i)
        SubClassOf(:A ObjectSomeValuesFrom(:p :A)) ClassAssertion(ObjectAllValuesFrom(ObjectInverseOf(:p) :B) :i)
        DisjointClasses(:A :B)""",
    "an ill-typed literal": 'SubClassOf(:A DataHasValue(:d "x"^^xsd:integer))',
    "an unknown datatype": "SubClassOf(:A DataSomeValuesFrom(:d :t))",
}


@pytest.mark.parametrize("text", WITH_MODEL.values(), ids=list(WITH_MODEL))
def test_a_model_is_found_with(text: str) -> None:
    axioms = ontology(text).axioms
    model = find_model(axioms)
    assert model is not None
    assert all(satisfies(model, axiom) for axiom in axioms)


@pytest.mark.parametrize("text", WITHOUT_MODEL.values(), ids=list(WITHOUT_MODEL))
def test_no_model_is_found_with(text: str) -> None:
    assert find_model(ontology(text).axioms) is None


RULE = """DisjointClasses(:A :B) SubObjectPropertyOf(:q :p)
    DLSafeRule(Body(ObjectPropertyAtom(:p Variable(:x) Variable(:y)) DataPropertyAtom(:d Variable(:y) Variable(:v))
                    BuiltInAtom(<http://www.w3.org/2003/11/swrlb#greaterThan> Variable(:v) "6"^^xsd:integer))
               Head(ClassAtom(:A Variable(:x)))) """


@pytest.mark.parametrize(
    ("facts", "has_model"),
    [
        ("ObjectPropertyAssertion(:p :i :j) {d} ClassAssertion(:C :i)", True),
        ("ObjectPropertyAssertion(:p :i :j) {d} ClassAssertion(:B :i)", False),
        ("ObjectPropertyAssertion(:q :i :j) {d} ClassAssertion(:B :i)", False),
        ("ObjectPropertyAssertion(:p :j :i) {d} ClassAssertion(:B :i)", True),
        (
            'ObjectPropertyAssertion(:p :i :j) DataPropertyAssertion(:d :j "6.0"^^xsd:decimal) ClassAssertion(:B :i)',
            True,
        ),
        ("ClassAssertion(ObjectSomeValuesFrom(:p DataHasValue(:d {v})) :i) ClassAssertion(:B :i)", True),
    ],
)
def test_rules(facts: str, has_model: bool) -> None:
    value = '"07"^^xsd:integer'
    stated = facts.format(d=f"DataPropertyAssertion(:d :j {value})", v=value)
    assert (find_model(ontology(RULE + stated).axioms) is not None) is has_model


def test_what_cannot_be_judged_is_no_model() -> None:
    unknown = Expression("Unknown", 1)
    with pytest.raises(BeyondModelsError):
        satisfies(Interpretation(), unknown)
    assert find_model([unknown]) is None
