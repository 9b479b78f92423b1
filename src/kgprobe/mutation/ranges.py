"""A random value for a property: within its range where it has one, else like the values that it has."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.lists import BrokenListError, read_list
from kgprobe.graph.terms import OWL, RDFS, XSD, Literal, NamedNode, Term
from kgprobe.mutation.datatypes import ANY_BOUNDS, Bounds, is_known, random_literal

__all__ = ["random_value_for"]

# How many definitions of datatypes by datatypes are followed: a definition may run in a circle.
_DEEPEST = 8
# Numbers beyond this are no floats any more, and no limit that somebody means.
_HUGE = 10**300


def random_value_for(graph: Graph, of: Key, random: Random) -> Literal | None:
    """A literal in the range of this property, or of this datatype; None if nothing is in it."""
    term = graph.term(of)
    if isinstance(term, NamedNode) and is_known(term):
        return random_literal(term, random)
    ranges = graph.objects(of, graph.key(RDFS.range))
    if ranges:
        return _value_in(graph, ranges[_below(random, len(ranges))], random, _DEEPEST)
    if graph.count(of, graph.key(OWL.equivalentClass)):
        return _value_in(graph, of, random, _DEEPEST)
    return random_literal(_usual_datatype(graph, of, random), random) or random_literal(XSD.string, random)


def _usual_datatype(graph: Graph, of: Key, random: Random) -> NamedNode:
    """The datatype of one of the values that the property has."""
    row = graph.sample(random, None, of)
    value = graph.term(row[2]) if row else None
    return value.datatype if isinstance(value, Literal) else XSD.string


def _value_in(graph: Graph, data_range: Key, random: Random, depth: int) -> Literal | None:
    """A value in a data range: a datatype by name or definition, an enumeration, a restriction, a union."""
    term = graph.term(data_range)
    if isinstance(term, NamedNode) and is_known(term):
        return random_literal(term, random)
    if depth == 0:
        return None
    for members in _lists(graph, data_range, OWL.oneOf):
        literals = [member for member in members if isinstance(member, Literal)]
        return literals[_below(random, len(literals))] if literals else None
    for members in _lists(graph, data_range, OWL.unionOf):
        member = members[_below(random, len(members))] if members else None
        return None if member is None else _value_in(graph, graph.key(member), random, depth - 1)
    for facets in _lists(graph, data_range, OWL.withRestrictions):
        return _restricted(graph, data_range, facets, random)
    for definition in graph.objects(data_range, graph.key(OWL.equivalentClass)):
        return _value_in(graph, definition, random, depth - 1)
    return None


def _restricted(graph: Graph, data_range: Key, facets: tuple[Term, ...], random: Random) -> Literal | None:
    bounds: Bounds | None = ANY_BOUNDS
    for facet in facets:
        for _, predicate, value in graph.rows(graph.key(facet)):
            bounds = _narrowed(bounds, graph.term(predicate), graph.term(value)) if bounds else None
    for datatype in graph.objects(data_range, graph.key(OWL.onDatatype)):
        term = graph.term(datatype)
        return random_literal(term, random, bounds) if isinstance(term, NamedNode) and bounds else None
    return None


def _narrowed(bounds: Bounds, facet: Term, value: Term) -> Bounds | None:
    """The bounds with one more facet; None if nothing is known to be within it, as for patterns and for times."""
    limit = _number(value)
    if limit is None:
        return None
    if facet in (XSD.minInclusive, XSD.minExclusive):
        is_open = facet == XSD.minExclusive
        if limit > bounds.low or (limit == bounds.low and is_open):
            bounds = replace(bounds, low=limit, low_is_open=is_open)
        return bounds
    if facet in (XSD.maxInclusive, XSD.maxExclusive):
        is_open = facet == XSD.maxExclusive
        if limit < bounds.high or (limit == bounds.high and is_open):
            bounds = replace(bounds, high=limit, high_is_open=is_open)
        return bounds
    if facet not in (XSD.minLength, XSD.maxLength, XSD.length):
        return None
    if facet != XSD.maxLength:
        bounds = replace(bounds, shortest=max(bounds.shortest, int(limit)))
    if facet != XSD.minLength:
        bounds = replace(bounds, longest=min(bounds.longest, limit))
    return bounds


def _number(value: Term) -> float | None:
    """The number that a literal is. A whole one keeps all its digits."""
    if not isinstance(value, Literal):
        return None
    try:
        number = int(value.value) if value.value.lstrip("+-").isdecimal() else float(value.value)
    except ValueError:
        return None
    return number if abs(number) < _HUGE else None


def _lists(graph: Graph, node: Key, predicate: NamedNode) -> list[tuple[Term, ...]]:
    """The members of the lists that hang on this node; broken ones are passed over."""
    found = []
    for head in graph.objects(node, graph.key(predicate)):
        try:
            found.append(read_list(graph, graph.term(head)).members)
        except BrokenListError:
            continue
    return found


def _below(random: Random, count: int) -> int:
    return int(random.random() * count)
