"""Reading queries: uses, patterns, terms, prefixes, and reasons for unknown uses."""

from __future__ import annotations

import pytest

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode
from kgprobe.sparql.algebra import NamedTerm
from kgprobe.sparql.reading import looks_like_query, read_query
from kgprobe.sparql.uses import ANYTHING, AnyUse, Slot, TripleUse, Use
from sparql.vocabulary import iri, one, read, terms, var

TYPE = Slot(terms(RDF.type))


def texts(query: str) -> list[str]:
    return [found_use.text for found_use in read(query).uses]


def test_texts_and_lines_of_uses() -> None:
    query = read("SELECT ?x {\n  ?x   a :Pizza ;\n     :has\t?y ,\n  1 .\n  OPTIONAL { ?y :of ?z }\n}")
    assert query.uses == (
        TripleUse(var("x"), TYPE, one("Pizza"), (), "?x a :Pizza", 3),
        TripleUse(var("x"), one("has"), var("y"), (), "?x :has ?y", 4),
        TripleUse(var("x"), one("has"), Slot(terms(Literal("1", datatype=XSD.integer))), (), "?x :has 1", 4),
        TripleUse(var("y"), one("of"), var("z"), (), "?y :of ?z", 6),
    )
    x, y, z = map(Variable, "xyz")
    assert query.patterns == (
        (x, RDF.type, iri("Pizza")),
        (x, iri("has"), y),
        (x, iri("has"), Literal("1", datatype=XSD.integer)),
        (y, iri("of"), z),
    )
    assert (query.form, query.unseen, query.notes) == ("SELECT", (), ())


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?u :u ?u . INNER }",
        "SELECT * { OPTIONAL { ?u :u ?u OPTIONAL { INNER } } }",
        "SELECT * { { ?u :u ?u } UNION { INNER } }",
        "SELECT * { ?u :u ?u MINUS { INNER } }",
        "SELECT * { ?u :u ?u { { { INNER } } } }",
        "SELECT * { ?u :u ?u FILTER EXISTS { INNER } }",
        "SELECT * { ?u :u ?u FILTER(?u = 1 && !(NOT EXISTS { INNER })) }",
        "SELECT * { ?u :u ?u BIND(IF(EXISTS { INNER }, 1, 2) AS ?b) }",
        "SELECT * { ?u :u ?u GRAPH ?g { INNER } }",
        "SELECT * { ?u :u ?u { SELECT DISTINCT ?x { INNER } ORDER BY ?x LIMIT 3 } }",
        "SELECT (EXISTS { INNER } AS ?b) { ?u :u ?u }",
        "SELECT ?u { ?u :u ?u } GROUP BY ?u HAVING EXISTS { INNER }",
        "SELECT ?b { ?u :u ?u } GROUP BY (EXISTS { INNER } AS ?b)",
        "SELECT (COUNT(EXISTS { INNER }) AS ?n) { ?u :u ?u }",
        "SELECT * { ?u :u ?u } ORDER BY DESC(EXISTS { INNER })",
        "SELECT * { { SELECT ?u { ?u :u ?u } GROUP BY ?u HAVING (COUNT(*) > 1 && EXISTS { INNER }) } }",
        "ASK { ?u :u ?u . INNER }",
        "CONSTRUCT { ?x :template ?y } WHERE { ?u :u ?u . INNER }",
        "CONSTRUCT WHERE { ?u :u ?u . INNER }",
    ],
)
def test_every_triple_is_a_use(query: str) -> None:
    assert sorted(texts(query.replace("INNER", "?x :p ?y"))) == ["?u :u ?u", "?x :p ?y"]


