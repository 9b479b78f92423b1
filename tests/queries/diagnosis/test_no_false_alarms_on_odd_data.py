"""What is an error has no match on any data that the check assumes, however odd: see "Whatever the data" in the docs.

The data are RDF 1.1 datasets that are consistent with an ontology: with literals as types, classes as properties,
properties as individuals, blank nodes as graphs, empty graphs, and lists that are malformed.
"""

from __future__ import annotations

from random import Random

import pyoxigraph
import pytest
from support.random_ontologies import CLASSES, DATA, INDIVIDUALS, LITERALS, SIMPLE

from kgprobe.queries.diagnosis.checking import Checker
from kgprobe.queries.diagnostics import Diagnostic
from kgprobe.queries.files.texts import QueryText
from kgprobe.queries.schema import Schema
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Triple
from queries.checks import ENGINES
from queries.diagnosis.answered_queries import guessed_query
from queries.diagnosis.test_no_false_alarms import (
    NODES,
    PREDICATES,
    graph_of,
    is_consistent,
    plain_ontology,
    random_data,
)

_ODD = NamedNode("urn:odd:p")
_SETS = 8  # of data for each ontology
_QUERIES = 40  # for each ontology
# Errors about a part: the rest of the query may well have an answer.
_PARTS = ("this OPTIONAL", "this branch", "no branch of this UNION", "this EXISTS", "this NOT EXISTS", "this MINUS")


def odd_triples(random: Random) -> list[Triple]:
    """Triples that RDF allows and that hardly anybody expects. None of them contradicts any ontology."""
    node, cell = random.choice(NODES), BlankNode("cell")
    literal, name = random.choice(LITERALS), random.choice([*CLASSES, *SIMPLE, *DATA])
    return random.sample(
        [
            Triple(node, RDF.type, literal),
            Triple(node, random.choice(CLASSES), literal),  # a class as a property
            Triple(name, _ODD, literal),
            Triple(_ODD, _ODD, name),
            Triple(name, RDFS.label, node),
            Triple(name, RDFS.subClassOf, literal),
            Triple(name, RDF.type, BlankNode("kind")),
            Triple(BlankNode("kind"), RDFS.domain, literal),
            Triple(cell, RDF.first, literal),
            Triple(cell, RDF.first, node),
            Triple(cell, RDF.rest, literal),
            Triple(RDF.nil, RDF.rest, cell),
            Triple(OWL.imports, OWL.imports, literal),
            Triple(random.choice(INDIVIDUALS), _ODD, Literal("2020-01-01", datatype=NamedNode("urn:odd:date"))),
        ],
        random.randint(3, 8),
    )


def consistent_data(random: Random, graph: Graph) -> list[Triple]:
    """Odd triples, and as many others as the ontology allows with them."""
    odd, others = odd_triples(random), random_data(random)
    while others and not is_consistent(graph, [*odd, *others]):
        del others[len(others) // 2 :]
    return list(dict.fromkeys([*others, *odd]))


def dataset(random: Random, triples: list[Triple]) -> pyoxigraph.Store:
    """A store that has the triples in the default graph and in others."""
    store = pyoxigraph.Store()
    empty = pyoxigraph.NamedNode("urn:random:a")
    store.add_graph(empty)
    graphs: list[pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.DefaultGraph] = [
        pyoxigraph.DefaultGraph(),
        pyoxigraph.NamedNode("urn:random:A"),
        pyoxigraph.BlankNode("g"),
    ]
    for triple in triples:
        for graph in random.sample(graphs, random.randint(1, 3)):
            store.add(pyoxigraph.Quad(triple.subject, triple.predicate, triple.object, graph))
    return store


def has_answer(query: str, store: pyoxigraph.Store) -> bool:
    result = store.query(query)
    return bool(result) if isinstance(result, pyoxigraph.QueryBoolean) else any(True for _ in result)


def is_about_all(error: Diagnostic) -> bool:
    return error.code != "unknown-term" and not error.message.startswith(_PARTS)


@pytest.mark.parametrize(
    "number", [*range(6), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(6, 200))]
)
def test_an_error_has_no_match_on_odd_data(number: int) -> None:
    random = Random(f"odd {number}")
    graph = graph_of(plain_ontology(random))
    checker = Checker(Schema(graph), ENGINES)
    sets = [consistent_data(random, graph) for _ in range(_SETS)]
    stores = [dataset(random, each) for each in sets]
    proven = answered = 0
    for _ in range(_QUERIES):
        query = guessed_query(random, random.choice(sets), PREDICATES)
        errors = [error for error in checker.check(QueryText.whole("query.rq", query)).errors if is_about_all(error)]
        answers = [has_answer(query, store) for store in stores]
        assert not (errors and any(answers)), (query, errors[0].message)
        proven += bool(errors)
        answered += any(answers)
    assert proven >= 3  # the test means nothing if nothing is proven, or nothing has an answer
    assert answered >= 2
