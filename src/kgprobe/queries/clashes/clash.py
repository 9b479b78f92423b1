"""From statements about individuals to a proof that they contradict an ontology: the fewest axioms and statements.

A triple pattern of a query that must match states something about what its variables stand for. `?x a :Event` states
`ClassAssertion(:Event x)`, where `x` is `variable("x")`, an individual that the ontology does not have. `?x :likes
:ann` states `ObjectPropertyAssertion(:likes x :ann)`. If these statements contradict the ontology, no graph that is
consistent with the ontology has a match.

Literals. `?x :age 3` states `DataPropertyAssertion(:age x 3)`. An unknown literal has no name in OWL. `?x :age ?n`
states `ClassAssertion(DataSomeValuesFrom(:age R) x)`, where R is what is known about the literal: `rdfs:Literal`, or a
range such as `xsd:integer[>= 40]` from a FILTER. `Statement.value` names the variable: two statements with the same
`value` are about the same literal, which matters for keys and for disjoint properties.

Keys only apply to individuals with a name. A variable can stand for a blank node, so a key proves nothing about it
unless the caller says that it is named. A clash that needs more names than that has `needs_names`: it is not a proof.

Answers. A contradiction that rustdl finds is a proof. Where it finds none, but may have missed one, `auto` is asked; if
that is undecided, so is the `Decision`. Statements without a common individual do not affect each other (see
`ontology.modules`), so each group of connected statements is a question of its own, whose answer is kept: after a
change of one pattern, only its group is asked about again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kgprobe.owl.expression import Expression
from kgprobe.queries.clashes.reasoning import (
    NO_MODULE,
    Core,
    Engines,
    Item,
    Reason,
    Search,
    axioms_in,
    core_for,
    in_order,
    may_miss,
    reason_of,
)
from kgprobe.queries.derivations import Support
from kgprobe.queries.schema import Schema
from kgprobe.queries.statements import Group, StatedUnits, Statement, Unit, axioms_of
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.explanation import OutOfTimeError, needed
from kgprobe.reasoners.small_model import has_small_model

__all__ = ["ClashFinder"]

_MOST_KEPT = 4096  # answers
# In the search for a smaller set than the first:
_MOST_CHECKS_FOR_PATTERNS = 12
_MOST_CHECKS_FOR_AXIOMS = 30
_MOST_CLASHES = 20
_SECONDS_FOR_DOUBT = 1.5
_SECONDS_FOR_A_QUERY = 10.0
_SECONDS_AFTER_AN_ERROR = 3.0  # for the doubts of a query
_AFTER_ERRORS = "this is decided once the errors in the query are mended"
# Contradictions that follow in simple steps: how many are confirmed at once, and their size.
_MOST_PROPOSED = 4
_MOST_PREMISES = 32
_SMALL = 3  # the size of the only model that is tried when time is short


@dataclass(frozen=True, slots=True)
class Clash:
    """Axioms and patterns that contradict each other, as few as could be found.

    With `is_minimal`, no axiom and no pattern can be left out. With `needs_names`, the contradiction depends on a key,
    and so on variables that do not stand for blank nodes.
    """

    axioms: tuple[Expression, ...]
    origins: tuple[int, ...]
    needs_names: bool = False
    is_minimal: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """A clash, or none. If `decided` is False, there may be one that was not found; `why` is the reason."""

    clash: Clash | None
    decided: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """Clashes that have no pattern in common, and whether the rest is known to have none."""

    clashes: tuple[Clash, ...]
    decided: bool
    why: str = ""


class _Answer(NamedTuple):
    """Whether a group of units contradicts the ontology; None if undecided."""

    clashes: bool | None
    needs_names: bool = False
    why: str = ""
    by_care: bool = False


class ClashFinder:
    """Finds clashes between statements and one ontology, and keeps its answers."""

    def __init__(
        self, schema: Schema, engines: Engines | None = None, *, seconds_for_doubt: float = _SECONDS_FOR_DOUBT
    ) -> None:
        """Without `engines`, the finder has its own, which `close` ends.

        `seconds_for_doubt` is the time for one question to the careful reasoner.
        """
        self._seconds_for_doubt = seconds_for_doubt
        self.schema = schema
        self._is_owner = engines is None
        self.engines = engines or Engines()
        self._known_cores: dict[Group, Core] = {}
        self._answers: dict[Group, _Answer] = {}
        self._without_fast_clash: set[Group] = set()
        self._without_steps: set[Group] = set()
        self._seconds = self._end = self._seconds_for_doubts = float("inf")
        self._has_error = False
        self.has_needed_care = False
        """Whether the fast reasoner has missed a clash in the present query."""
        self._reasons: dict[tuple[Group, bool], Reason] = {}
        self._reasons_with: dict[Unit, list[Reason]] = {}
        self._ranks: dict[Reason, tuple[int, int, str]] = {}

    def start_query(self, seconds: float = _SECONDS_FOR_A_QUERY) -> None:
        """Limits the time for the questions that follow, which are about one query.

        When the time is over, the fast reasoner still decides whether there is a clash, but what it may have missed is
        undecided, and reasons are not minimal.
        """
        self._seconds = self._seconds_for_doubts = seconds
        self._has_error = False
        self._end = time.perf_counter() + seconds
        self.has_needed_care = False

    def hurry(self) -> None:
        """Little more time for doubts in this query. After it, models of one small size are still tried."""
        self._has_error = True
        self._seconds_for_doubts = min(self._seconds_for_doubts, _SECONDS_AFTER_AN_ERROR)

    @property
    def is_out_of_time(self) -> bool:
        """Whether the time for the query is over."""
        return time.perf_counter() > self._end

    def close(self) -> None:
        """End the processes of the reasoners, unless they were given."""
        if self._is_owner:
            self.engines.close()

    def __enter__(self) -> ClashFinder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find(
        self, statements: Iterable[Statement], named: Iterable[NamedNode] = (), *, with_care: bool = True
    ) -> Decision:
        """A clash of the statements with the ontology: a small one, if there are several.

        Without care, only clashes count that the fast reasoner finds.
        """
        found = self.find_all(statements, named, most=1, with_care=with_care)
        return Decision(found.clashes[0] if found.clashes else None, found.decided, found.why)

    def clash_each(self, worlds: Sequence[Iterable[Statement]], *, with_care: bool = True) -> list[bool]:
        """Whether each of several sets of statements has a clash: one round trip for all. No reasons are sought.

        Keys do not count for variables, which may stand for blank nodes. Without care, only clashes count that the fast
        reasoner finds.
        """
        given = [StatedUnits(each, frozenset()) for each in worlds]
        quick = [self._quick(world) is not None for world in given]
        cores = [[] if found else self._cores(world, world.units) for world, found in zip(given, quick, strict=True)]
        self._answered([core for group in cores for core in group], with_care=with_care)
        answers = [self._answered(group, with_care=with_care) for group in cores]
        found = [any(answer.clashes and not answer.needs_names for answer in group) for group in answers]
        return [one or other for one, other in zip(quick, found, strict=True)]

    def find_all(
        self,
        statements: Iterable[Statement],
        named: Iterable[NamedNode] = (),
        *,
        most: int = _MOST_CLASHES,
        with_care: bool = True,
    ) -> Findings:
        """Clashes that have no pattern in common.

        If a pattern takes part in several clashes, only one is reported: the others may be consequences of the same
        mistake. `named` are the variables that cannot stand for blank nodes.
        """
        world = StatedUnits(statements, frozenset(named))
        if most == 1 and (quick := self._quick(world)) is not None:
            clash = Clash(quick.axioms, world.origins(quick.units), is_minimal=quick.is_minimal)
            return Findings((clash,), decided=True)
        clashes: list[Clash] = []
        why: dict[str, None] = {}
        cores = self._cores(world, world.units)
        while cores and len(clashes) < most:
            answers = self._answered(cores, with_care=with_care)
            further: list[Core] = []
            for core, answer in zip(cores, answers, strict=True):
                if answer.clashes:
                    self.has_needed_care |= answer.by_care
                    reason = self._reason(core, answer.needs_names)
                    origins = world.origins(reason.units)
                    clashes.append(Clash(reason.axioms, origins, answer.needs_names, reason.is_minimal))
                    # Without patterns, the ontology contradicts itself, and so does all else.
                    further += self._cores(world, core.group.units.difference(reason.units) if reason.units else ())
                elif answer.clashes is None:
                    why[answer.why] = None
            cores = further
        clashes.sort(key=lambda clash: (len(clash.origins), len(clash.axioms), clash.origins))
        return Findings(tuple(clashes[:most]), not why, "; ".join(why))

    # -- cores --------------------------------------------------------------------------------------------------------

    def _cores(self, world: StatedUnits, units: Iterable[Unit]) -> list[Core]:
        """The units that can take part in a clash, by connection, each group with the axioms that can."""
        found: list[Core] = []
        pending = self._grouped(world, units)
        while pending:
            group = pending.pop()
            core = self._core_of(group)
            if core.group.units == group.units:
                found.append(core)
            elif core.group.units:
                pending += self._grouped(world, core.group.units)
        return sorted(found, key=lambda core: world.origins(core.group.units))

    def _core_of(self, group: Group) -> Core:
        known = self._known_cores.get(group)
        if known is None:
            known = self._known_cores[group] = core_for(self.schema.module(axioms_of(group)), group)
        return known

    def _grouped(self, world: StatedUnits, units: Iterable[Unit]) -> list[Group]:
        """Units by connection; those for which the ontology looks at all individuals at once are one group."""
        groups = world.groups(units)
        if len(groups) < 2:
            return groups
        joined = [group for group in groups if self._core_of(group).module.is_connected]
        if len(joined) < 2:
            return groups
        return [*(member for member in groups if member not in joined), world.joined(joined)]

    # -- answers ------------------------------------------------------------------------------------------------------

    def _answered(self, cores: Sequence[Core], *, with_care: bool) -> list[_Answer]:
        """The answers about cores: one round trip for all that are new."""
        if len(self._known_cores) > _MOST_KEPT:
            self._forget()
        for core in cores:
            if core.group not in self._answers and self._known_reason(core.group) is not None:
                self._answers[core.group] = _Answer(True)
        self._ask_fast(
            {
                core.group: core
                for core in cores
                if core.group not in self._answers and core.group not in self._without_fast_clash
            }
        )
        return [self._answer(core, with_care) for core in cores]

    def _forget(self) -> None:
        self._known_cores.clear()
        self._answers.clear()
        self._without_fast_clash.clear()
        self._without_steps.clear()
        self._reasons.clear()
        self._reasons_with.clear()
        self._ranks.clear()

    def _ask_fast(self, new: dict[Group, Core]) -> None:
        found = self.engines.find_clashes([core.whole() for core in new.values()])
        for group, clashes in zip(new, found, strict=True):
            if clashes:
                self._answers[group] = _Answer(True)
            else:
                self._without_fast_clash.add(group)

    # -- simple steps -------------------------------------------------------------------------------------------------

    def _quick(self, world: StatedUnits) -> Reason | None:
        """A reason that is known, or that follows in simple steps; it needs no module."""
        group = Group(frozenset(world.units), frozenset())
        known = self._known_reason(group)
        if known is None and group not in self._without_steps:
            self._confirm(Core(group, (), NO_MODULE), self._proposed(group))
            known = self._known_reason(group)
            if known is None:  # a step that the reasoner does not confirm proves nothing
                self._without_steps.add(group)
        return known

    def _proposed(self, group: Group) -> list[list[Item]]:
        """A few contradictions in simple steps that have no pattern in common."""
        chosen: list[Support] = []
        for found in self.schema.derivations.contradictions(group.units):
            is_small = len(found.units) + len(found.axioms) <= _MOST_PREMISES
            if is_small and all(found.units.isdisjoint(core.units) for core in chosen):
                chosen.append(found)
        return [in_order(core) for core in chosen[:_MOST_PROPOSED]]

    def _confirm(self, core: Core, proposed: Sequence[list[Item]]) -> None:
        """Asks about each set of items, and about what is left of it without one of them, in one round trip."""
        sets = [[items, *([item for item in items if item != out] for out in items)] for items in proposed]
        answers = iter(self.engines.find_clashes([core.stated(part) for parts in sets for part in parts]))
        for parts in sets:
            clashing = [part for part, clashes in zip(parts, answers, strict=False) if clashes]
            if clashing and clashing[0] is parts[0]:
                self._keep(self._reduced(core, clashing[-1], is_minimal=len(clashing) == 1))

    def _reduced(self, core: Core, items: list[Item], *, is_minimal: bool) -> Reason:
        """A reason within items that clash."""
        if not is_minimal:
            search = Search(self.engines, core, self._end)
            try:
                items = needed(items, search.is_enough)
            except OutOfTimeError:
                return reason_of(items, is_minimal=False)
        return reason_of(items, is_minimal=not may_miss(core.stated(items)))

    def _keep(self, reason: Reason) -> None:
        if reason.units:
            self._reasons_with.setdefault(reason.units[0], []).append(reason)

    def _answer(self, core: Core, with_care: bool) -> _Answer:
        known = self._answers.get(core.group)
        if known is not None:
            return known
        if not with_care:
            return _Answer(False)
        if self.is_out_of_time or self._seconds_for_doubts <= 0:
            is_certain = not core.keys and (not may_miss(core.whole()) or has_small_model(core.whole(), (_SMALL,)))
            return _Answer(False) if is_certain else _Answer(None, why=self._why_over())
        start = time.perf_counter()
        found = self._answers[core.group] = self._considered(core)._replace(by_care=True)
        self._seconds_for_doubts -= time.perf_counter() - start
        return found

    def _why_over(self) -> str:
        """The limit that has ended the search for what the fast reasoner may have missed."""
        if self._has_error and not self.is_out_of_time:
            return _AFTER_ERRORS
        return f"the {self._seconds:g} seconds for this query are over"

    def _considered(self, core: Core) -> _Answer:
        """The answer if the fast reasoner finds no clash: its gaps, and keys about individuals that may lack a name."""
        if may_miss(core.whole()):
            answer = self.engines.is_clash(core.whole(), self._seconds_for_doubt)
            if answer.value is False:
                return _Answer(True)
            if not answer.decided:
                return _Answer(None, why=answer.why)
        if not core.keys:
            return _Answer(False)
        generous = core.with_names()
        if generous.whole() != core.whole() and self.engines.find_clashes([generous.whole()])[0]:
            return _Answer(True, needs_names=True)
        return _Answer(None, why="keys are compared only with stated values") if core.has_names() else _Answer(False)

    # -- reasons ------------------------------------------------------------------------------------------------------

    def _reason(self, core: Core, needs_names: bool) -> Reason:
        known = self._reasons.get((core.group, needs_names))
        if known is None and not needs_names:
            known = self._known_reason(core.group)
        if known is None:
            known = self._searched(core.with_names() if needs_names else core)
            if not needs_names and not core.group.named:
                self._keep(known)
        self._reasons[core.group, needs_names] = known
        return known

    def _known_reason(self, group: Group) -> Reason | None:
        """The smallest of the known clashes within a group: more statements do not remove a clash."""
        found = (each for unit in group.units for each in self._reasons_with.get(unit, ()))
        within = (reason for reason in found if group.units.issuperset(reason.units))
        return min(within, key=self._rank, default=None)

    def _rank(self, reason: Reason) -> tuple[int, int, str]:
        known = self._ranks.get(reason)
        if known is None:
            known = self._ranks[reason] = (len(reason.units), len(reason.axioms), str(reason))
        return known

    def _searched(self, core: Core) -> Reason:
        """The reason for a clash: first the fewest patterns, then the fewest axioms for these."""
        search = Search(self.engines, core, self._end)
        units: list[Item] = [*core.units]
        axioms: list[Item] = [*core.axioms]
        try:
            if not search.is_enough(units + axioms):
                search.needs_care = True
            units = search.fewest(units, axioms, _MOST_CHECKS_FOR_PATTERNS)
            fewer = core_for(self.schema.module(axioms_in(units)), core.only(units).group)
            kept = set(fewer.axioms)
            near: list[Item] = [axiom for axiom in axioms if axiom in kept]
            axioms = near if search.is_enough(units + near) else axioms
            axioms = search.fewest(search.near(units, axioms), units, _MOST_CHECKS_FOR_AXIOMS)
        except OutOfTimeError:
            return reason_of(search.enough, is_minimal=False)
        best = [*units, *axioms]
        return reason_of(best, is_minimal=not search.has_doubts and not may_miss(core.stated(best)))
