"""Two graphs as one with changes: nothing is lost, and what is the same up to labels has not changed."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from support.strategies import graphs, triple_lists

from kgprobe.graph.canonical import isomorphic
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import BlankNode, NamedNode, Triple, with_blanks
from kgprobe.masks.pins import as_changes

EX = "http://example.org/"


def renamed(triples: list[Triple]) -> list[Triple]:
    return [with_blanks(triple, lambda node: BlankNode(f"other{node.value}")) for triple in triples]


@given(graphs, graphs)
def test_the_original_with_its_changes_is_the_graph(graph: Graph, original: Graph) -> None:
    assert isomorphic(as_changes(graph, original), graph)


@given(triple_lists, st.randoms(use_true_random=False))
def test_another_file_with_the_same_graph_has_no_changes(triples: list[Triple], random: Random) -> None:
    shuffled = renamed(triples)
    random.shuffle(shuffled)
    assert not as_changes(Graph(shuffled), Graph(triples)).changed_keys


def test_a_change_below_a_blank_node_is_one_of_the_name_above_it() -> None:
    a, p, q = (NamedNode(EX + name) for name in "apq")
    before = Graph([Triple(a, p, BlankNode("x")), Triple(BlankNode("x"), p, a), Triple(a, p, q)])
    after = Graph([Triple(a, p, BlankNode("x")), Triple(BlankNode("x"), q, a), Triple(a, p, q)])
    changes = as_changes(after, before).changes()
    assert Triple(a, p, BlankNode("x")) in changes.removed
    assert Triple(a, p, BlankNode("new-x")) in changes.added
    assert len(changes) == 4
