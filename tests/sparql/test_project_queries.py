"""Every query in the files of the project can be read."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.sparql.algebra import Modify
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.matching.filters import Exists, Group, read_group
from kgprobe.sparql.reading import looks_like_query, read_query

ROOT = Path(__file__).resolve().parents[2]
QUERIES = sorted([*ROOT.glob("examples/**/*.rq"), *ROOT.glob("docs/**/*.rq")])
UPDATES = sorted(path for folder in ("src", "examples", "docs") for path in (ROOT / folder).glob("**/*.ru"))
_WHERE = re.compile(r"\bWHERE\s*\{.*\}", re.DOTALL)
_PREFIX = re.compile(r"^\s*PREFIX\s.*$", re.MULTILINE)


def test_the_project_has_queries() -> None:
    assert len(QUERIES) > 20
    assert len(UPDATES) > 100


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.name)
def test_query(path: Path) -> None:
    text = path.read_text("utf-8")
    assert looks_like_query(text)
    query = read_query(text, str(path))
    assert (bool(query.uses), query.unseen) == (True, ())
    document = read_document(text, str(path))
    assert len(document.operations) == 1
    assert document.terms == query.terms


def test_updates() -> None:
    for path in UPDATES:
        [update] = read_document(path.read_text("utf-8"), str(path)).operations
        assert isinstance(update, Modify)
        assert update.where is not None
        assert update.where.elements


def test_both_readers_agree_on_operators() -> None:
    """Mutation operators are SPARQL updates. Selection and our own matching see the same triples in their patterns."""
    compared = 0
    for path in UPDATES:
        text = path.read_text("utf-8")
        where = _WHERE.search(text)
        assert where is not None
        query = read_query("\n".join([*_PREFIX.findall(text), "SELECT *", where[0]]), str(path))
        assert all("the function" in reason for reason in query.unseen)
        group = read_group(where[0][where[0].index("{") + 1 : -1], query.prefixes)
        if group.complete:
            assert Counter(map(_without_names, query.patterns)) == Counter(map(_without_names, _triples(group))), path
            compared += 1
    assert compared > 80


def _triples(group: Group) -> list[TriplePattern]:
    inner = [each.group for each in group.filters if isinstance(each, Exists)]
    return [*group.triples, *(triple for each in inner for triple in _triples(each))]


def _without_names(pattern: TriplePattern) -> tuple[str, ...]:
    """A pattern, independent of the names of its blank nodes."""
    return tuple("[]" if isinstance(part, Variable) and part.hidden else str(part) for part in pattern)
