"""What masks are learned from: graphs, and whether a system fails on them."""

from __future__ import annotations

from dataclasses import dataclass

from kgprobe.graph.graph import Delta, Graph

__all__ = ["JudgedGraph"]


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
