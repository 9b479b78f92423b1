"""Texts that could break a parser: each is read or refused quickly."""

from __future__ import annotations

import inspect
import sys

import pytest

from kgprobe.errors import InputError, Position
from kgprobe.sparql.pyoxigraph import check_limits
from kgprobe.sparql.reading import looks_like_query, read_query
from kgprobe.sparql.uses import TripleUse

MANY = 10_000
# Nested syntax: the start, a repeated opening, the core, a repeated closing, the end.
NESTED = {
    "groups": ("", "{", "", "}", ""),
    "optional": ("", "{ OPTIONAL {", "", "} }", ""),
    "selects": ("", "{ SELECT * {", "", "} }", ""),
    "exists": ("", "{ FILTER EXISTS {", "", "} }", ""),
    "exists in brackets": ("", "{ FILTER(!(EXISTS {", "", "} ) ) }", ""),
    "blank nodes": ("{ ?x <a:p> ", "[ <a:p> (", "1", ") ]", "}"),
    "functions": ("{ FILTER(", "STR(1 + (", "1", "))", ") }"),
    "paths": ("{ ?x ", "(<a:p>/(<a:q>|", "<a:r>", ")*)+", " ?y }"),
    "triple terms": ("{ ?x <a:p> ", "<<( ?x <a:p> ", "1", ")>>", "}"),
}


def nested(kind: str, depth: int) -> str:
    before, opening, core, closing, behind = NESTED[kind]
    return f"SELECT * {before}{opening * depth}{core}{closing * depth}{behind}"


@pytest.mark.parametrize("kind", NESTED)
def test_deep_brackets(kind: str) -> None:
    opening = NESTED[kind][1]
    levels = sum(map(opening.count, "{([")) + opening.count("<<")
    for depth in (1, 10, 95 // levels):
        read_query(nested(kind, depth))
    for depth in (101, MANY):
        with pytest.raises(InputError, match="brackets are nested more than 100 levels deep"):
            read_query(nested(kind, depth))


def test_the_deepest_brackets_need_no_deep_stack() -> None:
    limit = sys.getrecursionlimit()
    depth = len(inspect.stack())
    read = {}
    try:
        sys.setrecursionlimit(depth + 420)
        for kind in NESTED:
            opening = NESTED[kind][1]
            levels = sum(map(opening.count, "{([")) + opening.count("<<")
            read[kind] = read_query(nested(kind, 95 // levels))
    finally:
        sys.setrecursionlimit(limit)
    assert len(read) == len(NESTED)
    shallow = {kind: read_query(nested(kind, 1)) for kind in NESTED}
    assert {kind: bool(query.unseen) for kind, query in read.items()} == {
        kind: bool(query.unseen) for kind, query in shallow.items()
    }
    assert [kind for kind, query in read.items() if not query.unseen and not query.uses] == [
        kind for kind, query in shallow.items() if not query.unseen and not query.uses
    ]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { FILTER(" + "!" * MANY + "true) }",
        "SELECT * { FILTER(" + "! " * MANY + "true) }",
        "SELECT * { FILTER(" + "1<((2>(" * MANY + ") }",
        "SELECT * " + "{" * MANY,
        "SELECT * { ?x ?y " + "<<" * MANY,
        "SELECT * { {} " + "UNION {}" * 200 * MANY + "}",
        "SELECT * { {} " + "UNION{}" * 2 * MANY + "}",
        "SELECT * { ?x <a:p>" + "/<a:p>" * 2 * MANY + " ?y }",
        "SELECT * { ?x <a:p>" + "|<a:p>" * 2 * MANY + " ?y }",
        "SELECT * { FILTER(1" + "||1" * 2 * MANY + ") }",
        "SELECT * { ?x ?y '" + "x" * 100 * MANY + "' }",
        "SELECT * { ?x ?y " + "'" * MANY,
        "SELECT * { ?x ?y " + '"' * MANY + "((((",
        "SELECT * { ?x ?y " + "<" * MANY,
        "SELECT * { ?x ?y " + "\\" * MANY,
        "\x00" * MANY,
        ")" * MANY + "(" * MANY,
    ],
    ids=lambda text: text[:30] + text[-5:],
)
def test_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_query(text)
    looks_like_query(text)


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("SELECT * { " + "?x <a:p> ?y .\n" * 2000 + "}", 2000),
        ("SELECT * { " + "?x <a:p> ?y FILTER(?x > 1 && ?x != ?y)\n" * 1000 + "}", 1000),
        ("SELECT * { ?x <a:p> ?y FILTER(?x = 1" + " && ?y != ?x" * 3000 + ") }", 1),
        ("SELECT * { ?x <a:p> ?y FILTER(?x = <a:a>" + " || ?x = <a:b>" * 3000 + ") }", 1),
        ("SELECT * { ?x <a:p> ?y FILTER(?x = 1" + " + 1" * 3000 + ") }", 1),
        ("SELECT * { ?x <a:p>" + "/<a:p>" * 3000 + " ?y }", 3001),
        ("SELECT * { ?x <a:p>" + "|<a:p>/<a:q>" * 2000 + " ?y }", 4001),
        ("SELECT * { ?x ?y (" + " 1" * 2000 + ") }", 4001),
        ("SELECT * { ?x ?y ?z VALUES (?x ?u) { " + "(<a:b> UNDEF)" * 3000 + "} }", 1),
        ("SELECT * { " + "OPTIONAL { ?x ?y ?z }" * 2000 + "}", 2000),
        ("SELECT * { " + "?x ?y '\\u00e9' .\n" * 2000 + "}", 2000),
        ("SELECT * { ?x ?y <http://a/" + "(b)" * 200 + "> , <http://a/(> }", 2),
        ("SELECT * { ?x ?y " + " , ".join(f"<http://a/{n}_(b)>" for n in range(300)) + " }", 300),
        ("SELECT * { ?x ?y '" + "({[" * 2000 + "' # " + "({[" * 200 + "\n}", 1),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_long_and_harmless(text: str, uses: int) -> None:
    query = read_query(text)
    assert (len(query.uses), query.unseen) == (uses, ())


def test_the_position_of_a_part_that_is_too_deep() -> None:
    with pytest.raises(InputError) as raised:
        check_limits("SELECT *\n" + "{" * 100 + "\n  { }", "deep.rq")
    assert raised.value.where == Position("deep.rq", 3, 3)


def test_brackets_in_strings_and_comments_do_not_count() -> None:
    text = "SELECT * { ?x ?y " + " , ".join(["'((('", '"""(\n((\'"""', "'\\'('"] * 100) + " } # ((("
    [use, *_] = read_query(text).uses
    assert isinstance(use, TripleUse)
