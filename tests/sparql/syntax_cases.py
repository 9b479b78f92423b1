"""Texts for each production of the grammar of SPARQL 1.1: some that it allows, and some that it does not.

A table gives a text with a gap, and what the gap may be. `PROLOGUE` comes before each text. A text is followed by the
table that it is from, so that a failing test says what it is about.
"""

# ruff: noqa: E501 - a table is easier to read with one line for each part of the grammar
from __future__ import annotations

from itertools import product

__all__ = ["BROKEN", "BROKEN_UPDATES", "PROLOGUE", "QUERIES", "UPDATES"]

PROLOGUE = (
    "PREFIX : <http://ex.org/> PREFIX e: <http://ex.org/ns#> PREFIX a.b-c: <http://ex.org/dots/>"
    " PREFIX \u00e9: <http://ex.org/acute/> PREFIX filter: <http://ex.org/words/>"
    " PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
)

# PNAME_NS, PNAME_LN, PN_LOCAL, PLX, PERCENT, PN_LOCAL_ESC, PN_CHARS, IRIREF, and code points written as escapes.
_NAMES = (
    ":", "e:", ":a", "e:a1", "e:1", "e:1.1.1.353", "e:1.-.-.-", "e:a.-.-", "e:a.b.c.d", "e:a..b...c", "e:_", "e:a-b",
    "e::", "e:a:", "e::a:b:", "e:a.:.b", "e:%20a%2F", "e:a.%20.b", "e:a\\~b\\.c\\-d", "e:\\!\\$\\&\\'\\(\\)\\*\\+",
    "e:\\,\\;\\=\\/\\?\\@\\%41\\_", ":\\#x", "e:a\u00b7b", "e:\u00e9t\u00e9", "e:a\u0301", "e:a\u203fb", "e:\u6f22.\u5b57.a",
    "e:caf\\u00e9", "e:\\u00C9", "a.b-c:d", "a.b-c:d.e.f", "\u00e9:a", "filter:a", "filter:a.1.2",
    "<http://ex.org/a>", "<http://ex.org/a.b.c?d=e&f#g>", "<http://ex.org/\\u00e9>", "<urn:a:b.c.d>", "<mailto:a@b.c>",
    "<http://ex.org/caf\u00e9>",
)  # fmt: skip
# iri, in each place of the grammar that has one
_PLACES_OF_NAMES = (
    "SELECT * {{ {} ?p ?o }}", "SELECT * {{ ?s {} ?o }}", "SELECT * {{ ?s ?p {} }}", "SELECT * {{ ?s ?p {} . }}",
    "ASK {{ ?s ^{}/:q* ?o }}", "ASK {{ ?s !(:p|^{}) ?o }}", "ASK {{ ?s ?p 'x'^^{} }}", "ASK {{ FILTER(?x = {}) }}",
    "ASK {{ GRAPH {} {{}} }}", "DESCRIBE {}", "ASK FROM {} {{}}", "ASK FROM NAMED {} {{}}",
    "ASK {{ VALUES ?x {{ {} }} }}", "ASK {{ VALUES (?x ?y) {{ ({} UNDEF) }} }}", "CONSTRUCT {{ ?s {} ?o }} {{ ?s ?p ?o }}",
    "CONSTRUCT WHERE {{ {} ?p ?o }}", "ASK {{ [ {} ?o ] :q ( {} ) }}", "ASK {{ SERVICE SILENT {} {{}} }}",
    "SELECT ({} AS ?x) {{}}", "SELECT * {{ ?s ?p ?o FILTER(?x IN ({}, ?y)) }}", "SELECT * {{ ?s ?p ?o }} ORDER BY {}(?s)"
)  # fmt: skip
_LITERALS = (
    '""', "''", '"a"', "'a'", '"""a"""', "'''a'''", '"""a"b""c"""', "'''a'b''c'''", '"""\n"""', "'a\\t\\b\\n\\r\\f\\\\\\\"\\''",
    '"\\u00e9"', "'\\U000000E9'", '"a"@en', "'a'@en-GB", '"""a"""@de', '"a" @en', '"a"^^xsd:string', '"1"^^xsd:integer',
    '"01"^^xsd:integer', "'x'^^<http://ex.org/t>", '"x" ^^ e:t', "1", "01", "+1", "-1", "1.5", ".5", "-.5", "+0.50", "1e5",
    "1.e5", ".5E-3", "-1.0e+5", "+1E0", "true", "false", "TRUE", "False", '"#"', '"{ ? }"', '"\u6f22"',
)  # fmt: skip
_PLACES_OF_LITERALS = ("SELECT * {{ ?s ?p {} }}", "ASK {{ FILTER(?x = {}) }}", "ASK {{ VALUES ?x {{ {} }} }}")
_VARIABLES = (
    "?a",
    "$a",
    "?1",
    "?_",
    "?a1_b",
    "?\u00e9",
    "?a\u00b7\u0301b",
    "?a\u203f",
    "?\\u0061",
    "$\\u0061b",
    "?select",
)
_PLACES_OF_VARIABLES = (
    "SELECT {} {{ {} ?p ?o }}", "SELECT * {{ ?s {} {} }}", "ASK {{ BIND(1 AS {}) }}", "SELECT (COUNT({}) AS ?z) {{ ?s ?p {} }}",
    "SELECT * {{ ?s ?p {} FILTER(BOUND({})) }}",
)  # fmt: skip
_BLANKS = ("[]", "[ ]", "[\n]", "_:a", "_:1", "_:a.b", "_:a-", "_:\u00e9", "()", "( )", "[ :p 1 ]", "[ a :A ; :p ?x , ?y ; ]",
           "( 1 )", "( 1 ?x :a [] )", "( ( 1 ) ( ) )", "[ :p [ :q ( 1 [] ) ] ]", "[ :p/:q ?x ]", "[ ^:p|:q+ ?x ; !a ?y ]",
           "( [ :p* 1 ] )", "[ ?p ?x ]")  # fmt: skip
