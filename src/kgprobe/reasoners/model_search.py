"""Searches for a model: mends whatever breaks a condition, in one way after the other where there are several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, islice

from kgprobe.owl.expression import Argument, Expression, inverse, parts_of
from kgprobe.rdf.terms import OWL, Literal, NamedNode
from kgprobe.reasoners.conditions import Apart, Chain, Conditions, Inclusion, sharing_a_key, unmet
from kgprobe.reasoners.interpretation import BeyondModelsError, Fact, Interpretation, Thing
from kgprobe.reasoners.model_building import Builder, ClashError, ExhaustedError, difficulty
from kgprobe.reasoners.rephrase import negated

__all__ = ["Effort", "Search"]

_MOST_WAYS = 6


@dataclass(frozen=True, slots=True)
class Effort:
    """How long a search may take: the most facts, looks at conditions, and ways that turn out wrong."""

    facts: int = 200_000
    looks: int = 400_000
    ways: int = 40


class Search:
    """One attempt to make an interpretation a model."""

    def __init__(
        self,
        model: Interpretation,
        conditions: Sequence[Conditions],
        *,
        removed: frozenset[Expression] = frozenset(),
        shares: bool,
        effort: Effort,
    ) -> None:
        """With `shares`, things that must exist for the same reason are one thing."""
        self._model = model
        self._all = conditions
        self._removed = removed
        self._builder = Builder(model, conditions, removed=removed, shares=shares)
        self._effort = effort
        self._start = model.size
        self._waiting: dict[tuple[Inclusion, Thing], None] = {}
        self._open: list[tuple[Inclusion, Thing]] = []
        self._looks = 0
        self._names: set[NamedNode] = set()  # those of new facts since the last look at what is checked as a whole

    def finds(self, stated: Iterable[Expression]) -> bool:
        """Whether the interpretation has become a model; `stated` are the axioms that may be broken at the start."""
        try:
            self._begin(list(stated))
            return self._solve()
        except (ClashError, ExhaustedError, BeyondModelsError, RecursionError):
            return False

    def _begin(self, stated: Sequence[Expression]) -> None:
        """Note what may be broken at the start: everything about new axioms, and what is stated about individuals."""
        model = self._model
        for axiom in stated:
            for individual in _individuals(axiom):
                model.add_thing(individual)
        if not model.kinds:
            model.add_thing(0)
        latest = self._all[-1]
        is_variant = len(self._all) > 1
        for inclusion in latest.inclusions:
            if is_variant or _has_one_of(inclusion.lower):
                for thing in list(model.candidates(inclusion.lower)):
                    self._waiting[inclusion, thing] = None
        if is_variant:
            self._check_properties(latest)

    # -- ways ----------------------------------------------------------------------------------------------------------

    def _solve(self) -> bool:
        stack: list[tuple[int, list[tuple[Inclusion, Thing]], Iterator[Callable[[], None]]]] = []
        ways = 0
        is_clashing = False
        while True:
            try:
                if is_clashing:
                    if not stack:
                        return False
                    size, still_open, others = stack[-1]
                    self._model.undo(size)
                    self._waiting.clear()
                    self._open = list(still_open)
                    way = next(others, None)
                    if way is None:
                        stack.pop()
                        continue
                    is_clashing = False
                    way()
                self._settle()
                broken = self._next_open()
                if broken is None:
                    return True
                inclusion, thing = broken
                rest = list(self._open)
                stack.append((self._model.size, rest, iter(self._ways(thing, inclusion))))
                is_clashing = True  # take the first way
            except ClashError:
                ways += 1
                if ways > self._effort.ways:
                    raise ExhaustedError from None
                is_clashing = True

    def _next_open(self) -> tuple[Inclusion, Thing] | None:
        while self._open:
            inclusion, thing = self._open.pop(0)
            if self._is_broken(inclusion, thing):
                return inclusion, thing
        return None

    def _ways(self, thing: Thing, inclusion: Inclusion) -> list[Callable[[], None]]:
        """What could mend an inclusion: the thing is in the upper class after all, or not in the lower one."""
        found = list(islice(self._ways_into(thing, inclusion.upper), _MOST_WAYS))
        if inclusion.lower != OWL.Thing and _can_be_left(inclusion.lower):
            found.append(partial(self._builder.promise, thing, negated(inclusion.lower)))
        return found

    def _ways_into(self, thing: Thing, kind: Argument) -> Iterator[Callable[[], None]]:  # noqa: C901 - a case each
        model = self._model
        if type(kind) is not Expression:
            yield partial(self._builder.promise, thing, kind)
            return
        match kind.head, kind.args:
            case "ObjectUnionOf", parts:
                for part in sorted(parts, key=difficulty):
                    yield partial(self._builder.promise, thing, part)
            case "ObjectIntersectionOf", parts:
                open_parts = [part for part in parts if not model.has(thing, part)]
                for way in self._ways_into(thing, open_parts[0]) if open_parts else ():
                    yield way
            case "ObjectOneOf", names:
                for name in names:
                    yield partial(self._builder.merge, thing, name)  # type: ignore[arg-type]
            case (("ObjectMaxCardinality" | "ObjectExactCardinality"), (_, prop, *qualifier)):
                part = qualifier[0] if qualifier else OWL.Thing
                targets = [target for target in model.targets(prop, thing) if model.has(target, part)]
                for one, other in combinations(targets, 2):
                    yield partial(self._builder.merge, one, other)
            case "ObjectAllValuesFrom", (prop, part):
                broken = [target for target in model.targets(prop, thing) if not model.has(target, part)]
                for way in self._ways_into(broken[0], part) if broken else ():
                    yield way
            case "ObjectSomeValuesFrom", (prop, part):
                yield partial(self._builder.witness, thing, prop, part, 0, is_new=False)
                yield partial(self._builder.witness, thing, prop, part, 0, is_new=True)
            case _:
                yield partial(self._builder.promise, thing, kind)

    # -- facts and what they break -------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Mend all that can be mended in one way; what has several ways stays open."""
        model = self._model
        while True:
            if model.size - self._start > self._effort.facts:
                raise ExhaustedError
            if model.news:
                news = list(model.news)
                model.news.clear()
                for fact in news:
                    self._note(fact)
            elif self._waiting:
                self._looks += 1
                if self._looks > self._effort.looks:
                    raise ExhaustedError
                inclusion, thing = next(iter(self._waiting))
                del self._waiting[inclusion, thing]
                if self._is_broken(inclusion, thing):
                    self._mend(inclusion, thing)
            elif self._builder.has_merged:
                self._builder.has_merged = False
                self._check_all()
            else:
                self._check_wholes()
                if not (model.news or self._builder.has_merged):
                    return

    def _is_broken(self, inclusion: Inclusion, thing: Thing) -> bool:
        model = self._model
        thing = model.thing(thing)
        return model.has(thing, inclusion.lower) and not model.has(thing, inclusion.upper)

    def _mend(self, inclusion: Inclusion, thing: Thing) -> None:
        if _is_certain(inclusion.lower) and self._has_one_way(thing, inclusion.upper):
            self._builder.promise(self._model.thing(thing), inclusion.upper)
            if self._is_broken(inclusion, thing):
                raise ClashError
        else:
            self._open.append((inclusion, thing))

    def _has_one_way(self, thing: Thing, kind: Argument) -> bool:
        """Whether there is only one way to put a thing into a class that is worth a try."""
        if type(kind) is not Expression:
            return True
        match kind.head, kind.args:
            case "ObjectIntersectionOf", parts:
                return all(self._has_one_way(thing, part) for part in parts)
            case "ObjectUnionOf", parts:
                return any(self._model.has(thing, part) for part in parts)
            case "ObjectOneOf", names:
                return len(names) == 1
            case (("ObjectMaxCardinality" | "ObjectExactCardinality"), (bound, *_)):
                return bound in (0, 1)
            case "ObjectAllValuesFrom", (prop, part):
                return all(self._has_one_way(target, part) for target in self._model.targets(prop, thing))
        return True

    def _note(self, fact: Fact) -> None:
        """Look for the conditions that a new fact can break."""
        name, thing, other = fact
        self._names.add(name)
        for conditions in self._all:
            if other is None:
                if name == OWL.Thing:
                    for inclusion in conditions.everywhere:
                        self._wait(inclusion, thing)
                self._wake(conditions.by_class.get(name), thing)
            elif isinstance(other, Literal):
                self._wake(conditions.by_value.get(name), thing)
                self._note_ends(conditions, name, thing, other)
            else:
                self._wake(conditions.by_link.get(name), thing)
                self._wake(conditions.by_backward_link.get(name), other)
                self._note_ends(conditions, name, thing, other)

    def _note_ends(self, conditions: Conditions, name: NamedNode, one: Thing, other: Thing | Literal) -> None:
        """Look for the conditions on properties that a new link or value can break."""
        for chain, place in conditions.chains.get(name, ()):
            if chain.axiom in self._removed or chain.is_data != isinstance(other, Literal):
                continue
            if isinstance(other, Literal):
                self._model.add_value(chain.upper, one, other)
            else:
                self._follow(chain, place, one, other)
        for apart in conditions.aparts.get(name, ()):
            self._check_apart(apart, one)
            if not isinstance(other, Literal):
                self._check_apart(apart, other)

    def _wake(self, triggers: list[tuple[tuple[Argument, ...], Inclusion]] | None, thing: Thing) -> None:
        for path, inclusion in triggers or ():
            if path:
                for start in self._model.along(thing, path):
                    self._wait(inclusion, start)
            else:
                self._wait(inclusion, thing)

    def _wait(self, inclusion: Inclusion, thing: Thing) -> None:
        if inclusion.axiom not in self._removed:
            self._waiting[inclusion, thing] = None

    def _follow(self, chain: Chain, place: int, one: Thing, other: Thing) -> None:
        model = self._model
        if type(chain.steps[place]) is Expression:
            one, other = other, one
        before = [inverse(step) for step in reversed(chain.steps[:place])]
        sources = list(model.along(one, before)) if before else [one]
        after = chain.steps[place + 1 :]
        targets = list(model.along(other, after)) if after else [other]
        for source in sources:
            for target in targets:
                model.add_link(chain.upper, source, target)

    def _check_apart(self, apart: Apart, thing: Thing) -> None:
        if apart.axiom in self._removed:
            return
        model = self._model
        if apart.is_data:
            clashes = any(value in model.literals(apart.other, thing) for value in model.literals(apart.one, thing))
        else:
            others = set(model.targets(apart.other, thing))
            clashes = any(target in others for target in model.targets(apart.one, thing))
        if clashes:
            raise ClashError

    def _check_properties(self, conditions: Conditions) -> None:
        """Check conditions on properties for all links that there are."""
        model = self._model
        for chain in dict.fromkeys(chain for chains in conditions.chains.values() for chain, _ in chains):
            if chain.is_data:
                for thing in list(model.owners(chain.steps[0])):
                    for literal in list(model.literals(chain.steps[0], thing).values()):
                        model.add_value(chain.upper, thing, literal)
            else:
                for source in list(model.sources(chain.steps[0])):
                    for target in list(model.along(source, chain.steps)):
                        model.add_link(chain.upper, source, target)
        for apart in dict.fromkeys(apart for aparts in conditions.aparts.values() for apart in aparts):
            owners = model.owners(apart.one) if apart.is_data else model.sources(apart.one)
            for thing in list(owners):
                self._check_apart(apart, thing)

    def _check_all(self) -> None:
        """Check everything: two things have become one, which can break what no new fact breaks."""
        if len(self._model.kinds) > self._effort.facts:
            raise ExhaustedError
        for conditions in self._all:
            self._check_properties(conditions)
            for inclusion in conditions.inclusions:
                for thing in self._model.candidates(inclusion.lower):
                    self._wait(inclusion, thing)

    def _check_wholes(self) -> None:
        """Check what is true or false as a whole, as far as something with its names is new."""
        names, self._names = self._names, set()
        for conditions in self._all:
            for axiom, mentioned in conditions.wholes.items():
                is_concerned = conditions is self._all[-1] or self._model.has_merged or not names.isdisjoint(mentioned)
                if is_concerned and axiom not in self._removed:
                    _WHOLES[axiom.head](self, *axiom.args)

    def different(self, *individuals: Argument) -> None:
        """No two of them may be one."""
        if len({self._model.thing(name) for name in individuals}) < len(individuals):  # type: ignore[arg-type]
            raise ClashError

    def same(self, first: Argument, *others: Argument) -> None:
        """All of them become one."""
        for other in others:
            self._builder.merge(first, other)  # type: ignore[arg-type]

    def key(self, kind: Argument, objects: Argument, data: Argument) -> None:
        """Things that share a key are one."""
        pair = next(sharing_a_key(self._model, kind, objects, data), None)
        if pair is not None:
            self._builder.merge(*pair)

    def rule(self, body: Argument, head: Argument) -> None:
        """Whatever matches the body makes the head true."""
        for atoms, known in list(islice(unmet(self._model, body, head), self._effort.facts)):
            if not atoms:
                raise ClashError
            for atom in atoms:
                self._builder.make_true(atom, known)


