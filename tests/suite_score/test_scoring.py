"""The score is that of running every test on every mutant, whatever selection leaves out."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.entailment.closure import closed
from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import read_graph
from kgprobe.mutation.catalogue import operator_set
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Triple
from kgprobe.selection.discovery.sparql_files import SPARQL
from kgprobe.selection.tests import Suite, Test
from kgprobe.sparql.reading import read_query
from kgprobe.suite_score.model import Fate, Score, Selecting
from kgprobe.suite_score.mutants import operator_changes
from kgprobe.suite_score.scoring import ScoreJob, scored

from .naive import NaiveScore, answer, naive_score

PROLOGUE = f"PREFIX : <urn:> PREFIX rdfs: <{RDFS.iri}> PREFIX owl: <{OWL.iri}>\n"
QUERIES = [
    "SELECT ?x WHERE { ?x rdfs:subClassOf* :A }",
    "SELECT ?x ?y WHERE { ?x rdfs:subClassOf ?y }",
    "ASK { :A rdfs:subClassOf+ :B }",
    "SELECT ?x WHERE { ?x a :A }",
    "SELECT ?x WHERE { ?x a/rdfs:subClassOf* :B }",
    "SELECT ?x ?v WHERE { ?x :d ?v FILTER(?v > 3) }",
    "SELECT ?x WHERE { ?x :d 5 }",
    "SELECT ?x WHERE { ?x :p|^:q :i }",
    "SELECT ?x WHERE { ?x a :A FILTER NOT EXISTS { ?x :p ?y } }",
    "SELECT (COUNT(*) AS ?n) WHERE { ?x :q ?y }",
    "CONSTRUCT { ?x :r ?y } WHERE { { ?x :p ?y } UNION { ?y :q ?x } }",
    "SELECT ?p WHERE { ?p rdfs:domain :A }",
    'SELECT ?x WHERE { ?x rdfs:label "a"@en }',
]
A, B, C, i, j, p, q, d = (NamedNode(f"urn:{name}") for name in "ABCijpqd")
DECLARED = [
    *(Triple(each, RDF.type, OWL.Class) for each in (A, B, C)),
    *(Triple(each, RDF.type, OWL.NamedIndividual) for each in (i, j)),
    *(Triple(each, RDF.type, OWL.ObjectProperty) for each in (p, q)),
    Triple(d, RDF.type, OWL.DatatypeProperty),
]
FIVE, SEVEN, TWO = (Literal(text, datatype=XSD.integer) for text in "572")
AXIOMS = [
    *(Triple(x, RDFS.subClassOf, y) for x in (A, B, C) for y in (A, B, C) if x != y),
    *(Triple(x, RDF.type, y) for x in (i, j) for y in (A, B, C)),
    *(Triple(x, y, z) for x in (i, j) for y in (p, q) for z in (i, j)),
    *(Triple(x, d, y) for x in (i, j) for y in (FIVE, SEVEN, TWO)),
    *(Triple(x, y, z) for x in (p, q) for y in (RDFS.domain, RDFS.range) for z in (A, B)),
    Triple(p, RDFS.subPropertyOf, q),
    Triple(p, RDF.type, OWL.SymmetricProperty),
]
LABELS = [Triple(x, RDFS.label, Literal(text, language="en")) for x in (A, i) for text in "ab"]
REGIMES = [Regime.NONE, Regime.RDFS, Regime.RL]


def suite_of(queries: list[str]) -> Suite:
    tests = []
    for number, query in enumerate(queries):
        read = read_query(PROLOGUE + query)
        tests.append(Test(f"{number:02}", SPARQL, read.uses, queries=(PROLOGUE + query,)))
    return Suite(tuple(tests))


SUITE = suite_of(QUERIES)
FULL = [PROLOGUE + query for query in QUERIES]


def numbers(found: Score) -> NaiveScore:
    return NaiveScore(found.killed, found.survived, found.equivalent, tuple(test.kills for test in found.tests))


@pytest.mark.parametrize("regime", REGIMES)
@settings(max_examples=15, deadline=None)
@given(axioms=st.sets(st.sampled_from(AXIOMS), min_size=1, max_size=12), labels=st.sets(st.sampled_from(LABELS)))
def test_every_axiom_gives_the_naive_score_however_tests_are_selected(
    regime: Regime, axioms: set[Triple], labels: set[Triple]
) -> None:
    triples = [*DECLARED, *sorted(labels, key=str), *sorted(axioms, key=str)]
    mutants = [[each for each in triples if each != axiom] for axiom in sorted(axioms, key=str)]
    wanted = naive_score(triples, mutants, FULL, regime)
    base = ScoreJob(graph=Graph(triples), suite=SUITE, regime=regime, seconds=math.inf)
    found = {how: scored(_with(base, select=how)) for how in Selecting}
    assert {how: numbers(each) for how, each in found.items()} == dict.fromkeys(Selecting, wanted)
    judged = wanted.killed + wanted.survived
    assert found[Selecting.NEVER].executions == judged * len(QUERIES)
    assert {each.executions_without_selection for each in found.values()} == {judged * len(QUERIES)}
    assert found[Selecting.ALWAYS].executions <= found[Selecting.AUTO].executions <= judged * len(QUERIES)
    for each in found.values():
        assert each.mutants == len(axioms) == each.killed + each.survived + each.equivalent + each.undecided
        assert each.score == (100 * each.killed / judged if judged else None)


@pytest.mark.parametrize("regime", REGIMES)
@pytest.mark.parametrize("seed", range(4))
def test_operators_give_the_naive_score_and_stop_at_the_first_kill(regime: Regime, seed: int) -> None:
    random = Random(seed)
    triples = [*DECLARED, *random.sample(AXIOMS, 12), *LABELS]
    graph = Graph(triples)
    operators = [*operator_set("generic"), *operator_set("abox")]
    changes = operator_changes(graph, operators, 30, seed)
    mutants = [
        [*(each for each in triples if each not in change.delta.removed), *change.delta.added] for change in changes
    ]
    wanted = naive_score(triples, mutants, FULL, regime)
    base = ScoreJob(
        graph=graph,
        suite=SUITE,
        regime=regime,
        operators=tuple(operators),
        count=30,
        seed=seed,
        seconds=math.inf,
    )
    stopped = {how: scored(_with(base, select=how)) for how in Selecting}
    complete = {how: scored(_with(base, select=how, all_kills=True)) for how in Selecting}
    assert len(changes) == 30
    for found in (*stopped.values(), *complete.values()):
        assert (found.killed, found.survived, found.equivalent) == (wanted.killed, wanted.survived, wanted.equivalent)
    assert {numbers(each) for each in complete.values()} == {wanted}
    # The first kill of each mutant, the same one with and without selection.
    assert len({tuple(test.kills for test in each.tests) for each in stopped.values()}) == 1
    assert sum(test.kills for test in stopped[Selecting.NEVER].tests) == wanted.killed
    without = stopped[Selecting.NEVER].executions
    assert {each.executions_without_selection for each in stopped.values()} == {without}
    assert stopped[Selecting.ALWAYS].executions < without < complete[Selecting.NEVER].executions


def _with(asked: ScoreJob, **changed: object) -> ScoreJob:
    return ScoreJob(**{**vars(asked), **changed})


@pytest.mark.parametrize("regime", REGIMES)
def test_each_suggestion_has_other_answers_on_the_mutant(regime: Regime) -> None:
    """Checked by another store, on closures that are computed from scratch."""
    random = Random(11)
    checked = 0
    few = suite_of(["ASK { :A rdfs:subClassOf :C }"])
    for _ in range(12):
        triples = [*DECLARED, *random.sample(AXIOMS, 10), *LABELS]
        found = scored(ScoreJob(graph=Graph(triples), suite=few, regime=regime, annotations=True, seconds=math.inf))
        before = set(closed(Graph(triples), regime).graph)
        words = {outcome.change for outcome in found.outcomes if outcome.fate is Fate.SURVIVED}
        assert words == {each.change for each in found.survivors}
        for survivor in found.survivors:
            assert survivor.suggestion is not None, survivor
            assert _tells_apart(survivor.suggestion, triples, before, regime), survivor
            checked += 1
    assert checked > 60


def _tells_apart(query: str, triples: list[Triple], before: set[Triple], regime: Regime) -> bool:
    """Whether some mutant without one triple has another answer."""
    wanted = answer(query, before)
    return any(
        answer(query, set(closed(Graph([each for each in triples if each != gone]), regime).graph)) != wanted
        for gone in triples
    )


def test_a_test_with_a_regime_of_its_own_is_answered_under_it() -> None:
    triples = [*DECLARED, Triple(B, RDFS.subClassOf, A), Triple(i, RDF.type, B)]
    query = PROLOGUE + "SELECT ?x WHERE { ?x a :A }"
    for own, killed in ((None, 0), (Regime.RDFS, 2)):
        test = Test("a", SPARQL, read_query(query).uses, queries=(query,), regime=own)
        for how in Selecting:
            assert (
                scored(ScoreJob(graph=Graph(triples), suite=Suite((test,)), select=how, seconds=math.inf)).killed
                == killed
            )


def test_one_of_two_equal_axioms_is_equivalent_under_a_regime() -> None:
    graph = read_graph(
        b"""@prefix : <urn:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :A a owl:Class . :B a owl:Class . :p a owl:ObjectProperty . :A rdfs:subClassOf
        [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] ,
        [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] ,
        [ a owl:Restriction ; owl:onProperty :p ; owl:allValuesFrom :B ] ."""
    )
    for regime, equivalent in ((Regime.NONE, 0), (Regime.RDFS, 2), (Regime.RL, 2), (Regime.DL, 2)):
        found = scored(ScoreJob(graph=graph, suite=suite_of(["ASK { :A :p :B }"]), regime=regime))
        assert (found.mutants, found.equivalent, found.survived) == (3, equivalent, 3 - equivalent), regime
        assert all(survivor.suggestion for survivor in found.survivors)


def test_inconsistent_mutants_are_killed_only_with_a_reasoner() -> None:
    triples = [*DECLARED, Triple(A, OWL.disjointWith, B), Triple(i, RDF.type, A), Triple(C, RDFS.subClassOf, B)]
    query = PROLOGUE + "ASK { :nothing :at :all }"
    suite = Suite((Test("a", SPARQL, read_query(query).uses, queries=(query,)),))
    asked = ScoreJob(graph=Graph(triples), suite=suite, operators=("AddClassAssertion",), count=4)
    without = scored(asked)
    found = scored(_with(asked, reasoner="auto"))
    assert without.killed == 0
    assert found.mutants == without.mutants == 4
    assert found.killed == found.inconsistent
    assert 0 < found.killed < 4
    assert found.score == 100 * found.killed / 4
