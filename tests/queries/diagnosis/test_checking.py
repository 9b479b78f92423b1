"""Checking queries: the six queries of the paper, and for each rule, queries for which it fires and does not."""

from __future__ import annotations

import pytest

from kgprobe.queries.diagnosis.checking import check_source
from kgprobe.queries.files.query_files import read_source
from queries.checks import SOCIAL_NETWORK, check, checker, errors, found, warnings


def paper(number: int) -> list[str]:
    source = read_source(str(SOCIAL_NETWORK / "queries" / f"{number}.rq"))
    report, refused = check_source(source, checker())
    assert not refused
    assert report.undecided == ()
    return [
        f"{diagnostic.severity.value} {diagnostic.code} {diagnostic.place.line}:{diagnostic.place.column}"
        for diagnostic in report.diagnostics
    ]


def test_the_queries_of_the_paper() -> None:
    assert paper(1) == ["error contradiction 4:3"]
    assert paper(2) == ["error contradiction 4:3"]
    assert paper(3) == []
    assert paper(4) == ["error false-filter 6:3"]
    assert paper(5) == []
    assert paper(6) == []


def test_the_reason_is_a_sentence_with_the_fewest_axioms() -> None:
    report = check("SELECT * {\n?event sn:created_by ?user1 .\n?event sn:likes ?user2 .\n?user2 sn:invited_to ?event }")
    (diagnostic,) = report.diagnostics
    assert diagnostic.message == (
        "`likes` goes from User to Activity; ?event is an Activity because of line 8; no User is an Activity"
    )
    assert diagnostic.variable == "event"
    assert diagnostic.axioms == ("created_by Domain Activity", "likes Domain User", "User DisjointWith Activity")
    assert [each.place.line for each in diagnostic.related] == [8]
    assert [fix.title for fix in diagnostic.fixes] == [
        "swap the ends: ?user2 sn:likes ?event",
        "use the inverse property: ?event sn:liked_by ?user2",
    ]


# Each line: a group with an error, and the only variable with a near name that repairs it; "" if there is none.
VARIABLES = [
    ("?user sn:name ?uses . ?uses sn:age ?a", "?user"),
    ("?user1 sn:likes ?user2 . ?user2 sn:age ?a", "?user1"),
    ("?event2 sn:created_by ?event1 .\n?event2 a sn:Event . ?event1 sn:date ?d", "?event2"),
    # the name of the other variable is too different
    ("?u sn:name ?n . ?n sn:age ?a", ""),
    ("?user sn:likes ?event . ?event sn:age ?a", ""),
    # several would do
    ("?user1 sn:likes ?user0 . ?user2 sn:friend_of ?user1 . ?user0 sn:age ?a", ""),
    # then nothing would connect ?user2 with the others
    ("?user1 sn:name ?n . ?user1 sn:age ?a . ?user2 a sn:Event . ?user2 sn:age ?a", ""),
    # the variable of another scope is not at hand
    ("?user1 sn:likes ?w { SELECT ?x { ?user2 a sn:Event . ?user2 sn:age ?x } }", ""),
]


@pytest.mark.parametrize(("group", "variable"), VARIABLES, ids=[group for group, _ in VARIABLES])
def test_another_variable_is_offered_if_only_one_repairs_the_query(group: str, variable: str) -> None:
    (error,) = check(f"SELECT * {{ {group} }}").errors
    titles = [fix.title for fix in error.fixes if "another variable" in fix.title]
    assert titles == ([f"use another variable: {variable}"] if variable else [])


