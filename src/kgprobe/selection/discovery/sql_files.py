"""Files with SQL: one test each, however many statements they have."""

from __future__ import annotations

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.regimes import stated_regime
from kgprobe.selection.discovery.search import Search
from kgprobe.selection.discovery.sql_texts import read_sql
from kgprobe.selection.tests import Test

__all__ = ["SUFFIXES", "sql_test"]

SUFFIXES = (".sql",)


def sql_test(found: TestFile, search: Search) -> Test | None:
    """The test that a file with SQL is; None if it names no term, and the user says that this makes it none."""
    file = found.file
    expected = search.neighbours.expected(found)
    try:
        text = exact_text(found.path)
    except InputError as error:
        reason = f"cannot see what this test uses: it {error.message}"
        return Test(found.name, "sql", unseen=(reason,), file=file, expected=expected)
    reading = read_sql(text, search.vocabulary)
    if reading.is_about_nothing and not search.options.sql_without_terms:
        return None
    return Test(
        found.name,
        "sql",
        uses=reading.uses,
        unseen=reading.unseen,
        file=file,
        line=1,
        mentions=reading.mentions(file),
        regime=stated_regime(text, found.name, search.note),
        expected=expected,
    )
