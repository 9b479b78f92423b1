"""Makes literals short: an empty text, a zero, half of the text; the datatype and the language stay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, XSD, Literal, Triple
from kgprobe.reduction.problem import Problem
from kgprobe.reduction.subgraphs import exactly

__all__ = ["simpler_literals"]

_TEXTS = frozenset({XSD.string, RDF.langString})
_NUMBERS = frozenset(
    {
        *(XSD.integer, XSD.decimal, XSD.double, XSD.float, XSD.nonNegativeInteger),
        *(XSD.int, XSD.long, XSD.short, XSD.byte, XSD.unsignedInt, XSD.unsignedLong),
    }
)


def simpler_literals(problem: Problem, graph: Graph) -> Graph:
    """A graph that still fails with shorter literals: all at once if possible, else one after the other."""
    problem.phase = "literals"
    fixed = {triple.object for triple in problem.stays}
    literals = (literal for literal in _literals(graph) if literal not in fixed)
    shortest = {literal: options[0] for literal in literals if (options := list(_shorter(literal)))}
    if not shortest:
        return graph
    candidate = _replaced(graph, shortest)
    if problem.fails(candidate):
        problem.adopt(candidate)
        problem.trail.replace(lambda triple: _with_literals(triple, shortest))
        return candidate
    for literal in shortest:
        current = literal
        while True:
            options = list(_shorter(current))
            number = problem.first(_replaced(graph, {current: option}) for option in options)
            if number is None:
                break
            found = {current: options[number]}
            graph = _replaced(graph, found)
            problem.trail.replace(partial(_with_literals, mapping=found))
            current = options[number]
            problem.adopt(graph)
    return graph


def _literals(graph: Graph) -> Iterator[Literal]:
    """The literals that are values; what OWL says with a literal, such as a cardinality, is none."""
    seen: set[Literal] = set()
    for triple in graph:
        value = triple.object
        if type(value) is Literal and value not in seen and not triple.predicate.value.startswith(OWL.iri):
            seen.add(value)
            yield value


def _shorter(literal: Literal) -> Iterator[Literal]:
    """What to try in its place, the shortest first."""
    text = literal.value
    if literal.datatype in _TEXTS:
        for length in dict.fromkeys((0, 1, len(text) // 2)):
            if length < len(text):
                yield _like(literal, text[:length])
    elif literal.datatype in _NUMBERS and text != "0":
        yield _like(literal, "0")


def _like(literal: Literal, text: str) -> Literal:
    if literal.language:
        return Literal(text, language=literal.language)
    return Literal(text, datatype=literal.datatype)


def _replaced(graph: Graph, mapping: Mapping[Literal, Literal]) -> Graph:
    return exactly((_with_literals(triple, mapping) for triple in graph), graph.spelling)


def _with_literals(triple: Triple, mapping: Mapping[Literal, Literal]) -> Triple:
    if type(triple.object) is not Literal or triple.predicate.value.startswith(OWL.iri):
        return triple
    return Triple(triple.subject, triple.predicate, mapping.get(triple.object, triple.object))
