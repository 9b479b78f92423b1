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
from itertools import chain
from typing import NamedTuple, TypeAlias

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.terms import NamedNode, Subject
from kgprobe.processes.limits import Limits
from kgprobe.reasoners.auto import AutoReasoner
from kgprobe.reasoners.catalogue import hosted
from kgprobe.reasoners.gaps import IN_OTHER_WORDS, gaps_of
from kgprobe.reasoners.ontology import Ontology, entities
from kgprobe.reasoners.protocol import Answer, Consistency
from kgprobe.reasoners.rephrase import rephrased
from kgprobe.reasoners.sufficient_sets import OutOfTimeError, needed, smallest
from kgprobe.sparql.schema import Schema
from kgprobe.sparql.shared_values import StatedValues
from kgprobe.sparql.statements import Group, Statement, Unit, World, axioms_of, is_variable, text_of

__all__ = ["Clash", "ClashFinder", "Decision", "Engines", "Findings"]

_MOST_KEPT = 4096  # answers
_MOST_CHECKS = 60  # in the search for a smaller set than the first
_MOST_CLASHES = 20
_SECONDS_FOR_A_REASON = 5.0
_SECONDS_FOR_DOUBT = 2.0


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
        (answer,) = self.careful.answer(Ontology(axioms), [Consistency()], seconds=seconds)
        return answer

    def close(self) -> None:
        """End their processes."""
        self.fast.close()
        if self._careful is not None:
            self._careful.close()


class ClashFinder:
    """Finds clashes between statements and one ontology, and keeps its answers."""

    def __init__(self, schema: Schema, engines: Engines | None = None) -> None:
        """Without `engines`, the finder has its own, which `close` ends."""
        self._schema = schema
        self._is_owner = engines is None
        self.engines = engines or Engines()
        self._answers: dict[Group, _Answer] = {}
        self._reasons: dict[tuple[Group, bool], _Reason] = {}

    def close(self) -> None:
        """End the processes of the reasoners, unless they were given."""
        if self._is_owner:
            self.engines.close()

    def __enter__(self) -> ClashFinder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def find(self, statements: Iterable[Statement], named: Iterable[NamedNode] = ()) -> Decision:
        """A clash of the statements with the ontology: the smallest one, if there are several."""
        found = self.find_all(statements, named, most=1)
        return Decision(found.clashes[0] if found.clashes else None, found.decided, found.why)

    def find_all(
        self, statements: Iterable[Statement], named: Iterable[NamedNode] = (), *, most: int = _MOST_CLASHES
    ) -> Findings:
        """Clashes that have no pattern in common.

        If a pattern takes part in several clashes, only one is reported: the others may be consequences of the same
        mistake. `named` are the variables that cannot stand for blank nodes.
        """
        world = World(statements, frozenset(named))
        clashes: list[Clash] = []
        why: dict[str, None] = {}
        groups = self._grouped(world, world.units)
        while groups and len(clashes) < most:
            answers = self._answered(groups)
            further: list[Group] = []
            for group, answer in zip(groups, answers, strict=True):
                if answer.clashes:
                    reason = self._reason(group, answer.needs_names)
                    origins = world.origins(reason.units)
                    clashes.append(Clash(reason.axioms, origins, answer.needs_names, reason.is_minimal))
                    # The units of a clash are left out: a unit that states nothing else takes part in no other.
                    further += self._grouped(world, group.units.difference(reason.units) if reason.units else ())
                elif answer.clashes is None:
                    why[answer.why] = None
            groups = further
        clashes.sort(key=lambda clash: (len(clash.axioms) + len(clash.origins), clash.origins))
        return Findings(tuple(clashes[:most]), not why, "; ".join(why))

    def _grouped(self, world: World, units: Iterable[Unit]) -> list[Group]:
        """Units by connection; those for which the ontology looks at all individuals at once are one group."""
        groups = world.groups(units)
        if len(groups) < 2:
            return groups
        joined = [each for each in groups if self._schema.module(axioms_of(each)).is_connected]
        if len(joined) < 2:
            return groups
        return [*(each for each in groups if each not in joined), world.joined(joined)]

    # -- answers ------------------------------------------------------------------------------------------------------

    def _answered(self, groups: Sequence[Group]) -> list[_Answer]:
        """The answers about groups: one round trip for all that are new."""
        if len(self._answers) > _MOST_KEPT:
            self._answers.clear()
            self._reasons.clear()
        new = [group for group in dict.fromkeys(groups) if group not in self._answers]
        questions = [_Question(self._schema, group, is_generous=False) for group in new]
        doubtful = []
        for question, clashes in zip(
            questions, self.engines.find_clashes([each.whole() for each in questions]), strict=True
        ):
            if clashes:
                self._answers[question.group] = _Answer(True)
            else:
                doubtful.append(question)
        for question in doubtful:
            self._answers[question.group] = self._considered(question)
        return [self._answers[group] for group in groups]

    def _considered(self, question: _Question) -> _Answer:
        """The answer if the fast reasoner finds no clash: its gaps, and keys about individuals that may lack a name."""
        if _may_miss(question.whole()):
            answer = self.engines.is_clash(question.whole(), _SECONDS_FOR_DOUBT)
            if answer.value is False:
                return _Answer(True)
            if not answer.decided:
                return _Answer(None, why=answer.why)
        generous = _Question(self._schema, question.group, is_generous=True)
        if generous.keys and generous.whole() != question.whole() and self.engines.find_clashes([generous.whole()])[0]:
            return _Answer(True, needs_names=True)
        if question.keys and question.has_names():
            return _Answer(None, why="keys are compared only with stated values")
        return _Answer(False)

    # -- reasons ------------------------------------------------------------------------------------------------------

    def _reason(self, group: Group, is_generous: bool) -> _Reason:
        known = self._reasons.get((group, is_generous))
        if known is None:
            known = self._reasons[group, is_generous] = self._searched(group, is_generous)
        return known

    def _searched(self, group: Group, is_generous: bool) -> _Reason:
        question = _Question(self._schema, group, is_generous=is_generous)
        search = _Search(self.engines, question)
        try:
            near = search.near()
            first = needed(near, search.is_enough)
        except OutOfTimeError:
            return _reason(search.enough, is_minimal=False)
        best, _ = smallest(first, near, search.is_enough, lambda: search.checks < _MOST_CHECKS)
        return _reason(best, is_minimal=not search.has_doubts and not _may_miss(question.stated(best)))


