"""Groups are worlds: which parts of a query must hold together, and which errors follow from that."""

from __future__ import annotations

import pytest

from queries.checks import check, errors, found, warnings

# Each line: a query, and its errors.
QUERIES = [
    # OPTIONAL: with the patterns before it, but not with another OPTIONAL
    ("SELECT * { ?u a sn:User\nOPTIONAL { ?u sn:date ?d } }", ["contradiction 2"]),
    ("SELECT * { ?u sn:likes ?e\nOPTIONAL { ?u a sn:User } }", []),
    ("SELECT * { ?u ?p ?v OPTIONAL { ?u a sn:User } OPTIONAL { ?u a sn:Event } }", []),
    ("SELECT * { ?u ?p ?v OPTIONAL { ?u a sn:User\nOPTIONAL { ?u a sn:Event } } }", ["contradiction 2"]),
    ("SELECT * { OPTIONAL { ?u a sn:User } ?u a sn:Event }", []),
    ("SELECT * { ?u sn:age ?a FILTER(?a > 9)\nOPTIONAL { ?u sn:age ?b FILTER(?b < 5) } }", ["false-filter 2"]),
    ("SELECT * { ?u sn:age ?a OPTIONAL { ?u sn:name ?n } FILTER(!BOUND(?n)) }", []),
    # an OPTIONAL must match if a FILTER needs its variable
    ("SELECT * { ?u sn:age ?a OPTIONAL { ?u sn:likes ?n }\nFILTER(?n = 5) }", ["false-filter 2"]),
    ("SELECT * { ?u sn:age ?a OPTIONAL { ?u sn:likes ?n } FILTER(COALESCE(?n = 5, true)) }", []),
    ("SELECT * { ?u sn:age ?a OPTIONAL { ?u sn:likes ?n } FILTER(!BOUND(?n) || ?n = 5) }", []),
    ("SELECT * { ?u sn:age ?a OPTIONAL { ?u sn:likes ?n } FILTER(IF(BOUND(?n), ?n = 5, true)) }", []),
    ("SELECT * { ?u sn:age ?a OPTIONAL { ?u sn:likes ?n } OPTIONAL { ?u sn:name ?n } FILTER(?n = 5) }", []),
    (
        "SELECT * { ?u ?p ?v OPTIONAL { ?u sn:age ?a }\nOPTIONAL { ?u sn:date ?d } FILTER(STR(?a) != STR(?d)) }",
        ["contradiction 2"],
    ),
    ("SELECT * { ?u ?p ?v OPTIONAL { ?u sn:age ?a } OPTIONAL { ?u sn:date ?d } FILTER(BOUND(?a) || BOUND(?d)) }", []),
    (
        "SELECT * { ?u ?p ?v OPTIONAL { ?u sn:age ?a }\nOPTIONAL { ?u sn:date ?d } FILTER(BOUND(?a) && BOUND(?d)) }",
        ["contradiction 2"],
    ),
    (
        "SELECT * { ?u ?p ?v OPTIONAL { ?u sn:age ?a }\nOPTIONAL { ?u sn:date ?d }"
        " FILTER(!(!BOUND(?a) || !BOUND(?d))) }",
        ["contradiction 2"],
    ),
    (
        "SELECT * { ?u ?p ?v OPTIONAL { ?u a sn:User OPTIONAL { ?u sn:name ?n } }\n?u sn:date ?d FILTER(?n = 'x') }",
        ["contradiction 2"],
    ),
    (
        "SELECT * { ?u ?p ?v OPTIONAL { ?u a sn:User OPTIONAL { ?u sn:name ?n } } ?u sn:date ?d FILTER(?p = 'x') }",
        ["false-filter 1"],
    ),
    ("SELECT * { ?u ?p ?n OPTIONAL { ?u sn:age ?a OPTIONAL { ?v sn:date ?n } FILTER(?n = sn:x) } }", []),
    (
        "SELECT * { ?u ?p ?v OPTIONAL { ?u sn:age ?a }\n?u sn:date ?d BIND(?a + 1 AS ?b) FILTER(?b > 1) }",
        ["contradiction 2"],
    ),
    ("SELECT * { ?u ?p ?v OPTIONAL { ?u sn:age ?a } ?u sn:date ?d FILTER(?a NOT IN ()) }", []),
    ("SELECT * { ?u sn:age ?a OPTIONAL { ?v sn:age ?b FILTER(?a > ?b) } }", []),
    (
        "SELECT * { ?u sn:age ?a OPTIONAL { ?v sn:age ?b\nOPTIONAL { ?v sn:name ?n FILTER(?a > ?b) } } }",
        ["unbound-in-filter 2"],
    ),
    ("SELECT * { ?u sn:age ?a OPTIONAL { ?v sn:age ?b { ?v sn:name ?n\nFILTER(?a > 1) } } }", ["unbound-in-filter 2"]),
    # UNION: each branch with what is around it
    ("SELECT * { ?u a sn:User .\n{ ?u sn:likes ?e }\nUNION { ?u sn:date ?e } }", ["contradiction 3"]),
    ("SELECT * { { ?u a sn:User } UNION { ?u a sn:Event } ?u ?p ?o }", []),
    ("SELECT * {\n{ ?u a sn:Event }\nUNION { ?u a sn:Message } ?u sn:age ?a }", ["contradiction 2", "contradiction 3"]),
    ("SELECT * { { ?u a sn:User } UNION { ?e a sn:Event } { ?u sn:age ?a } UNION { ?u sn:date ?a } }", []),
    # the branch is to blame, not the path outside
    ("SELECT * { ?u (sn:likes|sn:friend_of) ?v\n{ ?u a sn:Event } UNION { ?u sn:age ?a } }", ["contradiction 2"]),
    # several UNIONs: at least one combination must be possible
    (
        "SELECT * { { ?u a sn:User } UNION { ?u sn:age ?x }\n{ ?u a sn:Event } UNION { ?u sn:date ?y } }",
        ["contradiction 2"],
    ),
    ("SELECT * { { ?u a sn:User } UNION { ?u sn:date ?x } { ?u a sn:Event } UNION { ?u sn:date ?y } }", []),
    (
        "SELECT * { { ?u sn:age ?a FILTER(?a > 9) } UNION { ?u sn:age ?a FILTER(?a > 8) }\n"
        "{ ?u sn:age ?b FILTER(?b < 3) } UNION { ?u sn:age ?b FILTER(?b < 4) } }",
        ["false-filter 2"],
    ),
    # a dead branch is reported where it is, and not once more
    (
        "SELECT * { { ?u sn:friend_of ?u } UNION { ?u sn:age ?x }\n{ ?u a sn:User } UNION { ?u sn:age ?y } }",
        ["contradiction 1"],
    ),
    # three UNIONs, any two of which go together
    (
        "SELECT * { { ?u sn:age 1 } UNION { ?u sn:age 2 } { ?u sn:age 2 } UNION { ?u sn:age 3 }\n"
        "{ ?u sn:age 1 } UNION { ?u sn:age 3 } }",
        ["contradiction 2"],
    ),
    # groups, GRAPH and SERVICE
    ("SELECT * { ?u a sn:User .\n{ ?u sn:date ?d } }", ["contradiction 2"]),
    ("SELECT * { ?u sn:age ?a\n{ FILTER(?a > 1) } }", ["unbound-in-filter 2"]),
    ("SELECT * { ?u a sn:User . GRAPH ?g {\n?u sn:date ?d } }", ["contradiction 2"]),
    ("SELECT * { GRAPH ?g { ?u a sn:User } GRAPH ?h { ?u sn:age ?a } FILTER(isIRI(?g)) }", []),
    ("SELECT * { GRAPH ?g { ?u a sn:User }\nFILTER(isLiteral(?g)) }", ["false-filter 2"]),
    ("SELECT * {\nGRAPH ?g {\n?u sn:name ?g } }", ["node-and-literal 3"]),
    ("SELECT * { ?u a sn:User SERVICE <http://example.org/sparql> { ?u sn:date ?d . ?u sn:nothing 5 } }", []),
    ("SELECT * { ?u a sn:User SERVICE <http://example.org/sparql> { ?u sn:age ?d } FILTER(?d > 3) }", []),
    # sub-selects: a variable that is not returned is another one
    ("SELECT * { ?u a sn:User { SELECT ?v {\n?v sn:likes ?u . ?u a sn:Event } } }", []),
    ("SELECT * { ?u a sn:User { SELECT ?u {\n?u a sn:Event } } }", ["contradiction 2"]),
    ("SELECT * { ?u a sn:User { SELECT * {\n?u a sn:Event } } }", ["contradiction 2"]),
    ("SELECT * { ?u a sn:User { SELECT ?u (COUNT(?x) AS ?n) {\n?u sn:date ?x } GROUP BY ?u } }", ["contradiction 2"]),
    ("SELECT * { ?u a sn:User { SELECT (COUNT(?u) AS ?n) { ?u sn:date ?x } } }", []),
    ("SELECT * { ?u a sn:User { SELECT (COUNT(?u) AS ?n) { ?u sn:date ?x .\n?u sn:age ?y } } }", ["contradiction 2"]),
    ("SELECT (COUNT(*) AS ?n) {\n?u sn:friend_of ?u }", ["contradiction 2"]),
    ("SELECT ?u (COUNT(*) AS ?n) { ?u sn:likes ?e } GROUP BY ?u\nHAVING(COUNT(*) < 0)", ["false-filter 2"]),
    ("SELECT ?u (COUNT(*) AS ?n) { ?u sn:likes ?e } GROUP BY ?u HAVING(COUNT(*) > 1 && ?n < 10)", []),
    ("SELECT * { { SELECT (?a + 1 AS ?b) { ?u sn:age ?a } } ?v sn:age ?b FILTER(?a < 0) }", ["unbound-in-filter 1"]),
    # aggregates: a literal is not a subject, unless the aggregate has an error, which leaves its variable open
    ("SELECT * { { SELECT (COUNT(?u) AS ?n) { ?u a sn:User } }\n?n sn:likes ?e }", ["node-and-literal 2"]),
    ("SELECT * { { SELECT (COUNT(?u + 1) AS ?n) { ?u a sn:User } } ?n sn:likes ?e }", []),
    ("SELECT * { { SELECT (COUNT(*) AS ?n) { ?u a sn:User } }\nOPTIONAL { ?n sn:likes ?e } }", ["node-and-literal 2"]),
    ("SELECT * { { SELECT ?u (SUM(?a) AS ?n) { ?u sn:age ?a } GROUP BY ?u }\n?n sn:likes ?e }", ["node-and-literal 2"]),
    ("SELECT * { { SELECT ?u (AVG(?a) AS ?n) { ?u sn:age ?a } GROUP BY ?u }\n?n sn:likes ?e }", ["node-and-literal 2"]),
    ("SELECT * { { SELECT ?u (SUM(?a) AS ?n) { ?u rdfs:label ?a } GROUP BY ?u } ?n sn:likes ?e }", []),
    ("SELECT * { { SELECT (SUM(?a) AS ?n) { ?u sn:age ?a } } ?n sn:likes ?e }", []),
    ("SELECT * { { SELECT ?u (MAX(?a) AS ?n) { ?u sn:age ?a } GROUP BY ?u }\n?n sn:likes ?e }", ["node-and-literal 2"]),
    ("SELECT * { { SELECT (MAX(?a) AS ?n) { ?u sn:age ?a } } ?n sn:likes ?e }", []),
    ("SELECT * { { SELECT ?u (MIN(?a) AS ?n) { ?u sn:friend_of ?a } GROUP BY ?u } ?n sn:likes ?e }", []),
    (
        "SELECT * { { SELECT ?u (SAMPLE(?e) AS ?n) { ?u sn:likes ?e } GROUP BY ?u }\n?v sn:age ?n }",
        ["node-and-literal 2"],
    ),
    ("SELECT * { { SELECT ?u (SAMPLE(?e) AS ?n) { ?u sn:likes ?e } GROUP BY ?u } ?v sn:likes ?n }", []),
    (
        "SELECT * { { SELECT ?u (GROUP_CONCAT(?s) AS ?n) { ?u sn:name ?s } GROUP BY ?u }\n?n sn:likes ?e }",
        ["node-and-literal 2"],
    ),
    ("SELECT * { { SELECT ?u (GROUP_CONCAT(?e) AS ?n) { ?u sn:likes ?e } GROUP BY ?u } ?n sn:likes ?f }", []),
    ("SELECT * { { SELECT (COUNT(?u) AS ?n) { ?u a sn:User } }\nFILTER(isIRI(?n)) }", ["false-filter 2"]),
    ("SELECT * { { SELECT (SUM(?a) AS ?n) { ?u sn:age ?a } }\nFILTER(isIRI(?n)) }", ["false-filter 2"]),
    ("SELECT * { { SELECT (MAX(?a) AS ?n) { ?u sn:age ?a } } FILTER(isIRI(?n)) }", []),
    ("SELECT * { { SELECT (SUM(?a) AS ?n) { ?u sn:age ?a } } FILTER(!BOUND(?n)) }", []),
    # two counts of one variable in two sub-selects are two numbers
    (
        "SELECT * { { SELECT ?u (COUNT(?u) AS ?n) { ?u sn:likes ?e } GROUP BY ?u }"
        " { SELECT ?u (COUNT(?u) AS ?k) { ?u sn:friend_of ?v } GROUP BY ?u } FILTER(?n != ?k) }",
        [],
    ),
    ("SELECT ?u (MAX(?a) AS ?n) { ?u sn:age ?a } GROUP BY ?u\nHAVING(isIRI(MAX(?a)))", ["false-filter 2"]),
    ("SELECT ?u { ?u sn:likes ?e } GROUP BY ?u\nHAVING(COUNT(?e) > 3 && COUNT(?e) < 3)", ["false-filter 2"]),
    ("SELECT ?u { ?u sn:likes ?e } GROUP BY ?u HAVING(COUNT(?e) > 3 && COUNT(DISTINCT ?e) < 3)", []),
    ("SELECT ?u { ?u sn:likes ?e } GROUP BY ?u HAVING(SAMPLE(?e) != SAMPLE(?e))", []),
    ("SELECT (COUNT(?a) AS ?n) { ?u sn:age ?a }\nHAVING(isIRI(COUNT(?a)))", ["false-filter 2"]),
    ("SELECT ?e { ?u sn:likes ?e } GROUP BY ?e VALUES ?u { 'a' }", []),
    ("SELECT ?e { ?u sn:likes ?e } GROUP BY ?e VALUES ?e { 'a' }", ["false-filter 1"]),
    # a column may have the name of a variable of the pattern: it is another one
    ("SELECT ?u (COUNT(?e) AS ?e) { ?u sn:likes ?e } GROUP BY ?u HAVING(?e > 3)", []),
    ("SELECT * { { SELECT ?u (COUNT(?e) AS ?e) { ?u sn:likes ?e } GROUP BY ?u } FILTER(?e > 3) }", []),
    ("SELECT * { { SELECT ?u (SAMPLE(?a) AS ?a) { ?u sn:age ?a } GROUP BY ?u } ?a ?p ?o }", []),
    ("SELECT * { { SELECT (COUNT(?u) AS ?u) { ?u a sn:User } } ?v sn:age ?u }", []),
    # an aggregate is about all rows of a group, a branch only about some
    (
        "SELECT ?u (MAX(?a) AS ?n) { { ?u sn:age ?a } UNION { ?u sn:likes ?a } } GROUP BY ?u"
        " HAVING(isNumeric(MAX(?a)))",
        [],
    ),
    (
        "SELECT * { { SELECT ?u (MAX(?a) AS ?n) { { ?u sn:age ?a } UNION { ?u sn:likes ?a } } GROUP BY ?u }"
        " FILTER(isNumeric(?n)) }",
        [],
    ),
    ("SELECT ?u (MAX(?a) AS ?n) { ?u ?p ?v OPTIONAL { ?u sn:likes ?a } } GROUP BY ?u HAVING(MAX(?a) > 1)", []),
    # computed columns, keys of groups, and BIND
    ("SELECT * { { SELECT (STR(?a) AS ?s) { ?u sn:age ?a } }\n?s sn:likes ?e }", ["node-and-literal 2"]),
    ("SELECT * { { SELECT (STR(?v) AS ?s) { ?u sn:friend_of ?v } } ?s sn:likes ?e }", []),
    ("SELECT * { { SELECT ?b { ?u sn:age ?a } GROUP BY (?a + 1 AS ?b) }\n?b sn:likes ?e }", ["node-and-literal 2"]),
    ("SELECT * { { SELECT ?b { ?u sn:age ?a } GROUP BY (?a / 2 AS ?b) } ?b sn:likes ?e }", []),
    ("SELECT ?b { ?u sn:age ?a } GROUP BY (?a / 2 AS ?b)\nHAVING(isIRI(?b))", ["false-filter 2"]),
    ("SELECT * { ?u sn:age ?a BIND(?a * 2 AS ?b)\n?b sn:likes ?e }", ["node-and-literal 2"]),
    ("SELECT * { ?u sn:age ?a BIND(1 / ?a AS ?b) ?b sn:likes ?e }", []),
    ("SELECT * { ?u sn:name ?a BIND(IRI(?a) AS ?b) ?b sn:likes ?e }", []),
    ("SELECT * { { ?u sn:age ?a BIND(1 / ?a AS ?b) }\nFILTER(isIRI(?b)) }", ["false-filter 2"]),
    # EXISTS must match, NOT EXISTS need not
    ("SELECT * { ?u a sn:User FILTER EXISTS {\n?u sn:date ?d } }", ["contradiction 2"]),
    ("SELECT * { ?u ?p ?o FILTER EXISTS { ?x a sn:User . ?u ?p ?x } FILTER EXISTS { ?x a sn:Event . ?u ?p ?x } }", []),
    ("SELECT * { ?u a sn:User FILTER(?u = sn:antonio || EXISTS {\n?u sn:date ?d }) }", ["contradiction 2"]),
    ("SELECT * { ?u a sn:User FILTER NOT EXISTS { ?u sn:date ?d } }", []),
    ("SELECT * { ?u a sn:User FILTER(!EXISTS { ?u sn:date ?d }) }", []),
    ("SELECT * { ?u sn:age ?a FILTER NOT EXISTS { ?u sn:age ?b FILTER(?b > ?a) } }", []),
    ("SELECT * { ?u sn:age ?a FILTER EXISTS { ?v sn:age ?b { ?v sn:name ?n FILTER(?a > 1) } } }", []),
    ("SELECT * { ?u a sn:User MINUS { ?u sn:date ?d } }", []),
    ("SELECT * { ?u sn:age ?a MINUS { ?u sn:name ?n FILTER(?a > 3) } }", []),
    # paths
    ("SELECT * { ?u sn:likes/sn:age ?a }", ["contradiction 1"]),
    ("SELECT * { ?u sn:likes/sn:created_by ?a }", []),
    ("SELECT * { ?u ^sn:likes ?v .\n?u a sn:User }", ["contradiction 1"]),
    ("SELECT * { ?u a sn:Event .\n?u (sn:likes|sn:age) ?x }", ["contradiction 2"]),
    ("SELECT * { ?u a sn:Event . ?u (sn:likes|sn:date) ?x }", []),
    ("SELECT * { ?u a sn:Event . ?u sn:likes* ?x }", []),
    ("SELECT * { ?u a sn:Event . ?u sn:likes? ?x }", []),
    ("SELECT * { ?u a sn:Event .\n?u sn:friend_of+ ?x }", ["contradiction 2"]),
    ("SELECT * { ?u sn:friend_of+ ?u }", []),
    ("SELECT * { ?x a sn:Event .\n?u sn:friend_of+ ?x }", ["contradiction 2"]),
    ("SELECT * { ?u a sn:Event . ?u !sn:likes ?x }", []),
    ("SELECT * { ?u a sn:User . ?u sn:likes*/sn:date ?x }", []),
    ("SELECT * { 5 sn:likes* ?x }", []),
    ("SELECT * { ?u (sn:likes/sn:age)|(sn:age/sn:likes) ?x }", ["contradiction 1"]),
    # lists and blank nodes
    ("SELECT * { [ sn:age 3 ] sn:likes [ a sn:Event ] }", []),
    ("SELECT * { [ sn:age 3 ;\nsn:date ?d ] }", ["contradiction 2"]),
    ("SELECT * { ?u ?p (1 sn:antonio) }", []),
    # VALUES and BIND
    ("SELECT * { ?u sn:age ?a\nVALUES ?a { 3.5 4.5 } }", ["false-filter 1"]),
    ("SELECT * { ?u sn:age ?a VALUES ?a { 3.5 4 } }", []),
    ("SELECT * { ?u sn:age ?a VALUES ?a { 3.5 UNDEF } }", []),
    ("SELECT * { VALUES ?u { sn:athleticswch }\n?u sn:age ?a }", ["contradiction 2"]),
    ("SELECT * { ?u sn:age ?a } VALUES ?a { 'x' }", ["false-filter 1"]),
    ("SELECT * { BIND(?x AS ?y) ?x a sn:User . ?y a sn:Event }", []),
    ("SELECT * { ?u sn:name ?n BIND(xsd:integer(?n) AS ?x) ?v sn:date ?x }", []),
    ("SELECT * { ?u sn:age ?a BIND(?a + 1 AS ?b)\nFILTER(?b < ?a) }", ["false-filter 2"]),
    # forms
    ("ASK { ?u sn:friend_of ?u }", ["contradiction 1"]),
    ("DESCRIBE ?u { ?u sn:friend_of ?u }", ["contradiction 1"]),
    ("CONSTRUCT { ?u a sn:User } { ?u sn:friend_of ?u }", ["contradiction 1"]),
    ("CONSTRUCT { ?u a sn:Event } { ?u sn:friend_of ?v }", []),
]


