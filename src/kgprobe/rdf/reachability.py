"""Finds the nodes that can be reached along edges, in graphs that may have cycles.

`reached`, `walk` and `way` work on single nodes and take any function that returns the next nodes. `Condensed` handles
many nodes together: it treats every cycle as one component and passes bit sets along the edges between components, so
that one number represents a set of thousands of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import accumulate, chain
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Condensed", "Edges", "reached", "walk", "way"]

_Node = TypeVar("_Node", bound=Hashable)


def reached(starts: Iterable[_Node], step: Callable[[_Node], Iterable[_Node]]) -> dict[_Node, None]:
    """The starts and every node that can be reached from them, each once.

    Their order depends only on the order of the starts and of the steps, so random draws from them can be repeated.
    """
    nodes = dict.fromkeys(starts)
    pending = list(nodes)
    while pending:
        for node in step(pending.pop()):
            if node not in nodes:
                nodes[node] = None
                pending.append(node)
    return nodes


def walk(start: _Node, step: Callable[[_Node], Iterable[_Node]]) -> dict[_Node, _Node]:
    """The nodes that one or more steps lead to, nearest first, each with its predecessor.

    The start is among them only if it is on a cycle.
    """
    came_from: dict[_Node, _Node] = {}
    pending = [start]
    for node in pending:
        for following in step(node):
            if following not in came_from:
                came_from[following] = node
                if following != start:
                    pending.append(following)
    return came_from


def way(start: _Node, end: _Node, walked: Mapping[_Node, _Node]) -> list[_Node]:
    """The nodes of a shortest path from the start of a walk to a node that it found, including both."""
    nodes = [end, walked[end]]
    while nodes[-1] != start:
        nodes.append(walked[nodes[-1]])
    return nodes[::-1]


class Edges:
    """The edges of a graph whose nodes are numbers: for each node, the nodes that its edges lead to."""

    __slots__ = ("ends", "first")

    def __init__(self, first: list[int], ends: list[int]) -> None:
        """`ends` holds the ends of all edges, ordered by their starts. The ends for node `n` begin at `first[n]`."""
        self.first = first
        self.ends = ends

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]], count: int) -> Edges:
        """From pairs of a start and an end. Both are numbers below `count`."""
        ends: list[list[int]] = [[] for _ in range(count)]
        for start, end in pairs:
            ends[start].append(end)
        return cls([0, *accumulate(map(len, ends))], list(chain.from_iterable(ends)))

    @classmethod
    def of_rows(cls, rows: NDArray[np.int64], count: int) -> Edges:
        """The same from rows of two numbers."""
        import numpy as np  # see `rows`

        ends: list[int] = rows[np.argsort(rows[:, 0], kind="stable"), 1].tolist()
        return cls([0, *np.cumsum(np.bincount(rows[:, 0], minlength=count)).tolist()], ends)

    def __getitem__(self, node: int) -> list[int]:
        return self.ends[self.first[node] : self.first[node + 1]]

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.first) - 1


class Condensed:
    """The nodes that some starts reach, the starts included, in components: each cycle is one component.

    Components are numbered. A component has a greater number than every other component that it reaches.
    """

    def __init__(self, edges: Edges, starts: Iterable[int]) -> None:
        self.component_of = [-1] * len(edges)
        """The component of each node; -1 for nodes that were not reached."""
        self.members: list[list[int]] = []
        """The nodes of each component."""
        self.following: list[list[int]] = []
        """The other components that the edges of each component lead to, each once."""
        self._walk(edges, starts)

    def _walk(self, edges: Edges, starts: Iterable[int]) -> None:
        # Tarjan's algorithm without recursion: hierarchies can be deeper than Python's stack.
        first, ends, component_of = edges.first, edges.ends, self.component_of
        entered = [-1] * len(edges)
        lowest = [0] * len(edges)  # the earliest node that the walk returned to
        next_edge = first[:-1]
        incomplete: list[int] = []
        count = 0
        for start in starts:
            if entered[start] >= 0:
                continue
            path = [start]
            while path:
                node = path[-1]
                if entered[node] < 0:
                    entered[node] = lowest[node] = count
                    count += 1
                    incomplete.append(node)
                for place in range(next_edge[node], first[node + 1]):
                    target = ends[place]
                    if entered[target] < 0:
                        next_edge[node] = place + 1
                        path.append(target)
                        break
                    if component_of[target] < 0 and entered[target] < lowest[node]:
                        lowest[node] = entered[target]
                else:
                    next_edge[node] = first[node + 1]
                    path.pop()
                    if lowest[node] == entered[node]:
                        self._complete(edges, node, incomplete)
                    elif lowest[node] < lowest[path[-1]]:  # a cycle that began before this node
                        lowest[path[-1]] = lowest[node]

    def _complete(self, edges: Edges, node: int, incomplete: list[int]) -> None:
        """Make a component of this node and of all nodes entered after it that are not in another component."""
        number = len(self.members)
        members = [incomplete.pop()]
        while members[-1] != node:
            members.append(incomplete.pop())
        component_of = self.component_of
        for member in members:
            component_of[member] = number
        ends = edges[node] if len(members) == 1 else [end for member in members for end in edges[member]]
        following = {component_of[end] for end in ends}
        following.discard(number)
        self.members.append(members)
        self.following.append(list(following))

    def gathered(self, bits: Mapping[int, int]) -> list[int]:
        """For each component, the bits of its nodes and of all nodes that it reaches. `bits` maps nodes to bits."""
        masks = self._own(bits)
        for component, following in enumerate(self.following):
            mask = masks[component]
            for other in following:
                mask |= masks[other]
            masks[component] = mask
        return masks

    def passed_on(self, bits: Mapping[int, int]) -> list[int]:
        """For each component, the bits of its nodes and of all nodes that reach it. `bits` maps nodes to bits."""
        passed = self._own(bits)
        for component in range(len(self.following) - 1, -1, -1):
            mask = passed[component]
            if mask:
                for other in self.following[component]:
                    passed[other] |= mask
        return passed

    def direct(self) -> list[list[int]]:
        """`following` without the components that another following one reaches (the transitive reduction)."""
        return [self._direct(following) if len(following) > 1 else following for following in self.following]

    def _direct(self, following: list[int]) -> list[int]:
        kept: list[int] = []
        covered: set[int] = set()
        for component in sorted(following, reverse=True):  # none reaches an earlier one
            if component not in covered:
                kept.append(component)
                covered.update(reached(self.following[component], self.following.__getitem__))
        return kept

    def _own(self, bits: Mapping[int, int]) -> list[int]:
        # One extra entry, so that the component -1 has no bits.
        own = [0] * (len(self.members) + 1)
        for node, mask in bits.items():
            if self.component_of[node] >= 0:
                own[self.component_of[node]] |= mask
        return own