_PLACES_OF_BLANKS = ("ASK {{ {} :p ?o }}", "ASK {{ ?s :p {} }}", "ASK {{ ?s :p {} , 1 ; :q 2 . ?s ?p ?o }}",
                     "ASK {{ ?s :p 1 ; :q {} }}")  # fmt: skip

# Path, PathAlternative … PathOneInPropertySet
_PATHS = (
    ":p", "a", "<p:q>", "^:p", "^a", ":p/:q", ":p|:q", ":p/:q/:r", ":p|:q|^:r", ":p*", ":p+", ":p?", "a*", "^:p*", "(:p)",
    "((:p))", "(:p/:q)*", "^(:p|:q)+", "(^:p)?", "!:p", "!a", "!^:p", "!^a", "!(:p)", "!(:p|:q)", "!(:p|^:q|a|^a)", "!()",
    "!( )", "(!:p)+", "(!rdf:type)+", "(!(rdf:type|^:p))*", ":p/!:q/:r", ":p/(!:q)*", "!:p+", ":p?/:q?/:r?", ":p /\n:q",
    ":p#c\n/:q", "(:p/:q)|(:r/^:s)", "((:p|:q)/(:r|:s))*", ":p*/:p*", "^:p/^:q", "(a|:p)/(a)+", "!(^:p|^:q)", "e:1.1.1/e:a.b.c*",
    "!e:1.1.1.1", ":p:/:q:", "(:p*)*", "(((:p+)?)*)+",
)  # fmt: skip
_PLACES_OF_PATHS = ("SELECT * {{ ?s {} ?o }}", "ASK {{ :a {} 1 , ?x ; {} [] . }}", "ASK {{ ?s :p [ {} ?o ] }}",
                    "ASK {{ ?s :p [ a 1 ] ; :q [ {} ?o ] }}")  # fmt: skip

