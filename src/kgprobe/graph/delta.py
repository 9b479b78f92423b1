"""A change to a graph: triples to remove and triples to add. It can be stored, shown, reduced and replayed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kgprobe.graph.terms import Triple

__all__ = ["Delta"]


@dataclass(frozen=True)
class Delta:
    """Triples to remove and triples to add; no triple is in both. Each part is sorted, so equal deltas look the same.

    A delta is exact: it can be applied to a graph that has all of `removed` and none of `added`, and to no other, so
    that reverting it always gives back what was there before.
    """

    removed: tuple[Triple, ...]
    added: tuple[Triple, ...]
    # What a graph has found out about these triples, so that reverting need not look them up again. The graph checks
    # that it is its own; it is neither compared nor pickled.
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
        """This delta and then the later one, as one. What the later one takes back is in neither part."""
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
