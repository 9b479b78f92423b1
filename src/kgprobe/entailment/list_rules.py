"""The rules of OWL 2 RL that have a pattern for each item of a list: cls-int1, prp-spo2 and prp-key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

from kgprobe.entailment.facts import NUMBERS, Fact, Facts
from kgprobe.entailment.rules import LIST
from kgprobe.entailment.saturation import Saturation
from kgprobe.entailment.steps import News
from kgprobe.errors import InputError
from kgprobe.graph.terms import OWL, RDF

__all__ = ["chains_of_properties", "intersections", "keys"]

_TYPE, _FIRST, _LIST = NUMBERS[RDF.type], NUMBERS[RDF.first], NUMBERS[LIST]
_INTERSECTION, _CHAIN, _KEY = (NUMBERS[name] for name in (OWL.intersectionOf, OWL.propertyChainAxiom, OWL.hasKey))
_SAME = NUMBERS[OWL.sameAs]
_MOST_KEYS = 10_000

_Paths: TypeAlias = dict[tuple[int, int], tuple[Fact, ...]]


class _Listed(NamedTuple):
    """Something that a list defines, and the list: its head, its number, and its cells."""

    subject: int
    predicate: int
    head: int
    number: int
    cells: tuple[int, ...]

    def reasons(self) -> tuple[Fact, Fact]:
        return (self.subject, self.predicate, self.head), (self.head, _LIST, self.number)

    def items(self, facts: Facts) -> list[list[int]]:
        """What can be the item at each place."""
        first = facts.relation(_FIRST).out
        return [sorted(first.get(cell, ())) for cell in self.cells]


def _listed(facts: Facts, predicate: int) -> list[_Listed]:
    cells = {number: cells for cells, number in facts.lists.items()}
    lists = facts.relation(_LIST).out
    return [
        _Listed(subject, predicate, head, number, cells[number])
        for subject, head in facts.relation(predicate).pairs()
        for number in lists.get(head, ())
    ]


def _is_all(news: News | None, predicate: int) -> bool:
    """Whether everything has to be looked at: there is no news, or it is about lists."""
    return news is None or any(each in news.pairs for each in (predicate, _LIST, _FIRST))


def intersections(saturation: Saturation, news: News | None, _: News | None) -> None:
    """Rule cls-int1: what is in all classes of an intersection is in the intersection."""
    facts = saturation.facts
    members = facts.relation(_TYPE).into
    found: list[tuple[_Listed, int]] = []
    with_item: dict[int, list[_Listed]] = {}
    for each in _listed(facts, _INTERSECTION):
        places = each.items(facts)
        if _is_all(news, _INTERSECTION):
            fewest = min(places, key=lambda items: sum(len(members.get(item, ())) for item in items))
            found += ((each, thing) for item in fewest for thing in members.get(item, ()))
        else:
            for item in dict.fromkeys(item for items in places for item in items):
                with_item.setdefault(item, []).append(each)
    for thing, kind in news.pairs.get(_TYPE, ()) if news is not None and with_item else ():
        found += ((each, thing) for each in with_item.get(kind, ()))
    for each, thing in found:
        premises = list(each.reasons())
        for cell, items in zip(each.cells, each.items(facts), strict=True):
            fitting = [item for item in items if thing in members.get(item, ())]
            if not fitting:
                break
            premises += [(cell, _FIRST, fitting[0]), (thing, _TYPE, fitting[0])]
        else:
            saturation.conclude((thing, _TYPE, each.subject), "cls-int1", tuple(premises))


def chains_of_properties(saturation: Saturation, news: News | None, _: News | None) -> None:
    """Rule prp-spo2: what a chain of properties joins, the property joins whose chain it is."""
    facts = saturation.facts
    for each in _listed(facts, _CHAIN):
        places = each.items(facts)
        starts = [0] if _is_all(news, _CHAIN) else range(len(places))
        for start in starts:
            stated = None if news is None or _is_all(news, _CHAIN) else news.pairs
            paths = _links(facts, places[start], stated)
            for items in places[start + 1 :]:
                paths = _lengthened(facts, paths, items, forwards=True)
            for items in reversed(places[:start]):
                paths = _lengthened(facts, paths, items, forwards=False)
            for (begin, end), path in paths.items():
                items_used = ((cell, _FIRST, link[1]) for cell, link in zip(each.cells, path, strict=True))
                saturation.conclude((begin, each.subject, end), "prp-spo2", (*each.reasons(), *items_used, *path))


def _links(facts: Facts, properties: list[int], stated: Mapping[int, list[tuple[int, int]]] | None) -> _Paths:
    """What these properties join: of the news, or of all facts."""
    return {
        pair: ((pair[0], each, pair[1]),)
        for each in properties
        for pair in (facts.relation(each).pairs() if stated is None else stated.get(each, ()))
    }


def _lengthened(facts: Facts, paths: _Paths, properties: list[int], *, forwards: bool) -> _Paths:
    """The paths with one more link, at their end or before their beginning; of several ways, one."""
    found: _Paths = {}
    for each in properties:
        relation = facts.relation(each)
        for (begin, end), path in paths.items():
            if forwards:
                for other in relation.out.get(end, ()):
                    found.setdefault((begin, other), (*path, (end, each, other)))
            else:
                for other in relation.into.get(begin, ()):
                    found.setdefault((other, end), ((other, each, begin), *path))
    return found


def keys(saturation: Saturation, news: News | None, _: News | None) -> None:
    """Rule prp-key: members of a class that share the values of its key are the same."""
    facts = saturation.facts
    for each in _listed(facts, _KEY):
        places = each.items(facts)
        if not _is_all(news, _KEY) and news is not None:
            properties = {item for items in places for item in items}
            kinds = {kind for _, kind in news.pairs.get(_TYPE, ())}
            if news.pairs.keys().isdisjoint(properties) and each.subject not in kinds:
                continue
        first: dict[tuple[tuple[int, int], ...], int] = {}
        for thing in sorted(facts.relation(_TYPE).into.get(each.subject, ())):
            for key in _keys_of(facts, thing, places):
                other = first.setdefault(key, thing)
                if other != thing:
                    saturation.conclude((other, _SAME, thing), "prp-key", _key_premises(each, key, other, thing))


def _keys_of(facts: Facts, thing: int, places: list[list[int]]) -> Iterator[tuple[tuple[int, int], ...]]:
    """The values that a thing has for a key, each with the property that it is a value of."""
    values = [
        [(item, value) for item in items for value in sorted(facts.relation(item).out.get(thing, ()))]
        for items in places
    ]
    if prod(map(len, values)) > _MOST_KEYS:
        raise InputError(f"{facts.term(thing)} has too many values for the properties of a key")
    return product(*values)


def _key_premises(each: _Listed, key: tuple[tuple[int, int], ...], one: int, other: int) -> tuple[Fact, ...]:
    premises = [*each.reasons(), (one, _TYPE, each.subject), (other, _TYPE, each.subject)]
    for cell, (item, value) in zip(each.cells, key, strict=True):
        premises += [(cell, _FIRST, item), (one, item, value), (other, item, value)]
    return tuple(premises)
