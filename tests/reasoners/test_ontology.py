"""The axioms that reasoners get: from the changes of graphs that share a table, and from unusual spellings."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from support.owl_graphs import graphs_and_flips
from support.random_ontologies import Source
from support.turtle import graph_of

from kgprobe.owl import to_triples
from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Triple
from kgprobe.reasoners import ontology
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.features import ILL_TYPED, features
from kgprobe.reasoners.ontology import Ontology, content, declarations
from kgprobe.reasoners.protocol import Consistency

from .reasoner_fixtures import needs

EX = "urn:random:"


def assert_same_as_alone(graph: Graph) -> bool:
    """Check that the graph is read like one with its own table. Returns whether it could be read from its changes."""
    reading = ontology.TableReading(graph.table)
    shared = reading.content(graph)
    assert shared is None or shared == content(Graph(graph))
    change = reading.change(graph)
    assert (change is None) == (shared is None)
    if change is not None and shared is not None:
        assert {*reading.axioms} - change.removed | {*change.added} == {*shared.axioms}
        assert change.leftovers == shared.leftovers
    return shared is not None


@settings(max_examples=100)
@given(graphs_and_flips())
def test_odd_graphs_with_odd_changes(case: tuple[Graph, list[list[Triple]]]) -> None:
    graph, steps = case
    for step in steps:
        for triple in step:
            graph.flip(graph.keys(triple))
        assert_same_as_alone(graph)


def seeds(count: int) -> Iterator[tuple[Random, Graph]]:
    """Random ontologies; some have no declarations, or an annotation on each axiom."""
    for number in range(count):
        random = Random(number)
        axioms = Source(random).ontology().axioms
        declared = declarations(axioms) if number % 3 else []
        stated = axioms
        if number % 5 == 0:
            stated = tuple(
                Expression(axiom.head, Expression("Annotation", RDFS.label, Literal("why")), *axiom.args)
                for axiom in axioms
            )
        document = OntologyDocument(iri=NamedNode(EX + "o"), axioms=(*declared, *stated))
        yield random, Graph(Triple(*statement) for statement in to_triples.triples(document))


def changed(random: Random, seed: Graph) -> Graph:
    """The seed graph without one or two triples, and with new combinations of parts of its triples."""
    graph, triples = seed.copy(), list(seed)
    for triple in random.sample(triples, random.randint(0, 2)):
        graph.remove(triple)
    for _ in range(random.randint(0, 2)):
        subject, value = random.choice(triples).subject, random.choice(triples).object
        fresh = random.choice([subject, NamedNode(EX + "new"), BlankNode("new")])
        graph.add(Triple(fresh, random.choice(triples).predicate, value))
    return graph


@pytest.mark.parametrize("count", [30, pytest.param(150, marks=pytest.mark.thorough)])
def test_random_ontologies_with_random_changes(count: int) -> None:
    shared = [assert_same_as_alone(changed(random, seed)) for random, seed in seeds(count) for _ in range(20)]
    assert len(shared) == 20 * count
    assert sum(shared) > len(shared) / 3


def test_the_axioms_of_mutants_are_read_from_their_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [NamedNode(f"{EX}{number}") for number in range(20)]
    seed = Graph(Triple(name, RDFS.subClassOf, OWL.Thing) for name in names)
    mutants = []
    for name in names:
        mutants.append(seed.copy())
        mutants[-1].remove(Triple(name, RDFS.subClassOf, OWL.Thing))
        mutants[-1].add(Triple(name, RDF.type, OWL.Thing))
    expected = [Ontology.of(Graph(each)) for each in mutants]
    assert Ontology.of(mutants[0]) == expected[0]
    monkeypatch.setattr(ontology, "_as_whole", pytest.fail)  # only the first was read as a whole
    assert [Ontology.of(each) for each in mutants[1:]] == expected[1:]
    assert all(len(each.axioms) == len(names) for each in expected)


_NAMES = """:A a owl:Class . :B a owl:Class . :C a owl:Class . :p a owl:ObjectProperty . :q a owl:ObjectProperty .
    :d a owl:DatatypeProperty . :i a owl:NamedIndividual, :A . :j a owl:NamedIndividual . """
_SHARED = "_:r a owl:Restriction ; owl:onProperty :p ; owl:allValuesFrom owl:Nothing . "


def _ontology(text: str) -> Ontology:
    return Ontology.of(graph_of(_NAMES + text))


# Each is inconsistent, and consistent without the unusual spelling.
CLASHES = {
    "two disjoint classes": ":i a :B . [] a owl:AllDisjointClasses ; owl:members (:A :B) .",
    "two disjoint properties": ":i :p :j ; :q :j . [] a owl:AllDisjointProperties ; owl:members (:p :q) .",
    "two different individuals": ":i owl:sameAs :j . [] a owl:AllDifferent ; owl:members (:i :j) .",
    "with a comment": ':i a :B . [] a owl:AllDisjointClasses ; owl:members (:A :B) ; rdfs:comment "no" .',
    "members of OWL 1": ":k a :A ; owl:sameAs :j . [] a owl:AllDifferent ; owl:distinctMembers (:i :j :k) .",
    "a number of another type": """:i :p :j, :k . [] a owl:AllDifferent ; owl:members (:i :j :k) .
        :A rdfs:subClassOf [a owl:Restriction ; owl:onProperty :p ; owl:maxCardinality 1] .""",
    "a shared expression": f":A rdfs:subClassOf _:r . :B rdfs:subClassOf _:r . {_SHARED} :i :p :j .",
}


@needs("rustdl")
@needs("pyhermit")
@pytest.mark.parametrize("text", CLASHES.values(), ids=list(CLASHES))
def test_unusual_spellings_count(text: str) -> None:
    reasoner = open_reasoner("auto", Limits(30, 1024))
    try:
        (answer,) = reasoner.answer(graph_of(_NAMES + text), [Consistency()])
    finally:
        reasoner.close()
    assert answer.value is False
    assert _ontology(text).leftovers == 0


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("_:l rdf:first :A ; rdf:rest rdf:nil .", 0),  # an empty list states nothing
        (_SHARED, 0),
        (":A rdfs:subClassOf _:nothing .", 1),
        (":i :d :j .", 1),
        (f":A rdfs:subClassOf _:r . :B rdfs:subClassOf _:r . {_SHARED} _:r owl:hasValue :i .", 6),
        ("_:x a :A . [] a owl:AllDifferent ; owl:members _:l ; owl:members _:l2 . _:l rdf:first _:x .", 4),
        # Each copy of the shared node has a different individual, so the copies do not state everything.
        (
            """_:x a :A . :A rdfs:subClassOf _:r . :B rdfs:subClassOf _:r .
            _:r a owl:Restriction ; owl:onProperty :p ; owl:hasValue _:x .""",
            5,
        ),
    ],
)
def test_unreadable_triples_are_counted(text: str, count: int) -> None:
    assert _ontology(text).leftovers == count


def test_a_number_with_thousands_of_digits_is_ill_typed() -> None:
    literal = Literal("9" * 5_000, datatype=XSD.byte)
    axiom = Expression("DataPropertyAssertion", NamedNode(EX + "p"), NamedNode(EX + "a"), literal)
    assert ILL_TYPED in features([axiom])


def test_variants_of_a_graph_are_read_like_independent_graphs() -> None:
    base = graph_of(_NAMES + " ".join(CLASHES.values()))
    triples = sorted(base, key=str)
    for number in range(len(triples)):
        changed = base.copy()
        for triple in triples[number : number + 2]:
            changed.remove(triple)
        alone = Graph(changed)
        assert Ontology.of(changed) == Ontology.of(alone), triples[number]
