"""Expressions, names and literals are simplified while the failure persists."""

from __future__ import annotations

import pytest
from support.turtle import EX, graph_of

from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.expression import Expression
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode
from kgprobe.reduction.graph_problem import GraphProblem
from kgprobe.reduction.problem import Effort, Steps, last_of
from kgprobe.reduction.removals import annotation_triples, loose_triples
from kgprobe.reduction.search import needed
from kgprobe.reduction.simplifications import generic_names, simpler_literals, simpler_names, smaller_expressions
from reduction.failures import Recorded


def problem(graph: Graph, test: Recorded) -> GraphProblem:
    found = GraphProblem(graph, test, effort=Effort(repeats=1))
    last_of(found.confirm())
    return found


def heads(graph: Graph) -> set[str]:
    found: set[str] = set()
    pending: list[object] = [axiom.expression for axiom in AxiomView(graph)]
    while pending:
        part = pending.pop()
        if isinstance(part, Expression):
            found.add(part.head)
            pending += part.args
    return found


@pytest.mark.parametrize(
    ("text", "wanted", "least"),
    [
        ("[ a owl:Class ; owl:unionOf ( :B :C :D [ a owl:Class ; owl:complementOf :E ] ) ]", "ObjectUnionOf", 10),
        ("[ a owl:Class ; owl:unionOf ( :B [ a owl:Class ; owl:complementOf :E ] ) ]", "ObjectComplementOf", 7),
        (
            "[ a owl:Restriction ; owl:onProperty :p ; owl:allValuesFrom"
            " [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] ]",
            "ObjectAllValuesFrom",
            8,
        ),
        (
            "[ a owl:Restriction ; owl:onProperty [ owl:inverseOf :p ] ; owl:someValuesFrom :B ]",
            "ObjectSomeValuesFrom",
            8,
        ),
    ],
)
def test_a_part_takes_the_place_of_the_whole(text: str, wanted: str, least: int) -> None:
    declared = " ".join(f":{name} a owl:Class ." for name in "ABE") + " :p a owl:ObjectProperty ."
    graph = graph_of(f"{declared} :A rdfs:subClassOf {text} .")
    test = Recorded(lambda candidate: wanted in heads(candidate))
    result = last_of(smaller_expressions(problem(graph, test), graph))
    assert wanted in heads(result)
    assert len(result) - 4 + 1 <= least
    assert len(result) < len(graph)
    test.assert_no_graph_twice()


def test_names_of_each_kind_get_their_own_letters() -> None:
    graph = graph_of(
        ":drinks a owl:ObjectProperty . :Tea rdfs:subClassOf :Drink . :anna :drinks :earl . :anna a :Tea ."
    )
    result = last_of(simpler_names(problem(graph, Recorded(lambda _: True)), graph))
    assert {str(triple) for triple in result} == {
        str(triple) for triple in graph_of(":p a owl:ObjectProperty . :A rdfs:subClassOf :B . :a :p :b . :a a :A .")
    }
    assert not generic_names(result)
    assert result.spelling.term(EX.A) == ":A"


def test_names_that_matter_stay() -> None:
    graph = graph_of(":Tea rdfs:subClassOf :Drink . :Milk rdfs:subClassOf :Drink . :Cup rdfs:subClassOf :Pot .")
    result = last_of(simpler_names(problem(graph, Recorded(lambda each: each.mentions(EX.Milk))), graph))
    names = {term for term in result.terms() if isinstance(term, NamedNode)} - {RDFS.subClassOf}
    assert EX.Milk in names
    assert len(names) == 5
    assert not names & {EX.Tea, EX.Drink, EX.Cup, EX.Pot}
    test = Recorded(lambda _: True)
    kept = last_of(simpler_names(problem(graph, test), graph, keep=[EX.Milk, EX.Drink]))
    assert kept.mentions(EX.Milk)
    assert kept.mentions(EX.Drink)
    assert len(test.graphs) == 2


def test_a_new_name_never_meets_an_old_one() -> None:
    graph = graph_of(":B rdfs:subClassOf :Tea . :Tea rdfs:subClassOf :A .")
    result = last_of(simpler_names(problem(graph, Recorded(lambda each: each.mentions(EX.Tea))), graph))
    assert len(result) == 2
    assert len({term for term in result.terms() if isinstance(term, NamedNode)}) == 4


def test_literals_are_as_short_as_can_be() -> None:
    graph = graph_of(':a rdfs:label "some long text", "Tee"@de ; :p 12345, "2020-01-01"^^xsd:date .')
    everything = last_of(simpler_literals(problem(graph, Recorded(lambda _: True)), graph))
    values = {triple.object for triple in everything}
    assert values == {
        Literal(""),
        Literal("", language="de"),
        Literal("0", datatype=XSD.integer),
        Literal("2020-01-01", datatype=XSD.date),
    }

    def has_text(candidate: Graph) -> bool:
        texts = [each.object for each in candidate.triples(EX.a, RDFS.label)]
        return any(isinstance(text, Literal) and not text.language and len(text.value) >= 3 for text in texts)

    some = last_of(simpler_literals(problem(graph, Recorded(has_text)), graph))
    assert Literal("som") in {triple.object for triple in some}
    assert len(some) == 4


def test_loose_triples() -> None:
    graph = graph_of("""
        :A rdfs:subClassOf :B . [] a owl:Axiom ; owl:annotatedSource :A ; owl:annotatedProperty rdfs:subClassOf ;
            owl:annotatedTarget :B ; rdfs:comment "one", "two" .
        :C rdfs:subClassOf [ a owl:Class ; owl:unionOf ( :A :B ) ] .
    """)
    assert {triple.object for triple in loose_triples(graph)} == {Literal("one"), Literal("two")}
    notes = [annotation_triples(axiom) for axiom in AxiomView(graph)]
    assert sorted(map(len, notes)) == [0, 6]


def test_a_broken_list_can_be_taken_apart_and_a_whole_one_cannot() -> None:
    graph = graph_of(":x :p _:a . _:a rdf:first :y . _:a :q ( :z ) .")
    loose = set(loose_triples(graph))
    assert {triple.object for triple in loose if triple.predicate == RDF.first} == {EX.y}
    assert not any(triple.object == EX.z for triple in loose)


@pytest.mark.parametrize("batch", [1, 2, 5])
@pytest.mark.parametrize("cause", [(), (0,), (999,), (3, 500), (998, 999), tuple(range(0, 1000, 97))])
def test_the_search_finds_exactly_the_cause(cause: tuple[int, ...], batch: int) -> None:
    runs: list[int] = []

    def verdicts(sets: object) -> Steps[Graph, list[bool]]:
        yield from ()
        asked = [frozenset(each) for each in sets]  # type: ignore[attr-defined]
        runs.append(len(asked))
        return [each >= frozenset(cause) for each in asked]

    found = last_of(needed(1000, verdicts, lambda _, rest: [1.0] * len(rest), batch=batch))
    assert sorted(found) == sorted(cause)
    assert len(runs) <= 4 + 13 * len(cause)
    assert max(runs) <= batch


def test_an_inverse_property_is_never_replaced_by_a_class() -> None:
    graph = graph_of(
        ":p a owl:ObjectProperty . :A rdfs:subClassOf"
        " [ a owl:Restriction ; owl:onProperty [ owl:inverseOf :p ] ; owl:someValuesFrom :B ] . :B a owl:Class ."
    )
    test = Recorded(lambda each: len(each) == len(graph))
    last_of(smaller_expressions(problem(graph, test), graph))
    assert not any(triple.object == OWL.Thing for each in test.graphs for triple in each)
    assert len(test.graphs) == 3
