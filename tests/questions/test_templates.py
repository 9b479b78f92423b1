"""Templates give the same string in Python and in the database."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.questions.wording.nouns import kind_in_words
from kgprobe.questions.wording.templates import Slot, Template

NAMES = [
    "Emma",
    "",
    "O'Brien's \"Best\"",
    "{a} {0} %s %% $x ${b} \\n \\",
    "line\nbreak\r\n\ttab",
    "東京都",
    "القاهرة",
    "e\u0301 \u200b 🦆",
    "Apple Inc.",
    "...",
    "'; DROP TABLE names; --",
]
TEMPLATES = [
    Template((Slot("a"), " is the author of ", Slot("b"), ".")),
    Template(("Is ", Slot("a"), " the author of ", Slot("b"), "?")),
    Template((Slot("a"), " is ", Slot("b", "a-name"), ".")),
    Template(("It's {odd}: 100% \\ ${x}\n\x00 ünï 'quoted' ", Slot("a"), "")),
    Template((Slot("a"), Slot("a"), Slot("b"), ".")),
    Template(("no slot.",)),
    Template(()),
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_database_words_a_sentence_as_python_does(template: Template) -> None:
    connection = duckdb.connect(":memory:")
    connection.execute("CREATE TABLE pairs (a VARCHAR, b VARCHAR, b_kind VARCHAR)")
    rows = [(a, b, kind_in_words(b)) for a in NAMES for b in NAMES]
    connection.executemany("INSERT INTO pairs VALUES (?, ?, ?)", rows)
    columns = {Slot("a"): "a", Slot("b"): "b", Slot("b", "a-name"): "b_kind"}
    found = connection.execute(f"SELECT a, b, {template.sql(columns)} FROM pairs").fetchall()  # noqa: S608 - no input
    assert len(found) == len(NAMES) ** 2
    for a, b, worded in found:
        assert worded == template.text({"a": a, "b": b})


def test_a_name_that_ends_with_a_full_stop_ends_the_sentence() -> None:
    template = Template(("Tim leads ", Slot("a"), "."))
    assert template.text({"a": "Apple Inc."}) == "Tim leads Apple Inc."
    assert template.text({"a": "Apple"}) == "Tim leads Apple."


def test_names_are_never_read_as_slots() -> None:
    template = Template((Slot("a"), " of ", Slot("b")))
    assert template.text({"a": "{b}", "b": "{a}"}) == "{b} of {a}"


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PARTS = st.one_of(TEXTS, st.just("."), st.sampled_from([Slot("a"), Slot("b")]))
CONNECTION = duckdb.connect(":memory:")


@given(st.lists(PARTS, max_size=6), TEXTS, TEXTS)
def test_any_text_is_the_same_in_the_database(parts: list[str | Slot], a: str, b: str) -> None:
    template = Template(tuple(parts))
    query = f"SELECT {template.sql({Slot('a'): 'a', Slot('b'): 'b'})} FROM (SELECT ? AS a, ? AS b)"  # noqa: S608 - tested here
    assert CONNECTION.execute(query, [a, b]).fetchall() == [(template.text({"a": a, "b": b}),)]
