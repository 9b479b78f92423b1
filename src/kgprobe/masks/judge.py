"""Runs checks that may take too long in a process that can be ended."""

from __future__ import annotations

from dataclasses import dataclass

from kgprobe.masks.mask import Check, Rejection
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.limited import GraphWorker, UndecidedError


@dataclass(frozen=True, eq=False)
class Judge:
    """Runs a check in the child process. All judges of a process share one child.

    If the child ends, only the current question fails: the next one starts a new child.
    """

    check: Check
    seconds: float

    def admits(self, graph: Graph) -> bool | None:
        """Whether the graph passes; None if this is not known."""
        try:
            return bool(GraphWorker.shared().ask(self.check, "admits", graph, self.seconds))
        except UndecidedError:
            return None

    def rejections(self, graph: Graph) -> list[Rejection]:
        """All rejections, or the reason why the check could not decide."""
        try:
            answer: list[Rejection] = GraphWorker.shared().ask(self.check, "rejections", graph, self.seconds)
        except UndecidedError as error:
            return [Rejection(self.check.name, None, f"undecided: {error}", is_undecided=True)]
        return answer
