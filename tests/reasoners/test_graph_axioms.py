"""Graphs that share a table: reading only the changes gives the same axioms as reading the whole graph."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from ontology.owl_graphs import graphs_and_flips
from support.random_ontologies import Source

from kgprobe.graph.axioms import to_triples
from kgprobe.graph.axioms.expression import Expression, OntologyDocument
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Triple
from kgprobe.reasoners import graph_axioms
from kgprobe.reasoners.graph_axioms import content
from kgprobe.reasoners.ontology import Ontology, declarations

EX = "urn:random:"


def same_as_alone(graph: Graph) -> bool:
    """Check that the graph is read like one with its own table. Returns whether it could be read from its changes."""
    shared = graph_axioms._TableReading(graph.table).content(graph)
    assert shared is None or shared == content(Graph(graph))
    return shared is not None


@settings(max_examples=100)
@given(graphs_and_flips())
def test_odd_graphs_with_odd_changes(case: tuple[Graph, list[list[Triple]]]) -> None:
    graph, steps = case
    for step in steps:
        for triple in step:
            graph.flip(graph.keys(triple))
        same_as_alone(graph)


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
    shared = [same_as_alone(changed(random, seed)) for random, seed in seeds(count) for _ in range(20)]
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
    monkeypatch.setattr(graph_axioms, "_as_whole", pytest.fail)  # only the first was read as a whole
    assert [Ontology.of(each) for each in mutants[1:]] == expected[1:]
    assert all(len(each.axioms) == len(names) for each in expected)
