"""Blank nodes that no triple joins to another, as in annotated axioms and restrictions, which most of them are.

What is said about such a node is hashed, for all nodes in one go. Nodes with different hashes are different; nodes with
the same hash are compared. What is still open after that is for others to decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from kgprobe.graph.blank_components import said_about
from kgprobe.graph.rows import Numbers

__all__ = ["Sorted", "sorted_out"]


@dataclass(frozen=True)
class Sorted:
    """Rows of nodes that the other graph has not, and rows that are yet to be compared; all others are in both."""

    different: Numbers
    open: Numbers


def sorted_out(old: Numbers, new: Numbers, is_blank: Numbers) -> tuple[Sorted, Sorted]:
    """Sorts the rows of two graphs, which all have a blank node, by whether the other graph has the same node."""
    one, other = _LoneNodes(old, is_blank), _LoneNodes(new, is_blank)
    pairs = _pairs(one, other)
    return one.sorted(old, other, pairs[0]), other.sorted(new, one, pairs[1])


class _LoneNodes:
    """The lone nodes of one graph, with what is said about each, in the order of their hashes."""

    def __init__(self, rows: Numbers, is_blank: Numbers) -> None:
        self._is_blank = is_blank
        is_lone = is_blank.copy()
        joined = rows[is_blank[rows[:, 0]] & is_blank[rows[:, 2]]]
        is_lone[joined[:, ::2]] = False
        nodes, said = said_about(rows, is_blank)
        chosen = is_lone[nodes]
        nodes, said = nodes[chosen], said[chosen]
        order = np.lexsort((said, nodes))
        nodes, self.said = nodes[order], said[order]
        starts = np.flatnonzero(np.append(True, nodes[1:] != nodes[:-1])) if len(nodes) else np.zeros(0, dtype=np.int64)
        hashes = np.add.reduceat(_mixed(self.said), starts) if len(starts) else np.zeros(0, dtype=np.uint64)
        by_hash = np.argsort(hashes, kind="stable")
        self.hashes, self.nodes, self.starts = hashes[by_hash], nodes[starts][by_hash], starts[by_hash]
        self.sizes = np.diff(np.append(starts, len(nodes)))[by_hash]

    def sorted(self, rows: Numbers, others: _LoneNodes, is_paired: Numbers) -> Sorted:
        """The rows of this graph, where these nodes have a partner among the others."""
        left, right = (np.searchsorted(others.hashes, self.hashes, side) for side in ("left", "right"))
        state = np.zeros(len(self._is_blank), dtype=np.int8)
        state[self.nodes[left == right]] = 1
        state[self.nodes[is_paired]] = 2
        of_rows = state[np.where(self._is_blank[rows[:, 0]], rows[:, 0], rows[:, 2])]
        return Sorted(rows[of_rows == 1], rows[of_rows == 0])


def _pairs(one: _LoneNodes, other: _LoneNodes) -> tuple[Numbers, Numbers]:
    """Which nodes of each have a partner: the first with a hash and the first of the others with it, and so on."""
    first = np.searchsorted(other.hashes, other.hashes, "left")
    left, right = (np.searchsorted(one.hashes, other.hashes, side) for side in ("left", "right"))
    partner = left + np.arange(len(first)) - first
    places = np.flatnonzero(partner < right)
    places = places[_same(one, partner[places], other, places)]
    is_paired = np.zeros(len(one.nodes), dtype=bool), np.zeros(len(other.nodes), dtype=bool)
    is_paired[0][partner[places]] = True
    is_paired[1][places] = True
    return is_paired


def _same(one: _LoneNodes, ones: Numbers, other: _LoneNodes, others: Numbers) -> Numbers:
    """Whether the same is said about the nodes of the one at these places and those of the other."""
    is_same = one.sizes[ones] == other.sizes[others]
    ones, others = ones[is_same], others[is_same]
    sizes = one.sizes[ones]
    ends = np.cumsum(sizes)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
    differs = (
        one.said[np.repeat(one.starts[ones], sizes) + within]
        != other.said[np.repeat(other.starts[others], sizes) + within]
    )
    if len(ends):
        is_same[is_same] = ~np.logical_or.reduceat(differs, ends - sizes)
    return cast(Numbers, is_same)


def _mixed(numbers: Numbers) -> Numbers:
    """Numbers whose bits depend on all bits of the given ones: a step of splitmix64, which changes 0, too."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return cast(Numbers, mixed)
