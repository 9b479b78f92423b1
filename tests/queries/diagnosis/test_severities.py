# ruff: noqa: E501 - one line for each query
"""What is an error, because no data at all can match, and what is only a warning, which says when it holds."""

from __future__ import annotations

import pytest

from kgprobe.queries.testing.request import Request
from kgprobe.queries.testing.run import run_test
from queries.checks import PREFIXES, SOCIAL_NETWORK, check, found

OTHERS = (
    "PREFIX text: <http://jena.apache.org/text#> PREFIX bif: <bif:> PREFIX e: <http://e.org/> "
    "PREFIX wikibase: <http://wikiba.se/ontology#> PREFIX bd: <http://www.bigdata.com/rdf#> "
)
LABELS = "SERVICE wikibase:label { bd:serviceParam wikibase:language 'en' }"

# Each line: a query, and what is found in it.
QUERIES = [
    # a literal can be a type, as data
    ("ASK { ?s a ?v FILTER(REGEX(?v, 'x')) }", ["warning false-filter 1"]),
    ("ASK { ?s a 'x' }", ["warning literal-for-object-property 1"]),
    ("ASK { ?s rdfs:subClassOf ?c FILTER(?c < 5) }", ["warning false-filter 1"]),
    ("ASK { ?s sn:likes ?v FILTER(REGEX(?v, 'x')) }", ["error false-filter 1"]),
    ("ASK { ?s a owl:Nothing }", ["warning contradiction 1"]),
    ("ASK { ?s a owl:Nothing ; sn:likes ?e . ?e sn:age ?a }", ["warning contradiction 1", "error contradiction 1"]),
    # language ranges
    ("ASK { ?s ?p ?o FILTER(langMatches(lang('a'), '')) }", []),
    ("ASK { ?s sn:name ?n FILTER(langMatches(lang(?n), '')) }", []),
    ("ASK { ?s sn:name ?n FILTER(langMatches(lang(?n), ?o)) ?s ?p ?o }", []),
    ("ASK { ?s sn:name ?n FILTER(langMatches(lang(?n), 'en')) }", ["error false-filter 1"]),
    # a namespace is not a name in it
    ("ASK { ?s ?p ?o FILTER(STRSTARTS(STR(?p), STR(rdf:)) || STRSTARTS(STR(?p), STR(sn:))) }", []),
    ("ASK { VALUES ?n { owl: rdfs: xsd: sn: } ?s ?p ?n }", []),
    # GRAPH
    ("ASK { GRAPH ?g { ?s sn:likes ?o FILTER(?g != ?o) } }", ["warning unbound-in-filter 1"]),
    ("ASK { GRAPH ?g { { ?s sn:likes ?o FILTER(STR(?g) > 'a') } } }", ["warning unbound-in-filter 1"]),
    ("ASK { GRAPH ?g { ?s sn:likes ?o BIND(STR(?g) AS ?n) } FILTER(?n > 'a') }", ["warning unbound-variable 1"]),
    ("ASK { GRAPH ?g { ?s sn:likes ?o OPTIONAL { ?o a ?t FILTER(?g != ?s) } } }", ["warning unbound-in-filter 1"]),
    ("ASK { GRAPH ?g { ?g sn:likes ?o FILTER(?g != ?o) } }", []),
    ("ASK { GRAPH ?g { ?s sn:likes ?o } FILTER(isBlank(?g)) }", []),
    ("ASK { GRAPH ?g { ?s sn:likes ?o } FILTER(isLiteral(?g)) }", ["error false-filter 1"]),
    # functions and properties that only some engines know
    ("ASK { ?s ?p ?o FILTER(e:f(?x)) }", ["warning unbound-in-filter 1"]),
    ("ASK { ?s ?p ?o FILTER(e:f(e:g(?x) + 1) > 3) }", ["warning unbound-in-filter 1"]),
    ("ASK { ?s ?p ?o FILTER(STR(?x) > 'a') }", ["error unbound-in-filter 1"]),
    ("ASK { 'a' text:query ?s . (?s ?score) text:query ('a' 10) }", []),
    ("ASK { ?s sn:name ?n . ?n bif:contains 'x' }", []),
    ("ASK { ?s sn:name ?n . ?n bif:contains+ 'x' }", []),
    ("ASK { 'a b' e:split ?s }", ["warning literal-as-subject 1"]),
    ("ASK { 'a b' sn:likes ?s }", ["error literal-as-subject 1"]),
    ("ASK { 'a b' rdfs:label ?s }", ["error literal-as-subject 1"]),
    # variables with a value from outside
    ("ASK { ?s sn:age ?a FILTER(?a > ?_limit) }", ["warning unbound-in-filter 1"]),
    ("ASK { ?s sn:age ?a FILTER($value < ?a) }", ["warning unbound-in-filter 1"]),
    ("ASK { ?s sn:age ?a FILTER($this != ?s) }", ["warning unbound-in-filter 1"]),
    ("ASK { ?s sn:age ?a FILTER(?a > $limit) }", ["warning unbound-in-filter 1"]),
    ("ASK { ?s sn:age ?a FILTER(?a > $limit && ?limit < 100) }", ["error unbound-in-filter 1"] * 2),
    ("ASK { FILTER($least < $most) }", ["warning unbound-in-filter 1"]),
    (
        "ASK { ?s ?p ?o BIND(STR($z) AS ?k) FILTER(?k > 'a') }",
        ["warning unbound-variable 1", "warning unbound-in-filter 1"],
    ),
    (
        "ASK { ?s ?p ?o BIND(STR(?z) AS ?k) FILTER(?k > 'a') }",
        ["warning unbound-variable 1", "error unbound-in-filter 1"],
    ),
    ("ASK { ?s sn:age ?a FILTER(?thiss != ?s) }", ["error unbound-in-filter 1"]),
    # SERVICE
    (f"SELECT ?s ?sLabel ?sDescription {{ ?s ?p ?o {LABELS} }} ORDER BY ?sLabel", []),
    (f"SELECT ?s ?zLabel {{ ?s ?p ?o {LABELS} }}", ["warning unbound-column 1"]),
    (f"ASK {{ {{ SELECT ?sLabel {{ ?s ?p ?o {LABELS} }} }} FILTER(?sLabel > 'a') }}", []),
    ("SELECT ?s ?sLabel { ?s ?p ?o }", ["warning unbound-column 1"]),
    ("ASK { SERVICE e:s { ?s e:out ?x } FILTER(?x > 3) }", []),
    ("ASK { SERVICE ?e { ?s e:out ?x } FILTER(isIRI(?e)) }", []),
    # updates
    ("DELETE { ?e sn:age 4 . ?e sn:date ?d } WHERE { ?e a sn:Event ; sn:date ?d }", ["warning contradiction 1"]),
    ("DELETE { ?e sn:age 4 } WHERE { ?e a sn:Event }", ["error contradiction 1"]),
    ("DELETE { ?e sn:age 4 . ?e sn:name 'a' } WHERE { ?e a sn:Event }", ["error contradiction 1"] * 2),
    ("INSERT { ?e e:t ?u } WHERE { ?e sn:likes ?u } ;\nDELETE WHERE { ?e e:t ?u }", []),
    (
        "INSERT { ?e sn:t ?u } WHERE { ?e sn:likes ?u } ;\nDELETE WHERE { ?e\nsn:t ?u }",
        ["warning unknown-term 1", "warning unknown-term 3"],
    ),
    ("INSERT { ?e sn:t ?u } WHERE { ?e sn:likes ?u }", ["error unknown-term 1"]),
    (
        "DELETE WHERE { ?e sn:t ?u } ;\nINSERT { ?e\nsn:t ?u } WHERE { ?e sn:likes ?u }",
        ["error unknown-term 1", "error unknown-term 3"],
    ),
]


