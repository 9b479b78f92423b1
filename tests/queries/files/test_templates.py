"""Templates: what is found holds whatever is filled in."""

from __future__ import annotations

import pytest

from kgprobe.queries.diagnosis.checking import Checker, check_source
from kgprobe.queries.files.query_files import source_of
from kgprobe.queries.schema import Schema
from kgprobe.rdf.graph import Graph
from queries.checks import ENGINES


def found(text: str, name: str = "a.rq") -> list[str]:
    """The codes of what is found, and the reasons for what is skipped."""
    report, errors = check_source(source_of(name, text), Checker(Schema(Graph()), ENGINES))
    assert not errors
    return [*(diagnostic.code for diagnostic in report.diagnostics), *(each.message for each in report.skipped)]


FALSE = "FILTER(1 > 2)"
UNBOUND = "SELECT ?x WHERE { ?x a <urn:C> . FILTER(?y > 3) %s }"


@pytest.mark.parametrize(
    "hole", ["{{ x }}", "{{x|tojson}}", "%X%", "$X$", "${x}", "{x}", "%s", "%(x)s", "{{{x}}}", "<<x>>"]
)
def test_a_term_that_is_filled_in_may_be_any(hole: str) -> None:
    assert found(f"SELECT ?x WHERE {{ ?x a {hole} . ?x <urn:p> {hole} {FALSE} }}") == ["false-filter"]
    assert found(f"SELECT ?x WHERE {{ ?x a {hole} . FILTER(?x = {hole}) }}") == []


@pytest.mark.parametrize(
    "query",
    [
        'SELECT ?x WHERE { ?x <urn:p> "{{ x }}"@en . FILTER(1 > 2) }',
        'SELECT ?x WHERE { VALUES ?x { "{{ x }}" } ?x <urn:p> ?y . FILTER(1 > 2) }',
        "SELECT ?x WHERE { ?x <http://e.org/{{ x }}> ?y . FILTER(1 > 2) }",
        "SELECT ?x WHERE { ?x <http://e.org/{{ x }}>* ?y . FILTER(1 > 2) }",
        "PREFIX e: <{{ x }}> SELECT ?x WHERE { ?x e:p ?y . FILTER(1 > 2) }",
        "PREFIX e: <urn:e:> SELECT ?x WHERE { ?x e:{{ x }} ?y . FILTER(1 > 2) }",
        "SELECT ?x WHERE { ?x <urn:p> ?y . FILTER(1 > 2) } LIMIT {{ n }}",
        "SELECT ?x WHERE { ?x <urn:p> ?y . FILTER(1 > 2) } {{ rest }}",
        "SELECT ?x WHERE { {{ more }} ?x <urn:p> ?y . FILTER(1 > 2) }",
        "SELECT ?x WHERE { ?x <urn:p> ?y . # {{ x }}\n FILTER(1 > 2) }",
        "SELECT ?x WHERE { ?x <urn:p> ?y . {% if a %} ?x a ?z . {% else %} } {% endif %} FILTER(1 > 2) }",
        "{{ prefixes }} SELECT ?x WHERE { ?x e:p ?y . FILTER(1 > 2) }",
        "SELECT ?x WHERE { ?x <urn:p> ?y . VALUES ?x { {{ xs }} } FILTER(1 > 2) }",
        "SELECT ?x WHERE { ?x <urn:p> ?y . VALUES (?x ?y) { {{ rows }} } FILTER(1 > 2) }",
        "{% import 'a' as b -%} SELECT ?x WHERE { ?x <urn:p> ?y . {{ b.f([\"?y\"], c) }} FILTER(1 > 2) }",
        "SELECT ?x WHERE { ?x <urn:p> ?y . FILTER(1 > 2 && regex(str(?x), <SOME_PARAMETER>)) }",
    ],
)
def test_parts_of_all_kinds_can_be_filled_in(query: str) -> None:
    assert found(query) == ["false-filter"]


def test_what_is_filled_in_may_bind_a_variable() -> None:
    assert found(UNBOUND % "") == ["unbound-in-filter"]
    assert found(UNBOUND % "{{ more }}") == []
    assert found(UNBOUND % "?x <urn:p> {{ object }}") == []
    assert found(UNBOUND % "{{ subject }} <urn:p> ?x") == []
    assert found(UNBOUND % "OPTIONAL { ?x <urn:p> ?{{ name }} }") == []
    # a string, an IRI and a local name cannot be variables
    assert found(UNBOUND % '?x <urn:p> "{{ text }}"') == ["unbound-in-filter"]
    assert found(UNBOUND % "?x <urn:p/{{ text }}> ?z") == ["unbound-in-filter"]


def test_what_is_in_a_block_may_be_missing() -> None:
    assert found("SELECT ?x WHERE { ?x a <urn:C> . {% if a %} ?x <urn:p> ?y . {% endif %} FILTER(?y > 3) }") == []
    assert found("SELECT ?x WHERE { ?x a <urn:C> . {{#a}} FILTER(1 > 2) {{/a}} }") == []


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("{% macro f() %} SELECT ?x { } {% endmacro %}", "a template with parts that depend on each other"),
        ("{% if a %} SELECT ?x { ?x a ?y }", "a template with parts that depend on each other"),
        ("SELECT {{ a }} {{ b }} WHERE WHERE", "a template that is no query before it is filled in"),
        (
            "{{ a }} SELECT ?x { ?x a ?y } #" + "-" * 50_000,
            "a template that is too long, or has too many parts that are filled in",
        ),
        (
            "SELECT ?x { " + "{{ a }} " * 61 + "}",
            "a template that is too long, or has too many parts that are filled in",
        ),
    ],
)
def test_what_cannot_be_filled_in_is_skipped(query: str, reason: str) -> None:
    assert found(query) == [reason]


