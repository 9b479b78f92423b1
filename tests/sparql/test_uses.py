"""FILTER, VALUES and BIND restrict the triples of their group, and no others."""

from __future__ import annotations

import pytest

from kgprobe.rdf.terms import XSD, Literal, Term
from kgprobe.sparql.reading import read_query
from kgprobe.sparql.uses import PathUse, TripleUse
from sparql.vocabulary import iri, read, terms, use


def subjects(group: str, text: str = "?x :p ?y") -> frozenset[Term] | None:
    found = use(group, text)
    assert isinstance(found, TripleUse | PathUse)
    return found.subject.terms


def conditions(group: str, text: str = "?x :p ?y") -> list[str]:
    found = use(group, text)
    assert isinstance(found, TripleUse)
    return [condition.text for condition in found.conditions]


A, B, C = iri("a"), iri("b"), iri("c")


@pytest.mark.parametrize(
    ("restriction", "expected"),
    [
        ("FILTER(?x = :a)", {A}),
        ("FILTER(:a = ?x)", {A}),
        ("FILTER((?x = :a))", {A}),
        ("FILTER(?x = <http://example.org/a>)", {A}),
        ("FILTER sameTerm(?x, :a)", {A}),
        ("FILTER SAMETERM(:a, ?x)", {A}),
        ("FILTER(?x IN (:a, :b))", {A, B}),
        ("FILTER(?x in (:a))", {A}),
        ("FILTER(?x IN ())", set()),
        ("FILTER(?x = :a || ?x = :b || ?x IN (:c))", {A, B, C}),
        ("FILTER(?x IN (:a, :b) && ?x IN (:b, :c))", {B}),
        ("FILTER(?x IN (:a, :b)) FILTER(?x IN (:b, :c))", {B}),
        ("FILTER(?y > 1 && (?x = :a && ?y < 3))", {A}),
        ("FILTER(?x = :a && EXISTS { ?z :q ?x })", {A}),
        ("VALUES ?x { :a :b }", {A, B}),
        ("VALUES ?x { }", set()),
        ("VALUES (?x ?y) { (:a 1) (:b UNDEF) }", {A, B}),
        ("VALUES ?x { :a :b } FILTER(?x != :c && ?x = :b)", {B}),
        ("VALUES ?x { 1 :a } VALUES ?x { :a :b }", {A}),
        # Literals that look different may be one value.
        ("VALUES ?x { 1 :a } VALUES ?x { 01 :b }", {Literal("1", datatype=XSD.integer)}),
        # None of these says which IRIs it may be.
        ("FILTER(?x = ?y)", None),
        ("FILTER(?x = 1)", None),
        ("FILTER(?x IN (:a, 1))", None),
        ("FILTER(?x = :a || ?y = :b)", None),
        ("FILTER(?x != :a)", None),
        ("FILTER(?x NOT IN (:a))", None),
        ("FILTER(!(?x = :a))", None),
        ("FILTER(?x = :a || EXISTS { ?z :q ?x })", None),
        ("FILTER(?x < :a)", None),
        ("VALUES ?x { :a UNDEF }", None),
        ("VALUES (?x ?y) { (UNDEF 1) (:b UNDEF) }", None),
        ("VALUES (?y ?z) { (:a :b) }", None),
        ("BIND(:a AS ?z)", None),
        ("BIND(?y AS ?z) FILTER(?z = :a)", None),
    ],
)
def test_terms_of_a_variable(restriction: str, expected: set[Term] | None) -> None:
    for group in (f"?x :p ?y . {restriction}", f"{restriction} ?x :p ?y"):
        assert subjects(group) == expected


def test_bind_to_an_iri_restricts_the_variable() -> None:
    assert subjects("BIND(:a AS ?x) ?x :p ?y") == terms(A)
    assert subjects("BIND(STR(:a) AS ?x) ?x :p ?y") is None


