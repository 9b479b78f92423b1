"""A mask decides which graphs are admissible. It is a list of checks; a graph is admissible if no check rejects it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Term

__all__ = ["DEFAULT_SECONDS", "Check", "Cost", "Mask", "Rejection", "undecided_among"]

DEFAULT_SECONDS = 60.0
"""The time limit of a check for one graph."""


_UNDECIDED = " (undecided)"


def undecided_among(objections: Mapping[str, int]) -> int:
    """How many of the objections of masks are of checks that could not decide."""
    return sum(count for objection, count in objections.items() if objection.endswith(_UNDECIDED))


class Cost(IntEnum):
    """The cost of a check for a graph that differs little from the one before it. Cheap checks run first."""

    CHANGES = 1  # looks at the changes
    QUERY = 2  # runs a query
    SHAPES = 3  # may validate the whole graph
    REASONING = 4  # may run for minutes


class NoAnswerError(Exception):
    """A check has no answer within its limits, and the reason."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a graph is not admitted: the check that rejects it, the node concerned (if any), and the reason.

    `is_undecided` says that the check could not decide.
    """

    check: str
    node: Term | None
    words: str
    is_undecided: bool = False


class Check(Protocol):
    """One condition on graphs."""

    @property
    def name(self) -> str:
        """The name of this check in rejections; for most checks, the file it was read from."""
        ...

    @property
    def cost(self) -> Cost:
        """The cost of this check."""
        ...

    def admits(self, graph: Graph) -> bool | None:
        """Whether the graph passes; None if this is not known. May stop at the first violation."""
        ...

    def rejections(self, graph: Graph) -> list[Rejection]:
        """All rejections; empty if and only if the graph passes."""
        ...

    def mentions(self, name: NamedNode) -> bool:
        """Whether the check refers to this name. If the name were replaced, a graph could pass unchecked."""
        ...


class Mask:
    """Checks that a graph must pass. Without checks, every graph is admissible."""

    def __init__(self, checks: Iterable[Check] = ()) -> None:
        # Sorting is stable: checks of the same cost run in the given order.
        self.checks: tuple[Check, ...] = tuple(sorted(checks, key=lambda check: check.cost))

    def admits(self, graph: Graph) -> bool:
        """Whether the graph is known to be admissible. The cheapest check comes first, and the first "no" decides."""
        return all(check.admits(graph) for check in self.checks)

    def objection(self, graph: Graph) -> str | None:
        """The first check that does not admit a graph, marked if it could not decide; None if all do."""
        for check in self.checks:
            is_admitted = check.admits(graph)
            if not is_admitted:
                return check.name if is_admitted is False else check.name + _UNDECIDED
        return None

    def rejections(self, graph: Graph) -> list[Rejection]:
        """The rejections of all checks; empty if the graph is admissible."""
        return [rejection for check in self.checks for rejection in check.rejections(graph)]

    def names_in(self, graph: Graph) -> frozenset[NamedNode]:
        """The names in the graph that some check mentions."""
        names = (term for term in graph.terms() if isinstance(term, NamedNode))
        return frozenset(name for name in names if any(check.mentions(name) for check in self.checks))
