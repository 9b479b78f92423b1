"""A written graph is read back with the same triples, prefixes and language tags, or it is not written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.axiom_sets import axioms_of
from support.shared_data import graph_files, needs_shared_data, shared, thinned
from support.strategies import nasty_iris, nasty_literals, nasty_prefix_names, prefix_names, spelled_graphs

from kgprobe.errors import InputError
from kgprobe.formats.catalogue import FORMATS
from kgprobe.formats.files import Loaded, load, render
from kgprobe.rdf.canonical import fingerprint, isomorphic
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import OWL, RDF, Literal, NamedNode, Triple

WRITABLE = [name for name, format_ in FORMATS.items() if format_.writable]
WITH_PREFIXES = [name for name in WRITABLE if name not in ("ntriples", "nquads")]
REFUSALS = ("cannot express", "not an OWL axiom", "not OWL axioms")
HEADER = Triple(NamedNode("http://example.org/ontology"), RDF.type, OWL.Ontology)

# One folder serves all examples of a test.
random_graphs = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def written_and_read(graph: Graph, format_name: str, folder: Path) -> Loaded | None:
    """The graph after a round trip; None if the writer reports that the format cannot express it."""
    try:
        rendered = render(graph, FORMATS[format_name])
    except InputError as error:
        if any(reason in str(error) for reason in REFUSALS):
            return None
        raise
    path = folder / "graph"
    path.write_bytes(rendered.text)
    return load(path, format_name=format_name)


def gained_prefixes(format_name: str) -> set[str]:
    return {"rdf"} if format_name == "rdfxml" else set()


def lost_prefixes(graph: Graph, format_name: str) -> set[str]:
    """RDF/XML names elements after types, and a type that is a whole namespace leaves no name."""
    types = {triple.object for triple in graph.triples(None, RDF.type)} if format_name == "rdfxml" else set()
    return {name for name, iri in graph.spelling.prefixes.items() if NamedNode(iri) in types}


def used_tags(graph: Graph) -> Mapping[str, str]:
    used = {term.language for term in graph.terms() if isinstance(term, Literal)}
    return {tag: spelling for tag, spelling in graph.spelling.language_tags.items() if tag in used}


@pytest.mark.parametrize("format_name", WRITABLE)
@random_graphs
@given(graph=spelled_graphs(st.one_of(prefix_names, nasty_prefix_names)))
def test_random_graphs(graph: Graph, format_name: str, tmp_path: Path) -> None:
    read = written_and_read(graph, format_name, tmp_path)
    if read is not None and format_name != "functional":  # which adds a header, see below
        assert isomorphic(read.graph, graph)
        assert read.graph.spelling.language_tags == used_tags(graph)
        assert read.notes == ()


@pytest.mark.parametrize("format_name", [name for name in WITH_PREFIXES if name != "functional"])
@random_graphs
@given(graph=spelled_graphs(prefix_names))
def test_prefixes_survive(graph: Graph, format_name: str, tmp_path: Path) -> None:
    read = written_and_read(graph, format_name, tmp_path)
    if read is not None:
        found = dict(read.graph.spelling.prefixes)
        lost = lost_prefixes(graph, format_name)
        kept = {name: iri for name, iri in graph.spelling.prefixes.items() if name not in lost}
        assert {name: iri for name, iri in found.items() if name not in gained_prefixes(format_name)} == kept


@random_graphs
@given(
    values=st.lists(
        st.tuples(nasty_iris, nasty_iris, st.one_of(nasty_iris, nasty_literals)).filter(
            lambda v: "\0" not in v[2].value
        ),
        max_size=8,
    ),
    spelling=st.builds(
        Spelling,
        st.dictionaries(prefix_names, st.sampled_from(["http://example.org/", "urn:x:"]), max_size=3),
        st.sampled_from([{}, {"en": "EN"}, {"en-gb": "en-GB"}]),
    ),
)
def test_random_annotations_in_functional_syntax(
    values: list[tuple[NamedNode, NamedNode, NamedNode | Literal]], spelling: Spelling, tmp_path: Path
) -> None:
    triples = [HEADER]
    for subject, predicate, value in values:
        triples += [
            Triple(predicate, RDF.type, OWL.AnnotationProperty),
            Triple(subject, predicate, value),
        ]
    graph = Graph(triples, spelling=spelling)
    read = written_and_read(graph, "functional", tmp_path)
    assert read is not None
    assert isomorphic(read.graph, graph)
    assert read.graph.spelling.language_tags == used_tags(graph)
    assert read.graph.spelling.prefixes == spelling.prefixes


def test_functional_syntax_refuses_a_character_that_makes_a_text_binary() -> None:
    predicate = NamedNode("http://example.org/p")
    triples = [HEADER, Triple(predicate, RDF.type, OWL.AnnotationProperty), Triple(predicate, predicate, Literal("\0"))]
    with pytest.raises(InputError, match="functional syntax cannot express the character U\\+0000"):
        render(Graph(triples), FORMATS["functional"])


@pytest.mark.parametrize(
    ("triple", "reason"),
    [
        ('<urn:a> <urn:p/1> "x" .', "does not end in an XML name"),
        ('<urn:a> <urn:p/> "x" .', "does not end in an XML name"),
        ('<urn:a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#li> "x" .', "the syntax reserves it"),
        ('<urn:a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#about> "x" .', "the syntax reserves it"),
        ('<urn:a> <urn:p> "\\u0001" .', "U+0001"),
        ('<urn:a> <urn:p> "\\uFFFE" .', "U+FFFE"),
    ],
)
def test_rdfxml_refuses_graphs_that_it_cannot_express(triple: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "in.nt").write_text(triple)
    with pytest.raises(InputError, match=re.escape(reason)) as raised:
        render(load(tmp_path / "in.nt").graph, FORMATS["rdfxml"])
    assert str(raised.value).startswith("RDF/XML cannot express ")
    assert raised.value.hint == "write Turtle instead"


def test_a_graph_without_a_header_gains_one_in_functional_syntax(tmp_path: Path) -> None:
    declared = Triple(NamedNode("http://example.org/A"), RDF.type, OWL.Class)
    rendered = render(Graph([declared]), FORMATS["functional"])
    assert rendered.notes == ("declares an ontology, which functional syntax requires",)
    (tmp_path / "out.ofn").write_bytes(rendered.text)
    read = load(tmp_path / "out.ofn").graph
    assert len(read) == 2
    assert declared in read
    assert [triple.object for triple in read if triple != declared] == [OWL.Ontology]


def test_labels_that_xml_does_not_allow_are_replaced_and_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "in.nt").write_text('_:1 <urn:p> _:b0 .\n_:2.x <urn:p> _:1 .\n_:b0 <urn:p> "é" .\n')
    graph = load(tmp_path / "in.nt").graph
    read = written_and_read(graph, "rdfxml", tmp_path)
    assert read is not None
    assert isomorphic(read.graph, graph)


# -- the real graphs ------------------------------------------------------------------------------------------------

BROKEN = {
    "rdfmutate-configs/rules/addPipe.ttl": "13:38: blank node property lists should end with a ']'",
    "rdfmutate-configs/rules/dataProp.ttl": "7:14: The prefix owl: has not been declared",
    "rdfmutate-configs/rules/makeReflexive.ttl": "8:13: The prefix owl: has not been declared",
    "rdfmutate-configs/rules/negatedAssertion.ttl": "11:42: The prefix owl: has not been declared",
    "rdfmutate-configs/rules/removeRelation.ttl": "19:42: The prefix owl: has not been declared",
    "rdfmutate-configs/shapes/complexPath.ttl": "9:29: blank node property lists should end with a ']'",
}
# All formats would take minutes for these. Each format gets at least one of them.
LARGE = {
    "go/go-2022-07.obo.gz": ["turtle"],
    "go/go-2024.obo.gz": ["functional"],
    "hpo/hp-2021.obo.gz": ["rdfxml"],
    "hpo/hp-2025.obo.gz": ["jsonld"],
    "kg/wn18rr.tsv.gz": ["ntriples", "trig"],
    "kg/yago-sample.tsv.gz": ["nquads", "functional"],
}
FILES = [name for name in graph_files() if name not in BROKEN]
# Their triples are not all OWL 2 axioms: they include rules of other tools, the vocabulary of OWL 1, or shapes.
NOT_OWL = {
    "pipes/swrlTestNegatedClass.ttl",
    "pizza/pizza-new.owl",
    "pizza/pizza-old.owl",
    "rdfmutate-configs/allFeatures/addRelation.ttl",
    "rdfmutate-configs/minimal/addRelation.ttl",
    "rdfmutate-configs/rules/replaceNode.ttl",
    "reasoner-bugs/P2/ont_5.owl",
    "suave/suave_original_with_imports.owl",
    "suave/suave_original_with_imports.ttl",
}


@needs_shared_data
def test_every_real_graph_is_covered() -> None:
    assert len(graph_files()) == 326
    assert len(FILES) == 320
    assert sum(map(is_owl, FILES)) == 161
    assert {name for formats in LARGE.values() for name in formats} == set(WRITABLE)


@needs_shared_data
@pytest.mark.parametrize(("name", "told"), BROKEN.items())
def test_broken_real_graphs_are_refused_with_a_position(name: str, told: str) -> None:
    with pytest.raises(InputError) as raised:
        load(shared(name))
    assert str(raised.value) == f"{shared(name)}:{told}"


@needs_shared_data
@pytest.mark.parametrize("name", thinned(FILES))
def test_real_graphs(name: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    number = FILES.index(name)
    loaded = load(shared(name))
    before = fingerprint(loaded.graph)
    formats = WRITABLE
    if len(loaded.graph) > 1_000 and not pytestconfig.getoption("--thorough"):
        formats = [WRITABLE[(number + step) % len(WRITABLE)] for step in range(3)]  # each format has its turn
    for format_name in LARGE.get(name, formats):
        read = written_and_read(loaded.graph, format_name, tmp_path)
        if read is None:
            assert (format_name, is_owl(name)) == ("functional", False), f"{name} cannot be written as {format_name}"
            continue
        if format_name == "functional" and is_loosely_spelled(loaded.graph):
            assert axioms_of(read.graph) == axioms_of(loaded.graph), name
            continue
        assert fingerprint(without_new_header(read.graph, loaded.graph)) == before, f"{name} as {format_name}"
        assert read.graph.spelling.language_tags == loaded.graph.spelling.language_tags
        if format_name in WITH_PREFIXES:
            lost = schemes(loaded.graph) if format_name == "jsonld" else set()
            expected = {prefix: iri for prefix, iri in loaded.graph.spelling.prefixes.items() if prefix not in lost}
            found = {**read.graph.spelling.prefixes}
            for gained in gained_prefixes(format_name) - expected.keys():
                del found[gained]
            assert found == expected, f"{name} as {format_name}"


def schemes(graph: Graph) -> set[str]:
    """With one of these as a prefix, JSON-LD would misread IRIs: some files do contain <rdf:x>."""
    return {term.value.partition(":")[0] for term in graph.terms() if isinstance(term, NamedNode)}


def is_loosely_spelled(graph: Graph) -> bool:
    """Whether functional syntax writes the same axioms in another spelling, and reports it."""
    notes = render(graph, FORMATS["functional"]).notes
    return any("standard way" in note or "leaves out" in note for note in notes)


def is_owl(name: str) -> bool:
    return name not in NOT_OWL and not name.startswith("shacl-w3c/")


def without_new_header(graph: Graph, original: Graph) -> Graph:
    """Functional syntax gives an ontology's header to a graph that has none."""
    if any(original.triples(None, RDF.type, OWL.Ontology)):
        return graph
    kept = graph.copy()
    for header in list(graph.triples(None, RDF.type, OWL.Ontology)):
        kept.remove(header)
    return kept
