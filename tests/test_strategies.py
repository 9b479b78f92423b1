"""Hypothesis strategies: they draw what was asked for, and shrink to the smallest example."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import find, given, settings

from kgprobe import InputError, load, read_mask
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import RDF, Literal, NamedNode
from kgprobe.masks.ask import AskCheck
from kgprobe.masks.mask import Mask
from kgprobe.strategies import graphs, mutants

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
