"""The last word on a result: no single axiom and no single triple can be removed from it."""

from __future__ import annotations

from collections.abc import Iterator

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import Triple
from kgprobe.ontology.axioms import AxiomView
from kgprobe.reduction.axioms import is_idle
from kgprobe.reduction.problem import Problem
from kgprobe.reduction.subgraphs import without
from kgprobe.reduction.triples import annotation_triples, loose_triples

__all__ = ["one_minimal", "removals"]


def one_minimal(problem: Problem, graph: Graph) -> Graph:
    """A graph that fails, and that fails no longer without one of its axioms or loose triples.

    Each is tried; after a success, those tried before are tried again, because what was needed may not be any longer.
    """
    problem.phase = "single axioms and triples"
    graph = _without_idle(problem, graph)
    place = 0
    while True:
        parts = [part for part in removals(graph) if problem.stays.isdisjoint(part)]
        order = parts[place:] + parts[:place]
        number = problem.first(without(graph, part) for part in order)
        if number is None:
            return graph
        graph = without(graph, order[number])
        place = (place + number) % len(parts)


def removals(graph: Graph) -> Iterator[tuple[Triple, ...]]:
    """All that is tried: what has no meaning first, then axioms, annotations of axioms, and triples."""
    axioms = list(AxiomView(graph))
    yield from (axiom.triples for axiom in axioms if is_idle(axiom, ()))
    yield from (axiom.triples for axiom in axioms if not is_idle(axiom, ()))
    for axiom in axioms:
        annotations = annotation_triples(axiom)
        if 0 < len(annotations) < len(axiom.triples):
            yield tuple(annotations)
    yield from ((triple,) for triple in loose_triples(graph))


def _without_idle(problem: Problem, graph: Graph) -> Graph:
    """The graph without anything that has no meaning, if it fails so: often there is more of that than of the rest."""
    axioms = list(AxiomView(graph))
    idle = [axiom.triples for axiom in axioms if is_idle(axiom, ())]
    notes = [annotation_triples(axiom) for axiom in axioms if not is_idle(axiom, ())]
    for parts in ([*idle, *notes], notes):
        removed = [triple for part in parts for triple in part if triple not in problem.stays]
        if removed and problem.fails(smaller := without(graph, removed)):
            return smaller
    return graph
