"""OWL/XML: the same trees as functional syntax, and protection against hostile files."""

from __future__ import annotations

import pytest

from kgprobe.errors import InputError
from kgprobe.formats.functional import parse as parse_functional
from kgprobe.formats.owlxml import parse
from kgprobe.owl.expression import Expression
from kgprobe.owl.grammar import DEEPEST
from kgprobe.rdf.terms import OWL, NamedNode

EX = "http://example.org/"
OPENING = f'<Ontology xmlns="{OWL.iri}" xml:base="http://example.org/" ontologyIRI="http://example.org/o">\n'

A, B, C = '<Class IRI="A"/>', '<Class abbreviatedIRI="ex:B"/>', '<Class IRI="http://example.org/C"/>'
P, Q = '<ObjectProperty IRI="p"/>', '<ObjectInverseOf><ObjectProperty IRI="q"/></ObjectInverseOf>'
D, INT = '<DataProperty IRI="d"/>', '<Datatype abbreviatedIRI="xsd:int"/>'
SOME, ANONYMOUS = '<NamedIndividual IRI="i"/>', '<AnonymousIndividual nodeID="_:j"/>'
NOTE = '<Annotation><AnnotationProperty abbreviatedIRI="rdfs:label"/><Literal>n</Literal></Annotation>'


def read(body: str) -> object:
    prefix = '<Prefix name="ex" IRI="http://example.org/"/>'
    return parse((OPENING + prefix + body + "</Ontology>").encode(), "example.owx").axioms


def functional(body: str) -> object:
    return parse_functional(f"Prefix(:=<{EX}>) Ontology({body})", "example.ofn").axioms


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        (f"<Declaration>{A}</Declaration>", "Declaration(Class(:A))"),
        (f"<Declaration>{NOTE}{D}</Declaration>", 'Declaration(Annotation(rdfs:label "n") DataProperty(:d))'),
        (f"<SubClassOf>{NOTE}{A}{B}</SubClassOf>", 'SubClassOf(Annotation(rdfs:label "n") :A :B)'),
        (
            f"<SubClassOf>{A}<ObjectSomeValuesFrom>{Q}{C}</ObjectSomeValuesFrom></SubClassOf>",
            "SubClassOf(:A ObjectSomeValuesFrom(ObjectInverseOf(:q) :C))",
        ),
        (
            f'<SubClassOf>{A}<ObjectMaxCardinality cardinality="2">{P}</ObjectMaxCardinality></SubClassOf>',
            "SubClassOf(:A ObjectMaxCardinality(2 :p))",
        ),
        (f"<HasKey>{A}{P}{Q}{D}</HasKey>", "HasKey(:A (:p ObjectInverseOf(:q)) (:d))"),
        (f"<HasKey>{NOTE}{A}{D}</HasKey>", 'HasKey(Annotation(rdfs:label "n") :A () (:d))'),
        (
            f"<SubObjectPropertyOf><ObjectPropertyChain>{P}{Q}</ObjectPropertyChain>{P}</SubObjectPropertyOf>",
            "SubObjectPropertyOf(ObjectPropertyChain(:p ObjectInverseOf(:q)) :p)",
        ),
        (
            f"<DataPropertyRange>{D}<DatatypeRestriction>{INT}"
            '<FacetRestriction facet="http://www.w3.org/2001/XMLSchema#minInclusive">'
            '<Literal datatypeIRI="http://www.w3.org/2001/XMLSchema#int">1</Literal></FacetRestriction>'
            "</DatatypeRestriction></DataPropertyRange>",
            'DataPropertyRange(:d DatatypeRestriction(xsd:int xsd:minInclusive "1"^^xsd:int))',
        ),
        (f"<ClassAssertion>{A}{ANONYMOUS}</ClassAssertion>", "ClassAssertion(:A _:j)"),
        (
            f'<DataPropertyAssertion>{D}{SOME}<Literal xml:lang="en"> a &lt; b\n</Literal></DataPropertyAssertion>',
            'DataPropertyAssertion(:d :i " a < b\n"@en)',
        ),
        (
            '<AnnotationAssertion><AnnotationProperty IRI="n"/><IRI>A</IRI>'
            "<AbbreviatedIRI>ex:B</AbbreviatedIRI></AnnotationAssertion>",
            "AnnotationAssertion(:n :A :B)",
        ),
        (
            '<DLSafeRule><Body><ClassAtom><Class IRI="A"/><Variable IRI="urn:x"/></ClassAtom>'
            '<BuiltInAtom IRI="less"><Variable IRI="urn:x"/><Literal>5</Literal></BuiltInAtom></Body>'
            "<Head/></DLSafeRule>",
            'DLSafeRule(Body(ClassAtom(:A Variable(<urn:x>)) BuiltInAtom(:less Variable(<urn:x>) "5")) Head())',
        ),
    ],
)
def test_axiom(xml: str, expected: str) -> None:
    assert read(xml) == functional(expected)


