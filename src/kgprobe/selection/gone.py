"""Entities that tests name, and that a change deletes or deprecates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.rdf.diff import Versions
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, Literal, NamedNode
from kgprobe.selection.tests import TermUse, Test
from kgprobe.sparql.comments import line_of, lines_that_ignore
from kgprobe.sparql.uses import PathUse, Slot, TripleUse

__all__ = ["INTENDED", "is_deprecated", "named_but_gone"]

INTENDED = "unknown-term"  # the code that a comment `# kgprobe: ignore CODE` names

_QUERIES = (".rq", ".sparql")


def named_but_gone(versions: Versions, tests: Iterable[Test]) -> tuple[list[Test], Mapping[str, tuple[NamedNode, ...]]]:
    """The tests without the places that mean to name a deleted or deprecated entity, and what each test names so.

    If there are no such entities, no tests are returned.
    """
    tests = list(tests)
    gone = _gone(versions, dict.fromkeys(term for test in tests for term in _named(test)))
    if not gone:
        return [], {}
    known = [_heeding_comments(test, gone) for test in tests]
    names = {}
    for test, heeding in zip(tests, known, strict=True):
        intended = {mention.term for mention in test.mentions} - {mention.term for mention in heeding.mentions}
        terms = dict.fromkeys(term for term in _named(heeding) if term in gone and term not in intended)
        if terms:
            names[test.name] = tuple(terms)
    return known, names


def _named(test: Test) -> Iterator[NamedNode]:
    """The terms that a test names. In Python, a name may be built, so that it stands in no place of the code."""
    yield from (mention.term for mention in test.mentions)
    for use in test.uses if test.language.runs_in_pytest else ():
        match use:
            case TermUse(term=NamedNode() as term):
                yield term
            case TripleUse():
                yield from _terms(use.subject, use.predicate, use.object)
            case PathUse():
                yield from _terms(use.subject, use.object)
                yield from (predicate for predicate, _ in sorted(use.edges, key=str))


def _terms(*slots: Slot) -> Iterator[NamedNode]:
    for slot in slots:
        yield from (term for term in sorted(slot.terms or (), key=str) if isinstance(term, NamedNode))


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