def test_blank_nodes_and_collections() -> None:
    query = read("SELECT * { [ :p ?x ; :q [ ] ] :r ( ?x 1 ) . [] :s _:b . _:b :t () . _:c :u _:c }")
    nil, first, rest = Slot(terms(RDF.nil)), Slot(terms(RDF.first)), Slot(terms(RDF.rest))
    same = Slot(None, "_:c")
    number = Slot(terms(Literal("1", datatype=XSD.integer)))
    expected: list[Use] = [
        TripleUse(ANYTHING, one("p"), var("x"), (), "[] :p ?x", 2),
        TripleUse(ANYTHING, one("q"), ANYTHING, (), "[] :q [ ]", 2),
        TripleUse(ANYTHING, one("r"), ANYTHING, (), "[] :r ( ?x 1 )", 2),
        TripleUse(ANYTHING, first, var("x"), (), "( ?x 1 )", 2),
        TripleUse(ANYTHING, rest, ANYTHING, (), "( ?x 1 )", 2),
        TripleUse(ANYTHING, first, number, (), "( ?x 1 )", 2),
        TripleUse(ANYTHING, rest, nil, (), "( ?x 1 )", 2),
        TripleUse(ANYTHING, one("s"), ANYTHING, (), "[] :s _:b", 2),
        TripleUse(ANYTHING, one("t"), nil, (), "_:b :t ()", 2),
        TripleUse(same, one("u"), same, (), "_:c :u _:c", 2),
    ]
    assert list(query.uses) == expected
    # In the patterns, each blank node of the query is one variable.
    outer, _, cell = query.patterns[2]
    assert query.patterns[0][0] == query.patterns[1][0] == outer
    assert query.patterns[3] == (cell, RDF.first, Variable("x"))
    assert query.patterns[4][2] == query.patterns[5][0]
    assert query.patterns[8] == (Variable("_:b", hidden=True), iri("t"), RDF.nil)
    assert all(isinstance(part, Variable) and part.hidden for part in (outer, cell, query.patterns[1][2]))


@pytest.mark.parametrize(
    ("written", "term"),
    [
        ("1", Literal("1", datatype=XSD.integer)),
        ("-01", Literal("-01", datatype=XSD.integer)),
        ("+1.50", Literal("+1.50", datatype=XSD.decimal)),
        ("1e3", Literal("1e3", datatype=XSD.double)),
        ("true", Literal("true", datatype=XSD.boolean)),
        ("'a'", Literal("a")),
        ('""', Literal("")),
        ('"""a "b" # no comment\n"""', Literal('a "b" # no comment\n')),
        (r'"a\tb\"\\ é\u00e9\U0001F600"', Literal('a\tb"\\ éé😀')),
        ("'''it's'''@en-GB", Literal("it's", language="en-gb")),
        ("'1'^^xsd:int", Literal("1", datatype=XSD.int)),
        ("'1'^^<http://example.org/d>", Literal("1", datatype=iri("d"))),
        ("<http://example.org/\\u00e9>", iri("é")),
        (":é", iri("é")),
        (":a.b", iri("a.b")),
        (":a\\,b", iri("a,b")),
        (":%41", iri("%41")),
        (":", iri("")),
    ],
)
def test_constants(written: str, term: NamedNode | Literal) -> None:
    [found] = read(f"SELECT * {{ ?x :p {written} }}").uses
    assert isinstance(found, TripleUse)
    assert found.object == Slot(terms(term))


def test_terms_have_positions() -> None:
    text = (
        "# é is two bytes, 😀 is four\nPREFIX é: <http://example.org/> SELECT ?x FROM é:graph {\n"
        '  ?x a é:ü ; é:p/é:p* "é😀"^^é:d . # é:c\n  VALUES ?x { <http://example.org/é> "é:no" }\n'
        "  FILTER(é:f(?x) || ?x IN (é:B)) GRAPH é:g { } } ORDER BY é:o(?x) VALUES ?x { é:z }"
    )
    query = read_query(text)
    assert [term.written for term in query.terms] == [
        *("é:ü", "é:p", "é:p", "é:d", "<http://example.org/é>", "é:f", "é:B", "é:g", "é:o", "é:z"),
    ]
    for term in query.terms:
        assert text[term.start : term.end] == term.written
        assert term.line == text.count("\n", 0, term.start) + 1
    assert query.terms[4] == NamedTerm(
        iri("é"), text.index("<http://example.org/é>"), text.index(' "é:no"'), "<http://example.org/é>", 4
    )
    assert query.uses[0].text == "?x a é:ü"


