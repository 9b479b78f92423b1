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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeAlias

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.terms import NamedNode, Subject
from kgprobe.ontology.modules import Module, core_of
from kgprobe.processes.limits import Limits
from kgprobe.reasoners.auto import NO_MODEL, AutoReasoner
from kgprobe.reasoners.catalogue import hosted
from kgprobe.reasoners.gaps import IN_OTHER_WORDS, gaps_of
from kgprobe.reasoners.ontology import Ontology, entities
from kgprobe.reasoners.protocol import Answer, Consistency
from kgprobe.reasoners.rephrase import rephrased
from kgprobe.reasoners.small_model import has_small_model
from kgprobe.reasoners.sufficient_sets import OutOfTimeError, needed, smallest
from kgprobe.sparql.clashes.derivations import Support
from kgprobe.sparql.clashes.shared_values import StatedValues
from kgprobe.sparql.clashes.statements import Group, Statement, Unit, World, axioms_of, is_variable, text_of
from kgprobe.sparql.schema import Schema

__all__ = ["Clash", "ClashFinder", "Decision", "Engines", "Findings"]

_MOST_KEPT = 4096  # answers
# In the search for a smaller set than the first:
_MOST_CHECKS_FOR_PATTERNS = 12
_MOST_CHECKS_FOR_AXIOMS = 30
_MOST_CLASHES = 20
_SECONDS_FOR_A_REASON = 5.0
_SECONDS_FOR_DOUBT = 1.5
_SECONDS_FOR_A_QUERY = 10.0
_SECONDS_FOR_DOUBTS = 3.0  # of a query
_OUT_OF_TIME = "there was no time left"
# Contradictions that follow in simple steps: how many are confirmed at once, and their size.
_MOST_PROPOSED = 4
_MOST_PREMISES = 16
_SIZES = (3, 8)  # of models that are tried before the careful reasoner


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


class _Reason(NamedTuple):
    axioms: tuple[Expression, ...]
    units: tuple[Unit, ...]
    is_minimal: bool


