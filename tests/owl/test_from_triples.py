"""The mapping from RDF: the axioms read, the triples left over, and no triple lost."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, RdfFormat

from kgprobe.formats.functional import parse, render
from kgprobe.owl.axiom_reader import Reading, read
from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.owl.grammar import DEEPEST
from kgprobe.owl.to_triples import triples
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Subject, Triple

EX = "http://example.org/"
PREFIXES = (
    f"@prefix : <{EX}> . @prefix owl: <{OWL.iri}> . @prefix rdf: <{RDF.iri}> . "
    f"@prefix rdfs: <{RDFS.iri}> . @prefix xsd: <{XSD.iri}> .\n"
)
DECLARED = """
:A a owl:Class . :B a owl:Class . :C a owl:Class . :D a owl:Class . :ssn a rdfs:Datatype .
:p a owl:ObjectProperty . :q a owl:ObjectProperty . :r a owl:ObjectProperty .
:d a owl:DatatypeProperty . :e a owl:DatatypeProperty . :f a owl:DatatypeProperty .
:n a owl:AnnotationProperty . :m a owl:AnnotationProperty .
"""


def graph(turtle: str) -> list[Triple]:
    return [quad.triple for quad in pyoxigraph.parse(PREFIXES + turtle, format=RdfFormat.TURTLE)]


def canonical(statements: Iterable[Triple]) -> Dataset:
    dataset = Dataset(Quad(each.subject, each.predicate, each.object) for each in statements)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return dataset


def written_again(reading: Reading) -> list[Triple]:
    """The graph of the axioms read, together with the triples left over."""
    ends = [end for left in reading.leftovers for end in (left.subject, left.object)]
    labels = [end.value for end in ends if isinstance(end, BlankNode)]
    back = triples(reading.document, header=reading.has_header, reserved=labels)
    return [*(Triple(*each) for each in back), *reading.leftovers]


def examples() -> dict[str, str]:
    text = (Path(__file__).parent / "mapping_examples.txt").read_text(encoding="utf-8")
    blocks = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    return {block.partition("\n")[0]: block.partition("\n---\n")[2] for block in blocks}


EXAMPLES = examples()


def functional(reading: Reading) -> list[str]:
    """The axioms that are not declarations, one line each."""
    lines = list(render(OntologyDocument(axioms=reading.document.axioms, prefixes={"": EX, "xsd": XSD.iri})))
    return [line.strip() for line in lines[3:-1] if not line.startswith("Declaration(")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_is_read_completely_and_written_again(name: str) -> None:
    given = graph(DECLARED + EXAMPLES[name])
    reading = read(given)
    assert reading.leftovers == ()
    assert not reading.has_header
    assert canonical(written_again(reading)) == canonical(given)


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        (":A rdfs:subClassOf :B .", ["SubClassOf(:A :B)"]),
        (":i :p :j ; :d 1 ; :n 1 .", [
            'DataPropertyAssertion(:d :i "1"^^xsd:integer)',
            'AnnotationAssertion(:n :i "1"^^xsd:integer)',
            "ObjectPropertyAssertion(:p :i :j)",
        ]),
        (":i :unknown :j .", ["AnnotationAssertion(:unknown :i :j)"]),
        (":new a owl:TransitiveProperty . :i :new :j .", [
            "ObjectPropertyAssertion(:new :i :j)",
            "TransitiveObjectProperty(:new)",
        ]),
        (":new rdfs:range xsd:int . :i :new 1 .", [
            'DataPropertyAssertion(:new :i "1"^^xsd:integer)',
            "DataPropertyRange(:new xsd:int)",
        ]),
        (":ssn owl:equivalentClass xsd:string .", ["DatatypeDefinition(:ssn xsd:string)"]),
        (":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :new ; owl:hasValue 1 ] .", [
            'SubClassOf(:A DataHasValue(:new "1"^^xsd:integer))'
        ]),
        (":A owl:equivalentClass :B . :B owl:equivalentClass :C .", [
            "EquivalentClasses(:A :B)",
            "EquivalentClasses(:B :C)",
        ]),
        ("_:x owl:inverseOf :p , :q .", ["InverseObjectProperties(ObjectInverseOf(:p) :q)"]),
    ],
)  # fmt: skip
def test_axioms(turtle: str, expected: list[str]) -> None:
    reading = read(graph(DECLARED + turtle))
    assert functional(reading) == expected
    assert reading.leftovers == ()


@pytest.mark.parametrize(
    "turtle",
    [
        pytest.param("[] a owl:AllDifferent ; owl:distinctMembers ( :i :j :k ) .", id="older spelling"),
        pytest.param("[] a owl:AllDisjointClasses ; owl:members ( :A :B ) .", id="too few members"),
        pytest.param("_:x owl:intersectionOf ( :A :B ) . :A rdfs:subClassOf _:x .", id="no type"),
        pytest.param("_:x a owl:Class ; owl:unionOf ( :A ) . :A rdfs:subClassOf _:x .", id="one operand"),
        pytest.param(
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:minCardinality 1 ] .", id="number"
        ),
        pytest.param(
            ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom xsd:int ] .",
            id="a data range for an object property",
        ),
        pytest.param(
            ":A rdfs:subClassOf _:x . :B rdfs:subClassOf _:x . _:x a owl:Class ; owl:complementOf :C .",
            id="shared expression",
        ),
        pytest.param(":A owl:disjointUnionOf _:l . _:l rdf:first :B ; rdf:rest _:l .", id="cyclic list"),
        pytest.param(
            ":A owl:disjointUnionOf _:l . _:l rdf:first :B , :C ; rdf:rest ( :D ) .", id="two members in one cell"
        ),
        pytest.param(
            ":A rdfs:subClassOf _:x . _:x a owl:Class ; owl:complementOf _:y . "
            "_:y a owl:Class ; owl:complementOf _:x .",
            id="cyclic expression",
        ),
        pytest.param("_:x owl:equivalentClass _:y . _:y owl:equivalentClass _:x .", id="cyclic chain"),
        pytest.param("_:x a owl:Class ; owl:complementOf :A .", id="dangling expression"),
        pytest.param("_:x owl:inverseOf :p .", id="dangling property"),
        pytest.param(":A owl:unionOf ( :B :C ) .", id="a named union"),
        pytest.param(":A a rdfs:Class .", id="RDFS class"),
        pytest.param(
            "[] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; "
            'owl:annotatedTarget :B ; rdfs:label "the axiom itself is missing" .',
            id="annotation of nothing",
        ),
    ],
)
def test_triples_outside_the_mapping_are_left_over(turtle: str) -> None:
    given = graph(turtle)
    reading = read([*given, *graph(DECLARED)])
    assert {axiom.head for axiom in reading.document.axioms} <= {"Declaration", "AnnotationAssertion"}
    assert functional(reading) == [] or "label" in turtle
    assert canonical(written_again(reading)) == canonical([*given, *graph(DECLARED)])


def test_an_odd_annotation_does_not_spoil_its_axiom() -> None:
    given = graph(
        ":A rdfs:subClassOf :B . _:x a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedTarget :B ; "
        'owl:annotatedProperty rdfs:subClassOf ; rdfs:label "l" . :i :n _:x .'
    )
    reading = read(given)
    assert "SubClassOf(:A :B)" in functional(reading)
    assert canonical(written_again(reading)) == canonical(given)


def test_header() -> None:
    given = graph(
        ':o a owl:Ontology ; owl:versionIRI :v ; owl:imports :y , :x ; rdfs:label "l" . :x a owl:Ontology . '
        "[] a owl:Annotation ; owl:annotatedSource :o ; owl:annotatedProperty rdfs:label ; owl:annotatedTarget "
        '"l" ; rdfs:comment "c" .'
    )
    document = (reading := read(given)).document
    assert reading.has_header
    assert (document.iri, document.version) == (NamedNode(EX + "o"), NamedNode(EX + "v"))
    assert document.imports == (NamedNode(EX + "x"), NamedNode(EX + "y"))
    comment = Expression("Annotation", RDFS.comment, Literal("c"))
    assert document.annotations == (Expression("Annotation", comment, RDFS.label, Literal("l")),)
    assert [str(left.subject) for left in reading.leftovers] == [f"<{EX}x>"]


def test_anonymous_header() -> None:
    given = graph('[] a owl:Ontology ; rdfs:label "l" . :A rdfs:subClassOf :B .')
    reading = read(given)
    assert reading.has_header
    assert reading.document.iri is None
    assert reading.document.annotations == (Expression("Annotation", RDFS.label, Literal("l")),)
    assert reading.leftovers == ()


def test_axioms_are_sorted_by_text_in_any_order_of_triples() -> None:
    given = graph(DECLARED + ":C rdfs:subClassOf :D . :A rdfs:subClassOf :C , :B .")
    there, back = read(given), read(reversed(given))
    assert there == back
    assert functional(there) == ["SubClassOf(:A :B)", "SubClassOf(:A :C)", "SubClassOf(:C :D)"]
    heads = [axiom.head for axiom in there.document.axioms]
    assert heads == sorted(heads, key=lambda head: head != "Declaration")


def test_triple_terms_and_plain_literals_are_left_over() -> None:
    term = Triple(NamedNode(EX + "i"), NamedNode(EX + "p"), BlankNode("x"))
    plain = Literal("a@en", datatype=RDF.PlainLiteral)
    given = [
        *graph("_:y a owl:Class ."),
        Triple(NamedNode(EX + "i"), NamedNode(EX + "about"), term),
        Triple(NamedNode(EX + "i"), NamedNode(EX + "n"), plain),
    ]
    assert len(read(given).leftovers) == 3


@pytest.mark.parametrize("length", [DEEPEST, DEEPEST + 1, 20_000])
def test_expressions_are_read_up_to_a_depth(length: int) -> None:
    nodes = [BlankNode(f"n{number}") for number in range(length)]
    fillers: list[Subject] = [*nodes[1:], NamedNode(EX + "A")]
    given = [Triple(NamedNode(EX + "A"), RDFS.subClassOf, nodes[0])]
    for node, filler in zip(nodes, fillers, strict=True):
        given += [Triple(node, RDF.type, OWL.Class), Triple(node, OWL.complementOf, filler)]
    reading = read(given)
    assert len(reading.leftovers) == (0 if length <= DEEPEST else len(given))
    if length == DEEPEST:
        text = "".join(render(reading.document))
        assert parse(text, "deep").axioms == reading.document.axioms


def test_many_axioms_on_one_huge_expression_take_no_longer_than_one() -> None:
    expression, size = BlankNode("x"), 4000
    cells = [BlankNode(f"c{number}") for number in range(size)]
    given = [Triple(expression, RDF.type, OWL.Class), Triple(expression, OWL.unionOf, cells[0])]
    for number, cell in enumerate(cells):
        rest = cells[number + 1] if number + 1 < size else RDF.nil
        given += [Triple(cell, RDF.first, NamedNode(f"{EX}c{number}")), Triple(cell, RDF.rest, rest)]
        given += [Triple(expression, RDFS.subClassOf, NamedNode(f"{EX}s{number}"))]
    start = time.process_time()
    assert len(read(given).leftovers) == len(given)
    assert time.process_time() - start < 10


TERMS = [NamedNode(EX + name) for name in ("A", "p", "d", "n")]
NODES = [BlankNode(name) for name in ("x", "y", "z", "b0")]
VALUES = [Literal("1", datatype=XSD.nonNegativeInteger), Literal("true", datatype=XSD.boolean), RDF.nil]
TYPES = [OWL.Class, OWL.Restriction, OWL.Axiom, OWL.Annotation, OWL.AllDifferent, OWL.Ontology, RDFS.Datatype]
PREDICATES = [
    *(RDF.type, RDF.type, RDF.first, RDF.rest, RDFS.subClassOf, RDFS.label, RDFS.range, RDFS.subPropertyOf),
    *(OWL.equivalentClass, OWL.inverseOf, OWL.onProperty, OWL.someValuesFrom, OWL.complementOf, OWL.members),
    *(OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget, OWL.oneOf, OWL.minCardinality),
    *TERMS[1:],
]
RANDOM_TRIPLES = st.builds(
    Triple,
    st.sampled_from([*NODES, *TERMS]),
    st.sampled_from(PREDICATES),
    st.sampled_from([*NODES, *TERMS, *VALUES, *TYPES, RDFS.label, RDFS.subClassOf]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(RANDOM_TRIPLES, max_size=14))
def test_no_graph_loses_a_triple(statements: list[Triple]) -> None:
    given = [*statements, *graph(":p a owl:ObjectProperty . :d a owl:DatatypeProperty .")]
    assert canonical(written_again(read(given))) == canonical(given)


def merged(statements: list[Triple], keep: BlankNode, drop: BlankNode) -> list[Triple]:
    def changed(term: object) -> object:
        return keep if term == drop else term

    return [Triple(changed(t.subject), t.predicate, changed(t.object)) for t in statements]  # type: ignore[arg-type]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_damaged_example_loses_a_triple(data: st.DataObject) -> None:
    damaged = graph(EXAMPLES[data.draw(st.sampled_from(sorted(EXAMPLES)))])
    for _ in range(data.draw(st.integers(1, 2))):
        blank = sorted({end for t in damaged for end in (t.subject, t.object) if isinstance(end, BlankNode)}, key=str)
        if len(blank) > 1 and data.draw(st.booleans()):
            damaged = merged(damaged, data.draw(st.sampled_from(blank)), data.draw(st.sampled_from(blank)))
        elif damaged:
            damaged.pop(data.draw(st.integers(0, len(damaged) - 1)))
    given = [*damaged, *graph(DECLARED)]
    assert canonical(written_again(read(given))) == canonical(given)