@pytest.mark.parametrize(("query", "expected"), QUERIES, ids=[query for query, _ in QUERIES])
def test_an_error_needs_no_assumption_about_data_and_engine(query: str, expected: list[str]) -> None:
    assert found(OTHERS + query) == expected


# Each line: a query, what is found, and words of its message.
MISTAKES = [
    ("SELECT (COUNT(?x) AS ?n) { ?s sn:likes ?o }", "warning unbound-variable", "the count is always 0"),
    ("SELECT ?s { ?s sn:likes ?o } ORDER BY DESC(?x)", "warning unbound-variable", "it orders nothing"),
    ("SELECT ?y { BIND(?a + 1 AS ?y) ?s sn:age ?a }", "warning unbound-variable", "?a is bound only later"),
    ("SELECT (?x + 1 AS ?y) { ?s sn:age ?a }", "warning unbound-variable", "so that ?y has no value"),
    ("SELECT * { ?s sn:age ?a OPTIONAL { ?s sn:name ?n BIND(?a AS ?b) } }", "warning unbound-variable", "scope"),
    ("SELECT * { ?s sn:age ?a FILTER(?a > 3 || ?x > 3) }", "warning unbound-in-filter", "this part of the condition"),
    ("SELECT ?s { ?s sn:name ?n } GROUP BY ?s HAVING(SUM(?n) > 3)", "error false-filter", "is never true"),
    ("SELECT ?s { ?s sn:name ?n } GROUP BY ?s HAVING(AVG(?n) <= 3)", "error false-filter", "is never true"),
    ("SELECT (COUNT(?n) AS ?t) { ?s sn:name ?n } HAVING(SUM(?n) > 3)", "error false-filter", "?n is in xsd:string"),
    ("SELECT ?s { ?s sn:name ?n } GROUP BY ?s HAVING(AVG(?n) > 3)", "error false-filter", "?n is in xsd:string"),
    ("SELECT ?s { ?s sn:name ?n } GROUP BY ?s HAVING(COUNT(?n) < 1)", "error false-filter", "each group has a row"),
    ("SELECT ?s { ?s ?p ?n } GROUP BY ?s HAVING(COUNT(*) = 0)", "error false-filter", "each group has a row"),
    ("SELECT ?s { ?s sn:name ?n FILTER NOT EXISTS { ?u sn:age ?a } }", "warning unconnected-exists", "no variable"),
    ("SELECT ?s { OPTIONAL { ?s sn:name ?n } ?s sn:age ?a }", "warning leading-optional", "?s must match it"),
    ("SELECT ?s { ?s sn:date ?d FILTER(?d > '2020-01-01'^^xsd:date) }", "warning engine-dependent", "an xsd:date:"),
    ("SELECT ?s { ?s ?p ?o VALUES () { } }", "error false-filter", "VALUES () has no rows"),
    ("SELECT ?s { ?s sn:age ?a VALUES ?a { 'x' 'y' } }", "error false-filter", "no row of VALUES (?a) fits: ?a is"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected", "words"), MISTAKES, ids=[query for query, *_ in MISTAKES])
def test_mistakes_and_what_is_said_about_them(query: str, expected: str, words: str) -> None:
    (diagnostic,) = check(query).diagnostics
    assert f"{diagnostic.severity.value} {diagnostic.code}" == expected
    assert words in diagnostic.message


# The same mistakes in other places.
ELSEWHERE = [
    ("SELECT (COUNT(?x) * 2 AS ?n) { ?s sn:likes ?o }", ["warning unbound-variable: the count is always 0"]),
    ("SELECT ?s { ?s sn:likes ?o } GROUP BY ?s HAVING(COUNT(?x) > 3)", ["warning unbound-in-filter: the count is always 0"]),
    ("SELECT ?s { ?s sn:likes ?o } GROUP BY ?s HAVING(SUM(?x) > 3)", ["error unbound-in-filter: is never true"]),
    ("SELECT ?s { ?s sn:likes ?o BIND(EXISTS { ?u sn:age ?a } AS ?b) }", ["warning unconnected-exists: no variable"]),
    ("SELECT ?s (EXISTS { ?u sn:age ?a } AS ?b) { ?s sn:likes ?o }", ["warning unconnected-exists: no variable"]),
    ("SELECT ?s { ?s sn:likes ?o } ORDER BY EXISTS { ?u sn:age ?a }", ["warning unconnected-exists: no variable"]),
    ("SELECT ?s { ?s sn:likes ?o } GROUP BY ?s HAVING(NOT EXISTS { ?u sn:age ?a })", ["warning unconnected-exists: no variable"]),
    ("SELECT ?s { { OPTIONAL { ?s sn:name ?n } ?s sn:age ?a } UNION { ?s sn:likes ?e } }", ["warning leading-optional: ?s must match it"]),
    ("SELECT ?s { GRAPH ?g { OPTIONAL { ?s sn:name ?n } ?s sn:age ?a } }", ["warning leading-optional: ?s must match it"]),
    ("SELECT ?s { ?s sn:likes ?e MINUS { OPTIONAL { ?s sn:name ?n } ?s sn:age ?a } }", ["warning leading-optional: ?s must match it"]),
    ("SELECT ?s { ?s sn:date ?d FILTER(?d IN ('2020-01-01'^^xsd:date)) }", ["warning engine-dependent: an xsd:date:"]),
    ("SELECT ?s { ?s sn:date ?d BIND(IF(?d > '2020-01-01'^^xsd:date, 1, 2) AS ?k) }", ["warning engine-dependent: an xsd:date:"]),
    ("SELECT (SUM(?n) AS ?t) { ?s sn:name ?n }", ["warning no-value: `SUM(?n)` needs a number"]),
    ("SELECT ?s (AVG(?d) AS ?t) { ?s sn:date ?d } GROUP BY ?s", ["warning no-value: ?d is a dateTime"]),
    ("SELECT ?s { ?s sn:likes ?e BIND(STRLEN(?e) AS ?t) }", ["warning no-value: ?e is a node"]),
    ("SELECT ?s { ?s sn:likes ?e OPTIONAL { ?e sn:date ?d BIND(UCASE(?d) AS ?t) } }", ["warning no-value: ?d is a dateTime"]),
    ("SELECT (COUNT(*) AS ?n) { ?s sn:date ?d } GROUP BY (SUBSTR(?d, 1, 4) AS ?y)", ["warning no-value: so that ?y has no value"]),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), ELSEWHERE, ids=[query for query, _ in ELSEWHERE])
def test_mistakes_in_other_places(query: str, expected: list[str]) -> None:
    diagnostics = check(query).diagnostics
    for diagnostic, words in zip(diagnostics, expected, strict=True):
        code, _, message = words.partition(": ")
        assert f"{diagnostic.severity.value} {diagnostic.code}" == code
        assert message in diagnostic.message


# What looks like these mistakes, and is none.
RIGHT = [
    "SELECT (COUNT(?x) AS ?n) { ?s sn:likes ?o OPTIONAL { ?o sn:date ?x } }",
    "SELECT ?s (COUNT(?o) AS ?n) { ?s sn:likes ?o } GROUP BY ?s ORDER BY DESC(?n) ?s",
    "SELECT * { ?s sn:age ?a BIND(?a + 1 AS ?b) BIND(?b + 1 AS ?c) FILTER(?c > 3 && COALESCE(?x, 3) > 2) }",
    "SELECT * { ?s sn:likes ?e OPTIONAL { ?e sn:date ?d FILTER(?s != ?e) } FILTER(!BOUND(?d) || ?d = ?d) }",
    "SELECT ?s { ?s sn:likes ?o OPTIONAL { ?o sn:date ?d } } GROUP BY ?s HAVING(COUNT(?d) = 0)",
    "SELECT (COUNT(*) AS ?n) { ?s sn:likes ?o } HAVING(COUNT(*) < 1)",
    "SELECT (COUNT(?n) AS ?t) { ?s sn:name ?n } HAVING(SUM(?n) = 0)",
    "SELECT ?s { ?s sn:age ?a OPTIONAL { ?s sn:name ?n } } GROUP BY ?s HAVING(SUM(?n) = 0)",
    "SELECT (COUNT(?n) AS ?t) { ?s sn:name ?n FILTER(?n = 'a') } HAVING(COUNT(?n) < 1 && !BOUND(?u))",
    "SELECT ?s { ?s sn:age ?a } GROUP BY ?s HAVING(SUM(?a) > 3 && AVG(?a) < 100)",
    "SELECT ?s { ?s sn:likes ?e FILTER NOT EXISTS { ?t sn:likes ?e } }",
    "SELECT * { ?s sn:age ?a BIND(IF(BOUND(?given), ?given, ?a) AS ?b) }",
    "SELECT ?s { ?s sn:age ?a FILTER NOT EXISTS { ?t sn:age ?b FILTER(?b > ?a) } }",
    "SELECT ?s { ?s sn:age ?a FILTER EXISTS { sn:antonio sn:age 40 } }",
    "ASK { FILTER NOT EXISTS { ?u sn:age ?a FILTER(?a < 0) } }",
    "SELECT * { OPTIONAL { ?s sn:name ?n } OPTIONAL { ?s sn:age ?a } }",
    "SELECT * { OPTIONAL { sn:antonio sn:age ?a } ?u sn:name ?n }",
    "SELECT * { BIND(sn:antonio AS ?s) OPTIONAL { ?s sn:name ?n } ?s sn:age ?a }",
    "SELECT ?s { ?s sn:likes ?e BIND(COALESCE(STRLEN(?e), 3) AS ?t) BIND(STRLEN(STR(?e)) AS ?u) }",
    "SELECT ?s { ?s sn:age ?a BIND(EXISTS { ?s sn:likes ?e } AS ?b) FILTER(EXISTS { OPTIONAL { ?s sn:name ?n } ?s sn:age ?c }) }",
    "SELECT (SUM(?a) AS ?t) (MAX(?d) - MIN(?d) AS ?k) (MAX(?n) AS ?l) { ?s sn:age ?a ; sn:likes ?e . ?e sn:date ?d ; ?p ?n }",
    "SELECT ?s { ?s ?p ?n BIND(STRLEN(?n) AS ?l) BIND(?n + 1 AS ?m) BIND(sn:f(?n) AS ?k) BIND(IF(isIRI(?n), 1, 1 + ?n) AS ?i) }",
    "SELECT ?y (COUNT(*) AS ?n) { ?s sn:date ?d } GROUP BY (YEAR(?d) AS ?y) ORDER BY EXISTS { ?u sn:date ?d }",
    "SELECT ?s { ?s sn:date ?d FILTER(xsd:date(?d) > '2020-01-01'^^xsd:date) }",
]


@pytest.mark.parametrize("query", RIGHT)
def test_nothing_is_said_about_right_queries(query: str) -> None:
    assert [each for each in found(query) if "true-filter" not in each and "cross-product" not in each] == []


def test_an_error_does_not_hide_another() -> None:
    # the example of the paper in its section 3: three variables have incompatible types
    query = "SELECT * { ?x sn:name ?y .\n?z sn:age ?y .\n?z sn:sent_by ?u\nFILTER(?u = '10'^^xsd:integer) }"
    assert found(query) == ["error value-out-of-range 2", "error contradiction 3", "error false-filter 4"]
    query = "SELECT * { ?e sn:created_by ?u .\n?e sn:age ?a\nOPTIONAL { ?a\nsn:likes ?f } }"
    assert found(query) == ["error contradiction 2", "error node-and-literal 3"]


def test_the_check_and_the_test_agree_on_the_name_of_a_graph() -> None:
    query = PREFIXES + "SELECT * { GRAPH ?g { ?s sn:likes ?o FILTER(?g != ?o) } }"
    assert check(query).errors == ()
    assert run_test(query, SOCIAL_NETWORK / "ontology.ttl", Request(), tests=5).is_passed


def test_all_variables_without_a_value_are_named() -> None:
    branch, _ = check("ASK { ?a sn:likes ?b { FILTER(?b = ?a) } UNION { FILTER(?a = ?b) } }").errors
    assert "?b and ?a are never bound here, so `?b = ?a` is never true" in branch.message


PARTS = (
    "TransitiveObjectProperty(:part) ObjectPropertyDomain(:takes :Event) DisjointClasses(:Thing :Event) "
    "SubObjectPropertyOf(:piece :part) Declaration(ObjectProperty(:other)) Declaration(ObjectProperty(:part)) "
    "DisjointClasses(:Thing ObjectSomeValuesFrom(:part :Event)) Declaration(ObjectProperty(:takes)) "
)


@pytest.mark.parametrize(
    ("pattern", "is_wrong"),
    [
        ("?x :part/:part ?y", True),
        ("?x :part+ ?y", True),
        ("?y ^:part+ ?x", True),
        ("?x :piece+ ?y", True),
        ("?x :piece/:part ?y", True),
        ("?x :part/:part+ ?y", True),
        ("?x :part* ?y", False),
        ("?x :other+ ?y", False),
        ("?x :part/:other ?y", False),
        ("?x (:part|:piece)+ ?y", False),  # not proven, though it is impossible
    ],
)
def test_types_along_a_transitive_property(pattern: str, is_wrong: bool) -> None:
    report = check(f"ASK {{ {pattern} . ?y :takes ?z . ?x a :Thing }}", PARTS)
    assert [error.code for error in report.errors] == ["contradiction"] * is_wrong
    assert all("Transitive: part" in error.axioms for error in report.errors)


@pytest.mark.parametrize(
    "query",
    [
        # one row each
        "SELECT * { ?a sn:age ?b OPTIONAL { SELECT (COUNT(*) AS ?n) { ?x sn:age ?y } } }",
        "SELECT * { ?a sn:age ?b OPTIONAL { { SELECT (SUM(?y) AS ?n) { ?x sn:age ?y } } } }",
        # about one individual
        "SELECT * { sn:a sn:likes ?b OPTIONAL { sn:a sn:name ?c } OPTIONAL { sn:a sn:friend_of ?d } }",
        "SELECT * { { sn:a sn:likes ?b } OPTIONAL { ?c sn:likes sn:a } }",
    ],
)
def test_what_is_no_cross_product(query: str) -> None:
    assert "cross-product" not in " ".join(found(query))


def test_what_is_a_cross_product_in_optional_parts() -> None:
    for query in (
        "SELECT * { ?a sn:likes ?b OPTIONAL { ?c sn:likes ?d } }",
        "SELECT * { sn:a sn:likes ?b OPTIONAL { sn:c sn:likes ?d } }",
    ):
        assert "cross-product" in " ".join(found(query))