@pytest.mark.parametrize(("query", "expected"), QUERIES, ids=[query for query, _ in QUERIES])
def test_the_errors_of_a_query(query: str, expected: list[str]) -> None:
    assert errors(query) == expected


# Each line: updates, and their errors.
UPDATES = [
    ("INSERT DATA { sn:x sn:likes 5 }", ["literal-for-object-property 1"]),
    ("INSERT DATA { sn:x sn:age 5 .\nsn:x sn:age 6 }", ["contradiction 2"]),
    ("INSERT DATA { sn:x sn:age 5 } ; INSERT DATA { sn:x a sn:User }", []),
    ("DELETE DATA { sn:x sn:age sn:y }", ["node-for-data-property 1"]),
    ("DELETE DATA { sn:x sn:age 5 . sn:x sn:age 6 }", []),
    ("DELETE WHERE { ?u sn:friend_of ?u }", ["contradiction 1"]),
    ("INSERT { ?u a sn:Event }\nWHERE { ?u sn:age ?a }", ["contradiction 1"]),
    ("INSERT { ?u a sn:User } WHERE { ?u sn:age ?a }", []),
    ("DELETE { ?u a sn:User } INSERT { ?u a sn:Event } WHERE { ?u a sn:User }", []),
    ("DELETE { ?u sn:age ?a } INSERT { ?u sn:age ?b } WHERE { ?u sn:age ?a BIND(?a + 1 AS ?b) }", []),
    ("INSERT { ?u sn:age ?b } WHERE { ?u sn:name ?n OPTIONAL { ?u sn:likes ?b } }", ["node-and-literal 1"]),
    ("DELETE { ?u sn:date ?d }\nWHERE { ?u sn:age ?a . ?v sn:date ?d }", ["contradiction 1"]),
    ("WITH <http://example.org/g> DELETE { ?u ?p ?o } WHERE { ?u a sn:User ; ?p ?o }", []),
    ("CLEAR ALL", []),
]


