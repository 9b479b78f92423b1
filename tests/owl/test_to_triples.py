"""The mapping to RDF: one example for each construct, and properties that hold for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph
import pytest
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, RdfFormat

from kgprobe.formats.functional import parse
from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.owl.grammar import HEADS
from kgprobe.owl.to_triples import triples
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Subject, Term

EX = "http://example.org/"
A, B = NamedNode(EX + "A"), NamedNode(EX + "B")
PREFIXES = "".join(
    f"@prefix {name}: <{iri}> .\n"
    for name, iri in {
        "": EX,
        "owl": OWL.iri,
        "rdf": RDF.iri,
        "rdfs": RDFS.iri,
        "xsd": "http://www.w3.org/2001/XMLSchema#",
    }.items()
)


def examples() -> dict[str, tuple[str, str]]:
    """Name, functional syntax and Turtle of each example."""
    text = (Path(__file__).parent / "mapping_examples.txt").read_text(encoding="utf-8")
    found = {}
    for block in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = block.partition("\n")
        functional, _, turtle = rest.partition("\n---\n")
        found[name] = (functional, turtle)
    return found


EXAMPLES = examples()


def canonical(statements: Iterable[tuple[Subject, NamedNode, Term]]) -> Dataset:
    dataset = Dataset(Quad(*statement) for statement in statements)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return dataset


def turtle_triples(text: str) -> list[tuple[Subject, NamedNode, Term]]:
    quads = pyoxigraph.parse(PREFIXES + text, format=RdfFormat.TURTLE)
    return [(quad.subject, quad.predicate, quad.object) for quad in quads]


def document(axioms: str, name: str = "") -> OntologyDocument:
    return parse(f"Prefix(:=<{EX}>) Ontology({name} {axioms})", "example")


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str) -> None:
    functional, turtle = EXAMPLES[name]
    assert canonical(triples(document(functional))) == canonical(turtle_triples(turtle + "[] a owl:Ontology ."))


def test_every_construct_has_an_example() -> None:
    shown = set(re.findall(r"(\w+)\(", "".join(functional for functional, _ in EXAMPLES.values())))
    assert shown - HEADS == set()
    assert HEADS - shown == {"Ontology", "Import"}


def test_header() -> None:
    given = document(
        '<http://example.org/v1> Import(:other) Annotation(Annotation(rdfs:comment "c") rdfs:label "l")', ":o"
    )
    expected = """
      :o a owl:Ontology ; owl:versionIRI :v1 ; owl:imports :other ; rdfs:label "l" .
      [] a owl:Annotation ; owl:annotatedSource :o ; owl:annotatedProperty rdfs:label ; owl:annotatedTarget "l" ;
         rdfs:comment "c" .
    """
    assert canonical(triples(given)) == canonical(turtle_triples(expected))


def test_without_header() -> None:
    assert list(triples(document("SubClassOf(:A :B)"), header=False)) == [(A, RDFS.subClassOf, B)]


def test_blank_node_labels_are_numbered_and_avoid_the_documents_own() -> None:
    given = document("SubClassOf(:A ObjectComplementOf(:B)) ClassAssertion(:A _:b1) SubClassOf(:B ObjectHasSelf(:p))")
    made = [s.value for s, _, o in triples(given, reserved=["b3"]) if type(s) is BlankNode and o != A]
    assert list(dict.fromkeys(made)) == ["b0", "b2", "b4"]


def test_the_same_document_gives_the_same_triples() -> None:
    given = document("".join(functional for functional, _ in EXAMPLES.values()))
    assert list(triples(given)) == list(triples(given))


def test_lexical_forms_are_kept() -> None:
    given = document('DataPropertyAssertion(:d :i "1.00"^^xsd:decimal) DataPropertyAssertion(:d :i "x")')
    values = [value.value for _, _, value in triples(given) if type(value) is Literal]
    assert values == ["1.00", "x"]


def test_no_depth_exhausts_the_stack() -> None:
    deep = Expression("ObjectComplementOf", A)
    for _ in range(20_000):
        deep = Expression("ObjectComplementOf", deep)
    made = list(triples(OntologyDocument(axioms=(Expression("SubClassOf", A, deep),))))
    assert len(made) == 2 + 2 * 20_001
