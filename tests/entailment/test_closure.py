"""Closures as graphs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ontology.turtle import EX, graph_of, triples_of
from support.strategies import changed_graphs

from entailment.small_ontologies import ontologies, rdfs_ontologies
from kgprobe.entailment.closure import closed
from kgprobe.entailment.regime import Regime
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDFS, Triple

_BY_RULES = st.sampled_from([Regime.RDFS, Regime.RL])
_any_ontology = st.one_of(ontologies(), rdfs_ontologies)


@settings(max_examples=60, deadline=None)
@given(_any_ontology, _any_ontology, _BY_RULES)
def test_closure_is_extensive_idempotent_and_monotonic(some: list[Triple], more: list[Triple], regime: Regime) -> None:
    graph = Graph(some)
    closure = closed(graph, regime).graph
    assert set(graph) <= set(closure)
    assert closed(closure, regime).graph == closure
    assert set(closure) <= set(closed(Graph([*some, *more]), regime).graph)


@given(changed_graphs(), _BY_RULES)
def test_the_history_of_a_graph_does_not_matter(made: tuple[Graph, list[Triple]], regime: Regime) -> None:
    graph, triples = made
    before = list(graph)
    assert set(closed(graph, regime).graph) == set(closed(Graph(triples), regime).graph)
    assert list(graph) == before


def test_terms_keep_their_numbers_and_blank_nodes_their_labels() -> None:
    graph = graph_of("_:x a :A . :A rdfs:subClassOf :B .")
    graph.add(Triple(EX.B, RDFS.subClassOf, EX.New))
    closure = closed(graph, Regime.RDFS).graph
    assert closure.table.terms[: len(graph.table.terms)] == graph.table.terms
    assert set(closure) == set(graph) | set(triples_of("_:x a :B, :New . :A rdfs:subClassOf :New ."))
    assert closure.spelling == graph.spelling


def test_nothing_follows_without_a_regime() -> None:
    graph = graph_of(":x a :A . :A rdfs:subClassOf :B .")
    closure = closed(graph, Regime.NONE)
    assert closure.graph == graph
    assert closure.graph is not graph
    assert closure.how == "asserted triples only"


def test_the_hierarchy_of_owl_dl() -> None:
    graph = graph_of(
        """:A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :C owl:equivalentClass :D . :i a :A . :B a owl:Class .
        :C rdfs:subClassOf owl:Thing ."""
    )
    closure = closed(graph, Regime.DL)
    assert set(closure.graph) - set(graph) == set(
        triples_of(
            """:A rdfs:subClassOf :C, :D . :B rdfs:subClassOf :D . :C rdfs:subClassOf :D . :D rdfs:subClassOf :C .
            :D owl:equivalentClass :C . :i a :B, :C, :D ."""
        )
    )
    assert closure.how == (
        "the stated hierarchy, which is complete: only SubClassOf between names and EquivalentClasses of names"
    )


def test_a_reasoner_completes_the_hierarchy() -> None:
    graph = graph_of(
        """:Vegetarian a owl:Class ; owl:equivalentClass [a owl:Class ; owl:intersectionOf (:Dish :Plain)] .
        :Dish a owl:Class . :Plain a owl:Class . :Soup a owl:Class ; rdfs:subClassOf :Dish, :Plain . :s a :Soup .
        :Odd a owl:Class ; rdfs:subClassOf :Plain, :Fancy . :Fancy a owl:Class ; owl:disjointWith :Plain ."""
    )
    closure = closed(graph, Regime.DL)
    assert "classified by auto:rustdl" in closure.how
    for expected in triples_of(
        ":Soup rdfs:subClassOf :Vegetarian . :Vegetarian rdfs:subClassOf :Dish . :s a :Vegetarian ."
    ):
        assert expected in closure.graph
    about = {(t.predicate, t.object) for t in closure.graph.triples(EX.Odd) if t not in graph}
    assert about == {(RDFS.subClassOf, OWL.Nothing), (OWL.equivalentClass, OWL.Nothing)}


@pytest.mark.parametrize("regime", list(Regime))
def test_an_empty_graph(regime: Regime) -> None:
    assert set(closed(Graph(), regime).graph) == set(
        triples_of(
            """owl:Thing a owl:Class ; rdfs:subClassOf owl:Thing ; owl:equivalentClass owl:Thing .
            owl:Nothing a owl:Class ; rdfs:subClassOf owl:Thing, owl:Nothing ; owl:equivalentClass owl:Nothing ."""
            if regime is Regime.RL
            else ""
        )
    )
