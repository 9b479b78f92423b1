"""What somebody says, or a run has shown, that a test uses: it completes what reading the test has found."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from kgprobe.graph.patterns.pattern import TriplePattern
from kgprobe.graph.terms import Term
from kgprobe.selection.tests import Test, TestUse

__all__ = ["Declared", "combined", "with_declared"]

_T = TypeVar("_T")


@dataclass(frozen=True)
class Declared:
    """What a test uses. `unseen` says why that may not be all; `is_complete` that nothing else counts."""

    uses: tuple[TestUse, ...] = ()
    unseen: tuple[str, ...] = ()
    edges: tuple[tuple[Term, Term | None, str], ...] = ()
    patterns: tuple[TriplePattern, ...] = ()
    is_complete: bool = False


def combined(parts: Iterable[Declared]) -> Declared:
    """All that was said about one test."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    return Declared(
        _once(each for part in parts for each in part.uses),
        _once(each for part in parts for each in part.unseen),
        _once(each for part in parts for each in part.edges),
        _once(each for part in parts for each in part.patterns),
        any(part.is_complete for part in parts),
    )


def with_declared(test: Test, declared: Mapping[str, Declared]) -> Test:
    """A test with what is declared for it. That replaces what could not be seen, and more if it is complete."""
    said = declared.get(test.name)
    if said is None:
        return test
    return dataclasses.replace(
        test,
        uses=said.uses if said.is_complete else _joined(test.uses, said.uses),
        patterns=said.patterns if said.is_complete else _joined(test.patterns, said.patterns),
        queries=() if said.is_complete else test.queries,
        edges=_joined(test.edges, said.edges),
        unseen=said.unseen,
    )


def _joined(first: tuple[_T, ...], second: tuple[_T, ...]) -> tuple[_T, ...]:
    return _once([*first, *second]) if first and second else first or second


def _once(values: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values))
