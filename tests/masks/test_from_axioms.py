"""Masks from axioms: they demand what the axioms state, and the graph itself is always admissible."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.shared_data import needs_shared_data, shared
from support.turtle import graph_in, turtle

from kgprobe.formats.files import load
from kgprobe.masks import from_axioms
from kgprobe.masks.from_axioms import AxiomMask, mask_from_axioms
from kgprobe.masks.shacl import ENGINES, ShaclCheck
from kgprobe.rdf.graph import Graph

_NAMES = """
:A a owl:Class . :B a owl:Class . :C a owl:Class . :Sub a owl:Class ; rdfs:subClassOf :A .
:p a owl:ObjectProperty . :q a owl:ObjectProperty . :d a owl:DatatypeProperty . :e a owl:DatatypeProperty .
"""


def _graph(text: str) -> Graph:
    return graph_in(turtle(_NAMES + text))


def _check(mask: AxiomMask, engine: str = "shifty") -> ShaclCheck:
    return ShaclCheck(graph_in(mask.text), "mask", engine=engine)


def _restriction(on: str, words: str) -> str:
    return f":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty {on} ; {words} ] ."


def _restricted(datatype: str, facet: str) -> str:
    facets = f"owl:withRestrictions ( [ {facet} ] )"
    return f":d rdfs:range [ a rdfs:Datatype ; owl:onDatatype {datatype} ; {facets} ] ."


_SOME = _restriction(":p", "owl:someValuesFrom :B")
_QUALIFIED = "owl:onClass :B ; owl:{}QualifiedCardinality 1"

# An axiom, facts that are admissible with it, and facts that are not.
_SAID = [
    (":p rdfs:domain :A .", ":x :p :y ; a :Sub .", ":x :p :y ; a :B ."),
    (":p rdfs:range :A .", ":x :p :y . :y a :A .", ":x :p :y . :y a :B ."),
    (":p rdfs:domain [ a owl:Class ; owl:unionOf ( :A :B ) ] .", ":x :p :y ; a :B .", ":x :p :y ; a :C ."),
    (":d rdfs:domain :A .", ":x :d 1 ; a :A .", ":x :d 1 ; a :B ."),
    (":d rdfs:range xsd:string .", ':x :d "a" .', ":x :d 1 ."),
    (":d rdfs:range xsd:decimal .", ':x :d 1.5 , 1 , "1"^^xsd:byte .', ":x :d 1e0 ."),
    (":d rdfs:range xsd:integer .", ':x :d 1 , "1"^^xsd:nonNegativeInteger .', ":x :d 1.5 ."),
    (":d rdfs:range rdfs:Literal .", ':x :d 1 , "a"@en .', ":x :d :y ."),
    (':d rdfs:range [ a rdfs:Datatype ; owl:oneOf ( "on" "off" ) ] .', ':x :d "on" .', ':x :d "maybe" .'),
    (
        _restricted("xsd:integer", "xsd:minInclusive 1"),
        ":x :d 1 .",
        ":x :d 0 .",
    ),
    (":A owl:disjointWith :B .", ":x a :A , :C .", ":x a :Sub , :B ."),
    ("[] a owl:AllDisjointClasses ; owl:members ( :A :B :C ) .", ":x a :A . :y a :C .", ":x a :B , :C ."),
    (":A owl:disjointUnionOf ( :B :C ) .", ":x a :A , :B .", ":x a :B , :C ."),
    (":A owl:disjointUnionOf ( :B :C ) .", ":x a :A , :B .", ":x a :A ."),
    (":p a owl:FunctionalProperty .", ":x :p :y .", ":x :p :y , :z ."),
    (":d a owl:FunctionalProperty .", ":x :d 1 .", ":x :d 1 , 2 ."),
    (":p a owl:InverseFunctionalProperty .", ":x :p :y , :z .", ":x :p :z . :y :p :z ."),
    (":p a owl:AsymmetricProperty .", ":x :p :y .", ":x :p :y . :y :p :x ."),
    (":p owl:propertyDisjointWith :q .", ":x :p :y ; :q :z .", ":x :p :y ; :q :y ."),
    (":d owl:propertyDisjointWith :e .", ":x :d 1 ; :e 2 .", ":x :d 1 ; :e 1 ."),
    (_SOME, ":x a :A ; :p :y , :z . :y a :B .", ":x a :A ; :p :y . :y a :C ."),
    (_restriction(":p", "owl:someValuesFrom owl:Thing"), ":x a :A ; :p :y .", ":x a :A ."),
    (_restriction(":p", "owl:allValuesFrom :B"), ":x a :A . :y a :A ; :p :z . :z a :B .", ":x a :A ; :p :y ."),
    (_restriction(":p", "owl:hasValue :y"), ":x a :A ; :p :y .", ":x a :A ; :p :z ."),
    (_restriction(":d", "owl:hasValue 5"), ":x a :A ; :d 5 .", ":x a :A ; :d 6 ."),
    (_restriction(":d", "owl:someValuesFrom xsd:string"), ':x a :A ; :d "a" , 1 .', ":x a :A ; :d 1 ."),
    (_restriction(":d", "owl:allValuesFrom xsd:string"), ':x a :A ; :d "a" .', ':x a :A ; :d "a" , 1 .'),
    (_restriction(":p", "owl:minCardinality 2"), ":x a :A ; :p :y , :z .", ":x a :A ; :p :y ."),
    (_restriction(":p", "owl:maxCardinality 1"), ":x a :A ; :p :y .", ":x a :A ; :p :y , :z ."),
    (_restriction(":d", "owl:cardinality 1"), ":x a :A ; :d 1 .", ":x a :A ."),
    (_restriction(":d", "owl:cardinality 1"), ":x a :A ; :d 1 .", ":x a :A ; :d 1 , 2 ."),
    (_restriction(":p", _QUALIFIED.format("min")), ":x a :A ; :p :y . :y a :B .", ":x a :A ; :p :y ."),
    (
        _restriction(":p", _QUALIFIED.format("max")),
        ":x a :A ; :p :y , :z . :y a :B .",
        ":x a :A ; :p :y , :z . :y a :B . :z a :B .",
    ),
    (
        _restriction("[ owl:inverseOf :p ]", "owl:someValuesFrom owl:Thing"),
        ":x a :A . :y :p :x .",
        ":x a :A ; :p :y .",
    ),
    (":A rdfs:subClassOf [ a owl:Class ; owl:complementOf :B ] .", ":x a :A .", ":x a :A , :B ."),
    (":A rdfs:subClassOf [ a owl:Class ; owl:oneOf ( :x :y ) ] .", ":x a :A .", ":z a :A ."),
    (":A rdfs:subClassOf owl:Nothing .", ":x a :B .", ":x a :A ."),
    (
        ":A owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :C [ a owl:Restriction ; "
        "owl:onProperty :p ; owl:someValuesFrom :B ] ) ] .",
        ":x a :A ; :p :y . :y a :B .",
        ":x a :A .",
    ),
    (
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :x ; owl:assertionProperty :p ; "
        "owl:targetIndividual :y .",
        ":x :p :z .",
        ":x :p :y .",
    ),
]


@pytest.mark.parametrize(("axiom", "right", "wrong"), _SAID)
def test_a_shape_demands_what_its_axiom_states(axiom: str, right: str, wrong: str) -> None:
    mask = mask_from_axioms(_graph(axiom + right))
    check = _check(mask)
    assert check.admits(_graph(axiom + right))
    assert not check.admits(_graph(axiom + wrong)), mask.text


@pytest.mark.parametrize(("axiom", "wrong"), [(axiom, wrong) for axiom, _, wrong in _SAID])
def test_axioms_that_the_graph_violates_are_left_out(axiom: str, wrong: str) -> None:
    graph = _graph(axiom + wrong)
    mask = mask_from_axioms(graph)
    assert _check(mask).admits(graph)
    assert any(each.reason == "that the graph itself does not satisfy" for each in mask.left_out)


@pytest.mark.parametrize("engine", ENGINES)
def test_both_engines_understand_every_shape(engine: str) -> None:
    graph = _graph(" ".join(dict.fromkeys(axiom for axiom, _, _ in _SAID)))
    mask = mask_from_axioms(graph)
    assert mask.shapes > 30
    assert _check(mask, engine).admits(graph)
    assert not _check(mask, engine).admits(_graph(":x a :A , :B ; :p :y , :z ; :d 1 , 2 ."))


@pytest.mark.parametrize(
    ("axiom", "reason"),
    [
        (":A rdfs:subClassOf :B .", "that only imply facts and forbid nothing"),
        (":A owl:equivalentClass :B .", "that only imply facts and forbid nothing"),
        (":p rdfs:domain owl:Thing .", "that only imply facts and forbid nothing"),
        (":p rdfs:subPropertyOf :q .", "that only imply facts and forbid nothing"),
        (":p owl:inverseOf :q .", "that only imply facts and forbid nothing"),
        (":p a owl:TransitiveProperty .", "that only imply facts and forbid nothing"),
        (_restriction(":p", "owl:minCardinality 0"), "that only imply facts and forbid nothing"),
        (_restriction(":p", "owl:allValuesFrom owl:Thing"), "that only imply facts and forbid nothing"),
        (":p a owl:IrreflexiveProperty .", "that SHACL Core cannot express"),
        (_restriction(":p", "owl:hasSelf true"), "that SHACL Core cannot express"),
        (":A owl:hasKey ( :d ) .", "that SHACL Core cannot express"),
        ("[ a owl:Class ; owl:complementOf :A ] rdfs:subClassOf :B .", "whose left side is not a named class"),
        ("owl:Thing rdfs:subClassOf [ a owl:Class ; owl:complementOf :B ] .", "about everything"),
        (":x owl:sameAs :y .", "about which names mean the same thing"),
        (":d rdfs:range :Odd . :Odd a rdfs:Datatype .", "with datatypes that SHACL does not know"),
        (
            _restricted("xsd:string", 'xsd:pattern "a+"'),
            "with facets that SHACL Core does not have",
        ),
        (_restriction(":p", "owl:hasValue _:y") + " _:y a :B .", "about a blank node"),
    ],
)
def test_axioms_without_a_shape_are_left_out_with_the_reason(axiom: str, reason: str) -> None:
    mask = mask_from_axioms(_graph(axiom))
    assert mask.shapes == 0
    assert any(each.reason.startswith(reason) for each in mask.left_out), mask.left_out
    assert all(str(each) in mask.text for each in mask.left_out)


def test_the_number_of_shapes_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_axioms, "MOST_SHAPES", 2)
    mask = mask_from_axioms(_graph(":p rdfs:domain :A ; rdfs:range :B . :d rdfs:domain :A . :q rdfs:domain :A ."))
    assert mask.shapes == 2
    assert [each.count for each in mask.left_out if each.reason.startswith("beyond")] == [2]


def test_hostile_names_and_labels_cannot_escape_comments() -> None:
    graph = _graph(':p rdfs:domain :A ; rdfs:label "a\\n:evil a :Shape .\\r# \\u2028b" .')
    text = mask_from_axioms(graph).text
    assert "evil" in text
    assert [line for line in text.splitlines() if line.startswith(":evil")] == []


_REAL = ("geo/geo_original.ttl", "suave/suave_original_with_imports.ttl", "pipes/pipes.ttl", "pizza/pizza-new.owl")


@needs_shared_data
@pytest.mark.parametrize(("path", "least"), [*zip(_REAL, (50, 80, 5, 900), strict=True)])
def test_real_ontologies_are_admissible_under_their_own_masks(path: str, least: int) -> None:
    graph = load(shared(path)).graph
    mask = mask_from_axioms(graph)
    assert mask.shapes >= least
    assert _check(mask).admits(graph)


@needs_shared_data
def test_vocabularies_are_admissible_under_their_own_masks() -> None:
    files = sorted((Path(shared("")).parent / "vocabularies").iterdir())
    assert len(files) >= 9
    for file in files:
        graph = load(file).graph
        assert _check(mask_from_axioms(graph)).admits(graph), file.name
