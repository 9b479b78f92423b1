"""Functional syntax: reading, error messages, and real ontologies."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import BaseDirection
from support.shared_data import shared

from kgprobe.errors import InputError
from kgprobe.formats.functional import parse, render
from kgprobe.owl.axiom_reader import read
from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.owl.grammar import DEEPEST
from kgprobe.owl.to_triples import triples
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Triple

EX = "http://example.org/"
A, B, P = (NamedNode(EX + name) for name in "ABp")
HEAD = f"Prefix(:=<{EX}>)\nOntology(\n"


def one_axiom(text: str) -> object:
    (axiom,) = parse(f"{HEAD}{text})", "example.ofn").axioms
    return axiom


def test_document() -> None:
    document = parse(
        """
        # a comment
        Prefix( ex: = <http://example.org/> ) Prefix(:=<http://example.org/x#>)
        Ontology ( ex:o <http://example.org/v1>
          Import(<http://example.org/other>)
          Annotation(rdfs:label "an ontology"@en) # another comment
          Declaration(Class(:C))
          SubClassOf(:C owl:Thing)
        )
        # the end
        """,
        "example.ofn",
    )
    c = NamedNode(EX + "x#C")
    assert document == OntologyDocument(
        iri=NamedNode(EX + "o"),
        version=NamedNode(EX + "v1"),
        imports=(NamedNode(EX + "other"),),
        annotations=(Expression("Annotation", RDFS.label, Literal("an ontology", language="en")),),
        axioms=(Expression("Declaration", Expression("Class", c)), Expression("SubClassOf", c, OWL.Thing)),
        prefixes={"ex": EX, "": EX + "x#"},
    )


def test_empty_ontology() -> None:
    assert parse("Ontology()", "empty") == OntologyDocument()
    assert parse("\ufeffOntology()", "with a byte order mark") == OntologyDocument()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SubClassOf(:A <http://example.org/B>)", Expression("SubClassOf", A, B)),
        ("SubClassOf # why\n # because\n(:A :B)", Expression("SubClassOf", A, B)),
        ("SubClassOf ( :A\n\t:B\r\n)", Expression("SubClassOf", A, B)),
        (
            "SubClassOf(:A ObjectMinCardinality(2 :p))",
            Expression("SubClassOf", A, Expression("ObjectMinCardinality", 2, P)),
        ),
        ("HasKey(:A (:p) ())", Expression("HasKey", A, Expression("", P), Expression(""))),
        ("ClassAssertion(:A _:x)", Expression("ClassAssertion", A, BlankNode("x"))),
        ("SubClassOf(:A :x.y-z)", Expression("SubClassOf", A, NamedNode(EX + "x.y-z"))),
        ("SubClassOf(:A :é)", Expression("SubClassOf", A, NamedNode(EX + "é"))),
        ("SubClassOf(:A :1)", Expression("SubClassOf", A, NamedNode(EX + "1"))),
        ("SubClassOf(:A :)#)\n", Expression("SubClassOf", A, NamedNode(EX))),
    ],
)
def test_axiom(text: str, expected: object) -> None:
    assert one_axiom(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"plain"', Literal("plain")),
        ('""', Literal("")),
        ('"two\nlines # (no comment)"', Literal("two\nlines # (no comment)")),
        (r'"a \"quote\" and a \\"', Literal('a "quote" and a \\')),
        ('"hi"@en-GB', Literal("hi", language="en-GB")),
        ('"hi"@ar--rtl', Literal("hi", language="ar", direction=BaseDirection.RTL)),
        ('"01.0"^^xsd:decimal', Literal("01.0", datatype=XSD.decimal)),
        ('"x"^^<http://example.org/T>', Literal("x", datatype=NamedNode(EX + "T"))),
        ('"hi@en"^^rdf:PlainLiteral', Literal("hi", language="en")),
        ('"a@b@"^^rdf:PlainLiteral', Literal("a@b")),
    ],
)
def test_literal(text: str, expected: Literal) -> None:
    assert one_axiom(f"AnnotationAssertion(rdfs:label :A {text})") == Expression(
        "AnnotationAssertion", RDFS.label, A, expected
    )
    document = OntologyDocument(axioms=(Expression("AnnotationAssertion", RDFS.label, A, expected),))
    assert parse("".join(render(document)), "again") == document


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "SubClasOf(:A :B))", "3:1: unknown axiom 'SubClasOf' (did you mean 'SubClassOf'?)"),
        (HEAD + "SubClassOf(:A ObjectSome(:p :B)))", "3:15: unknown construct 'ObjectSome'"),
        (HEAD + "\n  SubClassOf(:A))", "4:3: SubClassOf takes (class class), found 1 argument: IRI"),
        (HEAD + 'SubClassOf(:A "B"))', "3:1: SubClassOf takes (class class), found 2 arguments: IRI, literal"),
        (
            HEAD + "ObjectPropertyDomain(ObjectHasSelf(:p) :A))",
            "3:1: ObjectPropertyDomain takes (objectProperty class), found 2 arguments: class expression, IRI",
        ),
        (
            HEAD + "SubClassOf(:A ObjectIntersectionOf(:B)))",
            "3:15: ObjectIntersectionOf takes (class class+), found 1 argument: IRI",
        ),
        (
            HEAD + "HasKey(:A () ()))",
            "3:1: HasKey takes (class (objectProperty*)(dataProperty*)), found 3 arguments: "
            "IRI, empty list, empty list",
        ),
        (
            HEAD + "SubClassOf(:A :B) Import(:C))",
            "2:1: Ontology takes (iri? iri? import* annotation* axiom*), found 2 arguments: axiom, import",
        ),
        (HEAD + "SubClassOf(:A ex:B))", "3:15: the prefix 'ex:' is not declared"),
        (HEAD + 'SubClassOf(:A "1"^^ex:B))', "3:20: the prefix 'ex:' is not declared"),
        (HEAD + "SubClassOf(:A <B>))", "3:15: <B> is not an IRI: No scheme found in an absolute IRI"),
        (HEAD + "SubClassOf(:A <http://a b>))", "3:15: <http://a b> is not an IRI: Invalid IRI code point ' '"),
        (HEAD + "SubClassOf(:A <http://example.org/B ", "3:15: an IRI that is never closed"),
        (
            HEAD + "SubClassOf(:A :B",
            "3:1: the file ends inside 'SubClassOf(', whose bracket is never closed",
        ),
        (HEAD + "SubClassOf(:A :B)))", "3:19: found ')' without a '(' before it"),
        (HEAD + "SubClassOf(:A :B))\nOntology()", "4:1: expected the end of the file, found a second ontology"),
        (HEAD + "SubClassOf(:A B))", "3:15: expected an argument or ')', found 'B'"),
        (HEAD + "SubClassOf(:A (:B)))", "3:15: expected an argument, found '('"),
        (HEAD + "ClassAssertion(:A _:.x))", "3:19: '_:.x' is not a valid name for an anonymous individual"),
        (
            HEAD + 'AnnotationAssertion(:n :A "x))',
            '3:27: a string that is never closed, or with an escape other than \\" and \\\\',
        ),
        (HEAD + 'AnnotationAssertion(:n :A "x"@e1))', "3:27: not a literal: "),
        (HEAD + f"SubClassOf(:A ObjectMinCardinality({'9' * 5000} :p)))", "3:36: a number of 5000 digits is too long"),
        ("", "1:1: expected 'Ontology(', found the end of the file"),
        ("# nothing\n", "2:1: expected 'Ontology(', found the end of the file"),
        ("<a> Ontology()", "1:1: <a> is not an IRI: No scheme found in an absolute IRI"),
        ("owl:Thing Ontology()", "1:1: expected one 'Ontology(…)' and nothing else, found 'owl:Thing'"),
        ('Ontology() "x"', "1:12: expected one 'Ontology(…)' and nothing else, found '\"x\"'"),
        ("SubClassOf(owl:Thing owl:Thing)", "1:1: expected 'Ontology(', found 'SubClassOf('"),
        ("Prefix(ex=<http://example.org/>)", "1:1: expected a prefix declaration such as Prefix("),
        ("Prefix(a:=<x:a>)\nPrefix(a:=<x:b>)", "2:1: the prefix 'a:' already stands for <x:a>"),
        ("Prefix(owl:=<x:a>)", "1:1: the prefix 'owl:' already stands for <http://www.w3.org/2002/07/owl#>"),
        ("Ontology(Prefix(a:=<x:a>))", "1:10: a prefix must be declared before the ontology"),
    ],
)
def test_error(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(text, "example.ofn")
    assert str(raised.value).startswith(f"example.ofn:{message}")
    assert "\n" not in str(raised.value)


def nested(depth: int) -> str:
    return f"{HEAD}SubClassOf(:A {'ObjectComplementOf(' * depth}:B{')' * depth}))"


def test_deep_nesting_is_refused() -> None:
    assert len(parse(nested(DEEPEST), "deep").axioms) == 1
    for depth in (DEEPEST + 10, 200_000):
        with pytest.raises(InputError, match=rf"deep:3:\d+: nested more than {DEEPEST} levels deep"):
            parse(nested(depth), "deep")


@pytest.mark.parametrize("filler", [" ", "a", "(", ")", "#", "<", '"', "\\", "a:", "_:", "@", "1", '"a" ', "x."])
def test_hostile_text_is_refused_in_linear_time(filler: str) -> None:
    for text in (filler * 200_000, HEAD + filler * 200_000, f"{HEAD}SubClassOf{filler * 200_000}"):
        with pytest.raises(InputError):
            parse(text, "hostile")


def test_long_lists_are_read_in_linear_time() -> None:
    members = " ".join(f":c{number}" for number in range(100_000))
    (axiom,) = parse(f"{HEAD}DisjointClasses({members}))", "long").axioms
    assert len(axiom.args) == 100_000


def test_render() -> None:
    document = OntologyDocument(
        iri=NamedNode(EX + "o"),
        imports=(NamedNode(EX + "other"),),
        axioms=(
            Expression("SubClassOf", A, Expression("ObjectMinCardinality", 2, P, NamedNode(EX + "x/y"))),
            Expression("HasKey", A, Expression("", P), Expression("")),
            Expression("DataPropertyAssertion", P, BlankNode("x"), Literal('say "hi"', datatype=XSD.token)),
        ),
        prefixes={"ex": EX, "bad name": "http://bad/", "owl": "http://not.owl/"},
    )
    assert "".join(render(document)) == (
        "Prefix(ex:=<http://example.org/>)\n"
        "Ontology(<http://example.org/o>\n"
        "Import(<http://example.org/other>)\n"
        "SubClassOf(ex:A ObjectMinCardinality(2 ex:p <http://example.org/x/y>))\n"
        "HasKey(ex:A (ex:p) ())\n"
        f'DataPropertyAssertion(ex:p _:x "say \\"hi\\""^^<{XSD.token.value}>)\n'
        ")\n"
    )


def real_files(pattern: str) -> list[Path]:
    found = sorted(shared("").glob(pattern))
    if not found:
        pytest.skip("the folder shared/data with real ontologies is not beside this repository")
    return found


def test_real_ontologies_survive_all_four_directions() -> None:
    files = [file for file in real_files("ore/*.owl") if file.stat().st_size < 150_000]
    assert len(files) == 66
    for file in files[::4]:
        document = parse(file.read_text(encoding="utf-8"), file.name)
        assert document.axioms, file
        assert parse("".join(render(document)), file.name) == document
        written = {Triple(*statement) for statement in triples(document)}
        reading = read(written)
        assert reading.leftovers == (), file
        assert len({Triple(*each) for each in triples(reading.document)}) == len(written)
        assert reading.document.iri == document.iri


def test_a_default_prefix_without_a_separator() -> None:
    text = "Prefix(:=<urn:unnamed:ontology#ont1>)\nOntology(SubClassOf(:x rdf:y))"
    (axiom,) = parse(text, "odd").axioms
    assert axiom == Expression("SubClassOf", NamedNode("urn:unnamed:ontology#ont1x"), RDF.y)