@pytest.mark.parametrize(("update", "expected"), UPDATES, ids=[update for update, _ in UPDATES])
def test_the_errors_of_an_update(update: str, expected: list[str]) -> None:
    assert errors(update) == expected


def test_facts_that_an_update_replaces_are_no_proof() -> None:
    written = "INSERT DATA { sn:antonio sn:age 41 }"
    assert errors(written) == ["contradiction 1"]
    assert found("DELETE DATA { sn:antonio sn:age 40 } ;\n" + written) == ["warning contradiction 2"]
    assert errors("INSERT { ?u sn:date ?d } WHERE { ?u ?p ?d OPTIONAL { ?v sn:date ?d FILTER(?p = sn:date) } }") == []


def test_an_impossible_negated_group_is_a_warning() -> None:
    for negated in ("FILTER NOT EXISTS", "MINUS"):
        query = f"SELECT * {{ ?u a sn:User {negated} {{\n?u sn:date ?d }} }}"
        assert found(query) == ["warning contradiction 2"]
    assert "this MINUS removes nothing" in check(query).diagnostics[0].message


def test_other_warnings() -> None:
    assert warnings("SELECT ?u ?v { ?u a sn:User .\n?v a sn:Event }") == ["cross-product 2"]
    assert warnings("SELECT ?u ?v { ?u a sn:User . ?v a sn:Event . ?u sn:likes ?v }") == []
    assert warnings("SELECT ?a ?b { ?u sn:age ?a . ?v sn:age ?b FILTER(?a > ?b) }") == []
    assert warnings("SELECT ?u ?a { ?u a sn:User . sn:antonio sn:age ?a }") == []
    assert warnings("SELECT * { ?u sn:likes ?e OPTIONAL { ?u sn:age ?a . ?e sn:date ?d } }") == []
    assert warnings("SELECT ?u ?w { ?u a sn:User }") == ["unbound-column 1"]
    assert warnings("SELECT ?u { ?u sn:age ?a\nFILTER(isLiteral(?a)) }") == ["true-filter 2"]
    assert warnings("SELECT ?u { ?u sn:age ?a FILTER(?a > 3) }") == []
    assert warnings("SELECT ?u { ?u sn:age ?a MINUS {\n?v sn:name ?n } }") == ["minus-without-effect 2"]
    assert warnings("SELECT ?u { ?u sn:likes sn:Event }") == ["wrong-kind 1"]
    assert warnings("SELECT ?u { ?u a sn:antonio }") == ["wrong-kind 1"]
    assert warnings("SELECT ?u { ?u a sn:Event . ?u rdfs:seeAlso sn:Event }") == []
    assert warnings("CONSTRUCT { ?u sn:likes ?x } { ?u a sn:User }") == ["unbound-column 1"]
    assert warnings("CONSTRUCT { ?u a sn:Event } { ?u sn:age ?v }") == ["contradiction 1"]


def test_a_computed_literal_as_a_subject_is_a_warning_if_an_error_leaves_its_variable_open() -> None:
    query = "SELECT * { ?u sn:age ?a BIND(1 / ?a AS ?b)\n?b sn:likes ?e }"
    assert warnings(query) == ["node-and-literal 2"]
    (report,) = check(query).diagnostics
    assert "unless `1 / ?a` has an error" in report.message
