"""Operators written in Python: what they must not change, and cases beyond their examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.formats.files import load
from kgprobe.masks.pins import PinnedTriples
from kgprobe.mutation.catalogue import named
from kgprobe.mutation.operator import Operator, Pins
from kgprobe.mutation.operators import PYTHON_OPERATORS
from kgprobe.mutation.operators.drawn_lists import DrawnListOperator
from kgprobe.rdf.canonical import isomorphic
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDFS, Literal, NamedNode, Triple

from .example_runner import EX, graph_of, outcomes

_OWN = Path(__file__).parent / "el_ontology.ttl"
_SEEDS = 40
_OPERATORS = [
    operator
    for operator in PYTHON_OPERATORS
    if "owl-el" in operator.description.sets and not isinstance(operator, DrawnListOperator)  # these only add
]


def _all_outcomes(name: str, before: str) -> list[Graph]:
    """The distinct results."""
    found: list[Graph] = []
    for graph, _ in outcomes(named(name), graph_of(before), _SEEDS):
        if not any(isomorphic(graph, each) for each in found):
            found.append(graph)
    return found


def _is_one_of(expected: str, found: list[Graph]) -> bool:
    return any(isomorphic(graph_of(expected), each) for each in found)


@pytest.mark.parametrize("operator", _OPERATORS, ids=lambda operator: operator.description.name)
def test_pinned_triples_are_kept(operator: Operator) -> None:
    graph = load(_OWN).graph
    assert list(outcomes(operator, graph, _SEEDS))
    assert not list(outcomes(operator, graph, _SEEDS, Pins([PinnedTriples(graph, "all of it")])))
    for _, change in outcomes(operator, graph, _SEEDS, Pins(namespaces=[EX + "p"])):
        assert not any(str(graph.term(s)).startswith(f"<{EX}p") for s, _, _ in (*change.removed, *change.added))


@pytest.mark.parametrize("operator", _OPERATORS, ids=lambda operator: operator.description.name)
def test_operators_do_not_apply_to_an_empty_graph(operator: Operator) -> None:
    assert not list(outcomes(operator, Graph(), 3))
    assert not list(outcomes(operator, graph_of("<https://kgprobe.example/> a owl:Ontology ."), 3))


@pytest.mark.parametrize("name", ["RemoveAnnotation", "ChangeAnnotation"])
def test_an_annotation_added_by_an_earlier_step_is_found(name: str) -> None:
    graph = graph_of(":Pump a owl:Class .")
    graph.add(Triple(NamedNode(EX + "Pump"), RDFS.comment, Literal("new")))
    assert len(list(outcomes(named(name), graph, 5))) == 5


def test_a_class_is_not_added_to_a_list_that_contains_it() -> None:
    before = ":A a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( :A owl:Thing ) ] ."
    assert not _all_outcomes("ReplaceClassWithThing", before)
    assert _all_outcomes("ReplaceClassWithNothing", before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "[] a owl:AllDisjointClasses ; owl:members ( :A :B :C owl:Nothing ) .",
            "[] a owl:AllDisjointClasses ; owl:members ( :B :C owl:Nothing ) .",
        ),
        ("[] a owl:AllDisjointClasses ; owl:members ( :A :B owl:Nothing ) .", "owl:Nothing owl:disjointWith :B ."),
        (
            ":B rdfs:subClassOf [ a owl:Class ; owl:unionOf ( owl:Nothing :B :A ) ] .",
            ":B rdfs:subClassOf [ a owl:Class ; owl:unionOf ( owl:Nothing :B ) ] .",
        ),
    ],
)
def test_a_list_that_has_the_new_class_loses_the_old_one(before: str, after: str) -> None:
    [found] = _all_outcomes("ReplaceClassWithNothing", ":A a owl:Class . " + before)
    assert isomorphic(found, graph_of(":A a owl:Class . " + after))


def test_a_class_is_not_related_to_itself_by_a_replacement() -> None:
    before = """
        :A a owl:Class ; rdfs:subClassOf :C ; owl:disjointWith :B . :B a owl:Class ; rdfs:subClassOf :C .
        [] a owl:Axiom ;
          owl:annotatedSource :A ; owl:annotatedProperty owl:disjointWith ; owl:annotatedTarget :B ; rdfs:label "x" .
    """
    found = _all_outcomes("ReplaceClassWithSibling", before)
    assert _is_one_of(":A a owl:Class . :B a owl:Class ; rdfs:subClassOf :C .", found)
    assert len(found) == 2


def test_a_name_in_a_list_of_individuals_is_not_a_use_of_the_class() -> None:
    before = ":A a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:oneOf ( :A ) ] ."
    [found] = _all_outcomes("ReplaceClassWithThing", before)
    assert isomorphic(
        found, graph_of(":A a owl:Class . owl:Thing rdfs:subClassOf [ a owl:Class ; owl:oneOf ( :A ) ] .")
    )


def test_an_intersection_is_not_reduced_to_the_class_itself() -> None:
    found = _all_outcomes("CEUA", ":A owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :A :B ) ] .")
    assert len(found) == 1
    assert _is_one_of(":A owl:equivalentClass :B .", found)


def test_a_range_that_a_chain_needs_keeps_its_conjuncts() -> None:
    before = ":p rdfs:range [ a owl:Class ; owl:intersectionOf ( :A :B ) ] . "
    assert len(_all_outcomes("CEUA", before)) == 2
    assert not _all_outcomes("CEUA", before + ":q owl:propertyChainAxiom ( :r :p ) .")


def test_a_name_with_two_kinds_is_not_removed() -> None:
    assert not _all_outcomes("RemoveClass", ":A a owl:Class , owl:AnnotationProperty .")
    assert not _all_outcomes("RemoveIndividual", ":A a owl:Class , :B . :B a owl:Class .")


def test_an_expression_on_the_left_is_removed_with_its_axiom() -> None:
    before = """
        _:e a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :A ; rdfs:subClassOf :B , :C .
    """
    found = _all_outcomes("RemoveClass", before + ":A a owl:Class . :D a owl:Class .")
    assert _is_one_of(":D a owl:Class .", found)
    found = _all_outcomes("RemoveSubClassOf", before)
    assert _is_one_of("[ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :A ] rdfs:subClassOf :B .", found)


def test_individuals_need_no_declaration() -> None:
    before = ":C a owl:Class . :p a owl:ObjectProperty . :a a :C . :a :p :b ."
    found = _all_outcomes("RemoveIndividual", before)
    assert _is_one_of(":C a owl:Class . :p a owl:ObjectProperty .", found)
    assert _is_one_of(":C a owl:Class . :p a owl:ObjectProperty . :a a :C .", found)