# Expression … NumericLiteral, and the built-in calls
_EXPRESSIONS = (
    "?x", ":a", "1", "(?x)", "((?x))", "?x || ?y", "?x && ?y", "?x = ?y", "?x != ?y", "?x < ?y", "?x > ?y", "?x <= ?y",
    "?x >= ?y", "?x IN ()", "?x IN (1)", "?x in (1, ?y, :a)", "?x NOT IN ()", "?x not in (1, 'a')", "?x + ?y", "?x - ?y",
    "?x * ?y", "?x / ?y", "?x+1", "?x-1", "?x +1", "?x -1 -2", "1-1", "2+3*4/5-6", "-?x", "+?x", "- ?x", "!?x", "! ?x", "!!?x",
    "!(?x)", "-(-(1))", "!BOUND(?x)", "?a || ?b && ?c = ?d + ?e * -?f", "?x<?y", "?x <-1", "?x<(1)", "?x=1||?y=2&&!(?z<3)",
    ":f()", ":f( )", ":f(1)", ":f(1, ?x, :a)", "e:1.1.1(?x)", "<urn:f>(1)", "xsd:integer('1')", "xsd:dateTime(?x)",
    "STR(?x)", "str(?x)", "LANG(?x)", "LANGMATCHES(LANG(?x), '*')", "DATATYPE(?x)", "BOUND(?x)", "bound( $x )", "IRI('a')",
    "URI('a')", "BNODE()", "BNODE( )", "BNODE('a')", "RAND()", "ABS(1)", "CEIL(1)", "FLOOR(1)", "ROUND(1)", "CONCAT()",
    "CONCAT('a')", "CONCAT ('a', 'b')", "concat\n('a')", "STRLEN('a')", "UCASE('a')", "LCASE('a')", "ENCODE_FOR_URI('a')",
    "CONTAINS('a', 'b')", "STRSTARTS('a', 'b')", "STRENDS('a', 'b')", "STRBEFORE('a', 'b')", "STRAFTER('a', 'b')", "YEAR(?x)",
    "MONTH(?x)", "DAY(?x)", "HOURS(?x)", "MINUTES(?x)", "SECONDS(?x)", "TIMEZONE(?x)", "TZ(?x)", "NOW()", "UUID()", "STRUUID()",
    "NOW( )", "uuid()", "MD5('a')", "SHA1('a')", "SHA256('a')", "SHA384('a')", "SHA512('a')", "COALESCE()", "COALESCE(1)",
    "COALESCE (?x, ?y, 1)", "IF(?x, 1, 2)", "if(true, ?x, IF(false, 1, 2))", "STRLANG('a', 'en')", "STRDT('a', xsd:string)",
    "sameTerm(?x, ?y)", "SAMETERM(?x, 1)", "isIRI(?x)", "ISURI(?x)", "isBlank(?x)", "isliteral(?x)", "isNumeric(?x)",
    "REGEX(?x, 'a')", "regex(?x, 'a', 'i')", "REGEX(STR(?x), CONCAT('^', ?y))", "SUBSTR(?x, 1)", "substr(?x, 1, 2)",
    "REPLACE(?x, 'a', 'b')", "replace(?x, 'a', 'b', 'i')", "REPLACE(" * 26 + "?x" + ", 'a', 'b')" * 26, "SUBSTR(REPLACE(" * 12 + "?x" + ", 'a', 'b'), 1)" * 12,
    "EXISTS { ?x :p ?y }", "NOT EXISTS { ?x :p ?y }", "not  exists {}", "!EXISTS {} || EXISTS { { ?x :p 1 } UNION {} }",
    "(?x = 1) = true", "?x/?y", "?x*-1", "?x=-1", "true", "'a' = \"b\"@en", "TRUE && False",
)  # fmt: skip
_PLACES_OF_EXPRESSIONS = (
    "SELECT * {{ ?s ?p ?x FILTER({}) }}", "SELECT * {{ ?s ?p ?x BIND(({}) AS ?new) }}", "SELECT ({} AS ?new) {{ ?s ?p ?x }}",
    "SELECT ?s {{ ?s ?p ?x }} ORDER BY DESC({})", "ASK {{ OPTIONAL {{ ?s ?p ?x FILTER({}) }} }}",
)  # fmt: skip
# Constraint without brackets
_CALLS = ("STR(?x)", "REGEX(?x, 'a')", "EXISTS {}", "NOT EXISTS { ?s ?p ?o }", ":f(?x)", "<urn:f>()", "CONCAT ('a')", "BNODE()",
          "e:1.1.1.1(?x)", "xsd:boolean(?x)", "IF(1, 2, 3)", "COALESCE (?x)", "NOW()", "isIRI(?x)")  # fmt: skip
_PLACES_OF_CALLS = ("ASK {{ ?s ?p ?x FILTER {} }}", "ASK {{ FILTER {} . ?s ?p ?x }}", "SELECT ?x {{ ?s ?p ?x }} ORDER BY {} ?x",
                    "SELECT (1 AS ?z) {{ ?s ?p ?x }} GROUP BY {}")  # fmt: skip
_AGGREGATES = (
    "COUNT(*)", "COUNT( * )", "COUNT(DISTINCT *)", "count(?x)", "COUNT(DISTINCT ?x)", "SUM(?x)", "MIN(?x)", "MAX(DISTINCT ?x)",
    "AVG(?x + 1)", "SAMPLE(?x)", "GROUP_CONCAT(?x)", "group_concat(?x ; separator=', ')", "GROUP_CONCAT(DISTINCT ?x ; SEPARATOR = \"\")",
    "SUM(?x) / COUNT(*)", "IF(COUNT(*) > 1, MIN(?x), MAX(?x))", "STR(SAMPLE(?x))", "-SUM(?x)",
)  # fmt: skip
_PLACES_OF_AGGREGATES = ("SELECT ({} AS ?new) {{ ?s ?p ?x }}", "SELECT ?s {{ ?s ?p ?x }} GROUP BY ?s HAVING ({} > 1)",
                         "SELECT ?s ({} AS ?new) {{ ?s ?p ?x }} GROUP BY ?s ORDER BY DESC({})")  # fmt: skip

