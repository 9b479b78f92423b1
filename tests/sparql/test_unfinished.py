"""Unfinished texts: while somebody types, the parts around the mistake can still be read."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sparql_text import document_text

from kgprobe.sparql.algebra import Document, Modify, PlacedTriple, QueryTree, Span
from kgprobe.sparql.documents import read_document
from sparql.test_documents import parts

PROLOGUE = "PREFIX ex: <u:>\n"


def read(text: str) -> Document:
    return read_document(text, "typed.rq", tolerant=True)


# A text that somebody types, and a text with the parts that can be read.
UNFINISHED = [
    ("SELECT * {\n ?x a ex:C .\n ?x ex:p \n}", "SELECT * { ?x a ex:C }"),
    (
        "SELECT * {\n ?x a ex:C .\n ?x ex:p \n ?y ex:q ?z .\n ?z ex:r 1 }",
        "SELECT * { ?x a ex:C . ?y ex:q ?z . ?z ex:r 1 }",
    ),
    ("SELECT * {\n ?x a ex:C\n ?x ex:p 1 .\n ?x ex:q 2 }", "SELECT * { ?x a ex:C . ?x ex:p 1 . ?x ex:q 2 }"),
    ("SELECT * { ?x a ex:C ; ex:p ; ex:q ?y . ?y ex:r 1 }", "SELECT * { ?x a ex:C ; ex:q ?y . ?y ex:r 1 }"),
    ("SELECT * { ?x a ex:C ; ex:p }", "SELECT * { ?x a ex:C }"),
    ("SELECT * { ?x a ex:C . ?x ", "SELECT * { ?x a ex:C }"),
    ("SELECT * { ?x a ex:C . ?x ?", "SELECT * { ?x a ex:C }"),
    ("SELECT * { ?x a ex:C . FI }", "SELECT * { ?x a ex:C }"),
    ("SELECT * { ?x a ex:C . FILTER(?x > ) ?x ex:p 1 }", "SELECT * { ?x a ex:C . ?x ex:p 1 }"),
    ("SELECT * { ?x a ex:C . FILTER(?x > \n ?x ex:p 1 }", "SELECT * { ?x a ex:C . ?x ex:p 1 }"),
    ("SELECT * { ?x a ex:C . BIND(1 + AS ?y) ?x ex:p ?y }", "SELECT * { ?x a ex:C . ?x ex:p ?y }"),
    ("SELECT * { ?x a ex:C . OPTIONAL { ?x ex:p ?y . ?y ", "SELECT * { ?x a ex:C OPTIONAL { ?x ex:p ?y } }"),
    ("SELECT * { { ?x ex:p 1 } UNION { ?x ex: } }", "SELECT * { { ?x ex:p 1 } UNION { } }"),
    ("SELECT * { FILTER NOT EXISTS { ?x ex:p ] } ?x ex:q 1 }", "SELECT * { FILTER NOT EXISTS { } ?x ex:q 1 }"),
    ('SELECT * { ?x a ex:C . ?x ex:n "abc . \n ?x ex:p 1 }', "SELECT * { ?x a ex:C . ?x ex:p 1 }"),
    ("SELECT * { ?x a ex:C . ?x <u://a.b#c ?y . \n ?x ex:p 1 }", "SELECT * { ?x a ex:C . ?x ex:p 1 }"),
    ("SELECT * { ?x a ex:C }}", "SELECT * { ?x a ex:C }"),
    ("SELECT * { ?x a ex:C } ORDER BY ", "SELECT * { ?x a ex:C }"),
    ("SELECT * { ?x a ex:C } ORDER BY LIMIT 3", "SELECT * { ?x a ex:C } LIMIT 3"),
    ("SELECT ?x WHERE", "SELECT ?x { }"),
    ("SELECT ?x (COUNT( { ?x a ex:C }", "SELECT * { ?x a ex:C }"),
    ("PREFIX foo: \nSELECT * { ?x a ex:C }", "SELECT * { ?x a ex:C }"),
    ("CONSTRUCT { ?x ex:p } { ?x a ex:C }", "CONSTRUCT { } { ?x a ex:C }"),
    ("INSERT DATA { ex:a ex:b ex:c . ex:d ex:e ", "INSERT DATA { ex:a ex:b ex:c }"),
    (
        "DELETE { ?x ex:p } INSERT { ?x ex:q 1 } WHERE { ?x a ex:C }",
        "DELETE { } INSERT { ?x ex:q 1 } WHERE { ?x a ex:C }",
    ),
    (
        "CLEAR ALL ; INSERT DATA { ex:a ex:b ex:c . ex:d } ; CLEAR ALL",
        "CLEAR ALL ; INSERT DATA { ex:a ex:b ex:c } ; CLEAR ALL",
    ),
    ("hello world", ""),
]


@pytest.mark.parametrize(("typed", "readable"), UNFINISHED)
def test_the_rest_is_read(typed: str, readable: str) -> None:
    found = read(PROLOGUE + typed)
    assert document_text(found) == document_text(read(PROLOGUE + readable))
    assert found.text == PROLOGUE + typed
    assert found.broken is not None


def test_a_finished_text_is_not_broken() -> None:
    text = f"{PROLOGUE}SELECT * {{ ?x a ex:C }}"
    assert read(text) == read_document(text)
    assert read(text).broken is None


def test_an_undeclared_prefix() -> None:
    text = "SELECT * { ?x a foo:C . ?y <u:p> ?x }"
    found = read(text)
    assert found.broken == text.index("foo:")
    triples = [part for part in parts(found.operations) if isinstance(part, PlacedTriple)]
    assert [text[slice(*triple.span)] for triple in triples] == ["?x a foo:C", "?y <u:p> ?x"]
    assert [term.written for term in found.terms] == ["<u:p>"]


def test_rules_beyond_the_grammar() -> None:
    text = "SELECT * { ?x ?y ?z BIND(1 AS ?z) }"
    found = read(text)
    assert found.broken is not None
    [query] = found.operations
    assert isinstance(query, QueryTree)
    assert query.where is not None
    assert len(query.where.elements) == 2


def test_comments_in_a_broken_part_are_kept() -> None:
    text = "# one\nSELECT * { ?x # two\n ?y # three { \n } # four"
    assert [text[slice(*comment)] for comment in read(text).comments] == ["# one", "# two", "# three { ", "# four"]


@pytest.mark.parametrize("text", ["ASK {" + "{" * 500, "ASK { FILTER(" + "1+" * 500, "\ud800 SELECT", "'" * 30_000])
def test_hostile_texts(text: str) -> None:
    before = time.process_time()
    assert read(text).broken is not None
    assert time.process_time() - before < 5


LONG = """# kgprobe: ontology people.ttl
PREFIX ex: <http://example.org/ns#>
SELECT DISTINCT ?person (COUNT(?friend) AS ?friends) WHERE {
  ?person a ex:Person ;
    ex:name "Ann"@en , 'Bob' ;
    ex:age ?age .
  FILTER(?age >= 18 && ?age < 65)
  OPTIONAL { ?person ex:knows+ ?friend . FILTER NOT EXISTS { ?friend a ex:Bot } }
  { ?person ex:lives ex:Here } UNION { ?person ^ex:home [ ex:in (1 2) ] }
  VALUES ?kind { ex:A UNDEF }
  BIND(IF(?age > 30, "old", "young") AS ?group)
}
GROUP BY ?person
HAVING (COUNT(?friend) > 2)
ORDER BY DESC(?friends) LIMIT 10
"""


def assert_consistent(found: Document, text: str) -> None:
    """All places are in the text, and inner parts are inside outer ones."""
    assert found.text == text
    for part in parts(found.operations):
        assert isinstance(part.span, Span)
        assert 0 <= part.span.start <= part.span.end <= len(text)
    for term in found.terms:
        assert text[term.start : term.end] == term.written


def triples(found: Document) -> int:
    return sum(isinstance(part, PlacedTriple) for part in parts(found.operations))


def test_a_text_is_typed() -> None:
    whole = triples(read(LONG))
    assert whole == 13
    counts = [0]
    for end in (*range(0, len(LONG), 5), len(LONG)):
        found = read(LONG[:end])
        assert_consistent(found, LONG[:end])
        counts.append(triples(found))
        # While the last statement is typed, those before it stay.
        assert counts[-1] >= max(counts) - 6
    assert counts[-1] == whole


def test_a_character_is_missing_or_wrong() -> None:
    lost = []
    for place in range(0, len(LONG), 7):
        for inserted in ("", "}", "("):
            text = LONG[:place] + inserted + LONG[place + (not inserted) :]
            found = read(text)
            assert_consistent(found, text)
            lost.append(13 - triples(found))
    assert sum(lost) / len(lost) < 3


_INSERTED = st.sampled_from(["", "}", "{", "(", ")", '"', ".", ";", "?", "ex:", "\n", "SELECT ", "# "])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(LONG)), _INSERTED), max_size=6), st.integers(0, 8))
def test_random_edits(edits: list[tuple[int, str]], removed: int) -> None:
    text = LONG
    for place, inserted in edits:
        text = text[:place] + inserted + text[place + removed :]
    assert_consistent(read(text), text)


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text(text: str) -> None:
    assert_consistent(read(text), text)


def test_updates_have_both_sides() -> None:
    [found] = read("DELETE { ?x <u:p> 1 } INSERT { ?x <u:q> } WHERE { ?x <u:p> 1 }").operations
    assert isinstance(found, Modify)
    assert len(found.deleted[0].triples) == 1
