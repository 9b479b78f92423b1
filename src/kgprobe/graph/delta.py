"""A change to a graph: triples to remove and triples to add. It can be stored, shown, reduced and replayed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kgprobe.graph.terms import Triple

__all__ = ["Delta"]


@dataclass(frozen=True)
class Delta:
    """Triples to remove and triples to add; no triple is in both. Both parts are sorted, so equal deltas look the same.

    A delta is exact: it applies only to graphs that have all of `removed` and none of `added`. Reverting it therefore
    always restores the graph.
    """

    removed: tuple[Triple, ...]
    added: tuple[Triple, ...]
    # A graph caches its lookups of these triples here, so that reverting need not repeat them. The graph checks that
    # the cache belongs to its table. The cache is neither compared nor pickled.
    resolution: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __init__(self, removed: Iterable[Triple] = (), added: Iterable[Triple] = ()) -> None:
        gone, come = set(removed), set(added)
        if both := gone & come:
            raise ValueError(f"a delta cannot both remove and add {min(map(str, both))}")
        object.__setattr__(self, "removed", tuple(sorted(gone, key=str)))
        object.__setattr__(self, "added", tuple(sorted(come, key=str)))
        object.__setattr__(self, "resolution", [])

    def __len__(self) -> int:
        return len(self.removed) + len(self.added)

    def inverse(self) -> Delta:
        """The delta that undoes this one."""
        return Delta(removed=self.added, added=self.removed)

    def then(self, later: Delta) -> Delta:
        """This delta followed by the later one, as one delta. Triples that the later one restores are left out."""
        removed, added = set(self.removed), set(self.added)
        again, back = set(later.removed), set(later.added)
        if clash := (removed & again) | (added & back):
            raise ValueError(f"these deltas cannot follow each other: both change {min(map(str, clash))}")
        return Delta(removed=(removed - back) | (again - added), added=(added - again) | (back - removed))

    def lines(self) -> list[str]:
        """One line for each triple: `- ` or `+ `, and the triple as in N-Triples."""
        return [f"- {triple} ." for triple in self.removed] + [f"+ {triple} ." for triple in self.added]

    def __reduce__(self) -> tuple[object, ...]:
        return (Delta, (self.removed, self.added))
