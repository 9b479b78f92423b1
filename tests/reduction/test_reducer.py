"""The default algorithm, on random ontologies and random data, with tests whose answers are known."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.owl_graphs import owl_triples
from support.strategies import graphs
from support.turtle import EX, graph_of

from kgprobe.errors import InputError
from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.rdf.graph import BrokenListError, Graph, read_list
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode, Subject, Term, Triple
from kgprobe.reduction import reducer
from kgprobe.reduction.graph_problem import without
from kgprobe.reduction.problem import Better, Progress, Rate
from kgprobe.reduction.removals import loose_triples, removals
from reduction.failures import (
    DECLARATIONS,
    Recorded,
    but_for_names,
    has_triples,
    ontologies,
    ontologies_and_causes,
    options,
    reduced,
    states,
)

# The failures here are deterministic: one run is enough.
reduce = partial(reduced, repeats=1)

few = settings(max_examples=40, deadline=None)


def assert_one_minimal(graph: Graph, fails: Callable[[Graph], bool]) -> None:
    assert fails(graph)
    for axiom in AxiomView(graph):
        assert not fails(without(graph, axiom.triples))
    for triple in loose_triples(graph):
        assert not fails(without(graph, [triple]))


def list_cells(graph: Graph) -> set[Subject]:
    rows = [*graph.triples(None, RDF.first), *graph.triples(None, RDF.rest)]
    return {triple.subject for triple in rows if not isinstance(triple.subject, Triple)}


def is_whole(graph: Graph, head: Term) -> bool:
    try:
        read_list(graph, head)
    except BrokenListError:
        return False
    return True


# -- what every result is ----------------------------------------------------------------------------------------------


@few
@given(ontologies_and_causes(), st.integers(1, 3), st.booleans())
def test_a_failure_that_needs_axioms(drawn: tuple[Graph, list[Axiom]], batch: int, simplify: bool) -> None:
    graph, cause = drawn
    test = Recorded(states(cause))
    result = reduce(graph, test, batch=batch, simplify=simplify)
    assert_one_minimal(result.graph, states(cause))
    assert result.is_minimal
    assert result.system_runs == len(test.graphs)
    assert max(test.batches) <= batch
    assert (result.triples_before, result.triples_after) == (len(graph), len(result.graph))
    assert result.axioms_after == len(list(AxiomView(result.graph)))
    test.assert_no_graph_twice()


@few
@given(ontologies_and_causes())
def test_never_larger_than_halving(drawn: tuple[Graph, list[Axiom]]) -> None:
    graph, cause = drawn
    halved = reduce(graph, Recorded(states(cause)), algorithm="halving")
    # The result of halving may no longer be OWL: half a chain declares a property with fewer triples.
    if all(axiom.expression is not None for axiom in AxiomView(halved.graph)):
        assert reduce(graph, Recorded(states(cause))).triples_after <= halved.triples_after


@few
@given(ontologies, st.integers(0, 6), st.integers(2, 5), st.integers(1, 3))
def test_a_failure_that_depends_on_the_size(graph: Graph, least: int, modulus: int, batch: int) -> None:
    """A test that is not monotone: a failing graph may pass with more triples, or with fewer."""

    def fails(candidate: Graph) -> bool:
        return len(candidate) == len(graph) or (len(candidate) >= least and len(candidate) % modulus != 0)

    test = Recorded(fails)
    result = reduce(graph, test, batch=batch)
    assert_one_minimal(result.graph, fails)
    smallest = min(len(each) for each in test.graphs if fails(each))
    assert len(result.graph) == smallest
    test.assert_no_graph_twice()


@few
@given(graphs, st.randoms(use_true_random=False))
def test_plain_data_is_reduced_to_its_triples(graph: Graph, random: Random) -> None:
    triples = [triple for triple in graph if triple.predicate != RDF.type]
    cause = random.sample(triples, min(len(triples), random.randint(0, 3)))
    test = Recorded(has_triples(cause))
    result = reduce(graph, test, simplify=False)
    assert set(result.graph) == set(cause)
    test.assert_no_graph_twice()


@few
@given(owl_triples, st.randoms(use_true_random=False))
def test_broken_structures_are_reduced_too(triples: list[Triple], random: Random) -> None:
    graph = Graph(triples)
    everything = list(graph)
    cause = random.sample(everything, min(len(everything), random.randint(0, 2)))
    fails = but_for_names(has_triples(cause))
    result = reduce(graph, Recorded(fails), simplify=False)
    assert_one_minimal(result.graph, fails)


@few
@given(ontologies_and_causes())
def test_lists_are_whole_in_all_that_is_run(drawn: tuple[Graph, list[Axiom]]) -> None:
    graph, cause = drawn
    for fails in (states(cause), has_triples([axiom.triples[0] for axiom in cause])):
        test = Recorded(fails)
        reduce(graph, test)
        assert all(is_whole(candidate, head) for candidate in test.graphs for head in list_cells(candidate))


@few
@given(ontologies_and_causes())
def test_expressions_are_whole_in_all_that_is_run(drawn: tuple[Graph, list[Axiom]]) -> None:
    graph, cause = drawn
    test = Recorded(has_triples([axiom.triples[-1] for axiom in cause]))
    reduce(graph, test, simplify=False)
    for candidate in test.graphs:
        # If the kind of each name were known, all triples could be parsed.
        for triple in DECLARATIONS:
            candidate.add(triple)
        assert all(axiom.expression is not None for axiom in AxiomView(candidate))


@few
@given(ontologies_and_causes(), st.integers(1, 3))
def test_the_same_input_has_the_same_result(drawn: tuple[Graph, list[Axiom]], batch: int) -> None:
    graph, cause = drawn
    tests = [Recorded(states(cause)), Recorded(states(cause))]
    results = [reduce(graph.copy(), test, batch=batch) for test in tests]
    assert list(results[0].graph) == list(results[1].graph)
    assert [list(each) for each in tests[0].graphs] == [list(each) for each in tests[1].graphs]


# -- one failure, looked at closely ------------------------------------------------------------------------------------

REFLEXIVE = """
:near a owl:ObjectProperty, owl:ReflexiveProperty . :Tea a owl:Class ; rdfs:label "tea" .
:Milk a owl:Class ; owl:equivalentClass [ a owl:Class ;
    owl:intersectionOf ( :Cup [ a owl:Restriction ; owl:onProperty :near ; owl:someValuesFrom :Tea ] ) ] .
