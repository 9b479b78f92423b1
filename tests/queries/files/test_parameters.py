"""Queries in programs, and queries that programs read: their variables may have a value before they run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgprobe.cli.app import run
from kgprobe.queries.diagnosis.checking import Checker, check_source
from kgprobe.queries.files.program_strings import given_by_program
from kgprobe.queries.files.query_files import source_of
from kgprobe.queries.schema import Schema
from kgprobe.rdf.graph import Graph
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.scopes import parameters_of
from queries.checks import ENGINES

QUERY = "SELECT ?s WHERE { ?s <urn:age> ?age FILTER(?age > ?limit) }"


def found(name: str, text: str) -> list[str]:
    """Severities and messages of what is found."""
    report, errors = check_source(source_of(name, text), Checker(Schema(Graph()), ENGINES))
    assert not errors
    assert report.queries
    return [f"{diagnostic.severity.value}: {diagnostic.message}" for diagnostic in report.diagnostics]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("A.java", 'q = em.query("%s").setParameter("limit", 3);'),
        ("A.java", 'q = c.prepare("%s"); q.setBinding("limit", v);'),
        ("A.java", 'p = new Parameterized("%s"); p.setLiteral("limit", 3);'),
        ("A.java", 'q = "%s"; h.bindVariableToUri("limit", u);'),
        ("A.java", 'q = substitute("%s", Map.of(Var.alloc("limit"), n));'),
        ("A.java", 'q = "%s".replace("?limit", n);'),
        ("A.java", 'q = "%s"; solution.add("limit", n);'),
        ("A.java", 'static final String LIMIT = "limit"; q = "%s"; p.setLiteral(LIMIT, 3);'),
        ("a.js", "const q = '%s'; const options = { initialBindings: of({ limit: n }) };"),
        ("a.ts", "const q = '%s'; const options = { initialBindings: of([[variable('?limit'), n]]) };"),
        ("a.R", "q <- '%s'\nq <- gsub('?limit', n, q)"),
        ("a.py", "g.query('%s', initBindings={'limit': n})"),
        ("a.py", "g.query('%s', initBindings=dict(limit=n))"),
        ("a.py", "q = '%s'\nbindings = {Variable('limit'): n}"),
        ("a.py", "q = '%s'\nstore.query(q, substitutions={Variable('limit'): n})"),
    ],
)
def test_what_a_program_gives_has_a_value(name: str, text: str) -> None:
    assert found(name, text % QUERY) == []


@pytest.mark.parametrize("name", ["A.java", "a.js", "a.ts", "a.R", "a.py"])
def test_a_program_may_give_values_to_variables_that_only_conditions_use(name: str) -> None:
    (message,) = found(name, f"q = '{QUERY}'" if name != "A.java" else f'q = "{QUERY}";')
    assert message.startswith("warning: ?limit is never bound here")
    assert message.endswith("(unless the program gives ?limit a value before the query runs)")


def test_a_python_call_without_bindings_gives_nothing() -> None:
    for call in ("g.query('%s')", "for row in g.query('%s'): pass", "g.query('%s', timeout=3)"):
        assert [each[:5] for each in found("a.py", call % QUERY)] == ["error"]
    for call in ("g.query('%s', initBindings=b)", "g.query('%s', **options)", "g.query('%s', b)", "run('%s')"):
        assert [each[:7] for each in found("a.py", call % QUERY)] == ["warning"]


def test_what_is_wrong_whatever_is_given_stays_an_error() -> None:
    # ?other has a value, but in another scope; ?limit is given
    scope = "SELECT ?s WHERE { ?s <urn:age> ?other . { FILTER(?other > ?limit) } }"
    (message,) = found("A.java", f'q.run("{scope}").setParameter("limit", 3);')
    assert message.startswith("error: ?other is never bound here")
    assert [each[:5] for each in found("A.java", f'q.run("{QUERY[:-1]} FILTER(1 > 2) }}");')] == ["warni", "error"]


def test_an_empty_values_of_a_program_may_get_rows() -> None:
    query = "SELECT * WHERE { VALUES (?x) {} ?x ?p ?y }"
    (message,) = found("A.java", f'q = "{query}";')
    assert message == "warning: VALUES (?x) has no rows (unless the program writes some)"
    assert found("a.rq", query) == ["error: VALUES (?x) has no rows"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("INSERT { ?s <urn:p> ?new } WHERE { ?s <urn:p> ?o }", {"new"}),
        ("CONSTRUCT { ?given <urn:p> ?o } { ?s <urn:p> ?o }", {"given"}),
        (QUERY, {"limit"}),
        ("SELECT ?z { ?s ?p ?o BIND(?a + 1 AS ?b) FILTER EXISTS { ?s ?q ?c FILTER(?d = ?b) } }", {"a", "d"}),
        ("SELECT (SUM(?a) AS ?b) { VALUES ?v { 1 } } GROUP BY ?g HAVING (?v > ?h) ORDER BY ?o", {"a", "g", "h", "o"}),
        ("SELECT * { GRAPH ?g { ?s ?p ?o } SERVICE ?e { ?x ?y ?z FILTER(?i = ?x) } FILTER(?g = ?e) }", set()),
        ("ASK { { SELECT ?s { ?s ?p ?o FILTER(?i > 3) } } FILTER(?o > 3) }", {"i"}),
        ("DELETE { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(?o = ?old) } ; INSERT DATA { <urn:a> <urn:b> 3 }", {"old"}),
    ],
)
def test_parameters_are_the_variables_that_only_conditions_use(query: str, names: set[str]) -> None:
    assert parameters_of(read_document(query)) == names


def test_what_is_no_setter_gives_nothing() -> None:
    for text in ('row.get("limit")', '"limit"', 'print("limit")', 'settings["limit"]', "FILTER(?limit)"):
        assert given_by_program(text) == frozenset()


def test_a_file_in_a_folder_gets_values_from_the_programs_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "a.rq").write_text(QUERY)

    def errors() -> list[str]:
        run(["query", "check", str(tmp_path), "--no-ontology", "--json"])
        return [each["severity"] for each in json.loads(capsys.readouterr().out)["diagnostics"]]

    assert errors() == ["error"]
    (tmp_path / "App.java").write_text('class App { void f(Query q) { q.setParameter("age", 3); } }')
    assert errors() == ["error"]  # a variable that the query binds itself
    (tmp_path / "App.java").write_text('class App { void f(Query q) { q.setParameter("limit", 3); } }')
    assert errors() == []


def test_what_a_program_writes_with_a_query() -> None:
    update = "INSERT { ?s <urn:p> ?new } WHERE { ?s <urn:p> ?o }"
    assert found("A.java", f'q = "{update}";') != []
    assert found("A.java", f'q = em.update("{update}").setParameter("new", 3);') == []