def test_literals_stay_as_they_are_written() -> None:
    found = use('VALUES ?y { 01 "x"@EN } ?x :p ?y', "?x :p ?y")
    assert isinstance(found, TripleUse)
    assert found.object.terms == terms(Literal("01", datatype=XSD.integer), Literal("x", language="en"))


def test_every_position_and_every_triple() -> None:
    group = "?x ?p ?y . ?y :q ?z FILTER(?p IN (:p, :q) && ?y = :b)"
    first, second = use(group, "?x ?p ?y"), use(group, "?y :q ?z")
    assert isinstance(first, TripleUse)
    assert isinstance(second, TripleUse)
    assert first.predicate.terms == terms(iri("p"), iri("q"))
    assert first.object.terms == second.subject.terms == terms(B)
    assert (first.subject.variable, first.predicate.variable, first.object.variable) == ("x", "p", "y")


def test_paths_also_have_terms() -> None:
    found = use("VALUES ?x { :a } ?x :p+ ?y FILTER(?y > 1)", "?x :p+ ?y")
    assert isinstance(found, PathUse)
    assert (found.subject.terms, found.object.terms) == (terms(A), None)


@pytest.mark.parametrize(
    "group",
    [
        "OPTIONAL { ?x :p ?y } FILTER(?x = :a && ?y > 1)",
        "?x :q ?z OPTIONAL { ?x :p ?y } VALUES ?x { :a }",
        "{ ?x :p ?y } FILTER(?x = :a && ?y > 1)",
        "{ ?x :p ?y } UNION { ?x :q ?y } FILTER(?x = :a && ?y > 1)",
        "?x :q ?y MINUS { ?x :p ?y } FILTER(?x = :a && ?y > 1)",
        "?x :q ?y FILTER NOT EXISTS { ?x :p ?y } FILTER(?x = :a && ?y > 1)",
        "?x :q ?y FILTER(?x = :a && ?y > 1 && EXISTS { ?x :p ?y })",
        "GRAPH :g { ?x :p ?y } FILTER(?x = :a && ?y > 1)",
        "{ SELECT * { ?x :p ?y } } FILTER(?x = :a && ?y > 1)",
        "{ SELECT * { ?x :p ?y } VALUES ?x { :a } }",
        "?x :p ?y { FILTER(?x = :a && ?y > 1) }",
        "?x :p ?y OPTIONAL { ?x :q ?z FILTER(?x = :a && ?y > 1) }",
        "?x :p ?y OPTIONAL { VALUES ?x { :a } }",
        "?x :p ?y { VALUES ?x { :a } } UNION { ?x :q :b }",
        "?x :p ?y MINUS { VALUES ?x { :a } ?x :q ?y FILTER(?y > 1) }",
        # Some engines put an outer value of ?x into the triple, and not into VALUES or BIND.
        "FILTER EXISTS { ?x :p ?y VALUES ?x { :a } }",
        "FILTER NOT EXISTS { BIND(:a AS ?x) ?x :p ?y }",
        "FILTER EXISTS { OPTIONAL { ?x :p ?y VALUES ?x { :a } } }",
    ],
)
def test_restrictions_stay_in_their_group(group: str) -> None:
    assert subjects(group) is None
    assert conditions(group) == []


@pytest.mark.parametrize(
    "outer",
    [
        "OPTIONAL GROUP",
        "MINUS GROUP",
        "GROUP",
        "GROUP UNION {}",
        "GRAPH ?g GROUP",
        "FILTER EXISTS GROUP",
        "{ SELECT * GROUP }",
    ],
)
def test_an_inner_filter_restricts_only_inner_triples(outer: str) -> None:
    group = "?x :q ?y " + outer.replace("GROUP", "{ ?x :p ?y FILTER(?x = :a && ?y > 1) }")
    assert subjects(group) == terms(A)
    assert conditions(group) == ["?y > 1"]
    assert subjects(group, "?x :q ?y") is None
    assert conditions(group, "?x :q ?y") == []


