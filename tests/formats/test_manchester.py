"""Manchester syntax: one small example of each construct with its tree, and the messages for invalid documents."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.errors import InputError
from kgprobe.formats.manchester import parse
from kgprobe.formats.manchester.reader import KEYWORDS, RESERVED
from kgprobe.owl.expression import Argument, Expression, OntologyDocument
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, Namespace

E = Namespace("http://e/")
G = Namespace("http://g/")
A, B, C = E.A, E.B, E.C
P, Q, R = E.p, E.q, E.r
D, DE = E.d, E.e
IND, J, K = E.i, E.j, E.k
NOTE, MORE = E.note, E.more
X = BlankNode("x")
INVERSE_P, INVERSE_Q = Expression("ObjectInverseOf", P), Expression("ObjectInverseOf", Q)
NO_KEYS = Expression("")
TWO = Literal("2", datatype=XSD.integer)

# Every name that the examples use, so that an example shows only its own construct.
PREFIXES = "Prefix: : <http://e/>\nPrefix: g: <http://g/>\n"
DECLARATIONS = "\nObjectProperty: p ObjectProperty: q ObjectProperty: r DataProperty: d DataProperty: e"


def read(frames: str) -> OntologyDocument:
    return parse(f"{PREFIXES}Ontology: <http://e/o>\n{frames}{DECLARATIONS}", "t.omn")


def axioms(frames: str) -> list[Expression]:
    """The axioms of the frames, without declarations."""
    return [axiom for axiom in read(frames).axioms if axiom.head != "Declaration"]


def note(value: str, *nested: Expression) -> Expression:
    return Expression("Annotation", *nested, NOTE, Literal(value))


def integer(text: str) -> Literal:
    return Literal(text, datatype=XSD.integer)


CLASS_EXPRESSIONS: list[tuple[str, Argument]] = [
    ("B", B),
    ("<http://g/B>", G.B),
    ("g:B", G.B),
    ("g:", G[""]),
    ("owl:Thing", OWL.Thing),
    ("B and C", Expression("ObjectIntersectionOf", B, C)),
    ("A and B and C", Expression("ObjectIntersectionOf", A, B, C)),
    ("(A and B) and C", Expression("ObjectIntersectionOf", Expression("ObjectIntersectionOf", A, B), C)),
    ("A or B and C", Expression("ObjectUnionOf", A, Expression("ObjectIntersectionOf", B, C))),
    ("(A or B) and C", Expression("ObjectIntersectionOf", Expression("ObjectUnionOf", A, B), C)),
    ("not A or B", Expression("ObjectUnionOf", Expression("ObjectComplementOf", A), B)),
    ("A that p some B and not q only C", Expression(
        "ObjectIntersectionOf",
        A,
        Expression("ObjectSomeValuesFrom", P, B),
        Expression("ObjectComplementOf", Expression("ObjectAllValuesFrom", Q, C)),
    )),
    ("{i, j, _:x}", Expression("ObjectOneOf", IND, J, X)),
    ("p some B", Expression("ObjectSomeValuesFrom", P, B)),
    ("p some not B", Expression("ObjectSomeValuesFrom", P, Expression("ObjectComplementOf", B))),
    ("p some q only B", Expression("ObjectSomeValuesFrom", P, Expression("ObjectAllValuesFrom", Q, B))),
    ("p some A and B", Expression("ObjectIntersectionOf", Expression("ObjectSomeValuesFrom", P, A), B)),
    ("inverse p some B", Expression("ObjectSomeValuesFrom", INVERSE_P, B)),
    ("inverse (p) some B", Expression("ObjectSomeValuesFrom", INVERSE_P, B)),
    ("p value i", Expression("ObjectHasValue", P, IND)),
    ("p value _:x", Expression("ObjectHasValue", P, X)),
    ("p Self", Expression("ObjectHasSelf", P)),
    ("p some Self", Expression("ObjectHasSelf", P)),
    ("p min 2", Expression("ObjectMinCardinality", 2, P)),
    ("p max 2 B", Expression("ObjectMaxCardinality", 2, P, B)),
    ("p exactly 0 (A or B)", Expression("ObjectExactCardinality", 0, P, Expression("ObjectUnionOf", A, B))),
    ("p min 2 and B", Expression("ObjectIntersectionOf", Expression("ObjectMinCardinality", 2, P), B)),
    ("d value 2", Expression("DataHasValue", D, TWO)),
    ("d min 2", Expression("DataMinCardinality", 2, D)),
    ("d max 2 xsd:string", Expression("DataMaxCardinality", 2, D, XSD.string)),
    ("d exactly 2 not xsd:string",
     Expression("DataExactCardinality", 2, D, Expression("DataComplementOf", XSD.string))),
]  # fmt: skip

DATA_RANGES: list[tuple[str, Argument]] = [
    ("xsd:byte", XSD.byte),
    ("integer", XSD.integer),
    ("decimal", XSD.decimal),
    ("float", XSD.float),
    ("string", XSD.string),
    ("g:type", G.type),
    ("not xsd:byte", Expression("DataComplementOf", XSD.byte)),
    ("(string or integer and g:type)", Expression(
        "DataUnionOf",
        XSD.string,
        Expression("DataIntersectionOf", XSD.integer, G.type),
    )),
    ('{"a", 2}', Expression("DataOneOf", Literal("a"), TWO)),
    ("xsd:integer[>= 1, < 5]", Expression(
        "DatatypeRestriction", XSD.integer, XSD.minInclusive, integer("1"), XSD.maxExclusive, integer("5"),
    )),
    ("integer[<5,>1]", Expression(
        "DatatypeRestriction", XSD.integer, XSD.maxExclusive, integer("5"), XSD.minExclusive, integer("1"),
    )),
    ('integer[<="5"^^<http://g/t>]', Expression(
        "DatatypeRestriction", XSD.integer, XSD.maxInclusive, Literal("5", datatype=G.t),
    )),
    ("string[length 2]", Expression("DatatypeRestriction", XSD.string, XSD.length, TWO)),
    ("string[minLength 2]", Expression("DatatypeRestriction", XSD.string, XSD.minLength, TWO)),
    ("string[maxLength 2]", Expression("DatatypeRestriction", XSD.string, XSD.maxLength, TWO)),
    ('string[pattern "a.*"]', Expression("DatatypeRestriction", XSD.string, XSD.pattern, Literal("a.*"))),
    ('rdf:PlainLiteral[langRange "en"]', Expression(
        "DatatypeRestriction", RDF.PlainLiteral, RDF.langRange, Literal("en"),
    )),
]  # fmt: skip

LITERALS: list[tuple[str, Literal]] = [
    ('"a"', Literal("a")),
    ('""', Literal("")),
    (r'"say \"hi\" \\ # no comment"', Literal(r'say "hi" \ # no comment')),
    (r'"\d+"', Literal(r"\d+")),
    ('"two\nlines"', Literal("two\nlines")),
    ('"a"@en-GB', Literal("a", language="en-GB")),
    ('"a"^^g:t', Literal("a", datatype=G.t)),
    ('"01"^^integer', Literal("01", datatype=XSD.integer)),
    ('"hi@en"^^rdf:PlainLiteral', Literal("hi", language="en")),
    ("007", integer("007")),
    ("-7", integer("-7")),
    ("+7", integer("+7")),
    ("1.50", Literal("1.50", datatype=XSD.decimal)),
    ("1.50f", Literal("1.50", datatype=XSD.float)),
    ("-.5e-3F", Literal("-.5e-3", datatype=XSD.float)),
    ("true", Literal("true", datatype=XSD.boolean)),
]

SECTIONS: list[tuple[str, Expression]] = [
    ("Class: A SubClassOf: B", Expression("SubClassOf", A, B)),
    ("Class: A SuperClassOf: B", Expression("SubClassOf", B, A)),
    ("Class: A EquivalentTo: B", Expression("EquivalentClasses", A, B)),
    ("Class: A DisjointWith: B", Expression("DisjointClasses", A, B)),
    ("Class: A DisjointUnionOf: B, C", Expression("DisjointUnion", A, B, C)),
    ("Class: A HasKey: p d inverse q", Expression("HasKey", A, Expression("", P, INVERSE_Q), Expression("", D))),
    ("Class: A HasKey: d, e", Expression("HasKey", A, NO_KEYS, Expression("", D, DE))),
    ("Class: A Individuals: i", Expression("ClassAssertion", A, IND)),
    ("Class: A Annotations: note i", Expression("AnnotationAssertion", NOTE, A, IND)),
    ("ObjectProperty: p Annotations: note _:x", Expression("AnnotationAssertion", NOTE, P, X)),
    ("ObjectProperty: p Domain: A", Expression("ObjectPropertyDomain", P, A)),
    ("ObjectProperty: p Range: not A", Expression("ObjectPropertyRange", P, Expression("ObjectComplementOf", A))),
    ("ObjectProperty: p SubPropertyOf: q", Expression("SubObjectPropertyOf", P, Q)),
    ("ObjectProperty: p SuperPropertyOf: q", Expression("SubObjectPropertyOf", Q, P)),
    ("ObjectProperty: p EquivalentTo: inverse q", Expression("EquivalentObjectProperties", P, INVERSE_Q)),
    ("ObjectProperty: p DisjointWith: q", Expression("DisjointObjectProperties", P, Q)),
    ("ObjectProperty: p InverseOf: q", Expression("InverseObjectProperties", P, Q)),
    ("ObjectProperty: p SubPropertyChain: q o r o p",
     Expression("SubObjectPropertyOf", Expression("ObjectPropertyChain", Q, R, P), P)),
    ("ObjectProperty: inverse (p) Domain: A", Expression("ObjectPropertyDomain", INVERSE_P, A)),
    *(
        (f"ObjectProperty: p Characteristics: {name}", Expression(f"{name}ObjectProperty", P))
        for name in (
            "Functional", "InverseFunctional", "Reflexive", "Irreflexive", "Symmetric", "Asymmetric", "Transitive",
        )
    ),
    ("DataProperty: d Annotations: note 2", Expression("AnnotationAssertion", NOTE, D, TWO)),
    ("DataProperty: d Domain: A", Expression("DataPropertyDomain", D, A)),
    ("DataProperty: d Range: integer", Expression("DataPropertyRange", D, XSD.integer)),
    ("DataProperty: d Characteristics: Functional", Expression("FunctionalDataProperty", D)),
    ("DataProperty: d SubPropertyOf: e", Expression("SubDataPropertyOf", D, DE)),
    ("DataProperty: d SuperPropertyOf: e", Expression("SubDataPropertyOf", DE, D)),
    ("DataProperty: d EquivalentTo: e", Expression("EquivalentDataProperties", D, DE)),
    ("DataProperty: d DisjointWith: e", Expression("DisjointDataProperties", D, DE)),
    ("AnnotationProperty: note Annotations: more A", Expression("AnnotationAssertion", MORE, NOTE, A)),
    ("AnnotationProperty: note Domain: A", Expression("AnnotationPropertyDomain", NOTE, A)),
    ("AnnotationProperty: note Range: xsd:string", Expression("AnnotationPropertyRange", NOTE, XSD.string)),
    ("AnnotationProperty: note SubPropertyOf: more", Expression("SubAnnotationPropertyOf", NOTE, MORE)),
    ("AnnotationProperty: note SuperPropertyOf: more", Expression("SubAnnotationPropertyOf", MORE, NOTE)),
    ("Datatype: g:t EquivalentTo: {2}", Expression("DatatypeDefinition", G.t, Expression("DataOneOf", TWO))),
    ("Datatype: g:t Annotations: note 2", Expression("AnnotationAssertion", NOTE, G.t, TWO)),
    ("Individual: i Annotations: note true",
     Expression("AnnotationAssertion", NOTE, IND, Literal("true", datatype=XSD.boolean))),
    ("Individual: i Types: A", Expression("ClassAssertion", A, IND)),
    ("Individual: _:x Types: A", Expression("ClassAssertion", A, X)),
    ("Individual: i Facts: p j", Expression("ObjectPropertyAssertion", P, IND, J)),
    ("Individual: i Facts: p true", Expression("ObjectPropertyAssertion", P, IND, E.true)),
    ("Individual: i Facts: not p j", Expression("NegativeObjectPropertyAssertion", P, IND, J)),
    ("Individual: i Facts: inverse (p) j", Expression("ObjectPropertyAssertion", INVERSE_P, IND, J)),
    ("Individual: i Facts: d 2", Expression("DataPropertyAssertion", D, IND, TWO)),
    ("Individual: i Facts: not d 2", Expression("NegativeDataPropertyAssertion", D, IND, TWO)),
    ("Individual: i SameAs: j", Expression("SameIndividual", IND, J)),
    ("Individual: i DifferentFrom: j", Expression("DifferentIndividuals", IND, J)),
    ("EquivalentClasses: A, B, not C", Expression("EquivalentClasses", A, B, Expression("ObjectComplementOf", C))),
    ("DisjointClasses: A, B, C", Expression("DisjointClasses", A, B, C)),
    ("EquivalentProperties: p, inverse q", Expression("EquivalentObjectProperties", P, INVERSE_Q)),
    ("EquivalentProperties: d, e", Expression("EquivalentDataProperties", D, DE)),
    ("DisjointProperties: p, q, r", Expression("DisjointObjectProperties", P, Q, R)),
    ("DisjointProperties: d, e", Expression("DisjointDataProperties", D, DE)),
    ("SameIndividual: i, j, k", Expression("SameIndividual", IND, J, K)),
    ("DifferentIndividuals: i, _:x", Expression("DifferentIndividuals", IND, X)),
]  # fmt: skip

ANNOTATED: list[tuple[str, list[Expression]]] = [
    ('Class: A SubClassOf: Annotations: note "1" B, C',
     [Expression("SubClassOf", note("1"), A, B), Expression("SubClassOf", A, C)]),
    ('Class: A SubClassOf: B, Annotations: note "1", note "2" C', [
        Expression("SubClassOf", A, B),
        Expression("SubClassOf", note("1"), note("2"), A, C),
    ]),
    ('Class: A SubClassOf: Annotations: Annotations: note "deep" note "top" B', [
        Expression("SubClassOf", note("top", note("deep")), A, B),
    ]),
    ('Class: A Annotations: Annotations: note "why" more "what", more 2', [
        Expression("AnnotationAssertion", note("why"), MORE, A, Literal("what")),
        Expression("AnnotationAssertion", MORE, A, TWO),
    ]),
    ('Class: A DisjointUnionOf: Annotations: note "1" B, C', [Expression("DisjointUnion", note("1"), A, B, C)]),
    ('Class: A HasKey: Annotations: note "1" p', [Expression("HasKey", note("1"), A, Expression("", P), NO_KEYS)]),
    ('ObjectProperty: p Characteristics: Annotations: note "1" Functional, Transitive', [
        Expression("FunctionalObjectProperty", note("1"), P),
        Expression("TransitiveObjectProperty", P),
    ]),
    ('ObjectProperty: p SubPropertyChain: Annotations: note "1" q o r SubPropertyChain: r o r', [
        Expression("SubObjectPropertyOf", note("1"), Expression("ObjectPropertyChain", Q, R), P),
        Expression("SubObjectPropertyOf", Expression("ObjectPropertyChain", R, R), P),
    ]),
    ('Individual: i Facts: Annotations: note "1" not p j, d "2"', [
        Expression("NegativeObjectPropertyAssertion", note("1"), P, IND, J),
        Expression("DataPropertyAssertion", D, IND, Literal("2")),
    ]),
    ('DisjointClasses: Annotations: note "1" A, B', [Expression("DisjointClasses", note("1"), A, B)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), CLASS_EXPRESSIONS)
def test_class_expressions(text: str, tree: Argument) -> None:
    assert axioms(f"Class: A SubClassOf: {text}") == [Expression("SubClassOf", A, tree)]


@pytest.mark.parametrize(("text", "tree"), DATA_RANGES)
def test_data_ranges(text: str, tree: Argument) -> None:
    assert axioms(f"Class: A SubClassOf: d some {text}") == [
        Expression("SubClassOf", A, Expression("DataSomeValuesFrom", D, tree))
    ]


@pytest.mark.parametrize(("text", "literal"), LITERALS)
def test_literals_keep_their_lexical_form(text: str, literal: Literal) -> None:
    assert axioms(f"Individual: i Facts: d {text}") == [Expression("DataPropertyAssertion", D, IND, literal)]
    assert axioms(f"Individual: i Annotations: note {text}") == [Expression("AnnotationAssertion", NOTE, IND, literal)]


@pytest.mark.parametrize(("text", "axiom"), SECTIONS)
def test_sections_and_lists(text: str, axiom: Expression) -> None:
    assert axioms(text) == [axiom]


@pytest.mark.parametrize(("text", "expected"), ANNOTATED)
def test_annotations_of_items(text: str, expected: list[Expression]) -> None:
    assert axioms(text) == expected


def test_a_frame_declares_its_entity_and_an_unnamed_subject_declares_nothing() -> None:
    document = parse(
        PREFIXES + "Ontology: Class: A Datatype: g:t AnnotationProperty: note Individual: i Individual: _:x "
        "ObjectProperty: p ObjectProperty: inverse p DataProperty: d",
        "t.omn",
    )
    kinds = {
        A: "Class",
        G.t: "Datatype",
        NOTE: "AnnotationProperty",
        IND: "NamedIndividual",
        P: "ObjectProperty",
        D: "DataProperty",
    }
    assert list(document.axioms) == [Expression("Declaration", Expression(kind, name)) for name, kind in kinds.items()]


def test_the_header_of_a_document() -> None:
    document = parse(
        """# a comment
        Prefix: : <http://e/>
        Prefix: owl: <http://www.w3.org/2002/07/owl#>
        Ontology: <http://e/o> <http://e/o/1>  # another
        Import: <http://e/other>
        Import: :more
        Annotations: rdfs:comment "c"@en, Annotations: note "deep" note "top"
        Annotations: note 2
        """,
        "t.omn",
    )
    assert document == OntologyDocument(
        iri=E.o,
        version=E["o/1"],
        imports=(E.other, E.more),
        annotations=(
            Expression("Annotation", RDFS.comment, Literal("c", language="en")),
            note("top", note("deep")),
            Expression("Annotation", NOTE, TWO),
        ),
        prefixes={"": "http://e/", "owl": OWL.iri},
    )


@pytest.mark.parametrize("text", ["Ontology:", "\ufeffOntology: # nothing", "\r\nOntology:\r\n"])
def test_an_ontology_may_be_empty_and_without_a_name(text: str) -> None:
    assert parse(text, "t.omn") == OntologyDocument()


@pytest.mark.parametrize(
    ("restriction", "tree"),
    [
        ("u some xsd:string", Expression("DataSomeValuesFrom", E.u, XSD.string)),
        ("u some integer", Expression("DataSomeValuesFrom", E.u, XSD.integer)),
        (
            "u only (not {2})",
            Expression("DataAllValuesFrom", E.u, Expression("DataComplementOf", Expression("DataOneOf", TWO))),
        ),
        ("u some g:t", Expression("DataSomeValuesFrom", E.u, G.t)),
        (
            "u max 2 g:v[< 2]",
            Expression("DataMaxCardinality", 2, E.u, Expression("DatatypeRestriction", G.v, XSD.maxExclusive, TWO)),
        ),
        ('u value "a"', Expression("DataHasValue", E.u, Literal("a"))),
        ("u some B", Expression("ObjectSomeValuesFrom", E.u, B)),
        ("u min 2", Expression("ObjectMinCardinality", 2, E.u)),
        ("u value i", Expression("ObjectHasValue", E.u, IND)),
        ("owl:topDataProperty min 2", Expression("DataMinCardinality", 2, OWL.topDataProperty)),
        ("p some string", Expression("ObjectSomeValuesFrom", P, E.string)),
    ],
)
def test_the_filler_determines_the_kind_of_an_undeclared_property(restriction: str, tree: Expression) -> None:
    assert axioms(f"Class: A SubClassOf: {restriction} Datatype: g:t Class: string")[0] == Expression(
        "SubClassOf", A, tree
    )


def test_a_declaration_decides_even_when_it_comes_last() -> None:
    head = PREFIXES + "Ontology: Class: A SubClassOf: u some B "
    assert parse(head + "DataProperty: <http://e/u>", "t.omn").axioms[1] == Expression(
        "SubClassOf",
        A,
        Expression("DataSomeValuesFrom", E.u, B),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.omn:1:1: expected 'Ontology:', found the end of the file"),
        ("Ontolgy:", "t.omn:1:1: expected 'Ontology:', found Ontolgy: (did you mean 'Ontology:'?)"),
        ("Prefix: e <http://e/>", "t.omn:1:9: expected a prefix that ends with ':', found e"),
        ("Prefix: e: e", "t.omn:1:12: expected the full IRI that the prefix stands for, found e"),
        (
            "Prefix: e: <http://1/>\nPrefix: e: <http://2/>",
            "t.omn:2:12: the prefix 'e:' already stands for <http://1/>",
        ),
        ("Prefix: xsd: <http://1/>", f"t.omn:1:14: the prefix 'xsd:' already stands for <{XSD.iri}>"),
        ("Ontology: Clas: A", "t.omn:1:11: expected a frame such as 'Class:', found Clas: (did you mean 'Class:'?)"),
        (
            "Ontology: <http://e/o> Cla",
            "t.omn:1:24: expected a frame such as 'Class:', found Cla (did you mean 'Class:'?)",
        ),
        ("Ontology: Class: A", "t.omn:1:18: the prefix ':' of 'A' is not declared"),
        ("Ontology: Class: f:A", "t.omn:1:18: the prefix 'f:' of 'f:A' is not declared (did you mean 'rdf:'?)"),
        (
            "Ontology:\n  Class: <A>",
            "t.omn:2:10: <A> is not a valid absolute IRI: No scheme found in an absolute IRI",
        ),
        ("Ontology: Class: <http://e/A B>", "t.omn:1:18: expected an IRI in '<' and '>', without spaces or quotes"),
        (
            'Ontology: Annotations: rdfs:label "a',
            "t.omn:1:35: expected the string that starts here to end, found the end of the file",
        ),
        ("Ontology: ^", "t.omn:1:11: expected a name, a keyword or a literal, found '^'"),
    ],
)
def test_refusals_before_the_frames(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "t.omn")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        (
            "Class: A\n  SubClasOf: B",
            "5:3: expected a section of 'Class:', or another frame, found SubClasOf: (did you mean 'SubClassOf:'?)",
        ),
        (
            "Class: A SubClassOf: B adn C",
            "4:24: expected a section of 'Class:', or another frame, found adn (did you mean 'and'?)",
        ),
        ("Class: A Domain: B", "4:10: expected a section of 'Class:', or another frame, found Domain:"),
        ("SubClassOf: B", "4:1: expected a frame such as 'Class:', found SubClassOf:"),
        ("Class: A SubClassOf: Class: B", "4:22: expected a class expression, found Class:"),
        ("Class: A SubClassOf: B and", "5:1: expected a class expression, found ObjectProperty:"),
        ("Class: A SubClassOf: (B", "5:1: expected ')', found ObjectProperty:"),
        ("Class: A SubClassOf: B,", "5:1: expected a class expression, found ObjectProperty:"),
        ("Class: and", "4:8: expected a class, found and"),
        ("Class: 'my label'", "4:8: expected an IRI, found the label 'my"),
        ("Class: A SubClassOf: p some xsd:string", "4:29: expected a class, not a datatype, found xsd:string"),
        (
            "Class: A SubClassOf: inverse p sme B",
            "4:32: expected a restriction such as 'some', found sme (did you mean 'some'?)",
        ),
        (
            "Class: A SubClassOf: p min -1",
            "4:28: expected a cardinality (a non-negative integer with at most 18 digits), found -1",
        ),
        ("Class: A SubClassOf: d value B", "4:30: expected a literal, found B"),
        ("Class: A SubClassOf: d some {i}", "4:30: expected a literal, found i"),
        (
            "Class: A SubClassOf: d some string[lenght 2]",
            "4:36: expected a facet such as '<=' or 'length', found lenght (did you mean 'length'?)",
        ),
        ("Class: A DisjointUnionOf: B", "5:1: expected ',', found ObjectProperty:"),
        ("DisjointClasses: A", "5:1: expected ',', found ObjectProperty:"),
        ("ObjectProperty: p SubPropertyChain: q", "5:1: expected 'o', found ObjectProperty:"),
        (
            "DataProperty: d Characteristics: Functionl",
            "4:34: expected one of Functional, found Functionl (did you mean 'Functional'?)",
        ),
        ('Individual: i Facts: p "a"', '4:24: expected an individual, found "a"'),
        ("Individual: _:", "4:13: '_:' is not a valid name for an anonymous individual"),
        ('Individual: i Annotations: note "a"@abcdefghi', "4:33: not a valid literal"),
        ("Rule: A(?x) -> B(?x)", "4:1: 'Rule:' is an extension of Manchester syntax that is not supported"),
        ("ValuePartition: v [A]", "4:1: 'ValuePartition:' is an extension of Manchester syntax that is not supported"),
    ],
)
def test_refusals_in_frames(frames: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(frames)
    assert str(caught.value).startswith(f"t.omn:{message}")


HEAD = "Ontology: <http://e/o>"
FRAME = "Class: <http://e/A>"
SECTION = (
    """SubClassOf: Annotations: rdfs:label "x" (<http://e/p> some {<http://e/i>} and <http://e/d> max 2 integer[> 1])"""
)


