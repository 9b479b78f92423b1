"""The content determines the format. The name of a file decides only if the content is ambiguous."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from kgprobe.errors import InputError
from kgprobe.formats.catalogue import detect
from kgprobe.formats.source import Source

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
OWL = 'xmlns="http://www.w3.org/2002/07/owl#"'
TRIPLE = "<urn:a> <urn:b> <urn:c> .\n"
QUAD = "<urn:a> <urn:b> <urn:c> <urn:g> .\n"
LONG_DOCTYPE = "".join(f'<!ENTITY e{n} "http://example.org/{n}#">\n' for n in range(3000))

CONTENTS = [
    ("turtle", "@prefix ex: <http://example.org/> .\nex:a a ex:B ."),
    ("turtle", "PREFIX ex: <http://example.org/>\nex:a a ex:B ."),
    ("turtle", "# a comment\n\n# and another\n@prefix ex: <http://example.org/> ."),
    ("turtle", "@base <http://example.org/> . <a> <b> <c> ."),
    ("turtle", "[] a <http://example.org/B> ."),
    ("turtle", "[ a <http://example.org/B> ] ."),
    ("turtle", "( 1 2 ) <http://example.org/p> 3 ."),
    ("turtle", "<urn:a> <urn:b> 1 ."),
    ("turtle", "<urn:a> a <urn:b> ; <urn:c> <urn:d> ."),
    ("turtle", "<?x> <urn:b> <!y> ."),
    ("turtle", TRIPLE + "@prefix ex: <http://example.org/> .\nex:a a ex:B ."),
    ("turtle", '<urn:a> <urn:b> "{ not a graph }" , """{\n"{"\n{""" . # {'),
    ("turtle", r"@prefix ex: <http://example.org/> . ex:a\'b ex:c ex:d . # '{"),
    ("turtle", ""),
    ("turtle", " \n\n"),
    ("turtle", "# nothing but a comment"),
    ("trig", "@prefix ex: <http://example.org/> .\nex:g { ex:a a ex:B . }"),
    ("trig", "<urn:g> { <urn:a> <urn:b> 1 }"),
    ("trig", "GRAPH <urn:g> { <urn:a> <urn:b> 1 }"),
    ("trig", "{ <urn:a> <urn:b> 1 }"),
    ("trig", r"@prefix ex: <http://example.org/> . ex:a\'\# { ex:b ex:c ex:d } # '"),
    ("ntriples", TRIPLE),
    ("ntriples", "# comment\n" + TRIPLE + "\n" + TRIPLE),
    ("ntriples", '_:a <urn:b> "x\\"y"@en-GB . # comment\n<urn:a><urn:b>"1"^^<urn:int>.\n'),
    ("ntriples", "<urn:a>\t<urn:b>\t<urn:c> .\n"),
    ("ntriples", "_:a <urn:b> _:c.\n"),
    ("ntriples", TRIPLE * 5000 + "<urn:a> <urn:b> <urn:c> ."),
    ("nquads", QUAD),
    ("nquads", TRIPLE + QUAD),
    ("nquads", '<urn:a> <urn:b> "x" _:g .\n'),
    ("tsv", "a\tb\tc\n"),
    ("tsv", "a\tb\tc\nd\te\tf\n"),
    ("tsv", "<Albert_Einstein>\t<wasBornIn>\t<Ulm>\n<Ulm>\t<isLocatedIn>\t<Germany>\n"),
    ("tsv", "head\trelation\ttail\n"),
    ("rdfxml", f"<rdf:RDF {RDF}/>"),
    ("rdfxml", f'<?xml version="1.0"?>\n<!-- comment -->\n<rdf:RDF {RDF}/>'),
    ("rdfxml", f'<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [\n{LONG_DOCTYPE}]>\n<rdf:RDF {RDF}/>'),
    ("rdfxml", f'<ex:Thing {RDF} xmlns:ex="http://example.org/"/>'),
    ("rdfxml", "<rdf:RDF xmlns:rdf='http://www.w3.org/19"),
    ("owlxml", f"<Ontology {OWL}/>"),
    ("owlxml", f'<?xml version="1.0"?>\n<Ontology {OWL} ontologyIRI="urn:o"/>'),
    ("owlxml", '<owl:Ontology xmlns:owl="http://www.w3.org/2002/07/owl#"/>'),
    ("owlxml", f'<?xml version="1.0"?>\n<!DOCTYPE Ontology [\n{LONG_DOCTYPE}]>\n<Ontology {OWL}/>'),
    ("jsonld", '{"@id": "urn:a"}'),
    ("jsonld", "{}"),
    ("jsonld", "[]"),
    ("jsonld", '[{"@id": "urn:a"}]'),
    ("jsonld", '\n[\n  {\n "@id": "urn:a"}]'),
    ("functional", "Prefix(:=<http://example.org/>)\nOntology()"),
    ("functional", "Ontology (<http://example.org/o>)"),
    ("functional", "# comment\nPrefix ( :=<http://example.org/>)\nOntology()"),
    ("manchester", "Prefix: : <http://example.org/>\nOntology: <urn:o>"),
    ("manchester", "# comment\nOntology: <urn:o>\nClass: <urn:a>"),
    ("manchester", "Class: <urn:a>\n"),
    ("obo", "format-version: 1.2\n\n[Term]\nid: A:1\n"),
    ("obo", "! comment\nformat-version: 1.4\n"),
    ("obo", "[Term]\nid: A:1\n"),
    ("obo", "ontology: go\n"),
    ("obo", "auto-generated-by: OBO-Edit 2.0\nformat-version: 1.2\n"),
]
EXTENSIONS = ["", ".txt", ".owl", ".rdf", ".ttl", ".obo", ".jsonld", ".ofn", ".csv"]
# The name decides only for a text that is valid in both syntaxes or in neither.
BELIEVED = [
    ("turtle", TRIPLE, "a.ttl"),
    ("trig", TRIPLE, "a.trig"),
    ("nquads", TRIPLE, "a.nq"),
    ("trig", "@prefix ex: <http://example.org/> . ex:a a ex:B .", "a.trig"),
    ("turtle", "<a>\t<b>\t<c> .\n", "a.ttl"),
    ("tsv", "<a>\t<b>\t<c> .\n", "a.tsv"),
    ("turtle", "<a>\t<b>\t<c> ;\n\t<d>\t<e> .\n", "a.ttl"),
    ("ntriples", "<urn:a> <urn:b> oops .\n", "a.nt"),
    ("ntriples", TRIPLE, "a.nt.gz"),
    ("turtle", "nonsense", "a.ttl"),
    ("obo", "nonsense", "a.obo"),
    ("rdfxml", "", "a.rdf"),
    ("functional", "# only a comment", "a.ofn"),
    ("owlxml", "<!-- cut off", "a.owx"),
    ("rdfxml", "<!-- cut off", "a.owl"),
]


def found(text: str, path: Path) -> str:
    path.write_text(text, encoding="utf-8")
    return detect(Source(path)).name


def either(expected: str, text: str) -> set[str]:
    """The possible formats: N-Triples is also Turtle, and for white space the name decides."""
    if not text.strip() or text.startswith("# nothing"):
        return {"turtle", "rdfxml", "obo", "jsonld", "functional"}
    return {expected, "turtle"} if expected == "ntriples" else {expected}


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize(("expected", "text"), CONTENTS)
def test_content_decides(expected: str, text: str, extension: str, tmp_path: Path) -> None:
    assert found(text, tmp_path / f"graph{extension}") in either(expected, text)


@pytest.mark.parametrize(("expected", "text"), CONTENTS)
def test_without_an_extension(expected: str, text: str, tmp_path: Path) -> None:
    assert found(text, tmp_path / "graph") == expected


@pytest.mark.parametrize(("expected", "text", "name"), BELIEVED)
def test_name_decides_if_content_is_ambiguous(expected: str, text: str, name: str, tmp_path: Path) -> None:
    assert found(text, tmp_path / name) == expected


@pytest.mark.parametrize("text", ["nonsense", "5", '"text"', "a,b,c\n1,2,3\n", "\\documentclass{article}"])
def test_files_that_are_not_graphs_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a graph in any format that kgprobe reads"):
        found(text, tmp_path / "graph")


@pytest.mark.parametrize(
    "text", ["<!DOCTYPE html>\n<html><body/></html>", "<html lang='en'>", "<!-- x -->\n<HTML>", "<!doctype HTML>"]
)
def test_a_web_page_is_reported_as_such(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a web page, not a graph"):
        found(text, tmp_path / "ontology.owl")


@pytest.mark.parametrize(
    "unit",
    [
        "_:",
        "_:a.",
        "<urn:a> <urn:b> _:a.",
        '"',
        "'",
        '"""',
        "{",
        "<",
        "<a ",
        "<!--",
        "#",
        " \n",
        "!\n",
        '"\\',
        "\t",
        "(",
    ],
)
def test_detection_is_fast_for_every_beginning(unit: str, tmp_path: Path) -> None:
    (tmp_path / "graph.ttl").write_text(unit * (60_000 // len(unit)) + "x")
    source = Source(tmp_path / "graph.ttl")
    start = process_time()
    detect(source)
    assert process_time() - start < 1
