"""Equality and differences up to the names of blank nodes."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad
from support.strategies import graphs

from kgprobe.rdf.canonical import fingerprint, isomorphic
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.rdfc import TooSymmetricError, canonical_lines
from kgprobe.rdf.terms import BlankNode, NamedNode, Triple

A, P, Q = (NamedNode(f"http://example.org/{name}") for name in "apq")


def relabelled(graph: Graph, labels: list[str]) -> Graph:
    """The same graph with other labels, and its triples in another order."""
    names = {BlankNode(old): BlankNode(new) for old, new in zip("xyz", labels, strict=True)}

    def rename(triple: Triple) -> Triple:
        s, p, o = triple.subject, triple.predicate, triple.object
        return Triple(names.get(s, s), p, names.get(o, o))  # type: ignore[arg-type]

    return Graph(reversed([rename(triple) for triple in graph]))


def same_by_the_standard(one: Graph, other: Graph) -> bool:
    datasets = [Dataset(Quad(*triple) for triple in graph) for graph in (one, other)]
    for dataset in datasets:
        dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return datasets[0] == datasets[1]


@given(graphs, st.permutations(["x", "y", "z"]))
def test_labels_do_not_matter(graph: Graph, labels: list[str]) -> None:
    assert isomorphic(graph, relabelled(graph, labels))


@given(graphs, graphs)
def test_isomorphism_agrees_with_the_standard(one: Graph, other: Graph) -> None:
    assert isomorphic(one, other) is same_by_the_standard(one, other)


# Few triples with blank nodes only: here, near misses and symmetric graphs are common.
tangles = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from([P, Q]), st.integers(0, 5)), min_size=1, max_size=8
).map(lambda edges: Graph(Triple(BlankNode(f"n{s}"), p, BlankNode(f"n{o}")) for s, p, o in edges))


@given(tangles, tangles)
@settings(max_examples=300, deadline=None)
def test_isomorphism_agrees_with_the_standard_on_tangled_blank_nodes(one: Graph, other: Graph) -> None:
    assert isomorphic(one, other) is same_by_the_standard(one, other)


def test_a_long_chain_of_similar_nodes_is_fast() -> None:
    nodes = [BlankNode(f"n{i}") for i in range(20_000)]
    chain = [Triple(one, P, other) for one, other in itertools.pairwise(nodes)]
    assert fingerprint(Graph(chain)) == fingerprint(Graph(reversed(chain)))


def test_many_identical_components_are_counted() -> None:
    def islands(count: int) -> Graph:
        return Graph(Triple(BlankNode(f"n{i}"), P, A) for i in range(count))

    assert isomorphic(islands(1000), islands(1000))
    assert not isomorphic(islands(1000), islands(999))


def test_graphs_that_take_too_long_to_compare_are_refused() -> None:
    nodes = [BlankNode(f"n{i}") for i in range(12)]
    clique = [Triple(one, P, other) for one in nodes for other in nodes if one != other]
    with pytest.raises(TooSymmetricError, match="12 blank nodes are too similar"):
        canonical_lines(clique, seconds=1)


def test_harder_symmetric_graphs_are_compared_in_a_separate_process() -> None:
    ring = [Triple(BlankNode(f"n{i}"), P, BlankNode(f"n{(i + 1) % 8}")) for i in range(8)]
    two_rings = [Triple(BlankNode(f"n{i}"), P, BlankNode(f"n{(i + 1) % 4 + i // 4 * 4}")) for i in range(8)]
    assert isomorphic(Graph(ring), Graph(reversed(ring)))
    assert not isomorphic(Graph(ring), Graph(two_rings))
