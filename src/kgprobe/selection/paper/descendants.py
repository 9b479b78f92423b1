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

from collections.abc import Sequence
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgprobe.graph.reachability import Condensed, Edges

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
    before, after = (Edges.of_rows(np.column_stack(np.divmod(pairs, nodes)), nodes) for pairs in (old_pairs, new_pairs))
    has_lower = np.zeros(nodes, dtype=np.bool_)
    has_lower[old_pairs % nodes] = has_lower[new_pairs % nodes] = True
    marks_before, marks_after = _marks(changed, has_lower[changed], before, after)
    above_before, above_after = (
        Condensed(edges, chain.from_iterable(marks)) for edges, marks in ((before, marks_before), (after, marks_after))
    )
    of_before, of_after = above_before.component_of, above_after.component_of
    reached = {node for above in (above_before, above_after) for members in above.members for node in members}
    found: set[int] = set()
    for start in range(0, len(marks_before), _BLOCK):
        block = slice(start, start + _BLOCK)
        bits_before = above_before.passed_on(_bits(marks_before[block]))
        bits_after = above_after.passed_on(_bits(marks_after[block]))
        found.update(node for node in reached if bits_before[of_before[node]] != bits_after[of_after[node]])
    return found


def _distinct(edges: _Numbers, nodes: int) -> _Numbers:
    """Each edge between two nodes once, as one number, in order."""
    pairs = np.sort((edges[:, 0] * nodes + edges[:, 1])[edges[:, 0] != edges[:, 1]])
    found: _Numbers = pairs[np.diff(pairs, prepend=-1) != 0]
    return found


def _marks(changed: _Numbers, has_lower: NDArray[np.bool_], before: Edges, after: Edges) -> tuple[_Marks, _Marks]:
    """Where the bits are set in each version. `has_lower` says which of the changed nodes have others below them."""
    inner: list[tuple[int]] = [(node,) for node in changed[has_lower].tolist()]
    outer = {(tuple(before[node]), tuple(after[node])) for node in changed[~has_lower].tolist()}
    return [*inner, *(uppers for uppers, _ in outer)], [*inner, *(uppers for _, uppers in outer)]


def _bits(marks: _Marks) -> dict[int, int]:
    """The bits of each node, from the nodes of each bit."""
    bits: dict[int, int] = {}
    for place, nodes in enumerate(marks):
        for node in nodes:
            bits[node] = bits.get(node, 0) | 1 << place
    return bits
