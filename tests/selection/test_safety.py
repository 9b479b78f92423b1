"""A test that is not selected has the same answers on both versions, under every regime."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.entailment.closure import entailed_change
from kgprobe.entailment.rules import Regime
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term, Triple
from kgprobe.selection.discovery.sparql_files import SPARQL
from kgprobe.selection.impact import select
from kgprobe.selection.tests import Suite, Test
from kgprobe.sparql.engine.exact_store import GraphStore, answer_of
from kgprobe.sparql.reading import read_query

PROLOGUE = f"PREFIX : <urn:> PREFIX rdfs: <{RDFS.iri}> PREFIX owl: <{OWL.iri}> PREFIX rdf: <{RDF.iri}>\n"
QUERIES = [
    "SELECT ?x WHERE { ?x rdfs:subClassOf* :A }",
    "SELECT ?x WHERE { :A rdfs:subClassOf+ ?x }",
    "SELECT ?x ?y WHERE { ?x rdfs:subClassOf* ?y }",
    "ASK { :A rdfs:subClassOf* :B }",
    "SELECT ?x WHERE { ?x a :A }",
    "SELECT ?x WHERE { ?x a/rdfs:subClassOf* :B }",
    "SELECT ?x ?v WHERE { ?x :p ?v FILTER(?v > 3) }",
    "SELECT ?x ?v WHERE { ?x :p ?v FILTER(?v = 5) }",
    "SELECT ?x WHERE { ?x :p 5 }",
    "SELECT ?x WHERE { ?x :p ?v FILTER(ISIRI(?v)) }",
    "SELECT ?x WHERE { ?x :p|^:q :A }",
    "SELECT ?x WHERE { ?x (:p|^:q)+ :A }",
    "SELECT ?x WHERE { ?x a :A FILTER NOT EXISTS { ?x :p ?y } }",
    "SELECT ?x ?y WHERE { ?x a :A OPTIONAL { ?x :q ?y } }",
    "SELECT ?x WHERE { ?x a :A MINUS { ?x a :B } }",
    "SELECT (COUNT(*) AS ?n) WHERE { ?x :q ?y }",
    "SELECT ?p WHERE { :A ?p :B }",
    "SELECT ?x WHERE { ?x !(rdf:type|:p) ?y }",
    "SELECT ?x WHERE { VALUES ?c { :A :C } ?x a ?c }",
    "SELECT ?x WHERE { ?x :p ?x }",
    "CONSTRUCT { ?x :r ?y } WHERE { { ?x :p ?y } UNION { ?y :q ?x } }",
    "SELECT ?x WHERE { ?x :p? :A }",
    "SELECT ?x ?y WHERE { ?x :p? ?y }",
    "SELECT ?p WHERE { ?p rdfs:domain :A ; rdfs:range ?r }",
    'SELECT ?x WHERE { ?x rdfs:label ?l FILTER(STRSTARTS(?l, "a") && LANG(?l) = "en") }',
]
NAMES = [NamedNode(f"urn:{name}") for name in "ABCijpq"]
CLASSES, INDIVIDUALS, PROPERTIES = NAMES[:3], NAMES[3:5], NAMES[5:]
NUMBERS = [Literal(text, datatype=XSD.integer) for text in ("1", "5", "05")] + [Literal("5.0", datatype=XSD.decimal)]
LABELS = [Literal("ab", language="en"), Literal("ab", language="de"), Literal("b", language="en")]
REGIMES = [Regime.NONE, Regime.RDFS, Regime.RL]
_KINDS: list[tuple[Sequence[NamedNode], Sequence[NamedNode], Sequence[Term]]] = [
    (CLASSES, [RDFS.subClassOf], CLASSES),
    (INDIVIDUALS, [RDF.type], CLASSES),
    (INDIVIDUALS + CLASSES, PROPERTIES, [*INDIVIDUALS, *CLASSES, *NUMBERS]),
    (PROPERTIES, [RDFS.domain, RDFS.range], CLASSES),
    (PROPERTIES, [RDFS.subPropertyOf], PROPERTIES),
    (PROPERTIES, [RDF.type], [OWL.TransitiveProperty, OWL.SymmetricProperty]),
    (CLASSES + INDIVIDUALS, [RDFS.label], LABELS),
]
triples = st.one_of(
    *(st.builds(Triple, st.sampled_from(s), st.sampled_from(p), st.sampled_from(o)) for s, p, o in _KINDS)
)
ALL_TRIPLES = [Triple(*terms) for kind in _KINDS for terms in product(*kind)]


def _test(query: str) -> Test:
    read = read_query(PROLOGUE + query)
    assert not read.unseen
    return Test(query, SPARQL, read.uses, queries=(PROLOGUE + query,))


SUITE = Suite(tuple(map(_test, QUERIES)))


def _changed_and_selected(before: set[Triple], after: set[Triple], regime: Regime) -> tuple[set[str], set[str]]:
    """The queries whose answers change from one version to the next, and those that are selected."""
    old = Graph(sorted(before, key=str))
    new = old.copy()
    new.apply(Delta(sorted(before - after, key=str), sorted(after - before, key=str)))
    change = entailed_change(old, new, regime)
    selected = {each.test.name for each in select(SUITE, regime, lambda _: change).selected}
    answers = []
    for state in (change.old, change.new):
        store = GraphStore(state)
        answers.append({test.name: answer_of(test.queries[0], store) for test in SUITE.tests})
    changed = {name for name in QUERIES if answers[0][name] != answers[1][name]}
    return changed, selected


@pytest.mark.parametrize("regime", REGIMES)
@settings(max_examples=100, deadline=None)
@given(before=st.sets(triples, max_size=12), flipped=st.sets(triples, min_size=1, max_size=3))
def test_a_test_that_is_not_selected_has_the_same_answers(
    regime: Regime, before: set[Triple], flipped: set[Triple]
) -> None:
    changed, selected = _changed_and_selected(before, before ^ flipped, regime)
    assert changed <= selected


@pytest.mark.parametrize("regime", REGIMES)
def test_every_query_has_answers_that_change_and_is_not_always_selected(regime: Regime) -> None:
    """The property above says nothing about a query whose answers never change, or that is always selected."""
    random = Random(7)
    ever_changed: set[str] = set()
    ever_left_out: set[str] = set()
    for _ in range(150):
        before = set(random.choices(ALL_TRIPLES, k=12))
        changed, selected = _changed_and_selected(before, before ^ {random.choice(ALL_TRIPLES)}, regime)
        assert changed <= selected
        ever_changed |= changed
        ever_left_out |= set(QUERIES) - selected
    assert ever_changed == set(QUERIES)
    assert ever_left_out == set(QUERIES)