def test_templates_and_describe_also_name_terms() -> None:
    query = read("CONSTRUCT { ?x :t [ :u :v ] } { ?x :w 1 }")
    assert [term.term for term in query.terms] == [iri(name) for name in "tuvw"]
    assert [term.term for term in read("DESCRIBE :a ?x { ?x :p :b }").terms] == [iri(name) for name in "apb"]


def test_describe_depends_on_everything() -> None:
    query = read("DESCRIBE :a")
    assert (query.form, query.uses) == ("DESCRIBE", (AnyUse("DESCRIBE", 2),))
    assert texts("DESCRIBE ?x WHERE { ?x :p :b }") == ["?x :p :b", "DESCRIBE"]


@pytest.mark.parametrize("form", ["SELECT * {}", "ASK {}", "CONSTRUCT { :a :b :c } {}", "DESCRIBE *{}"])
def test_forms(form: str) -> None:
    assert read(form).form == form.split()[0]
    assert read(form.lower()).form == form.split()[0]


# -- names -------------------------------------------------------------------------------------------------------


def names(text: str, **prefixes: str) -> list[str]:
    query = read_query(text, prefixes=prefixes)
    assert not query.unseen
    return [term.term.value for term in query.terms]


def test_given_prefixes_apply_if_the_query_declares_none() -> None:
    given = {"ex": "http://given.org/", "other": "http://other.org/"}
    query = read_query("PREFIX ex: <http://own.org/>\nSELECT * { ex:a other:b ?x }", prefixes=given)
    assert [term.term.value for term in query.terms] == ["http://own.org/a", "http://other.org/b"]
    assert query.prefixes == {"ex": "http://own.org/", "other": "http://other.org/"}
    assert given == {"ex": "http://given.org/", "other": "http://other.org/"}
    query.prefixes["ex"] = "changed"
    assert names("PREFIX ex: <http://own.org/>\nSELECT * { ex:a other:b ?x }", **given)[0] == "http://own.org/a"


def test_a_prefix_for_a_relative_iri_hides_the_given_one() -> None:
    query = read_query("PREFIX ex: <#> SELECT * { ex:a ?p ?o }", prefixes={"ex": "http://given.org/"})
    assert query.unseen == ("line 1: ex:a is relative, and the query has no BASE",)
    [use] = query.uses
    assert isinstance(use, TripleUse)
    assert use.subject == ANYTHING


def test_base_is_honoured() -> None:
    text = "BASE <http://a.org/b/c> PREFIX : <d#> PREFIX e: <http://e/> BASE <../f/> "
    text += "SELECT * { <g> :h <#i> . e:j <k:l> <> }"
    assert names(text) == [
        *("http://a.org/f/g", "http://a.org/b/d#h", "http://a.org/f/#i", "http://e/j", "k:l", "http://a.org/f/"),
    ]


@pytest.mark.parametrize(
    "prologue",
    [
        "PREFIX:<http://e/>",
        "prefix : <http://e/>",
        "PREFIX # one\n : # two\n <http://e/>",
        "# PREFIX : <http://no/>\nPREFIX : <http://e/>",
        "PREFIX : <http://no/>\nPREFIX : <http://e/>",
        "PREFIX : <http://e/> # PREFIX : <http://no/>\n",
        "PREFIX : <http://\\u0065/>",
        "BASE<http://e/>PREFIX:<>",
    ],
)
def test_prologues(prologue: str) -> None:
    assert names(prologue + " SELECT * { ?x :p ?y }") == ["http://e/p"]


