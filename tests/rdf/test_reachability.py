"""Reachability along edges, compared with slow and simple definitions."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.rdf.reachability import Condensed, Edges, reached, walk, way

_NODES = 8
_Pairs = list[tuple[int, int]]
_pairs = st.lists(st.tuples(st.integers(0, _NODES - 1), st.integers(0, _NODES - 1)), max_size=20)
_nodes = st.lists(st.integers(0, _NODES - 1))


def _closure(pairs: _Pairs) -> set[tuple[int, int]]:
    """The transitive closure, computed the slow way."""
    found = set(pairs)
    while True:
        more = {(a, d) for a, b in found for c, d in found if b == c} - found
        if not more:
            return found
        found |= more


def _at_or_after(pairs: _Pairs, node: int) -> set[int]:
    return {node} | {end for start, end in _closure(pairs) if start == node}


@given(_pairs, _nodes)
def test_starts_and_their_successors_are_reached(pairs: _Pairs, starts: list[int]) -> None:
    edges = Edges.of(pairs, _NODES)
    assert reached(starts, edges.__getitem__).keys() == set().union(*(_at_or_after(pairs, start) for start in starts))


def test_the_nodes_that_are_reached_are_in_the_order_of_the_starts_and_steps() -> None:
    following = {"d": ["b", "a"], "a": ["e"], "b": ["d", "c"]}
    assert list(reached(["f", "d", "f"], lambda node: following.get(node, []))) == ["f", "d", "b", "a", "e", "c"]


@given(_pairs)
def test_edges_lead_from_a_node_to_others_in_the_order_of_the_pairs(pairs: _Pairs) -> None:
    rows = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    for edges in (Edges.of(pairs, _NODES), Edges.of_rows(rows, _NODES)):
        assert len(edges) == _NODES
        for node in range(_NODES):
            assert edges[node] == [end for start, end in pairs if start == node]


@given(_pairs, st.integers(0, _NODES - 1))
def test_paths_are_shortest_and_consist_of_edges(pairs: _Pairs, start: int) -> None:
    walked = walk(start, Edges.of(pairs, _NODES).__getitem__)
    assert walked.keys() == {end for first, end in _closure(pairs) if first == start}
    lengths: dict[int, int] = {}
    for end in walked:
        nodes = way(start, end, walked)
        assert nodes[0] == start
        assert nodes[-1] == end
        assert set(pairwise(nodes)) <= set(pairs)
        lengths[end] = len(nodes) - 1
    distance: dict[int, int] = defaultdict(lambda: 100)
    frontier = {start}
    for steps in range(1, _NODES + 1):
        frontier = {end for first, end in pairs if first in frontier}
        for node in frontier:
            distance[node] = min(distance[node], steps)
    assert lengths == distance
    assert list(lengths.values()) == sorted(lengths.values())


@given(_pairs, _nodes)
def test_components_are_the_nodes_that_reach_each_other(pairs: _Pairs, starts: list[int]) -> None:
    condensed = Condensed(Edges.of(pairs, _NODES), starts)
    closure = _closure(pairs)
    inside = set().union(*(_at_or_after(pairs, start) for start in starts))
    assert sorted(node for members in condensed.members for node in members) == sorted(inside)
    for node in range(_NODES):
        component = condensed.component_of[node]
        if node not in inside:
            assert component == -1
            continue
        same = {node} | {each for each in inside if (node, each) in closure and (each, node) in closure}
        assert set(condensed.members[component]) == same
        after = {condensed.component_of[end] for start, end in pairs if start in same} - {component}
        assert sorted(condensed.following[component]) == sorted(after)
        assert all(each < component for each in after)


@given(_pairs, _nodes)
def test_bits_are_collected_and_propagated_along_all_paths(pairs: _Pairs, starts: list[int]) -> None:
    condensed = Condensed(Edges.of(pairs, _NODES), starts)
    inside = [node for members in condensed.members for node in members]
    bits = {node: 1 << node for node in range(_NODES) if node != 3}
    gathered, passed_on = condensed.gathered(bits), condensed.passed_on(bits)
    for node in inside:
        after = _at_or_after(pairs, node) - {3}
        before = {each for each in inside if node in _at_or_after(pairs, each)} - {3}
        assert gathered[condensed.component_of[node]] == sum(1 << each for each in after)
        assert passed_on[condensed.component_of[node]] == sum(1 << each for each in before)
    assert gathered[-1] == passed_on[-1] == 0


@given(_pairs)
def test_direct_edges_do_not_depend_on_redundant_edges(pairs: _Pairs) -> None:
    closure = _closure(pairs)
    for given_pairs in (pairs, sorted(closure)):
        condensed = Condensed(Edges.of(given_pairs, _NODES), range(_NODES))
        for node in range(_NODES):
            strictly = {b for a, b in closure if a == node and (b, a) not in closure}
            direct = {b for b in strictly if not any((c, b) in closure and (b, c) not in closure for c in strictly)}
            found = condensed.direct()[condensed.component_of[node]]
            assert {each for component in found for each in condensed.members[component]} == direct


def test_a_chain_of_a_hundred_thousand_nodes() -> None:
    count = 100_000
    edges = Edges.of(list(pairwise(range(count))), count)
    assert len(reached([0], edges.__getitem__)) == count
    condensed = Condensed(edges, [0])
    assert len(condensed.members) == count
    assert condensed.gathered({count - 1: 1}) == [*[1] * count, 0]
    assert condensed.direct()[condensed.component_of[0]] == [condensed.component_of[1]]