def test_a_truncated_document_is_refused_unless_the_rest_is_valid() -> None:
    whole = f"{HEAD}\n{FRAME}\n{SECTION}"
    for cut in range(len(HEAD), len(whole)):
        if whole[:cut].strip() in (HEAD, f"{HEAD}\n{FRAME}"):
            parse(whole[:cut], "t.omn")
        else:
            with pytest.raises(InputError):
                parse(whole[:cut], "t.omn")


@pytest.mark.parametrize(
    "frames",
    [
        "Class: A SubClassOf: " + "(" * 100_000,
        "Class: A SubClassOf: " + "not " * 100_000 + "A",
        "Class: A SubClassOf: " + "p some " * 100_000 + "A",
        "Class: A SubClassOf: u some " + "(" * 100_000,
        "Class: A SubClassOf: d some " + "(" * 100_000,
        "Class: A SubClassOf: " + "Annotations: " * 100_000,
    ],
)
def test_deep_nesting_is_refused(frames: str) -> None:
    with pytest.raises(InputError, match="nested more than 200 levels deep"):
        read(frames)


@pytest.mark.parametrize("level", ["({})", "p some {}", "not {}", "(A and {})"])
def test_nesting_below_the_limit_is_read(level: str) -> None:
    text = "B"
    for _ in range(190):
        text = level.replace("{}", text)
    assert axioms(f"Class: A SubClassOf: {text}")[0][0] == "SubClassOf"


