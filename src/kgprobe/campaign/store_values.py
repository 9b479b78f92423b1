"""The values that a store holds, and checks for those that it claims to hold: its file may be damaged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["Finding", "Planned", "Reduced", "StoredSource", "case_number", "expect", "figures_in", "texts_of"]

_T = TypeVar("_T")
_COUNTS = ("system_runs", "triples_before", "triples_after", "failed", "runs")  # that every reduction has


@dataclass(frozen=True)
class Planned:
    """A case: its number, the number of its source, and the recipe to make it again, as JSON of that source.

    Equal inputs have the same `likeness`, a number of 64 bits with a sign, if the source knows it.
    """

    number: int
    source: int
    recipe: Any
    likeness: int | None = None


def case_number(index: int, source: int, sources: int) -> int:
    """The number of a case: its index in its source counts from 1, and sources take turns.

    Index 0 is what a source starts from, such as a seed graph: its number is not positive.
    """
    return (index - 1) * sources + source + 1


@dataclass(frozen=True)
class StoredSource:
    """A source of cases, and how far it has come, as its own JSON; None at first."""

    name: str
    state: Any


@dataclass(frozen=True)
class Reduced:
    """A failing case made small: the graph in Turtle, the kinds of axioms in it, and figures about the reduction."""

    number: int
    cause: str
    graph: str
    figures: Mapping[str, Any]

    @property
    def is_finished(self) -> bool:
        """Whether it cannot be made smaller; else the time was up before that was known."""
        return bool(self.figures["is_minimal"])


@dataclass(frozen=True)
class Finding:
    """Failures with one signature: how many cases have it, the first of them, and what was seen there."""

    signature: str
    system: str
    kind: str
    shape: str
    cases: int
    first: int
    words: tuple[str, ...]
    reductions: tuple[Reduced, ...]


def expect(kind: type[_T], value: object) -> _T:
    """The value, if it is of this kind. TypeError if not."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{value!r:.60} is not of type {kind.__name__}")
    return value


def texts_of(value: object) -> dict[str, str]:
    """The value, if it maps texts to texts."""
    return {key: expect(str, text) for key, text in expect(dict, value).items()}


def figures_in(text: str) -> dict[str, Any]:
    """The figures of a reduction."""
    figures = expect(dict, json.loads(text))
    for key in _COUNTS:
        expect(int, figures[key])
    for key in ("rate", "rate_before"):
        if not 0 <= float(figures[key]) <= 1:
            raise ValueError(f"{figures[key]} is not a share")
    for line in (*figures["words"], *(figures["needed"] or ())):
        expect(str, line)
    return figures
