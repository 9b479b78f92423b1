"""Why an ontology is inconsistent, or why an axiom follows from it: the smallest set of axioms that is enough.

The reasoner is a black box that is asked about sets of axioms. Axioms that share names with the conclusion come first,
and more are added until it follows. Then the set is halved again and again (Junker's QuickXplain), which gives a set
that is needed to the last axiom. Another such set may be smaller; it lacks one of the axioms of each set that is
known, so that leaving them out one by one (Reiter's hitting set tree) finds it, if there are enough checks for that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.graph import Graph
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Answer, Consistency, Entails, Reasoner, Task
from kgprobe.reasoners.signature import entities

__all__ = ["Explanation", "explain"]

_Axioms: TypeAlias = list[Expression]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The axioms; None if there is nothing to explain. `answer` is the reasoner's answer about the whole ontology.

    No axiom of the set can be left out. `is_smallest` says whether all sets with fewer axioms were ruled out too.
    """

    axioms: tuple[Expression, ...] | None
    answer: Answer
    is_smallest: bool
    checks: int
    seconds: float


def explain(
    graph: Graph | Ontology, reasoner: Reasoner, *, conclusion: Expression | None = None, most_checks: int = 2000
) -> Explanation:
    """Why the conclusion follows or, without one, why there is no model.

    `most_checks` bounds the search for a smaller set; one set is always found.
    """
    start = time.perf_counter()
    ontology = Ontology.of(graph)
    question = _Question(ontology, reasoner, conclusion)
    answer = question.ask(ontology)
    if not question.is_answered_by(answer):
        return Explanation(None, answer, is_smallest=False, checks=1, seconds=time.perf_counter() - start)
    first = _needed(_relevant(question, ontology), question.follows_from)
    best, is_smallest = _smallest(first, list(ontology.axioms), question, most_checks)
    seconds = time.perf_counter() - start
    return Explanation(tuple(best), answer, is_smallest, question.checks, seconds)


class _Question:
    """Does it follow from these axioms? Counts how often it was asked."""

    def __init__(self, ontology: Ontology, reasoner: Reasoner, conclusion: Expression | None) -> None:
        self._ontology = ontology
        self._reasoner = reasoner
        self.conclusion = conclusion
        self.task: Task = Consistency() if conclusion is None else Entails(conclusion)
        self.checks = 0

    def ask(self, ontology: Ontology) -> Answer:
        self.checks += 1
        (answer,) = self._reasoner.answer(ontology, [self.task])
        return answer

    def is_answered_by(self, answer: Answer) -> bool:
        """Whether the reasoner has proven it; "undecided" is no proof."""
        return answer.value is (self.conclusion is not None)

    def follows_from(self, axioms: Sequence[Expression]) -> bool:
        return self.is_answered_by(self.ask(self._ontology.subset(axioms)))


def _relevant(question: _Question, ontology: Ontology) -> _Axioms:
    """Axioms from which it follows: those near the conclusion, if that is enough."""
    axioms = list(ontology.axioms)
    if question.conclusion is None:
        return axioms
    used = {axiom: entities([axiom]) for axiom in axioms}
    reached = entities([question.conclusion])
    near: dict[Expression, None] = {}
    while True:
        new = [axiom for axiom in axioms if axiom not in near and not used[axiom].isdisjoint(reached)]
        if not new:
            return axioms
        near |= dict.fromkeys(new)
        if question.follows_from(list(near)):
            return list(near)
        reached |= {name for axiom in new for name in used[axiom]}


def _needed(axioms: _Axioms, follows_from: Callable[[_Axioms], bool]) -> _Axioms:
    """A part of the axioms from which it follows, and from no part of which it does (QuickXplain)."""

    def search(background: _Axioms, changed: bool, candidates: _Axioms) -> _Axioms:
        if changed and follows_from(background):
            return []
        if len(candidates) == 1:
            return candidates
        half = len(candidates) // 2
        left, right = candidates[:half], candidates[half:]
        from_right = search(background + left, bool(left), right)
        from_left = search(background + from_right, bool(from_right), left)
        return from_left + from_right

    if not axioms or follows_from([]):
        return []
    return search([], False, axioms)


def _smallest(first: _Axioms, axioms: _Axioms, question: _Question, most_checks: int) -> tuple[_Axioms, bool]:
    """The smallest set, and whether the search for it came to its end."""
    best = first
    known = [first]
    pending: list[frozenset[Expression]] = [frozenset()]
    tried = {frozenset[Expression]()}
    while pending:
        left_out = pending.pop(0)
        found = next((each for each in known if left_out.isdisjoint(each)), None)
        if found is None:
            if question.checks >= most_checks:
                return best, False
            rest = [axiom for axiom in axioms if axiom not in left_out]
            if not question.follows_from(rest):
                continue
            found = _needed(rest, question.follows_from)
            known.append(found)
            best = min(best, found, key=len)
        for axiom in found:
            further = left_out | {axiom}
            if further not in tried:
                tried.add(further)
                pending.append(further)
        if len(best) <= 1:
            break
    return best, True
