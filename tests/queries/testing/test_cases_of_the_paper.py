"""The six queries of the paper, without a schema made by hand."""

from __future__ import annotations

import pytest

from kgprobe.formats.files import read_graph
from kgprobe.owl.expression import Expression
from kgprobe.queries.testing.data import Outcome, Result
from kgprobe.queries.testing.request import Request, read_expectation
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Consistency, InstanceOf
from kgprobe.sparql.engine.exact_store import ExactStore
from kgprobe.sparql.engine.results import Rows

from .social_network import MATURE, POPULAR, THIS_YEAR, YOUNG, case, corrected_case_3, result_of, social_network

FALSIFIED = [(3, "user1", MATURE, 3), (5, "user", YOUNG, 2), (6, "event", POPULAR, 2)]


@pytest.mark.parametrize(("number", "variable", "kind", "most"), FALSIFIED)
def test_a_wrong_query_is_falsified_with_few_triples(number: int, variable: str, kind: str, most: int) -> None:
    result = result_of(case(number), Request(expect=[f"?{variable}: {kind}"]))
    assert result.outcome is Outcome.FALSIFIED
    assert result.counterexample is not None
    assert len(result.counterexample.triples) <= most
    assert_is_replayable(result, number, variable, kind)


def assert_is_replayable(result: Result, number: int, variable: str, kind: str) -> None:
    """The printed text alone has an answer that breaks the property, on consistent data, by a reasoner's word."""
    assert result.counterexample is not None
    schema = social_network()
    added = read_graph(result.counterexample.turtle.encode())
    assert not any(triple in schema.graph for triple in added)
    whole = Graph([*schema.graph, *added])
    answers = list(_rows(whole, case(number)))
    assert result.counterexample.answer in answers
    expected = read_expectation(f"?{variable}: {kind}", schema, schema.graph.spelling.prefixes, [variable])
    individual = result.counterexample.answer[variable]
    assert isinstance(individual, NamedNode)
    assert isinstance(expected.kind, Expression)
    with opened() as reasoner:
        consistent, member = reasoner.answer(Ontology.of(whole), [Consistency(), InstanceOf(individual, expected.kind)])
    assert consistent.decided
    assert consistent.value is True
    assert member.decided
    assert member.value is False


def _rows(graph: Graph, text: str) -> list[dict[str, Term]]:
    found = ExactStore(graph).query(text)
    assert isinstance(found, Rows)
    return list(found.rows)


def test_the_corrected_query_passes() -> None:
    result = result_of(corrected_case_3(), Request(expect=[f"?user1: {MATURE}"]))
    assert result.outcome is Outcome.PASSED
    assert result.tests == 256
    assert result.nontrivial > 100


def test_another_property_of_the_third_query_passes() -> None:
    result = result_of(case(3), Request(expect=[f"?event: {THIS_YEAR}"]))
    assert result.outcome is Outcome.PASSED


def test_both_properties_of_the_sixth_query_can_be_broken() -> None:
    liked = result_of(case(6), Request(expect=["?event: sn:liked_by some sn:User"]))
    attended = result_of(case(6), Request(expect=["?event: inverse sn:attends_to some sn:User"]))
    assert liked.outcome is attended.outcome is Outcome.FALSIFIED
    assert liked.counterexample is not None
    assert "attends_to" in liked.counterexample.turtle
    assert attended.counterexample is not None
    assert "likes" in attended.counterexample.turtle
    assert len(liked.counterexample.triples) == len(attended.counterexample.triples) == 2


def test_the_same_seed_gives_the_same_result() -> None:
    one, two = (result_of(case(3), Request(expect=[f"?event: {THIS_YEAR}"]), tests=300, seed=7) for _ in range(2))
    assert one == two
