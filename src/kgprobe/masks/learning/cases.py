"""What masks are learned from: graphs, and whether a system fails on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.rdf.graph import Delta, Graph

__all__ = ["JudgedGraph", "OnProgress", "nobody_watches"]

OnProgress: TypeAlias = Callable[[str, int, int], None]
"""Is told what is going on, how much of it is done, and how much there is."""


def nobody_watches(_what: str, _done: int, _total: int) -> None:
    """For those who need not be told."""


@dataclass(frozen=True)
class JudgedGraph:
    """A graph that a system ran on, as the seed graph and a change of it, and whether the system failed.

    Where a CSV file or a store has cases with numbers, `name` is its name, `#` and the number: `onlySuave04#7`.
    """

    name: str
    seed: Graph
    change: Delta
    failed: bool

    def graph(self) -> Graph:
        """The graph: a copy of the seed graph that holds only the change."""
        graph = self.seed.copy()
        graph.apply(self.change)
        return graph