:Cup a owl:Class ; rdfs:subClassOf :Pot . :Pot a owl:Class .
"""


def overlooks_reflexive(graph: Graph) -> bool:
    """Fails like a reasoner that forgets that every thing is `near` itself."""
    reflexive = {triple.subject for triple in graph.triples(None, RDF.type, OWL.ReflexiveProperty)}
    return any(
        triple.predicate == OWL.onProperty and triple.object in reflexive
        for axiom in AxiomView(graph)
        if axiom.head == "EquivalentClasses"
        for triple in axiom.triples
    )


def test_the_result_is_readable() -> None:
    result = reduce(graph_of(REFLEXIVE), Recorded(overlooks_reflexive))
    assert result.triples_after <= 8
    names = {term.value for term in result.graph.terms() if isinstance(term, NamedNode)}
    assert {name for name in names if name.startswith(EX.iri)} <= {EX.iri + name for name in "ABp"}
    assert result.axioms_after <= 5


def test_hints_save_runs() -> None:
    lines = [f":C{n} rdfs:subClassOf :D{n} . :D{n} rdfs:subClassOf :E{n % 7} ." for n in range(400)]
    graph = graph_of("\n".join(lines))
    cause = [Triple(EX.C217, RDFS.subClassOf, EX.D217)]
    runs = {
        hints: reduce(graph, Recorded(has_triples(cause)), hints=hints).system_runs
        for hints in (frozenset(), frozenset({EX.C217}))
    }
    assert runs[frozenset({EX.C217})] * 2 <= runs[frozenset()]
    assert runs[frozenset()] <= 20


def test_a_graph_that_does_not_fail_is_refused() -> None:
    with pytest.raises(InputError, match="does not fail here"):
        reduce(graph_of(REFLEXIVE), Recorded(lambda _: False))
    with pytest.raises(InputError, match="in none of 7 runs"):
        reduce(graph_of(REFLEXIVE), Recorded(lambda _: False), repeats=7)
    with pytest.raises(InputError, match="no algorithm"):
        reduce(graph_of(REFLEXIVE), Recorded(lambda _: True), algorithm="quarters")


def test_a_failure_without_any_triple() -> None:
    result = reduce(graph_of(REFLEXIVE), Recorded(lambda _: True))
    assert (result.triples_after, result.axioms_after) == (0, 0)
    assert result.system_runs <= 8


# -- interruptions and limits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["axioms", "halving"])
@pytest.mark.parametrize("after", [1, 3, 6, 10])
def test_an_interruption_loses_nothing(algorithm: str, after: int) -> None:
    runs: list[Graph] = []
    told: list[Graph] = []

    def fails(graph: Graph) -> bool:
        if len(runs) == after:
            raise KeyboardInterrupt
        runs.append(graph)
        return overlooks_reflexive(graph)

    try:
        for event in reducer.reducing(graph_of(REFLEXIVE), Recorded(fails), options(algorithm=algorithm, repeats=1)):
            if isinstance(event, Better):
                told.append(event.candidate)
    except KeyboardInterrupt:
        assert len(told[-1]) == min(len(graph) for graph in runs if overlooks_reflexive(graph))
    assert overlooks_reflexive(told[-1])
    assert sorted(map(len, told), reverse=True) == list(map(len, told))


@pytest.mark.parametrize("most_runs", [1, 5, 9])
def test_a_limit_on_the_runs(most_runs: int) -> None:
    test = Recorded(overlooks_reflexive)
    result = reduce(graph_of(REFLEXIVE), test, most_runs=most_runs)
    assert result.system_runs == len(test.graphs) <= most_runs
    assert not result.is_minimal
    assert overlooks_reflexive(result.graph)


def test_progress_is_reported_after_each_run() -> None:
    events = list(reducer.reducing(graph_of(REFLEXIVE), Recorded(overlooks_reflexive), options(repeats=1)))
    steps = [event for event in events if isinstance(event, Progress)]
    last = events[-1]
    assert isinstance(last, reducer.Finished)
    assert [step.runs for step in steps] == list(range(1, last.reduction.system_runs + 1))
    assert {"axioms", "expressions", "names"} <= {step.phase for step in steps}
    assert steps[-1].size == last.reduction.triples_after


def test_any_predicate_can_be_used() -> None:
    calls: list[Graph] = []

    def fails(graph: Graph) -> bool:
        calls.append(graph)
        return overlooks_reflexive(graph)

    result = reducer.reduce(graph_of(REFLEXIVE), fails)
    assert overlooks_reflexive(result.graph)
    assert result.is_minimal
    assert result.system_runs == len(calls)
    assert list(result.graph) == list(reduce(graph_of(REFLEXIVE), Recorded(overlooks_reflexive)).graph)
    assert reducer.reduce(graph_of(REFLEXIVE), fails, most_runs=3).system_runs == 3
    assert not reducer.reduce(graph_of(REFLEXIVE), fails, seconds=0).is_complete
    with pytest.raises(InputError, match="does not fail here"):
        reducer.reduce(graph_of(REFLEXIVE), lambda _: False)


# -- flaky failures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 3])
def test_a_flaky_failure(batch: int) -> None:
    random = Random(4)
    lines = [f":C{n} rdfs:subClassOf :D{n} ." for n in range(60)]
    graph = graph_of("\n".join(lines))
    cause = list(graph)[17:19]
    is_there = has_triples(cause)
    result = reduce(
        graph,
        Recorded(lambda candidate: is_there(candidate) and random.random() < 0.4),
        repeats=30,
        confidence=0.999,
        batch=batch,
        simplify=False,
    )
    assert set(result.graph) == set(cause)
    assert 0.2 < result.rate_before.share < 0.6
    assert result.rate.share > 0.2
    assert result.confidence == 0.999


def test_a_deterministic_failure_needs_few_extra_runs() -> None:
    test = Recorded(overlooks_reflexive)
    result = reduce(graph_of(REFLEXIVE), test, repeats=8)
    assert (result.rate_before, result.rate) == (Rate(8, 8), Rate(8, 8))
    once = Recorded(overlooks_reflexive)
    reduce(graph_of(REFLEXIVE), once)
    # The whole graph and the result are run eight times, and what fails on the way there twice: the rest is run once.
    failing = sum(map(overlooks_reflexive, once.graphs)) - 1
    assert result.system_runs == len(once.graphs) + failing + 7 + 8


def test_removals_name_each_axiom() -> None:
    graph = graph_of(REFLEXIVE)
    parts = list(removals(graph))
    assert {triple for part in parts for triple in part} == set(graph)
