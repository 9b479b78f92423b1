"""Tries mined operators on graphs: those that leave OWL 2 EL, or break a list, are repaired or dropped.

First, each operator is tried alone, at random places of the graphs that it applies to. If a result is not in EL, its
repairs are tried instead. Then all operators that are left are tried together: graphs are mutated many times, and the
operator of the first step that leaves EL gets its next repair, or is dropped. This is repeated until it is rare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from kgprobe.errors import InputError
from kgprobe.graph.graph import FreshNames, Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, NamedNode, Term
from kgprobe.learning.el_check import NOT_AN_AXIOM, ElCheck
from kgprobe.mining.budget import Budget, UsedUpError
from kgprobe.mining.operator_text import Update, update_of, update_text
from kgprobe.mining.operators import MinedOperator
from kgprobe.mining.repairs import CannotRepairError, repaired, same_as
from kgprobe.mining.roles import KindsOf, kinds_from
from kgprobe.mutation.generator import Generator
from kgprobe.mutation.operator import NO_PINS, Change, Site
from kgprobe.mutation.strategies import Weighted
from kgprobe.mutation.update import UpdateOperator, parse_operator

__all__ = ["Outcome", "TriedOperator", "TriedOperators", "keep_in_el"]

# How often an operator is tried alone: in this many graphs that it applies to, and this often in each.
_GRAPHS = 8
_DRAWS = 3
# Together: mutants with this many mutations, at least so many in each round, and at most so many rounds.
_MUTATIONS = 30
_MUTANTS = 100
_ROUNDS = 15
# It ends once so many mutants in a row had no more invalid ones among them than this share.
_IN_A_ROW = 300
_ENOUGH = 0.004
_NOWHERE = "it applies to none of the graphs"


class Outcome(StrEnum):
    """What became of an operator."""

    KEPT = "kept"
    REPAIRED = "repaired"
    MERGED = "merged"
    DROPPED = "dropped"


@dataclass(frozen=True)
class TriedOperator:
    """An operator after its trials: its name, its text if it is of use, and the reason if it was changed or dropped."""

    name: str
    outcome: Outcome
    update: Update | None = None
    reason: str | None = None


@dataclass(frozen=True)
class TriedOperators:
    """All operators, and how many of the mutants of the last round were invalid."""

    operators: tuple[TriedOperator, ...]
    mutants: int = 0
    invalid: int = 0

    @property
    def updates(self) -> tuple[Update, ...]:
        """The operators of use."""
        return tuple(each.update for each in self.operators if each.update is not None)

    def count(self, outcome: Outcome) -> int:
        """The number of operators with this outcome."""
        return sum(each.outcome is outcome for each in self.operators)


def keep_in_el(
    operators: Sequence[MinedOperator],
    graphs: Iterable[Graph],
    *,
    labels: Graph | None = None,
    seed: int = 0,
    budget: Budget | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> TriedOperators:
    """Try the operators on those of the graphs that are in OWL 2 EL. InputError if none of them is.

    Operators that could not be tried within the budget of time and memory are dropped.
    """
    grounds = [ground for ground in map(_Ground, sorted(graphs, key=len)) if ground.is_in_el]
    if not grounds:
        message = "none of the graphs is in OWL 2 EL, so nothing can be kept in it"
        raise InputError(message, hint="leave out --keep-profile, or see 'kgprobe info' for what keeps them out")
    told = on_progress or (lambda *_: None)
    kinds = _kinds(ground.graph for ground in grounds)
    courses = [_Course(operator, update_of(operator, labels), kinds) for operator in operators]
    random = Random(f"{seed}/alone")
    for number, course in enumerate(courses):
        told("trying each operator", number, len(courses))
        if (reason := _used_up(budget)) is not None:
            course.drop(f"it was not tried: {reason}")
        else:
            course.settle(grounds, random)
    together = _together(courses, grounds, seed, budget, told)
    return TriedOperators(tuple(_results(courses)), *together)


def _results(courses: Sequence[_Course]) -> Iterator[TriedOperator]:
    results = [course.result() for course in courses]
    # An operator as it was mined comes before one that does the same after its repair.
    names: dict[tuple[object, ...], str] = {}
    for outcome in (Outcome.KEPT, Outcome.REPAIRED):
        for result in results:
            if result.outcome is outcome and result.update is not None:
                names.setdefault(same_as(result.update), result.update.name)
    for result in results:
        if result.update is not None and names[same_as(result.update)] != result.update.name:
            reason = f"{result.reason}; repaired, it does the same as {names[same_as(result.update)]}"
            yield TriedOperator(result.name, Outcome.MERGED, None, reason)
        else:
            yield result


def _used_up(budget: Budget | None) -> str | None:
    """Why nothing more can be tried; None if something can."""
    try:
        if budget is not None:
            budget.check()
    except UsedUpError as error:
        return error.reason
    return None


# -- one graph ---------------------------------------------------------------------------------------------------------


class _Ground:
    """A graph to try operators on."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._check = ElCheck(graph)
        self.is_in_el = self._check.rule is None

    def reason(self, changed: Graph) -> str | None:
        """The rule that a changed copy of the graph breaks; None if it is in OWL 2 EL."""
        return self._check.broken_rule(changed)


