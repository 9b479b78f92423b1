"""Small models: the search finds only real models, and its truth values are right."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from support.puzzles import puzzle
from support.shared_data import needs_shared_data, shared

from kgprobe.formats.files import load
from kgprobe.rdf.terms import RDF, NamedNode, Triple
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.satisfaction import satisfying
from kgprobe.reasoners.small_model import has_small_model

from .reasoner_fixtures import ontology


def test_truth_values_of_random_clauses() -> None:
    random = Random(1)
    verdicts = set()
    for _ in range(800):
        variables = random.randint(1, 7)
        clauses = [
            [random.choice([1, -1]) * random.randint(1, variables) for _ in range(random.randint(1, 3))]
            for _ in range(random.randint(1, 20))
        ]
        found = satisfying(clauses, variables, most_conflicts=1000)
        possible = any(
            all(any((literal > 0) == values[abs(literal) - 1] for literal in clause) for clause in clauses)
            for values in product([True, False], repeat=variables)
        )
        assert (found is not None) is possible
        if found is not None:
            assert {abs(literal) for literal in found} == set(range(1, variables + 1))
            assert all(any(literal in found for literal in clause) for clause in clauses)
        verdicts.add(possible)
    assert verdicts == {True, False}


def test_the_search_is_bounded() -> None:
    holes, pigeons = 5, 6
    clauses = [[pigeon * holes + hole + 1 for hole in range(holes)] for pigeon in range(pigeons)]
    clauses += [
        [-(one * holes + hole + 1), -(two * holes + hole + 1)]
        for hole in range(holes)
        for one in range(pigeons)
        for two in range(one)
    ]
    assert satisfying(clauses, holes * pigeons, most_conflicts=3) is None
    assert satisfying(clauses[1:], holes * pigeons, most_conflicts=3) is not None


def test_models_are_found_only_for_consistent_ontologies() -> None:
    puzzles = [puzzle(Random(seed)) for seed in range(80)]
    found = [has_small_model(each.ontology.axioms) for each in puzzles]
    assert [seed for seed, each in enumerate(puzzles) if found[seed] and not each.is_consistent] == []
    assert sum(found) > sum(each.is_consistent for each in puzzles) / 2


@pytest.mark.parametrize(
    ("axioms", "expected"),
    [
        ("DifferentIndividuals(:a :b :c) SubClassOf(owl:Thing ObjectOneOf(:a :b :c))", True),
        ("DifferentIndividuals(:a :b :c) SubClassOf(owl:Thing ObjectOneOf(:a :b))", False),
        ("ClassAssertion(ObjectExactCardinality(2 :p :A) :a) ClassAssertion(ObjectMaxCardinality(1 :p) :b)", True),
        ("ClassAssertion(ObjectExactCardinality(2 :p :A) :a) ClassAssertion(ObjectMaxCardinality(1 :p) :a)", False),
        ("ClassAssertion(ObjectAllValuesFrom(owl:topObjectProperty :A) :a) DifferentIndividuals(:a :b)", True),
        ("ClassAssertion(ObjectMinCardinality(3 owl:topObjectProperty :A) :a)", True),
        ("ClassAssertion(ObjectSomeValuesFrom(owl:bottomObjectProperty :A) :a)", False),
        ("SubObjectPropertyOf(ObjectPropertyChain(:p :q) :r) ObjectPropertyAssertion(:p :a :b)"
         " ObjectPropertyAssertion(:q :b :c) NegativeObjectPropertyAssertion(:r :a :c)", False),
        ("HasKey(:A (:p) ()) ClassAssertion(:A :a) ClassAssertion(:A :b) ObjectPropertyAssertion(:p :a :c)"
         " ObjectPropertyAssertion(:p :b :c) DifferentIndividuals(:a :b)", False),
        # keys apply only to named individuals
        ("HasKey(:A (:p) ()) ClassAssertion(ObjectMinCardinality(2 :q ObjectIntersectionOf(:A ObjectHasValue(:p :c)))"
         " :d)", True),
        ("ClassAssertion(ObjectMinCardinality(9 :p owl:Thing) :a) IrreflexiveObjectProperty(:p)", True),
        # values are unknown
        ('DataPropertyAssertion(:d :a "x")', False),
    ],
)  # fmt: skip
def test_models_by_hand(axioms: str, expected: bool) -> None:
    assert has_small_model(ontology(axioms).axioms) is expected


@needs_shared_data
def test_a_real_ontology_with_five_individuals_has_a_model() -> None:
    pizza = load(shared("pizza/pizza-new.owl")).graph
    name = next(str(triple.subject)[1:-1] for triple in pizza if str(triple.subject).endswith("#Margherita>"))
    pizza.add(Triple(NamedNode("http://example.org/one"), RDF.type, NamedNode(name)))
    assert has_small_model(Ontology.of(pizza).axioms)
