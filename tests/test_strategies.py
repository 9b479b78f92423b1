"""Hypothesis strategies: they draw what was asked for, and shrink to the smallest example."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import find, given, settings

from kgprobe import InputError, load, read_mask
from kgprobe.masks.ask import AskCheck
from kgprobe.masks.mask import Mask
from kgprobe.queries.schema import load_schema
from kgprobe.queries.testing.judging import Judge
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, Literal, NamedNode
from kgprobe.reasoners.auto import opened
from kgprobe.strategies import aboxes, graphs, mutants

_CAFE = load(Path(__file__).resolve().parents[1] / "docs" / "files" / "cafe.ttl")
_TRIPLES = set(_CAFE)
_NO_NEW_TYPE = Mask([AskCheck("ASK { FILTER NOT EXISTS { ?x a ?type FILTER(?type = <urn:never>) } }", "no such type")])


def _changes(graph: Graph) -> int:
    return len(graph.changed_keys)


@settings(max_examples=50)
@given(mutants(_CAFE, "abox", max_mutations=4))
def test_mutants_leave_the_seed_graph_alone(graph: Graph) -> None:
    assert set(_CAFE) == _TRIPLES
    assert graph is not _CAFE


def test_a_mutant_shrinks_to_the_seed_graph_itself() -> None:
    assert _changes(find(mutants(_CAFE, "generic"), lambda _: True)) == 0


def test_a_mutant_shrinks_to_a_single_mutation() -> None:
    # The operator removes one triple, so one mutation is enough for a graph that has lost one.
    found = find(mutants(_CAFE, ["RemoveTriple"], max_mutations=8), lambda graph: len(graph) < len(_CAFE))
    assert len(found) == len(_CAFE) - 1


def test_several_mutations_are_kept_if_all_are_needed() -> None:
    found = find(mutants(_CAFE, ["RemoveTriple"], max_mutations=8), lambda graph: len(graph) <= len(_CAFE) - 3)
    assert len(found) == len(_CAFE) - 3


@settings(max_examples=50)
@given(mutants(_CAFE, "generic", mask=_NO_NEW_TYPE))
def test_the_mask_admits_all_drawn_graphs(graph: Graph) -> None:
    assert _NO_NEW_TYPE.admits(graph)


def test_invalid_arguments_are_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "never.rq").write_text("ASK { <urn:a> <urn:b> <urn:c> }")
    with pytest.raises(InputError, match="does not admit the graph itself"):
        mutants(_CAFE, mask=read_mask(tmp_path / "never.rq"))
    with pytest.raises(InputError, match="no operators"):
        mutants(_CAFE, [])
    with pytest.raises(InputError, match="did you mean 'abox'"):
        mutants(_CAFE, "aboxx")


def test_random_graphs_shrink_to_few_triples() -> None:
    found = find(graphs(), lambda graph: any(isinstance(triple.object, Literal) for triple in graph))
    assert len(found) == 1


_THING = NamedNode("urn:thing")


@settings(max_examples=50)
@given(graphs(subjects=[_THING], predicates=[RDF.type], objects=[_THING, NamedNode("urn:kind")], min_size=1))
def test_random_graphs_use_the_given_terms(graph: Graph) -> None:
    assert 1 <= len(graph) <= 2
    assert {triple.subject for triple in graph} == {_THING}


_SOCIAL = Path(__file__).resolve().parents[1] / "examples" / "social-network"
_LIKES = NamedNode("https://example.org/social-network#likes")


def test_data_for_a_query_are_consistent_and_shrink() -> None:
    drawn = aboxes(_SOCIAL / "ontology.ttl", query="SELECT * { ?a sn:friend_of ?b . ?b sn:likes ?c }")
    seen: list[Graph] = []

    @settings(max_examples=40)
    @given(drawn)
    def collect(graph: Graph) -> None:
        seen.append(graph)

    collect()
    schema = load_schema([_SOCIAL / "ontology.ttl"])
    with opened() as reasoner:
        judge = Judge(schema, reasoner)
        assert all(judge.is_consistent(tuple(graph)) for graph in seen)
    assert len({frozenset(graph) for graph in seen}) > 10
    found = find(drawn, lambda graph: any(triple.predicate == _LIKES for triple in graph))
    assert len(found) == 1


def test_data_for_an_ontology_alone() -> None:
    found = find(aboxes(_SOCIAL / "ontology.ttl"), lambda graph: len(graph) > 1)
    assert len(found) == 2


def test_data_for_something_that_is_not_a_query_are_refused() -> None:
    with pytest.raises(InputError, match="the query ends too early"):
        aboxes(_SOCIAL / "ontology.ttl", query="SELECT nothing")
