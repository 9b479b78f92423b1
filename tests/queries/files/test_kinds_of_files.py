"""Queries in files of each kind: what is read, where it is in the file, and what is known before it runs."""

from __future__ import annotations

import html
import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.errors import InputError
from kgprobe.queries.files.query_files import QuerySource, source_of
from kgprobe.queries.files.texts import QueryText
from kgprobe.sparql.algebra import Span

QUERY = 'SELECT ?x WHERE {\n  ?x a ?y ; <urn:p> "a\\tb" .\n}'


def texts(source: QuerySource) -> list[str]:
    return [query.text for query in source.queries]


def squeezed(text: str) -> str:
    return "".join(text.split())


# -- every kind, any text ----------------------------------------------------------------------------------------------


def _turtle(query: str) -> str:
    escaped = query.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r")
    return f'# a comment with "\n@prefix sh: <http://www.w3.org/ns/shacl#> .\n[] sh:select """{escaped}""" .\n'


def _short_turtle(query: str) -> str:
    return f"[] <urn:p> {json.dumps(query)} .\n"


def _java(query: str) -> str:
    lines = " +\n    ".join(json.dumps(line) for line in query.splitlines(keepends=True))
    return f"class A {{ // it's\n  String q = {lines};\n  char c = '\"'; }}\n"


def _template_literal(query: str) -> str:
    escaped = query.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
    return f"const q = `{escaped}`;\n"


def _yaml_block(query: str) -> str:
    return "a: 1\nqueries:\n  - name: one\n    query: |\n" + "".join(f"      {line}\n" for line in query.split("\n"))


def _markdown(query: str) -> str:
    return "* text\n\n  ```sparql\n" + "".join(f"  {line}\n" for line in query.split("\n")) + "  ```\nmore `text`\n"


def _xml(query: str) -> str:
    return (
        '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e:">\n'
        f'<rdf:Description rdf:about="urn:x"><e:q>{html.escape(query)}</e:q></rdf:Description></rdf:RDF>\n'
    )


def _python_sum(query: str) -> str:
    return "def f():\n    return (" + "\n        + ".join(map(repr, query.splitlines(keepends=True))) + ")\n"


KINDS: dict[str, tuple[str, Callable[[str], str]]] = {
    "turtle": ("a.ttl", _turtle),
    "short-turtle": ("a.ttl", _short_turtle),
    "rdf-xml": ("a.rdf", _xml),
    "json-ld": ("a.jsonld", lambda query: json.dumps({"@id": "urn:x", "urn:p": query})),
    "json": ("a.json", lambda query: json.dumps({"é": [{"query": query}, 1]}, indent=2)),
    "notebook": ("a.ipynb", lambda query: json.dumps({"source": query.splitlines(keepends=True)}, indent=1)),
    "yaml-block": ("a.yaml", _yaml_block),
    "yaml-quoted": ("a.yml", lambda query: f"a: 1\nquery: {json.dumps(query)}\nb: 2\n"),
    "java": ("A.java", _java),
    "javascript": ("a.js", lambda query: f"f('x', {json.dumps(query)}) // it's\n"),
    "template-literal": ("a.ts", _template_literal),
    "r": ("a.R", lambda query: f"x <- paste0({json.dumps(query[:9])}, {json.dumps(query[9:])}) # it's\n"),
    "markdown": ("a.md", _markdown),
    "python": ("a.py", lambda query: f"ü = {query!r}\n"),
    "python-sum": ("a.py", _python_sum),
}
_CHARACTERS = st.text(st.sampled_from("abc ?x:.\\\"'\u00fc\U0001f600%&#/"), max_size=12).map(str.strip)


def _holds(query: QueryText, text: str) -> None:
    """Each character of a query is at its place: it, or an escape that stands for it."""
    assert query.offsets is not None
    assert len(query.offsets) == len(query.text) + 1
    assert list(query.offsets) == sorted(query.offsets)
    for char, offset in zip(query.text, query.offsets, strict=False):
        if not char.isspace():
            assert text[offset] in (char, "\\", "&")


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12, deadline=None, derandomize=True)
@given(parts=st.lists(_CHARACTERS, min_size=1, max_size=4))
def test_positions_in_every_kind_of_file(kind: str, parts: list[str]) -> None:
    name, embedded = KINDS[kind]
    inside = "\n  ".join(json.dumps(part, ensure_ascii=False) for part in parts)
    query = f"SELECT ?x WHERE {{\n  ?x <urn:p> {inside} .\n}}"
    text = embedded(query)
    source = source_of(name, text)
    read = [query for query in source.queries if query.offsets is not None]
    assert len(read) + len(source.skipped) == 1
    for each in read:
        if not each.is_template:
            assert squeezed(each.text) == squeezed(query)
        _holds(each, text)


