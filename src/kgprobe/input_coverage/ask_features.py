"""Features that are ASK queries: each counts if its answer is yes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from kgprobe.errors import LimitReachedError
from kgprobe.input_coverage.feature_set import Elementary, Find
from kgprobe.masks.ask import AskCheck
from kgprobe.rdf.graph import Graph

__all__ = ["AskFeatures"]


@dataclass(frozen=True)
class AskFeatures(Elementary):
    """Queries, each with the name of its feature. The store that answers them follows the changes of the graph."""

    name: str
    queries: Sequence[tuple[str, AskCheck]]

    @cached_property
    def features(self) -> Sequence[str]:
        return tuple(name for name, _ in self.queries)

    @property
    def size(self) -> int:
        return len(self.queries)

    def finder(self, seed: Graph) -> Find:  # noqa: ARG002 - the store belongs to the table of the graph
        return self._found

    def _found(self, graph: Graph) -> list[str]:
        found = []
        for name, query in self.queries:
            answer = query.admits(graph)
            if answer is None:
                raise LimitReachedError(
                    f"{query.name}: the query '{name}' takes too long, or too much memory, on a graph"
                )
            if answer:
                found.append(name)
        return found
