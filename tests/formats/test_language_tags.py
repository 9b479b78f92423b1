"""Language tags keep the case that a file uses, and no other text changes its case."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from kgprobe.formats.catalogue import FORMATS
from kgprobe.formats.files import load, render
from kgprobe.formats.format import LanguageTags
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import Literal, NamedNode, Triple

RDFXML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="urn:a">{}'
RDFXML += "</rdf:Description></rdf:RDF>"
OWLXML = '<Ontology xmlns="http://www.w3.org/2002/07/owl#"><Annotation><AnnotationProperty IRI="urn:p"/>{}</Annotation>'
OWLXML += "</Ontology>"
MANCHESTER = "Ontology: <urn:o>\nAnnotationProperty: <urn:p>\nClass: <urn:a>\n  Annotations: <urn:p> {}"
FUNCTIONAL = "Ontology(AnnotationAssertion(<urn:p> <urn:a> {}))"


@pytest.mark.parametrize(
    ("format_name", "text"),
    [
        ("turtle", '<urn:a> <urn:b> "x"@en-GB .'),
        ("turtle", "<urn:a> <urn:b> 'x'@en-GB ."),
        ("turtle", '<urn:a> <urn:b> """x\n"\n"""@en-GB .'),
        ("turtle", "<urn:a> <urn:b> '''x\n'\n'''@en-GB . # it's"),
        ("turtle", "# it's a comment\n" + r"@prefix e: <urn:> . e:a\'\# e:b 'x'@en-GB ."),
        ("ntriples", '<urn:a> <urn:b> "x"@en-GB .'),
        ("nquads", '<urn:a> <urn:b> "x"@en-GB .'),
        ("trig", '{ <urn:a> <urn:b> "x"@en-GB }'),
        ("rdfxml", RDFXML.format('<rdf:value xml:lang="en-GB">x</rdf:value>')),
        ("rdfxml", RDFXML.format("<rdf:value xml:lang = 'en-GB' >x</rdf:value>")),
        ("jsonld", '{"@id": "urn:a", "urn:b": {"@value": "x", "@language": "en-GB"}}'),
        ("jsonld", '{"@context": {"@language": "en-GB"}, "@id": "urn:a", "urn:b": "x"}'),
        (
            "jsonld",
            '{"@context": {"b": {"@id": "urn:b", "@container": "@language"}}, "@id": "urn:a", "b": {"en-GB": "x"}}',
        ),
        ("functional", FUNCTIONAL.format('"x"@en-GB')),
        ("manchester", MANCHESTER.format('"x"@en-GB')),
        ("manchester", MANCHESTER.format('"x" @en-GB')),
        ("owlxml", OWLXML.format('<Literal xml:lang="en-GB">x</Literal>')),
        ("tsv", 'a\tb\t"x"@en-GB\n'),
    ],
)
def test_each_format_records_the_spelling_of_a_tag(format_name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "graph").write_text(text)
    loaded = load(tmp_path / "graph", format_name=format_name)
    assert loaded.graph.spelling.language_tags == {"en-gb": "en-GB"}
    (tmp_path / "packed").write_bytes(gzip.compress(text.encode()))
    assert load(tmp_path / "packed", format_name=format_name).graph.spelling.language_tags == {"en-gb": "en-GB"}


@pytest.mark.parametrize(
    ("format_name", "text"),
    [
        ("ntriples", '<urn:a> <urn:b> "x"@en .\n<urn:a> <urn:b> "@EN" .\n<urn:a> <urn:b> "\\"@EN" .\n'),
        ("turtle", "<urn:a> <urn:b> \"x\"@en . # 'x'@EN"),
        ("turtle", "<urn:a> <urn:b> \"x\"@en , '''\"@EN''' ."),
        ("turtle", '<urn:a> <urn:b> "x"@en , "\'@EN" .'),
        ("rdfxml", RDFXML.format('<rdf:value xml:lang="en">xml:lang="EN"</rdf:value>')),
        ("jsonld", '{"@id": "urn:a", "urn:b": [{"@value": "x", "@language": "en"}, "EN"]}'),
        ("functional", FUNCTIONAL.format('"\'@EN \\"@EN"@en')),
    ],
)
def test_text_that_looks_like_a_tag_is_ignored(format_name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "graph").write_text(text)
    assert load(tmp_path / "graph", format_name=format_name).graph.spelling.language_tags == {}


def _tags_of_turtle() -> LanguageTags:
    tags = FORMATS["turtle"].tags
    assert tags is not None
    return tags


def test_the_most_frequent_of_several_spellings_is_kept() -> None:
    text = b'"a"@EN "b"@en-gb "c"@en-GB "d"@En "e"@En "f"@en-GB'
    terms = [Literal("a", language="en"), Literal("b", language="en-gb")]
    assert _tags_of_turtle().noted(io.BytesIO(text), terms) == {"en": "En", "en-gb": "en-GB"}


def test_a_tag_is_found_wherever_chunks_of_a_large_text_end() -> None:
    tagged = b'<urn:a> <urn:b> "x"@zh-Hans-TW .\n'
    for shift in range(0, len(tagged), 3):
        text = b"#" * ((1 << 20) - shift - 1) + b"\n" + tagged
        literal = Literal("x", language="zh-hans-tw")
        assert _tags_of_turtle().noted(io.BytesIO(text), [literal]) == {"zh-hans-tw": "zh-Hans-TW"}


@pytest.mark.parametrize("format_name", [name for name, format_ in FORMATS.items() if format_.writable])
def test_only_tags_are_respelled(format_name: str, tmp_path: Path) -> None:
    texts = ["@en", '"@en', '"@en "@en', 'xml:lang="en"', '"@language":"en"', "en", "\\", '\\"@en', '<a xml:lang="en']
    owl = "http://www.w3.org/2002/07/owl#"
    rdf_type = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    predicate = NamedNode("http://example.org/p")
    triples = [
        Triple(NamedNode("urn:o"), rdf_type, NamedNode(owl + "Ontology")),
        Triple(predicate, rdf_type, NamedNode(owl + "AnnotationProperty")),
        *(Triple(NamedNode("urn:a"), predicate, Literal(text)) for text in texts),
        *(Triple(NamedNode("urn:a"), predicate, Literal(text, language="en")) for text in texts),
    ]
    graph = Graph(triples, spelling=Spelling({}, {"en": "EN"}))
    (tmp_path / "graph").write_bytes(render(graph, FORMATS[format_name]).text)
    read = load(tmp_path / "graph", format_name=format_name).graph
    assert read == graph
    assert read.spelling.language_tags == {"en": "EN"}


def test_without_spellings_the_text_stays_the_same_object() -> None:
    text = b'"x"@en'
    assert _tags_of_turtle().restored(text, {}) is text