def test_the_place_is_that_in_the_file() -> None:
    source = source_of("A.java", _java(QUERY))
    (query,) = source.queries
    start = query.text.index("<urn:p>")
    place = query.place(Span(start, start + 7))
    assert (place.line, place.column, place.end_column) == (3, 18, 25)
    assert source.file.text[place.start : place.end] == "<urn:p>"


# -- RDF ---------------------------------------------------------------------------------------------------------------

SHAPES = """\
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix ex: <http://example.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix sp: <http://spinrdf.org/sp#> .

ex: sh:declare [ sh:prefix "e" ; sh:namespace "http://example.org/e#"^^xsd:anyURI ] .
ex:Shape a sh:NodeShape ; sh:sparql [ sh:prefixes ex: ; sh:select "SELECT $this WHERE { $this e:p ?v }" ] .
ex:Component a sh:ConstraintComponent ;
  sh:parameter [ sh:path ex:limit ] ;
  sh:validator [ a sh:SPARQLAskValidator ; sh:ask "ASK { FILTER($value < $limit) }" ] ;
  sh:nodeValidator [ a sh:SPARQLSelectValidator ; sh:select "SELECT $this { $this ?p ?v FILTER(?v > $limit) }" ] .
ex:function a sh:SPARQLFunction ; sh:parameter [ sh:path ex:left ] ; sh:select "SELECT ?r { BIND($left AS ?r) }" .
ex:Target sh:target [ a sh:SPARQLTarget ; sh:select "SELECT ?this WHERE { ?this a ex:C }" ] .
ex:example a sh:SPARQLExecutable, sh:SPARQLSelectExecutable ; sh:select "SELECT ?x WHERE { ?x a ex:C }" .
ex:rule sp:text "CONSTRUCT { ?this a ex:C } WHERE { ?this ex:q ?arg1 }" .
ex:note ex:says "Select one { of these }" .
"""


def test_what_shacl_and_spin_bind_before() -> None:
    source = source_of("shapes.ttl", SHAPES)
    bound = {query.text.split("{", 1)[1]: query.bound_before for query in source.queries}
    everywhere = {"shapesGraph", "currentShape"}
    assert bound[" $this e:p ?v }"] == {"this", "PATH", *everywhere}
    assert bound[" FILTER($value < $limit) }"] == {"this", "PATH", "value", "limit", *everywhere}
    assert bound[" $this ?p ?v FILTER(?v > $limit) }"] == {"this", "PATH", "limit", *everywhere}
    assert bound[" BIND($left AS ?r) }"] == {"left", *everywhere}
    assert "this" not in bound[" ?this a ex:C }"]
    assert bound[" ?x a ex:C }"] == frozenset()
    assert {"this", "arg1"} <= bound[" ?this a ex:C } WHERE { ?this ex:q ?arg1 }"]
    assert len(bound) == 7
    assert all(query.prefixes["e"] == "http://example.org/e#" for query in source.queries)


def test_an_ontology_without_queries_is_not_parsed() -> None:
    assert source_of("broken.ttl", "this is not Turtle").queries == ()


# -- programs ----------------------------------------------------------------------------------------------------------


def test_joined_strings_have_holes_for_what_is_not_a_string() -> None:
    program = (
        'static final String P = "PREFIX e: <urn:e:> ";\n'
        'String a = P + "SELECT ?x { ?x e:p " + value + " }";\n'
        'String b = "SELECT ?x " + "{ ?x <urn:p> ?y }";\n'
        'f("not a query", x);\n'
    )
    one, two = source_of("A.java", program).queries
    assert one.is_template
    assert one.text == "PREFIX e: <urn:e:> SELECT ?x { ?x e:p  ?hole_0  }"
    assert one.bound_before == {"hole_0"}
    assert two.text == "SELECT ?x { ?x <urn:p> ?y }"
    assert not two.is_template


def test_a_name_with_two_values_is_a_hole() -> None:
    program = 'let p = "a"; p = "b"; q = `SELECT ?x { ?x <urn:p> ${p} . ?x <urn:q> "${r}" }`\n'
    (query,) = source_of("a.js", program).queries
    assert query.bound_before == {"hole_0", "hole_1"}


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("Q = f'SELECT ?x {{ ?x a {kind} }}'", "SELECT ?x { ?x a  ?hole_0  }"),
        ("Q = 'SELECT ?x {{ ?x a {} }}'.format(kind)", "SELECT ?x { ?x a  ?hole_0  }"),
        ("Q = 'SELECT ?x { ?x a %s }' % kind", "SELECT ?x { ?x a  ?hole_0  }"),
        ("Q = 'SELECT ?x { ?x a KIND }'.replace('KIND', k)", "SELECT ?x { ?x a  ?hole_0  }"),
        ("P = 'PREFIX e: <urn:e:> '\nQ = P + 'ASK { ?x a e:C }'", "PREFIX e: <urn:e:> ASK { ?x a e:C }"),
        ("P = 'PREFIX e: <urn:e:> '\nQ = f'{P}ASK {{ ?x a e:C }}'", "PREFIX e: <urn:e:> ASK { ?x a e:C }"),
    ],
)
def test_python_strings_that_are_completed(program: str, expected: str) -> None:
    assert texts(source_of("a.py", program)) == [expected]