def test_places_of_findings_are_those_in_the_template() -> None:
    text = "SELECT ?x WHERE {\n {{ a long name | with(a_filter) }} <urn:p> ?x .\n  FILTER(1 > 2) }"
    report, _ = check_source(source_of("a.rq", text), Checker(Schema(Graph()), ENGINES))
    (diagnostic,) = report.diagnostics
    assert (diagnostic.place.line, diagnostic.excerpt) == (3, "  FILTER(1 > 2) }")
    assert diagnostic.fixes == ()


def test_messages_show_what_is_filled_in_as_the_template_writes_it() -> None:
    text = "SELECT ?x WHERE { ?x a <urn:C> . FILTER(regex(?y, <SOME_PARAMETER>)) }"
    report, _ = check_source(source_of("a.rq", text), Checker(Schema(Graph()), ENGINES))
    (diagnostic,) = report.diagnostics
    assert "`regex(?y, <SOME_PARAMETER>)`" in diagnostic.message


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?x WHERE { VALUES ?x { <%RESOURCE_URI%> } ?x <urn:p> ?y . FILTER(1 > 2) }",
        "SELECT ?x WHERE { VALUES ?x { <%= uri %> } ?x <urn:p> ?y . FILTER(1 > 2) }",
        "SELECT ?x WHERE { <% if a %> ?x <urn:p> <%= uri %> . <% end %> ?x <urn:q> ?y FILTER(1 > 2) }",
        "SELECT ?x WHERE { PERSON_URI <urn:p> ?x. ?x <urn:q> PERSON_URI. FILTER(1 > 2) }",
        'SELECT (GROUP_CONCAT (?s) AS ?x) WHERE { ?s <urn:p> "A_B" # C_D\n FILTER(1 > 2) }',
    ],
)
def test_names_between_signs_and_in_capitals(query: str) -> None:
    assert found(query) == ["false-filter"]


def test_capitals_in_strings_comments_and_names_are_no_template() -> None:
    text = "PREFIX e: <urn:A_B:> SELECT (GROUP_CONCAT(?x) AS ?y) WHERE { e:A_B ?x \"C_D\", 'E_F G_H' } # I_J K_L"
    (query,) = source_of("a.rq", text).queries
    assert not query.is_template


def test_what_is_filled_in_may_connect_patterns() -> None:
    for hole in ("{{ x }}", "<{{ x }}>", "<%X%>"):
        assert found(f"SELECT * WHERE {{ {hole} <urn:p> ?x . OPTIONAL {{ {hole} <urn:q> ?y }} }}") == []
    text = 'q = "SELECT * WHERE { <" + uri + "> <urn:p> ?x . OPTIONAL { <" + uri + "> <urn:q> ?y } FILTER(1 > 2) }";'
    assert found(text, "A.java") == ["false-filter"]
    text = 'q = "SELECT * WHERE { ?x <urn:p> ?y . FILTER(ISBLANK(<" + uri + ">)) }";'
    report, _ = check_source(source_of("A.java", text), Checker(Schema(Graph()), ENGINES))
    assert "\ufffc" not in "".join(diagnostic.message for diagnostic in report.diagnostics)


@pytest.mark.parametrize("row", ["e:range", " e:range ", "true", "UNDEF", " e:a  "])
def test_one_value_in_braces_is_no_field_of_a_format(row: str) -> None:
    text = f"PREFIX e: <urn:e:> SELECT * WHERE {{ ?x e:p ?y . VALUES ?y {{{row}}} values $x{{{row}}} FILTER(1 > 2) }}"
    (query,) = source_of("a.rq", text).queries
    assert not query.is_template
    assert "false-filter" in found(text)


def test_the_other_branch_of_a_block() -> None:
    text = (
        "{{#if mode}} SELECT ?x {{else}} SELECT (COUNT(?x) AS ?n) {{/if}} WHERE {"
        " {{#if a}} ?x <urn:p> ?y . {{#unless b}} ?x a ?z {{/unless}} {{else if c}} ?x <urn:q> ?y . {{else}}"
        " ?x <urn:r> ?y . {{/if}} FILTER(1 > 2) }"
    )
    assert found(text) == ["false-filter"]
    assert found(UNBOUND % "{% if a %} ?x <urn:p> ?y {% else %} ?x <urn:q> ?z {% endif %}") == []
    assert found(UNBOUND % "{% if a %} ?x <urn:p> ?z {% else %} ?x <urn:q> ?y {% endif %}") == []
    assert found(UNBOUND % "{% if a %} ?x <urn:p> ?z {% else %} ?x <urn:q> ?w {% endif %}") == ["unbound-in-filter"]
    assert found("SELECT * { ?x ?p ?y {{else}} }")[0].startswith("a template")
