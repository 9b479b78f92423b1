"""Files with a SPARQL query: one test each."""

from __future__ import annotations

from kgprobe.errors import InputError
from kgprobe.selection.discovery.files import TestFile, read_text
from kgprobe.selection.discovery.regimes import stated_regime
from kgprobe.selection.discovery.search import Search
from kgprobe.selection.tests import Test

__all__ = ["SUFFIXES", "sparql_test"]

SUFFIXES = (".rq", ".sparql")


def sparql_test(found: TestFile, search: Search) -> Test:
    """The test that a file with a query is. If it cannot be read, the test says why."""
    file = found.file
    expected = search.neighbours.expected(found)
    try:
        text = read_text(found.path)
    except InputError as error:
        reason = f"cannot see what this test uses: it {error.message}"
        return Test(found.name, "sparql", unseen=(reason,), file=file, expected=expected)
    query = text.removeprefix("\ufeff")
    reading = search.queries.read(query)
    return Test(
        found.name,
        "sparql",
        uses=reading.uses,
        unseen=reading.unseen,
        file=file,
        line=1,
        mentions=reading.mentions(file, len(text) - len(query)),
        patterns=reading.patterns,
        queries=reading.queries,
        regime=stated_regime(text, found.name, search.note),
        expected=expected,
    )
