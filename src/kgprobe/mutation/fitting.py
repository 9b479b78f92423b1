"""Individuals that fit a property: they are known to be in all of its domains, or in all of its ranges.

What is known is what the graph says: the types of an individual, and the classes above these. A property also has the
domains and ranges of the properties above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.lists import BrokenListError, read_list
from kgprobe.graph.terms import OWL, RDFS, NamedNode
from kgprobe.mutation.entity_rules import is_own_name
from kgprobe.mutation.individuals import random_individual

__all__ = ["random_object_for", "random_subject_for"]

# How often an individual of one class is drawn before there is said to be none that is in the other classes, too.
_TRIES = 50


def random_subject_for(graph: Graph, prop: Key, random: Random) -> Key | None:
    """An individual in all domains of a property; None if none was found."""
    return _drawn(graph, _classes_for(graph, prop, RDFS.domain), random)


def random_object_for(graph: Graph, prop: Key, random: Random) -> Key | None:
    """An individual in all ranges of a property; None if none was found."""
    return _drawn(graph, _classes_for(graph, prop, RDFS.range), random)


def _classes_for(graph: Graph, prop: Key, word: NamedNode) -> list[Key]:
    """Its domains or ranges. Everything is an owl:Thing."""
    properties = _reached([prop], lambda each: graph.objects(each, graph.key(RDFS.subPropertyOf)))
    classes = dict.fromkeys(each for above in properties for each in graph.objects(above, graph.key(word)))
    return [each for each in classes if graph.term(each) != OWL.Thing]


def _drawn(graph: Graph, classes: list[Key], random: Random) -> Key | None:
    if not classes:
        return random_individual(graph, random)
    allowed = [_below(graph, each) for each in classes]
    is_a = graph.table.is_a
    counts = {each: graph.count(None, is_a, each) for each in min(allowed, key=len)}
    total = sum(counts.values())
    for _ in range(_TRIES if total else 0):
        drawn = _at(counts, int(random.random() * total))
        row = graph.sample(random, None, is_a, drawn)
        if row is None or not is_own_name(graph, row[0]):
            continue
        types = graph.objects(row[0], is_a)
        if all(any(each in below for each in types) for below in allowed):
            return row[0]
    return None


def _at(counts: dict[Key, int], point: int) -> Key:
    for key, count in counts.items():
        if point < count:
            return key
        point -= count
    raise AssertionError("the point is below the sum of the counts")


def _below(graph: Graph, class_: Key) -> dict[Key, None]:
    """All classes whose instances the graph says to be in this one: itself, those below it, and parts of a union."""
    sub_class, equivalent, union = map(graph.key, (RDFS.subClassOf, OWL.equivalentClass, OWL.unionOf))

    def step(each: Key) -> Iterable[Key]:
        yield from graph.subjects(sub_class, each)
        yield from graph.subjects(equivalent, each)
        yield from graph.objects(each, equivalent)
        for head in graph.objects(each, union):
            try:
                yield from map(graph.key, read_list(graph, graph.term(head)).members)
            except BrokenListError:
                continue

    return _reached([class_], step)


def _reached(start: Iterable[Key], step: Callable[[Key], Iterable[Key]]) -> dict[Key, None]:
    """In an order that never varies: whoever draws from these draws the same again."""
    found = dict.fromkeys(start)
    pending = list(found)
    while pending:
        for each in step(pending.pop()):
            if each not in found:
                found[each] = None
                pending.append(each)
    return found
