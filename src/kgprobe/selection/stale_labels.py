"""Labels that a change takes away: the entity is gone or deprecated, or has another label now.

A test that has such a label as a value, in SQL, CSV or Python, is obsolete, whether or not it is written with escapes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.rdf.diff import Versions
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, Literal, NamedNode
from kgprobe.selection.constants import Constant, constants_of
from kgprobe.selection.discovery.vocabulary import LABELS, terms_labelled
from kgprobe.selection.gone import INTENDED, is_deprecated
from kgprobe.selection.tests import Test
from kgprobe.sparql.comments import line_of, lines_that_ignore

__all__ = ["StaleLabel", "StalePlace", "stale_places"]


@dataclass(frozen=True, slots=True)
class StaleLabel:
    """A label that no entity has any more, and the entity that had it. `is_gone` says that the entity went with it.

    `now` is its new label, if it has exactly one instead of the old one.
    """

    label: str
    term: NamedNode
    is_gone: bool
    now: str | None = None


@dataclass(frozen=True, slots=True)
class StalePlace:
    """A constant of a test that is a stale label."""

    test: Test
    file: Path
    stale: StaleLabel
    constant: Constant


def stale_places(tests: Iterable[Test], versions: Versions) -> list[StalePlace]:
    """Where tests have stale labels as values. A comment can say that this is intended."""
    lost = _lost_labels(versions)
    found: list[tuple[Test, Path, Constant]] = []
    texts: dict[Path, str | None] = {}
    for test in tests if lost else ():
        for file in dict.fromkeys((*filter(None, (test.file,)), *test.parts)):
            if file not in texts:
                texts[file] = _text(file)
            text = texts[file]
            if text is not None:
                found += ((test, file, each) for each in constants_of(test, text, file) if each.value in lost)
    stale = _stale({constant.value: lost[constant.value] for _, _, constant in found}, versions) if found else {}
    return [
        StalePlace(test, file, stale[constant.value], constant)
        for test, file, constant in found
        if constant.value in stale and not _is_intended(constant, texts[file] or "")
    ]


def _is_intended(constant: Constant, text: str) -> bool:
    ignored = lines_that_ignore(INTENDED, text, is_sparql=False)
    return bool(ignored) and line_of(constant.start, text) in ignored


def _lost_labels(versions: Versions) -> dict[str, set[NamedNode]]:
    """The labels that entities have lost, or that newly deprecated ones have. Others may still have them."""
    old, new = versions.old, versions.new
    labels = {old.key(predicate) for predicate in LABELS}
    lost = {(subject, value) for subject, predicate, value in versions.gone if predicate in labels}
    deprecated = new.key(OWL.deprecated)
    for subject in {subject for subject, predicate, _ in versions.come if predicate == deprecated}:
        lost |= {(subject, value) for predicate in labels for value in old.objects(subject, predicate)}
    found: dict[str, set[NamedNode]] = {}
    for subject, value in lost:
        term, label = old.term(subject), old.term(value)
        if isinstance(term, NamedNode) and isinstance(label, Literal):
            found.setdefault(label.value, set()).add(term)
    return found


def _stale(lost: Mapping[str, Collection[NamedNode]], versions: Versions) -> dict[str, StaleLabel]:
    """Those of the labels that the new version gives to no entity, or only to deprecated ones.

    A label that other entities still have, or that several had, says too little.
    """
    old, new = (terms_labelled(graph, lost) for graph in (versions.old, versions.new))
    found = {}
    for label in lost:
        before = [term for term in old.get(label, ()) if not is_deprecated(term, versions.old)]
        after = [term for term in new.get(label, ()) if not is_deprecated(term, versions.new)]
        if len(before) == 1 and not after:
            found[label] = _stale_label(label, before[0], versions)
    return found


def _stale_label(label: str, term: NamedNode, versions: Versions) -> StaleLabel:
    if not versions.new.mentions(term) or is_deprecated(term, versions.new):
        return StaleLabel(label, term, is_gone=True)
    kinds = {kind for text, kind in _labels(term, versions.old) if text == label}
    now = list(_labels(term, versions.new))
    texts = {text for text, kind in now if kind in kinds} or {text for text, _ in now}
    return StaleLabel(label, term, is_gone=False, now=next(iter(texts)) if len(texts) == 1 else None)


def _labels(term: NamedNode, graph: Graph) -> Iterator[tuple[str, tuple[NamedNode, str | None]]]:
    for predicate in LABELS:
        for triple in graph.triples(term, predicate):
            if isinstance(triple.object, Literal):
                yield triple.object.value, (predicate, triple.object.language)


def _text(file: Path) -> str | None:
    try:
        return exact_text(file)
    except InputError:  # it can no longer be read
        return None