# Each line: a group, and the errors in it. A group without errors must not have any.
GROUPS = [
    # domains and ranges (OP1, DP1)
    ("?e sn:created_by ?u .\n?e sn:age ?a", ["contradiction 2"]),
    ("?e sn:created_by ?u .\n?u sn:age ?a", []),
    ("?m sn:sent_by ?u . ?m sn:liked_by ?v", []),
    # no disjointness is declared for messages and events, so something may be both
    ("?m sn:sent_by ?u . ?m sn:added_by ?u", []),
    ("?m a sn:Message, sn:Event", []),
    ("?m a sn:User , sn:Event", ["contradiction 1"]),
    # literals and nodes (OP2, DP3)
    ("?u sn:likes 'a'", ["literal-for-object-property 1"]),
    ("?u sn:age sn:antonio", ["node-for-data-property 1"]),
    ("?u a 'User'", []),
    ("?u rdfs:label sn:antonio", []),
    ("?u rdfs:label 'a' . ?u ?p 'a'", []),
    ("'a' ?p ?u", ["literal-as-subject 1"]),
    ("?x sn:name ?y .\n?y sn:age ?z", ["node-and-literal 2"]),
    ("?x sn:name ?y . ?z rdfs:label ?y", []),
    # values, not names of datatypes
    ("?u sn:age 40", []),
    ("?u sn:age '40'^^xsd:byte", []),
    ("?u sn:age 4.0", []),
    ("?u sn:age 4.5", ["value-out-of-range 1"]),
    ("?u sn:age '4'", ["value-out-of-range 1"]),
    ("?e sn:date '2017-01-01T00:00:00Z'^^xsd:dateTimeStamp", []),
    ("?e sn:date '2017-01-01'^^xsd:date", ["value-out-of-range 1"]),
    ("?x sn:name ?y .\n?z sn:age ?y", ["value-out-of-range 2"]),
    # properties that are irreflexive or functional
    ("?u sn:friend_of ?u", ["contradiction 1"]),
    ("?u sn:friend_of ?v . ?v sn:friend_of ?u", []),
    ("?e sn:created_by ?a . ?e sn:created_by ?b FILTER(?a != ?b)", []),
    ("?u sn:age ?a . ?u sn:age ?b\nFILTER(?a != ?b)", ["false-filter 2"]),
    ("?u sn:age ?a . ?v sn:age ?b FILTER(?a != ?b)", []),
    ("?u sn:name ?a . ?u sn:name ?b FILTER(?a != ?b)", []),
    ("?u sn:age 3 .\n?u sn:age 4", ["contradiction 2"]),
    ("?u sn:age 3 . ?u sn:age 3.0", []),
    # FILTERs (FIL1 to FIL3)
    ("?u sn:likes ?e\nFILTER(?e = 10)", ["false-filter 2"]),
    ("?u sn:likes ?e FILTER(?e = sn:athleticswch)", []),
    ("?u sn:likes ?e\nFILTER(?e < sn:athleticswch)", ["false-filter 2"]),
    ("?u sn:likes ?e . ?v sn:likes ?e FILTER(?u = ?v)", []),
    ("?u sn:age ?a FILTER(?a = 40.0)", []),
    ("?u sn:age ?a FILTER(?a > 4e1)", []),
    ("?u sn:age ?a\nFILTER(?a > 'x')", ["false-filter 2"]),
    ("?u sn:age ?a\nFILTER(?a > 5 && ?a < 6)", ["false-filter 2"]),
    ("?u sn:age ?a\nFILTER(?a > 5)\nFILTER(?a < 5)", ["false-filter 3"]),
    ("?u sn:likes ?e\nFILTER(isLiteral(?e))", ["false-filter 2"]),
    ("?u sn:age ?a\nFILTER(?b > 5)", ["unbound-in-filter 2"]),
    ("?u sn:age ?a FILTER(!BOUND(?b))", []),
    ("?u sn:age ?a FILTER(BOUND(?b) || ?a > 3)", []),
    # equal terms
    ("?u sn:likes ?e\nFILTER(?u = sn:athleticswch)", ["contradiction 2"]),
    ("?u ?p ?u\nFILTER(?p = sn:friend_of)", ["contradiction 2"]),
    ("?u a ?c . ?u sn:likes ?e\nFILTER(?c = sn:Event)", ["contradiction 2"]),
    ("?x sn:likes ?e .\nBIND(?e AS ?y)\n?y sn:age ?a", ["contradiction 3"]),
    # names that are not individuals prove nothing
    ("?c rdfs:subClassOf sn:User . ?c a owl:Class . ?x a ?c . ?x sn:date ?d", []),
    ("sn:User a owl:Class . sn:likes a owl:ObjectProperty", []),
    ("?x ?p ?y . ?y ?p ?x", []),
]