# GroupGraphPattern … GroupOrUnionGraphPattern, TriplesBlock, PropertyListPathNotEmpty
_PATTERNS = (
    "", "?s ?p ?o", "?s ?p ?o .", "?s ?p ?o . ?o ?q ?r", "?s ?p ?o ; ?q ?r", "?s ?p ?o ;", "?s ?p ?o ;;; ?q ?r ;; .", "?s ?p ?o , 1 , :a",
    "?s a :A ; :p 1 , 2 ; ^:q ?o .", "[] ?p ?o", "[ ?p ?o ]", "[ ?p ?o ] .", "[ :p 1 ] :q 2 ; :r 3", "( 1 2 )", "( 1 2 ) :p ?o", "{}",
    "{} .", "{ ?s ?p ?o }", "{ { { } } }", "{} UNION {}", "{ ?s ?p 1 } UNION { ?s ?p 2 } UNION { }", "{} union {}", "OPTIONAL {}",
    "?s ?p ?o OPTIONAL { ?o ?q ?r } ?r ?t ?u", "OPTIONAL {} . OPTIONAL { OPTIONAL {} }", "MINUS {}", "?s ?p ?o minus { ?s ?p 1 } .",
    "GRAPH ?g {}", "GRAPH :g { ?s ?p ?o }", "graph <urn:g> { GRAPH ?h {} }", "SERVICE :e {}", "SERVICE SILENT ?e { ?s ?p ?o }",
    "service silent <urn:e> { SELECT ?s { ?s ?p ?o } }", "FILTER(1)", "FILTER(1) FILTER(2) . FILTER(3)", "?s ?p ?o FILTER(?s = 1) ?o ?q ?r",
    "?s ?p ?o . FILTER(?s = 1) . ?o ?q ?r .", "BIND(1 AS ?x)", "?s ?p ?o BIND(?o AS ?x) . BIND(?x AS ?y)", "VALUES ?x {}", "VALUES ?x { 1 }",
    "VALUES ?x { 1 :a 'b' UNDEF true -1 }", "VALUES () {}", "VALUES () { () () }", "VALUES (?x) { (1) ( UNDEF ) }",
    "VALUES (?x ?y) { (1 2) (UNDEF :a) }", "VALUES ( ?x ?y ) {}", "values ?x { undef }", "{ SELECT * {} }", "{ SELECT ?s { ?s ?p ?o } LIMIT 1 }",
    "{ SELECT DISTINCT ?s { ?s ?p ?o } VALUES ?s { 1 } }", "{ SELECT (1 AS ?x) {} } UNION { SELECT (2 AS ?x) {} }",
    "{ SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 1) ORDER BY ?s OFFSET 1 }", "[] :p _:a , _:a",
    "?s :p 1.5.", "?s<urn:p>?o", "?s?p?o", "?s ?p 1,2;?q 3.", "#c\n?s #c\n?p #c\r?o #c\n.", "\t?s\r\n?p\n?o\r", "?s ?p ?o .#",
    "FILTER(?x<?y)", "FILTER(?x<?y && ?y>1)", "FILTER(?x<1 && 2>?y||?x<e:1.1.1)", "?s :p ?o . [] a [] , [ :p () ] .", "?s ?p 'a' . FILTER(?s != :b)",
)  # fmt: skip
_PLACES_OF_PATTERNS = ("SELECT * WHERE {{ {}\n}}", "ASK {{ {{ {}\n}} }}", "ASK {{ ?a ?b ?c OPTIONAL {{ {}\n}} }}", "ASK {{ FILTER EXISTS {{ {}\n}} }}",
                       "CONSTRUCT {{ :a :b :c }} WHERE {{ {}\n}}")  # fmt: skip

# SelectClause, SolutionModifier, ValuesClause
_SELECTS = (
    "*", "?s", "$s", "?s ?p ?o", "DISTINCT *", "REDUCED *", "distinct ?s", "REDUCED ?s ?p", "(1 AS ?n)", "(?s AS ?n)", "(?s + 1 AS ?n) ?p",
    "?s (1 AS ?n) (?n + 1 AS ?m)", "DISTINCT (STR(?s) AS ?n)", "*#c\n", "?s?p", "(1 as ?n)", "?s ?s", "DISTINCT ?s ?p $s", "?s (STR(?s) AS ?n) ?s",
)  # fmt: skip
_MODIFIERS = (
    "", "LIMIT 1", "OFFSET 1", "LIMIT 1 OFFSET 2", "OFFSET 2 LIMIT 1", "limit 0", "ORDER BY ?s", "ORDER BY ASC(?s)", "ORDER BY DESC(?s) ?p",
    "order by asc(?s) desc(?p) (?o + 1) STR(?s) :f(?s)", "ORDER BY (?s) LIMIT 1", "VALUES ?s { 1 }", "VALUES (?s ?p) { (1 UNDEF) }",
    "ORDER BY ?s LIMIT 1 OFFSET 0 VALUES ?s {}", "GROUP BY ?s ?p ?o", "GROUP BY ?s ?p ?o (1 AS ?n)", "GROUP BY ?s ?p ?o HAVING (1)",
    "group by ?s ?p ?o having (?s > 1) (?p > 1) STR(?s)", "GROUP BY ?s ?p ?o (?s) STR(?s) :f(?s) (?s + 1 AS ?x)",
    "GROUP BY ?s ?p ?o HAVING REGEX(?s, 'a') ORDER BY COUNT(*) LIMIT 1 VALUES ?s { UNDEF }",
)  # fmt: skip

