"""The set of triples: its contents, order and lookups, and the algebra of its changes."""

from __future__ import annotations

import pickle
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import changed_graphs, graphs, graphs_and_deltas, triple_lists, triples

from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import XSD, BlankNode, Literal, NamedNode, Triple

A, B, P = (NamedNode(f"http://example.org/{name}") for name in "abp")
Changed = tuple[Graph, list[Triple]]


def test_lexical_forms_are_distinguished() -> None:
    texts = ["1", "01", "1.0", "1.00"]
    graph = Graph(Triple(A, P, Literal(text, datatype=XSD.decimal)) for text in texts)
    assert [triple.object.value for triple in graph] == texts  # type: ignore[union-attr]


def test_duplicate_triples_count_once() -> None:
    assert len(Graph([Triple(A, P, B), Triple(A, P, B)])) == 1


def test_random_labels_of_a_parser_become_stable_ones_that_do_not_collide() -> None:
    made_up = [BlankNode(), BlankNode()]
    graph = Graph([Triple(made_up[0], P, made_up[1]), Triple(made_up[1], P, BlankNode("b0"))])
    assert [str(triple) for triple in graph] == [
        "_:b1 <http://example.org/p> _:b2",
        "_:b2 <http://example.org/p> _:b0",
    ]


@given(changed_graphs())
def test_a_graph_is_the_set_of_its_triples(changed: Changed) -> None:
    graph, expected = changed
    assert sorted(map(str, graph)) == sorted(map(str, expected))
    assert len(graph) == len(expected)
    assert all(triple in graph for triple in expected)


@given(changed_graphs(), triples)
def test_membership(changed: Changed, triple: Triple) -> None:
    graph, expected = changed
    assert (triple in graph) is (triple in expected)


@given(changed_graphs(), triples, st.lists(st.booleans(), min_size=3, max_size=3))
def test_every_shape_of_lookup(changed: Changed, wanted: Triple, known: list[bool]) -> None:
    graph, expected = changed
    parts = [part if is_known else None for part, is_known in zip(wanted, known, strict=True)]
    matching = [t for t in expected if all(p is None or p == q for p, q in zip(parts, t, strict=True))]
    keys = [None if part is None else graph.key(part) for part in parts]
    assert Counter(map(str, graph.triples(*parts))) == Counter(map(str, matching))
    assert graph.count(*keys) == len(matching)
    sampled = graph.sample(Random(0), *keys)
    assert (sampled is None) is (not matching)
    assert sampled is None or graph.triple(sampled) in matching


@given(changed_graphs(), triples, st.booleans())
def test_lookups_by_two_parts(changed: Changed, wanted: Triple, settled: bool) -> None:
    graph, expected = changed
    s, p, o = graph.keys(wanted)
    if settled:
        list(graph.objects(s, p))  # builds the index, which settle() then drops
        graph.settle()
    found = (graph.objects(s, p), graph.subjects(p, o), graph.predicates(s, o))
    terms = [sorted(str(graph.term(key)) for key in part) for part in found]
    assert terms == [
        sorted(str(t.object) for t in expected if (t.subject, t.predicate) == (wanted.subject, wanted.predicate)),
        sorted(str(t.subject) for t in expected if (t.predicate, t.object) == (wanted.predicate, wanted.object)),
        sorted(str(t.predicate) for t in expected if (t.subject, t.object) == (wanted.subject, wanted.object)),
    ]


@given(changed_graphs(), triples)
def test_triples_with_a_node_as_subject_and_as_object(changed: Changed, wanted: Triple) -> None:
    graph, _ = changed
    s, _, o = graph.keys(wanted)
    for node in (s, o):
        assert graph.about(node) == list(graph.rows(node))
        assert graph.to(node) == list(graph.rows(None, None, node))


@given(triple_lists)
def test_order_is_the_same_in_every_process(loaded: list[Triple]) -> None:
    graph = Graph(loaded)
    assert list(map(str, graph)) == list(map(str, pickle.loads(pickle.dumps(graph))))  # noqa: S301 - our own bytes


@given(changed_graphs())
def test_pickling_keeps_triples_changes_and_spelling(changed: Changed) -> None:
    graph, _ = changed
    graph.spelling = Spelling(prefixes={"": "http://example.org/"})
    again = pickle.loads(pickle.dumps(graph))  # noqa: S301
    assert again == graph
    assert (again.changes(), again.spelling) == (graph.changes(), graph.spelling)


