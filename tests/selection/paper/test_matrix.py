"""The entities of an ontology that tests use, read from their queries, terms and matrices."""

from __future__ import annotations

import pytest

from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Term
from kgprobe.selection.discovery.declared import MATRIX
from kgprobe.selection.discovery.sparql_files import SPARQL
from kgprobe.selection.discovery.sql_files import SQL
from kgprobe.selection.paper.expressions import Entity
from kgprobe.selection.paper.model import OntologyGraph, entities_of, matrix
from kgprobe.selection.tests import TermUse
from kgprobe.selection.tests import Test as Case
from kgprobe.sparql.uses import ANYTHING, AnyUse, Condition, PathUse, Slot, TripleUse
from selection.paper.versions import graph_of, iri, model_of, node, rows, unclassified, use_of

_ONTOLOGY = """
:A a owl:Class . :B a owl:Class . :C a owl:Class .
:p a owl:ObjectProperty ; rdfs:domain :A . :q a owl:ObjectProperty ; rdfs:subPropertyOf :p .
:A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] ,
  [ a owl:Restriction ; owl:onProperty :p ; owl:allValuesFrom :B ] ,
  [ a owl:Restriction ; owl:onProperty :q ; owl:minCardinality 2 ] .
"""
_OF_P = {("A", "B", "p[some]"), ("A", "B", "p[only]"), ("A", "owl:Thing", "p"), ("q", "p", "subPropertyOf")}
_X, _R = Variable("x"), Variable("r", hidden=True)


@pytest.fixture(scope="module")
def model() -> OntologyGraph:
    return model_of(_ONTOLOGY)


def _query(*patterns: TriplePattern) -> Case:
    return Case("query.rq", SPARQL, uses=tuple(map(use_of, patterns)), patterns=patterns)


def _patterns(turtle: str) -> list[TriplePattern]:
    """Triples as the patterns of a query, with blank nodes as variables."""

    def part(term: Term) -> Variable | Term:
        return Variable(term.value, hidden=True) if isinstance(term, BlankNode) else term

    return [(part(each.subject), each.predicate, part(each.object)) for each in graph_of(turtle)]  # type: ignore[arg-type]  # no triple is a subject


def _restriction(source: Variable | Term, name: Variable | Term, filler: Variable | Term) -> list[TriplePattern]:
    return [(source, RDFS.subClassOf, _R), (_R, OWL.onProperty, name), (_R, OWL.someValuesFrom, filler)]


# -- classes and properties ----------------------------------------------------------------------------------------


def _one(name: str) -> Slot:
    return Slot(frozenset([iri(name)]))


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (TermUse(iri("A")), {("A", "-", "-")}),
        (TermUse(iri("p")), _OF_P),
        (TermUse(iri("q")), {("A", "owl:Thing", "q[min 2]"), ("q", "p", "subPropertyOf")}),
        (TermUse(iri("unknown")), set()),
        (TermUse(OWL.Thing), {("owl:Thing", "-", "-")}),
        (TermUse(OWL.Nothing), set()),
        (TripleUse(ANYTHING, Slot(frozenset([RDF.type])), _one("A")), {("A", "-", "-")}),
        (TripleUse(Slot(frozenset([iri("A"), iri("C")])), ANYTHING, ANYTHING), {("A", "-", "-"), ("C", "-", "-")}),
        (TripleUse(ANYTHING, _one("p"), ANYTHING), _OF_P),
        (
            TripleUse(ANYTHING, ANYTHING, ANYTHING, (Condition(f"?x = {iri('C')} || ?a<?b&&?c>?d", ("x",)),)),
            {("C", "-", "-")},
        ),
        (
            PathUse(_one("A"), frozenset([(RDFS.subClassOf, False)]), _one("C"), reflexive=True),
            {("A", "-", "-"), ("C", "-", "-")},
        ),
        (PathUse(ANYTHING, frozenset([(iri("p"), True)]), ANYTHING, reflexive=False), _OF_P),
        (AnyUse(), set()),
    ],
)
def test_a_use_stands_for_these_entities(
    model: OntologyGraph, use: TermUse | TripleUse | PathUse | AnyUse, expected: set[tuple[str, str, str]]
) -> None:
    assert rows(entities_of(Case("test", SQL, uses=(use,)), model), model) == expected


def test_patterns_are_read_if_uses_are_unknown(model: OntologyGraph) -> None:
    test = Case("query.rq", SPARQL, patterns=((_X, RDF.type, iri("A")),))
    assert entities_of(test, model) == {node("A")}


# -- restrictions in queries ---------------------------------------------------------------------------------------


def test_a_class_only_inside_an_edge_is_not_a_node(model: OntologyGraph) -> None:
    test = _query(*_restriction(iri("A"), iri("p"), iri("B")))
    assert rows(entities_of(test, model), model) == {("A", "B", "p[some]")}


def test_an_edge_that_the_ontology_lacks_is_included(model: OntologyGraph) -> None:
    test = _query(*_restriction(iri("C"), iri("p"), iri("B")))
    assert entities_of(test, model) == {Entity(iri("C"), iri("B"), f"{iri('p')}[some]")}


def test_a_class_inside_an_edge_and_elsewhere_is_a_node_too(model: OntologyGraph) -> None:
    test = _query(*_restriction(iri("A"), iri("p"), iri("B")), (_X, RDF.type, iri("B")))
    assert rows(entities_of(test, model), model) == {("A", "B", "p[some]"), ("B", "-", "-")}


