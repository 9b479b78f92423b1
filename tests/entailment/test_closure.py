"""Closures as graphs, and how they change with their graphs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.strategies import changed_graphs, graphs_and_deltas
from support.turtle import EX, graph_of, triples_of

from entailment.simple_ontologies import simple_ontologies
from entailment.small_ontologies import ontologies, rdfs_ontologies
from kgprobe.entailment.closure import EntailedChange, closed, entailed_change
from kgprobe.entailment.rules import Regime, UndecidedError
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, Triple
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.protocol import Reasoner

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


def _assert_is_difference(
    change: EntailedChange, old: Graph, new: Graph, regime: Regime, reasoner: Reasoner | None = None
) -> None:
    before, after = (set(closed(graph, regime, reasoner).graph) for graph in (old, new))
    assert set(change.removed) == before - after
    assert set(change.added) == after - before
    assert len(change.removed) == len(before - after)
    assert len(change.added) == len(after - before)
    assert change.asserted == (set(old) ^ set(new)) & (before ^ after)
    assert set(change.old) == before
    assert set(change.new) == after
    assert change.old.table is change.new.table


@st.composite
def _changed(draw: st.DrawFn, graphs: st.SearchStrategy[list[Triple]]) -> tuple[Graph, list[Graph]]:
    """A graph, and three that it was changed into."""
    first, second = draw(graphs), draw(graphs)
    old = Graph(first)
    made = []
    for _ in range(3):
        new = old.copy()
        for triple in draw(st.lists(st.sampled_from(first), max_size=5)) if first else []:
            new.remove(triple)
        for triple in draw(st.lists(st.sampled_from(second), max_size=5)) if second else []:
            new.add(triple)
        made.append(new)
    return old, made


@settings(max_examples=60, deadline=None)
@given(_changed(_any_ontology), st.sampled_from([Regime.RDFS, Regime.RL]))
def test_conclusions_of_rules_after_a_change(case: tuple[Graph, list[Graph]], regime: Regime) -> None:
    old, changed = case
    for new in changed:  # the second and third change use cached results
        _assert_is_difference(entailed_change(old, new, regime), old, new, regime)


@settings(max_examples=30, deadline=None)
@given(_changed(_any_ontology), st.sampled_from([Regime.RDFS, Regime.RL]))
def test_conclusions_of_rules_after_a_large_change(case: tuple[Graph, list[Graph]], regime: Regime) -> None:
    old, [new, *_] = case
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("kgprobe.entailment.rule_conclusions._FEW", -1)
        patched.setattr("kgprobe.entailment.rule_conclusions._SMALL_PART", 0)
        change = entailed_change(old, new, regime)
    _assert_is_difference(change, old, new, regime)


@pytest.fixture(scope="module")
def reasoner() -> Iterator[Reasoner]:
    opened = open_reasoner("rustdl")
    yield opened
    opened.close()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=_changed(simple_ontologies()), is_small=st.booleans())
def test_conclusions_of_the_hierarchy_after_a_change(
    reasoner: Reasoner, case: tuple[Graph, list[Graph]], is_small: bool
) -> None:
    old, [new, *_] = case
    with pytest.MonkeyPatch.context() as patched:
        if not is_small:
            patched.setattr("kgprobe.entailment.class_hierarchy._MOST_PAIRS", 0)
        try:
            change = entailed_change(old, new, Regime.DL, reasoner)
        except UndecidedError:
            assume(False)
    if is_small:
        _assert_is_difference(change, old, new, Regime.DL, reasoner)
        return
    before, after = (set(closed(graph, Regime.DL, reasoner).graph) for graph in (old, new))
    assert (set(change.removed), set(change.added)) == (before - after, after - before)
    assert change.old.table is change.new.table
    assert set(change.old) == set(old) | (before - after) or before == set(old)
    assert set(change.new) == set(new) | (after - before) or after == set(new)


@given(graphs_and_deltas())
def test_without_a_regime_only_stated_triples_change(case: tuple[Graph, Delta]) -> None:
    old, delta = case
    new = old.copy()
    new.apply(delta)
    change = entailed_change(old, new, Regime.NONE)
    assert Delta(change.removed, change.added) == delta
    assert change.asserted == {*delta.removed, *delta.added}
    assert change.old is old
    assert change.new is new


@pytest.mark.parametrize("regime", list(Regime))
def test_graphs_of_different_tables(regime: Regime) -> None:
    old, new = graph_of(":A rdfs:subClassOf :B . :i a :A ."), graph_of(":A rdfs:subClassOf :C . :i a :A .")
    _assert_is_difference(entailed_change(old, new, regime), old, new, regime)


@pytest.mark.parametrize("regime", [Regime.RDFS, Regime.RL, Regime.DL])
def test_triples_that_still_follow_are_not_reported(regime: Regime) -> None:
    old = graph_of(":A rdfs:subClassOf :B, :C . :B rdfs:subClassOf :C . :i a :A .")
    new = old.copy()
    new.remove(Triple(EX.A, RDFS.subClassOf, EX.C))
    new.add(Triple(EX.i, RDF.type, EX.C))
    change = entailed_change(old, new, regime)
    assert (change.removed, change.added, change.asserted) == ((), (), frozenset())


def test_methods_before_and_after_are_reported() -> None:
    old = graph_of(":A a owl:Class ; rdfs:subClassOf :B . :B a owl:Class . :C a owl:Class .")
    new = old.copy()
    new.add(Triple(EX.B, OWL.disjointWith, EX.C))
    how = entailed_change(old, new, Regime.DL).how
    assert how.startswith("now classified by auto:rustdl, since it uses owl:disjointWith; before the stated hierarchy")


def test_classes_that_become_unsatisfiable_and_satisfiable() -> None:
    old = graph_of(
        """:A a owl:Class ; rdfs:subClassOf :B, :C . :D a owl:Class ; rdfs:subClassOf :E .
        :B a owl:Class ; owl:disjointWith :C . :C a owl:Class . :F a owl:Class .
        :E a owl:Class ; owl:disjointWith :F ."""
    )
    new = old.copy()
    new.remove(Triple(EX.A, RDFS.subClassOf, EX.C))
    new.add(Triple(EX.D, RDFS.subClassOf, EX.F))
    change = entailed_change(old, new, Regime.DL)
    assert set(change.removed) == set(
        triples_of(":A rdfs:subClassOf :C, owl:Nothing ; owl:equivalentClass owl:Nothing .")
    )
    assert set(change.added) == set(
        triples_of(":D rdfs:subClassOf :F, owl:Nothing ; owl:equivalentClass owl:Nothing .")
    )


def test_the_order_is_stable() -> None:
    old = graph_of(" ".join(f":n{n} rdfs:subClassOf :n{n + 1} ." for n in range(20)))
    new = old.copy()
    new.add(Triple(EX.n20, RDFS.subClassOf, EX.Top))
    new.add(Triple(EX.Top, RDFS.subClassOf, EX.Peak))
    for regime in (Regime.RDFS, Regime.DL):
        first = entailed_change(old, new, regime)
        assert entailed_change(old.copy(), new.copy(), regime).added == first.added
        assert len(first.added) == 2 * 21 + 1
