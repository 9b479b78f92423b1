"""Entities that tests name, and that a change deletes or deprecates."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.graph.diff import Versions
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, Literal, NamedNode
from kgprobe.queries.comments import line_of, lines_that_ignore
from kgprobe.selection.tests import Test

__all__ = ["INTENDED", "is_deprecated", "named_but_gone"]

INTENDED = "unknown-term"  # the code that a comment `# kgprobe: ignore CODE` names

_QUERIES = (".rq", ".sparql")


def named_but_gone(versions: Versions, tests: Iterable[Test]) -> tuple[set[NamedNode], list[Test]]:
    """The named entities that are deleted or deprecated, and the tests, without the places that mean to name them.

    If there are no such entities, no tests are returned.
    """
    tests = list(tests)
    gone = _gone(versions, dict.fromkeys(mention.term for test in tests for mention in test.mentions))
    return gone, [_heeding_comments(test, gone) for test in tests] if gone else []


def _gone(versions: Versions, named: Iterable[NamedNode]) -> set[NamedNode]:
    """The terms that the new version no longer has, or has deprecated."""
    old, new = versions.old, versions.new
    removed = {subject for subject, _, _ in versions.gone}
    deprecated = new.key(OWL.deprecated)
    newly_deprecated = {subject for subject, predicate, _ in versions.come if predicate == deprecated}
    gone = set()
    for term in named:
        key = old.key(term)
        if (key in removed and not new.mentions(term)) or (
            key in newly_deprecated and old.mentions(term) and is_deprecated(term, new) and not is_deprecated(term, old)
        ):
            gone.add(term)
    return gone


def is_deprecated(term: NamedNode, graph: Graph) -> bool:
    """Whether a graph says that an entity is deprecated."""
    values = (triple.object for triple in graph.triples(term, OWL.deprecated))
    return any(isinstance(value, Literal) and value.value in ("true", "1") for value in values)


def _heeding_comments(test: Test, gone: Collection[NamedNode]) -> Test:
    """The test without the places where it names an entity that is gone, and a comment says that this is intended."""
    ignoring: dict[Path, tuple[str, frozenset[int]]] = {}
    kept = []
    for mention in test.mentions:
        if mention.term in gone:
            if mention.file not in ignoring:
                text = _text(mention.file)
                is_sparql = mention.file.suffix in _QUERIES
                ignoring[mention.file] = text, lines_that_ignore(INTENDED, text, is_sparql=is_sparql)
            text, lines = ignoring[mention.file]
            if lines and line_of(mention.start, text) in lines:
                continue
        kept.append(mention)
    return test if len(kept) == len(test.mentions) else replace(test, mentions=tuple(kept))


def _text(file: Path) -> str:
    try:
        return exact_text(file)
    except InputError:  # it can no longer be read
        return ""
