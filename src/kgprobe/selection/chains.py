"""Which nodes are joined by chains of edges, in two states of a graph, and for which of them that differs.

This is what a path such as `rdfs:subClassOf*` sees. The nodes from which chains lead to one are called those below it,
whatever the edges are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import NamedNode, Triple

__all__ = ["ChainChange", "Chains"]

# Walks from single nodes are cheap until many nodes with much below them are asked for. Then one walk over all changed
# edges is cheaper.
_PATIENCE = 50_000


@dataclass(frozen=True, slots=True)
class ChainChange:
    """A chain that is there in one state only: its edges from the lower end to the upper, and the one that changed."""

    edges: tuple[Triple, ...]
    changed: Triple
    added: bool


class Chains:
    """The chains of some edges in two states of a graph, which share a table.

    `changed` are the edges that only one of the states has. An edge is a predicate and whether it is walked backwards.
    """

    def __init__(
        self, old: Graph, new: Graph, edges: Iterable[tuple[NamedNode, bool]], changed: Iterable[Triple]
    ) -> None:
        self._states = (old, new)
        self._edges = [(old.key(predicate), backwards) for predicate, backwards in sorted(edges, key=str)]
        self._directions = dict(self._edges)
        self._both_ways = len(self._directions) < len(self._edges)
        self._changed = list(changed)
        self._steps = 0
        self._known_to: dict[Key, bool] = {}
        self._known_from: dict[Key, bool] = {}

    def any_changed(self) -> bool:
        """Whether any edge changed."""
        return bool(self._changed)

    def changed_to(self, node: Key) -> bool:
        """Whether other nodes are below this one than before."""
        if not self._changed:
            return False
        if self._steps > _PATIENCE:
            return node in self._changed_ends
        if node not in self._known_to:
            self._known_to[node] = self._differs(node, self._lower)
        return self._known_to[node]

    def changed_from(self, node: Key) -> bool:
        """Whether other nodes are above this one than before."""
        if not self._changed:
            return False
        if node not in self._known_from:
            self._known_from[node] = self._differs(node, self._upper)
        return self._known_from[node]

    def changed_between(self, lower: Key, upper: Key) -> bool:
        """Whether a chain joins these two in one state only."""
        if not self._changed:
            return False
        old, new = (upper in _walk(lower, self._upper(state)) for state in self._states)
        return old != new

    def witness(self, lower: Key | None, upper: Key | None) -> ChainChange | None:
        """A chain between the two, None being any node, that only one state has. The shortest is taken."""
        for added, (other, state) in ((True, self._states), (False, self._states[::-1])):
            if upper is None:
                assert lower is not None  # noqa: S101 - a chain without a known end has no witness but its edges
                found, before = _walk(lower, self._upper(state)), _walk(lower, self._upper(other))
                ends = [(lower, end) for end in found if end not in before]
            else:
                found, before = _walk(upper, self._lower(state)), _walk(upper, self._lower(other))
                ends = [(end, upper) for end in found if end not in before and lower in (None, end)]
            if ends:
                return self._chain(state, other, *ends[0], added=added)
        return None

    def _chain(self, state: Graph, other: Graph, lower: Key, upper: Key, *, added: bool) -> ChainChange:
        came_from = _walk(lower, self._upper(state))
        nodes = [upper]
        while len(nodes) < 2 or nodes[-1] != lower:
            nodes.append(came_from[nodes[-1]])
        nodes.reverse()
        edges = [self._edge(state, below, above) for below, above in pairwise(nodes)]
        changed = next(edge for edge in edges if edge not in other)
        return ChainChange(tuple(edges), changed, added)

    def _edge(self, state: Graph, below: Key, above: Key) -> Triple:
        for predicate, backwards in self._edges:
            keys = (above, predicate, below) if backwards else (below, predicate, above)
            if state.has(*keys):
                return state.triple(keys)
        raise AssertionError("a chain is made of edges")

    def _differs(self, node: Key, direction: Callable[[Graph], Callable[[Key], Iterable[Key]]]) -> bool:
        old, new = (_walk(node, direction(state)) for state in self._states)
        self._steps += len(old) + len(new)
        return old.keys() != new.keys()

    @cached_property
    def _changed_ends(self) -> set[Key]:
        """All nodes that have others below them than before.

        If x is below n in one state only, then so is the lower end of a changed edge: follow the chain from x to n, and
        take the last node that is below n in that state only. Its edge to the next one, which is n or below n in both
        states, cannot be in the other state. So it is enough to see what is above the lower ends of changed edges.
        """
        found: set[Key] = set()
        old, new = self._states
        above_old, above_new = _remembered(self._upper(old)), _remembered(self._upper(new))
        for node in dict.fromkeys(self._lower_ends()):
            found |= _walk(node, above_old).keys() ^ _walk(node, above_new).keys()
        return found

    def _lower_ends(self) -> Iterable[Key]:
        for triple in self._changed:
            s, p, o = self._states[0].keys(triple)
            if self._both_ways:
                yield from (s, o)
            else:
                yield o if self._directions[p] else s

    def _upper(self, state: Graph) -> Callable[[Key], Iterable[Key]]:
        return _step(state, self._edges)

    def _lower(self, state: Graph) -> Callable[[Key], Iterable[Key]]:
        return _step(state, [(predicate, not backwards) for predicate, backwards in self._edges])


def _step(state: Graph, edges: list[tuple[Key, bool]]) -> Callable[[Key], Iterable[Key]]:
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


def _remembered(step: Callable[[Key], Iterable[Key]]) -> Callable[[Key], Iterable[Key]]:
    known: dict[Key, tuple[Key, ...]] = {}

    def following(node: Key) -> tuple[Key, ...]:
        found = known.get(node)
        if found is None:
            found = known[node] = tuple(step(node))
        return found

    return following


def _walk(start: Key, step: Callable[[Key], Iterable[Key]]) -> dict[Key, Key]:
    """All nodes that one or more steps lead to, nearest first, and from which node each was reached."""
    found: dict[Key, Key] = {}
    pending = [start]
    for node in pending:
        for following in step(node):
            if following not in found:
                found[following] = node
                if following != start:
                    pending.append(following)
    return found