def test_prefixes_that_the_file_declares_elsewhere() -> None:
    program = 'E = Namespace("http://e.org/e#")\ng.bind("f", "http://e.org/f#")\nq = "ASK { ?x a f:C }"\n'
    (query,) = source_of("a.py", program).queries
    assert query.prefixes["f"] == "http://e.org/f#"


def test_grlc_binds_its_parameters_and_wikidata_has_its_prefixes() -> None:
    (query,) = source_of("a.rq", "#+ summary: a\nSELECT ?x { ?x a ?_kind_iri }").queries
    assert query.bound_before == {"_kind_iri"}
    assert source_of("a.rq", "SELECT ?x { ?x a ?_kind }").queries[0].bound_before == frozenset()
    (query,) = source_of("a.rq", "SELECT ?x { ?x wdt:P31 wd:Q5 }").queries
    assert query.prefixes["wdt"] == "http://www.wikidata.org/prop/direct/"


# -- hostile files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.json", "a.yaml", "a.md", "a.js", "a.R", "a.ttl", "a.rdf", "a.rq.j2"])
@pytest.mark.parametrize(
    "text",
    [
        '"' * 20_000,
        "`${" * 5_000,
        "SELECT {" * 5_000,
        '"SELECT ?x {' + "\\" * 20_001,
        "- " * 10_000 + "|\n SELECT ?x { ?x a ?y }",
        "```sparql\n" * 5_000,
        "SELECT ?x { {{ a }} " * 500,
        "{% if x %}SELECT ?x { ?x a ?y }" * 500,
        "SELECT ?x { ?x a {{ y }} } " + "-@%" * 2_000,
        "\x00\ufffc\ue000SELECT ?x { \ufffc }",
    ],
    ids=range(10),
)
def test_a_hostile_text_is_read_or_skipped(name: str, text: str) -> None:
    try:
        source = source_of(name, text)
    except InputError:
        return
    for query in source.queries:
        assert query.offsets is None or len(query.offsets) == len(query.text) + 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("A.java", 'q = String.join("\\n", "SELECT ?x", "WHERE {", "  ?x a <urn:C>", "}");'),
        ("A.java", 'q = String.join(NEWLINE, "SELECT ?x", "WHERE {", "  ?x a " + "<urn:C>", "}");'),
        (
            "A.java",
            'a = ""; q = a + String.join("\\n", "SELECT ?x", "WHERE {", "?x a <urn:C>}");',
        ),
        ("A.java", 'q = StrUtils.strjoinNL("SELECT ?x", "WHERE {", "  ?x a <urn:C>", "}");'),
        ("a.js", "const q = ['SELECT ?x', 'WHERE {', '  ?x a <urn:C>', '}'].join('\\n');"),
        ("a.ts", "f([`SELECT ?x`, `WHERE {`, `  ?x a <urn:C>`, `}`,].join(' '));"),
        ("a.R", "q <- paste('SELECT ?x', 'WHERE {', '  ?x a <urn:C>', '}')"),
    ],
)
def test_lines_that_a_program_joins(name: str, text: str) -> None:
    (query,) = source_of(name, text).queries
    assert query.text.split()[:3] == ["SELECT", "?x", "WHERE"]
    start = query.text.index("<urn:C>")
    assert text[query.place(Span(start, start + 7)).start :].startswith("<urn:C>")


def test_a_list_that_nobody_joins_is_no_query() -> None:
    assert texts(source_of("a.js", "const a = ['SELECT ?x', '{ ?x a <urn:C> }'];")) == []
    assert texts(source_of("a.js", "const a = ['SELECT ?x { ?x a <urn:C> }', 'b'];")) == ["SELECT ?x { ?x a <urn:C> }"]


def test_a_mapping_from_namespaces_to_prefixes_is_not_read_the_wrong_way_round() -> None:
    text = 'names = {"http://a.org/": "xsd",\n  "http://b.org#": "rdf"}\ng.query("ASK { ?x ?p \'1\'^^xsd:edtf }")\n'
    (query,) = source_of("a.py", text).queries
    assert "xsd" not in query.prefixes
    bound = 'g.bind("f", "http://e.org/f#")\npairs = [["h", "http://e.org/h#"]]\n' + text
    (query,) = source_of("a.py", bound).queries
    assert {name: query.prefixes[name] for name in "fh"} == {"f": "http://e.org/f#", "h": "http://e.org/h#"}
