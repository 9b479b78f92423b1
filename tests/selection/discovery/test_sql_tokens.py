"""SQL, token by token."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.selection.discovery.sql_tokens import (
    Kind,
    SqlToken,
    UnclearSqlError,
    constants,
    has_unclear_quotes,
    tokens,
)


def strings(text: str) -> list[str]:
    return [token.text for token in tokens(text) if token.kind is Kind.STRING]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT 'a', 'b''c'", ["a", "b'c"]),
        ("-- 'no'\nSELECT 'yes'", ["yes"]),
        ("/* 'no' */ SELECT 'yes' -- 'no'", ["yes"]),
        ("# don't\nSELECT 'yes'", ["yes"]),
        ("SELECT $$it's$$, $tag$a $$ b$tag$", ["it's", "a $$ b"]),
        (r"SELECT E'a\'b\x41\101\u0042\n', e'c'", ["a'bAAB\n", "c"]),
        ("SELECT N'name', x'ff'", ["name", "ff"]),
        ("SELECT \"column's\", 'a'", ["a"]),
        ("SELECT `it's`, 'a'", ["a"]),
        ("SELECT [Order Type], ARRAY['a','b']", ["a", "b"]),
        ("SELECT json #> '{a}', x->>'b'", ["{a}", "b"]),
        ("a LIKE 'x!%' ESCAPE '\\'", ["x!%", "\\"]),
    ],
)
def test_strings(text: str, found: list[str]) -> None:
    assert strings(text) == found


@pytest.mark.parametrize(
    "text",
    ["SELECT 'a", 'SELECT "a', "SELECT /* a", "SELECT $$a", "/* a /* b */ */", "SELECT 1 # don't", r"SELECT U&'\0041'"],
)
def test_ambiguous_or_unterminated_texts_are_errors(text: str) -> None:
    with pytest.raises(UnclearSqlError):
        list(tokens(text))


def test_a_backslash_before_a_quote_depends_on_the_dialect() -> None:
    text = r"SELECT 'it\'s', 'b'"
    assert has_unclear_quotes(text)
    assert not has_unclear_quotes(r"x LIKE 'a!%' ESCAPE '\'")
    found = [token.text for token in tokens(text, with_backslashes=True) if token.kind is Kind.STRING]
    assert found == ["it's", "b"]
    with pytest.raises(UnclearSqlError):
        list(tokens(text))


@pytest.mark.parametrize(
    "place",
    ["?", ":name", ":'name'", "%s", "%(name)s", "$1", "{x}", "{}", "{{ x }}", "{% if %}", "@name", "${x}", "&x"],
)
def test_placeholders_for_values(place: str) -> None:
    assert any(token.kind is Kind.PLACE for token in tokens(f"x = {place}"))


@pytest.mark.parametrize("text", ["a::text", "a[1:2]", "x := 1", "'{x}'", "'%s'", "a % 5", "e@>f", "b ?| c"])
def test_signs_that_are_not_placeholders(text: str) -> None:
    assert not any(token.kind is Kind.PLACE for token in tokens(text))


_said = st.text(alphabet="ab'\" -/*;%é\n", max_size=6)
_between = st.sampled_from([" , ", " = x AND y <> ", " ( ", " ) OR z IN (", "\n-- it's\n,"])


@given(st.lists(st.tuples(_between, _said), max_size=6))
def test_strings_are_found_in_any_quotes(parts: list[tuple[str, str]]) -> None:
    text = "SELECT 1"
    for between, said in parts:
        quoted = said.replace("'", "''")
        text += f"{between}'{quoted}'"
    found = list(tokens(text))
    assert [token.text for token in found if token.kind is Kind.STRING] == [said for _, said in parts]
    check_places(text, found)
    simple = constants(text)
    if simple is not None:
        assert simple == [token for token in found if token.kind in (Kind.STRING, Kind.QUOTED)]


def test_simple_texts_take_the_fast_path() -> None:
    text = "SELECT a FROM b WHERE term='VeggiePizza' AND \"x\" <> 'it''s' -- ok\n;"
    simple = constants(text)
    assert simple is not None
    assert [(token.text, token.is_plain) for token in simple] == [("VeggiePizza", True), ("x", True), ("it's", False)]
    for unusual in ("E'a'", "'a' 'b'", "'a", "a || 'b'", "'a' /* b */", ":x", "?", "'a\\'"):
        assert constants(f"SELECT {unusual}") is None


@given(st.text(alphabet="aE'\"`$[]{}%:?@#/*-\\|~+(),;LIKE \n0", max_size=60))
def test_any_text_has_tokens_or_is_unclear(text: str) -> None:
    found, unclear = read(text)
    check_places(text, found)
    assert [token.start for token in found] == sorted(token.start for token in found)
    assert unclear is None or 0 <= unclear <= len(text)


def read(text: str) -> tuple[list[SqlToken], int | None]:
    """The tokens of a text, up to the place where it is unclear."""
    found = []
    try:
        for token in tokens(text):
            found.append(token)
    except UnclearSqlError as problem:
        return found, problem.place
    return found, None


def check_places(text: str, found: list[SqlToken]) -> None:
    for token in found:
        if token.is_plain:
            assert text[token.start : token.end] == token.text


@given(st.lists(st.text(alphabet="ab'\"-", max_size=5), min_size=1, max_size=4))
def test_strings_agree_with_sqlite(said: list[str]) -> None:
    """A constant has the same value as in SQLite."""
    text = "SELECT " + ", ".join("'" + each.replace("'", "''") + "' -- it's\n" for each in said)
    database = sqlite3.connect(":memory:")
    row = database.execute(text).fetchone()
    database.close()
    assert list(row) == strings(text) == said


@pytest.mark.parametrize("part", ["{%", "#x", " #'", "?\n", "$a$", "'%", "/*", "(", "E'\\"])
def test_hostile_texts_are_not_slow(part: str) -> None:
    """A scan of the rest of the text for each token would read a billion characters."""
    text = part * (60_000 // len(part))
    found, unclear = read(text)
    assert len(found) <= len(text)
    assert found or unclear is not None or "#" in part