@pytest.mark.parametrize(
    ("parts", "classes"),
    [
        ((_X, iri("p"), iri("B")), {("B", "-", "-")}),
        ((iri("A"), iri("p"), _X), {("A", "-", "-")}),
        ((_X, iri("p"), Variable("y")), set()),
    ],
)
def test_a_pattern_with_a_variable_end_is_only_a_use_of_its_property(
    model: OntologyGraph,
    parts: tuple[Variable | Term, Variable | Term, Variable | Term],
    classes: set[tuple[str, str, str]],
) -> None:
    assert rows(entities_of(_query(*_restriction(*parts)), model), model) == _OF_P | classes


def test_a_pattern_with_a_variable_property_is_not_an_edge(model: OntologyGraph) -> None:
    test = _query(*_restriction(iri("A"), _X, iri("B")))
    assert entities_of(test, model) == {node("A"), node("B")}


def test_a_pattern_that_cannot_be_a_triple_is_ignored(model: OntologyGraph) -> None:
    test = _query(*_restriction(iri("A"), iri("p"), iri("B")), (iri("C"), _X, _X))
    assert rows(entities_of(test, model), model) == {("A", "B", "p[some]"), ("C", "-", "-")}


def test_only_triples_that_spell_a_restriction_belong_to_it(model: OntologyGraph) -> None:
    test = _query(*_restriction(iri("A"), iri("p"), iri("B")), (_R, RDFS.seeAlso, _X), (_X, RDF.type, iri("C")))
    assert rows(entities_of(test, model), model) == {("A", "B", "p[some]"), ("C", "-", "-")}


@pytest.mark.parametrize(
    "axiom",
    [
        ":A owl:equivalentClass [ a owl:Restriction ; owl:onProperty :p ; owl:hasSelf true ] .",
        "[ owl:onProperty :p ; owl:hasValue 4 ] owl:equivalentClass :A .",
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:maxQualifiedCardinality 2 ; owl:onClass :B ] .",
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom [ owl:unionOf ( :B :C ) ] ] .",
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom [ owl:onProperty :q ; owl:allValuesFrom :C ] ] .",
    ],
)
def test_ontologies_and_queries_spell_restrictions_the_same_way(axiom: str) -> None:
    model = unclassified(axiom + " :D rdfs:subClassOf :A .")
    [query] = matrix([_query(*_patterns(axiom))], model)
    assert query.entities == model.property_edges
    assert query.properties == set()


def test_a_query_need_not_declare_a_data_property() -> None:
    axiom = ":A rdfs:subClassOf [ owl:onProperty :age ; owl:maxCardinality 1 ] ."
    model = unclassified(f":age a owl:DatatypeProperty . {axiom}")
    assert rows(entities_of(_query(*_patterns(axiom)), model), model) == {("A", "rdfs:Literal", "age[max 1]")}


def test_a_name_beside_a_restriction_is_a_node(model: OntologyGraph) -> None:
    axiom = ":A owl:equivalentClass [ owl:intersectionOf ( :C [ owl:onProperty :p ; owl:someValuesFrom :B ] ) ] ."
    test = _query(*_patterns(axiom))
    assert rows(entities_of(test, model), model) == {("A", "B", "p[some]"), ("C", "-", "-")}


# -- other edges ---------------------------------------------------------------------------------------------------


def test_a_triple_pattern_from_class_to_class_stands_for_every_kind(model: OntologyGraph) -> None:
    test = _query((iri("A"), iri("p"), iri("B")))
    assert rows(entities_of(test, model), model) == {("A", "B", "p[some]"), ("A", "B", "p[only]")}


def test_a_triple_pattern_without_a_matching_edge_has_no_kind(model: OntologyGraph) -> None:
    test = _query((iri("B"), iri("p"), iri("C")))
    assert entities_of(test, model) == {Entity(iri("B"), iri("C"), str(iri("p")))}


def test_subclass_edges_are_not_property_edges(model: OntologyGraph) -> None:
    assert entities_of(_query((iri("A"), RDFS.subClassOf, iri("B"))), model) == {node("A"), node("B")}


@pytest.mark.parametrize(
    ("target", "label", "expected"),
    [
        ("B", "p[some]", {("A", "B", "p[some]")}),
        ("B", "p [some]", {("A", "B", "p[some]")}),
        ("B", f"{iri('p').value}[some]", {("A", "B", "p[some]")}),
        ("B", f"{iri('p')}[some]", {("A", "B", "p[some]")}),
        ("B", "p", {("A", "B", "p[some]"), ("A", "B", "p[only]")}),
        (None, "q[min 2]", {("A", "owl:Thing", "q[min 2]")}),
        (None, "p", {("A", "owl:Thing", "p")}),
        ("C", "p[some]", {("A", "C", "p[some]")}),
    ],
)
def test_an_edge_of_a_matrix_may_be_written_in_several_ways(
    model: OntologyGraph, target: str | None, label: str, expected: set[tuple[str, str, str]]
) -> None:
    test = Case("test", MATRIX, edges=((iri("A"), None if target is None else iri(target), label),))
    assert rows(entities_of(test, model), model) == expected


def test_a_short_name_of_two_properties_in_a_matrix_means_both() -> None:
    model = unclassified("""
        :A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :B ] ,
          [ owl:onProperty <http://example.com/p> ; owl:someValuesFrom :B ] .""")
    test = Case("test", MATRIX, edges=((iri("A"), iri("B"), "p[some]"),))
    assert entities_of(test, model) == model.property_edges
    assert len(model.property_edges) == 2
