"""500 queries made from random subgraphs of consistent data over real ontologies: each has an answer, and no error."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from support.shared_data import needs_shared_data, shared

from kgprobe.formats.files import load
from kgprobe.queries.schema import Schema
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Subject, Triple
from queries.diagnosis.answered_queries import answered_query, connected_triples
from queries.diagnosis.test_no_false_alarms import errors_of, has_answer, is_consistent

ONTOLOGIES = [
    "pizza/pizza-new.owl",
    "pizza/pizza-old.owl",
    "suave/suave_original_with_imports.ttl",
    "geo/geo_original.ttl",
    *(
        f"ore/ore_ont_{number}.owl"
        for number in (
            9805,
            8974,
            1967,
            5852,
            508,
            16351,
            8169,
            15800,
            13643,
            6735,
            10264,
            3082,
            4724,
            10536,
            7969,
            2697,
        )
    ),
]
ALWAYS = {
    "pizza/pizza-new.owl",
    "suave/suave_original_with_imports.ttl",
    "ore/ore_ont_9805.owl",
    "ore/ore_ont_8974.owl",
}
QUERIES = 25  # for each ontology
TRIES = 8


def test_there_are_500_queries() -> None:
    assert len(ONTOLOGIES) * QUERIES == 500


@needs_shared_data
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ALWAYS else pytest.mark.thorough) for name in ONTOLOGIES],
)
def test_queries_with_answers_have_no_errors(name: str) -> None:
    graph = load(shared(name)).graph
    schema = Schema(graph)
    random = Random(name)
    own = sorted(graph, key=str)
    sources = [own, *consistent_data(random, graph, schema)]
    checked = 0
    while checked < QUERIES:
        data = sources[checked % len(sources)]
        predicates = list(dict.fromkeys(datum.predicate for datum in data))
        query = answered_query(random, connected_triples(random, data), predicates)
        if query.is_guess and not has_answer(query.text, list(query.triples)):
            continue
        assert has_answer(query.text, list(query.triples)), query.text
        assert errors_of(query, schema) == [], query.text
        checked += 1


def consistent_data(random: Random, graph: Graph, schema: Schema) -> Iterator[list[Triple]]:
    """Random facts about new individuals for which a reasoner finds that they are consistent with the ontology."""
    for _ in range(TRIES):
        data = random_facts(random, schema)
        if is_consistent(graph, data):
            yield data


def random_facts(random: Random, schema: Schema) -> list[Triple]:
    classes, objects, values = (
        sorted((name for name in schema.names if kind in schema.kinds(name) and not is_reserved(name)), key=str)
        for kind in ("Class", "ObjectProperty", "DataProperty")
    )
    nodes: list[Subject] = [NamedNode("urn:new:a"), NamedNode("urn:new:b"), BlankNode("new")]
    found: list[Triple] = []
    for _ in range(random.randint(2, 6)):
        node = random.choice(nodes)
        kind = random.random()
        if kind < 0.45 or not objects:
            found.append(Triple(node, RDF.type, random.choice(classes)))
        elif kind < 0.85 or not values:
            found.append(Triple(node, random.choice(objects), random.choice(nodes)))
        else:
            ranges = [Literal(5), Literal("x"), Literal(True), Literal(2.5)]
            found.append(Triple(node, random.choice(values), random.choice(ranges)))
    return list(dict.fromkeys(found))


def is_reserved(name: NamedNode) -> bool:
    return name.value.startswith((OWL.iri, RDF.iri, RDFS.iri))
