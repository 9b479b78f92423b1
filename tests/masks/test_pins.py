"""Pinned triples and namespaces: removals are noticed, and no other changes."""

from __future__ import annotations

import pickle
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shared_data import needs_shared_data, shared
from support.strategies import graphs_and_deltas, triple_lists

from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.masks import pins
from kgprobe.masks.pins import PinnedNamespace, PinnedTriples
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import BlankNode, NamedNode, Triple

EX = "http://example.org/"
P = NamedNode(EX + "p")
Q = NamedNode(EX + "q")


def node(name: str) -> NamedNode:
    return NamedNode(EX + name)


@given(graphs_and_deltas(), st.randoms(use_true_random=False))
def test_ground_pins_hold_exactly_if_all_their_triples_exist(example: tuple[Graph, Delta], random: Random) -> None:
    graph, delta = example
    ground = [t for t in graph if not isinstance(t.subject, BlankNode) and not isinstance(t.object, BlankNode)]
    pinned = [t for t in ground if random.random() < 0.5]
    check = PinnedTriples(Graph(pinned), "pins")
    assert check.admits(graph)
    graph.apply(delta)
    lost = [t for t in pinned if t not in graph]
    assert check.admits(graph) is (not lost)
    assert {r.node for r in check.rejections(graph)} == {t.subject for t in lost}
    assert len(check.rejections(graph)) == len(lost)


@given(triple_lists)
def test_a_subgraph_is_found_under_other_labels(triples: list[Triple]) -> None:
    renamed = {BlankNode(old): BlankNode("other" + old) for old in "xyz"}
    copies = [
        Triple(renamed.get(t.subject, t.subject), t.predicate, renamed.get(t.object, t.object))  # type: ignore[arg-type]
        for t in triples
    ]
    assert PinnedTriples(Graph(copies), "pins").admits(Graph(triples))
    assert PinnedTriples(Graph(copies[: len(copies) // 2]), "pins").admits(Graph(triples))


def test_a_removed_pinned_triple_is_reported_with_prefixes() -> None:
    graph = Graph([Triple(node("a"), P, node("b")), Triple(node("c"), P, node("b"))], spelling=Spelling({"ex": EX}))
    check = PinnedTriples(Graph([Triple(node("a"), P, node("b"))]), "pins.ttl")
    graph.remove(Triple(node("c"), P, node("b")))
    assert check.admits(graph)
    graph.remove(Triple(node("a"), P, node("b")))
    assert not check.admits(graph)
    (rejection,) = check.rejections(graph)
    assert (rejection.check, rejection.node) == ("pins.ttl", node("a"))
    assert rejection.words == "ex:a ex:p ex:b is pinned, but was removed"


def test_a_missing_pinned_triple_is_reported_until_it_is_added() -> None:
    graph = Graph([Triple(node("a"), P, node("b"))], spelling=Spelling({"ex": EX}))
    check = PinnedTriples(Graph([Triple(node("a"), Q, node("b"))]), "pins")
    assert [r.words for r in check.rejections(graph)] == ["ex:a ex:q ex:b is pinned, but does not exist"]
    graph.add(Triple(node("a"), Q, node("b")))
    assert check.admits(graph)


def test_blank_nodes_are_pinned_by_their_triples() -> None:
    x, y, z = map(BlankNode, "xyz")
    whole = [Triple(node("a"), P, x), Triple(x, P, y), Triple(y, Q, node("b")), Triple(node("a"), P, z)]
    graph = Graph(whole, spelling=Spelling({"ex": EX}))
    check = PinnedTriples(Graph([Triple(BlankNode("m"), P, BlankNode("n")), Triple(BlankNode("n"), Q, node("b"))]), "f")
    graph.remove(whole[3])
    assert check.admits(graph)
    graph.remove(whole[1])
    assert [r.words for r in check.rejections(graph)] == ["_:x ex:p _:y is pinned, but was removed"]


def test_two_identical_pinned_nodes_need_two_nodes() -> None:
    two = Graph([Triple(node("a"), P, BlankNode("m")), Triple(node("a"), P, BlankNode("n"))])
    check = PinnedTriples(two, "pins")
    assert check.admits(Graph([Triple(node("a"), P, BlankNode("1x")), Triple(node("a"), P, BlankNode("2x"))]))
    one = Graph([Triple(node("a"), P, BlankNode("x"))], spelling=Spelling({"ex": EX}))
    assert [r.words for r in check.rejections(one)] == ["ex:a ex:p _:n is pinned, but nothing like it exists"]
    one.add(Triple(node("a"), Q, BlankNode("y")))
    assert not check.admits(one)
    one.add(Triple(node("a"), P, BlankNode("z")))
    assert check.admits(one)


def test_a_search_that_takes_too_long_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "_MOST_STEPS", 20)
    ring = [Triple(BlankNode(f"n{i}"), P, BlankNode(f"n{(i + 1) % 6}")) for i in range(6)]
    all_pairs = [Triple(BlankNode(f"m{i}"), P, BlankNode(f"m{j}")) for i in range(5) for j in range(5)]
    with pytest.raises(InputError, match="too many indistinguishable blank nodes"):
        PinnedTriples(Graph(ring), "pins").admits(Graph(all_pairs))


def test_nothing_may_change_in_a_pinned_namespace() -> None:
    graph = Graph([Triple(node("a"), P, node("b")), Triple(NamedNode("urn:c"), P, node("b"))])
    check = PinnedNamespace(EX)
    assert check.admits(graph)
    graph.remove(Triple(NamedNode("urn:c"), P, node("b")))
    assert check.admits(graph)
    graph.add(Triple(node("a"), Q, node("b")))
    assert not check.admits(graph)
    (rejection,) = check.rejections(graph)
    assert rejection.node == node("a")
    assert "was added, and nothing about subjects in <http://example.org/> may change" in rejection.words
    graph.remove(Triple(node("a"), Q, node("b")))
    assert check.rejections(graph) == []


def test_pins_can_be_pickled() -> None:
    pins = PinnedTriples(Graph([Triple(node("a"), P, node("b"))]), "pins")
    assert not pickle.loads(pickle.dumps(pins)).admits(Graph())  # noqa: S301 - our own bytes


@needs_shared_data
def test_the_immutable_part_of_a_real_graph_is_found() -> None:
    graph = load(shared("suave/suave_original_with_imports.ttl")).graph
    pinned = load(shared("suave/suave_unmutatable.owl")).graph
    check = PinnedTriples(pinned, "suave_unmutatable.owl")
    assert check.admits(graph)
    lost = 0
    for triple in list(graph):
        graph.remove(triple)
        lost += not check.admits(graph)
        graph.add(triple)
    assert lost == len(pinned) == 103
