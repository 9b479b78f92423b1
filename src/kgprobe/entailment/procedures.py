"""The rules that patterns cannot express: chains of a property with itself, and lists of any length.

Transitive properties and owl:sameAs form chains. The facts of such a property that are stated, or follow from other
rules, are its steps (`Relation.steps`). The ends of a chain of steps are related as well. Joining chains with chains
would find the same facts many times over.

A list is read as a path of cells from its head to rdf:nil. If a cell has two items or two next cells, which can follow
from owl:sameAs, each choice is a list. The items of lists become facts. The rules cls-int1, prp-spo2 and prp-key have
one pattern for each item of a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

from kgprobe.entailment.facts import NUMBERS, Fact, Facts, Relation
from kgprobe.entailment.rules import ITEM, LIST, ONE, QUALIFIED_ONE
from kgprobe.entailment.saturation import LatestFacts, Procedure, Saturation
from kgprobe.errors import InputError
from kgprobe.rdf.reachability import reached, walk
from kgprobe.rdf.terms import OWL, RDF, XSD, Literal, NamedNode, Term

_NONE: frozenset[int] = frozenset()
_TYPE, _TRANSITIVE, _SAME = NUMBERS[RDF.type], NUMBERS[OWL.TransitiveProperty], NUMBERS[OWL.sameAs]
_FIRST, _LIST = NUMBERS[RDF.first], NUMBERS[LIST]
_INTERSECTION, _CHAIN, _KEY = (NUMBERS[name] for name in (OWL.intersectionOf, OWL.propertyChainAxiom, OWL.hasKey))
_MOST_KEYS = 10_000
_Paths: TypeAlias = dict[tuple[int, int], tuple[Fact, ...]]
_LISTING = tuple(
    NUMBERS[name] for name in (OWL.intersectionOf, OWL.unionOf, OWL.oneOf, OWL.propertyChainAxiom, OWL.hasKey)
)
"""The predicates whose objects are lists that rules read."""
_REST, _NIL = NUMBERS[RDF.rest], NUMBERS[RDF.nil]
_ITEM = NUMBERS[ITEM]
_ONES = {NUMBERS[OWL.maxCardinality]: NUMBERS[ONE], NUMBERS[OWL.maxQualifiedCardinality]: NUMBERS[QUALIFIED_ONE]}
_MOST_WAYS = 1000
_NUMBER_TYPES = frozenset(
    XSD[name]
    for name in (
        *("nonNegativeInteger", "positiveInteger", "integer", "int", "long", "short", "byte", "decimal"),
        *("unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"),
    )
)


def transitive(rules: Mapping[NamedNode, str], *, stated: str | None = None) -> Procedure:
    """Apply rules, named by property, to properties that are always transitive, and `stated` to those stated to be."""
    always = {NUMBERS[name]: rule for name, rule in rules.items()}

    def apply(saturation: Saturation, news: LatestFacts | None, goals: LatestFacts | None) -> None:
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

    def find(self, news: LatestFacts | None, goals: LatestFacts | None) -> None:
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


def same_things(saturation: Saturation, news: LatestFacts | None, goals: LatestFacts | None) -> None:
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
    things = reached(touched, lambda thing: beside.get(thing, ()))
    for one in things:
        known = relation.out.get(one, _NONE)
        new = [other for other in dict.fromkeys(beside.get(one, ())) if other != one and other not in known]
        saturation.conclude_chains(one, _SAME, new, "eq-sym", partial(_turned, one))
    for one in things:
        known = relation.out.get(one, _NONE)
        walked = walk(one, lambda thing: beside.get(thing, ()))
        ways = {end: before for end, before in walked.items() if one not in (before, end) and end not in known}
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


class _Listed(NamedTuple):
    """A node that a list defines, and the list: its head, its number, and its cells."""

    subject: int
    predicate: int
    head: int
    number: int
    cells: tuple[int, ...]

    def reasons(self) -> tuple[Fact, Fact]:
        return (self.subject, self.predicate, self.head), (self.head, _LIST, self.number)

    def items(self, facts: Facts) -> list[list[int]]:
        """The possible items at each place."""
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


def _is_all(news: LatestFacts | None, predicate: int) -> bool:
    """Whether to check all facts: if there is no news, or if it is about lists."""
    return news is None or any(name in news.pairs for name in (predicate, _LIST, _FIRST))


def intersections(saturation: Saturation, news: LatestFacts | None, _: LatestFacts | None) -> None:
    """Rule cls-int1: a member of all classes of an intersection is in the intersection."""
    facts = saturation.facts
    members = facts.relation(_TYPE).into
    found: list[tuple[_Listed, int]] = []
    with_item: dict[int, list[_Listed]] = {}
    for listed in _listed(facts, _INTERSECTION):
        places = listed.items(facts)
        if _is_all(news, _INTERSECTION):
            fewest = min(places, key=lambda items: sum(len(members.get(item, ())) for item in items))
            found += ((listed, thing) for item in fewest for thing in members.get(item, ()))
        else:
            for item in dict.fromkeys(item for items in places for item in items):
                with_item.setdefault(item, []).append(listed)
    for thing, kind in news.pairs.get(_TYPE, ()) if news is not None and with_item else ():
        found += ((listed, thing) for listed in with_item.get(kind, ()))
    for listed, thing in found:
        premises = list(listed.reasons())
        for cell, items in zip(listed.cells, listed.items(facts), strict=True):
            fitting = [item for item in items if thing in members.get(item, ())]
            if not fitting:
                break
            premises += [(cell, _FIRST, fitting[0]), (thing, _TYPE, fitting[0])]
        else:
            saturation.conclude((thing, _TYPE, listed.subject), "cls-int1", tuple(premises))


def chains_of_properties(saturation: Saturation, news: LatestFacts | None, _: LatestFacts | None) -> None:
    """Rule prp-spo2: a property joins the two ends of its property chain."""
    facts = saturation.facts
    for listed in _listed(facts, _CHAIN):
        places = listed.items(facts)
        starts = [0] if _is_all(news, _CHAIN) else range(len(places))
        for start in starts:
            stated = None if news is None or _is_all(news, _CHAIN) else news.pairs
            paths = _links(facts, places[start], stated)
            for items in places[start + 1 :]:
                paths = _lengthened(facts, paths, items, forwards=True)
            for items in reversed(places[:start]):
                paths = _lengthened(facts, paths, items, forwards=False)
            for (begin, end), path in paths.items():
                items_used = ((cell, _FIRST, link[1]) for cell, link in zip(listed.cells, path, strict=True))
                saturation.conclude((begin, listed.subject, end), "prp-spo2", (*listed.reasons(), *items_used, *path))


def _links(facts: Facts, properties: list[int], stated: Mapping[int, list[tuple[int, int]]] | None) -> _Paths:
    """The pairs that these properties join, in the news or in all facts."""
    return {
        pair: ((pair[0], prop, pair[1]),)
        for prop in properties
        for pair in (facts.relation(prop).pairs() if stated is None else stated.get(prop, ()))
    }


def _lengthened(facts: Facts, paths: _Paths, properties: list[int], *, forwards: bool) -> _Paths:
    """The paths with one more link, at the end or at the beginning; one path for each pair of ends."""
    found: _Paths = {}
    for prop in properties:
        relation = facts.relation(prop)
        for (begin, end), path in paths.items():
            if forwards:
                for other in relation.out.get(end, ()):
                    found.setdefault((begin, other), (*path, (end, prop, other)))
            else:
                for other in relation.into.get(begin, ()):
                    found.setdefault((other, end), ((other, prop, begin), *path))
    return found


def keys(saturation: Saturation, news: LatestFacts | None, _: LatestFacts | None) -> None:
    """Rule prp-key: members of a class that share the values of its key are the same."""
    facts = saturation.facts
    for listed in _listed(facts, _KEY):
        places = listed.items(facts)
        if not _is_all(news, _KEY) and news is not None:
            properties = {item for items in places for item in items}
            kinds = {kind for _, kind in news.pairs.get(_TYPE, ())}
            if news.pairs.keys().isdisjoint(properties) and listed.subject not in kinds:
                continue
        first: dict[tuple[tuple[int, int], ...], int] = {}
        for thing in sorted(facts.relation(_TYPE).into.get(listed.subject, ())):
            for key in _keys_of(facts, thing, places):
                other = first.setdefault(key, thing)
                if other != thing:
                    saturation.conclude((other, _SAME, thing), "prp-key", _key_premises(listed, key, other, thing))


def _keys_of(facts: Facts, thing: int, places: list[list[int]]) -> Iterator[tuple[tuple[int, int], ...]]:
    """The values of an individual for a key, each with its property."""
    values = [
        [(item, value) for item in items for value in sorted(facts.relation(item).out.get(thing, ()))]
        for items in places
    ]
    if prod(map(len, values)) > _MOST_KEYS:
        raise InputError(f"{facts.term(thing)} has too many values for the properties of a key")
    return product(*values)


def _key_premises(listed: _Listed, key: tuple[tuple[int, int], ...], one: int, other: int) -> tuple[Fact, ...]:
    premises = [*listed.reasons(), (one, _TYPE, listed.subject), (other, _TYPE, listed.subject)]
    for cell, (item, value) in zip(listed.cells, key, strict=True):
        premises += [(cell, _FIRST, item), (one, item, value), (other, item, value)]
    return tuple(premises)


def read(saturation: Saturation, news: LatestFacts | None, _: LatestFacts | None) -> None:
    """Derive these facts from the news, or from all facts."""
    facts = saturation.facts
    if news is None or _FIRST in news.pairs or _REST in news.pairs:
        heads = [head for predicate in _LISTING for head in facts.relation(predicate).into]
    else:
        heads = [head for predicate in _LISTING for _, head in news.pairs.get(predicate, ())]
    for head in dict.fromkeys(heads):
        _read_list(saturation, head)
    for predicate, reading in _ONES.items():
        stated = facts.relation(predicate).pairs() if news is None else news.pairs.get(predicate, ())
        for subject, value in list(stated):
            if _is_one(facts.term(value)):
                saturation.conclude((subject, reading, value), "", ((subject, predicate, value),))


def _read_list(saturation: Saturation, head: int) -> None:
    facts = saturation.facts
    items = facts.relation(_FIRST).out
    for cells in list(_ways(facts, head)):
        number = facts.lists.get(cells)
        if number is None:
            number = facts.lists[cells] = facts.new_number()
        whole = (head, _LIST, number)
        saturation.conclude(whole, "", tuple(_triples(facts, cells)))
        for cell in cells:
            for item in items[cell]:
                saturation.conclude((head, _ITEM, item), "", (whole, (cell, _FIRST, item)))


def _triples(facts: Facts, cells: tuple[int, ...]) -> Iterator[Fact]:
    """The triples of a list, with one item for each cell."""
    items = facts.relation(_FIRST).out
    for cell, following in zip(cells, (*cells[1:], _NIL), strict=True):
        yield cell, _REST, following
        yield cell, _FIRST, min(items[cell])


def _ways(facts: Facts, head: int) -> Iterator[tuple[int, ...]]:
    """The paths from a head to the end of its list."""
    items, rests = facts.relation(_FIRST).out, facts.relation(_REST).out
    pending: list[tuple[list[int], int]] = [([], head)]
    for count, (cells, start) in enumerate(pending):
        if count > _MOST_WAYS:
            raise InputError("a list of the graph branches in too many ways", hint="look for owl:sameAs between cells")
        cell, seen = start, set(cells)
        while cell != _NIL and cell in items and cell in rests and cell not in seen:
            seen.add(cell)
            cells.append(cell)
            following = sorted(rests[cell])
            pending += (([*cells], other) for other in following[1:])
            cell = following[0]
        if cell == _NIL and cells:
            yield tuple(cells)


def _is_one(term: Term | None) -> bool:
    if type(term) is not Literal or term.datatype not in _NUMBER_TYPES:
        return False
    text = term.value.strip().removeprefix("+")
    return text.partition(".")[0].lstrip("0") == "1" and not text.partition(".")[2].strip("0")