@given(graphs_and_deltas())
def test_apply_then_revert_is_the_identity(pair: tuple[Graph, Delta]) -> None:
    graph, delta = pair
    before, order, changes = graph.copy(), [str(t) for t in graph], graph.changes()
    graph.apply(delta)
    assert all(t in graph for t in delta.added)
    assert not any(t in graph for t in delta.removed)
    assert len(graph) == len(before) + len(delta.added) - len(delta.removed)
    graph.revert(delta)
    assert graph == before
    assert graph.changes() == changes
    assert sorted(map(str, graph)) == sorted(order)


@given(changed_graphs(), st.lists(triple_lists, max_size=4))
def test_changes_by_keys_are_seen_at_once(changed: Changed, turns: list[list[Triple]]) -> None:
    graph, expected = changed
    wanted = dict.fromkeys(expected)
    for turn in turns:
        flipped = dict.fromkeys(turn)
        removed, added = [t for t in flipped if t in wanted], [t for t in flipped if t not in wanted]
        graph.change(map(graph.keys, removed), map(graph.keys, added))
        wanted = dict.fromkeys([*(t for t in wanted if t not in flipped), *added])
        for t in flipped:
            s, p, o = graph.keys(t)
            assert (o in graph.objects(s, p), s in graph.subjects(p, o)) == (t in wanted, t in wanted)
        assert {*graph} == wanted.keys()
        assert not graph.lacking(map(graph.keys, wanted))


@given(graphs, triple_lists)
def test_a_revert_restores_the_loaded_graph(graph: Graph, wanted: list[Triple]) -> None:
    order = [str(t) for t in graph]
    delta = Delta([t for t in wanted if t in graph], [t for t in wanted if t not in graph])
    graph.apply(delta)
    graph.revert(delta)
    assert [str(t) for t in graph] == order


@given(graphs_and_deltas())
def test_a_delta_can_be_used_on_several_graphs(pair: tuple[Graph, Delta]) -> None:
    graph, delta = pair
    other = Graph(graph)
    graph.apply(delta)
    other.apply(delta)
    assert graph == other


def test_a_delta_that_does_not_apply_changes_nothing() -> None:
    graph = Graph([Triple(A, P, B)])
    wrong = Delta(removed=[Triple(A, P, B)], added=[Triple(B, P, B)])
    graph.add(Triple(B, P, B))
    with pytest.raises(ValueError, match=r"does not fit the graph, which has <http://example.org/b>"):
        graph.apply(wrong)
    with pytest.raises(ValueError, match=r"does not fit the graph, which has <http://example.org/a>"):
        graph.revert(wrong)
    assert len(graph) == 2
    assert graph.fitted(wrong) == Delta(removed=[Triple(A, P, B)])


def test_copies_are_independent() -> None:
    graph = Graph([Triple(A, P, B)])
    copy = graph.copy()
    copy.remove(Triple(A, P, B))
    assert (len(graph), len(copy)) == (1, 0)


def test_samples_are_uniform_over_loaded_and_changed_triples() -> None:
    graph = Graph(Triple(A, P, Literal(str(n))) for n in range(8))
    for n in range(3):
        graph.remove(Triple(A, P, Literal(str(n))))
    for n in range(8, 13):
        graph.add(Triple(A, P, Literal(str(n))))
    random, draws = Random(1), 20_000
    counts = Counter(graph.sample(random, None, graph.key(P), None) for _ in range(draws))
    assert len(counts) == 10
    expected = draws / 10
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < 27.9  # nine degrees of freedom, 99.9% point


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


def test_a_delta_is_the_same_after_pickling_and_use() -> None:
    graph, delta = Graph(), Delta(added=[Triple(A, P, B)])
    unused = pickle.dumps(delta)
    graph.apply(delta)
    assert pickle.dumps(delta) == unused
    assert pickle.loads(unused) == delta  # noqa: S301 - our own bytes


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


def test_terms_of_another_library_are_refused() -> None:
    """The same IRI as a term of rdflib would match nothing, and a test on it would always pass."""
    rdflib = pytest.importorskip("rdflib")
    graph = Graph([Triple(NamedNode("urn:a"), NamedNode("urn:p"), Literal("x"))])
    for term in (rdflib.URIRef("urn:a"), "urn:a", rdflib.BNode()):
        with pytest.raises(TypeError, match=f"of pyoxigraph, not (rdflib|builtins)'s {type(term).__name__}"):
            list(graph.triples(term))  # type: ignore[arg-type]  # that is the mistake
        with pytest.raises(TypeError, match="of pyoxigraph"):
            graph.mentions(term)  # type: ignore[arg-type]
    assert not list(graph.triples(NamedNode("urn:b")))
