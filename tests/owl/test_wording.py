"""Axioms in words: one case for each construct."""

from __future__ import annotations

import pytest
from support.turtle import EX, graph_of

from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.expression import Expression
from kgprobe.owl.grammar import HEADS
from kgprobe.owl.wording import axiom_in_words, in_words, labels_of, name_in_words
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDFS, XSD, BlankNode, Literal

A, B, C, p, q, r, d, i, j, k = (EX[name] for name in ("A", "B", "C", "p", "q", "r", "d", "i", "j", "k"))
_one, _text = Literal("1", datatype=XSD.integer), Literal("why")
x, y = Expression("Variable", EX.x), Expression("Variable", EX.y)
_note = Expression("Annotation", RDFS.comment, _text)

_CASES: list[tuple[Expression, str]] = [
    (Expression("Ontology", EX.o), "Ontology: o"),
    (Expression("Import", EX.o), "Import: o"),
    (Expression("Annotation", RDFS.comment, _text), 'rdfs:comment "why"'),
    (Expression("Class", A), "Class: A"),
    (Expression("Datatype", A), "Datatype: A"),
    (Expression("ObjectProperty", p), "ObjectProperty: p"),
    (Expression("DataProperty", d), "DataProperty: d"),
    (Expression("AnnotationProperty", p), "AnnotationProperty: p"),
    (Expression("NamedIndividual", i), "Individual: i"),
    (Expression("Declaration", Expression("Class", A)), "Class: A"),
    (Expression("ObjectInverseOf", p), "inverse p"),
    (Expression("ObjectPropertyChain", p, q), "p o q"),
    (Expression("ObjectIntersectionOf", A, B, C), "A and B and C"),
    (Expression("ObjectUnionOf", A, Expression("ObjectIntersectionOf", B, C)), "A or (B and C)"),
    (Expression("ObjectComplementOf", A), "not A"),
    (Expression("ObjectOneOf", i, BlankNode("n")), "{i, _:n}"),
    (
        Expression("ObjectSomeValuesFrom", Expression("ObjectInverseOf", p), Expression("ObjectOneOf", i)),
        "(inverse p) some {i}",
    ),
    (Expression("ObjectAllValuesFrom", p, OWL.Thing), "p only owl:Thing"),
    (Expression("ObjectHasValue", p, i), "p value i"),
    (Expression("ObjectHasSelf", p), "p Self"),
    (Expression("ObjectMinCardinality", 2, p), "p min 2"),
    (Expression("ObjectMaxCardinality", 2, p, A), "p max 2 A"),
    (Expression("ObjectExactCardinality", 2, p, Expression("ObjectUnionOf", A, B)), "p exactly 2 (A or B)"),
    (Expression("DataSomeValuesFrom", d, q, XSD.integer), "d, q some xsd:integer"),
    (Expression("DataAllValuesFrom", d, XSD.integer), "d only xsd:integer"),
    (Expression("DataHasValue", d, _one), "d value 1"),
    (Expression("DataMinCardinality", 2, d), "d min 2"),
    (Expression("DataMaxCardinality", 2, d, XSD.integer), "d max 2 xsd:integer"),
    (Expression("DataExactCardinality", 0, d), "d exactly 0"),
    (Expression("DataIntersectionOf", XSD.integer, XSD.byte), "xsd:integer and xsd:byte"),
    (Expression("DataUnionOf", XSD.integer, XSD.byte), "xsd:integer or xsd:byte"),
    (Expression("DataComplementOf", XSD.integer), "not xsd:integer"),
    (
        Expression("DataOneOf", _one, Literal("x", language="en"), Literal("1", datatype=XSD.byte)),
        '{1, "x"@en, "1"^^xsd:byte}',
    ),
    (
        Expression("DatatypeRestriction", XSD.integer, XSD.minInclusive, _one, XSD.pattern, _text),
        'xsd:integer[>= 1, xsd:pattern "why"]',
    ),
    (Expression("SubClassOf", A, Expression("ObjectSomeValuesFrom", p, B)), "A SubClassOf p some B"),
    (Expression("EquivalentClasses", A, B), "A EquivalentTo B"),
    (Expression("DisjointClasses", A, B), "A DisjointWith B"),
    (Expression("DisjointClasses", A, B, C), "DisjointClasses: A, B, C"),
    (Expression("DisjointUnion", A, B, C), "A DisjointUnionOf B, C"),
    (Expression("SubObjectPropertyOf", Expression("ObjectPropertyChain", p, q), r), "p o q SubPropertyOf r"),
    (Expression("EquivalentObjectProperties", p, q), "p EquivalentTo q"),
    (Expression("DisjointObjectProperties", p, q), "p DisjointWith q"),
    (Expression("InverseObjectProperties", p, q), "p InverseOf q"),
    (Expression("ObjectPropertyDomain", p, A), "p Domain A"),
    (Expression("ObjectPropertyRange", p, A), "p Range A"),
    (Expression("FunctionalObjectProperty", p), "Functional: p"),
    (Expression("InverseFunctionalObjectProperty", p), "InverseFunctional: p"),
    (Expression("ReflexiveObjectProperty", p), "Reflexive: p"),
    (Expression("IrreflexiveObjectProperty", p), "Irreflexive: p"),
    (Expression("SymmetricObjectProperty", p), "Symmetric: p"),
    (Expression("AsymmetricObjectProperty", p), "Asymmetric: p"),
    (Expression("TransitiveObjectProperty", p), "Transitive: p"),
    (Expression("SubDataPropertyOf", d, q), "d SubPropertyOf q"),
    (Expression("EquivalentDataProperties", d, q), "d EquivalentTo q"),
    (Expression("DisjointDataProperties", d, p, q), "DisjointProperties: d, p, q"),
    (Expression("DataPropertyDomain", d, A), "d Domain A"),
    (Expression("DataPropertyRange", d, XSD.integer), "d Range xsd:integer"),
    (Expression("FunctionalDataProperty", d), "Functional: d"),
    (Expression("DatatypeDefinition", A, XSD.integer), "A EquivalentTo xsd:integer"),
    (Expression("HasKey", A, Expression("", p, q), Expression("", d)), "A HasKey p, q, d"),
    (Expression("HasKey", A, Expression(""), Expression("", d)), "A HasKey d"),
    (Expression("SameIndividual", i, j), "i SameAs j"),
    (Expression("DifferentIndividuals", i, j, k), "DifferentIndividuals: i, j, k"),
    (Expression("ClassAssertion", Expression("ObjectUnionOf", A, B), i), "i Type A or B"),
    (Expression("ObjectPropertyAssertion", p, i, j), "i p j"),
    (Expression("NegativeObjectPropertyAssertion", p, i, j), "not (i p j)"),
    (Expression("DataPropertyAssertion", d, i, _one), "i d 1"),
    (Expression("NegativeDataPropertyAssertion", d, i, _one), "not (i d 1)"),
    (Expression("AnnotationAssertion", RDFS.comment, A, _text), 'A rdfs:comment "why"'),
    (Expression("SubAnnotationPropertyOf", p, q), "p SubPropertyOf q"),
    (Expression("AnnotationPropertyDomain", p, A), "p Domain A"),
    (Expression("AnnotationPropertyRange", p, A), "p Range A"),
    (Expression("Variable", EX.x), "?x"),
    (Expression("ClassAtom", Expression("ObjectHasSelf", p), x), "(p Self)(?x)"),
    (Expression("DataRangeAtom", XSD.integer, y), "xsd:integer(?y)"),
    (Expression("DataPropertyAtom", d, x, _one), "d(?x, 1)"),
    (Expression("BuiltInAtom", EX.greaterThan, y, _one), "greaterThan(?y, 1)"),
    (Expression("SameIndividualAtom", x, y), "SameAs(?x, ?y)"),
    (Expression("DifferentIndividualsAtom", x, i), "DifferentFrom(?x, i)"),
    (Expression("Body", Expression("ClassAtom", A, x), Expression("ClassAtom", B, x)), "A(?x), B(?x)"),
    (Expression("Head", Expression("ClassAtom", A, x)), "A(?x)"),
    (
        Expression(
            "DLSafeRule",
            Expression("Body", Expression("ObjectPropertyAtom", p, x, y)),
            Expression("Head", Expression("ClassAtom", A, x)),
        ),
        "p(?x, ?y) -> A(?x)",
    ),
    (Expression("ObjectPropertyAtom", p, x, y), "p(?x, ?y)"),
    (Expression("SubClassOf", _note, A, B), 'A SubClassOf B [rdfs:comment "why"]'),
    (
        Expression("SubClassOf", Expression("Annotation", _note, RDFS.label, _text), _note, A, B),
        'A SubClassOf B [rdfs:label "why" [rdfs:comment "why"], rdfs:comment "why"]',
    ),
]