_LIST_PARTS = (RDF.first, RDF.rest)


def _in_words(rule: str, graph: Graph, change: Change) -> str:
    touched = {graph.term(row[1]) for row in (*change.removed, *change.added)}
    if rule == NOT_AN_AXIOM and touched.intersection(_LIST_PARTS):
        return "it breaks a list"
    return f"it leaves OWL 2 EL: {rule}"


def _kinds(graphs: Iterable[Graph]) -> KindsOf:
    """The kinds that the graphs declare their names as."""
    kinds: tuple[Term, ...] = (OWL.Class, RDFS.Datatype, OWL.ObjectProperty, OWL.DatatypeProperty)
    kinds = (*kinds, OWL.AnnotationProperty)

    def declared() -> Iterator[tuple[NamedNode, Term]]:
        for graph in graphs:
            for kind in kinds:
                for key in graph.subjects(graph.key(RDF.type), graph.key(kind)):
                    name = graph.term(key)
                    if isinstance(name, NamedNode):
                        yield name, kind

    return kinds_from(declared())


# -- one operator ------------------------------------------------------------------------------------------------------


@dataclass
class _Course:
    """An operator on its way: as mined, then each repair."""

    operator: MinedOperator
    mined: Update
    kinds: KindsOf
    current: UpdateOperator | None = None
    place: int = -1
    # Why it cannot stay as it was mined, and why its repairs are of no use.
    reason: str | None = None
    failures: list[str] = field(default_factory=list)
    _candidates: list[Update] | None = None

    def candidates(self) -> list[Update]:
        """The operator as mined, and its repairs."""
        if self._candidates is None:
            self._candidates = [self.mined]
            if self.place >= 0:
                try:
                    self._candidates += repaired(self.operator, self.mined, self.kinds)
                except CannotRepairError as error:
                    self.failures.append(str(error))
        return self._candidates

    def drop(self, reason: str) -> None:
        self.place, self.current = 1 << 30, None
        self.failures.append(reason)
        self._candidates = [self.mined]

    def reject(self, reason: str) -> None:
        """Note why the current form is of no use."""
        if self.place == 0:
            self.reason = reason
            self._candidates = None  # now repairs are needed
        elif reason not in self.failures:
            self.failures.append(reason)

    def settle(self, grounds: Sequence[_Ground], random: Random) -> None:
        """Go on to the first form that passes its trials."""
        while True:
            self.place += 1
            if self.place >= len(self.candidates()):
                self.current = None
                return
            name = self.candidates()[self.place].name
            self.current = parse_operator(update_text(self.candidates()[self.place]), name)
            reason = _alone(self.current, grounds, random)
            if reason is None or (reason is _NOWHERE and self.place == 0):
                return  # as mined, it does no harm here; after other mutations, it may apply
            self.reject(reason)

    def result(self) -> TriedOperator:
        name = self.mined.name
        if self.current is None:
            return TriedOperator(name, Outcome.DROPPED, None, self._why_dropped())
        if self.place == 0:
            return TriedOperator(name, Outcome.KEPT, self.mined)
        return TriedOperator(name, Outcome.REPAIRED, self.candidates()[self.place], self.reason)

    def _why_dropped(self) -> str:
        if self.reason is None:
            return self.failures[-1]
        failure = self.failures[-1] if self.failures else "none is known"
        failure = failure.replace(_NOWHERE, "what is left of it applies to none of the graphs")
        return f"{self.reason}; no repair: {failure}"


