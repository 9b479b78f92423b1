"""Two versions of a graph, with the same names for the same blank nodes."""

from __future__ import annotations

from dataclasses import dataclass

from kgprobe.graph.delta import Delta
from kgprobe.graph.diff import diff
from kgprobe.graph.graph import Graph
from kgprobe.graph.spelling import Spelling

__all__ = ["Versions", "aligned"]


@dataclass(frozen=True)
class Versions:
    """The graph before and after a change. The two share a table, so what differs is known without looking for it."""

    old: Graph
    new: Graph
    delta: Delta


def aligned(old: Graph, new: Graph) -> Versions:
    """The old graph, and a copy of it that was changed into the new one, up to the names of blank nodes."""
    delta = diff(old, new)
    changed = old.copy()
    changed.apply(delta)
    changed.spelling = Spelling(
        {**old.spelling.prefixes, **new.spelling.prefixes},
        {**old.spelling.language_tags, **new.spelling.language_tags},
    )
    return Versions(old, changed, delta)
