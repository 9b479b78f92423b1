"""Nodes whose descendants differ, compared with explicit sets of descendants."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgprobe.selection.paper import planning
from kgprobe.selection.paper.planning import with_other_descendants

_Edges = list[tuple[int, int]]


def _sets(edges: Iterable[tuple[int, int]], nodes: int) -> list[set[int]]:
    """The descendants of each node, by definition: a fixed point over the edges."""
    below: list[set[int]] = [set() for _ in range(nodes)]
    for lower, upper in edges:
        below[upper].add(lower)
    grown = True
    while grown:
        grown = False
        for node in range(nodes):
            more = set().union(*(below[each] for each in below[node])) - below[node]
            below[node] |= more
            grown |= bool(more)
    return [each - {node} for node, each in enumerate(below)]


def _found(old: _Edges, new: _Edges, nodes: int) -> set[int]:
    first, second = (np.array(edges, dtype=np.int64).reshape(-1, 2) for edges in (old, new))
    return with_other_descendants(first, second, nodes)


def _expected(old: _Edges, new: _Edges, nodes: int) -> set[int]:
    before, after = _sets(old, nodes), _sets(new, nodes)
    return {node for node in range(nodes) if before[node] != after[node]}


_NODES = 8
_edges = st.lists(st.tuples(st.integers(0, _NODES - 1), st.integers(0, _NODES - 1)), max_size=16)


@given(_edges, _edges, _edges)
@example([], [(0, 1), (1, 0)], [])  # a cycle falls apart
@example([(0, 1)], [(1, 2), (2, 1)], [(1, 2)])  # a cycle, with something below it
@example([], [(0, 0)], [])  # a loop is nothing
@example([(0, 2), (1, 2)], [(0, 1)], [(1, 0)])
def test_agrees_with_sets_of_descendants(common: _Edges, only_old: _Edges, only_new: _Edges) -> None:
    old, new = common + only_old, common + only_new
    assert _found(old, new, _NODES) == _expected(old, new, _NODES)


@given(_edges, _edges)
def test_the_size_of_a_block_makes_no_difference(old: _Edges, new: _Edges) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "_BLOCK", 1)
        in_blocks = _found(old, new, _NODES)
    assert in_blocks == _found(old, new, _NODES)


def test_a_node_that_moves_within_a_subtree_makes_no_difference_above_it() -> None:
    old: _Edges = [(2, 1), (3, 1), (4, 2), (5, 4), (1, 0)]
    new: _Edges = [(2, 1), (3, 1), (4, 3), (5, 4), (1, 0)]
    assert _found(old, new, 6) == {2, 3}


def test_a_shortcut_makes_no_difference() -> None:
    chain: _Edges = [(0, 1), (1, 2), (2, 3)]
    assert _found(chain, [*chain, (0, 3), (0, 3)], 4) == set()


def test_a_long_chain_does_not_exhaust_the_stack() -> None:
    length = 20_000
    chain: _Edges = [(node, node + 1) for node in range(length)]
    assert _found(chain, chain[1:], length + 1) == set(range(1, length + 1))
    assert _found(chain, [], length + 1) == set(range(1, length + 1))


def test_a_large_tree_that_changes_in_many_places() -> None:
    random, nodes = Random(6), 3_000
    old = [(node, random.randrange(node // 6 + 1)) for node in range(1, nodes)]
    new = [(lower, random.randrange(lower)) if random.random() < 0.1 else (lower, upper) for lower, upper in old]
    new = [edge for edge in new if random.random() > 0.05]
    expected = _expected(old, new, nodes)
    assert 100 < len(expected) < nodes
    assert _found(old, new, nodes) == expected
