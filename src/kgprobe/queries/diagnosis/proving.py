"""From the worlds of a query to findings: which facts cannot hold, and which of them to blame."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from kgprobe.queries.clashes.clash import Clash, ClashFinder
from kgprobe.queries.diagnosis.condition_conflicts import ConditionJudge
from kgprobe.queries.diagnosis.term_conflicts import Conflict, simple_conflicts
from kgprobe.queries.diagnosis.views import View
from kgprobe.queries.patterns.facts import Binding, Choice, Condition, Edge, Fact, Rows
from kgprobe.queries.patterns.worlds import World
from kgprobe.queries.schema import Schema, inconsistent
from kgprobe.rdf.terms import RDF
from kgprobe.sparql.algebra import Call, VariableUse

_MOST_IN_WORLD = 20
# Each value is a question for the reasoner.
_MOST_VALUES = 8


@dataclass(frozen=True)
class Blame:
    """A conflict in a world: the fact to blame, and the others that take part."""

    world: World
    conflict: Conflict
    blamed: Fact
    others: tuple[Fact, ...]
    view: View


@dataclass(frozen=True)
class UndecidedWorld:
    """A world about which a reasoner has no answer."""

    world: World
    why: str


@dataclass(frozen=True)
class Remark:
    """A condition or an expression of a group that can hold, but looks wrong."""

    fact: Condition | Binding
    code: str
    words: str


class Prover:
    """Proves that parts of queries cannot match. It keeps the answers of its reasoner for the next query."""

    def __init__(self, schema: Schema, finder: ClashFinder) -> None:
        self.schema = schema
        self._finder = finder
        self._with_care = True

    def start_query(self) -> None:
        """Starts the time that the proofs about one query may take."""
        self._finder.start_query()

    @property
    def has_needed_care(self) -> bool:
        """Whether the fast reasoner has missed a contradiction in the present query."""
        return self._finder.has_needed_care

    @property
    def is_out_of_time(self) -> bool:
        """Whether the time for the query is over."""
        return self._finder.is_out_of_time

    def findings(
        self, worlds: Iterable[World], text: str, *, with_care: bool = True
    ) -> Iterator[Blame | Remark | UndecidedWorld]:
        """The findings of all worlds of a query. A fact that cannot hold is left out of all further worlds.

        Without care, contradictions are only those that the fast reasoner finds. Care can take much longer than all
        else, so there is little of it after the first proof: the rest may be undecided until that error is mended.
        """
        self._with_care = with_care
        dead: dict[Fact, Conflict] = {}
        doubtful: set[tuple[Fact, str]] = set()
        for world in worlds:
            for found in self._in_world(world, dead, text):
                if isinstance(found, Blame):
                    if found.conflict.is_proof:
                        dead.setdefault(found.blamed, found.conflict)
                        self._finder.hurry()
                    elif (found.blamed, found.conflict.code) in doubtful:
                        continue  # it was found in the world around this one
                    else:
                        doubtful.add((found.blamed, found.conflict.code))
                yield found

    def _in_world(
        self, world: World, dead: Mapping[Fact, Conflict], text: str
    ) -> Iterator[Blame | Remark | UndecidedWorld]:
        if world.combinations:
            yield from self._in_combinations(world, dead, text)
            return
        blamed = {number: dead[fact] for number, fact in enumerate(world.facts) if fact in dead}
        numbered = tuple(each for each in enumerate(world.facts) if each[0] not in blamed)
        for _ in range(_MOST_IN_WORLD):
            view = self._view(numbered)
            found = self._first(view, text) or self._dead_choice(numbered, view, text)
            if not isinstance(found, Conflict):
                if found is not None:
                    yield UndecidedWorld(world, found)
                yield from self._hidden(world, numbered, blamed, text)
                yield from _remarks(view, world, text)
                return
            finding = self._finding(found, view, numbered, world)
            yield finding
            blamed |= {number: found for number, fact in numbered if fact is finding.blamed and found.is_proof}
            numbered = tuple(each for each in numbered if each[1] is not finding.blamed)

    def _view(self, numbered: Sequence[tuple[int, Fact]]) -> View:
        return View(tuple(each for each in numbered if not isinstance(each[1], Choice)), self.schema)

    def _hidden(
        self, world: World, sound: Sequence[tuple[int, Fact]], blamed: Mapping[int, Conflict], text: str
    ) -> Iterator[Blame]:
        """The conflicts of other kinds that facts take part in which have been blamed already, and left out since."""
        facts = world.facts
        for number, known in blamed.items():
            numbered = sorted((*sound, (number, facts[number])), key=lambda each: each[0])
            view = self._view(numbered)
            conditions = [] if known.kind == "condition" else self._conditions(view, text)
            for conflict in (*self._simple(view), *conditions, *self._clashes(view)):
                is_new = conflict.kind != known.kind or conflict.variable != known.variable
                is_other = conflict.kind == "simple" or not set(known.facts) <= set(conflict.facts)
                is_own = any(each >= len(world.around) for each in conflict.facts)
                if conflict.is_proof and is_new and is_other and is_own:
                    yield self._finding(conflict, view, numbered, world)

    def _in_combinations(self, world: World, dead: Mapping[Fact, Conflict], text: str) -> Iterator[Blame]:
        """A finding if all combinations are contradictory whose facts are not in conflict on their own."""
        found: list[Blame] = []
        for own in world.combinations:
            if not any(fact in dead for fact in own):
                whole = replace(world, own=own)
                numbered = tuple((number, fact) for number, fact in enumerate(whole.facts) if fact not in dead)
                view = self._view(numbered)
                conflict = self._first(view, text)
                if not isinstance(conflict, Conflict) or not conflict.is_proof:
                    return
                found.append(self._finding(conflict, view, numbered, whole))
        if found:
            yield _in_one(found)

    def _first(self, view: View, text: str) -> Conflict | str | None:
        """A conflict, or why none was found although there may be one."""
        doubtful: list[Conflict] = []
        for found in (self._simple, partial(self._conditions, text=text)):
            conflicts = found(view)
            if conflicts and conflicts[0].is_proof:
                return conflicts[0]
            doubtful += conflicts
        decision = self._finder.find(view.statements, view.named, with_care=self._with_care)
        if decision.clash is not None:
            return self._clash(decision.clash, view)
        if doubtful:
            return doubtful[0]
        return None if decision.decided else decision.why

    def _simple(self, view: View) -> list[Conflict]:
        """The conflicts that need no reasoner, the plainest proofs first."""
        return sorted(simple_conflicts(view), key=lambda each: (not each.is_proof, len(each.facts)))

    def _conditions(self, view: View, text: str) -> list[Conflict]:
        """The conditions that cannot hold, proofs first."""
        return sorted(ConditionJudge(view, text).conflicts(), key=lambda each: not each.is_proof)

    def _clash(self, clash: Clash, view: View) -> Conflict:
        if not clash.origins:
            raise inconsistent(self.schema, clash.axioms)
        proviso = "unless a variable stands for a blank node" if clash.needs_names else ""
        numbers = view.behind(clash.origins)
        axioms = tuple(dict.fromkeys((*clash.axioms, *view.axioms_behind(numbers))))
        return Conflict(numbers, "contradiction", "", axioms, None, proviso)

    def _clashes(self, view: View) -> list[Conflict]:
        """What a reasoner finds, without care: other errors have been proven."""
        clash = self._finder.find(view.statements, view.named, with_care=False).clash
        return [] if clash is None else [self._clash(clash, view)]

    def _dead_choice(self, numbered: Sequence[tuple[int, Fact]], view: View, text: str) -> Conflict | None:
        """A path, VALUES or IN that can match in no way."""
        ends = {part for link in view.links for part in (link.subject, link.predicate, link.object)}
        for number, fact in numbered:
            ways = _ways_of(fact, ends)
            if ways:
                rest = replace(view, facts=tuple(each for each in view.facts if each[0] != number), _numbers={})
                certain = self._in_all_ways(number, ways, rest, text)
                if certain:
                    return Conflict(
                        tuple(sorted({number, *(fact for each in certain for fact in each.facts)})),
                        certain[0].code,
                        _of_all_ways(certain),
                        tuple(dict.fromkeys(axiom for each in certain for axiom in each.axioms)),
                        certain[0].variable,
                        "; ".join(dict.fromkeys(each.proviso for each in certain if each.proviso)),
                    )
        return None

    def _in_all_ways(
        self, number: int, ways: Sequence[tuple[Fact, ...]], rest: View, text: str
    ) -> list[Conflict] | None:
        """The conflicts of a fact in each of its ways; None if it has none in one of them."""
        found: list[Conflict] = []
        for way in ways:
            facts = (*rest.facts, *((number, fact) for fact in way))
            conflict = self._first(replace(rest, facts=facts, _numbers={}), text)
            if not isinstance(conflict, Conflict) or number not in conflict.facts:
                return None
            found.append(conflict)
        return found

    # -- blame ---------------------------------------------------------------------------------------------------------

    def _finding(self, conflict: Conflict, view: View, numbered: Sequence[tuple[int, Fact]], world: World) -> Blame:
        facts = dict(numbered)
        involved = [number for number in conflict.facts if number in facts]
        own = [number for number in involved if number >= len(world.around)]
        choices = [number for number in own or involved if isinstance(facts[number], Choice)]
        plain = [number for number in involved if not isinstance(facts[number], Choice)]
        blamed = choices[-1] if choices else self._blamed(conflict, plain, view, world)
        others = tuple(facts[number] for number in sorted(involved) if number != blamed)
        return Blame(world, conflict, facts[blamed], _without_twins(others, facts[blamed]), view)

    def _blamed(self, conflict: Conflict, involved: Sequence[int], view: View, world: World) -> int:
        """The fact to blame: one of the group itself, and best one without which all others can hold."""
        own = [number for number in involved if number >= len(world.around)] or list(involved)
        facts = dict(view.facts)
        by_place = sorted(own, key=lambda number: facts[number].source.span)
        conditions = [number for number in by_place if isinstance(facts.get(number), Condition)]
        patterns = [number for number in by_place if isinstance(facts[number], Edge)]
        candidates = conditions or patterns or by_place
        if len(candidates) > 1 and conflict.code == "contradiction":
            candidates = self._repairs(candidates, view) or candidates
        return max(candidates, key=lambda number: (not _is_type(facts[number]), candidates.index(number)))

    def _repairs(self, numbers: Sequence[int], view: View) -> list[int]:
        """The facts without which no clash is found. It only matters for the place of the message, so without care."""
        clashes = self._finder.clash_each(list(map(view.statements_without, numbers)), with_care=False)
        return [number for number, has_clash in zip(numbers, clashes, strict=True) if not has_clash]


def _is_type(fact: Fact) -> bool:
    """Whether a fact states the type of something. Authors seldom get that wrong."""
    return isinstance(fact, Edge) and fact.predicate == RDF.type


def _ways_of(fact: Fact, ends: Container[object]) -> Sequence[tuple[Fact, ...]]:
    """The ways in which a fact can hold, if there are several: those of a path, or the values of a variable."""
    match fact:
        case Choice(ways=ways):
            return ways
        case Rows(variables=variables, rows=rows) if 1 < len(rows) <= _MOST_VALUES:
            return [(replace(fact, rows=(row,)),) for row in rows] if any(each in ends for each in variables) else ()
        case Condition(expression=Call(name="IN", arguments=(VariableUse(variable=variable) as value, *members))):
            if variable in ends and len(members) <= _MOST_VALUES:
                equal = (Call("=", (value, member), fact.expression.span) for member in members)
                return [(replace(fact, expression=each),) for each in equal]
    return ()


def _of_all_ways(conflicts: Sequence[Conflict]) -> str:
    """The reasons for all ways of a fact. What they all begin with is said once: "no row of VALUES (?x) fits: "."""
    parts = [each.words.partition(" fits: ") for each in conflicts if each.words]
    lead = "".join(parts[0][:2]) if parts and parts[0][1] and all(each[0] == parts[0][0] for each in parts) else ""
    words = (each.words.removeprefix(lead) for each in conflicts if each.words)
    return lead + "; ".join(dict.fromkeys(words))


def _in_one(findings: Sequence[Blame]) -> Blame:
    """One finding for all combinations of the branches of UNIONs: at a place where the last UNION takes part."""
    last = max(findings, key=lambda each: each.blamed.source.span)
    involved = [fact for each in findings for fact in (each.blamed, *each.others)]
    conflict = replace(
        last.conflict,
        words="; ".join(dict.fromkeys(each.conflict.words for each in findings if each.conflict.words)),
        axioms=tuple(dict.fromkeys(axiom for each in findings for axiom in each.conflict.axioms)),
    )
    others = tuple(dict.fromkeys(each for each in involved if each.source != last.blamed.source))
    return replace(last, conflict=conflict, others=_without_twins(others, last.blamed))


def _remarks(view: View, world: World, text: str) -> Iterator[Remark]:
    """What looks wrong in the group itself: conditions that always hold, or that depend on the engine, and errors."""
    facts = dict(view.facts)
    judge = ConditionJudge(view, text)
    for number, code, words in (*judge.always_true(), *judge.on_mixed_dates(), *judge.without_value()):
        fact = facts[number]
        if number < len(world.around) or not isinstance(fact, Condition | Binding):
            continue
        if code != "true-filter" or (isinstance(fact, Condition) and not fact.is_demand):
            yield Remark(fact, code, words)


def _without_twins(others: Sequence[Fact], blamed: Fact) -> tuple[Fact, ...]:
    """One fact for each part of the query: a path states several."""
    by_source = {fact.source: fact for fact in others if fact.source != blamed.source}
    return tuple(by_source.values())
