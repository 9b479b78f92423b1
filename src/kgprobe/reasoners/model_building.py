"""Adds the facts that an interpretation needs to become a model: classes, links, values, and things that must exist."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import reduce
from operator import and_

from kgprobe.owl.expression import Argument, Expression, inverse, number
from kgprobe.rdf.terms import OWL, RDFS, NamedNode
from kgprobe.reasoners.conditions import Conditions
from kgprobe.reasoners.interpretation import BeyondModelsError, Interpretation, Thing
from kgprobe.reasoners.rephrase import negated
from kgprobe.reasoners.swrl import Binding, bound

__all__ = ["Builder", "ClashError", "ExhaustedError", "difficulty"]

_DEEPEST, _MOST_DEPTH = 3, 30
_MOST_MERGES = 500


class ClashError(Exception):
    """The facts break a condition that no more facts can mend."""


class ExhaustedError(Exception):
    """The search has taken too long."""


class Builder:
    """Adds facts to an interpretation."""

    def __init__(
        self,
        model: Interpretation,
        conditions: Sequence[Conditions],
        *,
        removed: frozenset[Expression] = frozenset(),
        shares: bool,
    ) -> None:
        """With `shares`, things that must exist for the same reason are one thing."""
        self._model = model
        self._all = conditions
        self._removed = removed
        self._shares = shares
        self._merges = 0
        self.has_merged = False

    def make_true(self, atom: Expression, known: Binding) -> None:
        ends = [bound(argument, known) for argument in atom.args]
        match atom.head, ends:
            case "ClassAtom", (kind, thing):
                self.promise(thing, kind)
            case "ObjectPropertyAtom", (prop, source, target):
                self._model.add_link(prop, source, target)
            case "DataPropertyAtom", (prop, thing, literal):
                self._model.add_value(prop, thing, literal)
            case "SameIndividualAtom", (one, other):
                self.merge(one, other)
            case _:
                raise ClashError

    def promise(self, thing: Thing, kind: Argument) -> None:  # noqa: C901 - a case each
        """Add the facts that put a thing into a class."""
        model = self._model
        thing = model.thing(thing)
        if type(kind) is NamedNode:
            if kind == OWL.Nothing:
                raise ClashError
            model.add_member(kind, thing)
            return
        if model.has(thing, kind):
            return
        if type(kind) is not Expression:
            raise BeyondModelsError
        match kind.head, kind.args:
            case "ObjectIntersectionOf", parts:
                for part in parts:
                    self.promise(thing, part)
            case "ObjectUnionOf", parts:
                self.promise(thing, min(parts, key=difficulty))
            case "ObjectOneOf", (name, *_):
                self.merge(thing, name)  # type: ignore[arg-type]
            case "ObjectSomeValuesFrom", (prop, part):
                self.witness(thing, prop, part, 0)
            case "ObjectAllValuesFrom", (prop, part):
                for target in list(model.targets(prop, thing)):
                    self.promise(target, part)
            case "ObjectHasValue", (prop, name):
                model.add_link(prop, thing, name)  # type: ignore[arg-type]
            case "ObjectHasSelf", (prop,):
                model.add_link(prop, thing, thing)
            case "ObjectMinCardinality", (least, prop, *qualifier):
                part = qualifier[0] if qualifier else OWL.Thing
                for place in range(number(least)):
                    if not model.has(thing, kind):
                        self.witness(thing, prop, part, place, is_distinct=True)
            case "ObjectMaxCardinality", (bound, prop, *qualifier):
                self._limit(thing, number(bound), prop, qualifier[0] if qualifier else OWL.Thing)
            case (("ObjectExactCardinality" | "DataExactCardinality"), (bound, *rest)):
                for sense in ("Min", "Max"):
                    self.promise(thing, Expression(kind.head.replace("Exact", sense), bound, *rest))
            case "DataHasValue", (prop, literal):
                model.add_value(prop, thing, literal)  # type: ignore[arg-type]
            case "DataSomeValuesFrom", (prop, part):
                self._give_values(thing, prop, part, 1)
            case "DataMinCardinality", (least, prop, *qualifier):
                part = qualifier[0] if qualifier else RDFS.Literal
                self._give_values(thing, prop, part, number(least) - model.count_values(thing, prop, part))
            case _:
                raise ClashError

    def _limit(self, thing: Thing, bound: int, prop: Argument, part: Argument) -> None:
        model = self._model
        targets = [target for target in model.targets(prop, thing) if model.has(target, part)]
        if bound == 0:
            for target in targets:
                self.promise(target, negated(part))
        elif bound == 1:
            first, *others = sorted(targets, key=lambda target: type(target) is int)
            for other in others:
                self.merge(first, other)
        else:
            raise ClashError

    def _give_values(self, thing: Thing, prop: Argument, part: Argument, count: int) -> None:
        model = self._model
        ranges = [
            data_range
            for conditions in self._all
            for axiom, data_range in conditions.data_ranges.get(prop, ())
            if axiom not in self._removed
        ]
        values = reduce(and_, map(model.data_range, (part, *ranges)))
        known = model.literals(prop, thing)
        new = [literal for literal in values.examples(count + len(known)) if model.value(literal) not in known]
        if len(new) < count:
            raise ClashError
        for literal in new[:count]:
            model.add_value(prop, thing, literal)

    def witness(
        self,
        thing: Thing,
        prop: Argument,
        part: Argument,
        place: int,
        *,
        is_distinct: bool = False,
        is_new: bool = False,
    ) -> None:
        """Link a thing to one that must exist; with `is_distinct`, to another one for each place."""
        model = self._model
        if not (is_new or is_distinct) and any(prop in conditions.functional for conditions in self._all):
            for target in list(model.targets(prop, thing))[:1]:
                self.promise(target, part)
                return
        depth = model.depths.get(thing, 0) + 1
        if depth > _MOST_DEPTH:  # perhaps all models are infinite
            raise ClashError
        key: tuple[Hashable, ...] = (part, place)
        is_alone = any(inverse(prop) in conditions.functional for conditions in self._all)
        if is_alone or is_new or not self._shares:
            key = (part, place, depth, thing if is_alone or depth < _DEEPEST else None)
        if is_new:
            key = (*key, model.size)
        witness = model.witnesses.get(key)
        if witness is None:
            witness = len(model.kinds) + 1
            model.add_thing(witness)
            model.note(model.witnesses, key, witness)
            model.note(model.depths, witness, depth)
        witness = model.thing(witness)
        model.add_link(prop, thing, witness)
        self.promise(witness, part)

    def merge(self, one: Thing, other: Thing) -> None:
        if self._model.merge(one, other):
            self.has_merged = True
            self._merges += 1
            if self._merges > _MOST_MERGES:
                raise ExhaustedError


def difficulty(kind: Argument) -> int:
    """How many facts a class needs, roughly: the easy ones are tried first."""
    if type(kind) is not Expression:
        return 1
    return {"ObjectComplementOf": 0, "ObjectAllValuesFrom": 0, "ObjectMaxCardinality": 0}.get(kind.head, 2)
