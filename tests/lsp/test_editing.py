"""Formatting, renaming and outlines of queries, on plain texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sparql.test_documents import EXPRESSIONS, GROUPS, QUERIES
from support.sparql_text import without_places

from kgprobe.errors import InputError
from kgprobe.lsp.editing import formatted
from kgprobe.lsp.scopes import Renaming, name_under, operations_in, prefixes_in
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.tokens import comments, tokens

ROOT = Path(__file__).parents[2]
PROLOGUE = "PREFIX : <u:> PREFIX p: <u:p/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"


def _texts() -> Iterator[str]:
    yield from (PROLOGUE + text for pair in QUERIES for text in pair)
    yield from (f"{PROLOGUE} SELECT * {{ {text} }}" for pair in GROUPS for text in pair)
    yield from (f"{PROLOGUE} SELECT * {{ ?s ?p ?o FILTER({text}) }}" for pair in EXPRESSIONS for text in pair)
    for folder in ("examples", "docs/files", "src/kgprobe"):
        for file in sorted((ROOT / folder).rglob("*.r[qu]")):
            yield file.read_text(encoding="utf-8")


def _readable() -> list[str]:
    found = []
    for text in dict.fromkeys(_texts()):
        try:
            read_document(text)
        except InputError:  # needs prefixes of a file, or is a template
            continue
        found.append(text)
    return found


READABLE = _readable()


def _check(text: str) -> None:
    after = formatted(text)
    assert formatted(after) == after, text
    assert without_places(read_document(after).operations) == without_places(read_document(text).operations), text
    kept = [text[start:end].rstrip() for start, end in comments(text)]
    assert [after[start:end] for start, end in comments(after)] == kept
    assert [token.text.upper() for token in tokens(after)] == [token.text.upper() for token in tokens(text)]
    assert not re.search(r"[ \t]$", after, re.MULTILINE) or '"""' in text or "'''" in text


def test_formatting_keeps_the_query_and_its_comments() -> None:
    assert len(READABLE) > 150
    for text in READABLE:
        _check(text)


_GAPS = st.sampled_from(["", " ", "  ", "\n", "\n\n", "\t", "\r\n", " # note\n", "\n# { note } .\n", "\n\n\n"])


@given(st.sampled_from(READABLE), st.lists(_GAPS, min_size=5, max_size=40))
def test_formatting_of_any_layout(text: str, gaps: list[str]) -> None:
    """Any white space and comments between the tokens that have some."""
    found = tokens(text)
    pieces = [text[: found[0].start]]
    for number, (token, following) in enumerate(zip(found, (*found[1:], None), strict=True)):
        end = len(text) if following is None else following.start
        gap = text[token.end : end]
        if gap or token.text in "{}.;,":
            gap += gaps[number % len(gaps)]
        pieces += [token.text, gap]
    changed = "".join(pieces)
    try:
        same = without_places(read_document(changed).operations) == without_places(read_document(text).operations)
    except InputError:  # a new gap has cut a name, such as one that ends in a dot
        return
    if same:
        _check(changed)


LAID_OUT = """\
PREFIX : <http://x/> # the menu

SELECT DISTINCT ?x (COUNT(?y) AS ?n) WHERE {
  ?x a :Pizza ;
    :p ?y, ?z . # trailing
  OPTIONAL {
    ?x :label ?l
    FILTER(LANG(?l) = "en")
  }
  {
    ?x :a ?b
  } UNION {
    SELECT ?x {
      ?x :c/:d* ?e
    }
    GROUP BY ?x
  }
  BIND(IF(?n > 3,
    "many",
    "few") AS ?t)
}
GROUP BY ?x
HAVING (COUNT(?y) > 3)
ORDER BY DESC(?n) LIMIT 10
"""
CRAMPED = """prefix : <http://x/> # the menu
select distinct ?x (count(?y) as ?n) where{?x a :Pizza;
:p ?y ,?z. # trailing
optional{?x :label ?l filter(lang(?l) = "en")}{?x :a ?b}union{select ?x{?x :c/:d* ?e}group by ?x}bind(if(?n > 3,
          "many",
     "few") as ?t)}group by ?x having(count(?y) > 3) order by desc(?n) limit 10"""


def test_the_layout() -> None:
    assert formatted(CRAMPED.replace("having(", "having (")) == LAID_OUT
    assert formatted(LAID_OUT) == LAID_OUT
    assert "\t?x a :Pizza ;\n\t\t:p" in formatted(LAID_OUT, "\t")
    assert formatted(LAID_OUT.replace("\n", "\r\n")) == LAID_OUT.replace("\n", "\r\n")


def test_a_text_that_is_not_sparql_is_not_formatted() -> None:
    with pytest.raises(InputError):
        formatted("SELECT * WHERE { ?s ?p ")


# -- names -------------------------------------------------------------------------------------------------------------

