"""Tries mined operators on graphs: those that leave OWL 2 EL, or break a list, are repaired or dropped.

First, each operator is tried alone, at random places of the graphs that it applies to. If a result is not in EL, or if
the operator does not ask for all that it needs, its repairs are tried instead. Then all operators that are left are
tried together: graphs are mutated many times, and the operator of the first step that leaves EL gets its next repair,
or is dropped. This is repeated until it is rare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from kgprobe.errors import InputError
from kgprobe.learning.el_check import NOT_AN_AXIOM, ElCheck
from kgprobe.learning.operator_families import Family, Member, families
from kgprobe.mining.operators import MinedOperator, Update
from kgprobe.mining.repair_draft import KindsOf, kinds_from
from kgprobe.mining.repairs import same_as
from kgprobe.mining.rules import Budget, UsedUpError
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.mutation.operator import NO_PINS, Change, Site
from kgprobe.mutation.update import UpdateOperator
from kgprobe.rdf.graph import FreshNames, Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode, Term

__all__ = ["Outcome", "TriedOperators", "keep_in_el"]

# How often an operator is tried alone: in this many graphs that it applies to, and this often in each.
_GRAPHS = 8
_DRAWS = 3
# This many operators of a family are tried alone.
_REPRESENTATIVES = 3
# Together: the number of mutations of a mutant, the least number of mutants in a round, and the most rounds.
_MUTATIONS = 30
_MUTANTS = 100
# At most this many operators take part in a mutant.
_TOGETHER = 400
_ROUNDS = 15
# It ends once this many mutants in a row have at most this share of invalid ones.
_IN_A_ROW = 300
_ENOUGH = 0.004
_NOWHERE = "it applies to none of the graphs"
_UNSURE = "it does not make sure that graphs stay in OWL 2 EL"


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
        return tuple(operator.update for operator in self.operators if operator.update is not None)

    def count(self, outcome: Outcome) -> int:
        """The number of operators with this outcome."""
        return sum(operator.outcome is outcome for operator in self.operators)


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
    grounds = [ground for ground in map(_TrialGraph, sorted(graphs, key=len)) if ground.is_in_el]
    if not grounds:
        message = "none of the graphs is in OWL 2 EL, so nothing can be kept in it"
        raise InputError(message, hint="leave out --keep-profile, or see 'kgprobe info' for what keeps them out")
    told = on_progress or (lambda *_: None)
    every = families(operators, _kinds(ground.graph for ground in grounds), labels)
    random = Random(f"{seed}/alone")
    for number, family in enumerate(every):
        told("trying each operator", number, len(every))
        _settle(family, grounds, random, budget)
    together = _together(every, grounds, seed, budget, told)
    return TriedOperators(_results(every, operators), *together)


def _results(every: Sequence[Family], operators: Sequence[MinedOperator]) -> tuple[TriedOperator, ...]:
    """What became of each operator, in the order in which they were given."""
    places = {id(operator): place for place, operator in enumerate(operators)}
    pairs = [(family, member) for family in every for member in family.members]
    pairs.sort(key=lambda pair: places[id(pair[1].operator)])
    results = [_result(family, member) for family, member in pairs]
    # An operator as it was mined comes before one that does the same after its repair.
    names: dict[tuple[object, ...], str] = {}
    same = [None if result.update is None else same_as(result.update) for result in results]
    for outcome in (Outcome.KEPT, Outcome.REPAIRED):
        for result, key in zip(results, same, strict=True):
            if result.outcome is outcome and result.update is not None and key is not None:
                names.setdefault(key, result.update.name)
    return tuple(
        result
        if key is None or result.update is None or names[key] == result.update.name
        else _merged(result, names[key])
        for result, key in zip(results, same, strict=True)
    )


def _result(family: Family, member: Member) -> TriedOperator:
    name, update = member.mined.name, member.form(family.repair)
    if update is None:
        return TriedOperator(name, Outcome.DROPPED, None, _why_dropped(family, member))
    if family.repair == 0:
        return TriedOperator(name, Outcome.KEPT, update)
    return TriedOperator(name, Outcome.REPAIRED, update, family.reason)


def _merged(result: TriedOperator, other: str) -> TriedOperator:
    """The same, unless another operator does the same."""
    if result.update is not None and result.update.name == other:
        return result
    reason = f"{result.reason}; repaired, it does the same as {other}"
    return TriedOperator(result.name, Outcome.MERGED, None, reason)


def _why_dropped(family: Family, member: Member) -> str:
    failures = [*family.failures, *([member.failure] if member.failure else [])]
    if not failures:
        return family.reason or "it was not tried"
    failure = failures[-1].replace(_NOWHERE, "what is left of it applies to none of the graphs")
    return f"{family.reason}; no repair: {failure}"


def _used_up(budget: Budget | None) -> str | None:
    """Why nothing more can be tried; None if something can."""
    try:
        if budget is not None:
            budget.check()
    except UsedUpError as error:
        return error.reason
    return None


# -- one graph ---------------------------------------------------------------------------------------------------------


class _TrialGraph:
    """A graph to try operators on."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._check = ElCheck(graph)
        self.is_in_el = self._check.rule is None

    def has(self, terms: Iterable[Term]) -> bool:
        """Whether the graph has all of these names and values."""
        return all(map(self.graph.mentions, terms))

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


