"""What a reduction must not lose on the way: how often the graph fails, that it is admissible, and what is pinned."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.turtle import EX, graph_of

from kgprobe.masks.ask import AskCheck
from kgprobe.masks.mask import Mask
from kgprobe.masks.pins import PinnedTriples
from kgprobe.masks.shacl import ShaclCheck
from kgprobe.mutation.operator import Pins
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import RDF, RDFS, Literal, Triple
from kgprobe.reduction.problem import Better, Rate, SameRate
from kgprobe.reduction.reducer import Options, reducing
from reduction.failures import Recorded, has_triples, reduced

CHAIN = graph_of("\n".join(f":C{n} rdfs:subClassOf :D{n} ." for n in range(40)))
CAUSE, HELP = list(CHAIN)[7], list(CHAIN)[21]


def sometimes(rate: Callable[[Graph], float], seed: int) -> Callable[[Graph], bool]:
    """A failure with a rate that depends on the graph."""
    random = Random(seed)
    return lambda graph: random.random() < rate(graph)


# -- how often ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rare", [0.25, 0.5, 0.7])
@pytest.mark.parametrize("seed", range(4))
def test_a_certain_failure_does_not_become_a_rare_one(rare: float, seed: int) -> None:
    def rate(graph: Graph) -> float:
        return 0.0 if CAUSE not in graph else 1.0 if HELP in graph else rare

    result = reduced(CHAIN, Recorded(sometimes(rate, seed)), simplify=False)
    assert set(result.graph) == {CAUSE, HELP}
    assert result.rate_before == Rate(10, 10)
    assert result.rate.failed == result.rate.runs >= 10
    assert result.is_minimal


@pytest.mark.parametrize("seed", range(4))
def test_a_failure_that_comes_and_goes_does_not_become_rarer(seed: int) -> None:
    def rate(graph: Graph) -> float:
        return 0.0 if CAUSE not in graph else 0.6 if HELP in graph else 0.15

    result = reduced(CHAIN, Recorded(sometimes(rate, seed)), simplify=False, repeats=30, batch=2)
    assert rate(result.graph) == 0.6
    assert result.rate.share > 0.3


def test_each_graph_that_is_told_has_failed_more_than_once() -> None:
    test = Recorded(lambda graph: CAUSE in graph)
    told = [event.candidate for event in reducing(CHAIN, test, Options(simplify=False)) if isinstance(event, Better)]
    assert told
    assert all(sum(set(run) == set(graph) for run in test.graphs) >= 2 for graph in told)


@pytest.mark.parametrize(
    ("seen", "strictly", "verdict"),
    [
        (Rate(0, 1), False, False),
        (Rate(1, 1), False, None),
        (Rate(2, 2), False, True),
        (Rate(2, 2), True, None),
        (Rate(9, 9), True, None),
        (Rate(10, 10), True, True),
        (Rate(9, 10), True, False),
    ],
)
def test_after_ten_failures_in_ten_runs(seen: Rate, strictly: bool, verdict: bool | None) -> None:
    assert SameRate(Rate(10, 10), 0.99).verdict(seen, strictly=strictly) is verdict


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 19), st.floats(0.0, 1.0), st.randoms(use_true_random=False), st.booleans())
def test_every_test_comes_to_an_end(failed: int, rate: float, random: Random, strictly: bool) -> None:
    same = SameRate(Rate(failed, 20), 0.99)
    seen = Rate()
    while same.verdict(seen, strictly=strictly) is None:
        assert same.runs_at_once(seen, strictly=strictly) >= 1
        seen += Rate(int(random.random() < rate), 1)
        assert seen.runs < 5000


def test_a_deadline_ends_it_with_what_there_is() -> None:
    test = Recorded(lambda graph: CAUSE in graph)
    late = reduced(CHAIN, test, deadline=time.monotonic() - 1)
    assert (late.graph, late.is_minimal, late.is_complete, test.graphs) == (CHAIN, False, False, [])


# -- masks and pins ----------------------------------------------------------------------------------------------------

DRINKS = "\n".join(
    f':d{n} a :Coffee ; :price {n}.5 ; rdfs:label "d{n}" ; :with :m{n} . :m{n} a :Milk ; :fat {n} .' for n in range(12)
)
SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> .
:CoffeeShape a sh:NodeShape ; sh:targetClass :Coffee ;
  sh:property [ sh:path :price ; sh:minCount 1 ; sh:maxCount 1 ] ;
  sh:property [ sh:path rdfs:label ; sh:minCount 1 ] ;
  sh:property [ sh:path :with ; sh:minCount 1 ; sh:class :Milk ] .
:MilkShape a sh:NodeShape ; sh:targetClass :Milk ; sh:property [ sh:path :fat ; sh:minCount 1 ] .
"""


def mask(kind: str) -> Mask:
    if kind == "shapes":
        return Mask([ShaclCheck(graph_of(SHAPES), "shapes.ttl")])
    query = (
        f"ASK {{ FILTER NOT EXISTS {{ ?d a <{EX.Coffee.value}> FILTER NOT EXISTS {{ ?d <{EX.price.value}> ?p }} }} }}"
    )
    return Mask([AskCheck(query, "priced.rq")])


