"""A text that is not a query is refused with a position; a query is never evaluated."""

from __future__ import annotations

import socket
import time

import pytest

from kgprobe.errors import InputError, Position
from kgprobe.sparql.documents import check_query
from kgprobe.sparql.reading import read_query


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("SELECT * {\n  ?x ?y\n}", 2, 8, "this is not a SPARQL query"),
        ("SELECT * {\n  ?x ?y ?z", 2, 11, "the query ends too early"),
        ("SELECT ?x WHERE\n  ?x ?y ?z }", 2, 3, "expected {"),
        ("SELECT * {\n ?x ?y 'é😀'\n  OPTIONAL ?x ?y 1 }", 3, 12, "expected {"),
        ("SELECT * {\n ?x ?y 'é😀' . é:a ?y ?z }", 2, 15, "the prefix é: is not declared"),
        ("SELECT * {\n FILTER(?x = )\n}", 2, 13, "this is not a SPARQL query"),
        ("SELECT * { }\n}", 2, 1, "this is not a SPARQL query"),
        ("SELECT * {\n ?x ?y <a b> }", 2, 8, "<a b> is not an IRI: it has a space"),
        ("SELECT ?x { ?x ?y ?z } GROUP BY ?y", 1, 35, "The SELECT contains a variable that is unbound"),
        ("SELECT (?x AS ?y) { ?x ?y ?z }", 1, 31, "The SELECT overrides an existing variable using an expression"),
        ("SELCT * { }", 1, 1, "this is not a SPARQL query"),
        ("", 1, 1, "this is not a SPARQL query"),
        ("SELECT * { ?x ?y ?z } ; SELECT * { }", 1, 23, "this is not a SPARQL query"),
        ("SELECT * {\n ?x ?y '\ud800' }", 2, 9, "a query cannot hold half a surrogate pair"),
    ],
)
def test_mistakes_have_positions(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_query(text, "queries/wrong.rq")
    assert raised.value.where == Position("queries/wrong.rq", line, column)
    assert raised.value.message == message


def test_an_undeclared_prefix_has_a_hint() -> None:
    with pytest.raises(InputError, match=r"1:43: the prefix rdf: is not declared \(did you mean rdfs:\?\)"):
        read_query("PREFIX rdfs: <http://a/> SELECT * { ?x ?y rdf:z }")
    with pytest.raises(InputError, match=r"the prefix owl: is not declared \(add a line PREFIX owl: and its IRI\)"):
        read_query("SELECT * { ?x ?y owl:z }", prefixes={"rdfs": "http://a/"})


def test_an_update_is_not_a_query() -> None:
    with pytest.raises(InputError, match="this is an update, not a query"):
        read_query("INSERT DATA { <a:a> <a:b> <a:c> }")


def test_a_given_prefix_that_is_not_an_iri() -> None:
    with pytest.raises(InputError, match="Invalid prefix IRI 'no iri' for ex"):
        read_query("SELECT * { ?x ?y ?z }", prefixes={"ex": "no iri"})


@pytest.mark.parametrize(
    "form",
    ["ASK", "SELECT (COUNT(*) AS ?n)", "CONSTRUCT { ?a <a:b> ?c }"],
)
def test_nothing_is_evaluated(form: str) -> None:
    """A join of 200 to the power of six rows would not end."""
    values = " ".join(f"VALUES ?{name} {{ {' '.join(map(str, range(200)))} }}" for name in "abcdef")
    text = f"{form} {{ {values} FILTER(?a + ?b + ?c + ?d + ?e + ?f < 0) }}"
    before = time.process_time()
    check_query(text + (" ORDER BY ?a" if form != "ASK" else ""), "<query>", {})
    assert time.process_time() - before < 5


def test_no_service_is_queried() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        query = read_query(f"ASK {{ SERVICE <http://127.0.0.1:{server.getsockname()[1]}/> {{ ?x ?y ?z }} }}")
        with pytest.raises(TimeoutError):
            server.accept()
    assert query.unseen == ("line 1: SERVICE queries another system",)


def test_unknown_functions_are_not_errors() -> None:
    check_query("SELECT (<http://a/f>(1) AS ?x) { }", "<query>", {})
