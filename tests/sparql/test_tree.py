"""The syntax tree: the grammar loads late and without a warning, and offsets count characters."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.errors import InputError, Position
from kgprobe.rdf.terms import XSD
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.reading import Query, read_query
from kgprobe.sparql.traversal import triples_within
from kgprobe.sparql.tree import Node, parse


def test_the_command_line_does_not_load_the_grammar() -> None:
    script = "import sys, kgprobe.cli, kgprobe.sparql.reading; print([m for m in sys.modules if 'tree_sitter' in m])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"


def test_loading_the_grammar_gives_no_warning() -> None:
    script = "from kgprobe.sparql.tree import parse; print(parse('ASK { }').broken)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "None"


def nodes(found: list[Node]) -> list[Node]:
    return [each for node in found for each in (node, *nodes(node.children))]


@pytest.mark.parametrize("text", ["SELECT * { ?x <a:é> 'é😀' , ?ü }", "SELECT * { ?x <a:e> 'e\\u00e9' , ?u }"])
def test_offsets_are_characters(text: str) -> None:
    found = {node.kind: text[node.start : node.end] for node in nodes(parse(text).parts)}
    assert found["var"] == text[-4:-2]
    assert found["iri_reference"] == text[14:19]
    assert found["rdf_literal"] == text[20 : text.index(" ,")]


def test_a_broken_text_has_a_position_and_no_parts() -> None:
    tree = parse("SELECT * { ?x ?y ?z } }")
    assert (tree.parts, tree.iris, tree.broken) == ([], [], 22)


def read_or_refused(text: str) -> Query | Position | None:
    """The query, or the position of the mistake."""
    try:
        return read_query(text, "random.rq", {"": "http://example.org/", "xsd": XSD.iri})
    except InputError as error:
        return error.where


_PIECES = [
    *(
        "SELECT",
        "ASK",
        "DESCRIBE",
        "CONSTRUCT",
        "WHERE",
        "OPTIONAL",
        "FILTER",
        "UNION",
        "VALUES",
        "BIND",
        "AS",
        "EXISTS",
    ),
    *("PREFIX", "BASE", "GROUP BY", "UNDEF", "*", "?x", "{", "}", "(", ")", "[", "]", "<a:b>", ":c", ":", "a", "1"),
    *("'é'", '"""', "'", "#", "\n", ".", ";", ",", "&&", "!", "=", "<", "/", "|", "^", "\\", "\\u00e9", "😀"),
    *("\ud800", "\x00"),
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=25).map(" ".join))
def test_no_text_crashes_the_parser(text: str) -> None:
    found = read_or_refused(text)
    if isinstance(found, Query):
        assert found.form in text
    else:
        assert found is not None
        assert found.file == "random.rq"


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_an_incomplete_query_does_not_crash_the_parser(data: st.DataObject) -> None:
    text = (
        "PREFIX : <http://e/> BASE <http://b/> SELECT ?x (SUM(?y) AS ?n) FROM <g> { ?x a/:p* [ :q (1 'é'@en) ] ; :r 1 "
        "OPTIONAL { ?x :s ?y FILTER(?y IN (:a, <b>) && !EXISTS { ?y !(:t|^:u) 1.5 }) } VALUES (?x ?y) { (:a UNDEF) } "
        "BIND(IF(?y = 1, xsd:integer(?y), 2) AS ?z) } GROUP BY ?x HAVING (COUNT(*) > 1) ORDER BY ?x LIMIT 3"
    )
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    found = read_or_refused(text[:start] + text[end:])
    assert isinstance(found, Query | Position)
    if start == end:
        assert isinstance(found, Query)
        assert not found.unseen


_OBJECTS = (
    "?o",
    "[ :a/:b ?o ]",
    "[ :c ?o ; :d [ ^:e ?i ; :f [ :g* 'x]' ] ] ]",
    "( 1 [ :h+ ?k ] )",
    "[] , [ :j|:k ?l # ]\n ]",
)


@pytest.mark.parametrize("one", _OBJECTS)
@pytest.mark.parametrize("other", _OBJECTS)
@pytest.mark.parametrize(
    "group", ["{ %s }", "{ { ?z a 1 } UNION { %s . ?z :y [ :w ?v ] } }", "{ FILTER EXISTS { %s } }"]
)
def test_paths_in_brackets_after_a_semicolon(one: str, other: str, group: str) -> None:
    """They are the same triples as in two statements, and each is at its place."""

    def triples(statements: str) -> list[str]:
        document = read_document(f"PREFIX : <urn:> SELECT * {group % statements}")
        assert [document.text[term.start : term.end] for term in document.terms] == [t.written for t in document.terms]
        return [str(triple[:3]) for triple in triples_within(document.operations)]

    assert triples(f"?s :p {one} ; :q {other} ; a ?t") == triples(f"?s :p {one} . ?s :q {other} . ?s a ?t")


def test_a_mistake_in_a_bracket_is_at_its_place() -> None:
    with pytest.raises(InputError) as caught:
        read_document("PREFIX : <urn:>\nASK { ?s :p 1 ;\n :q [ :a/:b ] }")
    assert caught.value.where is not None
    assert caught.value.where.line == 3
