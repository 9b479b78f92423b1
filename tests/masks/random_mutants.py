"""Random small changes of a real graph, half of them to triples that the mask needs."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from kgprobe.masks.mask import Check
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import Triple

__all__ = ["mutants", "needed"]


def mutants(graph: Graph, check: Check, count: int) -> Iterator[Delta]:
    """Deltas that remove one triple and add one that combines parts of others."""
    random = Random(7)
    triples = list(graph)
    where_it_hurts = needed(graph, check) or triples
    for number in range(count):
        gone = random.choice(where_it_hurts if number % 2 else triples)
        one, other = random.choice(triples), random.choice(triples)
        yield graph.fitted(Delta([gone], [Triple(one.subject, one.predicate, other.object)]))


def needed(graph: Graph, check: Check) -> list[Triple]:
    """The triples that the graph needs to be admissible."""
    return [triple for triple in list(graph) if not _is_admissible_without(triple, graph, check)]


def _is_admissible_without(triple: Triple, graph: Graph, check: Check) -> bool | None:
    graph.remove(triple)
    try:
        return check.admits(graph)
    finally:
        graph.add(triple)
