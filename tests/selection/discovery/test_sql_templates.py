"""Texts that differ only in their constants are parsed once, and read as if each were parsed by itself."""

from __future__ import annotations

import re
from random import Random

import pytest

from kgprobe.selection.discovery.sql_files import SqlTexts
from kgprobe.selection.discovery.sql_templates import split
from kgprobe.selection.warehouse.catalogue import Catalogue
from kgprobe.selection.warehouse.reads import TablesUse
from kgprobe.selection.warehouse.sql.reader import read_statements

from ..warehouse.random_sql import Statements, definitions
from .finding import vocabulary


@pytest.mark.parametrize("dialect", ["duckdb", None])
def test_each_text_is_read_as_if_alone(dialect: str | None) -> None:
    random = Random(7)
    statements = Statements(random)
    catalogue = Catalogue.of([("schema.sql", ";\n".join(definitions()))], "duckdb")
    texts = SqlTexts(vocabulary(), catalogue, dialect)
    shared = 0
    for _ in range(60):
        text = ";\n".join(statements.statement())
        for _ in range(3):
            shared += split(text) is not None
            alone = read_statements(text, catalogue, dialect)
            found = texts.read(text)
            uses = [use for use in found.uses if isinstance(use, TablesUse)]
            assert [use.sources for use in uses] == [use.sources for use in alone.uses], text
            assert all(use.text.rstrip("…") in other.text for use, other in zip(uses, alone.uses, strict=True))
            assert len(found.unseen) == min(5, len(alone.problems))
            text = re.sub(r"'(\w+)'", lambda _: f"'{random.choice(['A', 'B', 'Ab', 'Other', '%'])}'", text)
    assert shared > 100


@pytest.mark.parametrize(
    "text",
    [
        r"SELECT 'a\'b'",
        "SELECT $$a$$",
        "SELECT E'a'",
        "SELECT 'a",
        'SELECT "a',
        "SELECT 1 /* 'a /* ' */ */",
        "SELECT 'a'\n 'b'",
    ],
)
def test_texts_whose_strings_are_not_clear(text: str) -> None:
    assert split(text) is None


def test_comments_do_not_count() -> None:
    first, second = split("SELECT 'a' -- it's one\n, \"it's\""), split("SELECT 'b'\n, \"it's\"")
    assert first is not None
    assert second is not None
    assert first.text.split() == second.text.split()
    assert (first.constants, second.constants) == (("a",), ("b",))
