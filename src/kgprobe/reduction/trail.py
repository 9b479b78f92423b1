"""Where the changes that a mutant was made with are by now, in a graph that has been simplified since."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import Triple

__all__ = ["Trail"]


class Trail:
    """What becomes of changed triples while a graph gets other names, other literals and other expressions."""

    def __init__(self, delta: Delta) -> None:
        self.delta = delta
        self._now = {triple: frozenset({triple}) for triple in delta.removed + delta.added}

    def now(self, triple: Triple) -> frozenset[Triple]:
        """What has become of a changed triple."""
        return self._now[triple]

    def is_in(self, graph: Graph, triple: Triple) -> bool:
        """Whether something of a changed triple is left in the graph."""
        return any(each in graph for each in self._now[triple])

    def replace(self, replaced: Callable[[Triple], Triple]) -> None:
        """Each triple was replaced by another one."""
        self._now = {triple: frozenset(map(replaced, now)) for triple, now in self._now.items()}

    def restate(self, before: Graph, after: Graph) -> None:
        """Something was said in another way: what has come took the place of what is gone."""
        gone = frozenset(triple for triple in before if triple not in after)
        come = frozenset(triple for triple in after if triple not in before)
        if come:
            self._now = {
                triple: (now - gone) | come if now & gone and triple in self._added else now
                for triple, now in self._now.items()
            }

    @cached_property
    def _added(self) -> frozenset[Triple]:
        return frozenset(self.delta.added)