_WHOLES: dict[str, Callable[..., None]] = {
    "SameIndividual": Search.same,
    "DifferentIndividuals": Search.different,
    "HasKey": Search.key,
    "DLSafeRule": Search.rule,
}


def _individuals(axiom: Expression) -> Iterator[Thing]:
    """The individuals that an axiom mentions."""
    match axiom.head, axiom.args:
        case "ClassAssertion", (_, individual):
            yield individual  # type: ignore[misc]
        case (("ObjectPropertyAssertion" | "NegativeObjectPropertyAssertion"), (_, *individuals)):
            yield from individuals  # type: ignore[misc]
        case (("DataPropertyAssertion" | "NegativeDataPropertyAssertion"), (_, individual, _)):
            yield individual  # type: ignore[misc]
        case (("SameIndividual" | "DifferentIndividuals"), individuals):
            yield from individuals  # type: ignore[misc]
    for part in parts_of(axiom):
        if type(part) is Expression and part.head == "ObjectOneOf":
            yield from part.args  # type: ignore[misc]
        elif type(part) is Expression and part.head == "ObjectHasValue":
            yield part.args[1]  # type: ignore[misc]


def _has_one_of(kind: Argument) -> bool:
    return any(type(part) is Expression and part.head == "ObjectOneOf" for part in parts_of(kind))


def _is_certain(kind: Argument) -> bool:
    """Whether a thing in this class cannot be taken out of it by adding facts."""
    return not any(
        type(part) is Expression
        and part.head.startswith(("ObjectComplementOf", "ObjectAll", "DataAll", "ObjectMax", "DataMax", "ObjectExact"))
        for part in parts_of(kind)
    )


def _can_be_left(kind: Argument) -> bool:
    return not _is_certain(kind)