_FORMS = (
    *("BASE <http://ex.org/> ASK { <a> <b> <#c> }", "BASE <http://ex.org/> BASE <a/> ASK { <b> ?p ?o }", "prefix x: <urn:x> base <urn:y> ASK {}"),
    *("PREFIX x: <urn:x:> PREFIX x: <urn:y:> ASK { x:a.1.2 ?p ?o }", "PREFIX : <urn:x> ASK {}", "BASE <http://ex.org/> PREFIX x: <a#> ASK { x:1.2.3 ?p ?o }"),
    *("# comment\nASK {} # comment", "ASK {}#", "ASK\nWHERE\n{\n}\n", "ask where {}", "ASK{}", "ASK FROM :a FROM NAMED :b FROM :c WHERE {}"),
    *("SELECT * FROM :a { ?s ?p ?o }", "select distinct * from named :a where { ?s ?p ?o } limit 1", "S\\u0045LECT * {}", "\\u0041SK {}"),
    *("CONSTRUCT {} {}", "CONSTRUCT {} WHERE {}", "CONSTRUCT WHERE {}", "CONSTRUCT WHERE { ?s ?p ?o . }", "construct where { [] a ( 1 ) }"),
    *("CONSTRUCT { ?s ?p ?o } FROM :a { ?s ?p ?o }", "CONSTRUCT FROM :a WHERE { ?s ?p ?o } LIMIT 1", "CONSTRUCT { [] :p ( ?s 1 ) ; :q [ :r _:b ] . } { ?s ?p ?o } ORDER BY ?s"),
    *("CONSTRUCT { ?s ?p ?o . } { ?s ?p ?o } VALUES ?s { 1 }", "CONSTRUCT { ?s ?p ?o ;; . } { ?s ?p ?o }"),
    *("DESCRIBE *{ ?s ?p ?o }", "DESCRIBE ?s { ?s ?p ?o }", "DESCRIBE :a", "DESCRIBE :a ?s <urn:b> WHERE { ?s ?p ?o }", "describe :a from :g"),
    *("ASK { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 1)", "ASK WHERE { ?s ?p ?o } GROUP BY (STR(?s) AS ?t) ?p HAVING (COUNT(?o) > 0) LIMIT 1"),
    *("CONSTRUCT { ?s :p ?p } WHERE { ?s ?p ?o } GROUP BY ?s ?p", "DESCRIBE ?s { ?s ?p ?o } GROUP BY ?s HAVING (COUNT(*) > 1)"),
    *("ASK { ?s ?p ?o } HAVING (COUNT(*) > 1)", "# ASK GROUP BY\nASK { ?s ?p '}' # GROUP BY ?s {\n} GROUP BY ?s"),
    *("DESCRIBE ?s ?s :a :a { ?s ?p ?o }", "SELECT ?s { { SELECT ?s ?p ?s { ?s ?p ?o } } }", "ASK \\u007B ?s ?p ?o \\u002E \\u007D", "ASK \\u007B\\u007D"),
    *("DESCRIBE ?s { ?s ?p ?o } ORDER BY ?s LIMIT 1 VALUES ?s { 1 }", "DESCRIBE :a LIMIT 1"),
)  # fmt: skip

_TEMPLATES = ("?s ?p ?o", "?s :p 1 , 2 ; a :A .", "GRAPH ?g { ?s ?p ?o }", "?s ?p ?o . GRAPH :g { ?s ?p 1 } ?s :q 2", "GRAPH :g {} .", "",
              "e:1.1.1.1 e:caf\\u00e9 TRUE")  # fmt: skip
