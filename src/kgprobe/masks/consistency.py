"""Consistency with a reasoner as a check."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import Term
from kgprobe.masks.mask import Cost, Rejection
from kgprobe.ontology.parts import INDIVIDUAL, parts
from kgprobe.ontology.words import in_words
from kgprobe.reasoners.explanation import explain
from kgprobe.reasoners.protocol import Consistency, Reasoner

__all__ = ["ConsistencyCheck"]


class ConsistencyCheck:
    """A graph must have a model. One that the reasoner cannot decide about is not admitted, and the reason is told."""

    cost = Cost.REASONING

    def __init__(self, reasoner: Reasoner, on_doubt: Callable[[str], None] | None = None) -> None:
        """`on_doubt` is told why an answer that a graph is consistent may not be the last word."""
        self._reasoner = reasoner
        self._on_doubt = on_doubt
        self.name = f"consistency ({reasoner.name})"

    def admits(self, graph: Graph) -> bool:
        """Whether the reasoner says that the graph is consistent."""
        [answer] = self._reasoner.answer(graph, [Consistency()])
        return answer.value is True

    def rejections(self, graph: Graph) -> list[Rejection]:
        """The axioms that clash, or why it is not known whether any do."""
        [answer] = self._reasoner.answer(graph, [Consistency()])
        if answer.value is True:
            if not answer.complete and self._on_doubt is not None:
                self._on_doubt(f"{self.name}: consistent as far as can be told: {answer.why}")
            return []
        if answer.value is None:
            return [Rejection(self.name, None, f"undecided: {answer.why}")]
        clashing = explain(graph, self._reasoner).axioms or ()
        words = "; ".join(in_words(axiom, graph) for axiom in clashing)
        node = _only_individual(clashing)
        return [Rejection(self.name, node, f"inconsistent, because of {words}" if words else "inconsistent")]


def _only_individual(axioms: Iterable[Expression]) -> Term | None:
    """The individual that the axioms are about, if there is one and no other."""
    found = {term for axiom in axioms for kind, term in parts(axiom).names if kind == INDIVIDUAL}
    return found.pop() if len(found) == 1 else None
