"""Queries match and return terms as they are written."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyoxigraph import QueryResultsFormat, QuerySolutions, RdfFormat, parse, parse_query_results

from kgprobe.errors import InputError
from kgprobe.masks.ask import AskCheck
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import XSD, Literal, NamedNode, Term, Triple
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.engine.exact_store import ExactStore, GraphStore, PreparedQuery
from kgprobe.sparql.engine.results import Rows, serialized
from kgprobe.sparql.matching import compile_where
from kgprobe.sparql.reading import read_query
from sparql.engine.odd_literals import random_graph, random_query

WORKER = Path(__file__).with_name("rdflib_worker.py")


def _told(term: Term | None) -> Any:
    if isinstance(term, Literal):
        return ["literal", term.value, term.language or term.datatype.value]
    return None if term is None else ["other", term.value, ""]


def _answer(graph: Graph, query: str) -> list[Any]:
    found = ExactStore(graph).query(query)
    if isinstance(found, Rows):
        return sorted(([_told(row.get(name)) for name in found.names] for row in found.rows), key=str)
    assert isinstance(found, bool)
    return [found]


def test_answers_agree_with_rdflib(pytestconfig: pytest.Config) -> None:
    """rdflib matches, compares and returns terms as they are written."""
    pytest.importorskip("rdflib")
    random = Random(14)
    count = 1000 if pytestconfig.getoption("--thorough") else 12
    graphs = [(random_graph(random), [random_query(random) for _ in range(6)]) for _ in range(count)]
    asked = [["".join(f"{triple} .\n" for triple in graph), queries] for graph, queries in graphs]
    run = subprocess.run(  # noqa: S603 - our own interpreter, our own program
        [sys.executable, WORKER], input=json.dumps(asked), text=True, capture_output=True, check=True
    )
    expected = json.loads(run.stdout)
    differing = []
    interesting = 0
    for (graph, queries), answers in zip(graphs, expected, strict=True):
        for query, answer in zip(queries, answers, strict=True):
            interesting += answer not in ([], [False])
            if (ours := _answer(graph, query)) != answer:
                differing.append((list(map(str, graph)), query, ours, answer))
    assert not differing, f"{len(differing)}, the first: {differing[0]}"
    assert interesting > count


PREFIXES = "PREFIX : <urn:x:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
GRAPH = """@prefix : <urn:x:> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:a :cardinality "5"^^xsd:nonNegativeInteger ; :plain 5 ; :padded 01 , "05"^^xsd:nonNegativeInteger ;
   :price 1.0 , 1.00 ; :truth "1"^^xsd:boolean ; :at "2020-01-01T00:00:00.00Z"^^xsd:dateTimeStamp ;
   :part [] , <http://example.org/> .