def test_document() -> None:
    text = f"""<?xml version="1.0" encoding="ISO-8859-1"?>
    <!DOCTYPE Ontology [ <!ENTITY ex "http://example.org/" > <!ENTITY owl "{OWL.iri}"> ]>
    <o:Ontology xmlns:o="&owl;" ontologyIRI="&ex;o" versionIRI="&ex;v" xml:base="urn:base:x">
      <!-- a comment -->
      <o:Prefix name="" IRI="&ex;"/>
      <o:Import>&ex;other</o:Import>
      {NOTE.replace("<", "<o:").replace("<o:/", "</o:")}
      <o:SubClassOf><o:Class IRI="#é"/><o:Class xml:base="&ex;x/y#" IRI="Z"/></o:SubClassOf>
    </o:Ontology>"""
    document = parse(text.encode("latin-1"), "example.owx")
    assert (document.iri, document.version) == (NamedNode(EX + "o"), NamedNode(EX + "v"))
    assert document.imports == (NamedNode(EX + "other"),)
    assert len(document.annotations) == 1
    assert document.prefixes == {"": EX}
    assert document.axioms == (Expression("SubClassOf", NamedNode("urn:base:x#é"), NamedNode(EX + "x/y#Z")),)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"<SubClasOf>{A}{B}</SubClasOf>", "2:1: unknown axiom 'SubClasOf' (did you mean 'SubClassOf'?)"),
        (f"<SubClassOf>{A}</SubClassOf>", "2:1: SubClassOf takes (class class), found 1 argument: IRI"),
        (f"<SubClassOf>{A}<Clas/></SubClassOf>", "2:29: unknown element 'Clas' (did you mean 'Class'?)"),
        (f"<SubClassOf>{A}<Class/></SubClassOf>", "2:29: Class needs the attribute 'IRI' or 'abbreviatedIRI'"),
        (f"<SubClassOf>{B}</SubClassOf>", "2:13: the prefix 'ex:' is not declared"),
        ('<x xmlns="urn:x"/>', "2:1: unknown axiom 'x' (elements of OWL/XML are in <http://www.w3.org/2002/07/owl#>)"),
        (f"<ObjectMinCardinality>{P}</ObjectMinCardinality>", "2:1: ObjectMinCardinality needs a number"),
        ("<SubClassOf>text</SubClassOf>", "2:1: the element 'SubClassOf' must not contain text"),
        ("<SubClassOf>", "3:3: not XML: mismatched tag"),
        ("<Ontology/>", "2:1: expected an argument, found 'Ontology'"),
        ('<ClassAssertion><AnonymousIndividual nodeID="_:"/></ClassAssertion>', "2:17: '' is not a valid name for"),
        ('<SubClassOf><Class IRI="a b"/></SubClassOf>', "2:13: <http://example.org/a b> is not an IRI: "),
        ("<SubClassOf>&undeclared;</SubClassOf>", "2:13: not XML: undefined entity"),
    ],
)
def test_error(body: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse((OPENING + body + "\n</Ontology>").encode(), "example.owx")
    assert str(raised.value).startswith(f"example.owx:{message}")


@pytest.mark.parametrize(
    "doctype",
    [
        pytest.param('<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">', id="billion laughs"),
        pytest.param(f'<!ENTITY b "{"x" * 1000}">', id="quadratic blow-up"),
        pytest.param('<!ENTITY b SYSTEM "file:///etc/hostname">', id="external"),
        pytest.param('<!ENTITY % b SYSTEM "http://example.org/b">%b;', id="parameter"),
        pytest.param('<!ENTITY % b "text">', id="internal parameter"),
        pytest.param('<!ENTITY b "&#60;Ontology/>">', id="markup"),
    ],
)
def test_hostile_entity_is_refused(doctype: str) -> None:
    text = f"<!DOCTYPE Ontology [{doctype}]>\n{OPENING}<Import>&b;</Import></Ontology>"
    with pytest.raises(InputError, match=r"^hostile.owx:1:\d+: the entity '.' is refused: .*"):
        parse(text.encode(), "hostile.owx")


def test_entity_of_a_file_that_is_not_read_is_refused() -> None:
    text = f'<!DOCTYPE Ontology SYSTEM "http://example.org/o.dtd">\n{OPENING}<Import>&b;</Import></Ontology>'
    with pytest.raises(InputError, match="the entity 'b' is not declared in this file"):
        parse(text.encode(), "hostile.owx")


@pytest.mark.parametrize(
    "data",
    [b"", b"\x00", b"\xff\xfe\x00", b"<?xml version='1.0' encoding='no-such'?><a/>", b"Ontology()", b"<a/>"],
)
def test_malformed_xml_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^bad.owx:\d+:\d+: .+$"):
        parse(data, "bad.owx")


def test_deep_nesting_is_refused() -> None:
    def nested(depth: int) -> bytes:
        inside = "<ObjectComplementOf>" * depth + A + "</ObjectComplementOf>" * depth
        return f"{OPENING}<SubClassOf>{A}{inside}</SubClassOf></Ontology>".encode()

    assert len(parse(nested(DEEPEST), "deep").axioms) == 1
    with pytest.raises(InputError, match=f"nested more than {DEEPEST} levels deep"):
        parse(nested(100_000), "deep")