@pytest.mark.parametrize(
    "text",
    [
        "Ontology: " + "<" * 300_000,
        "Ontology: <" + "a" * 300_000,
        'Ontology: "' + "\\a" * 150_000,
        'Ontology: "' + "a" * 300_000,
        "Ontology: " + "Class: " * 50_000,
        "Ontology: " + "a" * 300_000 + ":",
        "Ontology: Class: <http://e/A> SubClassOf: <http://e/p> min " + "9" * 300_000,
        "Ontology: Class: <http://e/A> DisjointWith: " + "<http://e/p> some (" * 50_000,
        "#" * 300_000,
    ],
)
def test_long_nonsense_is_refused_quickly(text: str) -> None:
    started = time.process_time()
    with pytest.raises(InputError) as caught:
        parse(text, "t.omn")
    assert time.process_time() - started < 10
    assert len(str(caught.value)) < 1000


def test_a_long_document_takes_linear_time() -> None:
    frames = "Class: A SubClassOf: p some B, d some integer[> 1], " + ", ".join(["p some {i, j}"] * 20_000)
    started = time.process_time()
    assert len(axioms(frames)) == 20_002
    assert time.process_time() - started < 15


def refused(frames: str) -> InputError | None:
    try:
        read(frames)
    except InputError as error:
        return error
    return None


PIECES = [*sorted(KEYWORDS | RESERVED), "A", "p", "d", "g:x", "<http://e/>", '"s"', "2", "_:x", *"()[]{},", "^^", "@en"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_any_sequence_of_tokens_is_read_or_refused(pieces: list[str]) -> None:
    refusal = refused("Class: A SubClassOf: " + " ".join(pieces))
    assert refusal is None or str(refusal).startswith("t.omn:")


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    refusal = refused(text)
    assert refusal is None or str(refusal).startswith("t.omn:")
