"""Axioms in words: one case for each construct."""

from __future__ import annotations

import pytest

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.axioms.grammar import HEADS
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDFS, XSD, BlankNode, Literal
from kgprobe.ontology.axioms import AxiomView
from kgprobe.ontology.words import axiom_in_words, in_words, labels_of
from ontology.turtle import EX, graph_of

A, B, C, p, q, r, d, i, j, k = (EX[name] for name in ("A", "B", "C", "p", "q", "r", "d", "i", "j", "k"))
_one, _text = Literal("1", datatype=XSD.integer), Literal("why")
x, y = ("Variable", EX.x), ("Variable", EX.y)
_note = ("Annotation", RDFS.comment, _text)

_CASES: list[tuple[Expression, str]] = [
    (("Ontology", EX.o), "Ontology: o"),
    (("Import", EX.o), "Import: o"),
    (("Annotation", RDFS.comment, _text), 'rdfs:comment "why"'),
    (("Class", A), "Class: A"),
    (("Datatype", A), "Datatype: A"),
    (("ObjectProperty", p), "ObjectProperty: p"),
    (("DataProperty", d), "DataProperty: d"),
    (("AnnotationProperty", p), "AnnotationProperty: p"),
    (("NamedIndividual", i), "Individual: i"),
    (("Declaration", ("Class", A)), "Class: A"),
    (("ObjectInverseOf", p), "inverse p"),
    (("ObjectPropertyChain", p, q), "p o q"),
    (("ObjectIntersectionOf", A, B, C), "A and B and C"),
    (("ObjectUnionOf", A, ("ObjectIntersectionOf", B, C)), "A or (B and C)"),
    (("ObjectComplementOf", A), "not A"),
    (("ObjectOneOf", i, BlankNode("n")), "{i, _:n}"),
    (("ObjectSomeValuesFrom", ("ObjectInverseOf", p), ("ObjectOneOf", i)), "(inverse p) some {i}"),
    (("ObjectAllValuesFrom", p, OWL.Thing), "p only owl:Thing"),
    (("ObjectHasValue", p, i), "p value i"),
    (("ObjectHasSelf", p), "p Self"),
    (("ObjectMinCardinality", 2, p), "p min 2"),
    (("ObjectMaxCardinality", 2, p, A), "p max 2 A"),
    (("ObjectExactCardinality", 2, p, ("ObjectUnionOf", A, B)), "p exactly 2 (A or B)"),
    (("DataSomeValuesFrom", d, q, XSD.integer), "d, q some xsd:integer"),
    (("DataAllValuesFrom", d, XSD.integer), "d only xsd:integer"),
    (("DataHasValue", d, _one), "d value 1"),
    (("DataMinCardinality", 2, d), "d min 2"),
    (("DataMaxCardinality", 2, d, XSD.integer), "d max 2 xsd:integer"),
    (("DataExactCardinality", 0, d), "d exactly 0"),
    (("DataIntersectionOf", XSD.integer, XSD.byte), "xsd:integer and xsd:byte"),
    (("DataUnionOf", XSD.integer, XSD.byte), "xsd:integer or xsd:byte"),
    (("DataComplementOf", XSD.integer), "not xsd:integer"),
    (("DataOneOf", _one, Literal("x", language="en"), Literal("1", datatype=XSD.byte)), '{1, "x"@en, "1"^^xsd:byte}'),
    (
        ("DatatypeRestriction", XSD.integer, XSD.minInclusive, _one, XSD.pattern, _text),
        'xsd:integer[>= 1, xsd:pattern "why"]',
    ),
    (("SubClassOf", A, ("ObjectSomeValuesFrom", p, B)), "A SubClassOf p some B"),
    (("EquivalentClasses", A, B), "A EquivalentTo B"),
    (("DisjointClasses", A, B), "A DisjointWith B"),
    (("DisjointClasses", A, B, C), "DisjointClasses: A, B, C"),
    (("DisjointUnion", A, B, C), "A DisjointUnionOf B, C"),
    (("SubObjectPropertyOf", ("ObjectPropertyChain", p, q), r), "p o q SubPropertyOf r"),
    (("EquivalentObjectProperties", p, q), "p EquivalentTo q"),
    (("DisjointObjectProperties", p, q), "p DisjointWith q"),
    (("InverseObjectProperties", p, q), "p InverseOf q"),
    (("ObjectPropertyDomain", p, A), "p Domain A"),
    (("ObjectPropertyRange", p, A), "p Range A"),
    (("FunctionalObjectProperty", p), "Functional: p"),
    (("InverseFunctionalObjectProperty", p), "InverseFunctional: p"),
    (("ReflexiveObjectProperty", p), "Reflexive: p"),
    (("IrreflexiveObjectProperty", p), "Irreflexive: p"),
    (("SymmetricObjectProperty", p), "Symmetric: p"),
    (("AsymmetricObjectProperty", p), "Asymmetric: p"),
    (("TransitiveObjectProperty", p), "Transitive: p"),
    (("SubDataPropertyOf", d, q), "d SubPropertyOf q"),
    (("EquivalentDataProperties", d, q), "d EquivalentTo q"),
    (("DisjointDataProperties", d, p, q), "DisjointProperties: d, p, q"),
    (("DataPropertyDomain", d, A), "d Domain A"),
    (("DataPropertyRange", d, XSD.integer), "d Range xsd:integer"),
    (("FunctionalDataProperty", d), "Functional: d"),
    (("DatatypeDefinition", A, XSD.integer), "A EquivalentTo xsd:integer"),
    (("HasKey", A, ("", p, q), ("", d)), "A HasKey p, q, d"),
    (("HasKey", A, ("",), ("", d)), "A HasKey d"),
    (("SameIndividual", i, j), "i SameAs j"),
    (("DifferentIndividuals", i, j, k), "DifferentIndividuals: i, j, k"),
    (("ClassAssertion", ("ObjectUnionOf", A, B), i), "i Type A or B"),
    (("ObjectPropertyAssertion", p, i, j), "i p j"),
    (("NegativeObjectPropertyAssertion", p, i, j), "not (i p j)"),
    (("DataPropertyAssertion", d, i, _one), "i d 1"),
    (("NegativeDataPropertyAssertion", d, i, _one), "not (i d 1)"),
    (("AnnotationAssertion", RDFS.comment, A, _text), 'A rdfs:comment "why"'),
    (("SubAnnotationPropertyOf", p, q), "p SubPropertyOf q"),
    (("AnnotationPropertyDomain", p, A), "p Domain A"),
    (("AnnotationPropertyRange", p, A), "p Range A"),
    (("Variable", EX.x), "?x"),
    (("ClassAtom", ("ObjectHasSelf", p), x), "(p Self)(?x)"),
    (("DataRangeAtom", XSD.integer, y), "xsd:integer(?y)"),
    (("DataPropertyAtom", d, x, _one), "d(?x, 1)"),
    (("BuiltInAtom", EX.greaterThan, y, _one), "greaterThan(?y, 1)"),
    (("SameIndividualAtom", x, y), "SameAs(?x, ?y)"),
    (("DifferentIndividualsAtom", x, i), "DifferentFrom(?x, i)"),
    (("Body", ("ClassAtom", A, x), ("ClassAtom", B, x)), "A(?x), B(?x)"),
    (("Head", ("ClassAtom", A, x)), "A(?x)"),
    (
        ("DLSafeRule", ("Body", ("ObjectPropertyAtom", p, x, y)), ("Head", ("ClassAtom", A, x))),
        "p(?x, ?y) -> A(?x)",
    ),
    (("ObjectPropertyAtom", p, x, y), "p(?x, ?y)"),
    (("SubClassOf", _note, A, B), 'A SubClassOf B [rdfs:comment "why"]'),
    (
        ("SubClassOf", ("Annotation", _note, RDFS.label, _text), _note, A, B),
        'A SubClassOf B [rdfs:label "why" [rdfs:comment "why"], rdfs:comment "why"]',
    ),
]


@pytest.mark.parametrize(("tree", "words"), _CASES, ids=[words for _, words in _CASES])
def test_construct(tree: Expression, words: str) -> None:
    assert in_words(tree, Graph()) == words


def test_every_construct_has_a_case() -> None:
    assert HEADS - {str(tree[0]) for tree, _ in _CASES} == frozenset()


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


def test_a_name_that_is_no_word_keeps_its_prefix_or_its_brackets() -> None:
    graph = graph_of("")
    assert in_words(("Class", EX["a(b)"]), graph) == "Class: <http://example.org/a(b)>"
    assert in_words(("Class", EX[""]), graph) == "Class: :"


def test_what_is_no_axiom_is_shown_as_triples() -> None:
    graph = graph_of(":A rdfs:subClassOf _:n . _:n rdf:first :B .")
    (axiom,) = AxiomView(graph)
    assert axiom_in_words(axiom, graph) == ":A rdfs:subClassOf _:n ; _:n rdf:first :B"


def test_a_deep_expression_does_not_exhaust_the_stack() -> None:
    tree: Expression = ("ObjectComplementOf", A)
    for _ in range(5000):
        tree = ("ObjectComplementOf", tree)
    assert in_words(tree, Graph()).count("not") == 5001
