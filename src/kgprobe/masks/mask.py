"""A mask says which graphs are admissible. It is a list of checks; a graph is admissible if no check rejects it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import NamedNode, Term

__all__ = ["DEFAULT_SECONDS", "Check", "Cost", "Mask", "OutOfTimeError", "Rejection"]

DEFAULT_SECONDS = 60.0
"""How long a check may take for one graph."""


class Cost(IntEnum):
    """What a check takes for a graph that differs little from the one before it; cheap checks are asked first."""

    CHANGES = 1  # looks at what has changed
    QUERY = 2  # asks a query
    SHAPES = 3  # may validate the whole graph
    REASONING = 4  # may run for minutes


class OutOfTimeError(Exception):
    """A check has no answer within its time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} s")


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a graph is not admitted: the check that says so, the node it is about if there is one, and the reason.

    `is_undecided` says that the check does not know whether anything is wrong.
    """

    check: str
    node: Term | None
    words: str
    is_undecided: bool = False


class Check(Protocol):
    """One condition on graphs."""

    @property
    def name(self) -> str:
        """What a rejection calls this check; for most, the file it was read from."""
        ...

    @property
    def cost(self) -> Cost:
        """What kind of work this check is."""
        ...

    def admits(self, graph: Graph) -> bool | None:
        """Whether the graph passes, None if that is not known; may stop at the first thing that is wrong."""
        ...

    def rejections(self, graph: Graph) -> list[Rejection]:
        """Everything that is wrong; empty if and only if the graph passes."""
        ...

    def mentions(self, name: NamedNode) -> bool:
        """Whether the check asks about something by this name: under another name, a graph would pass unseen."""
        ...


class Mask:
    """Checks that a graph must pass, all of them. Without any, every graph is admissible."""

    def __init__(self, checks: Iterable[Check] = ()) -> None:
        # Sorting is stable: checks of the same cost are asked in the order in which they were given.
        self.checks: tuple[Check, ...] = tuple(sorted(checks, key=lambda check: check.cost))

    def admits(self, graph: Graph) -> bool:
        """Whether the graph is known to be admissible. The cheapest check comes first, and the first "no" decides."""
        return all(check.admits(graph) for check in self.checks)

    def rejections(self, graph: Graph) -> list[Rejection]:
        """All that every check has to say against the graph; empty if it is admissible."""
        return [rejection for check in self.checks for rejection in check.rejections(graph)]

    def names_in(self, graph: Graph) -> frozenset[NamedNode]:
        """The names of the graph that some check mentions."""
        names = (term for term in graph.terms() if isinstance(term, NamedNode))
        return frozenset(name for name in names if any(check.mentions(name) for check in self.checks))
