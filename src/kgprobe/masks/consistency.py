"""A check that a reasoner finds a graph consistent."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kgprobe.masks.mask import Cost, Rejection
from kgprobe.owl.expression import Expression
from kgprobe.owl.grammar import INDIVIDUAL, contents_of
from kgprobe.owl.wording import in_words
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.reasoners.explanation import explain
from kgprobe.reasoners.protocol import SECONDS_FOR_A_REASON, Answer, Consistency, Reasoner

__all__ = ["ConsistencyCheck"]

INCONSISTENT = "inconsistent"
"""The start of a rejection's text; the reason follows."""


class ConsistencyCheck:
    """A graph must have a model. If the reasoner cannot decide, the graph is rejected with the reason."""

    cost = Cost.REASONING

    def __init__(
        self,
        reasoner: Reasoner,
        on_doubt: Callable[[str], None] | None = None,
        *,
        seconds: float = SECONDS_FOR_A_REASON,
        on_contradiction: Callable[[Rejection], None] | None = None,
    ) -> None:
        """`on_doubt` is called with the reason if the answer "consistent" may be wrong.

        `on_contradiction` is called with a rejection without a reason as soon as a graph is known to be inconsistent.
        The search for the reason follows, and takes at most `seconds`.
        """
        self._reasoner = reasoner
        self._on_doubt = on_doubt
        self._seconds = seconds
        self._on_contradiction = on_contradiction
        self.name = f"consistency ({reasoner.name})"

    def admits(self, graph: Graph) -> bool | None:
        """Whether the reasoner finds the graph consistent; None if it cannot decide."""
        [answer] = self._reasoner.answer(graph, [Consistency()])
        return None if answer.value is None else answer.value is True

    def mentions(self, name: NamedNode) -> bool:  # noqa: ARG002 - whatever things are called, a contradiction stays one
        return False

    def rejections(self, graph: Graph) -> list[Rejection]:
        """The axioms that clash, or the reason why the reasoner could not decide."""
        explanation = explain(graph, self._reasoner, seconds=self._seconds, on_answer=self._tell)
        answer = explanation.answer
        if answer.value is True:
            if not answer.complete and self._on_doubt is not None:
                self._on_doubt(f"{self.name}: probably consistent: {answer.why}")
            return []
        if answer.value is None:
            return [Rejection(self.name, None, f"undecided: {answer.why}", is_undecided=True)]
        clashing = explanation.axioms or ()
        if not explanation.is_found:
            return [Rejection(self.name, None, f"{INCONSISTENT}; no explanation found in {self._seconds:g} s")]
        words = "; ".join(in_words(axiom, graph) for axiom in clashing)
        note = "" if explanation.is_minimal else " (some of this may not be needed)"
        reason = f", because of {words}{note}" if words else ""
        return [Rejection(self.name, _only_individual(clashing), INCONSISTENT + reason)]

    def _tell(self, _: Answer) -> None:
        if self._on_contradiction is not None:
            self._on_contradiction(Rejection(self.name, None, INCONSISTENT))


def _only_individual(axioms: Iterable[Expression]) -> Term | None:
    """The individual in the axioms, if there is exactly one."""
    individuals = {term for axiom in axioms for kind, term in contents_of(axiom).names if kind == INDIVIDUAL}
    return individuals.pop() if len(individuals) == 1 else None
