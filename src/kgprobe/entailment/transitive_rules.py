"""Rules that chain a property with itself: transitive properties, and owl:sameAs.

The facts of such a property that are stated, or follow from other rules, are its steps (`Relation.steps`). The ends of
a chain of steps are related as well. Joining chains with chains would find the same facts many times over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from kgprobe.entailment.facts import NUMBERS, Fact, Relation
from kgprobe.entailment.joins import News
from kgprobe.entailment.saturation import Procedure, Saturation
from kgprobe.graph.terms import OWL, RDF, NamedNode

__all__ = ["same_things", "transitive"]

_NONE: frozenset[int] = frozenset()
_TYPE, _TRANSITIVE, _SAME = NUMBERS[RDF.type], NUMBERS[OWL.TransitiveProperty], NUMBERS[OWL.sameAs]


def transitive(rules: Mapping[NamedNode, str], *, stated: str | None = None) -> Procedure:
    """Apply rules, named by property, to properties that are always transitive, and `stated` to those stated to be."""
    always = {NUMBERS[name]: rule for name, rule in rules.items()}

    def apply(saturation: Saturation, news: News | None, goals: News | None) -> None:
        for predicate, rule in always.items():
            _Chains(saturation, predicate, rule, ()).find(news, goals)
        if stated is not None:
            marked = list(saturation.facts.relation(_TYPE).into.get(_TRANSITIVE, ()))
            marks = set() if news is None else set(news.pairs.get(_TYPE, ()))
            for predicate in marked:
                is_new = (predicate, _TRANSITIVE) in marks
                chains = _Chains(saturation, predicate, stated, ((predicate, _TYPE, _TRANSITIVE),))
                chains.find(None if is_new else news, goals)

    return apply


class _Chains:
    """The chains of one property."""

    def __init__(self, saturation: Saturation, predicate: int, rule: str, reasons: tuple[Fact, ...]) -> None:
        self._saturation = saturation
        self._predicate = predicate
        self._rule = rule
        self._reasons = reasons

    def find(self, news: News | None, goals: News | None) -> None:
        """Conclude the ends of chains."""
        if news is not None:
            self._lengthen([(s, o) for s, o in news.steps.get(self._predicate, ()) if s != o])
        elif goals is None:
            relation = self._saturation.facts.own_relation(self._predicate)
            relation.steps = {subject: set(objects) for subject, objects in relation.out.items()}
            for subject in list(relation.out):
                self._walk(relation, subject, relation.out[subject])
        elif self._predicate in goals.pairs:
            relation = self._saturation.facts.own_relation(self._predicate)
            for subject in dict.fromkeys(subject for subject, _ in goals.pairs[self._predicate]):
                self._walk(relation, subject, relation.out.get(subject, ()))

    def _lengthen(self, steps: list[tuple[int, int]]) -> None:
        """Conclude the chains that contain new steps."""
        if not steps:
            return
        relation = self._saturation.facts.own_relation(self._predicate)
        _note(relation, steps)
        for middle, end in steps:
            for subject in (middle, *relation.into.get(middle, ())):
                if subject == middle:
                    self._walk(relation, subject, [end])
                elif end not in relation.out[subject]:
                    beginning = (subject, self._predicate)
                    _conclude_ways(self._saturation, beginning, {end: middle}, self._rule, self._reasons)
                    self._walk(relation, subject, [end])

    def _walk(self, relation: Relation, subject: int, reached: Iterable[int]) -> None:
        """Conclude what else a subject reaches, starting from the nodes that it is known to reach."""
        known, steps = relation.out.get(subject, _NONE), relation.steps or {}
        ways: dict[int, int] = {}
        pending = list(reached)
        for middle in pending:
            for end in steps.get(middle, ()):
                if end not in known and end not in ways:
                    ways[end] = middle
                    pending.append(end)
        if ways:
            _conclude_ways(self._saturation, (subject, self._predicate), ways, self._rule, self._reasons)


def same_things(saturation: Saturation, news: News | None, goals: News | None) -> None:
    """Rules eq-sym and eq-trans: all things that an owl:sameAs chain joins, in either direction, are the same."""
    relation = saturation.facts.own_relation(_SAME)
    if news is not None:
        steps = [(s, o) for s, o in news.steps.get(_SAME, ()) if s != o]
        _note(relation, steps)
        touched = [end for step in steps for end in step]
    elif goals is None:
        relation.steps = {subject: set(objects) for subject, objects in relation.out.items()}
        touched = list(relation.out)
    else:
        touched = [end for pair in goals.pairs.get(_SAME, ()) for end in pair]
    if not touched:
        return
    beside: dict[int, list[int]] = {}
    for subject, objects in (relation.steps or {}).items():
        for value in objects:
            if not saturation.facts.is_literal(value):
                beside.setdefault(subject, []).append(value)
                beside.setdefault(value, []).append(subject)
    things = _reached(beside, touched)
    for one in things:
        known = relation.out.get(one, _NONE)
        new = [other for other in dict.fromkeys(beside.get(one, ())) if other != one and other not in known]
        saturation.conclude_chains(one, _SAME, new, "eq-sym", partial(_turned, one))
    for one in things:
        known = relation.out.get(one, _NONE)
        ways = {other: middle for middle, other in _walked(beside, one) if other not in known}
        _conclude_ways(saturation, (one, _SAME), ways, "eq-trans", ())


def _turned(one: int, other: int) -> tuple[Fact, ...]:
    return ((other, _SAME, one),)


def _conclude_ways(
    saturation: Saturation, beginning: tuple[int, int], ways: Mapping[int, int], rule: str, reasons: tuple[Fact, ...]
) -> None:
    """Add the ends of chains from a subject, each with the node before it."""
    subject, predicate = beginning

    def premises(end: int) -> tuple[Fact, ...]:
        return (subject, predicate, ways[end]), (ways[end], predicate, end), *reasons

    saturation.conclude_chains(subject, predicate, ways, rule, premises)


def _note(relation: Relation, steps: Iterable[tuple[int, int]]) -> None:
    if relation.steps is None:
        relation.steps = {}
    for subject, value in steps:
        relation.steps.setdefault(subject, set()).add(value)


def _reached(beside: Mapping[int, list[int]], start: Iterable[int]) -> list[int]:
    found = dict.fromkeys(start)
    pending = list(found)
    for each in pending:
        for other in beside.get(each, ()):
            if other not in found:
                found[other] = None
                pending.append(other)
    return pending


def _walked(beside: Mapping[int, list[int]], start: int) -> Iterator[tuple[int, int]]:
    """The nodes that are more than one step away from a start, nearest first, each with its predecessor."""
    seen = {start, *beside.get(start, ())}
    pending = list(beside.get(start, ()))
    for middle in pending:
        for other in beside.get(middle, ()):
            if other not in seen:
                seen.add(other)
                pending.append(other)
                yield middle, other
