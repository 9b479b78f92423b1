"""RDF lists, and names for new nodes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import graphs, iris, literals

from kgprobe.rdf.graph import BrokenListError, FreshNames, Graph, read_list, write_list
from kgprobe.rdf.terms import RDF, BlankNode, Literal, NamedNode, Term, Triple

A, P = NamedNode("http://example.org/a"), NamedNode("http://example.org/p")
X, Y = BlankNode("x"), BlankNode("y")


@given(graphs, st.lists(st.one_of(iris, literals)))
def test_lists_round_trip(graph: Graph, members: list[Term]) -> None:
    head, triples = write_list(members, FreshNames(graph, seed=1).blank)
    for triple in triples:
        assert graph.add(triple)
    found = read_list(graph, head)
    assert found.members == tuple(members)
    assert set(found.triples) == set(triples)


@pytest.mark.parametrize(
    ("triples", "complaint"),
    [
        ([Triple(X, RDF.first, A)], r"has 0 values for .*rest"),
        ([Triple(X, RDF.rest, RDF.nil)], r"has 0 values for .*first"),
        ([Triple(X, RDF.first, A), Triple(X, RDF.first, P), Triple(X, RDF.rest, RDF.nil)], r"has 2 values"),
        ([Triple(X, RDF.first, A), Triple(X, RDF.rest, X)], r"is cyclic"),
        ([Triple(X, RDF.first, A), Triple(X, RDF.rest, Literal("y"))], r'has 0 values for .* at "y"'),
    ],
)
def test_a_broken_list_is_refused(triples: list[Triple], complaint: str) -> None:
    with pytest.raises(BrokenListError, match=complaint):
        read_list(Graph(triples), X)


def test_a_very_long_list_is_read() -> None:
    members = [Literal(str(n)) for n in range(50_000)]
    graph = Graph()
    head, triples = write_list(members, FreshNames(graph, seed=1).blank)
    assert len(read_list(Graph(triples), head).members) == 50_000


def test_names_depend_on_the_seed_alone() -> None:
    def names(seed: int) -> list[Term]:
        fresh = FreshNames(Graph(), seed)
        return [fresh.iri(), fresh.blank(), fresh.iri("http://example.org/")]

    assert names(1) == names(1)
    assert not set(names(1)) & set(names(2))
    assert str(names(1)[0]) == "<urn:kgprobe:new:n6b86b273-0>"


def test_names_do_not_collide_with_a_graph() -> None:
    iri, blank = FreshNames(Graph(), 7).iri(), FreshNames(Graph(), 7).blank()
    graph = Graph([Triple(iri, P, blank)])
    fresh = FreshNames(graph, 7)
    made = [fresh.iri(), fresh.blank(), fresh.iri(), fresh.blank()]
    assert not set(made) & {iri, blank}
    assert len(set(made)) == 4
