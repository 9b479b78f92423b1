"""What can be reached along the edges of a hierarchy, which may have circles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Edges", "masks_above", "reached"]


class Edges:
    """For each number the numbers that edges lead to."""

    def __init__(self, pairs: NDArray[np.int64], count: int) -> None:
        """From rows of two numbers below `count`."""
        order = np.argsort(pairs[:, 0], kind="stable")
        self._ends: list[int] = pairs[order, 1].tolist()
        self._starts: list[int] = np.concatenate(([0], np.cumsum(np.bincount(pairs[:, 0], minlength=count)))).tolist()

    def __getitem__(self, number: int) -> Sequence[int]:
        return self._ends[self._starts[number] : self._starts[number + 1]]


def reached(edges: Edges, starts: Iterable[int]) -> set[int]:
    """The starts, and all that edges lead to from them."""
    pending = list(starts)
    found = set(pending)
    while pending:
        for each in edges[pending.pop()]:
            if each not in found:
                found.add(each)
                pending.append(each)
    return found


def masks_above(up: Edges, starts: Iterable[int], bits: Mapping[int, int]) -> dict[int, int]:
    """For each start, and each node above it, the bits of all nodes above. A node in a circle is above itself."""
    # Tarjan's algorithm without recursion: a circle is complete when the walk leaves the node where it entered it.
    masks: dict[int, int] = {}  # complete ones
    entered: dict[int, int] = {}
    left: dict[int, tuple[int, int]] = {}  # nodes of circles that are not complete: where each leads back to, its mask
    circle: list[int] = []  # the same nodes, as they were left
    walk = list(starts)
    while walk:
        node = walk[-1]
        above = up[node]
        if node not in entered:
            entered[node] = len(entered)
            fresh = [each for each in above if each not in entered]
            if fresh:
                walk += fresh
                continue
        walk.pop()
        if node in masks or node in left:
            continue
        mask, back = 0, entered[node]
        for each in above:
            mask |= bits.get(each, 0) | masks.get(each, 0)
            if each not in masks:
                back = min(back, left[each][0] if each in left else entered[each])
        if back < entered[node]:
            left[node] = back, mask
            circle.append(node)
            continue
        members = [node]
        while circle and entered[circle[-1]] > entered[node]:
            members.append(circle.pop())
            mask |= left.pop(members[-1])[1] | bits.get(members[-1], 0)
        if len(members) > 1:
            mask |= bits.get(node, 0)
        masks.update(dict.fromkeys(members, mask))
    return masks