# -- reasons for unknown uses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT * {\n SERVICE :s { ?x :p ?y } }", "line 3: SERVICE queries another system"),
        ("SELECT * { OPTIONAL { service silent ?s { } } }", "line 2: SERVICE queries another system"),
        ("SELECT * { ?x :p ?y\n FILTER(?x = :a && :f(?y)) }", "line 3: the function :f may read any triple"),
        ("SELECT (:f(?y) AS ?z) { ?x :p ?y }", "line 2: the function :f may read any triple"),
        ("SELECT * { BIND(:f(:g()) AS ?z) }", "line 2: the function :f may read any triple"),
        ("SELECT * { ?x <p> ?y }", "line 2: <p> is relative, and the query has no BASE"),
        ("SELECT * { ?x <p>* ?y }", "line 2: <p> is relative, and the query has no BASE"),
        ("SELECT * { ?x :p '1'^^<p> }", "line 2: <p> is relative, and the query has no BASE"),
        ("SELECT * { ?x <bif:contains> 'y' }", "line 2: <bif:contains> is a property that some engines compute"),
        ("SELECT * { ?x :p ?y .\n LATERAL { ?y :q ?z } }", "line 3: kgprobe cannot parse this SPARQL"),
        ("SELECT * { << ?x :p ?y >> :q ?z }", "line 2: kgprobe cannot parse this SPARQL"),
    ],
)
def test_unseen(query: str, reason: str) -> None:
    assert reason in read(query).unseen


def test_a_path_in_a_bracket_after_a_semicolon_is_seen() -> None:
    query = read("SELECT * { ?x :p [ :q 1 ] ; :r [ :q+ 1 ] }")
    apart = read("SELECT * { ?x :p [ :q 1 ] . ?x :r [ :q+ 1 ] }")
    assert not query.unseen
    assert len(query.uses) == len(apart.uses) > 0
    assert len(query.patterns) == len(apart.patterns) > 0


@pytest.mark.parametrize("prefix", ["true", "false", "a"])
def test_a_prefix_that_is_a_keyword(prefix: str) -> None:
    """The grammar splits `true:x` into two nodes. If that goes unnoticed, a name is missing."""
    declared = f"PREFIX {prefix}: <http://e/> "
    for group in (f"?x ?y ({prefix}:x 1)", f"VALUES ?x {{ {prefix}:x }} ?x ?y 1", f"?x {prefix}:x ?y"):
        query = read(f"{declared} SELECT * {{ {group} }}")
        assert query.unseen or "http://e/x" in [term.term.value for term in query.terms]
    assert read(declared + "SELECT * {?x:p ?true.?true:p ?y}").unseen == ()


def test_a_comment_ends_with_a_carriage_return() -> None:
    query = read("SELECT * { ?a :p ?b # one\r . ?c :q ?d # two\r\n }")
    assert [found_use.text for found_use in query.uses] == ["?a :p ?b", "?c :q ?d"]


def test_a_query_that_the_grammar_cannot_parse_has_its_form_and_prefixes() -> None:
    query = read("ASK { ?x :p ?y LATERAL { ?y :q ?z } }")
    assert (query.form, query.prefixes[""], query.uses, query.terms) == ("ASK", "http://example.org/", (), ())


def test_known_uses_are_kept_beside_reasons() -> None:
    query = read("SELECT * { ?x :p ?y SERVICE :s { ?x :q ?y } FILTER(xsd:int(?y) = 1 && xsd:integer(?y) = 2) }")
    assert [found_use.text for found_use in query.uses] == ["?x :p ?y"]
    assert len(query.unseen) == 1


