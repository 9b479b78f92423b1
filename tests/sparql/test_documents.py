"""Documents: queries and updates of all kinds become algebra, in which each part has its place in the text."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest
from support.sparql_text import document_text, without_places

from kgprobe.errors import InputError, Position
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode
from kgprobe.sparql.algebra import (
    Aggregate,
    Bind,
    Call,
    Constant,
    Document,
    Exists,
    Expression,
    Filter,
    GraphGroup,
    Group,
    Management,
    Minus,
    Modify,
    Optional,
    PlacedTriple,
    QueryTree,
    Service,
    Span,
    Union,
    Values,
    VariableUse,
)
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.paths import AlternativePath, EdgePath, NegatedPath, RepeatedPath, SequencePath
from kgprobe.sparql.reading import read_query

PREFIXES = {"": "u:", "xsd": XSD.iri, "rdf": RDF.iri}
P, Q, R = (NamedNode(f"u:{name}") for name in "pqr")
X, Y = Variable("x"), Variable("y")


def read(text: str) -> Document:
    return read_document(text, "some.rq", PREFIXES)


def query_of(text: str) -> QueryTree:
    [query] = read(text).operations
    assert isinstance(query, QueryTree)
    return query


def elements(group: str) -> list[Any]:
    where = query_of(f"SELECT * {{ {group} }}").where
    assert where is not None
    return list(where.elements)


def expression(text: str) -> Expression:
    [found] = elements(f"FILTER({text})")
    condition: Expression = found.condition
    return condition


def update_of(text: str) -> Modify:
    [update] = read(text).operations
    assert isinstance(update, Modify)
    return update


# -- the same algebra, with and without abbreviations ------------------------------------------------------------------

GROUPS = [
    ("?s ?p ?o", "?s ?p ?o ."),
    ("$s ?p ?o", "?s ?p ?o"),
    ("?s a :C", "?s rdf:type <u:C>"),
    ("?s :p 1 , 2 ; :q 3 ;; .", "?s :p 1 . ?s :p 2 . ?s :q 3"),
    ("?s :p ?o.?s :q ?r", "?s :p ?o . ?s :q ?r"),
    ("[] :p []", "_:a :p _:b"),
    ("[ :p 1 ]", "_:a :p 1"),
    ("[ :p 1 ; :q 2 ] :r 3", "_:a :p 1 . _:a :q 2 . _:a :r 3"),
    ("?s :p [ :q [ :r 1 ] ] , 2", "?s :p _:a . _:a :q _:b . _:b :r 1 . ?s :p 2"),
    ("?s :p ()", "?s :p rdf:nil"),
    ("() :p 1", "rdf:nil :p 1"),
    ("?s :p (1 2)", "?s :p _:a . _:a rdf:first 1 ; rdf:rest _:b . _:b rdf:first 2 ; rdf:rest rdf:nil"),
    ("(1) :p 2", "_:a rdf:first 1 ; rdf:rest rdf:nil . _:a :p 2"),
    ("?s :p 'x', \"x\", '''x''', \"\"\"x\"\"\"", "?s :p 'x' . ?s :p 'x' . ?s :p 'x' . ?s :p 'x'"),
    ("?s :p 'a\\tb\\u0041', '''a'b\nc'''", "?s :p \"a\tbA\" . ?s :p 'a\\'b\\nc'"),
    (
        "?s :p true, 1, 1.5, .5, 1e3",
        "?s :p 'true'^^xsd:boolean, '1'^^xsd:integer, '1.5'^^xsd:decimal, '.5'^^xsd:decimal, '1e3'^^xsd:double",
    ),
    ("?s :p -1, +1.5, -1e3", "?s :p '-1'^^xsd:integer, '+1.5'^^xsd:decimal, '-1e3'^^xsd:double"),
    ("?s :a\\-b :%41b , :x.y , :a:b", "?s <u:a-b> <u:%41b> . ?s <u:a-b> <u:x.y> . ?s <u:a-b> <u:a:b>"),
    ("# a comment }\n?s ?p '# text' # another {\n", "?s ?p '# text'"),
    ("?s <u:\\u0070> 1", "?s :p 1"),
    ("{ ?s ?p ?o } UNION { } UNION { ?s :p 1 }", "{ ?s ?p ?o . } UNION {} UNION { ?s :p 1 }"),
    ("?s ?p ?o OPTIONAL { } ?s ?p 2", "?s ?p ?o . OPTIONAL {} . ?s ?p 2 ."),
    (
        "optional { ?s ?p ?o } minus { } graph ?g { } service silent :s { }",
        "OPTIONAL { ?s ?p ?o } MINUS {} GRAPH ?g {} SERVICE SILENT <u:s> {}",
    ),
    (
        "bind(1 as ?x) filter exists { } filter not exists { }",
        "BIND(1 AS ?x) FILTER(EXISTS { }) FILTER(NOT EXISTS { })",
    ),
    ("VALUES ?x { 1 UNDEF }", "VALUES (?x) { (1) (undef) }"),
    ("?s (:p) ?o", "?s :p ?o"),
    ("?s :p/:q|:r ?o", "?s ((:p/:q)|:r) ?o"),
    ("?s ^:p/:q* ?o", "?s ((^:p)/(:q*)) ?o"),
    ("?s !:p|:q ?o", "?s ((!(:p))|:q) ?o"),
    ("?s a/^a ?o", "?s rdf:type/^rdf:type ?o"),
    ("{ SELECT ?s { ?s ?p ?o } }", "{ select ?s where { ?s ?p ?o . } }"),
]
EXPRESSIONS = [
    ("?a || ?b && ?c", "?a || (?b && ?c)"),
    ("?a && ?b || ?c && ?d", "(?a && ?b) || (?c && ?d)"),
    ("?a = 1 && ?b < 2", "(?a = 1) && (?b < 2)"),
    ("?a + 1 = ?b * 2", "(?a + 1) = (?b * 2)"),
    ("?a - 1 - 2", "(?a - 1) - 2"),
    ("?a - 1 + 2", "(?a - 1) + 2"),
    ("?a / 2 * 3", "(?a / 2) * 3"),
    ("?a -1", "?a - 1"),
    ("?a-1", "?a - 1"),
    ("?a+1", "?a + 1"),
    ("?a -1 -?b", "(?a - 1) - ?b"),
    ("?a -1*3", "?a - (1 * 3)"),
    ("?a +1/3 +2*4 -1", "((?a + (1 / 3)) + (2 * 4)) - 1"),
    ("1 -1", "1 - 1"),
    ("!?a = ?b", "(!?a) = ?b"),
    ("! ! ?a", "!(!(?a))"),
    ("!!!bound(?a)", "!(!(!(BOUND(?a))))"),
    ("-?a + ?b", "(-?a) + ?b"),
    ("- ?a * ?b", "(-(?a)) * ?b"),
    ("?a in (1, ?b + 1) && ?c", "(?a IN (1, (?b + 1))) && ?c"),
    ("?a + 1 not in ()", "(?a + 1) NOT IN ()"),
    ("?a<?b&&?b>?c", "(?a < ?b) && (?b > ?c)"),
    ("((((?a))))", "?a"),
    ("str(?a) = 'x' || regex(?a, 'x', 'i')", "(STR(?a) = 'x') || REGEX(?a, 'x', 'i')"),
    ("isiri(?a) && IsBlank(?a) && ISLITERAL(?a)", "isIRI(?a) && isBLANK(?a) && isLITERAL(?a)"),
    ("xsd:integer(?a) = 1", "<http://www.w3.org/2001/XMLSchema#integer>(?a) = 1"),
    ("concat (?a, 'x') = coalesce (?b)", "CONCAT(?a, 'x') = COALESCE(?b)"),
    ("TRUE || False", "true || false"),
]
QUERIES = [
    ("select distinct ?s{?s ?p ?o}", "SELECT DISTINCT ?s WHERE { ?s ?p ?o . }"),
    ("SELECT * {} limit 1 offset 2", "SELECT * WHERE {} OFFSET 2 LIMIT 1"),
    (
        "SELECT ?s { ?s ?p ?o } ORDER BY ?s DESC(?p + 1) STR(?o)",
        "SELECT ?s { ?s ?p ?o } ORDER BY ASC(?s) (?p + 1) (STR(?o))",
    ),
    ("SELECT (count ( * ) AS ?n) { }", "SELECT (COUNT(*) AS ?n) WHERE { }"),
    ("CONSTRUCT WHERE { ?s ?p ?o ; :q 1 }", "CONSTRUCT { ?s ?p ?o . ?s :q 1 } WHERE { ?s ?p ?o . ?s :q 1 }"),
    ("CONSTRUCT WHERE { }", "CONSTRUCT { } WHERE { }"),
    ("construct{} where{?s ?p ?o} limit 1", "CONSTRUCT { } { ?s ?p ?o . } LIMIT 1"),
    ("ASK { }", "ask where { }"),
    ("DESCRIBE :a", "DESCRIBE <u:a>"),
    ("BASE <u:b/> SELECT * { <c> a <> }", "SELECT * { <u:b/c> a <u:b/> }"),
    ("PREFIX p: <u:> base <u:b/> PREFIX q: <c/> SELECT * { p:p q:d <e> }", "SELECT * { :p <u:b/c/d> <u:b/e> }"),
    ("insert  data{:a :b :c}", "INSERT DATA { <u:a> <u:b> <u:c> }"),
    ("delete\n# comment\nwhere { ?s ?p ?o }", "DELETE WHERE { ?s ?p ?o }"),
    ("DELETE WHERE { ?s ?p ?o }", "DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }"),
    ("INSERT DATA { :a :b :c } ;", "INSERT DATA { :a :b :c }"),
    ("INSERT DATA { :a :b :c } ; PREFIX z: <u:>\n# end;\n", "INSERT DATA { :a :b :c }"),
    (
        "CLEAR ALL ; PREFIX p: <u:> INSERT DATA { p:a p:b p:c } ; BASE <u:> DELETE DATA { <d> p:e <f> }",
        "CLEAR ALL; INSERT DATA { :a :b :c }; DELETE DATA { :d :e :f }",
    ),
    (
        "PREFIX p: <u:x> CLEAR ALL; PREFIX p: <u:> INSERT DATA { p:a p:b p:c }; CLEAR ALL",
        "CLEAR ALL; INSERT DATA { :a :b :c }; CLEAR ALL",
    ),
]


@pytest.mark.parametrize(("short", "long"), GROUPS)
def test_groups(short: str, long: str) -> None:
    assert without_places(tuple(elements(short))) == without_places(tuple(elements(long)))


@pytest.mark.parametrize(("short", "long"), EXPRESSIONS)
def test_expressions(short: str, long: str) -> None:
    assert without_places(expression(short)) == without_places(expression(long))


@pytest.mark.parametrize(("short", "long"), QUERIES)
def test_queries_and_updates(short: str, long: str) -> None:
    assert without_places(read(short).operations) == without_places(read(long).operations)


@pytest.mark.parametrize("text", [text for pair in QUERIES for text in pair if "CLEAR" not in text])
def test_written_and_read_again(text: str) -> None:
    found = read(text)
    assert without_places(read(document_text(found)).operations) == without_places(found.operations)


# -- the values themselves ---------------------------------------------------------------------------------------------


def test_a_group_with_all_elements() -> None:
    found = elements(
        "?x :p 1 . FILTER(?x) BIND(2 AS ?y) VALUES (?x ?z) { (1 UNDEF) } OPTIONAL { } MINUS { } GRAPH ?g { }"
        " SERVICE SILENT :p { } { } { } UNION { } { SELECT ?x { } }"
    )
    kinds = [PlacedTriple, Filter, Bind, Values, Optional, Minus, GraphGroup, Service, Group, Union, Group]
    assert list(map(type, found)) == kinds
    triple, condition, bind, values, _, _, graph, service, _, _, sub_select = found
    assert (triple.subject, triple.predicate, triple.object) == (X, P, Literal(1))
    assert condition.condition == VariableUse(X, Span(condition.span.start + 7, condition.span.start + 9))
    assert (bind.expression.term, bind.variable) == (Literal(2), Y)
    assert (values.variables, values.rows) == ((X, Variable("z")), ((Literal(1), None),))
    assert graph.name == Variable("g")
    assert (service.name, service.is_silent) == (P, True)
    assert [type(element) for element in sub_select.elements] == [QueryTree]


def test_paths_are_values() -> None:
    found = [
        element.predicate
        for element in elements("?x ^:p 1 ; :p* 2; (:p/:q)+ 3; :p|:q/:r 4; !(:p|^:q) 5; ?y 6; :p? 7; !() 8")
    ]
    forwards = EdgePath(frozenset({(P, False)}))
    both = SequencePath((forwards, EdgePath(frozenset({(Q, False)}))))
    assert found == [
        EdgePath(frozenset({(P, True)})),
        RepeatedPath(forwards, may_be_none=True, many=True),
        RepeatedPath(both, may_be_none=False, many=True),
        AlternativePath(
            (forwards, SequencePath((EdgePath(frozenset({(Q, False)})), EdgePath(frozenset({(R, False)})))))
        ),
        AlternativePath((NegatedPath(frozenset({P}), backwards=False), NegatedPath(frozenset({Q}), backwards=True))),
        Y,
        RepeatedPath(forwards, may_be_none=True, many=False),
        NegatedPath(frozenset(), backwards=False),
    ]


@pytest.mark.parametrize(
    ("text", "name", "count"),
    [
        ("?x && ?y && ?z", "&&", 3),
        ("?x || ?y || ?z || 1", "||", 4),
        ("?x NOT IN (1, 2)", "NOT IN", 3),
        ("?x IN ()", "IN", 1),
        ("IF(?x, 1, 2)", "IF", 3),
        ("substr(?x, 1)", "SUBSTR", 2),
        ("replace(?x, 'a', 'b', 'i')", "REPLACE", 4),
        ("Regex(?x, 'a')", "REGEX", 2),
        ("sameterm(?x, ?y)", "SAMETERM", 2),
        ("RAND()", "RAND", 0),
        ("bnode()", "BNODE", 0),
        ("CONCAT()", "CONCAT", 0),
        (":p()", "u:p", 0),
        (":p(?x, ?y + 1)", "u:p", 2),
        ("xsd:decimal(?x)", "http://www.w3.org/2001/XMLSchema#decimal", 1),
        ("-?x", "-", 1),
        ("+?x", "+", 1),
        ("!?x", "!", 1),
    ],
)
def test_calls(text: str, name: str, count: int) -> None:
    found = expression(text)
    assert isinstance(found, Call)
    assert (found.name, len(found.arguments)) == (name, count)


def test_constants_and_exists() -> None:
    assert isinstance(expression(":p"), Constant)
    found = expression("NOT EXISTS { ?x ?y ?z }")
    assert isinstance(found, Exists)
    assert found.is_negated
    assert isinstance(expression("1 * -1"), Call)
    assert without_places(expression("1 * -1")) == without_places(
        Call("*", (Constant(Literal(1), Span(0, 0)), Constant(Literal(-1), Span(0, 0))), Span(0, 0))
    )


def test_aggregates_and_modifiers() -> None:
    query = query_of(
        "SELECT (?x AS ?u) (GROUP_CONCAT(DISTINCT ?y; SEPARATOR=', ') AS ?v) (COUNT(DISTINCT *) AS ?w) {"
        " ?x :p ?y } GROUP BY ?x (STR(?x) AS ?s) (?x + 1) HAVING(COUNT(*) > 1) BOUND(?x) ORDER BY DESC(?x) LIMIT 0"
        " VALUES ?x { 1 }"
    )
    assert query.projected is not None
    first, second, third = query.projected
    assert isinstance(first.expression, VariableUse)
    assert first.variable == Variable("u")
    assert isinstance(second.expression, Aggregate)
    assert (second.expression.name, second.expression.is_distinct, second.expression.separator) == (
        "GROUP_CONCAT",
        True,
        ", ",
    )
    assert isinstance(third.expression, Aggregate)
    assert (third.expression.argument, third.expression.is_distinct) == (None, True)
    assert [type(group) for group in query.groups] == [VariableUse, Bind, Call]
    assert [type(each.condition) for each in query.having] == [Call, Call]
    assert [type(each) for each in query.order] == [VariableUse]
    assert (query.limit, query.offset, query.is_distinct) == (0, None, False)
    assert query.values is not None
    assert query.values.rows == ((Literal(1),),)


def test_values_without_variables() -> None:
    [found] = elements("VALUES () { () () }")
    assert (found.variables, found.rows) == ((), ((), ()))


def test_forms() -> None:
    assert query_of("SELECT * { }").projected is None
    assert query_of("SELECT ?x ?y { }").projected is not None
    one, other = query_of("ASK FROM <u:g> FROM NAMED <u:h> { }").datasets
    assert (one.name, one.is_named, one.span) == (NamedNode("u:g"), False, Span(4, 14))
    assert (other.name, other.is_named, other.span) == (NamedNode("u:h"), True, Span(15, 31))
    describe = query_of("DESCRIBE :p ?x { ?x :p 1 }")
    assert describe.projected is not None
    assert [each.variable for each in describe.projected] == [X]
    assert [each.term for each in describe.described] == [P]
    assert query_of("DESCRIBE * { ?x :p 1 }").projected is None
    assert query_of("DESCRIBE :p").where is None
    short = query_of("CONSTRUCT WHERE { ?x :p ?y # }\n }")
    assert short.where is not None
    assert short.where.elements == short.template
    assert short.where.span == Span(16, 33)
    assert query_of("CONSTRUCT { } WHERE { ?x :p ?y }").form == "CONSTRUCT"
    assert query_of("SELECT DISTINCT ?x { }").is_distinct


def test_updates() -> None:
    insert = update_of("INSERT DATA { :p :p 1 . GRAPH :q { :p :p 2 , 3 } :r :p 4 }")
    assert [(each.graph, len(each.triples)) for each in insert.inserted] == [(None, 1), (Q, 2), (None, 1)]
    assert (insert.deleted, insert.where) == ((), None)
    modify = update_of("WITH :p DELETE { ?x :p ?y } INSERT { GRAPH ?x { } } USING :q USING NAMED :r WHERE { ?x :p ?y }")
    assert modify.graph == P
    assert len(modify.datasets) == 2
    assert [(each.graph, len(each.triples)) for each in modify.inserted] == [(X, 0)]
    assert modify.where is not None
    delete = update_of("DELETE WHERE { ?x :p ?y . GRAPH :q { ?y :p 1 } }")
    assert delete.where is not None
    assert [type(element) for element in delete.where.elements] == [PlacedTriple, GraphGroup]
    assert delete.deleted[0].triples == delete.where.elements[:1]


@pytest.mark.parametrize("text", ["", "# nothing\n", "PREFIX x: <u:x>", "BASE <u:x>\n# c"])
def test_a_text_without_operations(text: str) -> None:
    assert read(text).operations == ()


def test_management() -> None:
    text = (
        "LOAD SILENT <u:a> INTO GRAPH <u:b>; CLEAR DEFAULT; DROP NAMED; CREATE GRAPH <u:c>; ADD <u:a> TO <u:b>;"
        " MOVE DEFAULT TO <u:b>; COPY GRAPH <u:a> TO DEFAULT"
    )
    found = read(text).operations
    assert [each.name for each in found if isinstance(each, Management)] == [
        "LOAD",
        "CLEAR",
        "DROP",
        "CREATE",
        "ADD",
        "MOVE",
        "COPY",
    ]
    assert [text[slice(*each.span)] for each in found] == text.split("; ")


# -- places ------------------------------------------------------------------------------------------------------------


def parts(value: object) -> Iterator[Any]:
    """All values of the algebra inside a value."""
    if hasattr(value, "span"):
        yield value
    if isinstance(value, tuple) and not isinstance(value, Span):
        for each in value:
            yield from parts(each)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from parts(getattr(value, field.name))


def test_the_places_of_triples() -> None:
    text = "SELECT * { ?a :p ?b ; :q ?c , 'd' . ?e a [ :r ?f ; :s 1 ] . [ :t 2 ] :u (3) }"
    found = [
        tuple(text[slice(*span)] for span in (part.span, part.subject_span, part.predicate_span, part.object_span))
        for part in parts(read(text).operations)
        if isinstance(part, PlacedTriple)
    ]
    bracket = "[ :r ?f ; :s 1 ]"
    assert found == [
        ("?a :p ?b", "?a", ":p", "?b"),
        (":q ?c", "?a", ":q", "?c"),
        ("'d'", "?a", ":q", "'d'"),
        (f"?e a {bracket}", "?e", "a", bracket),
        (":r ?f", bracket, ":r", "?f"),
        (":s 1", bracket, ":s", "1"),
        (":t 2", "[ :t 2 ]", ":t", "2"),
        ("[ :t 2 ] :u (3)", "[ :t 2 ]", ":u", "(3)"),
        ("3", "(3)", "(3)", "3"),
        ("(3)", "(3)", "(3)", "(3)"),
    ]


def test_the_places_of_other_parts() -> None:
    text = (
        "# é😀\nSELECT (COUNT(?a) AS ?n) { FILTER ( ! ! (?a + '😀') ) BIND(-1 AS ?b) OPTIONAL { } { } UNION { }\n"
        "GRAPH ?g { } MINUS { SERVICE :s { } } VALUES ?x { 1 } { SELECT * { } LIMIT 1 } } GROUP BY ?a (1 AS ?m)"
        " HAVING (?a) ORDER BY ?a"
    )
    found = [(type(part).__name__, text[slice(*part.span)]) for part in parts(read(text).operations)]
    assert ("Filter", "FILTER ( ! ! (?a + '😀') )") in found
    assert ("Call", "! ! (?a + '😀')") in found
    assert ("Call", "! (?a + '😀')") in found
    assert ("Call", "?a + '😀'") in found
    assert ("Constant", "'😀'") in found
    assert ("Constant", "-1") in found
    assert ("Bind", "BIND(-1 AS ?b)") in found
    assert ("Optional", "OPTIONAL { }") in found
    assert ("Union", "{ } UNION { }") in found
    assert ("GraphGroup", "GRAPH ?g { }") in found
    assert ("Minus", "MINUS { SERVICE :s { } }") in found
    assert ("Service", "SERVICE :s { }") in found
    assert ("Values", "VALUES ?x { 1 }") in found
    assert ("QueryTree", "SELECT * { } LIMIT 1") in found
    assert ("Projected", "COUNT(?a) AS ?n") in found
    assert ("Aggregate", "COUNT(?a)") in found
    assert ("Bind", "(1 AS ?m)") in found
    assert ("Filter", "(?a)") in found


def test_terms_and_comments_are_in_order() -> None:
    text = "# one\nPREFIX q: <u:q#> # two\nPREFIX r: <u:r#>\nSELECT * { # three\n q:a :p r:b } # four"
    found = read(text)
    assert [text[slice(*comment)] for comment in found.comments] == ["# one", "# two", "# three", "# four"]
    assert [term.term.value for term in found.terms] == ["u:q#a", "u:p", "u:r#b"]
    assert found.prefixes == {**PREFIXES, "q": "u:q#", "r": "u:r#"}


# -- names that look like keywords -------------------------------------------------------------------------------------

_KEYWORDS = [
    "a",
    "true",
    "false",
    "str",
    "filter",
    "bind",
    "in",
    "not",
    "count",
    "select",
    "optional",
    "graph",
    "values",
    "minus",
    "service",
    "undef",
    "desc",
    "asc",
    "as",
    "where",
    "from",
    "exists",
    "union",
    "distinct",
    "regex",
    "if",
    "group",
    "by",
    "order",
    "limit",
    "base",
    "prefix",
    "ask",
    "insert",
    "data",
    "delete",
    "silent",
    "A",
    "Str",
]


@pytest.mark.parametrize("prefix", _KEYWORDS)
def test_a_prefix_that_is_a_keyword(prefix: str) -> None:
    def text(p: str) -> str:
        return (
            f"PREFIX {p}: <u:k#>\nSELECT ({p}:f(?x) AS ?y) WHERE {{ {p}:a {p}:b {p}:c ; a {p}: ; {p}:d/^{p}:e true . "
            f"?x {p}:p 'x'^^{p}:d FILTER(STR({p}:x) = {p}:f(1) && {p}:z IN ({p}:a, {p}:b)) "
            f"VALUES ?v {{ {p}:a UNDEF }} GRAPH {p}:g {{ }} OPTIONAL {{ {p}:a a ?x }} }} ORDER BY {p}:f(?x)"
        )

    found, plain = read(text(prefix)), read(text("k"))
    assert without_places(found.operations) == without_places(plain.operations)
    assert [term.written for term in found.terms] == [
        term.written.replace("k:", f"{prefix}:", 1) for term in plain.terms
    ]
    assert len(read_query(text(prefix)).uses) == len(read_query(text("k")).uses) == 6
    given = text(prefix).split("\n", 1)[1]
    assert read_document(given, prefixes={prefix: "u:k#"}).operations[0].span.start == 0


def test_the_keyword_a_before_a_name_without_prefix() -> None:
    assert without_places(tuple(elements("?x a :C . ?x a\t:C"))) == without_places(
        tuple(elements("?x a <u:C> . ?x a <u:C>"))
    )
    [triple] = elements("?a:p ?y")
    assert triple.subject == Variable("a")


# -- mistakes ----------------------------------------------------------------------------------------------------------

_AGAIN = "?x already has a value before this BIND"
_UNDECLARED = "the prefix q: is not declared (did you mean qq:?)"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("SELECT * {\n ?x ?y\n}", 2, 7, "this is not a SPARQL query"),
        ("SELCT * { }", 1, 1, "this is not a SPARQL query or update (did you mean SELECT?)"),
        ("hello", 1, 1, "this is not a SPARQL query or update"),
        ("INSERT DATA {\n ?x :p 1 }", 2, 11, "Variables are not allowed in INSERT DATA"),
        ("INSERT DATA { :a :b :c", 1, 23, "the update ends too early"),
        ("CLEAR ALL;\nPREFIX qq: <u:q>\nDELETE { qq:a q:b ?x } WHERE { }", 3, 15, _UNDECLARED),
        ("CLEAR ALL;\nPREFIX q: <u:q> INSERT { ?x ?y ?z }", 2, 36, "the update ends too early"),
        ("CLEAR ALL;\nPREFIX q: <u:q> INSERT DATA { ?x ?y ?z }", 2, 41, "Variables are not allowed in INSERT DATA"),
        ("CLEAR ALL;\nBASE <u:q> INSERT { ?x ?y } WHERE { }; CLEAR ALL", 2, 27, "this is not a SPARQL update"),
        ("SELECT * { } ; CLEAR ALL", 1, 14, "this is not a SPARQL query"),
        ("SELECT * { ?x ?y ?z .\n BIND(1 AS ?x) ?x ?y 1 }", 2, 2, _AGAIN),
        (
            "INSERT { } WHERE { { OPTIONAL { ?z :p ?x } }\nBIND(1 AS ?x) }",
            2,
            1,
            "?x already has a value before this BIND",
        ),
        ("INSERT DATA { :a :b '\ud800' }", 1, 22, "an update cannot hold half a surrogate pair"),
        ("ASK { <<:a :b :c>> :d :e }", 1, 7, "this is not SPARQL 1.1, which is all that kgprobe reads"),
    ],
)
def test_mistakes_have_positions(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read(text)
    assert (raised.value.where, str(raised.value).split(": ", 1)[1]) == (Position("some.rq", line, column), message)


def test_nothing_is_executed() -> None:
    assert len(read("LOAD <file:///etc/passwd>; LOAD <http://127.0.0.1:1/>; DROP ALL").operations) == 3


def test_long_chains() -> None:
    together = " && ".join(["?x"] * 20_000)
    found = expression(together)
    assert isinstance(found, Call)
    assert len(found.arguments) == 20_000
    with pytest.raises(InputError, match="operators are nested more than 100 levels deep"):
        expression(" + ".join(["1"] * 20_000))
    rows = " ".join(f"(:a{n} {n})" for n in range(5_000))
    [values] = elements(f"VALUES (?x ?y) {{ {rows} }}")
    assert len(values.rows) == 5_000
    triples = " . ".join(f":s{n} :p {n}" for n in range(5_000))
    assert len(update_of(f"INSERT DATA {{ {triples} }}").inserted[0].triples) == 5_000


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { " + "{" * 90 + "}" * 90 + " }",
        "SELECT * { " + "OPTIONAL { FILTER(EXISTS { " * 30 + "?x ?y ?z" + " }) }" * 30 + " }",
        "SELECT * { ?x " + "(" * 90 + ":p" + ")" * 90 + " ?y }",
        "SELECT * { FILTER(" + "(" * 90 + "1" + ")" * 90 + ") }",
        "SELECT * { FILTER(" + "STR(" * 90 + "1" + ")" * 90 + ") }",
        "SELECT * { ?x :p " + "[ :p " * 90 + "1" + "]" * 90 + " }",
        "SELECT * { ?x :p " + "(" * 90 + "1" + ")" * 90 + " }",
        "SELECT * { " + "{ SELECT * { " * 40 + "} }" * 40 + " }",
    ],
)
def test_deep_nesting(text: str) -> None:
    assert len(read(text).operations) == 1