_REQUESTS = (
    "", "LOAD <urn:a>", "LOAD SILENT :a", "load :a into graph :b", "LOAD SILENT <urn:a> INTO GRAPH e:1.1.1", "CLEAR ALL", "CLEAR DEFAULT", "clear silent named",
    "CLEAR GRAPH :g", "DROP ALL", "DROP SILENT DEFAULT", "DROP NAMED", "drop silent graph :g", "CREATE GRAPH :g", "CREATE SILENT GRAPH :g", "ADD :a TO :b",
    "ADD GRAPH :a TO GRAPH :b", "ADD SILENT DEFAULT TO :b", "MOVE :a TO DEFAULT", "MOVE SILENT GRAPH :a TO :b", "COPY DEFAULT TO :b", "copy silent :a to graph :b",
    "INSERT DATA {}", "INSERT DATA { :a :b :c }", "INSERT DATA { :a :b 1 , 2 ; :c [] . GRAPH :g { :a :b _:c . } }", "insert data { :a :b ( 1 2 ) }",
    "DELETE DATA {}", "DELETE DATA { :a :b 'c'@en . GRAPH :g { :a :b 01 } }", "delete  data { e:1.1.1 :b :c }", "DELETE WHERE {}", "DELETE WHERE { ?s ?p ?o }",
    "delete where { ?s :p ?o ; :q 1 . GRAPH ?g { ?s ?p ?o } }", "DELETE {} WHERE {}", "INSERT {} WHERE {}", "DELETE {} INSERT {} WHERE {}",
    "WITH :g DELETE { ?s ?p ?o } INSERT { ?s ?p 1 } WHERE { ?s ?p ?o }", "with :g insert { [] :p 1 } where {}", "WITH e:1.1.1 DELETE { :a :b :c } WHERE {}",
    "INSERT { ?s :p 1 } USING :g WHERE { ?s ?p ?o }", "DELETE { ?s ?p ?o } INSERT {} USING NAMED :g USING :h WHERE { GRAPH ?x { ?s ?p ?o } }",
    "INSERT { :a :b ?c } WHERE { { SELECT (COUNT(*) AS ?c) { ?s ?p ?o } } }", "INSERT { ?s :p ?n } WHERE { ?s (!rdf:type)+ ?o BIND(CONCAT ('a') AS ?n) }",
    "CLEAR ALL ;", "CLEAR ALL ; DROP ALL", "CLEAR ALL ; DROP ALL ; # end", "CLEAR ALL ; PREFIX x: <urn:x> DROP GRAPH x:a", "CREATE GRAPH :a ; BASE <urn:y> PREFIX x: <urn:x:> INSERT DATA { x:1.1.1 x:b x:c } ;",
)  # fmt: skip


def _filled(places: tuple[str, ...], parts: tuple[str, ...]) -> list[str]:
    """Each part in each of the places, in all of its gaps."""
    return [place.format(*[part] * place.count("{}")) for place, part in product(places, parts)]


QUERIES: dict[str, list[str]] = {
    "names": _filled(_PLACES_OF_NAMES, _NAMES),
    "literals": _filled(_PLACES_OF_LITERALS, _LITERALS),
    "variables": _filled(_PLACES_OF_VARIABLES, _VARIABLES),
    "blank nodes and lists": _filled(_PLACES_OF_BLANKS, _BLANKS),
    "paths": _filled(_PLACES_OF_PATHS, _PATHS),
    "expressions": _filled(_PLACES_OF_EXPRESSIONS, _EXPRESSIONS),
    "calls": _filled(_PLACES_OF_CALLS, _CALLS),
    "aggregates": _filled(_PLACES_OF_AGGREGATES, _AGGREGATES),
    "patterns": _filled(_PLACES_OF_PATTERNS, _PATTERNS),
    "select": [f"SELECT {each} {{ ?s ?p ?o }}" for each in _SELECTS],
    "modifiers": [f"SELECT ?s ?p ?o {{ ?s ?p ?o }} {each}" for each in _MODIFIERS],
    "forms": list(_FORMS),
}
"""Queries that the grammar allows, by what they are about."""

UPDATES: dict[str, list[str]] = {
    "requests": list(_REQUESTS),
    "templates": _filled(
        ("INSERT {{ {} }} WHERE {{ ?s ?p ?o . GRAPH ?g {{}} }}", "DELETE {{ {} }} WHERE {{ ?s ?p ?o }}"), _TEMPLATES
    ),
}
"""Updates that the grammar allows, by what they are about."""

