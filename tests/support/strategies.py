"""Random terms, triples, graphs and changes, small enough to collide often."""

from __future__ import annotations

from hypothesis import strategies as st

from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import RDF, XSD, BlankNode, Literal, NamedNode, Triple

iris = st.sampled_from([NamedNode(f"http://example.org/{name}") for name in "abcde"])
blanks = st.sampled_from([BlankNode(label) for label in "xyz"])
predicates = st.sampled_from([NamedNode("http://example.org/p"), NamedNode("http://example.org/q"), RDF.type])
literals = st.one_of(
    st.sampled_from(["1", "01", "1.0"]).map(lambda text: Literal(text, datatype=XSD.decimal)),
    st.sampled_from(["1", "2"]).map(lambda text: Literal(text, datatype=XSD.integer)),
    st.sampled_from(["en", "de"]).map(lambda tag: Literal("x", language=tag)),
    st.text(max_size=3).map(Literal),
)
subjects = st.one_of(iris, blanks)
triples = st.builds(Triple, subjects, predicates, st.one_of(iris, blanks, literals))
triple_lists = st.lists(triples, max_size=25)
graphs = triple_lists.map(Graph)


@st.composite
def changed_graphs(draw: st.DrawFn) -> tuple[Graph, list[Triple]]:
    """A graph that was loaded and then changed, and the triples that it has."""
    loaded, flipped = draw(triple_lists), draw(triple_lists)
    graph, expected = Graph(loaded), dict.fromkeys(loaded)
    for triple in flipped:
        if triple in expected:
            del expected[triple]
            graph.remove(triple)
        else:
            expected[triple] = None
            graph.add(triple)
    return graph, list(expected)


@st.composite
def graphs_and_deltas(draw: st.DrawFn) -> tuple[Graph, Delta]:
    """A graph that may have been changed, and a delta that fits it."""
    graph, _ = draw(changed_graphs())
    wanted = draw(triple_lists)
    return graph, Delta([t for t in wanted if t in graph], [t for t in wanted if t not in graph])
