"""Axioms as groups of triples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from support.owl_graphs import graphs_and_flips, owl_triples
from support.shared_data import graph_files, needs_shared_data, shared
from support.strategies import triple_lists
from support.turtle import EX, graph_of, triples_of

from kgprobe.formats.files import load
from kgprobe.owl.axiom_groups import axiom_groups
from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.expression import Expression
from kgprobe.owl.name_kinds import KnownKinds
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import OWL, RDFS, Literal, Triple

_SHAPES = [path for path in graph_files() if path.startswith("shacl-w3c")]


def _assert_partition(graph: Graph, view: AxiomView) -> None:
    counted = Counter(triple for axiom in view for triple in axiom.triples)
    assert set(counted) == set(graph)
    assert not [triple for triple, count in counted.items() if count > 1]


def _by_hand(graph: Graph) -> set[Axiom]:
    """All axioms, each found from one of its triples, without reading the whole graph at once."""
    view = AxiomView(graph)
    return {view.axiom_of(triple) for triple in graph}


@given(owl_triples)
def test_groups_partition_random_graphs(triples: list[Triple]) -> None:
    graph = Graph(triples)
    _assert_partition(graph, AxiomView(graph))


@given(triple_lists)
def test_groups_partition_graphs_that_are_not_ontologies(triples: list[Triple]) -> None:
    graph = Graph(triples)
    _assert_partition(graph, AxiomView(graph))


@given(owl_triples)
def test_reading_one_axiom_gives_the_same_as_reading_all(triples: list[Triple]) -> None:
    graph = Graph(triples)
    assert _by_hand(graph) == set(AxiomView(graph))


@given(graphs_and_flips())
def test_following_changes_agrees_with_a_new_view(case: tuple[Graph, list[list[Triple]]]) -> None:
    graph, steps = case
    view = AxiomView(graph)
    before = set(view)
    for step in steps:
        for triple in step:
            graph.flip(graph.keys(triple))
        change = view.follow(graph)
        assert list(view) == list(AxiomView(graph))
        assert (before - set(change.gone)) | set(change.come) == set(view)
        assert before.issuperset(change.gone)
        assert before.isdisjoint(change.come)
        before = set(view)


@settings(max_examples=50)
@given(graphs_and_flips())
def test_a_partially_read_view_follows_changes_as_well(case: tuple[Graph, list[list[Triple]]]) -> None:
    graph, steps = case
    view = AxiomView(graph)
    for step in steps:
        delta = Delta([t for t in step if t in graph], [t for t in step if t not in graph])
        graph.apply(delta)
        view.follow(graph, delta)
        assert {view.axiom_of(triple) for triple in graph} == _by_hand(graph)


@settings(max_examples=50)
@given(graphs_and_flips())
def test_following_a_change_and_its_inverse_changes_nothing(case: tuple[Graph, list[list[Triple]]]) -> None:
    graph, steps = case
    view = AxiomView(graph)
    before = list(view)
    flipped = {triple for step in steps for triple in step}
    delta = Delta([t for t in flipped if t in graph], [t for t in flipped if t not in graph])
    graph.apply(delta)
    there = view.follow(graph, delta)
    graph.revert(delta)
    back = view.follow(graph, delta)
    assert list(view) == before
    assert (set(there.gone), set(there.come)) == (set(back.come), set(back.gone))


@needs_shared_data
@pytest.mark.parametrize("path", _SHAPES)
def test_groups_partition_graphs_of_shapes(path: str) -> None:
    graph = load(shared(path)).graph
    view = AxiomView(graph)
    _assert_partition(graph, view)
    assert _by_hand(graph) == set(view)


@needs_shared_data
@pytest.mark.parametrize("path", [path for path in graph_files() if path.endswith(".gz")])
def test_groups_of_a_large_graph_do_not_overlap(path: str) -> None:
    graph = load(shared(path)).graph
    view = AxiomView(graph)
    for keys in list(graph.rows())[:: len(graph) // 200]:
        triple = graph.triple(keys)
        axiom = view.axiom_of(triple)
        assert triple in axiom.triples
        assert all(view.axiom_of(each) is axiom for each in axiom.triples)


def _shapes(graph: Graph) -> list[tuple[str | None, int]]:
    return sorted(((axiom.head, len(axiom.triples)) for axiom in AxiomView(graph)), key=str)


def test_an_expression_belongs_to_its_axiom() -> None:
    graph = graph_of(
        """:p a owl:ObjectProperty .
        :A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :p ;
            owl:someValuesFrom [a owl:Class ; owl:unionOf (:B :C)]] ."""
    )
    assert _shapes(graph) == [("Declaration", 1), ("SubClassOf", 10)]


def test_an_annotated_axiom_has_the_triples_of_all_its_annotation_nodes() -> None:
    graph = graph_of(
        """:A rdfs:subClassOf :B .
        _:m a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B ;
            rdfs:comment "first" .
        _:n a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :B ;
            rdfs:comment "second" ."""
    )
    (axiom,) = AxiomView(graph)
    first = Expression("Annotation", RDFS.comment, Literal("first"))
    second = Expression("Annotation", RDFS.comment, Literal("second"))
    assert axiom.expression == Expression("SubClassOf", first, second, EX.A, EX.B)
    assert len(axiom.triples) == 11


def test_rules_share_variables_and_nothing_else() -> None:
    rule = """[] a swrl:Imp ; swrl:body [a swrl:AtomList ; rdf:rest rdf:nil ; rdf:first
        [a swrl:ClassAtom ; swrl:classPredicate :A ; swrl:argument1 <urn:x>]] ; swrl:head rdf:nil ."""
    graph = graph_of(f"<urn:x> a swrl:Variable . {rule} {rule}")
    assert _shapes(graph) == [("DLSafeRule", 9), ("DLSafeRule", 9), ("Variable", 1)]


def test_an_ontology_header_is_divided_into_removable_parts() -> None:
    graph = graph_of(
        """:o a owl:Ontology ; owl:versionIRI :o1 ; owl:imports :other, :third ; rdfs:comment "why" .
        [] a owl:Annotation ; owl:annotatedSource :o ; owl:annotatedProperty rdfs:comment ; owl:annotatedTarget "why" ;
            rdfs:label "nested" ."""
    )
    expected = [("AnnotationAssertion", 6), ("Import", 1), ("Import", 1), ("Ontology", 1), ("Ontology", 1)]
    assert _shapes(graph) == expected


def test_an_anonymous_ontology_is_one_group() -> None:
    assert _shapes(graph_of('[] a owl:Ontology ; owl:imports :other ; rdfs:comment "why" .')) == [("Ontology", 3)]


def test_odd_structures_stay_together() -> None:
    graph = graph_of(
        """:A rdfs:subClassOf _:r . _:r a owl:Restriction ; owl:onProperty :p ; :note "odd" .
        :B rdfs:subClassOf _:l . _:l rdf:first :C ; rdf:rest _:m ."""
    )
    assert _shapes(graph) == [(None, 3), (None, 4)]


@pytest.mark.parametrize(
    ("loose", "head"),
    [
        ("[] a owl:AllDifferent ; owl:distinctMembers (:i :j :k) .", "DifferentIndividuals"),
        ("[] a owl:AllDifferent ; owl:distinctMembers (:i :j) .", "DifferentIndividuals"),
        ("[] a owl:AllDisjointClasses ; owl:members (:A [a owl:Class ; owl:complementOf :A]) .", "DisjointClasses"),
        ("[] a owl:AllDisjointClasses ; owl:members (:A :B) ; rdfs:comment 'both' .", "DisjointClasses"),
        ("[] a owl:AllDisjointClasses ; owl:members (:A) .", None),
        ("[] a owl:AllDisjointClasses ; owl:members (:A 'B') .", None),
        ("[] a owl:AllDisjointClasses ; owl:members (:A :B), (:C :D) .", None),
        ("[] a owl:AllDisjointClasses, owl:AllDifferent ; owl:members (:A :B) .", None),
        (
            """[] a owl:AllDisjointClasses ; owl:members _:l . [] a owl:AllDifferent ; owl:members _:l .
            _:l rdf:first :A ; rdf:rest (:B) .""",
            None,
        ),
        (":d rdfs:range [a owl:DataRange ; owl:oneOf ('x')] .", "DataPropertyRange"),
        (
            ":A rdfs:subClassOf [a owl:Restriction, owl:Class ; owl:onProperty :p ; owl:maxCardinality 01] .",
            "SubClassOf",
        ),
        (
            """:A rdfs:subClassOf [a owl:Class ; owl:complementOf [a owl:Class ; owl:oneOf _:l]] .
            _:l a rdf:List ; rdf:first :i ; rdf:rest rdf:nil .""",
            "SubClassOf",
        ),
        (
            """[] a swrl:Imp ; swrl:head rdf:nil ; swrl:body [a swrl:AtomList ; rdf:rest rdf:nil ;
            rdf:first [a swrl:BuiltinAtom ; swrl:builtin :less ; swrl:arguments (:x 1)]] .""",
            "DLSafeRule",
        ),
        (":A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :p ; owl:maxCardinality 'one'] .", None),
    ],
)
def test_older_spellings_are_understood(loose: str, head: str | None) -> None:
    graph = graph_of(":p a owl:ObjectProperty . :d a owl:DatatypeProperty . " + loose)
    (axiom,) = (axiom for axiom in AxiomView(graph) if axiom.head != "Declaration")
    assert axiom.head == head


def test_a_group_has_no_name() -> None:
    graph = graph_of(":g a owl:AllDisjointClasses ; owl:members (:A :B) .")
    assert "DisjointClasses" not in {axiom.head for axiom in AxiomView(graph)}


def test_anonymous_individuals_do_not_join_axioms() -> None:
    graph = graph_of(":p a owl:ObjectProperty . _:a a :A . _:b a :B . _:a :p _:b .")
    expected = [("ClassAssertion", 1), ("ClassAssertion", 1), ("Declaration", 1), ("ObjectPropertyAssertion", 1)]
    assert _shapes(graph) == expected


def test_a_declaration_changes_how_axioms_of_the_name_are_read() -> None:
    graph = graph_of(":p a owl:ObjectProperty . :q rdfs:subPropertyOf :p . :a :p :b . :A rdfs:subClassOf :B .")
    view = AxiomView(graph)
    delta = Delta(*map(triples_of, (":p a owl:ObjectProperty .", ":p a owl:DatatypeProperty .")))
    graph.apply(delta)
    change = view.follow(graph, delta)
    assert {axiom.head for axiom in change.gone} == {"Declaration", "ObjectPropertyAssertion", "SubObjectPropertyOf"}
    assert {axiom.head for axiom in change.come} == {"Declaration", "SubDataPropertyOf", None}


def test_axioms_that_mention_a_name() -> None:
    graph = graph_of(
        """:p a owl:ObjectProperty . :A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :p ; owl:hasValue :i] .
        :i a :A . :j a :B ."""
    )
    view = AxiomView(graph)
    assert [axiom.head for axiom in view.mentioning(EX.i)] == ["ClassAssertion", "SubClassOf"]
    assert list(view.mentioning(EX.nowhere)) == []
    with pytest.raises(KeyError):
        view.axiom_of(Triple(EX.i, EX.p, EX.j))


def test_a_view_follows_only_its_own_graph() -> None:
    with pytest.raises(ValueError, match="only the graph that it was made for"):
        AxiomView(Graph()).follow(graph_of(":A a :B ."))


@pytest.mark.parametrize("size", [10, 3000])
def test_the_cost_of_a_change_depends_on_the_connected_triples(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    restriction = "[a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :A]"
    body = " ".join(f":C{n} a owl:Class ; rdfs:subClassOf :A, {restriction} ." for n in range(size))
    graph = graph_of(":p a owl:ObjectProperty . :A a owl:Class . " + body)
    view = AxiomView(graph)
    list(view)
    read: list[Triple] = []

    def counting(triples: Iterable[Triple], kinds: KnownKinds) -> list[Axiom]:
        given = list(triples)
        read.extend(given)
        return axiom_groups(given, kinds)

    monkeypatch.setattr("kgprobe.owl.axioms.axiom_groups", counting)
    some = next(graph.triples(None, OWL.someValuesFrom, EX.A))
    delta = Delta([some], [Triple(some.subject, some.predicate, EX.C1)])
    graph.apply(delta)
    change = view.follow(graph, delta)
    assert [len(axiom.triples) for axiom in (*change.gone, *change.come)] == [4, 4]
    assert len(read) == 4
