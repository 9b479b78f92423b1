"""The algebra of changes."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from support.strategies import graphs_and_deltas, triple_lists

from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import NamedNode, Triple

A, B, P = (NamedNode(f"http://example.org/{name}") for name in "abp")


@given(graphs_and_deltas(), triple_lists)
def test_composing_is_applying_one_after_the_other(pair: tuple[Graph, Delta], wanted: list[Triple]) -> None:
    graph, first = pair
    stepwise, at_once = graph.copy(), graph.copy()
    stepwise.apply(first)
    second = Delta([t for t in wanted if t in stepwise], [t for t in wanted if t not in stepwise])
    stepwise.apply(second)
    at_once.apply(first.then(second))
    assert stepwise == at_once


@given(graphs_and_deltas())
def test_a_delta_and_its_inverse_cancel_out(pair: tuple[Graph, Delta]) -> None:
    _, delta = pair
    assert delta.then(delta.inverse()) == Delta()
    assert delta.inverse().inverse() == delta


@given(graphs_and_deltas())
def test_the_changes_of_a_graph_are_a_delta_of_the_loaded_graph(pair: tuple[Graph, Delta]) -> None:
    graph, delta = pair
    graph.apply(delta)
    loaded = Graph.from_table(graph.table)
    loaded.apply(graph.changes())
    assert loaded == graph


def test_order_and_repetition_do_not_matter() -> None:
    one, other = Triple(A, P, B), Triple(B, P, A)
    assert Delta(added=[one, other, one]) == Delta(added=[other, one])
    assert hash(Delta(added=[one, other])) == hash(Delta(added=[other, one]))


def test_pickling_leaves_out_cached_values() -> None:
    graph, delta = Graph(), Delta(added=[Triple(A, P, B)])
    graph.apply(delta)
    again = pickle.loads(pickle.dumps(delta))  # noqa: S301 - our own bytes
    assert (again, again.resolution) == (delta, [])


def test_invalid_deltas_are_refused() -> None:
    triple = Triple(A, P, B)
    with pytest.raises(ValueError, match=r"cannot both remove and add <http://example.org/a>"):
        Delta([triple], [triple])
    with pytest.raises(ValueError, match=r"cannot follow each other: both change <http://example.org/a>"):
        Delta(added=[triple]).then(Delta(added=[triple]))


def test_lines_show_removed_and_added_triples() -> None:
    assert Delta([Triple(A, P, B)], [Triple(B, P, A)]).lines() == [
        "- <http://example.org/a> <http://example.org/p> <http://example.org/b> .",
        "+ <http://example.org/b> <http://example.org/p> <http://example.org/a> .",
    ]
