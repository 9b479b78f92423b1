"""Queries that look at named graphs: data with named graphs, and counterexamples in TriG."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Quad, RdfFormat, Store

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError
from kgprobe.queries.testing.data import Counterexample, Outcome, Result, read_data
from kgprobe.queries.testing.request import Request, Text
from kgprobe.queries.testing.run import DataSource
from kgprobe.queries.testing.saved import save, saved_in

from .social_network import FOLDER, PREFIXES, result_of, social_network

PROLOGUE = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in PREFIXES.items())
OWN_GRAPHS = "SELECT ?x { GRAPH ?g { ?x sn:likes ?e } GRAPH ?h { ?x sn:age ?a } FILTER(?a > 18) }"
HAS_ANSWER = [
    "SELECT ?x ?g { GRAPH ?g { ?x sn:likes ?e } }",
    "SELECT ?x { GRAPH <urn:g> { ?x sn:likes ?e } ?x sn:age ?a }",
    "SELECT ?x { GRAPH ?g { ?x sn:likes ?e } FILTER(?g = <urn:g>) }",
    "SELECT ?g { GRAPH ?g { ?x sn:likes ?e } ?g a sn:User }",
    "SELECT ?x FROM <urn:a> { ?x sn:likes ?e }",
    "SELECT ?x FROM <urn:a> FROM <urn:b> { ?x sn:likes ?e . ?x sn:age 3 }",
    "SELECT ?x FROM NAMED <urn:a> { GRAPH ?g { ?x sn:likes ?e } }",
    "SELECT ?x FROM <urn:a> FROM NAMED <urn:b> { ?x sn:age ?a GRAPH <urn:b> { ?x sn:likes ?e } }",
    "SELECT ?c { GRAPH ?g { ?c <http://www.w3.org/2000/01/rdf-schema#subClassOf> ?d } }",
    "ASK { FILTER EXISTS { GRAPH ?g { ?x sn:likes ?e } } }",
]


def replayed(found: Counterexample, text: str) -> list[object]:
    """The answers of a plain engine on the ontology and the counterexample."""
    store = Store()
    store.load(path=str(FOLDER / "ontology.ttl"), format=RdfFormat.TURTLE)
    store.load(found.turtle.encode(), format=RdfFormat.TRIG)
    return list(store.query(PROLOGUE + text))  # type: ignore[arg-type]


def counterexample(result: Result) -> Counterexample:
    assert result.outcome is Outcome.FALSIFIED, result
    assert result.counterexample is not None
    return result.counterexample


@pytest.mark.parametrize("text", HAS_ANSWER)
def test_data_are_made_for_named_graphs(text: str) -> None:
    result = result_of(PROLOGUE + text, tests=30)
    assert result.outcome is Outcome.PASSED
    assert result.nontrivial > 5


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x FROM NAMED <urn:a> { ?x sn:likes ?e }",  # its default graph is empty
        "SELECT ?x FROM <urn:a> { GRAPH ?g { ?x sn:likes ?e } }",  # it has no named graph
        "SELECT ?x FROM <urn:a> { ?x sn:likes ?e . GRAPH <urn:a> { ?x sn:age ?a } }",
        "SELECT ?u FROM <urn:a> { ?u sn:name 'Antonio' FILTER(?u = sn:jesus && ?u != sn:jesus) }",
    ],
)
def test_a_data_set_that_the_query_excludes_has_no_answer(text: str) -> None:
    assert result_of(PROLOGUE + text, tests=30).outcome in (Outcome.NO_ANSWER, Outcome.NO_CONSISTENT_DATA)


def test_a_counterexample_is_in_trig() -> None:
    found = counterexample(result_of(PROLOGUE + OWN_GRAPHS, Request(expect=["?x: sn:age some xsd:integer[>= 20]"])))
    assert len(found.triples) == 2
    assert all(isinstance(triple, Quad) for triple in found.triples)
    assert set(read_data(found.turtle)) == set(found.triples)
    assert len(replayed(found, OWN_GRAPHS)) == 1


def test_facts_of_all_graphs_count_together() -> None:
    """The age is functional, so the two graphs cannot state different ones."""
    text = "SELECT ?x { GRAPH <urn:a> { ?x sn:age ?a } GRAPH <urn:b> { ?x sn:age ?b } FILTER(?a != ?b) }"
    result = result_of(PROLOGUE + text)
    assert (result.outcome, result.proven) == (Outcome.NO_CONSISTENT_DATA, True)
    expected = "SELECT ?x { GRAPH ?g { ?x sn:likes ?e } }"
    proven = result_of(PROLOGUE + expected, Request(expect=["?x: sn:User"]))
    assert (proven.outcome, proven.proven) == (Outcome.PASSED, True)


def test_the_ontology_is_in_the_default_graph_only() -> None:
    antonio = "SELECT ?x { ?x sn:name 'Antonio' FILTER(?x = sn:antonio) }"
    assert result_of(PROLOGUE + antonio, Request(nonempty=True), tests=30).outcome is Outcome.PASSED
    inside = "SELECT ?x { GRAPH ?g { ?x sn:name 'Antonio' FILTER(?x = sn:antonio) } }"
    found = counterexample(result_of(PROLOGUE + inside, Request(nonempty=True)))
    assert found.triples == ()


def test_the_graph_of_a_triple_can_be_the_difference() -> None:
    here = "SELECT ?x { GRAPH ?g { ?x sn:age ?a } GRAPH ?g { ?x sn:likes ?e } }"
    there = "SELECT ?x { GRAPH ?g { ?x sn:age ?a } GRAPH ?h { ?x sn:likes ?e } }"
    found = counterexample(result_of(PROLOGUE + here, Request(same_as=[Text(PROLOGUE + there, "other.rq")])))
    assert len(found.triples) == 2
    assert len(replayed(found, here)) != len(replayed(found, there))


def test_a_named_graph_has_what_follows_from_it_and_the_ontology() -> None:
    text = PROLOGUE + "SELECT ?x { GRAPH <urn:a> { ?x a sn:User . ?x sn:likes ?e } }"
    stated = "SELECT ?x { GRAPH <urn:a> { ?x sn:likes ?e } }"
    request = Request(same_as=[Text(PROLOGUE + stated, "other.rq")])
    assert result_of(text, request, tests=60).outcome is Outcome.FALSIFIED
    assert result_of(text, request, tests=60, regime=Regime.RDFS).outcome is Outcome.PASSED
    inherited = PROLOGUE + "SELECT ?x { GRAPH <urn:a> { ?x a sn:Activity FILTER(?x = sn:athleticswch) } }"
    assert result_of(inherited, Request(nonempty=True), regime=Regime.RDFS).outcome is Outcome.FALSIFIED


def test_counterexamples_with_named_graphs_are_saved(tmp_path: Path) -> None:
    request = Request(expect=["?x: sn:age some xsd:integer[>= 20]"])
    found = counterexample(result_of(PROLOGUE + OWN_GRAPHS, request))
    path = save(tmp_path, found, query="own.rq", ontologies=("o.ttl",), request=request, regime=Regime.NONE)
    assert path.suffix == ".trig"
    [saved] = saved_in(tmp_path)
    assert set(saved.data) == set(found.triples)
    path.write_text("<urn:a> { <urn:b> ", encoding="utf-8")
    with pytest.raises(InputError, match=r"own-.*\.trig:1:"):
        saved_in(tmp_path)
    assert json.loads(path.with_suffix(".json").read_text())["query"] == "own.rq"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT ?x { SERVICE <urn:z> { ?x a sn:User } }", "SERVICE"),
        ("SELECT (EXISTS { SERVICE <urn:z> { ?x a sn:User } } AS ?b) { }", "SERVICE"),
        ("INSERT DATA { sn:a sn:likes sn:b }", "this is an update"),
        ("", "there is no query"),
    ],
)
def test_what_cannot_be_tested_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        result_of(text)


def test_one_graph_has_no_named_graphs() -> None:
    with pytest.raises(InputError, match="named graphs"):
        DataSource(PROLOGUE + OWN_GRAPHS, social_network(), seed=0, most=5)


def test_blank_nodes_and_prefixes_survive_trig() -> None:
    data = read_data("@prefix : <urn:x:> . _:a :p 1.0 . :g { _:a :p 'x'@en , 01 }")
    assert len(data) == 3
    assert sum(isinstance(datum, Quad) and datum.graph_name == NamedNode("urn:x:g") for datum in data) == 2
