"""Derivations: each step applies a rule to stated triples or earlier conclusions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.turtle import EX, graph_of, triples_of

from entailment.small_ontologies import ontologies, rdfs_ontologies
from kgprobe.entailment.closure import closed
from kgprobe.entailment.explanation import derivation
from kgprobe.entailment.rules import Regime
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDFS, Triple


@settings(max_examples=40, deadline=None)
@given(st.one_of(ontologies(), rdfs_ontologies), st.sampled_from([Regime.RDFS, Regime.RL]))
def test_each_step_follows_from_its_premises(triples: list[Triple], regime: Regime) -> None:
    graph = Graph(triples)
    for triple in closed(graph, regime).graph:
        known = set(graph)
        steps = derivation(graph, triple, regime)
        assert bool(steps) is (triple not in graph)
        for step in steps:
            assert set(step.premises) <= known
            assert step.conclusion not in known
            assert step.conclusion in closed(Graph(step.premises), regime).graph
            known.add(step.conclusion)
        assert triple in known
        assert not steps or steps[-1].conclusion == triple


def test_a_derivation_from_a_stated_triple() -> None:
    graph = graph_of(":A rdfs:subClassOf :B . :p rdfs:domain :A . :x :p :y .")
    [target] = triples_of(":x a :B .")
    steps = derivation(graph, target, Regime.RDFS)
    assert [(step.rule, str(step.conclusion)) for step in steps] == [
        ("rdfs2", str(triples_of(":x a :A .")[0])),
        ("rdfs9", str(target)),
    ]
    assert set(steps[0].premises) == set(triples_of(":p rdfs:domain :A . :x :p :y ."))


def test_a_list_is_explained_by_its_triples() -> None:
    graph = graph_of(":C owl:unionOf (:D :E) .")
    [step] = derivation(graph, triples_of(":E rdfs:subClassOf :C .")[0], Regime.RL)
    assert step.rule == "scm-uni"
    assert set(step.premises) == set(graph)


def test_a_derivation_by_the_hierarchy() -> None:
    graph = graph_of(":A rdfs:subClassOf :B . :B owl:equivalentClass :C . :C rdfs:subClassOf :D . :i a :A .")
    [target] = triples_of(":i a :D .")
    steps = derivation(graph, target, Regime.DL)
    assert [step.conclusion for step in steps] == [
        *triples_of(":B rdfs:subClassOf :C ."),
        *triples_of(":A rdfs:subClassOf :D ."),
        target,
    ]
    assert [step.rule for step in steps] == [
        "equivalent classes are below each other",
        "rdfs:subClassOf is transitive",
        "members of a class are in all its superclasses",
    ]
    assert steps[1].premises == tuple(
        triples_of(":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :C rdfs:subClassOf :D .")
    )


def test_conclusions_of_a_reasoner_have_no_premises() -> None:
    graph = graph_of(
        """:A a owl:Class ; rdfs:subClassOf :B, :C . :B a owl:Class ; owl:disjointWith :C . :C a owl:Class .
        :D a owl:Class ; owl:equivalentClass [a owl:Class ; owl:intersectionOf (:B :E)] . :E a owl:Class .
        :F a owl:Class ; rdfs:subClassOf :B, :E ."""
    )
    for text in (":A rdfs:subClassOf owl:Nothing .", ":F rdfs:subClassOf :D ."):
        [step] = derivation(graph, triples_of(text)[0], Regime.DL)
        assert step.rule.startswith("classified by auto:rustdl")
        assert step.premises == ()


def test_equivalent_classes_on_a_cycle() -> None:
    graph = graph_of(":A rdfs:subClassOf :B . :B rdfs:subClassOf :A .")
    [step] = derivation(graph, triples_of(":A owl:equivalentClass :B .")[0], Regime.DL)
    assert set(step.premises) == set(graph)


@pytest.mark.parametrize("regime", list(Regime))
def test_a_triple_that_does_not_follow_has_no_derivation(regime: Regime) -> None:
    graph = graph_of(":A rdfs:subClassOf :B .")
    assert derivation(graph, Triple(EX.A, RDFS.subClassOf, EX.B), regime) == []
    with pytest.raises(ValueError, match="does not follow"):
        derivation(graph, Triple(EX.B, RDFS.subClassOf, EX.A), regime)