def _settle(family: Family, grounds: Sequence[_TrialGraph], random: Random, budget: Budget | None) -> None:
    """Go on to the first form that passes its trials."""
    while not family.is_lost:
        if (used_up := _used_up(budget)) is not None:
            family.drop(f"it was not tried: {used_up}")
            return
        reason = _representative_reason(family, grounds, random)
        if family.repair == 0:
            family.is_idle = reason is _NOWHERE
        if reason is None or (reason is _NOWHERE and family.is_idle):
            if family.repair != 0 or family.is_sure:
                return
            reason = _UNSURE
        family.reject(reason)


def _representative_reason(family: Family, grounds: Sequence[_TrialGraph], random: Random) -> str | None:
    """Why a family cannot stay in its form, from the trials of a few members; None if it can."""
    is_used, tried = False, 0
    for member in family.members:
        operator = member.parsed(family.repair)
        if operator is None:
            continue
        needed = member.needs(family.repair)
        reason = _alone(operator, (ground for ground in grounds if ground.has(needed)), random)
        if reason is not None and reason is not _NOWHERE:
            return reason
        is_used |= reason is None
        tried += 1
        if tried == _REPRESENTATIVES:
            break
    return None if is_used else _NOWHERE


def _alone(operator: UpdateOperator, grounds: Iterable[_TrialGraph], random: Random) -> str | None:
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
    every: Sequence[Family],
    grounds: Sequence[_TrialGraph],
    seed: int,
    budget: Budget | None,
    told: Callable[[str, int, int], None],
) -> tuple[int, int]:
    """Try mutants with many mutations, round after round, until hardly any are invalid.

    Returns how many mutants were made with the operators as they are in the end, and how many of them were invalid. All
    operators of a family change together.
    """
    made = invalid = 0
    for number in range(_ROUNDS):
        if _used_up(budget) is not None:
            break
        present = _Present(every)
        count, blamed = _round(
            present, grounds, f"{seed}/{number}", budget, lambda *n: told("trying them together", *n)
        )
        made, invalid = made + count, invalid + sum(blamed.values())
        if invalid <= _ENOUGH * made and made >= _IN_A_ROW:
            break
        if blamed:
            made = invalid = 0
        random = Random(f"{seed}/{number}/again")
        changed: set[int] = set()
        for place, reason in blamed:
            if place not in changed:
                changed.add(place)
                every[place].reject(f"{reason}, after other mutations")
                _settle(every[place], grounds, random, budget)
    return made, invalid


