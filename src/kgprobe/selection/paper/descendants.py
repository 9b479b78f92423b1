"""Which nodes of a graph have other descendants than in another version of it, without the sets of descendants.

Claim. Let D(n) be the nodes other than n from which a chain of edges leads up to n, and A(s) the nodes other than s to
which one leads from s. Call the lower ends of edges that only one version has changed. Then D(n) differs between the
versions exactly if some changed s has n in A(s) in one version and not in the other.

Proof. If there is such an s, it is in D(n) in one version only. Now let x be in D(n) in one version only, say the old
one, by the chain x = x0, x1, …, xk = n. In the new version x0 does not reach n, and xk does, being n itself. Take the
last xi that does not. It is not n, and x(i+1) is n or reaches n in the new version; so the new version lacks the edge
from xi to x(i+1), and xi is changed. The rest of the chain shows that n is in A(xi) in the old version, and by the
choice of i it is not in the new one. Nothing in this forbids cycles.

So each changed node gets a bit, which is passed up along the edges of each version, and nodes are compared by their
bits. A bit is set at the node itself, in both versions, so that a cycle through it makes no difference there. Changed
nodes that nothing is below in either version have no descendants, and what is above them depends on nothing but the
nodes right above: one bit is enough for all that have the same ones, and it is set there.

All nodes of a cycle have the same bits: cycles are found first, and count as one node. Only nodes above a changed one
are looked at. Bits are passed in blocks, so that memory stays in proportion to the nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["with_other_descendants"]

_Numbers: TypeAlias = NDArray[np.int64]
_Marks: TypeAlias = list[Sequence[int]]  # for each bit the nodes at which it is set
_BLOCK = 8192


def with_other_descendants(old: _Numbers, new: _Numbers, nodes: int) -> set[int]:
    """The nodes whose descendants are not the same in both; edges are rows of a lower and an upper node.

    Nodes are numbers below `nodes`. A node that only one version has is there in the other, without any edges.
    """
    old_pairs, new_pairs = _distinct(old, nodes), _distinct(new, nodes)
    changed = np.setxor1d(old_pairs, new_pairs, assume_unique=True) // nodes
    changed = changed[np.diff(changed, prepend=-1) != 0]
    before, after = _Above(old_pairs, nodes), _Above(new_pairs, nodes)
    marks_before, marks_after = _marks(changed, before, after)
    before.walk(marks_before)
    after.walk(marks_after)
    reached = list(dict.fromkeys([*before.reached, *after.reached]))
    found: set[int] = set()
    for start in range(0, len(marks_before), _BLOCK):
        block = slice(start, start + _BLOCK)
        bits_before, bits_after = before.passed_up(marks_before[block]), after.passed_up(marks_after[block])
        of_before, of_after = before.cycle_of, after.cycle_of
        found.update(node for node in reached if bits_before[of_before[node]] != bits_after[of_after[node]])
    return found


def _distinct(edges: _Numbers, nodes: int) -> _Numbers:
    """Each edge between two nodes once, as one number, in order."""
    pairs = np.sort((edges[:, 0] * nodes + edges[:, 1])[edges[:, 0] != edges[:, 1]])
    found: _Numbers = pairs[np.diff(pairs, prepend=-1) != 0]
    return found


def _marks(changed: _Numbers, before: _Above, after: _Above) -> tuple[_Marks, _Marks]:
    """Where the bits are set in each version."""
    has_lower = before.has_lower[changed] | after.has_lower[changed]
    inner: list[tuple[int]] = [(node,) for node in changed[has_lower].tolist()]
    outer = {(before.uppers(node), after.uppers(node)) for node in changed[~has_lower].tolist()}
    return [*inner, *(uppers for uppers, _ in outer)], [*inner, *(uppers for _, uppers in outer)]


class _Above:
    """The part of one version that is above some nodes, each cycle as one node.

    It is walked by Tarjan's algorithm: a cycle is complete when all above it are. So cycles have smaller numbers than
    those below them.
    """

    def __init__(self, pairs: _Numbers, nodes: int) -> None:
        upper = pairs % nodes
        self.has_lower = np.zeros(nodes, dtype=np.bool_)
        self.has_lower[upper] = True
        self._first: list[int] = np.searchsorted(pairs, np.arange(nodes + 1) * nodes).tolist()
        self._upper: list[int] = upper.tolist()
        self._next = self._first[:-1]  # the edge to follow next
        self._entered = [-1] * nodes
        self._lowest = [0] * nodes
        self._incomplete: list[int] = []
        self._above: list[list[int]] = []  # the cycles right above each cycle, or the same one
        self.cycle_of = [-1] * nodes  # -1 for a node that was not reached
        self.reached: list[int] = []

    def uppers(self, node: int) -> tuple[int, ...]:
        """The nodes right above."""
        return tuple(self._upper[self._first[node] : self._first[node + 1]])

    def passed_up(self, marks: _Marks) -> list[int]:
        """The bits that each cycle gets from below; and none for the cycle -1."""
        bits = [0] * (len(self._above) + 1)
        for place, nodes in enumerate(marks):
            for node in nodes:
                bits[self.cycle_of[node]] |= 1 << place
        for cycle in range(len(self._above) - 1, -1, -1):
            passed = bits[cycle]
            if passed:
                for above in self._above[cycle]:
                    bits[above] |= passed
        return bits

    def walk(self, marks: Iterable[Sequence[int]]) -> None:
        """Reach all that is above."""
        for nodes in marks:
            for node in nodes:
                if self._entered[node] < 0:
                    self._walk_from(node)

    def _walk_from(self, start: int) -> None:
        self._enter(start)
        path = [start]
        lowest = self._lowest
        while path:
            node = path[-1]
            target = self._followed(node)
            if target is not None:
                self._enter(target)
                path.append(target)
                continue
            path.pop()
            if lowest[node] == self._entered[node]:
                self._complete(node)
            else:  # part of a cycle with what the walk came from
                lowest[path[-1]] = min(lowest[path[-1]], lowest[node])

    def _enter(self, node: int) -> None:
        self._entered[node] = self._lowest[node] = len(self.reached)
        self.reached.append(node)
        self._incomplete.append(node)

    def _followed(self, node: int) -> int | None:
        """The next node right above that is new; notes how far back the others lead."""
        for place in range(self._next[node], self._first[node + 1]):
            target = self._upper[place]
            if self._entered[target] < 0:
                self._next[node] = place + 1
                return target
            if self.cycle_of[target] < 0:
                self._lowest[node] = min(self._lowest[node], self._entered[target])
        self._next[node] = self._first[node + 1]
        return None

    def _complete(self, node: int) -> None:
        """Makes a cycle of all that was entered since this node and is in no other."""
        number = len(self._above)
        members: list[int] = []
        while not members or members[-1] != node:
            members.append(self._incomplete.pop())
            self.cycle_of[members[-1]] = number
        self._above.append(list({self.cycle_of[upper] for member in members for upper in self.uppers(member)}))