@pytest.mark.parametrize(("group", "expected"), GROUPS, ids=[group for group, _ in GROUPS])
def test_the_errors_of_a_group(group: str, expected: list[str]) -> None:
    assert errors(f"SELECT * {{ {group} }}") == expected


def test_a_case_with_facts_is_an_error_only_for_functional_properties() -> None:
    facts = 'DataPropertyAssertion(:date :start "5"^^xsd:integer)\nDeclaration(DataProperty(:date))\n'
    query = "SELECT * { ?e :date ?d .\n:start :date ?s\nFILTER(?d >= ?s && ?d < 3) }"
    assert errors(query, facts + "FunctionalDataProperty(:date)") == ["false-filter 3"]
    assert found(query, facts) == ["warning false-filter 3"]
    assert "with the facts given" in check(query, facts).diagnostics[0].message
    assert found("SELECT * { ?e :date ?d . ?x :date ?s FILTER(?d >= ?s && ?d < 3) }", facts) == []


def test_a_warning_does_not_hide_an_error() -> None:
    facts = 'Declaration(DataProperty(:date)) DataPropertyAssertion(:date :start "5"^^xsd:integer)\n'
    facts += "DisjointClasses(:A :B)"
    query = "SELECT * { :start :date ?s\nFILTER(?s < 3)\nOPTIONAL { ?x :date ?s . ?x a :A\n. ?x a :B } }"
    assert found(query, facts) == ["warning false-filter 2", "error contradiction 4"]


ADULTS = """
FunctionalDataProperty(:age) DataPropertyRange(:age xsd:integer) Declaration(Class(:Minor)) Declaration(Class(:Adult))
SubClassOf(:Minor DataAllValuesFrom(:age DatatypeRestriction(xsd:integer xsd:maxExclusive "18"^^xsd:integer)))
EquivalentClasses(:Adult DataSomeValuesFrom(:age DatatypeRestriction(xsd:integer xsd:minInclusive "18"^^xsd:integer)))
"""


def test_conditions_meet_definitions_and_closures() -> None:
    assert errors("SELECT * { ?x a :Minor ; :age ?a\nFILTER(?a > 40) }", ADULTS) == ["contradiction 2"]
    assert errors("SELECT * { ?x a :Minor ; :age ?a FILTER(?a > 4 && ?a <= 17) }", ADULTS) == []
    assert errors("SELECT * { ?x a :Adult ; :age ?a\nFILTER(5 > ?a) }", ADULTS) == ["contradiction 2"]
    assert errors("SELECT * { ?x a :Adult ; :age ?a FILTER(?a = 18.0) }", ADULTS) == []
    assert errors("SELECT * { ?x a :Minor .\n?x :age ?a VALUES ?a { 40 50 } }", ADULTS) == ["contradiction 2"]
    assert errors("SELECT * { ?x a :Minor . ?x :age ?a VALUES ?a { 40 5 } }", ADULTS) == []
    assert errors("SELECT * { BIND(40 AS ?a) ?x a :Minor .\n?x :age ?a }", ADULTS) == ["contradiction 2"]


def test_the_values_of_a_variable_are_alternatives() -> None:
    users = "VALUES ?u { sn:antonio sn:athleticswch }"
    assert errors(f"SELECT * {{ {users} ?u sn:likes ?e }}") == []
    events = "VALUES ?u { sn:athleticswch sn:Event }"
    assert errors(f"SELECT * {{ {events} ?u sn:likes ?e }}") == []
    assert errors("SELECT * { ?u sn:likes ?e\nFILTER(?u IN (sn:athleticswch)) }") == ["contradiction 2"]
    assert errors("SELECT * { ?u sn:likes ?e FILTER(?u IN (sn:athleticswch, sn:antonio)) }") == []


def test_warnings_are_not_errors() -> None:
    assert errors("SELECT * { ?x a sn:User MINUS { ?x sn:likes ?x } }") == []
    assert warnings("SELECT * { ?x a sn:User MINUS { ?x sn:likes ?x } }") == ["contradiction 1"]
