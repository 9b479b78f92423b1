"""Ancestors, descendants and paths in a class hierarchy."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.entailment.class_conclusions import Ancestry
from kgprobe.rdf.table import Key

_pairs = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20)


def _reached(pairs: list[tuple[int, int]], start: int) -> set[Key]:
    found: set[Key] = set()
    for _ in pairs:
        found |= {b for a, b in pairs if a == start or a in found}
    return found


@given(_pairs, st.permutations(range(9)), st.sampled_from([0, 10, 5_000_000]))
def test_ancestors_and_descendants(pairs: list[tuple[int, int]], order: list[int], room: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("kgprobe.entailment.class_conclusions._MOST_REMEMBERED", room)
        ancestry = Ancestry(pairs)
    for node in order:
        assert ancestry.above(node) == _reached(pairs, node)
        assert ancestry.below([node]) == {node} | {each for each in range(9) if node in _reached(pairs, each)}


@given(_pairs)
def test_a_path_consists_of_edges(pairs: list[tuple[int, int]]) -> None:
    ancestry = Ancestry(pairs)
    for lower in range(9):
        for upper in range(9):
            if upper not in ancestry.above(lower):
                with pytest.raises(ValueError, match="no edges"):
                    ancestry.way(lower, upper)
                continue
            way = ancestry.way(lower, upper)
            assert set(way) <= set(pairs)
            assert (way[0][0], way[-1][1]) == (lower, upper)
            assert all(one[1] == other[0] for one, other in pairwise(way))


def test_a_long_chain_does_not_exhaust_the_stack() -> None:
    ancestry = Ancestry((n, n + 1) for n in range(20_000))
    assert len(ancestry.above(0)) == 20_000
    assert len(ancestry.way(0, 20_000)) == 20_000
