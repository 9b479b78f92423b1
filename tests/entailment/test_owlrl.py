"""Compares closures with those of owlrl, a second implementation, for the terms of a graph."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from support.shared_data import needs_shared_data, shared

from entailment.owlrl_reference import reference_closure
from entailment.small_ontologies import EX, ontologies, rdfs_ontologies
from kgprobe.entailment.closure import closed
from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import load
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Triple

_ROOT = Path(__file__).parents[2]
_OWN = [
    "docs/files/cafe.ttl",
    "docs/files/ontologies/food.ttl",
    "docs/files/rdfmutate/plant.ttl",
    "examples/pipes/pipes.ttl",
    "src/kgprobe/demo/inspection.ttl",
]
_IS_BELOW = (RDFS.subClassOf, RDFS.subPropertyOf)
_IS_LIKE = (*_IS_BELOW, OWL.equivalentClass, OWL.equivalentProperty)
_DECLARATIONS = [Triple(EX[name], RDF.type, OWL.Class) for name in "ABCDE"]
_DECLARATIONS += [Triple(EX[name], RDF.type, OWL.ObjectProperty) for name in "pqr"]


def _difference(given: Iterable[Triple], regime: Regime) -> tuple[set[Triple], set[Triple]]:
    """The conclusions that only kgprobe draws, and those that only owlrl draws, without intended differences."""
    triples = list(given)
    terms = {part for triple in triples for part in (triple.subject, triple.predicate, triple.object)}
    ours = {t for t in closed(Graph(triples), regime).graph if {t.subject, t.predicate, t.object} <= terms}
    theirs = reference_closure(triples, regime)
    return (
        # On a cycle, scm-sco, scm-spo, scm-eqc2 and scm-eqp2 relate x to itself; owlrl leaves that out.
        {t for t in ours - theirs if not (_is_reflexive(t) and t.predicate in _IS_LIKE)},
        {t for t in theirs - ours if not (_is_reflexive(t) and t.predicate in _left_out(regime))},
    )


def _is_reflexive(triple: Triple) -> bool:
    return triple.subject == triple.object


def _is_number(term: object) -> bool:
    return isinstance(term, Literal) and term.datatype in (XSD.decimal, XSD.integer)


def _left_out(regime: Regime) -> tuple[object, ...]:
    """eq-ref in OWL 2 RL; rdfs6 and rdfs10 in RDFS."""
    return (OWL.sameAs,) if regime is Regime.RL else _IS_BELOW


@pytest.mark.parametrize("regime", [Regime.RDFS, Regime.RL])
@pytest.mark.parametrize("path", _OWN)
def test_example_ontologies(path: str, regime: Regime) -> None:
    # Under RDFS, owlrl identifies literals with the same value, which is datatype entailment.
    graph = load(str(_ROOT / path)).graph
    given = [triple for triple in graph if regime is Regime.RL or not _is_number(triple.object)]
    assert _difference(given, regime) == (set(), set())


@needs_shared_data
@pytest.mark.parametrize(("regime", "pizzas"), [(Regime.RDFS, 100), (Regime.RL, 3)])
def test_the_pizza_ontology(regime: Regime, pizzas: int) -> None:
    """OWL 2 RL uses only a few pizzas, since owlrl takes seven seconds for all. A manual run agreed on all of them."""
    graph = load(str(shared("pizza/pizza-old.owl"))).graph
    named = NamedNode("http://www.co-ode.org/ontologies/pizza/pizza.owl#NamedPizza")
    too_many = {triple.subject for triple in list(graph.triples(None, RDFS.subClassOf, named))[pizzas:]}
    kept = [triple for triple in graph if triple.subject not in too_many and triple.object not in too_many]
    assert _difference(_reachable(kept), regime) == (set(), set())


def _reachable(triples: list[Triple]) -> list[Triple]:
    """Leave out triples about blank nodes that no other triple refers to."""
    while True:
        objects = {triple.object for triple in triples}
        kept = [each for each in triples if not isinstance(each.subject, BlankNode) or each.subject in objects]
        if len(kept) == len(triples):
            return kept
        triples = kept


@settings(max_examples=60, deadline=None)
@given(rdfs_ontologies)
def test_random_rdfs(given: list[Triple]) -> None:
    assert _difference(given, Regime.RDFS) == (set(), set())


@settings(max_examples=25, deadline=None)
@given(ontologies())
def test_small_ontologies(given: list[Triple]) -> None:
    # owlrl's prp-key ignores the last property of a key. All names are declared, so that scm-cls and scm-op give
    # owlrl the reflexive triples that it does not conclude by scm-sco and scm-spo, and that other rules need.
    triples = [triple for triple in given if triple.predicate != OWL.hasKey]
    ours, theirs = _difference(dict.fromkeys([*triples, *_DECLARATIONS]), Regime.RL)
    assert ours == set()
    assert theirs == set()


def test_conclusions_that_owlrl_lacks_are_correct() -> None:
    """The one case in which owlrl concludes less: an anonymous class without declarations."""
    circle = [Triple(BlankNode("x"), RDFS.subClassOf, EX.A), Triple(EX.A, RDFS.subClassOf, BlankNode("x"))]
    assert Triple(BlankNode("x"), RDFS.subClassOf, BlankNode("x")) in closed(Graph(circle), Regime.RL).graph
    assert _difference(circle, Regime.RL) == (set(), set())