def _may_miss(axioms: tuple[Expression, ...]) -> bool:
    """Whether the fast reasoner may miss a contradiction in these axioms."""
    return bool(gaps_of("rustdl" + IN_OTHER_WORDS, Ontology(rephrased(axioms, with_marks=True)).features))


_Item: TypeAlias = "Expression | Unit"


def _reason(items: Iterable[_Item], *, is_minimal: bool) -> _Reason:
    given = list(items)
    axioms = tuple(each for each in given if type(each) is Expression)
    return _Reason(axioms, tuple(each for each in given if isinstance(each, frozenset)), is_minimal)


class _Question:
    """The module of a group, and the consequences of its keys for the individuals of the group."""

    def __init__(self, schema: Schema, group: Group, *, is_generous: bool) -> None:
        self.group = group
        self.units = sorted(group.units, key=text_of)
        self._is_generous = is_generous
        self._module = schema.module(axioms_of(group))
        self.axioms = self._module.axioms
        self.keys = [axiom for axiom in self.axioms if axiom.head == "HasKey"]

    def has_names(self) -> bool:
        """Whether a key may apply: an individual of the group has a name, or may be the same as one that has."""
        used = entities(axioms_of(self.group))
        is_named = any(kind == "NamedIndividual" and self._is_named(name) for kind, name in used)
        return is_named or self._module.has_nominals

    def whole(self) -> tuple[Expression, ...]:
        """All axioms of the module, and all statements."""
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
                axioms.append(self._module.shortened.get(item, item))
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
        return self._is_generous or not is_variable(individual) or individual in self.group.named


class _Search:
    """The search for the reason of one clash, within its time."""

    def __init__(self, engines: Engines, question: _Question) -> None:
        self._engines = engines
        self._question = question
        self._end = time.perf_counter() + _SECONDS_FOR_A_REASON
        self._known: dict[frozenset[_Item], bool] = {}
        self.checks = 0
        self.has_doubts = False
        self.enough: list[_Item] = [*question.units, *question.axioms]
        self._needs_care = False

    def near(self) -> list[_Item]:
        """Items that clash: the units, with the axioms that share names with them, as far as needed."""
        units: list[_Item] = [*self._question.units]
        axioms = list(self._question.axioms)
        used = {axiom: entities([axiom]) for axiom in axioms}
        reached = entities(said.axiom for unit in self._question.units for said in unit)
        near: dict[Expression, None] = {}
        while True:
            new = [axiom for axiom in axioms if axiom not in near and not used[axiom].isdisjoint(reached)]
            if not new:
                break
            near |= dict.fromkeys(new)
            if self.is_enough([*units, *near]):
                return [*units, *near]
            reached |= {name for axiom in new for name in used[axiom]}
        whole: list[_Item] = [*units, *axioms]
        if not self.is_enough(whole):  # only the careful reasoner sees it
            self._needs_care = True
        return whole

    def is_enough(self, items: Sequence[_Item]) -> bool:
        """Whether these items contradict each other."""
        key = frozenset(items)
        found = self._known.get(key)
        if found is None:
            left = self._end - time.perf_counter()
            if left <= 0:
                raise OutOfTimeError
            self.checks += 1
            found = self._known[key] = self._clashes(self._question.stated(items), left)
            if found and len(items) < len(self.enough):
                self.enough = list(items)
        return found

    def _clashes(self, axioms: tuple[Expression, ...], seconds: float) -> bool:
        if self._engines.find_clashes([axioms])[0]:
            return True
        if not self._needs_care or not _may_miss(axioms):
            return False
        answer = self._engines.is_clash(axioms, seconds)
        self.has_doubts |= not answer.decided
        return answer.value is False