@pytest.mark.parametrize(("kind", "size"), [("shapes", 6), ("query", 2)])
@pytest.mark.parametrize("algorithm", ["axioms", "halving"])
@pytest.mark.parametrize("simplify", [True, False])
def test_whatever_is_run_is_admissible(kind: str, size: int, algorithm: str, simplify: bool) -> None:
    graph = graph_of(DRINKS)
    allowed = mask(kind)
    assert allowed.admits(graph)
    # The failure itself needs one triple. The mask asks for the rest.
    test = Recorded(lambda each: bool(each.count(None, each.key(RDF.type), each.key(EX.Coffee))))
    result = reduced(graph, test, mask=allowed, repeats=1, simplify=simplify, algorithm=algorithm)
    assert all(map(allowed.admits, test.graphs))
    assert allowed.admits(result.graph)
    if algorithm == "axioms":
        assert result.triples_after == size
        assert result.system_runs <= 60


def test_what_a_shape_asks_for_is_not_taken_for_what_the_failure_needs() -> None:
    """Labels come last in the order of the search, and without the labels nothing is admissible."""
    graph = graph_of(
        "\n".join(f':C{n} a owl:Class ; rdfs:label "c{n}" ; rdfs:subClassOf :C{n // 2} .' for n in range(60))
    )
    shapes = graph_of(
        "@prefix sh: <http://www.w3.org/ns/shacl#> . :S a sh:NodeShape ; sh:targetClass owl:Class ;"
        " sh:property [ sh:path rdfs:label ; sh:minCount 1 ] ."
    )
    cause = Triple(EX.C41, RDF.type, graph.term(graph.key(next(graph.triples(None, RDF.type)).object)))  # type: ignore[arg-type]
    test = Recorded(has_triples([cause]))
    result = reduced(graph, test, mask=Mask([ShaclCheck(shapes, "s")]), repeats=1, simplify=False)
    assert {cause, Triple(EX.C41, RDFS.label, Literal("c41"))} == set(result.graph)
    assert result.system_runs <= 40


SPARQL = f"""
@prefix sh: <http://www.w3.org/ns/shacl#> .
:CoffeeShape a sh:NodeShape ; sh:targetClass :Coffee ; sh:sparql [
  sh:select "SELECT $this WHERE {{ FILTER NOT EXISTS {{ $this <{EX.price.value}> ?any }} }}" ] .
"""


@pytest.mark.parametrize("kind", ["shapes", "query", "sparql"])
def test_a_reduction_does_not_leave_the_mask_by_renaming_what_the_mask_is_about(kind: str) -> None:
    graph = graph_of(DRINKS)

    def has_a_type_and_a_price(some: Graph) -> bool:
        typed = {triple.subject for triple in some.triples(None, RDF.type)}
        values = (triple for triple in some if isinstance(triple.object, Literal) and "." in triple.object.value)
        return any(triple.subject in typed for triple in values)

    allowed = Mask([ShaclCheck(graph_of(SPARQL), "shapes.ttl")]) if kind == "sparql" else mask(kind)
    free = reduced(graph, Recorded(has_a_type_and_a_price), repeats=1).graph
    assert not {EX.Coffee, EX.price} & set(free.terms())
    result = reduced(graph, Recorded(has_a_type_and_a_price), mask=allowed, repeats=1).graph
    assert {EX.Coffee, EX.price} <= set(result.terms())


def test_what_is_pinned_stays_whatever_the_failure_needs() -> None:
    graph = graph_of(DRINKS + ':x :p [ :q [ :r :y ] ; rdfs:label "blank" ] . :z :p 1 .')
    file = PinnedTriples(graph_of(":d3 :price 3.5 . :nowhere :price 1 ."), "pins.ttl")
    pins = Pins([file], [f"{EX.x.value}"])
    stays = set(pins.pinned_in(graph))
    assert len(stays) == 1 + 4
    assert all(pins.protect(graph, graph.keys(triple)) == (triple in stays) for triple in graph)
    test = Recorded(lambda each: bool(each.count(each.key(EX.z))))
    result = reduced(graph, test, stays=stays, repeats=1)
    assert all(stays <= set(each) for each in test.graphs)
    assert set(result.graph) - stays == {
        triple for triple in result.graph if triple.subject not in {t.subject for t in stays}
    }
    assert result.triples_after == len(stays) + 1
    assert result.system_runs <= 25


# -- mutations ---------------------------------------------------------------------------------------------------------


def test_the_mutations_that_are_told_are_those_that_the_result_needs() -> None:
    seed = graph_of(DRINKS)
    mutant = seed.copy()
    price = Triple(EX.d5, EX.price, next(seed.triples(EX.d5, EX.price)).object)
    added = Triple(EX.d5, EX["with"], EX.d6)
    fat = next(seed.triples(EX.m7, EX.fat))
    mutant.apply(Delta([price, fat], [added]))

    def crashes(graph: Graph) -> bool:
        coffees = [triple.subject for triple in graph.triples(None, RDF.type, EX.Coffee)]
        unpriced = any(not graph.count(graph.key(each), graph.key(EX.price)) for each in coffees)  # type: ignore[arg-type]
        # With the whole seed graph around it, the failure needs all three changes.
        return unpriced and (len(graph) < len(seed) - 5 or (added in graph and fat not in graph))

    result = reduced(mutant, Recorded(crashes), seed=seed, repeats=1)
    assert result.triples_after == 1
    # A coffee without a price is all there is, so only the price that was removed matters.
    assert result.changes == Delta(removed=[price])


def test_a_part_of_the_seed_graph_may_fail_without_any_mutation() -> None:
    seed = graph_of(DRINKS)
    mutant = seed.copy()
    new = Triple(EX.new, EX.p, EX.o)
    mutant.add(new)

    def crashes(graph: Graph) -> bool:
        return new in graph if len(graph) > 40 else bool(graph.count(None, graph.key(EX.price)))

    result = reduced(mutant, Recorded(crashes), seed=seed, repeats=1)
    assert result.triples_after == 1
    assert result.changes == Delta()