@pytest.mark.parametrize(("tree", "words"), _CASES, ids=[words for _, words in _CASES])
def test_construct(tree: Expression, words: str) -> None:
    assert in_words(tree, Graph()) == words


def test_every_construct_has_a_case() -> None:
    assert HEADS - {tree.head for tree, _ in _CASES} == frozenset()


def test_labels_stand_for_names() -> None:
    graph = graph_of(
        """:p a owl:ObjectProperty ; skos:prefLabel "served with"@en .
        :T1 rdfs:label "Thee"@de, "Tea"@en ; rdfs:subClassOf [a owl:Restriction ; owl:onProperty :p ;
            owl:someValuesFrom :Milk] ."""
    )
    words = [axiom_in_words(axiom, graph) for axiom in AxiomView(graph) if axiom.head == "SubClassOf"]
    assert words == ["Tea SubClassOf 'served with' some Milk"]


def test_all_labels_of_a_name_with_the_one_that_stands_for_it_first() -> None:
    graph = graph_of(':T rdfs:label "Thee"@de, "black\\n tea"@en, " " ; skos:prefLabel "Tee"@de, "Thee" .')
    assert labels_of(EX.T, graph) == ["black tea", "Thee", "Tee"]
    assert labels_of(EX.other, graph) == []


def test_a_name_that_is_not_a_word_keeps_its_prefix_or_brackets() -> None:
    graph = graph_of("")
    assert in_words(Expression("Class", EX["a(b)"]), graph) == "Class: <http://example.org/a(b)>"
    assert in_words(Expression("Class", EX[""]), graph) == "Class: :"


