"""Queries under entailment regimes: what they see of the data, and that DL decides what a reasoner can decide."""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest

from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import read_graph
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.data import Outcome
from kgprobe.queries.testing.evaluation import Sight, class_hierarchy, entailed_facts
from kgprobe.queries.testing.judging import Judge
from kgprobe.queries.testing.request import Request, Text, read_query
from kgprobe.queries.testing.run import Settings, prepared_test
from kgprobe.rdf.terms import Triple
from kgprobe.reasoners.auto import open_reasoner, opened
from kgprobe.reasoners.protocol import Reasoner

from .social_network import PREFIXES, case, result_of, social_network

PROLOGUE = "@prefix : <urn:x:> . @prefix owl: <http://www.w3.org/2002/07/owl#> . "
PROLOGUE += (
    "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . "
)
# A thing that is a Cat or a Dog and has a tail is a Pet: rules alone do not find out.
PETS = (
    PROLOGUE
    + """
    :Cat a owl:Class ; rdfs:subClassOf :Pet . :Dog a owl:Class ; rdfs:subClassOf :Pet . :Pet a owl:Class .
    :CatOrDog a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:unionOf ( :Cat :Dog ) ] .
    :owns a owl:ObjectProperty ; owl:inverseOf :owned . :owned a owl:ObjectProperty , owl:FunctionalProperty .
    :name a owl:DatatypeProperty ; rdfs:subPropertyOf :label . :label a owl:DatatypeProperty .
    """
)


@pytest.mark.parametrize("number", [3, 5, 6])
def test_the_social_network_is_decided_under_dl(number: int) -> None:
    result = result_of(case(number), regime=Regime.DL, tests=40)
    assert (result.outcome, result.undecided) == (Outcome.PASSED, 0)
    assert result.nontrivial > 10


SEEN_ONLY_WITH_ENTAILMENT = [
    ("SELECT ?x { ?x sn:likes ?e }", "SELECT ?x { ?x sn:likes ?e . ?x a sn:User }"),
    ("SELECT ?x ?e { ?x sn:likes ?e }", "SELECT ?x ?e { ?e sn:liked_by ?x }"),
]


@pytest.mark.parametrize(("one", "other"), SEEN_ONLY_WITH_ENTAILMENT)
@pytest.mark.parametrize("regime", [Regime.RL, Regime.DL])
def test_what_follows_is_seen(one: str, other: str, regime: Regime) -> None:
    request = Request(same_as=[Text(other, "other.rq")])
    assert result_of(one, request, tests=40).outcome is Outcome.FALSIFIED
    assert result_of(one, request, tests=40, regime=regime).outcome is Outcome.PASSED


@cache
def shared_reasoner() -> Reasoner:
    """One reasoner for many questions: each new one has to start first."""
    return open_reasoner()


def facts(ontology: str, data: str, query: str, *, always_asks: bool = False) -> set[str]:
    """The facts that a query can see, without those that are stated."""
    schema = Schema(read_graph(ontology.encode()))
    stated = tuple(read_graph((PROLOGUE + data).encode()))
    tree = read_query(query, "q.rq", {"": "urn:x:"}).tree
    judge = Judge(schema, shared_reasoner(), always_asks=always_asks)
    found = entailed_facts(stated, Sight.of([tree], schema), judge)
    return {_short(triple) for triple in found if triple not in stated}


def _short(triple: Triple) -> str:
    parts = (triple.subject, triple.predicate, triple.object)
    return " ".join(str(part).replace("<urn:x:", "").replace(">", "").rpartition("#")[2] for part in parts)


ENTAILED = [
    (":a a :CatOrDog .", "SELECT ?x { ?x a :Pet }", {"a type Pet"}),
    (":a a :CatOrDog .", "SELECT ?x { ?x a :Cat }", set()),
    (":a :owns :b .", "SELECT ?x { ?x :owned ?y }", {"b owned a"}),
    (":a :owns :c . :b :owns :c . :a a :Cat .", "SELECT ?x { ?x a :Cat }", {"b type Cat"}),
    (":a :owns :c . :b :owns :c .", "SELECT * { ?x <http://www.w3.org/2002/07/owl#sameAs> ?y FILTER(?x != ?y) }", None),
    (":a :name 'A' . :b :name 'B' .", "SELECT ?x { ?x :label ?n }", {'a label "A"', 'b label "B"'}),
    (":a a :Cat .", "SELECT ?c { ?x a ?c }", {"a type Pet", "a type CatOrDog", "a type Thing"}),
    (":a a :Cat .", "SELECT ?c { ?x a/<urn:x:p>* :Pet }", {"a type Pet", "a type CatOrDog", "a type Thing"}),
]


@pytest.mark.parametrize(("data", "query", "expected"), ENTAILED)
def test_facts_that_follow_under_dl(data: str, query: str, expected: set[str] | None) -> None:
    found = facts(PETS, data, query)
    assert found == facts(PETS, data, query, always_asks=True)
    if expected is None:
        assert {"a sameAs b", "b sameAs a"} <= found
    else:
        assert found - {"a type Thing"} == expected - {"a type Thing"}


def test_the_hierarchy_is_found_by_pairs_where_it_is_not_known_as_a_whole() -> None:
    with opened() as reasoner:
        found = {_pair(triple) for triple in class_hierarchy(social_network(), reasoner)}
    assert {("Event", "subClassOf", "Activity"), ("Message", "subClassOf", "Activity")} == found


def _pair(triple: Triple) -> tuple[str, ...]:
    return tuple(str(part).rpartition("#")[2].rstrip(">") for part in (triple.subject, triple.predicate, triple.object))


def test_data_sets_under_dl_agree_with_a_reasoner_that_is_always_asked() -> None:
    text = "SELECT ?x ?e { ?x a sn:User . ?x sn:age ?e }"
    verdicts = []
    with opened() as reasoner:
        for always in (False, True):
            settings = Settings(regime=Regime.DL, always_asks=always)
            test = prepared_test(text, social_network(), Request(), reasoner, settings, prefixes=PREFIXES)
            verdicts.append([test.judged(data).kind for data in islice(test.data_sets, 5)])
    assert verdicts[0] == verdicts[1]


def test_a_value_that_follows_is_not_confused_with_that_of_other_data() -> None:
    """Data that differ only in a value that no axiom mentions share their judgement."""
    schema = Schema(read_graph(PETS.encode()))
    with opened() as reasoner:
        judge = Judge(schema, reasoner)
        for name, other in (("A", "B"), ("B", "A")):
            data = tuple(read_graph((PROLOGUE + f":a :name '{name}' .").encode()))
            right, wrong = (
                next(iter(read_graph((PROLOGUE + f":a :label '{each}' .").encode()))) for each in (name, other)
            )
            assert judge.follows(data, right) is True
            assert judge.follows(data, wrong) is False