def _alone(operator: UpdateOperator, grounds: Sequence[_Ground], random: Random) -> str | None:
    """Why an operator cannot stay as it is; None if all of its trials went well."""
    propose = operator.bound(NO_PINS)
    applied = 0
    for ground in grounds:
        is_used = False
        for _ in range(_DRAWS):
            graph = ground.graph.copy()
            change = propose(Site(graph, random, FreshNames(graph, random.getrandbits(32)), NO_PINS))
            if change is None:
                break
            is_used = True
            graph.change(change.removed, change.added)
            rule = ground.reason(graph)
            if rule is not None:
                return _in_words(rule, graph, change)
        applied += is_used
        if applied == _GRAPHS:
            break
    return None if applied else _NOWHERE


# -- all operators together --------------------------------------------------------------------------------------------


def _together(
    courses: Sequence[_Course],
    grounds: Sequence[_Ground],
    seed: int,
    budget: Budget | None,
    told: Callable[[str, int, int], None],
) -> tuple[int, int]:
    """Try mutants with many mutations, round after round; the numbers of mutants and invalid ones in the last."""
    made = invalid = 0
    for number in range(_ROUNDS):
        if _used_up(budget) is not None:
            break
        left = {course.current.description.name: course for course in courses if course.current is not None}
        count, blamed = _round(left, grounds, f"{seed}/{number}", budget, lambda *n: told("trying them together", *n))
        made, invalid = made + count, invalid + blamed.total()
        if invalid <= _ENOUGH * made and made >= _IN_A_ROW:
            break
        if blamed:
            made = invalid = 0  # the operators change
        random = Random(f"{seed}/{number}/again")
        for name, reason in blamed:
            if left[name].current is not None:
                left[name].reject(f"{reason}, after other mutations")
                left[name].settle(grounds, random)
    return made, invalid


def _round(
    left: dict[str, _Course],
    grounds: Sequence[_Ground],
    seed: str,
    budget: Budget | None,
    told: Callable[[int, int], None],
) -> tuple[int, Counter[tuple[str, str]]]:
    """The number of mutants, and the operators that took one out of EL, with the reason."""
    blamed: Counter[tuple[str, str]] = Counter()
    each = -(-_MUTANTS // len(grounds))
    operators = [Weighted(course.current) for course in left.values() if course.current is not None]
    made = 0
    for number, ground in enumerate(grounds):
        told(number * each, len(grounds) * each)
        if _used_up(budget) is not None or not operators:
            break
        generator = Generator(ground.graph, operators, mutations=_MUTATIONS, seed=Random(seed).getrandbits(32))
        for attempt in range(each):
            graph, steps = generator.attempt(attempt)
            made += 1
            if ground.reason(graph) is not None:
                blamed[_culprit(ground, steps)] += 1
    return made, blamed


def _culprit(ground: _Ground, steps: Sequence[tuple[str, Change]]) -> tuple[str, str]:
    """A step that left EL, and the reason; found by halving, since steps that repair a graph are rare."""
    good, bad = 0, len(steps)
    graph, rule = _after(ground, steps)
    while bad - good > 1:
        middle = (good + bad) // 2
        halfway, found = _after(ground, steps[:middle])
        if found is None:
            good = middle
        else:
            bad, graph, rule = middle, halfway, found
    assert rule is not None  # noqa: S101 - the whole mutant is not in EL
    name, change = steps[bad - 1]
    return name, _in_words(rule, graph, change)


def _after(ground: _Ground, steps: Sequence[tuple[str, Change]]) -> tuple[Graph, str | None]:
    graph = ground.graph.copy()
    for _, change in steps:
        graph.change(change.removed, change.added)
    return graph, ground.reason(graph)