"""
TRUE = [
    ":a :cardinality ?n FILTER(DATATYPE(?n) = xsd:nonNegativeInteger)",
    ":a :padded ?x FILTER(STR(?x) = '01')",
    ":a :padded 01",
    ":a :cardinality ?n ; :plain ?m FILTER(?n = ?m && ?n + 1 = 6 && ?n IN (5) && !sameTerm(?n, ?m))",
    ":a :cardinality ?n BIND(?n AS ?m) BIND(IF(true, ?m, 0) AS ?o) :a :cardinality ?o",
    "BIND(STRDT('05', xsd:nonNegativeInteger) AS ?n) :a :padded ?n",
    "{ SELECT (COUNT(DISTINCT ?x) AS ?n) (SUM(DISTINCT ?x) AS ?m) { :a :price ?x } } FILTER(?n = 2 && ?m = 2)",
    "{ SELECT (MAX(?x) AS ?n) { :a :padded ?x } } FILTER(STR(?n) = '05')",
    "{ SELECT (MAX(?x) AS ?n) (MIN(?x) AS ?m) { :a :part ?x } } FILTER(isIRI(?n) && isBlank(?m))",
    "{ SELECT (SUM(?x) AS ?n) { :a :part ?x } } FILTER(!BOUND(?n))",
    "{ SELECT ?x { :a :padded ?x } ORDER BY DESC(?x) LIMIT 1 } FILTER(?x = 5)",
    ":a :truth ?t FILTER(?t) FILTER(STR(?t) = '1')",
    ":a :at ?t FILTER(YEAR(?t) = 2020 && DATATYPE(?t) = xsd:dateTimeStamp)",
    "VALUES ?x { 01 } :a :padded ?x",
    "FILTER(STR(01) = '01' && DATATYPE('1'^^xsd:byte) = xsd:byte)",
    ":a :price ?x FILTER(?x<2&&3>?x)",
]
FALSE = [
    ":a :cardinality 5",
    ":a :padded 1",
    ":a :cardinality ?n . :a :plain ?n",
    ":a :price 1",
    "VALUES ?x { 1 } :a :padded ?x",
    ":a :truth true",
    ":a :cardinality ?n FILTER(DATATYPE(?n) = xsd:integer)",
]


@pytest.mark.parametrize(("pattern", "expected"), [*((p, True) for p in TRUE), *((p, False) for p in FALSE)])
def test_a_mask_sees_literals_as_they_are_written(pattern: str, expected: bool) -> None:
    graph = Graph(quad.triple for quad in parse(GRAPH, format=RdfFormat.TURTLE))
    for seconds in (None, 60.0):
        assert AskCheck(f"{PREFIXES} ASK {{ {pattern} }}", "q.rq", seconds=seconds).admits(graph) is expected


def test_a_literal_that_only_the_query_has_is_exact() -> None:
    graph = Graph(quad.triple for quad in parse("<urn:x:a> <urn:x:p> 1 .", format=RdfFormat.TURTLE))
    assert AskCheck("ASK { ?s ?p 01 }", "q").admits(graph) is False


def test_a_store_follows_changes_of_literals_that_have_the_same_value() -> None:
    one, other = (
        Triple(NamedNode("urn:x:a"), NamedNode("urn:x:p"), Literal(form, datatype=XSD.integer)) for form in ["1", "01"]
    )
    graph = Graph([one])
    check = AskCheck("ASK { ?s ?p ?o FILTER(STR(?o) = '01') }", "q")
    for delta, expected in ((Delta([], [other]), True), (Delta([other], []), False), (Delta([one], [other]), True)):
        graph.apply(delta)
        assert check.admits(graph) is expected


def test_matches_and_answers_have_exact_terms() -> None:
    graph = Graph(quad.triple for quad in parse(GRAPH, format=RdfFormat.TURTLE))
    where = compile_where(
        "{ ?s :price ?x } UNION { ?s :padded ?x } FILTER(DATATYPE(?x) = xsd:decimal)",
        {"": "urn:x:", "xsd": "http://www.w3.org/2001/XMLSchema#"},
    )
    assert sorted(binding["x"].value for binding in where.matches(graph)) == ["1.0", "1.00"]
    native = compile_where(
        "?s :cardinality ?x FILTER(DATATYPE(?x) = xsd:nonNegativeInteger && STR(?x) = '5')",
        {"": "urn:x:", "xsd": "http://www.w3.org/2001/XMLSchema#"},
    )
    assert [binding["x"].value for binding in native.matches(graph)] == ["5"]
    constructed = ExactStore(graph).query("CONSTRUCT { ?s <urn:x:q> 007 } { ?s <urn:x:plain> ?x }")
    assert isinstance(constructed, Iterator)
    assert [triple.object for triple in constructed] == [Literal("007", datatype=XSD.integer)]


@pytest.mark.parametrize("wanted", [QueryResultsFormat.JSON, QueryResultsFormat.XML, QueryResultsFormat.TSV])
def test_results_are_written_with_exact_terms(wanted: QueryResultsFormat) -> None:
    graph = Graph(quad.triple for quad in parse(GRAPH, format=RdfFormat.TURTLE))
    found = ExactStore(graph).query("SELECT ?x { ?s <urn:x:padded> ?x } ORDER BY ?x")
    assert isinstance(found, Rows)
    read = parse_query_results(serialized(found, wanted), format=wanted)
    assert isinstance(read, QuerySolutions)
    assert [row["x"].value for row in read] == ["01", "05"]


def test_a_store_answers_for_its_graph_although_the_graphs_of_a_table_share_what_is_stored() -> None:
    one = Graph(quad.triple for quad in parse(GRAPH, format=RdfFormat.TURTLE))
    other = one.copy()
    other.add(Triple(NamedNode("urn:x:new"), NamedNode("urn:x:only"), NamedNode("urn:x:there")))
    first, second = GraphStore(one), GraphStore(other)
    asked = [store.query("ASK { ?s <urn:x:only> ?o }") for store in (second, first, second)]
    assert asked == [True, False, True]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('VERSION "1.2" SELECT ?x { ?s <urn:x:padded> ?x FILTER(STR(?x) = "01") }', ["01"]),
        ("SELECT ?x { ?s <urn:x:padded> ?x FILTER(!hasLANG(?x)) } ORDER BY ?x", ["01", "05"]),
        ('SELECT ?x { ?s <urn:x:padded> ?x FILTER(LANG("a"@en--ltr) = "en" && ?x = 1) }', ["01"]),
        ("SELECT ?x { ?s ?p ?o LATERAL { ?s <urn:x:padded> ?x FILTER(?x = 1) } }", ["01"]),
    ],
)
def test_syntax_beyond_sparql_1_1_works_on_exact_terms(query: str, expected: list[str]) -> None:
    """Where the engine has it: `read_document` refuses it, see the docstring of the package."""
    graph = Graph(quad.triple for quad in parse(GRAPH, format=RdfFormat.TURTLE))
    assert PreparedQuery.of(query, "<query>").form is not None
    with pytest.raises(InputError, match=r"this is not SPARQL 1\.1|not a SPARQL"):
        read_document(query)
    assert "cannot parse" in read_query(query).unseen[0]
    found = ExactStore(graph).query(query)
    assert isinstance(found, Rows)
    assert sorted({row["x"].value for row in found.rows}) == expected


@pytest.mark.parametrize("before", ["", "FILTER(?o < 1 && STR(?o) = '01') ", "VALUES ?o { 01 } ", "?s ?p 007 . "])
def test_a_mistake_is_where_it_is_in_the_text_that_the_user_wrote(before: str) -> None:
    graph = Graph(quad.triple for quad in parse(GRAPH, format=RdfFormat.TURTLE))
    query = f"SELECT * {{ ?s ?p ?o . {before}?s <relative> ?x }}"
    with pytest.raises(SyntaxError, match=rf"error at 1:{query.index('<relative>') + 1}: <relative> is relative"):
        ExactStore(graph).query(query)
