"""From the worlds of a query to proofs: which facts cannot hold, which of them to blame, and the reason in a sentence.

A reason is "`likes` goes from User to Activity; ?x is an Activity because of line 4".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from kgprobe.owl.expression import Argument
from kgprobe.owl.expression import Expression as Axiom
from kgprobe.queries.clashes.clash import Clash, ClashFinder
from kgprobe.queries.diagnosis.condition_conflicts import ConditionJudge
from kgprobe.queries.diagnosis.term_conflicts import Conflict, simple_conflicts
from kgprobe.queries.diagnosis.views import View
from kgprobe.queries.patterns.facts import Binding, Choice, Condition, Edge, Fact, Rows, shown
from kgprobe.queries.patterns.worlds import Role, World
from kgprobe.queries.schema import Said, Schema, inconsistent
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, NamedNode
from kgprobe.sparql.algebra import Call, Part, VariableUse

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
        numbered = tuple(pair for pair in enumerate(world.facts) if pair[0] not in blamed)
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
            numbered = tuple(pair for pair in numbered if pair[1] is not finding.blamed)

    def _view(self, numbered: Sequence[tuple[int, Fact]]) -> View:
        return View(tuple(pair for pair in numbered if not isinstance(pair[1], Choice)), self.schema)

    def _hidden(
        self, world: World, sound: Sequence[tuple[int, Fact]], blamed: Mapping[int, Conflict], text: str
    ) -> Iterator[Blame]:
        """The conflicts of other kinds that facts take part in which have been blamed already, and left out since."""
        facts = world.facts
        for number, known in blamed.items():
            numbered = sorted((*sound, (number, facts[number])), key=lambda pair: pair[0])
            view = self._view(numbered)
            conditions = [] if known.kind == "condition" else self._conditions(view, text)
            for conflict in (*self._simple(view), *conditions, *self._clashes(view)):
                is_new = conflict.kind != known.kind or conflict.variable != known.variable
                is_other = conflict.kind == "simple" or not set(known.facts) <= set(conflict.facts)
                is_own = any(fact >= len(world.around) for fact in conflict.facts)
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
        return sorted(simple_conflicts(view), key=lambda conflict: (not conflict.is_proof, len(conflict.facts)))

    def _conditions(self, view: View, text: str) -> list[Conflict]:
        """The conditions that cannot hold, proofs first."""
        return sorted(ConditionJudge(view, text).conflicts(), key=lambda conflict: not conflict.is_proof)

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
                rest = replace(view, facts=tuple(pair for pair in view.facts if pair[0] != number))
                certain = self._in_all_ways(number, ways, rest, text)
                if certain:
                    return Conflict(
                        tuple(sorted({number, *(fact for conflict in certain for fact in conflict.facts)})),
                        certain[0].code,
                        _of_all_ways(certain),
                        tuple(dict.fromkeys(axiom for conflict in certain for axiom in conflict.axioms)),
                        certain[0].variable,
                        "; ".join(dict.fromkeys(conflict.proviso for conflict in certain if conflict.proviso)),
                    )
        return None

    def _in_all_ways(
        self, number: int, ways: Sequence[tuple[Fact, ...]], rest: View, text: str
    ) -> list[Conflict] | None:
        """The conflicts of a fact in each of its ways; None if it has none in one of them."""
        found: list[Conflict] = []
        for way in ways:
            facts = (*rest.facts, *((number, fact) for fact in way))
            conflict = self._first(replace(rest, facts=facts), text)
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
            return [(replace(fact, rows=(row,)),) for row in rows] if any(bound in ends for bound in variables) else ()
        case Condition(expression=Call(name="IN", arguments=(VariableUse(variable=variable) as value, *members))):
            if variable in ends and len(members) <= _MOST_VALUES:
                equal = (Call("=", (value, member), fact.expression.span) for member in members)
                return [(replace(fact, expression=equality),) for equality in equal]
    return ()


def _of_all_ways(conflicts: Sequence[Conflict]) -> str:
    """The reasons for all ways of a fact. What they all begin with is said once: "no row of VALUES (?x) fits: "."""
    parts = [conflict.words.partition(" fits: ") for conflict in conflicts if conflict.words]
    lead = "".join(parts[0][:2]) if parts and parts[0][1] and all(part[0] == parts[0][0] for part in parts) else ""
    words = (conflict.words.removeprefix(lead) for conflict in conflicts if conflict.words)
    return lead + "; ".join(dict.fromkeys(words))


def _in_one(findings: Sequence[Blame]) -> Blame:
    """One finding for all combinations of the branches of UNIONs: at a place where the last UNION takes part."""
    last = max(findings, key=lambda blame: blame.blamed.source.span)
    involved = [fact for finding in findings for fact in (finding.blamed, *finding.others)]
    conflict = replace(
        last.conflict,
        words="; ".join(dict.fromkeys(blame.conflict.words for blame in findings if blame.conflict.words)),
        axioms=tuple(dict.fromkeys(axiom for blame in findings for axiom in blame.conflict.axioms)),
    )
    others = tuple(dict.fromkeys(other for other in involved if other.source != last.blamed.source))
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


# -- reasons in words --------------------------------------------------------------------------------------------------


def message_of(finding: Blame, line_of: Callable[[Fact], int]) -> str:
    """The reason of a finding, with its consequence for the part of the query."""
    conflict = finding.conflict
    parts = list(_reasons(finding, line_of)) if conflict.code == "contradiction" and conflict.axioms else []
    reason = "; ".join(dict.fromkeys([*parts, *([conflict.words] if conflict.words else [])]))
    if conflict.proviso:
        reason += f" ({conflict.proviso})"
    return _with_consequence(reason, finding)


_CONSEQUENCES = {
    Role.OPTIONAL: "this OPTIONAL never matches",
    Role.BRANCH: "this branch of the UNION never matches",
    Role.BRANCHES: "no branch of this UNION matches together with a branch of the others",
    Role.EXISTS: "this EXISTS is never true",
    Role.NOT_EXISTS: "this NOT EXISTS is always true",
    Role.MINUS: "this MINUS removes nothing",
    Role.INSERT: "this would write a contradiction",
    Role.DELETE: "no graph has this triple to delete",
    Role.CONSTRUCT: "this would construct a contradiction",
}


def _with_consequence(reason: str, finding: Blame) -> str:
    consequence = _CONSEQUENCES.get(finding.world.role)
    return reason if consequence is None else f"{consequence}: {reason}"


def concerned_variable(finding: Blame) -> Variable | None:
    """The variable that the finding is about: one that all facts have in common, else the first of the blamed one."""
    if finding.conflict.variable is not None:
        return finding.conflict.variable
    own = _variables(finding.blamed)
    common = [variable for variable in own if all(variable in _variables(other) for other in finding.others)]
    visible = [variable for variable in common or own if not variable.hidden and variable.name]
    return visible[0] if visible else None


def _variables(fact: Fact) -> list[Variable]:
    if not isinstance(fact, Edge):
        return []
    return [part for part in (fact.subject, fact.object) if isinstance(part, Variable)]


# -- the parts of a reason ---------------------------------------------------------------------------------------------


def _reasons(finding: Blame, line_of: Callable[[Fact], int]) -> Iterator[str]:
    schema = finding.view.schema
    axioms = set(finding.conflict.axioms)
    shared = concerned_variable(finding)
    said: set[Axiom] = set()
    words, used = _stated_by(finding.blamed, axioms, schema)
    if words:
        said |= used
        yield words
    for other in finding.others:
        words, used = _about(shared, other, axioms, schema)
        if words:
            said |= used
            yield f"{words} because of line {line_of(other)}"
    for axiom in finding.conflict.axioms:
        if axiom not in said:
            yield _in_words(axiom, schema)


def _stated_by(fact: Fact, axioms: set[Axiom], schema: Schema) -> tuple[str, set[Axiom]]:
    """The property or the class of the blamed pattern: where it leads, or what it says."""
    if not isinstance(fact, Edge) or not isinstance(fact.predicate, NamedNode):
        return "", set()
    if fact.predicate == RDF.type:
        return f"{_shown(fact.subject)} is {_a(fact.object, schema)}", set()
    starts, ends = schema.domains(fact.predicate), schema.ranges(fact.predicate)
    used = [said for said in (*starts, *ends) if axioms.issuperset(said.axioms)]
    if not used:
        return "", set()
    words = f"`{schema.words(fact.predicate)}` goes"
    if starts:
        words += f" from {schema.words(_first(starts, axioms))}"
    if ends:
        words += f" to {schema.words(_first(ends, axioms))}"
    return words, {axiom for said in used for axiom in said.axioms}


def _first(said: tuple[Said, ...], axioms: set[Axiom]) -> Argument:
    """The class that takes part, else the first."""
    return next((told.what for told in said if axioms.issuperset(told.axioms)), said[0].what)


def _about(variable: Variable | None, fact: Fact, axioms: set[Axiom], schema: Schema) -> tuple[str, set[Axiom]]:
    """What another pattern says about the variable."""
    if not isinstance(fact, Edge) or not isinstance(fact.predicate, NamedNode) or variable is None:
        return "", set()
    if fact.predicate == RDF.type and fact.subject == variable:
        return f"{shown(variable)} is {_a(fact.object, schema)}", set()
    ends: tuple[Said, ...] = ()
    if fact.subject == variable:
        ends += schema.domains(fact.predicate)
    if fact.object == variable:
        ends += schema.ranges(fact.predicate)
    for end in ends:
        if axioms.issuperset(end.axioms):
            return f"{shown(variable)} is {_a(end.what, schema)}", set(end.axioms)
    return "", set()


def _shown(part: Part) -> str:
    return f"{shown(part)}" if isinstance(part, Variable) else str(part)


def _a(kind: Argument | Part, schema: Schema) -> str:
    """A class with an article."""
    if isinstance(kind, Variable):
        return f"a member of {shown(kind)}"
    words = schema.words(kind)
    if isinstance(kind, NamedNode):
        return _article(words)
    return f"a member of '{words}'"


def _in_words(axiom: Axiom, schema: Schema) -> str:
    words = [schema.words(argument) for argument in axiom.args]
    match axiom.head:
        case "DisjointClasses" if len(words) == 2:
            return f"no {words[0]} is {_article(words[1])}"
        case "IrreflexiveObjectProperty":
            return f"`{words[0]}` never connects a thing with itself"
        case "AsymmetricObjectProperty":
            return f"`{words[0]}` never holds in both directions"
        case "FunctionalObjectProperty" | "FunctionalDataProperty":
            return f"`{words[0]}` has at most one value"
        case "SubClassOf" if all(isinstance(argument, NamedNode) for argument in axiom.args):
            return f"every {words[0]} is {_article(words[1])}"
        case _:
            return schema.words(axiom)


# Words that begin with a vowel, but not with the sound of one: a user, a unit, a European, a one-way street.
_LIKE_CONSONANTS = re.compile(r"'?(?:u(?:[bcfhkqrst][aeiou]|ni(?!n)|sa)|eu|ewe|one\b|once)", re.IGNORECASE)
_VOWELS = re.compile(r"'?[aeiou]", re.IGNORECASE)


def _article(words: str) -> str:
    is_vowel = _VOWELS.match(words) is not None and _LIKE_CONSONANTS.match(words) is None
    return f"{'an' if is_vowel else 'a'} {words}"