def test_triples_that_are_not_axioms_are_shown_as_triples() -> None:
    graph = graph_of(":A rdfs:subClassOf _:n . _:n rdf:first :B .")
    (axiom,) = AxiomView(graph)
    assert axiom_in_words(axiom, graph) == ":A rdfs:subClassOf _:n ; _:n rdf:first :B"


def test_a_deep_expression_does_not_exhaust_the_stack() -> None:
    tree: Expression = Expression("ObjectComplementOf", A)
    for _ in range(5000):
        tree = Expression("ObjectComplementOf", tree)
    assert in_words(tree, Graph()).count("not") == 5001


def test_english_labels_come_before_others() -> None:
    graph = graph_of(':a rdfs:label "cidade"@pt ; skos:prefLabel "city"@en .')
    assert labels_of(EX.a, graph) == ["city", "cidade"]


def test_a_label_in_another_language_is_used_only_for_a_name_that_says_nothing() -> None:
    graph = graph_of(
        ':City rdfs:label "Stadt"@de . :Q42 rdfs:label "ville"@fr . :T_0001 rdfs:label "Markt"@de . '
        ':Tea rdfs:label "Thee"@de, "Cha"@en . :Town rdfs:label "town" , "Ort"@de .'
    )
    words = [name_in_words(EX[name], graph) for name in ("City", "Q42", "T_0001", "Tea", "Town")]
    assert words == ["City", "ville", "Markt", "Cha", "town"]