def test_from_is_noted() -> None:
    query = read("SELECT *\nFROM :g FROM NAMED <relative> { ?x :p ?y }")
    assert query.notes == (
        "line 3: FROM :g is assumed to be the graph under test",
        "line 3: FROM NAMED <relative> is assumed to be the graph under test",
    )
    assert (query.unseen, [term.written for term in query.terms]) == ((), [":p"])


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?s { ?s ?p ?o } GROUP BY ?s (STR(?p) AS ?k) STR(?o) (?o + 1) HAVING (COUNT(?p) > 1) (SUM(?o) > 2)",
        "SELECT (group_concat(DISTINCT ?x; separator=', ') AS ?y) (SAMPLE(?x) AS ?z) (AVG(?x) AS ?a) { ?s ?p ?x }",
        "SELECT (GROUP_CONCAT(?x) AS ?y) (MIN(?x) AS ?z) (COUNT(DISTINCT *) AS ?n) { ?s ?p ?x }",
        "SELECT REDUCED ?s { ?s ?p ?o } ORDER BY ?s ASC(?p) DESC(?o) (?s + 1) STR(?s) xsd:integer(?o) LIMIT 1 OFFSET 2",
        "SELECT * { ?s ?p ?o FILTER(?o-1 > 2 || ?o -1 > 2 || -?o = +1 || !!bound(?o) && ! ! (?o = 2)) }",
        "SELECT * { ?s ?p ?o FILTER(ISIRI(?o) || isuri(?o) || ISBLANK(?o) || isLiteral(?o) || ISNUMERIC(?o)) }",
        "SELECT (UUID() AS ?a) (STRUUID() AS ?b) (BNODE() AS ?c) (RAND() AS ?d) (NOW() AS ?e) { }",
        "SELECT * { ?s ?p ?o . FILTER regex(?o, 'a') . ?a ?b ?c ; . FILTER(?a<?b&&?c>?o) }",
        "SELECT*{?x?p?y.filter(?x=:a)optional{?x :p ?z}}",
        "SELECT * { VALUES () { () } VALUES (?x ?y) { } VALUES ?x { true 1.5 'a'@en } }",
        "SELECT * { ?select :filter ?where . :from :a :optional }",
        "PREFIX as: <http://e/> SELECT * { ?s as:p ?o BIND(as:x AS ?z) FILTER(?o = as:y) }",
        "# no query\nSELECT # { ?no :no ?no }\n * { ?x :p 'a # b' } # }",
        "SELECT * {\r\n ?x :p ?y .\r\n}",
    ],
)
def test_valid_queries_are_read(query: str) -> None:
    assert read(query).unseen == ()


# -- strings that are queries ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * WHERE { ?x ?y ?z }",
        "  # a comment\nPREFIX : <http://e/>\nbase <http://b/> select distinct ?x { ?x ?y ?z }",
        "SELECT(COUNT(*) AS ?n){?x ?y ?z}",
        "SELECT * FROM <g> FROM NAMED :h { ?x ?y ?z }",
        "SELECT *\nFROM   <g>\nWHERE { ?x ?y ?z }",
        "ASK { :a :b :c }",
        "ASK WHERE { }",
        "CONSTRUCT { ?x :p ?y } WHERE { ?x :q ?y }",
        "CONSTRUCT WHERE { ?x :q ?y }",
        "DESCRIBE <http://e/a>",
        "DESCRIBE ex:a",
        "DESCRIBE ?x WHERE { ?x :p 1 }",
        "SELECT {columns} WHERE {{ ?x a {kind} }}",
        "SELECT %s WHERE { ?x ?y ?z }",
        "PREFIX ex: <{base}>\nSELECT ?x WHERE { ?x a <%s> }",
        "SELECT ?x { this is wrong }",
        'SELECT ?x { ?x ?y "from here" }',
    ],
)
def test_texts_that_look_like_a_query(text: str) -> None:
    assert looks_like_query(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SELECT",
        "Select {count} things",
        "select the best {thing} of all",
        "SELECT * FROM pizza",
        "SELECT * FROM {table} WHERE id = {id}",
        "SELECT ?x WHERE ",
        "Ask me {anything}",
        "Describe the {thing}",
        "Describe <it> to me\nplease",
        "INSERT DATA { <a:a> <a:b> <a:c> }",
        "selection { }",
        "WITH x AS (SELECT * { ?x ?y ?z })",
    ],
)
def test_texts_that_do_not_look_like_a_query(text: str) -> None:
    assert not looks_like_query(text)