NESTED = """PREFIX a: <u:>
SELECT ?x ?n WHERE {
  ?x a:p ?y .
  { SELECT ?x (MAX(?z) AS ?n) { ?x a:q ?y , ?z FILTER EXISTS { ?y a:r $z } } GROUP BY ?x }
  FILTER(?y > 1)
}"""


def _renamed(text: str, at: int, wanted: str) -> str:
    name = name_under(text, at)
    assert name is not None
    change = Renaming.of(name, wanted)
    for place in reversed(change.places):
        text = text[: place.start] + change.text + text[place.end :]
    return text


def test_a_variable_of_a_subquery_is_its_own() -> None:
    outer = _renamed(NESTED, NESTED.index("?y"), "?age")
    assert outer.count("?age") == 2
    assert "?x a:q ?y , ?z FILTER EXISTS { ?y" in outer
    inner = _renamed(NESTED, NESTED.index("?y ,"), "y2")
    assert "?x a:q ?y2 , ?z FILTER EXISTS { ?y2" in inner
    assert "FILTER(?y > 1)" in inner
    assert _renamed(NESTED, NESTED.index("$z"), "$high").count("high") == 3
    assert _renamed(NESTED, NESTED.rindex("?x"), "dish").count("?dish") == 5
    assert _renamed(NESTED, NESTED.index("?n"), "m").count("?m") == 2


def test_all_variables_of_a_subquery_that_selects_everything_are_shared() -> None:
    text = "SELECT ?y { { SELECT * { ?x ?y ?z } } FILTER(?z > 1) }"
    assert _renamed(text, text.index("?z"), "n").count("?n") == 2


def test_updates_have_variables_of_their_own() -> None:
    text = "DELETE { ?s ?p 1 } INSERT { ?s ?p 2 } WHERE { ?s ?p 1 } ; DELETE WHERE { ?s ?q 3 }"
    assert _renamed(text, text.index("?s"), "thing").count("?thing") == 3


@pytest.mark.parametrize(
    ("place", "wanted", "told"),
    [
        ("?y", "x", "?x is another variable here"),
        ("?x", "?z", "?z is another variable here"),  # only the subquery has it, but there ?x is the same
        ("?y", "a b", "'a b' is not a name for a variable"),
        ("?y", "", "is not a name for a variable"),
        ("a:p", "9:", "is not a name for a prefix"),
    ],
)
def test_names_that_cannot_be_given(place: str, wanted: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        _renamed(NESTED, NESTED.index(place), wanted)


def test_a_name_that_only_another_scope_has_can_be_given() -> None:
    """?y outside is not the ?z of the subquery, which does not select it."""
    assert _renamed(NESTED, NESTED.index("?y"), "z").count("?z") == 4


def test_a_prefix_is_renamed_with_its_declaration() -> None:
    text = NESTED.replace("PREFIX a:", "# a:p\nPREFIX a:").replace("?y > 1", '?y > "a:b"')
    found = _renamed(text, text.index("a:q"), "menu:")
    for written in ("a: <u:>", " a:p ?y", " a:q", " a:r"):
        text = text.replace(written, written.replace("a:", "menu:"))
    assert found == text
    assert _renamed(found, found.index("menu: <"), "") == text.replace("menu:", ":")
    with pytest.raises(InputError, match="b: is another prefix here"):
        _renamed("PREFIX a: <u:> PREFIX b: <v:> ASK { a:x b:y 1 }", 7, "b")


def test_nothing_is_renamed_where_names_have_escapes() -> None:
    text = "SELECT ?a { ?\\u0061 ?b ?c }"
    read_document(text)
    assert name_under(text, text.index("?a")) is None


def _variables(text: str) -> list[tuple[int, str]]:
    return [(token.start, token.text[1:]) for token in tokens(text) if token.kind == "variable"]


@given(st.sampled_from([text for text in READABLE if "?" in text]), st.integers(0, 50))
def test_renaming_keeps_the_query(text: str, number: int) -> None:
    """Renamed to a new name and back, a text is the same; and the renamed query has the same shape."""
    found = _variables(text)
    if not found:
        return
    start, name = found[number % len(found)]
    changed = _renamed(text, start, "kgprobe_new")
    assert [each for _, each in _variables(changed)] != [each for _, each in found]
    read_document(changed)
    assert _renamed(changed, changed.index("kgprobe_new"), name) == text


def test_an_outline_has_operations_and_subqueries() -> None:
    assert [(prefix, iri) for prefix, iri, _, _ in prefixes_in(NESTED)] == [("a:", "<u:>")]
    [query] = operations_in(NESTED)
    assert query.title == "SELECT ?x ?n"
    assert NESTED[query.whole.start : query.whole.end].startswith("SELECT ?x ?n")
    assert [inner.title for inner in query.inner] == ["SELECT ?x (MAX(?z) AS ?n)"]
    updates = operations_in("INSERT DATA { <u:a> <u:b> 1 } ;\nDELETE WHERE { ?s ?p ?o } ;")
    assert [update.title for update in updates] == ["INSERT DATA", "DELETE"]
