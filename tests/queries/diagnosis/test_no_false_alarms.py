"""A query that has an answer on data that are consistent with the ontology has no error."""

from __future__ import annotations

from random import Random

import pyoxigraph
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support.random_ontologies import CLASSES, COMPOSITE, DATA, INDIVIDUALS, LITERALS, SIMPLE, Source

from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.owl.to_triples import triples as triples_of
from kgprobe.queries.diagnosis.checking import Checker
from kgprobe.queries.diagnostics import Diagnostic
from kgprobe.queries.files.texts import QueryText
from kgprobe.queries.schema import Schema
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, XSD, BlankNode, NamedNode, Subject, Triple
from kgprobe.reasoners.ontology import Ontology, declarations
from kgprobe.reasoners.protocol import Consistency
from queries.checks import ENGINES
from queries.diagnosis.answered_queries import AnsweredQuery, answered_query, connected_triples

NODES: list[Subject] = [
    *INDIVIDUALS,
    NamedNode("urn:random:x"),
    NamedNode("urn:random:y"),
    BlankNode("m"),
    BlankNode("n"),
]
PREDICATES = [*SIMPLE, *COMPOSITE, *DATA]


def random_data(random: Random) -> list[Triple]:
    """Triples that use each name as what it is."""
    found: dict[Triple, None] = {}
    for _ in range(random.randint(2, 9)):
        node = random.choice(NODES)
        kind = random.random()
        if kind < 0.3:
            found[Triple(node, RDF.type, random.choice(CLASSES))] = None
        elif kind < 0.7:
            found[Triple(node, random.choice([*SIMPLE, *COMPOSITE]), random.choice(NODES))] = None
        else:
            found[Triple(node, random.choice(DATA), random.choice(LITERALS))] = None
    return list(found)


def plain_ontology(random: Random) -> Ontology:
    """Axioms that most ontologies have, about few names, so that they often clash with patterns."""
    one, two = random.sample(CLASSES, 2)
    prop, other = random.sample(SIMPLE, 2)
    data = random.choice(DATA)
    functional = ("FunctionalObjectProperty", "InverseFunctionalObjectProperty")
    makers = [
        Expression("DisjointClasses", *CLASSES),
        Expression("DisjointClasses", one, two),
        Expression("SubClassOf", one, two),
        Expression("ObjectPropertyDomain", prop, one),
        Expression("ObjectPropertyRange", prop, two),
        Expression("ObjectPropertyRange", other, one),
        Expression("DataPropertyDomain", data, two),
        *(Expression("DataPropertyRange", data, kind) for kind in (XSD.integer, XSD.decimal, XSD.string)),
        *(Expression("FunctionalDataProperty", each) for each in DATA),
        *(Expression(head, each) for head in functional for each in SIMPLE),
        *(Expression(head, prop) for head in ("IrreflexiveObjectProperty", "AsymmetricObjectProperty")),
        Expression("DisjointObjectProperties", prop, other),
        Expression("InverseObjectProperties", prop, other),
        Expression("SubClassOf", one, Expression("ObjectMaxCardinality", 1, prop)),
        Expression("SubClassOf", one, Expression("ObjectAllValuesFrom", other, two)),
        Expression("DifferentIndividuals", *INDIVIDUALS[:2]),
        *(Expression("TransitiveObjectProperty", each) for each in COMPOSITE),
        Expression("SubObjectPropertyOf", prop, COMPOSITE[0]),
        Expression("ObjectPropertyDomain", COMPOSITE[0], one),
        Expression("ObjectPropertyRange", COMPOSITE[1], two),
        Expression("DisjointClasses", one, Expression("ObjectSomeValuesFrom", COMPOSITE[0], two)),
        Expression(
            "HasKey",
            one,
            Expression(
                "",
            ),
            Expression("", data),
        ),
    ]
    return Ontology(tuple(random.sample(makers, random.randint(4, 10))))


def graph_of(ontology: Ontology) -> Graph:
    axioms = (*declarations(ontology.axioms), *ontology.axioms)
    return Graph(Triple(*triple) for triple in triples_of(OntologyDocument(axioms=axioms)))


def has_answer(query: str, triples: list[Triple]) -> bool:
    store = pyoxigraph.Store()
    store.extend(pyoxigraph.Quad(triple.subject, triple.predicate, triple.object) for triple in triples)
    result = store.query(query)
    return bool(result) if isinstance(result, pyoxigraph.QueryBoolean) else any(True for _ in result)


def is_consistent(graph: Graph, triples: list[Triple]) -> bool:
    whole = Graph([*graph, *triples])
    (answer,) = ENGINES.careful.answer(whole, [Consistency()], seconds=2)
    return answer.decided and answer.value is True


def errors_of(query: AnsweredQuery, schema: Schema) -> list[str]:
    report = Checker(schema, ENGINES).check(QueryText.whole("query.rq", query.text))
    found = [error for error in report.errors if error.code != "unknown-term"]
    return [str(each) for each in found if not is_about_a_wild_part(each, query)]


def is_about_a_wild_part(error: Diagnostic, query: AnsweredQuery) -> bool:
    """Whether an error is about a branch or an OPTIONAL that need not match."""
    is_part = error.message.startswith(("this branch of the UNION never matches", "this OPTIONAL never matches"))
    return is_part and query.text[error.place.start : error.place.end] in query.wild


def case(seed: int) -> tuple[Graph, list[Triple], AnsweredQuery]:
    random = Random(seed)
    is_plain = random.random() < 0.6
    graph = graph_of(plain_ontology(random) if is_plain else Source(random).ontology())
    data = random_data(random)
    return graph, data, answered_query(random, connected_triples(random, data), PREDICATES)


# On a busy machine, the reasoner decides less in its time, so that more examples are left out.
@settings(max_examples=100, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.integers(0, 2**32))
def test_a_query_with_an_answer_on_consistent_data_has_no_error(seed: int) -> None:
    graph, data, query = case(seed)
    assume(is_consistent(graph, data))
    if query.is_guess:
        assume(has_answer(query.text, data))
    assert has_answer(query.text, data), query.text
    assert errors_of(query, Schema(graph)) == [], query.text