BROKEN: tuple[str, ...] = (
    # names, variables, IRIs and literals
    "SELECT * { ?s ?p e:a. ?s }", "ASK { ?s ?p e:.a }", "ASK { ?s ?p e:-a }", "ASK { ?s ?p e:1.1..1. . }", "ASK { ?s ?p e:%2 }", "ASK { ?s ?p e:%zz }",
    "ASK { ?s ?p e:a\\x }", "ASK { ?s ?p nowhere:a }", "ASK { ?s ?p no.where:1.1.1.1 }", "ASK { ?s ?p -e:a }", "ASK { ?s ?p <a b> }", "ASK { ?s ?p <http://ex.org/{a}> }",
    "ASK { ?s ?p <http://ex.org/a }", "ASK { ? ?p ?o }", "ASK { ?s ?p ?-a }", "SELECT ? { }", "ASK { ?s ?p _: }", "ASK { ?s ?p 'a }", 'ASK { ?s ?p "a\n" }',
    'ASK { ?s ?p """a"" }', 'ASK { ?s ?p "a"@ }', 'ASK { ?s ?p "a"^^ }', 'ASK { ?s ?p "a"^^?x }', 'ASK { ?s ?p "\\x" }', 'ASK { ?s ?p "\\u12" }', "ASK { ?s ?p 1e }",
    "ASK { ?s ?p +-1 }", "ASK { ?s ?p 1..2 }", "ASK { ?s ?p tRuex }", "ASK { ?s ?p ?\\u0020 }", "ASK { ?s ?p ?a\\u003c }",
    # rows of other lengths
    "SELECT * { VALUES (?a ?b) { (1 2 3) } }", "SELECT * { VALUES (?a ?b) { (1) (1 2 3) } }", "SELECT * { VALUES (?a ?b) { (1 2) (3) } }", "SELECT * { VALUES (?a) { () } }",
    # triples, blank nodes and paths
    "ASK { ?s ?p }", "ASK { ?s }", "ASK { ?s ?p ?o ?x }", "ASK { ?s ?p ?o . . }", "ASK { ?s ?p ?o , }", "ASK { ; ?p ?o }", "ASK { ?s ?p ?o . ; ?q 1 }", "ASK { . }",
    "ASK { ?s 1 ?o }", "ASK { ?s 'a' ?o }", "ASK { ?s [] ?o }", "ASK { ?s _:p ?o }", "ASK { [ ?p }", "ASK { [ ?p ] ?q ?r }", "ASK { ( ?s ?p ?o }", "ASK { ?s ?p ( 1 , 2 ) }",
    "ASK { [ ] }", "ASK { () }", "ASK { ?s :p/ ?o }", "ASK { ?s /:p ?o }", "ASK { ?s :p||:q ?o }", "ASK { ?s !?p ?o }", "ASK { ?s ?p* ?o }", "ASK { ?s !(:p/:q) ?o }",
    "ASK { ?s !(:p|) ?o }", "ASK { ?s (:p ?o }", "ASK { ?s ^ ?o }", "ASK { ?s :p** ?o }", "ASK { ?s :p{1,2} ?o }", "ASK { ?s () ?o }", "ASK { ?s ^^:p ?o }",
    "CONSTRUCT { ?s :p/:q ?o } {}", "CONSTRUCT WHERE { ?s :p* ?o }", "CONSTRUCT WHERE { ?s ?p ?o FILTER(1) }", "CONSTRUCT WHERE { { ?s ?p ?o } }",
    "ASK { { _:a :p 1 } { _:a :p 2 } }", "ASK { _:a :p 1 OPTIONAL { _:a :p 2 } }",
    # groups
    "ASK { ?s ?p ?o UNION {} }", "ASK { {} UNION }", "ASK { UNION {} }", "ASK { OPTIONAL ?s ?p ?o }", "ASK { GRAPH {} }", "ASK { GRAPH 'a' {} }", "ASK { SERVICE {} }",
    "ASK { SILENT SERVICE :e {} }", "ASK { MINUS ?x }", "ASK { FILTER }", "ASK { FILTER ?x }", "ASK { FILTER ?x > 1 }", "ASK { FILTER() }", "ASK { BIND(1) }", "ASK { BIND(1 AS 2) }",
    "ASK { BIND 1 AS ?x }", "ASK { ?s ?p ?x BIND(1 AS ?x) }", "ASK { VALUES ?x }", "ASK { VALUES ?x { ?y } }", "ASK { VALUES ?x { (1) } }", "ASK { VALUES (?x) { 1 } }",
    "ASK { VALUES (?x ?y) { (1) } }", "ASK { VALUES (?x) { (1 2) } }", "ASK { VALUES ?x ?y { } }", "ASK { VALUES ?x { _:a } }", "ASK { { SELECT * } }", "ASK { SELECT * {} ?s ?p ?o }",
    "ASK { {", "ASK { } }", "ASK }", "ASK", "ASK WHERE", "ASK { ?s ?p ?o", "ASK { OPTIONAL { }",
    # expressions
    "ASK { FILTER(?x = ) }", "ASK { FILTER(= ?x) }", "ASK { FILTER(?x == 1) }", "ASK { FILTER(?x <> 1) }", "ASK { FILTER(?x = 1 = 2) }", "ASK { FILTER(?x AND ?y) }", "ASK { FILTER(NOT ?x) }",
    "ASK { FILTER(?x & ?y) }", "ASK { FILTER(1 2) }", "ASK { FILTER((1) }", "ASK { FILTER(?x IN 1) }", "ASK { FILTER(?x NOT (1)) }", "ASK { FILTER(STR()) }", "ASK { FILTER(STR(?x, 1)) }",
    "ASK { FILTER(FOO(?x)) }", "ASK { FILTER(BOUND(1)) }", "ASK { FILTER(REGEX(?x)) }", "ASK { FILTER(IF(1, 2)) }", "ASK { FILTER(REPLACE(?x, 'a')) }", "ASK { FILTER(SUBSTR('a')) }",
    "ASK { FILTER(EXISTS ?x) }", "ASK { FILTER(COUNT(?x) > 1) }", "ASK { FILTER(1 + ) }", "ASK { FILTER(* 1) }", "ASK { FILTER(:f(1,)) }", "ASK { FILTER(REPLACE(" + "REPLACE(" * 26 + "?x" + ", 'a', 'b')" * 26 + ")) }",
    "ASK { FILTER(" + "REPLACE(" * 26 + "?x ?y" + ", 'a', 'b')" * 26 + ") }",
    # forms and modifiers
    "SELECT { ?s ?p ?o }", "SELECT ?s, ?p { ?s ?p ?o }", "SELECT * ?s { ?s ?p ?o }", "SELECT ?s { ?s ?p ?o } LIMIT ?x", "SELECT ?s { ?s ?p ?o } LIMIT -1", "SELECT ?s { ?s ?p ?o } LIMIT 1 LIMIT 2",
    "SELECT ?s { ?s ?p ?o } ORDER ?s", "SELECT ?s { ?s ?p ?o } ORDER BY", "SELECT ?s { ?s ?p ?o } GROUP ?s", "SELECT ?s { ?s ?p ?o } LIMIT 1 ORDER BY ?s", "SELECT * { ?s ?p ?o } GROUP BY ?s",
    "SELECT ?p { ?s ?p ?o } GROUP BY ?s", "SELECT (1) { }", "SELECT (1 AS ?x ?y) {}", "SELECT COUNT(*) {}", "SELECT (COUNT(*) ?n) {}", "SELECT (1 AS ?s) { ?s ?p ?o }", "SELECT (1 AS ?x) (2 AS ?x) {}",
    "SELECT DISTINCT REDUCED ?s { ?s ?p ?o }", "SELECT ?s WHERE ?s ?p ?o", "SELECT ?s FROM { ?s ?p ?o }", "ASK FROM ?g {}", "ASK ?x {}", "DESCRIBE", "DESCRIBE {}", "CONSTRUCT { ?s ?p ?o }",
    "CONSTRUCT {} WHERE", "CONSTRUCT { FILTER(1) } {}", "ASK {} ASK {}", "ASK {} ; ASK {}", "ASK {} .", "SELCT * {}", "PREFIX e <urn:x> ASK {}", "PREFIX e:a <urn:x> ASK {}", "BASE a ASK {}",
    "ASK {} PREFIX x: <urn:x>", "@prefix x: <urn:x> . ASK {}", "ASK {} VALUES ?x", "ASK {} VALUES {}",
)  # fmt: skip
"""Texts that the grammar of queries, or a rule beside it, does not allow."""

