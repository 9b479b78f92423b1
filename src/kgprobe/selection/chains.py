"""Chains of edges in two states of a graph, and the pairs of nodes that only one state connects.

A path such as `rdfs:subClassOf*` matches chains. A node is called below another if a chain leads from it to the other,
whatever the edges are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import walk, way
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import NamedNode, Triple

__all__ = ["ChainChange", "Chains"]

# Walks from single nodes are cheap until many nodes with large subtrees are looked up. Then one walk over all changed
# edges is cheaper.
_PATIENCE = 50_000


@dataclass(frozen=True, slots=True)
class ChainChange:
    """A chain that only one state has: its edges from the lower end to the upper, and the edge that changed."""

    edges: tuple[Triple, ...]
    changed: Triple
    added: bool


_Step = Callable[[Key], Iterable[Key]]


class Chains:
    """The chains over some kinds of edges in two states of a graph, which share a table.

    A kind of edge is a predicate and whether it is followed backwards. `changed` has the keys of the edges that only
    one of the states has.
    """

    def __init__(
        self, old: Graph, new: Graph, edges: Iterable[tuple[NamedNode, bool]], changed: Iterable[KeyTriple]
    ) -> None:
        self._states = (old, new)
        self._edges = [(old.key(predicate), backwards) for predicate, backwards in sorted(edges, key=str)]
        self._changed = list(changed)
        self._steps = 0
        self._known: dict[tuple[Key | None, Key | None], ChainChange | None] = {}

    def change(self, lower: Key | None, upper: Key | None) -> ChainChange | None:
        """A chain between two nodes that only one state has. None stands for any node; at least one end is given."""
        if not self._changed:
            return None
        ends = (lower, upper)
        if ends not in self._known:
            self._known[ends] = self._look(lower, upper)
        return self._known[ends]

    def _look(self, lower: Key | None, upper: Key | None) -> ChainChange | None:
        if lower is not None:
            return self._difference(lower, self._steps_up, upper)
        assert upper is not None  # noqa: S101 - one end is known
        if self._steps <= _PATIENCE:
            return self._difference(upper, self._steps_down, None)
        below = self._changed_ends.get(upper)
        return None if below is None else self._difference(below, self._steps_up, upper)

    def _difference(self, start: Key, steps: tuple[_Step, _Step], wanted: Key | None) -> ChainChange | None:
        """A chain that only one state has, from the start to the wanted node, or to any node if none is given."""
        before, after = (walk(start, step) for step in steps)
        self._steps += len(before) + len(after)
        for state, here, there in ((1, after, before), (0, before, after)):
            ends = here if wanted is None else [wanted] if wanted in here else []
            end = next((node for node in ends if node not in there), None)
            if end is not None:
                chain = way(start, end, here)
                return self._chain_change(state, chain if steps is self._steps_up else chain[::-1])
        return None

    def _chain_change(self, state: int, chain: list[Key]) -> ChainChange:
        graph, other = self._states[state], self._states[1 - state]
        edges = [self._edge(graph, below, above) for below, above in pairwise(chain)]
        return ChainChange(tuple(edges), next(edge for edge in edges if edge not in other), added=state == 1)

    def _edge(self, graph: Graph, below: Key, above: Key) -> Triple:
        for predicate, backwards in self._edges:
            keys = (above, predicate, below) if backwards else (below, predicate, above)
            if graph.has(*keys):
                return graph.triple(keys)
        raise AssertionError("a chain is made of edges")

    @cached_property
    def _changed_ends(self) -> dict[Key, Key]:
        """The nodes with different nodes below them in the two states, each with one node that is below it in one only.

        If x is below n in one state only, then so is the lower end of a changed edge: follow the chain from x to n, and
        take the last node that is below n in that state only. Its edge to the next node, which is n or is below n in
        both states, is missing in the other state. So it is enough to walk up from the lower ends of changed edges.
        """
        found: dict[Key, Key] = {}
        before, after = map(_remembered, self._steps_up)
        for node in dict.fromkeys(self._lower_ends()):
            for end in walk(node, before).keys() ^ walk(node, after).keys():
                found.setdefault(end, node)
        return found

    def _lower_ends(self) -> Iterator[Key]:
        directions: dict[Key, set[bool]] = {}
        for predicate, backwards in self._edges:
            directions.setdefault(predicate, set()).add(backwards)
        for s, p, o in self._changed:
            yield from (o if backwards else s for backwards in directions[p])

    @cached_property
    def _steps_up(self) -> tuple[_Step, _Step]:
        old, new = self._states
        return _step(old, self._edges), _step(new, self._edges)

    @cached_property
    def _steps_down(self) -> tuple[_Step, _Step]:
        edges = [(predicate, not backwards) for predicate, backwards in self._edges]
        old, new = self._states
        return _step(old, edges), _step(new, edges)


def _step(state: Graph, edges: list[tuple[Key, bool]]) -> _Step:
    """A function from a node to the nodes that one edge leads to."""
    if len(edges) == 1:
        [(predicate, backwards)] = edges
        if backwards:
            return lambda node: state.subjects(predicate, node)
        return lambda node: state.objects(node, predicate)

    def following(node: Key) -> list[Key]:
        found: list[Key] = []
        for predicate, backwards in edges:
            found += state.subjects(predicate, node) if backwards else state.objects(node, predicate)
        return found

    return following


def _remembered(step: _Step) -> _Step:
    known: dict[Key, tuple[Key, ...]] = {}

    def following(node: Key) -> tuple[Key, ...]:
        found = known.get(node)
        if found is None:
            found = known[node] = tuple(step(node))
        return found

    return following