class Engines:
    """The reasoners behind clashes. They can serve several ontologies; each starts when it is first needed."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self.fast = hosted("rustdl", self._limits)
        self._careful: AutoReasoner | None = None
        self.checks = 0
        """How many questions the fast reasoner was asked."""

    @property
    def careful(self) -> AutoReasoner:
        """The reasoner for what the fast one may get wrong."""
        if self._careful is None:
            self._careful = AutoReasoner(self._limits)
        return self._careful

    def find_clashes(self, sets: Sequence[tuple[Expression, ...]]) -> list[bool]:
        """Whether the fast reasoner finds a contradiction in each of these sets of axioms, in one round trip."""
        if not sets:
            return []
        self.checks += len(sets)
        asked = [(Ontology(rephrased(axioms, with_marks=True)), [Consistency()]) for axioms in sets]
        return [answer.value is False for (answer,) in self.fast.answer_many(asked)]

    def is_clash(self, axioms: tuple[Expression, ...], seconds: float) -> Answer:
        """The careful answer to the question whether the axioms have a model."""
        start = time.perf_counter()
        ontology = Ontology(axioms)
        if ontology.features & NO_MODEL:
            why = f"no reasoner is certain about {', '.join(sorted(ontology.features & NO_MODEL))}"
            return Answer(None, "", 0.0, complete=False, why=why)
        if has_small_model(axioms, _SIZES):
            return Answer(True, "model", time.perf_counter() - start, complete=True)
        (answer,) = self.careful.answer(ontology, [Consistency()], seconds=seconds)
        return answer

    def close(self) -> None:
        """End their processes."""
        self.fast.close()
        if self._careful is not None:
            self._careful.close()


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
        self._known_cores: dict[Group, _Core] = {}
        self._answers: dict[Group, _Answer] = {}
        self._without_fast_clash: set[Group] = set()
        self._without_steps: set[Group] = set()
        self._end = self._seconds_for_doubts = float("inf")
        self.has_needed_care = False
        """Whether the fast reasoner has missed a clash in the present query."""
        self._reasons: dict[tuple[Group, bool], _Reason] = {}
        self._reasons_with: dict[Unit, list[_Reason]] = {}

    def start_query(self, seconds: float = _SECONDS_FOR_A_QUERY) -> None:
        """Limits the time for the questions that follow, which are about one query.

        When the time is over, the fast reasoner still decides whether there is a clash, but what it may have missed is
        undecided, and reasons are not minimal.
        """
        self._end = time.perf_counter() + seconds
        self._seconds_for_doubts = _SECONDS_FOR_DOUBTS
        self.has_needed_care = False

    def hurry(self) -> None:
        """No more time for doubts in this query: models of one small size are still tried."""
        self._seconds_for_doubts = 0.0

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
        given = [World(each, frozenset()) for each in worlds]
        quick = [self._quick(world) is not None for world in given]
        cores = [[] if found else self._cores(world, world.units) for world, found in zip(given, quick, strict=True)]
        self._answered([core for group in cores for core in group], with_care=with_care)
        answers = [self._answered(group, with_care=with_care) for group in cores]
        found = [any(each.clashes and not each.needs_names for each in group) for group in answers]
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
        world = World(statements, frozenset(named))
        if most == 1 and (quick := self._quick(world)) is not None:
            clash = Clash(quick.axioms, world.origins(quick.units), is_minimal=quick.is_minimal)
            return Findings((clash,), decided=True)
        clashes: list[Clash] = []
        why: dict[str, None] = {}
        cores = self._cores(world, world.units)
        while cores and len(clashes) < most:
            answers = self._answered(cores, with_care=with_care)
            further: list[_Core] = []
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

    def _cores(self, world: World, units: Iterable[Unit]) -> list[_Core]:
        """The units that can take part in a clash, by connection, each group with the axioms that can."""
        found: list[_Core] = []
        pending = self._grouped(world, units)
        while pending:
            group = pending.pop()
            core = self._core_of(group)
            if core.group.units == group.units:
                found.append(core)
            elif core.group.units:
                pending += self._grouped(world, core.group.units)
        return sorted(found, key=lambda core: world.origins(core.group.units))

    def _core_of(self, group: Group) -> _Core:
        known = self._known_cores.get(group)
        if known is None:
            known = self._known_cores[group] = _core(self.schema.module(axioms_of(group)), group)
        return known

    def _grouped(self, world: World, units: Iterable[Unit]) -> list[Group]:
        """Units by connection; those for which the ontology looks at all individuals at once are one group."""
        groups = world.groups(units)
        if len(groups) < 2:
            return groups
        joined = [each for each in groups if self._core_of(each).module.is_connected]
        if len(joined) < 2:
            return groups
        return [*(each for each in groups if each not in joined), world.joined(joined)]

    # -- answers ------------------------------------------------------------------------------------------------------

    def _answered(self, cores: Sequence[_Core], *, with_care: bool) -> list[_Answer]:
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

    def _ask_fast(self, new: dict[Group, _Core]) -> None:
        found = self.engines.find_clashes([core.whole() for core in new.values()])
        for group, clashes in zip(new, found, strict=True):
            if clashes:
                self._answers[group] = _Answer(True)
            else:
                self._without_fast_clash.add(group)

    # -- simple steps -------------------------------------------------------------------------------------------------

    def _quick(self, world: World) -> _Reason | None:
        """A reason that is known, or that follows in simple steps; it needs no module."""
        group = Group(frozenset(world.units), frozenset())
        known = self._known_reason(group)
        if known is None and group not in self._without_steps:
            self._confirm(_Core(group, (), _NO_MODULE), self._proposed(group))
            known = self._known_reason(group)
            if known is None:  # a step that the reasoner does not confirm proves nothing
                self._without_steps.add(group)
        return known

    def _proposed(self, group: Group) -> list[list[_Item]]:
        """A few contradictions in simple steps that have no pattern in common."""
        chosen: list[Support] = []
        for found in self.schema.derivations.contradictions(group.units):
            is_small = len(found.units) + len(found.axioms) <= _MOST_PREMISES
            if is_small and all(found.units.isdisjoint(each.units) for each in chosen):
                chosen.append(found)
        return [_in_order(each) for each in chosen[:_MOST_PROPOSED]]

    def _confirm(self, core: _Core, proposed: Sequence[list[_Item]]) -> None:
        """Asks about each set of items, and about what is left of it without one of them, in one round trip."""
        sets = [[items, *([each for each in items if each != out] for out in items)] for items in proposed]
        answers = iter(self.engines.find_clashes([core.stated(part) for parts in sets for part in parts]))
        for parts in sets:
            clashing = [part for part, clashes in zip(parts, answers, strict=False) if clashes]
            if clashing and clashing[0] is parts[0]:
                self._keep(self._reduced(core, clashing[-1], is_minimal=len(clashing) == 1))

    def _reduced(self, core: _Core, items: list[_Item], *, is_minimal: bool) -> _Reason:
        """A reason within items that clash."""
        if not is_minimal:
            search = _Search(self.engines, core, self._end)
            try:
                items = needed(items, search.is_enough)
            except OutOfTimeError:
                return _reason(items, is_minimal=False)
        return _reason(items, is_minimal=not _may_miss(core.stated(items)))

    def _keep(self, reason: _Reason) -> None:
        if reason.units:
            self._reasons_with.setdefault(reason.units[0], []).append(reason)

    def _answer(self, core: _Core, with_care: bool) -> _Answer:
        known = self._answers.get(core.group)
        if known is not None:
            return known
        if not with_care:
            return _Answer(False)
        if self.is_out_of_time or self._seconds_for_doubts <= 0:
            is_certain = not core.keys and (not _may_miss(core.whole()) or has_small_model(core.whole(), _SIZES[:1]))
            return _Answer(False) if is_certain else _Answer(None, why=_OUT_OF_TIME)
        start = time.perf_counter()
        found = self._answers[core.group] = self._considered(core)._replace(by_care=True)
        self._seconds_for_doubts -= time.perf_counter() - start
        return found

    def _considered(self, core: _Core) -> _Answer:
        """The answer if the fast reasoner finds no clash: its gaps, and keys about individuals that may lack a name."""
        if _may_miss(core.whole()):
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

    def _reason(self, core: _Core, needs_names: bool) -> _Reason:
        known = self._reasons.get((core.group, needs_names))
        if known is None and not needs_names:
            known = self._known_reason(core.group)
        if known is None:
            known = self._searched(core.with_names() if needs_names else core)
            if not needs_names and not core.group.named:
                self._keep(known)
        self._reasons[core.group, needs_names] = known
        return known

    def _known_reason(self, group: Group) -> _Reason | None:
        """The smallest of the known clashes within a group: more statements do not remove a clash."""
        found = (each for unit in group.units for each in self._reasons_with.get(unit, ()))
        within = (each for each in found if group.units.issuperset(each.units))
        return min(within, key=lambda each: (len(each.units), len(each.axioms), str(each)), default=None)

    def _searched(self, core: _Core) -> _Reason:
        """The reason for a clash: first the fewest patterns, then the fewest axioms for these."""
        search = _Search(self.engines, core, self._end)
        units: list[_Item] = [*core.units]
        axioms: list[_Item] = [*core.axioms]
        try:
            if not search.is_enough(units + axioms):
                search.needs_care = True
            units = search.fewest(units, axioms, _MOST_CHECKS_FOR_PATTERNS)
            fewer = _core(self.schema.module(_axioms_in(units)), core.only(units).group)
            kept = set(fewer.axioms)
            near: list[_Item] = [each for each in axioms if each in kept]
            axioms = near if search.is_enough(units + near) else axioms
            axioms = search.fewest(search.near(units, axioms), units, _MOST_CHECKS_FOR_AXIOMS)
        except OutOfTimeError:
            return _reason(search.enough, is_minimal=False)
        best = [*units, *axioms]
        return _reason(best, is_minimal=not search.has_doubts and not _may_miss(core.stated(best)))


def _may_miss(axioms: tuple[Expression, ...]) -> bool:
    """Whether the fast reasoner may miss a contradiction in these axioms."""
    return bool(gaps_of("rustdl" + IN_OTHER_WORDS, Ontology(rephrased(axioms, with_marks=True)).features))


_Item: TypeAlias = "Expression | Unit"
_NO_MODULE = Module((), {}, is_connected=False, has_nominals=False)


def _in_order(support: Support) -> list[_Item]:
    """The patterns, the axioms about names in them, and the other axioms."""
    units = sorted(support.units, key=text_of)
    used = entities(_axioms_in(units))
    axioms = sorted(support.axioms, key=lambda axiom: (used.isdisjoint(entities([axiom])), str(axiom)))
    return [*units, *axioms]


def _reason(items: Iterable[_Item], *, is_minimal: bool) -> _Reason:
    given = list(items)
    axioms = tuple(each for each in given if type(each) is Expression)
    return _Reason(axioms, tuple(each for each in given if isinstance(each, frozenset)), is_minimal)


class _Core(NamedTuple):
    """Connected units, and the axioms that can take part in a contradiction with them."""

    group: Group
    axioms: tuple[Expression, ...]
    module: Module
    is_generous: bool = False

    @property
    def units(self) -> list[Unit]:
        """The units, in an order that depends only on them."""
        return sorted(self.group.units, key=text_of)

    @property
    def keys(self) -> list[Expression]:
        """The keys among the axioms."""
        return [axiom for axiom in self.axioms if axiom.head == "HasKey"]

    def with_names(self) -> _Core:
        """The same, if no variable stands for a blank node."""
        return self._replace(is_generous=True)

    def only(self, units: Iterable[_Item]) -> _Core:
        """The same with fewer units."""
        kept = frozenset(each for each in units if isinstance(each, frozenset))
        return self._replace(group=self.group._replace(units=kept))

    def has_names(self) -> bool:
        """Whether a key may apply: an individual of the group has a name, or may be the same as one that has."""
        used = entities(axioms_of(self.group))
        is_named = any(kind == "NamedIndividual" and self._is_named(name) for kind, name in used)
        return is_named or self.module.has_nominals

    def whole(self) -> tuple[Expression, ...]:
        """All axioms, and all statements."""
        return self.stated([*self.axioms, *self.units])

    def stated(self, items: Iterable[_Item]) -> tuple[Expression, ...]:
        """The axioms among the items as reasoners get them, and the statements of the units."""
        axioms: list[Expression] = []
        units: list[Unit] = []
        keys: list[Expression] = []
        for item in items:
            if type(item) is not Expression:
                units.append(item)
            elif item.head == "HasKey":
                keys.append(item)
            else:
                axioms.append(self.module.shortened.get(item, item))
        said = [each for unit in units for each in sorted(unit, key=str)]
        stated = dict.fromkeys(chain(axioms, (each.axiom for each in said)))
        shared = [axiom for axiom in axioms if axiom.head == "DisjointDataProperties"]
        if keys or shared:
            values = StatedValues(stated, {each.axiom: each.value for each in said if each.value})
            for key in keys:
                stated |= dict.fromkeys(values.consequences(key, self._is_named))
            for axiom in shared:
                stated |= dict.fromkeys(values.contradictions(axiom))
        return tuple(stated)

    def _is_named(self, individual: Subject) -> bool:
        if type(individual) is not NamedNode:
            return False
        return self.is_generous or not is_variable(individual) or individual in self.group.named


def _core(module: Module, group: Group) -> _Core:
    """The part of a group, and of its module, that can take part in a contradiction."""
    left = set(core_of([*module.stated(), *axioms_of(group)]))
    axioms = tuple(axiom for axiom in module.axioms if module.shortened.get(axiom, axiom) in left)
    units = frozenset(unit for unit in group.units if any(said.axiom in left for said in unit))
    return _Core(group._replace(units=units), axioms, module)


def _axioms_in(items: Iterable[_Item]) -> Iterator[Expression]:
    return (said.axiom for item in items if isinstance(item, frozenset) for said in item)


class _Search:
    """The search for the reason of one clash, within its time."""

    def __init__(self, engines: Engines, core: _Core, end: float) -> None:
        self._engines = engines
        self._core = core
        self._end = min(time.perf_counter() + _SECONDS_FOR_A_REASON, end)
        self._known: dict[frozenset[_Item], bool] = {}
        self._checks = 0
        self.needs_care = False
        self.has_doubts = False
        self.enough: list[_Item] = [*core.units, *core.axioms]

    def fewest(self, items: list[_Item], others: list[_Item], most_checks: int) -> list[_Item]:
        """The fewest of the items that clash together with the others, as far as the number of checks allows."""

        def is_enough(part: list[_Item]) -> bool:
            return self.is_enough(part + others)

        first = needed(items, is_enough)
        end = self._checks + most_checks
        best, _ = smallest(first, items, is_enough, lambda: self._checks < end)
        return best

    def near(self, units: list[_Item], axioms: list[_Item]) -> list[_Item]:
        """Axioms that clash with the units: those that share names with them, and with each other, as far as needed."""
        used = {axiom: entities([axiom]) for axiom in axioms if type(axiom) is Expression}
        reached = entities(_axioms_in(units))
        near: dict[_Item, None] = {}
        while True:
            new = [axiom for axiom in used if axiom not in near and not used[axiom].isdisjoint(reached)]
            if not new:
                return axioms
            near |= dict.fromkeys(new)
            if self.is_enough([*units, *near]):
                return list(near)
            reached |= {name for axiom in new for name in used[axiom]}

    def is_enough(self, items: Sequence[_Item]) -> bool:
        """Whether these items contradict each other."""
        key = frozenset(items)
        found = self._known.get(key)
        if found is None:
            left = self._end - time.perf_counter()
            if left <= 0:
                raise OutOfTimeError
            self._checks += 1
            found = self._known[key] = self._clashes(self._core.stated(items), left)
            if found and len(items) < len(self.enough):
                self.enough = list(items)
        return found

    def _clashes(self, axioms: tuple[Expression, ...], seconds: float) -> bool:
        if self._engines.find_clashes([axioms])[0]:
            return True
        if not self.needs_care or not _may_miss(axioms):
            return False
        answer = self._engines.is_clash(axioms, seconds)
        self.has_doubts |= not answer.decided
        return answer.value is False
