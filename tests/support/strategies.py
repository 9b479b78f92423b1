"""Random terms, triples, graphs and changes, small enough to collide often."""

from __future__ import annotations

from hypothesis import strategies as st

from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Triple

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
    """A graph that was loaded and then changed, and its triples."""
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


# Frequent sources of errors in readers and writers: characters that a syntax must escape or cannot express.
_nasty_texts = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "\n",
            "\r",
            "\r\n",
            "\t",
            "\\",
            '"',
            "'",
            '"""',
            "'''",
            '\\"',
            "\\u0041",
            "\x00",
            "\x01",
            "\x08",
            "\x0b",
            "\x0c",
            "\x7f",
            "\x85",
            "\u2028",
            "\ufeff",
            "\ufffe",
            "\U0010ffff",
            "😀",
            "é",
            "e\u0301",
            "<a>&amp;]]>",
            "<<",
            "@en",
            '"@en-gb',
            "^^",
            "{}[]().;,#",
            "-- -->",
            'xml:lang="EN"',
        ]
    ),
    st.text(st.characters(blacklist_categories=["Cs"]), max_size=6),
)
nasty_iris = st.sampled_from(
    [
        "http://example.org/a",
        "http://example.org/a#",
        "http://example.org/",
        "http://example.org",
        "http://example.org/é/ü#ß",
        "http://example.org/%20%C3%A9",
        "http://example.org/a.b",
        "http://example.org/a.",
        "http://example.org/-a",
        "http://example.org/1",
        "http://example.org/1a",
        "http://example.org/a?b=c&d=e'f(g)",
        "http://example.org/²",
        "http://example.org/a²",
        "http://example.org/a·b",
        "http://example.org/_x",
        "http://example.org/true",
        "http://other.example/a/",
        "urn:a",
        "urn:x:y:z",
        "ex:a",
        "mailto:a@b.c",
        "tag:a,2000:b",
    ]
).map(NamedNode)
nasty_predicates = st.one_of(nasty_iris, st.sampled_from([RDF.type, RDF.first, RDF.rest, RDF.value, RDF["_1"], RDF.li]))
nasty_literals = st.one_of(
    _nasty_texts.map(Literal),
    st.builds(lambda text, tag: Literal(text, language=tag), _nasty_texts, st.sampled_from(["en", "en-gb", "zh-hans"])),
    st.builds(lambda text, type_: Literal(text, datatype=type_), _nasty_texts, nasty_iris),
    st.builds(
        lambda text, type_: Literal(text, datatype=type_),
        st.sampled_from(["1", "01", "+1", "1.0", "1.", ".5", "1e0", "1E0", "INF", "true", "1", "TRUE", " 1 ", "x"]),
        st.sampled_from(
            [XSD.integer, XSD.decimal, XSD.double, XSD.boolean, XSD.int, RDF.XMLLiteral, RDF.JSON, RDF.HTML]
        ),
    ),
)
_nasty_blanks = st.sampled_from(
    [BlankNode(label) for label in ["a", "b0", "b1", "1", "a.b", "a-b", "_", "é", "0" * 32]]
)
_nasty_subjects = st.one_of(nasty_iris, _nasty_blanks)
nasty_triples = st.builds(
    Triple, _nasty_subjects, nasty_predicates, st.one_of(_nasty_subjects, nasty_literals, st.just(RDF.nil))
)
# Valid in every syntax that has prefixes.
prefix_names = st.sampled_from(["", "a", "B", "a-b", "c_d", "e1", "example"])
nasty_prefix_names = st.sampled_from(
    [
        "rdf",
        "owl",
        "xml",
        "xmlns",
        "XMLx",
        "http",
        "urn",
        "ex",
        "mailto",
        "_",
        "é",
        "a.b",
        "a.",
        "1",
        "-",
        "a b",
        "@id",
        "a:b",
    ]
)
namespaces = st.sampled_from(
    [
        "http://example.org/",
        "http://example.org/a#",
        "http://example.org/a",
        "http://example.org/é/",
        "http://other.example/a/",
        "urn:x:",
        "urn:",
    ]
)
language_tags = st.sampled_from([{}, {"en": "EN"}, {"en-gb": "en-GB", "zh-hans": "zh-Hans"}])


def spelled_graphs(names: st.SearchStrategy[str] = prefix_names) -> st.SearchStrategy[Graph]:
    """Graphs with nasty terms, whose prefixes have these names."""
    spellings = st.builds(Spelling, st.dictionaries(names, namespaces, max_size=4), language_tags)
    return st.builds(
        lambda triples, spelling: Graph(triples, spelling=spelling), st.lists(nasty_triples, max_size=12), spellings
    )
