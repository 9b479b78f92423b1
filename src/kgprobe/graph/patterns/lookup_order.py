"""In which order to look for the triples of a pattern.

For an order, `bound` is an upper bound on the number of matches that can be computed without looking for them: the
number of triples that the first one can be, times the most that each further lookup can return. The order with the
smallest bound is good for both of our purposes: enumerating visits few dead ends, and drawing at random (see
`sampling`) succeeds in one of `bound / matches` tries.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.pattern import TriplePattern, Variable, variables_of

__all__ = ["components", "connected_order", "order"]


@dataclass(frozen=True)
class _Candidate:
    bound: int
    triples: tuple[TriplePattern, ...]


def components(triples: Sequence[TriplePattern]) -> list[list[TriplePattern]]:
    """The triples in groups that share no variable: the matches of a pattern are the cross product of theirs."""
    groups: list[list[TriplePattern]] = []
    for triple in triples:
        variables = set(variables_of([triple]))
        touching = [group for group in groups if variables & set(variables_of(group))]
        groups = [group for group in groups if group not in touching]
        groups.append([*(inner for group in touching for inner in group), triple])
    return groups


def order(graph: Graph, triples: Sequence[TriplePattern], known: Collection[Variable] = ()) -> list[TriplePattern]:
    """An order for all triples: component by component, those with the fewest matches first."""
    found = [connected_order(graph, group, known) for group in components(triples)]
    found.sort(key=lambda candidate: candidate.bound)
    return [triple for candidate in found for triple in candidate.triples]


def connected_order(graph: Graph, triples: Sequence[TriplePattern], known: Collection[Variable] = ()) -> _Candidate:
    """The best order of triples that hang together: from each start, always on with the most selective next one."""
    return min((_from_start(graph, start, triples, known) for start in triples), key=lambda found: found.bound)


def _from_start(
    graph: Graph, start: TriplePattern, triples: Sequence[TriplePattern], known: Collection[Variable]
) -> _Candidate:
    seen = set(known)
    chosen: list[TriplePattern] = []
    rest = list(triples)
    bound = 1
    next_triple = start
    while True:
        bound *= most_matches(graph, next_triple, seen)
        chosen.append(next_triple)
        rest.remove(next_triple)
        seen.update(variables_of([next_triple]))
        if not rest:
            return _Candidate(bound, tuple(chosen))
        reachable = [triple for triple in rest if seen & set(variables_of([triple]))] or rest
        next_triple = min(reachable, key=lambda triple: most_matches(graph, triple, seen))


def most_matches(graph: Graph, triple: TriplePattern, known: Collection[Variable]) -> int:
    """At most how many places (see `Graph.at`) a lookup has when these variables have values, whichever they are."""
    s, p, o = (None if isinstance(part, Variable) else graph.key(part) for part in triple)
    most = graph.places(s, p, o)
    subject, _, object_ = (isinstance(part, Variable) and part in known for part in triple)
    if (subject or object_) and most > 1:
        return min(most, graph.most_places(p, subject=subject or s is not None, object_=object_ or o is not None))
    return most