class _Present:
    """The operators in their present forms, by the first name that each looks for."""

    def __init__(self, every: Sequence[Family]) -> None:
        self._every = every
        self._by_name: dict[Term | None, list[tuple[int, Member, tuple[Term, ...]]]] = {}
        for place, family in enumerate(every):
            for member in family.members:
                if member.form(family.repair) is not None:
                    needed = member.needs(family.repair)
                    self._by_name.setdefault(needed[0] if needed else None, []).append((place, member, needed[1:]))

    def sample(self, ground: _TrialGraph, random: Random) -> tuple[list[Weighted], dict[str, int]]:
        """Some operators that may apply to a graph, and the families of their names."""
        sampled: dict[int, list[Member]] = {}
        for name, members in self._by_name.items():
            if name is None or ground.graph.mentions(name):
                for place, member, needed in members:
                    if ground.has(needed):
                        sampled.setdefault(place, []).append(member)
        operators: list[Weighted] = []
        places: dict[str, int] = {}
        for place, member in _drawn(sampled, random):
            operator = member.parsed(self._every[place].repair)
            if operator is not None:
                operators.append(Weighted(operator))
                places[operator.description.name] = place
        return operators, places


def _drawn(sampled: dict[int, list[Member]], random: Random) -> list[tuple[int, Member]]:
    """Some members of as many families as possible: a few families have nearly all members."""
    drawn: list[tuple[int, Member]] = []
    left = {place: random.sample(members, min(len(members), _TOGETHER)) for place, members in sampled.items()}
    while left and len(drawn) < _TOGETHER:
        places = random.sample(sorted(left), min(len(left), _TOGETHER - len(drawn)))
        drawn += [(place, left[place].pop()) for place in places]
        left = {place: members for place, members in left.items() if members}
    return drawn


def _round(
    present: _Present,
    grounds: Sequence[_TrialGraph],
    seed: str,
    budget: Budget | None,
    told: Callable[[int, int], None],
) -> tuple[int, Counter[tuple[int, str]]]:
    """The number of mutants, and the families whose operators took one out of EL, with the reason."""
    blamed: Counter[tuple[int, str]] = Counter()
    mutants_of_a_ground = -(-_MUTANTS // len(grounds))
    random = Random(seed)
    made = 0
    for number, ground in enumerate(grounds):
        told(number * mutants_of_a_ground, len(grounds) * mutants_of_a_ground)
        if _used_up(budget) is not None:
            break
        operators, places = present.sample(ground, random)
        if not operators:
            continue
        generator = Generator(ground.graph, operators, mutations=_MUTATIONS, seed=random.getrandbits(32))
        for attempt in range(mutants_of_a_ground):
            graph, steps = generator.attempt(attempt)
            made += 1
            if ground.reason(graph) is not None:
                name, reason = _culprit(ground, steps)
                blamed[places[name], reason] += 1
    return made, blamed


def _culprit(ground: _TrialGraph, steps: Sequence[tuple[str, Change]]) -> tuple[str, str]:
    """A step that left EL, and the reason; found by halving, since steps that repair a graph are rare."""
    good, bad = 0, len(steps)
    graph, rule = _after(ground, steps)
    while bad - good > 1:
        middle = (good + bad) // 2
        halfway, broken = _after(ground, steps[:middle])
        if broken is None:
            good = middle
        else:
            bad, graph, rule = middle, halfway, broken
    assert rule is not None  # noqa: S101 - the whole mutant is not in EL
    name, change = steps[bad - 1]
    return name, _in_words(rule, graph, change)


def _after(ground: _TrialGraph, steps: Sequence[tuple[str, Change]]) -> tuple[Graph, str | None]:
    graph = ground.graph.copy()
    for _, change in steps:
        graph.change(change.removed, change.added)
    return graph, ground.reason(graph)