BROKEN_UPDATES = (
    "INSERT DATA { ?s :p 1 }", "DELETE DATA { ?s :p 1 }", "DELETE DATA { _:a :p 1 }", "DELETE { _:a :p 1 } WHERE {}", "DELETE WHERE { [] :p 1 }", "INSERT { ?s ?p ?o }", "DELETE { ?s ?p ?o }",
    "INSERT WHERE {}", "INSERT DATA :a :b :c", "DELETE ?s WHERE {}", "WITH ?g DELETE {} WHERE {}", "CLEAR", "CLEAR :g", "DROP GRAPH ?g", "CREATE :g", "LOAD", "LOAD ?x", "ADD :a :b", "COPY :a TO",
    "MOVE ALL TO :a", "CLEAR ALL DROP ALL", "CLEAR ALL ;; DROP ALL", "INSERT DATA { :a :b/:c 1 }", "INSERT {} DELETE {} WHERE {}", "INSERT { FILTER(1) } WHERE {}", "INSERT {} WHERE {} USING :g",
    "INSERT DATA { GRAPH ?g { :a :b :c } }", "INSERT DATA { GRAPH :g { GRAPH :h {} } }", "CLEAR ALL ; ASK {}",
)  # fmt: skip
"""Texts that the grammar of updates does not allow."""