def test_values_after_the_query_are_not_used() -> None:
    [found] = read("SELECT * { ?x :p ?y } VALUES ?x { :a }").uses
    assert isinstance(found, TripleUse)
    assert found.subject.terms is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("?y = 'abc'", "?y = 'abc'"),
        ("?y!=:a", "?y!= <http://example.org/a>"),
        ("?x<:a", "?x< <http://example.org/a>"),
        ("?y = ?x", "?y = ?x"),
        ("regex(STR(?x), 'a.b|[c-e]+$', \"i\")", "regex(STR(?x), 'a.b|[c-e]+$', \"i\")"),
        ("REPLACE(?y, 'a', 'b') = 'c'", "REPLACE(?y, 'a', 'b') = 'c'"),
        ("xsd:integer(?y) + 1 > 2", " <http://www.w3.org/2001/XMLSchema#integer>(?y) + 1 > 2"),
        ("?y = '1'^^xsd:int", "?y = '1'^^ <http://www.w3.org/2001/XMLSchema#int>"),
        ("?y > 1 # more\n - 3", "?y > 1  \n - 3"),
        ("LANG(?y) = 'en'", "LANG(?y) = 'en'"),
        ("!!bound(?y)", "!!bound(?y)"),
        ("?y NOT IN (1, :a)", "?y NOT IN (1,  <http://example.org/a>)"),
        ("isiri(?y) || !ISBLANK(?x)", "isiri(?y) || !ISBLANK(?x)"),
        ("IF(?y > 1, ?x = :a, true)", "IF(?y > 1, ?x =  <http://example.org/a>, true)"),
        ("COALESCE(?y > 1, false)", "COALESCE(?y > 1, false)"),
    ],
)
def test_conditions_have_full_iris(written: str, expected: str) -> None:
    assert conditions(f"?x :p ?y FILTER({written})") == [expected]
    # It can be asked by itself, and has the value of one expression.
    read_query(f"SELECT * {{ ?x ?p ?y FILTER({expected}) }}")


@pytest.mark.parametrize(
    "written",
    [
        *("?y = RAND()", "?y < NOW()", "?y = UUID()", "?y = STRUUID()", "isBlank(BNODE(?y))", "?y = IRI('a')"),
        *("EXISTS { ?x :q ?y }", "?y = 1 || NOT EXISTS { ?x :q ?y }", ":f(?y)", "xsd:int(?y) = 1", "?y = ?z", "1 = 1"),
        # Syntax that engines read differently.
        *("regex(?y, '(?i)a')", "regex(?y, '\\\\d')", "regex(?y, ?x)", "regex(?y, 'a', 'x')", "regex(?y, 'a*+')"),
        *("regex(?y, '[a[b]]')", "REPLACE(?y, '(a)', '$1') = 'a'", "regex(?y, 'a\\\\')"),
    ],
)
def test_expressions_that_are_not_conditions(written: str) -> None:
    assert conditions(f"?x :p ?y FILTER({written})", "?x :p ?y") == []


def test_conditions_name_their_variables() -> None:
    found = use("?x :p ?y FILTER(?y > 1 && ?y != $x)", "?x :p ?y")
    assert isinstance(found, TripleUse)
    assert [condition.variables for condition in found.conditions] == [("y",), ("x", "y")]


def test_no_condition_has_a_blank_node() -> None:
    found = use("_:b :p _:b . _:c :p ?y FILTER(?y > 1)", "_:b :p _:b")
    assert isinstance(found, TripleUse)
    assert found.subject.variable == found.object.variable == "_:b"
    assert found.conditions == ()


def test_the_number_of_conditions_is_limited() -> None:
    group = "?x :p ?y . " + " ".join(f"FILTER(?y > {n})" for n in range(100))
    assert 0 < len(conditions(group)) < 100


def test_conditions_are_found_among_many() -> None:
    others = " ".join(f"FILTER(?y > ?z{n})" for n in range(100))
    assert set(conditions(f"?x :p ?y {others} FILTER(?y > 1) FILTER(?x != ?y)")) == {"?x != ?y", "?y > 1"}
