"""The property edges of axioms, their labels, and that every change of a nested expression shows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, Subject, Triple
from kgprobe.selection.paper.expressions import Entity, local_name, short_names
from kgprobe.selection.paper.model import property_edges
from selection.paper.versions import EX, graph_of, iri, rows, unclassified

_R = "a owl:Restriction ; owl:onProperty :p ;"
_WORDS = {"some": OWL.someValuesFrom, "only": OWL.allValuesFrom, "and": OWL.intersectionOf, "or": OWL.unionOf}


@pytest.mark.parametrize(
    ("turtle", "expected"),
    [
        # properties
        (":p a owl:ObjectProperty ; rdfs:domain :A ; rdfs:range :B .", {("A", "B", "p")}),
        (":p rdfs:domain :A , :C ; rdfs:range :B , :D .", {(s, t, "p") for s in "AC" for t in "BD"}),
        (":p a owl:ObjectProperty ; rdfs:domain :A .", {("A", "owl:Thing", "p")}),
        (":p a owl:ObjectProperty ; rdfs:range :A .", {("owl:Thing", "A", "p")}),
        (":p a owl:DatatypeProperty ; rdfs:domain :A ; rdfs:range xsd:integer .", {("A", "xsd:integer", "p")}),
        (":p a owl:DatatypeProperty ; rdfs:domain :A .", {("A", "rdfs:Literal", "p")}),
        (":p a owl:ObjectProperty .", set()),
        (":p a owl:AnnotationProperty ; rdfs:domain :A ; rdfs:range :B ; rdfs:subPropertyOf :q .", set()),
        (
            ":p rdfs:domain [ owl:unionOf ( :A :B ) ] ; rdfs:range :C .",
            {("A", "C", "p[from (A or B)]"), ("B", "C", "p[from (A or B)]")},
        ),
        (
            ':p rdfs:domain :A ; rdfs:range [ a rdfs:Datatype ; owl:oneOf ( "x" "y" ) ] .',
            {("A", "xsd:string", 'p[to {"x", "y"}]')},
        ),
        # sub-properties
        (":p rdfs:subPropertyOf :q .", {("p", "q", "subPropertyOf")}),
        (":p owl:propertyChainAxiom ( :q :r ) . [] rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :q .", set()),
        # restrictions
        (f":A rdfs:subClassOf [ {_R} owl:someValuesFrom :B ] .", {("A", "B", "p[some]")}),
        (f":A rdfs:subClassOf [ {_R} owl:allValuesFrom :B ] .", {("A", "B", "p[only]")}),
        (f":A rdfs:subClassOf [ {_R} owl:hasValue :b ] .", {("A", "b", "p[value]")}),
        (f":A rdfs:subClassOf [ {_R} owl:hasValue 4 ] .", {("A", "xsd:integer", 'p[value "4"^^integer]')}),
        (f":A rdfs:subClassOf [ {_R} owl:hasValue [] ] .", {("A", "owl:Thing", "p[value []]")}),
        (f":A rdfs:subClassOf [ {_R} owl:hasSelf true ] .", {("A", "A", "p[self]")}),
        (f":A rdfs:subClassOf [ {_R} owl:minCardinality 2 ] .", {("A", "owl:Thing", "p[min 2]")}),
        (f":A rdfs:subClassOf [ {_R} owl:maxCardinality 1 ] .", {("A", "owl:Thing", "p[max 1]")}),
        (f":A rdfs:subClassOf [ {_R} owl:cardinality 03 ] .", {("A", "owl:Thing", "p[exactly 3]")}),
        (f":A rdfs:subClassOf [ {_R} owl:cardinality 0 ] .", {("A", "owl:Thing", "p[exactly 0]")}),
        (
            f":p a owl:DatatypeProperty . :A rdfs:subClassOf [ {_R} owl:maxCardinality 1 ] .",
            {("A", "rdfs:Literal", "p[max 1]")},
        ),
        (
            f":A rdfs:subClassOf [ {_R} owl:minQualifiedCardinality 2 ; owl:onClass :B ] .",
            {("A", "B", "p[min 2]")},
        ),
        (
            f":A rdfs:subClassOf [ {_R} owl:maxQualifiedCardinality 2 ; owl:onDataRange xsd:string ] .",
            {("A", "xsd:string", "p[max 2]")},
        ),
        (
            f":A rdfs:subClassOf [ {_R} owl:qualifiedCardinality 2 ; owl:onClass [ owl:complementOf :B ] ] .",
            {("A", "B", "p[exactly 2 not B]")},
        ),
        (f":A rdfs:subClassOf [ {_R} owl:someValuesFrom xsd:string ] .", {("A", "xsd:string", "p[some]")}),
        (
            ":A rdfs:subClassOf [ owl:onProperty [ owl:inverseOf :p ] ; owl:someValuesFrom :B ] .",
            {("A", "B", "inverse p[some]")},
        ),
        (
            ":A rdfs:subClassOf [ owl:onProperties ( :p :q ) ; owl:someValuesFrom xsd:string ] .",
            {("A", "xsd:string", "(p, q)[some]")},
        ),
        # where restrictions stand
        (f":A owl:equivalentClass [ {_R} owl:someValuesFrom :B ] .", {("A", "B", "p[some]")}),
        (f"[ {_R} owl:someValuesFrom :B ] owl:equivalentClass :A .", {("A", "B", "p[some]")}),
        (
            f":A owl:equivalentClass [ owl:intersectionOf ( :B [ {_R} owl:someValuesFrom :C ] ) ] .",
            {("A", "C", "p[some]")},
        ),
        (
            f":A rdfs:subClassOf [ owl:intersectionOf ( [ owl:intersectionOf ( [ {_R} owl:hasSelf true ] ) ] :B ) ] .",
            {("A", "A", "p[self]")},
        ),
        (f":A owl:intersectionOf ( :B [ {_R} owl:someValuesFrom :C ] ) .", {("A", "C", "p[some]")}),
        (f":A {_R} owl:someValuesFrom :C .", {("A", "C", "p[some]")}),
        (f"[ {_R} owl:someValuesFrom :B ] rdfs:subClassOf :A .", set()),
        (f":a a [ {_R} owl:someValuesFrom :B ] .", set()),
        (":A owl:equivalentClass [ owl:unionOf ( :B :C ) ] . :A owl:disjointWith :D .", set()),
        (
            f":A owl:equivalentClass [ owl:unionOf ( :B [ {_R} owl:someValuesFrom :C ] ) ] .",
            {("A", "B", "(B or p[some C])"), ("A", "C", "(B or p[some C])")},
        ),
        (
            f":A rdfs:subClassOf [ owl:complementOf [ {_R} owl:someValuesFrom :C ] ] .",
            {("A", "C", "not p[some C]")},
        ),
        (
            f":A owl:unionOf ( :B [ {_R} owl:hasSelf true ] ) .",
            {("A", "B", "(B or p[self])")},
        ),
        # nested fillers
        (
            f":A rdfs:subClassOf [ {_R} owl:someValuesFrom [ owl:onProperty :q ; owl:allValuesFrom :B ] ] .",
            {("A", "B", "p[some q[only]]")},
        ),
        (
            f":A rdfs:subClassOf [ {_R} owl:allValuesFrom [ owl:unionOf ( :C :B ) ] ] .",
            {("A", "B", "p[only (B or C)]"), ("A", "C", "p[only (B or C)]")},
        ),
        (
            f":A rdfs:subClassOf [ {_R} owl:someValuesFrom"
            " [ owl:intersectionOf ( :B [ owl:onProperty :q ; owl:maxCardinality 1 ] ) ] ] .",
            {("A", "B", "p[some (B and q[max 1])]")},
        ),
        (
            f":A rdfs:subClassOf [ {_R} owl:someValuesFrom [ owl:oneOf ( :b :c ) ] ] .",
            {("A", "b", "p[some {b, c}]"), ("A", "c", "p[some {b, c}]")},
        ),
        (
            f":A rdfs:subClassOf [ {_R} owl:someValuesFrom [ owl:onDatatype xsd:integer ; owl:withRestrictions"
            " ( [ xsd:minInclusive 1 ] [ xsd:maxInclusive 9 ] ) ] ] .",
            {("A", "xsd:integer", 'p[some integer[maxInclusive "9"^^integer, minInclusive "1"^^integer]]')},
        ),
        (
            f":A rdfs:subClassOf [ {_R} owl:someValuesFrom [ owl:onProperty :q ; owl:minCardinality 1 ] ] .",
            {("A", "owl:Thing", "p[some q[min 1]]")},
        ),
    ],
)
def test_an_axiom_has_these_edges(turtle: str, expected: set[tuple[str, str, str]]) -> None:
    model = unclassified(turtle)
    assert rows(model.property_edges, model) == expected


def test_edges_follow_changes_of_the_graph() -> None:
    graph = graph_of(f":A rdfs:subClassOf [ {_R} owl:someValuesFrom :B ] . :p rdfs:domain :A .")
    new = BlankNode("new")
    for each in (
        Triple(iri("New"), RDFS.subClassOf, new),
        Triple(new, OWL.onProperty, iri("newProperty")),
        Triple(new, OWL.allValuesFrom, iri("B")),
    ):
        graph.add(each)
    graph.remove(Triple(iri("p"), RDFS.domain, iri("A")))
    assert property_edges(graph) == {
        Entity(iri("A"), iri("B"), f"{iri('p')}[some]"),
        Entity(iri("New"), iri("B"), f"{iri('newProperty')}[only]"),
    }


# -- what is not well-formed, or not well-meant ----------------------------------------------------------------------


def _nested(depth: int, innermost: str) -> Graph:
    cells: list[Subject] = [*(BlankNode(f"c{number}") for number in range(depth)), iri(innermost)]
    triples = [Triple(iri("A"), RDFS.subClassOf, cells[0])]
    for cell, inner in pairwise(cells):
        triples += [Triple(cell, OWL.onProperty, iri("p")), Triple(cell, OWL.someValuesFrom, inner)]
    return Graph(triples)


def test_deep_nesting_is_handled() -> None:
    [one], [other] = property_edges(_nested(5_000, "B")), property_edges(_nested(5_001, "B"))
    assert (one.source, one.target) == (other.source, other.target) == (iri("A"), iri("B"))
    assert one.label is not None
    assert len(one.label) < 1100
    assert one.label != other.label


def test_a_cyclic_expression_terminates() -> None:
    graph = graph_of(
        ":A rdfs:subClassOf _:x . _:x owl:onProperty :p ; owl:someValuesFrom _:y ."
        " _:y owl:unionOf ( :B _:x ) . :C rdfs:subClassOf _:z . _:z owl:intersectionOf _:l ."
        " _:l rdf:first _:z ; rdf:rest _:l . _:z owl:onProperty :p ; owl:hasSelf true ."
        " :D rdfs:subClassOf _:w . _:w owl:onProperty :p ; owl:allValuesFrom _:w ."
    )
    edges = {(edge.source, edge.target) for edge in property_edges(graph)}
    assert edges == {(iri("A"), iri("B")), (iri("C"), iri("C")), (iri("D"), OWL.Thing)}


def test_doubling_does_not_double_the_text() -> None:
    levels = 60  # written out, this would be 2 to the power of 60 names
    text = ":A rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom _:n0 ] ."
    for n in range(levels):
        text += f" _:n{n} owl:unionOf ( [ owl:complementOf _:n{n + 1} ] _:n{n + 1} ) ."
    [edge] = property_edges(graph_of(text + f" _:n{levels} owl:unionOf ( :B ) ."))
    assert edge.target == iri("B")
    assert len(edge.label or "") < 1200


@pytest.mark.parametrize(
    "turtle",
    [
        ":A rdfs:subClassOf [ owl:onProperty :p ] .",
        ":A rdfs:subClassOf [ owl:someValuesFrom :B ] .",
        ":A rdfs:subClassOf [ owl:intersectionOf :B ] .",
        ":A rdfs:subClassOf [ owl:intersectionOf ( ) ] .",
        ":A rdfs:subClassOf [ owl:unionOf 4 ] .",
        ":p rdfs:domain 4 .",
        "[] rdfs:domain :A .",
        "[] rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :B ] .",
    ],
)
def test_incomplete_expressions_are_ignored(turtle: str) -> None:
    edges = property_edges(graph_of(turtle))
    assert all(edge.label == f"{iri('p')}" for edge in edges)


def test_a_node_with_several_restrictions_has_all_of_them() -> None:
    model = unclassified(
        f":A rdfs:subClassOf [ {_R} owl:someValuesFrom :B ; owl:allValuesFrom :C ; owl:onProperty :q ] ."
    )
    assert rows(model.property_edges, model) == {
        ("A", target, f"{name}[{kind}]") for name in "pq" for target, kind in (("B", "some"), ("C", "only"))
    }


# -- random expressions ----------------------------------------------------------------------------------------------

_names = st.sampled_from([("name", each) for each in "BCD"])


def _larger(smaller: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    properties = st.sampled_from("pq")
    return st.one_of(
        st.tuples(st.sampled_from(["some", "only"]), properties, smaller),
        st.tuples(st.just("min"), properties, st.integers(0, 2), smaller),
        st.tuples(st.just("not"), smaller),
        st.tuples(st.sampled_from(["and", "or"]), st.frozensets(smaller, min_size=2, max_size=3)),
    )


_expressions = st.recursive(_names, _larger, max_leaves=8)


class _Writer:
    """Writes an expression as triples, with blank nodes and operands in random order."""

    def __init__(self, draw: st.DataObject) -> None:
        self._draw = draw
        self._labels = draw.draw(st.permutations([f"b{number}" for number in range(200)]))
        self.triples: list[Triple] = []

    def write(self, expression: Any) -> Any:
        kind, *parts = expression
        if kind == "name":
            return iri(parts[0])
        node = BlankNode(self._labels.pop())
        if kind in ("and", "or"):
            members = self._draw.draw(st.permutations(sorted(parts[0], key=repr)))
            self._add(node, _WORDS[kind], self._list([self.write(each) for each in members]))
        elif kind == "not":
            self._add(node, OWL.complementOf, self.write(parts[0]))
        else:
            self._add(node, OWL.onProperty, iri(parts[0]))
            if kind == "min":
                self._add(node, OWL.minQualifiedCardinality, Literal(str(parts[1]), datatype=XSD.nonNegativeInteger))
                self._add(node, OWL.onClass, self.write(parts[2]))
            else:
                self._add(node, _WORDS[kind], self.write(parts[1]))
        return node

    def _list(self, members: list[Any]) -> Any:
        head: Any = RDF.nil
        for member in reversed(members):
            cell = BlankNode(self._labels.pop())
            self._add(cell, RDF.first, member)
            self._add(cell, RDF.rest, head)
            head = cell
        return head

    def _add(self, *parts: Any) -> None:
        self.triples.append(Triple(*parts))


def _edges_of(expression: Any, draw: st.DataObject) -> frozenset[Entity]:
    writer = _Writer(draw)
    filler = writer.write(expression)
    root = BlankNode("root")
    writer.triples += [
        Triple(iri("A"), RDFS.subClassOf, root),
        Triple(root, OWL.onProperty, iri("p")),
        Triple(root, OWL.someValuesFrom, filler),
    ]
    return property_edges(Graph(writer.triples))


@given(_expressions, _expressions, st.data())
def test_expressions_have_equal_edges_exactly_if_they_are_equal(one: Any, other: Any, data: st.DataObject) -> None:
    assert _edges_of(one, data) == _edges_of(one, data)
    assert (_edges_of(one, data) == _edges_of(other, data)) == (one == other)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("http://example.org/a#hasTopping", "hasTopping"),
        ("http://example.org/hasTopping", "hasTopping"),
        ("http://example.org/a#b/c", "c"),
        ("http://example.org/a#", "http://example.org/a#"),
        ("http://example.org/", "http://example.org/"),
        ("urn:example:p", "urn:example:p"),
    ],
)
def test_a_short_name_follows_the_last_sign(name: str, expected: str) -> None:
    assert local_name(name) == expected


def test_a_row_has_a_source_a_target_and_a_label() -> None:
    model = unclassified(":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :B ] .")
    names = short_names(model.property_edges)
    assert [names.row(edge) for edge in model.property_edges] == [[f"{EX}A", f"{EX}B", "p[some]"]]
    assert names.row(Entity(iri("A"))) == [f"{EX}A", None, None]


def test_ambiguous_names_are_shown_in_full() -> None:
    one = unclassified(":A rdfs:subClassOf [ owl:onProperty :p ; owl:someValuesFrom :B ] .")
    other = unclassified(":A rdfs:subClassOf [ owl:onProperty <http://example.com/p> ; owl:someValuesFrom :B ] .")
    names = short_names(one.property_edges, other.property_edges)
    labels = {names.row(edge)[2] for edge in one.property_edges | other.property_edges}
    assert labels == {"http://example.org/p[some]", "http://example.com/p[some]"}


def test_names_inside_a_label_are_short_too() -> None:
    model = unclassified(
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:allValuesFrom [ owl:unionOf ( :B <http://example.com/#C> ) ] ] ."
    )
    names = short_names(model.property_edges)
    assert {names.row(edge)[2] for edge in model.property_edges} == {"p[only (C or B)]"}
