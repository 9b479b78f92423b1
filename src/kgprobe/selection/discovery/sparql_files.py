"""Files with a SPARQL query: one test each."""

from __future__ import annotations

from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.regimes import stated_regime
from kgprobe.selection.discovery.search import Search
from kgprobe.selection.tests import Test

__all__ = ["SUFFIXES", "query_test", "sparql_test"]

SUFFIXES = (".rq", ".sparql")


def sparql_test(found: TestFile, search: Search) -> Test:
    """The test that a file with a query is."""
    return query_test(found.name, "sparql", found.file, search, search.neighbours.expected(found))


def query_test(name: str, kind: str, file: Path, search: Search, expected: Path | None) -> Test:
    """A test that asks the query of a file. If the file cannot be read, the test says why."""
    try:
        text = exact_text(file)
    except InputError as error:
        what = "it" if kind == "sparql" else "its query"
        reason = f"cannot see what this test uses: {what} {error.message}"
        return Test(name, kind, unseen=(reason,), file=file, expected=expected)
    query = text.removeprefix("\ufeff")
    reading = search.queries.read(query)
    return Test(
        name,
        kind,
        uses=reading.uses,
        unseen=reading.unseen,
        file=file,
        line=1,
        mentions=reading.mentions(file, len(text) - len(query)),
        patterns=reading.patterns,
        queries=reading.queries,
        regime=stated_regime(text, name, search.note),
        expected=expected,
    )
