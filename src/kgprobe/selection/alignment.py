"""Two versions of a graph, with the same names for the same blank nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgprobe.graph.changes import KeyTriple
from kgprobe.graph.diff import differing_keys
from kgprobe.graph.graph import Graph
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.terms import Triple

__all__ = ["Versions", "aligned"]


@dataclass(frozen=True)
class Versions:
    """The graph before and after a change, and what the change removed and added, by keys that both understand."""

    old: Graph
    new: Graph
    gone: Sequence[KeyTriple] = ()
    come: Sequence[KeyTriple] = ()

    def removed(self) -> Iterator[Triple]:
        """What only the old version has."""
        return map(self.old.triple, self.gone)

    def added(self) -> Iterator[Triple]:
        """What only the new version has."""
        return map(self.new.triple, self.come)


def aligned(old: Graph, new: Graph) -> Versions:
    """The old graph, and a copy of it that was changed into the new one, up to the names of blank nodes."""
    gone, come = differing_keys(old, new)
    changed = old.copy()
    changed.change(gone, come)
    changed.spelling = Spelling(
        {**old.spelling.prefixes, **new.spelling.prefixes},
        {**old.spelling.language_tags, **new.spelling.language_tags},
    )
    return Versions(old, changed, gone, come)
