"""Why an ontology is inconsistent, or why an axiom follows from it: the smallest set of axioms that is enough.

The reasoner is a black box that answers questions about sets of axioms. Axioms that share names with the conclusion
come first, and more are added until it follows. Then `smallest` finds a set in which every axiom is needed, and
searches for a smaller one, if the number of checks allows. When the time limit is reached, the search ends with the
smallest set so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

from kgprobe.formats.functional import render
from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.rdf.graph import Graph
from kgprobe.reasoners.ontology import Ontology, entities
from kgprobe.reasoners.protocol import Answer, Consistency, Entails, Reasoner, Task

__all__ = ["Explanation", "OutOfTimeError", "axiom_texts", "explain", "needed", "smallest"]

_Axioms: TypeAlias = list[Expression]

_LEAST_SECONDS = 1.0  # for one check
_PATIENCE = 3.0  # how much longer than the whole ontology a part of it may take


@dataclass(frozen=True, slots=True)
class Explanation:
    """The axioms, or None if nothing needs an explanation. `answer` is the reasoner's answer about the whole ontology.

    `is_minimal` means that no axiom of the set can be left out, and `is_smallest` that all sets with fewer axioms were
    ruled out as well. Neither is known if time ran out, or if the reasoner was undecided about a smaller set. If no set
    but the whole ontology was found in time, `is_found` is False.
    """

    axioms: tuple[Expression, ...] | None
    answer: Answer
    is_found: bool
    is_minimal: bool
    is_smallest: bool
    checks: int
    seconds: float


def explain(
    graph: Graph | Ontology,
    reasoner: Reasoner,
    *,
    conclusion: Expression | None = None,
    most_checks: int = 2000,
    seconds: float | None = None,
    on_answer: Callable[[Answer], None] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Explanation:
    """The reason why the conclusion follows or, without a conclusion, why no model exists.

    `on_answer` receives the answer before the search for its explanation begins, and `seconds` limits that search.
    `most_checks` limits the search for a smaller set than the first.
    """
    start = clock()
    ontology = Ontology.of(graph)
    question = _Question(ontology, reasoner, conclusion, clock)
    answer = question.ask(ontology)
    is_answered = question.is_answered_by(answer)
    if is_answered and on_answer is not None:
        on_answer(answer)
    found = _Found(None)
    if is_answered:
        question.give(seconds, answer)
        found = _searched(question, ontology, most_checks)
    return Explanation(
        None if found.axioms is None else tuple(found.axioms),
        answer,
        found.is_found,
        found.is_minimal,
        found.is_smallest,
        question.checks,
        clock() - start,
    )


def axiom_texts(axioms: Sequence[Expression], prefixes: Mapping[str, str]) -> list[str]:
    """The axioms in functional syntax, with these prefixes. Unlike the wording, they can be read back."""
    pieces = list(render(OntologyDocument(axioms=tuple(axioms), prefixes=dict(prefixes))))
    return [piece.strip() for piece in pieces[-1 - len(axioms) : -1]]


class _Found(NamedTuple):
    axioms: _Axioms | None
    is_found: bool = False
    is_minimal: bool = False
    is_smallest: bool = False


def _searched(question: _Question, ontology: Ontology, most_checks: int) -> _Found:
    """The best set that can be found in time."""
    try:
        first = needed(_relevant(question, ontology), question.follows_from)
    except OutOfTimeError:
        return _Found(question.enough, is_found=len(question.enough) < len(ontology.axioms))
    is_needed = not question.has_doubts
    best, is_complete = smallest(first, ontology.axioms, question.follows_from, lambda: question.checks < most_checks)
    has_doubts = question.has_doubts
    is_minimal = not has_doubts or (best is first and is_needed)
    return _Found(best, is_found=True, is_minimal=is_minimal, is_smallest=is_complete and not has_doubts)


class _Question:
    """Checks whether the conclusion follows from a set of axioms. Counts the checks, and enforces a time limit."""

    def __init__(
        self, ontology: Ontology, reasoner: Reasoner, conclusion: Expression | None, clock: Callable[[], float]
    ) -> None:
        self._ontology = ontology
        self._reasoner = reasoner
        self._clock = clock
        self._end: float | None = None
        self._for_one: float | None = None
        self.conclusion = conclusion
        self.task: Task = Consistency() if conclusion is None else Entails(conclusion)
        self.checks = 0
        self.enough = list(ontology.axioms)
        """The smallest set so far from which the conclusion follows."""
        self.has_doubts = False
        """Whether the reasoner was undecided about a set."""

    def give(self, seconds: float | None, answer: Answer) -> None:
        """The time for the remaining questions. Parts of an ontology should not take much longer than the whole."""
        if seconds is not None:
            self._end = self._clock() + seconds
            self._for_one = max(_LEAST_SECONDS, _PATIENCE * answer.seconds)

    def ask(self, ontology: Ontology) -> Answer:
        seconds = self._seconds()
        self.checks += 1
        (answer,) = self._reasoner.answer(ontology, [self.task], seconds=seconds)
        return answer

    def is_answered_by(self, answer: Answer) -> bool:
        """Whether the reasoner proved the conclusion; "undecided" is not a proof."""
        return answer.value is (self.conclusion is not None)

    def follows_from(self, axioms: Sequence[Expression]) -> bool:
        answer = self.ask(self._ontology.subset(axioms))
        is_proven = self.is_answered_by(answer)
        if is_proven and len(axioms) < len(self.enough):
            self.enough = list(axioms)
        self.has_doubts |= not is_proven and not answer.decided
        return is_proven

    def _seconds(self) -> float | None:
        if self._end is None or self._for_one is None:
            return None
        left = self._end - self._clock()
        if left <= 0:
            raise OutOfTimeError
        return min(left, self._for_one)


def _relevant(question: _Question, ontology: Ontology) -> _Axioms:
    """Axioms from which the conclusion follows: those near it, if they are enough."""
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


# -- small sets of items that are enough for something, found with yes-or-no questions ---------------------------------
# `needed` halves the items again and again (Junker's QuickXplain), which yields a set in which every item is needed.
# Another such set may be smaller. It lacks one of the items of each known set, so leaving them out one by one (Reiter's
# hitting set tree) finds it; that is `smallest`.


Item = TypeVar("Item", bound=Hashable)


class OutOfTimeError(Exception):
    """Raised by a question when no time is left for the search."""


def needed(items: Sequence[Item], is_enough: Callable[[list[Item]], bool]) -> list[Item]:
    """A subset that is enough, and no part of which is. All items together must be enough."""

    def search(background: list[Item], changed: bool, candidates: list[Item]) -> list[Item]:
        if changed and is_enough(background):
            return []
        if len(candidates) == 1:
            return candidates
        half = len(candidates) // 2
        left, right = candidates[:half], candidates[half:]
        from_right = search(background + left, bool(left), right)
        from_left = search(background + from_right, bool(from_right), left)
        return from_left + from_right

    if not items or is_enough([]):
        return []
    return search([], False, list(items))


def smallest(
    first: list[Item],
    items: Sequence[Item],
    is_enough: Callable[[list[Item]], bool],
    may_go_on: Callable[[], bool] = lambda: True,
) -> tuple[list[Item], bool]:
    """The smallest subset that is enough, and whether the search for it was completed. `first` is one in which every
    item is needed.
    """
    best = first
    known = [first]
    pending: list[frozenset[Item]] = [frozenset()]
    tried = {frozenset[Item]()}
    while pending and len(best) > 1:
        left_out = pending.pop(0)
        found = next((sufficient for sufficient in known if left_out.isdisjoint(sufficient)), None)
        if found is None:
            if not may_go_on():
                return best, False
            rest = [item for item in items if item not in left_out]
            try:
                if not is_enough(rest):
                    continue
                found = needed(rest, is_enough)
            except OutOfTimeError:
                return best, False
            known.append(found)
            best = min(best, found, key=len)
        for item in found:
            further = left_out | {item}
            if further not in tried:
                tried.add(further)
                pending.append(further)
    return best, True
