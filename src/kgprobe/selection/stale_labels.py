"""Labels that a change takes away: the entity is gone or deprecated, or has another label now.

A test that has such a label as a value, in SQL, CSV or Python, is obsolete, whether or not it is written with escapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.graph.diff import Versions
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, Literal, NamedNode
from kgprobe.queries.comments import line_of, lines_that_ignore
from kgprobe.selection.constants import Constant, constants_of
from kgprobe.selection.discovery.vocabulary import LABELS, terms_labelled
from kgprobe.selection.gone import INTENDED, is_deprecated
from kgprobe.selection.tests import Test

__all__ = ["StaleLabel", "StalePlace", "stale_labels", "stale_places"]


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


def stale_labels(versions: Versions) -> dict[str, StaleLabel]:
    """The labels that the new version gives to no entity, or only to deprecated ones."""
    found: dict[str, list[StaleLabel]] = {}
    for term in _losers(versions):
        is_gone = not versions.new.mentions(term) or is_deprecated(term, versions.new)
        now = dict(_labels(term, versions.new))
        for label, kind in _labels(term, versions.old):
            if label not in now or is_gone:
                new = {each for each, other in now.items() if other == kind} or set(now)
                found.setdefault(label, []).append(
                    StaleLabel(label, term, is_gone, next(iter(new)) if len(new) == 1 and not is_gone else None)
                )
    if not found:
        return {}
    owners = terms_labelled(versions.new, found)
    return {
        label: each[0]
        for label, each in found.items()
        # A label that other entities still have, or that several had, says too little.
        if len(each) == 1 and all(is_deprecated(term, versions.new) for term in owners.get(label, ()))
    }


def _losers(versions: Versions) -> Iterator[NamedNode]:
    """The entities that lost a label, or that are newly deprecated."""
    old, new = versions.old, versions.new
    labels = {old.key(predicate) for predicate in LABELS}
    keys = {subject: None for subject, predicate, _ in versions.gone if predicate in labels}
    deprecated = new.key(OWL.deprecated)
    keys |= {subject: None for subject, predicate, _ in versions.come if predicate == deprecated}
    for key in keys:
        term = old.term(key)
        if isinstance(term, NamedNode) and not is_deprecated(term, old):
            yield term


def _labels(term: NamedNode, graph: Graph) -> Iterator[tuple[str, tuple[NamedNode, str | None]]]:
    for predicate in LABELS:
        for triple in graph.triples(term, predicate):
            if isinstance(triple.object, Literal):
                yield triple.object.value, (predicate, triple.object.language)


def stale_places(tests: Iterable[Test], stale: dict[str, StaleLabel]) -> list[StalePlace]:
    """Where tests have stale labels as values. A comment can say that this is intended."""
    found: list[StalePlace] = []
    texts: dict[Path, str | None] = {}
    if not stale:
        return found
    for test in tests:
        for file in dict.fromkeys((*filter(None, (test.file,)), *test.parts)):
            if file not in texts:
                texts[file] = _text(file)
            text = texts[file]
            # Most files have none of the labels, whichever way they are written.
            if text is None or (file.suffix == ".py" and "\\" not in text and not any(each in text for each in stale)):
                continue
            ignored = lines_that_ignore(INTENDED, text, is_sparql=False)
            for constant in constants_of(test, text, file):
                known = stale.get(constant.value)
                if known is not None and not (ignored and line_of(constant.start, text) in ignored):
                    found.append(StalePlace(test, file, known, constant))
    return found


def _text(file: Path) -> str | None:
    try:
        return exact_text(file)
    except InputError:  # it can no longer be read
        return None
