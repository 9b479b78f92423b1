"""Terms that the text of a query does not tell: relative IRIs without a BASE, and variables that are bound before."""

from __future__ import annotations

import pytest

from kgprobe.queries.files.texts import File, QueryText
from queries.checks import PREFIXES, checker, found

RELATIVE = [
    ("ASK { ?s ?p ?o FILTER(?s = <a>) }", []),
    ("ASK { ?s ?p ?o FILTER(?s IN (<a>, <b>)) }", []),
    ("ASK { ?u sn:likes ?e FILTER(?e != <#a>) }", []),
    ("ASK { ?u sn:likes <a> . <a> sn:created_by ?u }", []),
    ("ASK { ?s ?p ?o FILTER(?o = 'x'^^<type>) }", []),
    ("ASK { ?s ?p ?o FILTER(DATATYPE(?o) = <type>) }", []),
    ("ASK { ?u sn:name ?n FILTER(<function>(?n) = 'x') }", []),
    ("ASK { VALUES ?s { <a> } ?s sn:likes ?e FILTER(?s != sn:antonio) }", []),
    ("ASK { ?s (<p>/sn:likes)* 'text' }", []),
    ("ASK { 'text' ^<p> ?s }", []),
    ("ASK { 'text' (^<p>/sn:likes) ?s }", []),
    ("ASK { GRAPH <g> { ?u sn:likes ?e } }", []),
    ("CONSTRUCT { <a> <p> ?e } { ?u sn:likes ?e }", []),
    ("SELECT (<a> AS ?one) (STR(<a>) AS ?two) { ?u sn:likes ?e } ORDER BY (?e = <a>)", []),
    # a base may make any IRI of it
    ("ASK { ?u sn:likes ?e FILTER(?e = <a> && ?e = sn:athleticswch) }", []),
    ("ASK { ?u sn:likes ?e FILTER(?e = <a> && ?e = <b>) }", []),
    ("ASK { <a> a sn:User . <b> a sn:Event }", []),
    # but it is an IRI, and the same one everywhere
    ("ASK { ?u sn:likes ?e FILTER(<a> > 5) }", ["warning false-filter 1"]),
    ("ASK { ?u sn:name ?n FILTER(REGEX(?n, <PATTERN>)) }", ["warning false-filter 1"]),
    ("ASK { ?u sn:age <a> }", ["warning node-for-data-property 1"]),
    ("ASK { <a> a sn:User .\n<a> a sn:Event }", ["error contradiction 2"]),
    (
        "SELECT * { <a> a sn:User .\n{ SELECT (COUNT(*) AS ?n) { ?u sn:likes <a> } GROUP BY ?u } }",
        ["error contradiction 2"],
    ),
    ("ASK { ?u sn:friend_of <a> FILTER EXISTS { <a>\nsn:friend_of <a> } }", ["error contradiction 1"]),
]


@pytest.mark.parametrize(("query", "expected"), RELATIVE, ids=[query for query, _ in RELATIVE])
def test_a_relative_iri_without_a_base_is_an_iri(query: str, expected: list[str]) -> None:
    assert found(query) == expected


def found_with(query: str, *bound_before: str) -> list[str]:
    text = QueryText(File("shape.ttl", PREFIXES + query), PREFIXES + query, None, frozenset(bound_before))
    return [f"{diagnostic.severity.value} {diagnostic.code}" for diagnostic in checker().check(text).diagnostics]


# Each line: a query, the names that are bound before it, and what is found then.
BOUND_BEFORE = [
    ("SELECT $this ?value { $this sn:age ?value FILTER(?value > ?limit) }", "limit", []),
    ("SELECT $this { FILTER($this = sn:antonio) }", "this", []),
    ("SELECT $this ?value { $this $PATH ?value . FILTER(!isLiteral(?value)) }", "this PATH", []),
    ("ASK { { SELECT (COUNT(?e) AS ?n) { $this sn:likes ?e } } FILTER(?n > ?_limit) }", "this _limit", []),
    ("SELECT $this { ?u sn:likes ?e FILTER NOT EXISTS { ?u sn:age ?a FILTER(?a = $value) } }", "this value", []),
    ("SELECT * { ?u sn:likes ?e OPTIONAL { ?u sn:friend_of $this } FILTER(isIRI($this)) }", "this", []),
    ("CONSTRUCT { $this sn:likes ?e } { ?e a sn:Event }", "this", []),
    ("SELECT * { { $this sn:likes ?e } UNION { ?e sn:liked_by ?u FILTER($this != ?u) } }", "this", []),
    ("SELECT * { { $this sn:likes ?e } $this sn:age ?a }", "this", []),
    ("ASK { SELECT ?e { ?e sn:created_by ?u FILTER(BOUND(?currentShape)) } }", "currentShape", []),
    # it is one term, in all scopes
    (
        "SELECT * { $this a sn:User { SELECT (?u AS ?v) { ?u sn:likes $this } } ?v a sn:User }",
        "this",
        ["error contradiction"],
    ),
    (
        "SELECT * { $this a sn:User { SELECT (?u AS ?v) { ?u sn:likes $this } } ?v a sn:User }",
        "",
        ["warning cross-product"],
    ),
    ("SELECT * { ?u sn:likes ?e FILTER(?e = $this && isLiteral($this)) }", "this", ["error false-filter"]),
]


@pytest.mark.parametrize(("query", "names", "expected"), BOUND_BEFORE, ids=[query for query, *_ in BOUND_BEFORE])
def test_variables_that_are_bound_before_the_query_runs(query: str, names: str, expected: list[str]) -> None:
    assert found_with(query, *names.split()) == expected
