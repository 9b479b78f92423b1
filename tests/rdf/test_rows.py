"""Sets of rows of numbers, compared with Python sets, and isolated blank nodes matched by their rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.rdf.blank_matching import compared_rows
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.rows import Numbers, among, connected_components, distinct, only_in_one, row_tuples

Row = tuple[int, int, int]
# Small numbers collide often; three large ones do not fit into one machine word.
numbers = st.one_of(st.integers(0, 3), st.sampled_from([1 << 21, (1 << 30) + 1]))
row_lists = st.lists(st.tuples(numbers, numbers, numbers), max_size=12)


def array(rows: list[Row]) -> Numbers:
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


@given(row_lists, row_lists)
def test_rows_that_only_one_set_has(one: list[Row], other: list[Row]) -> None:
    found = only_in_one(array(sorted(set(one))), array(sorted(set(other))))
    assert row_tuples(found[0]) == sorted(set(one) - set(other))
    assert row_tuples(found[1]) == sorted(set(other) - set(one))


@given(row_lists, row_lists)
def test_rows_that_are_in_another_set(rows: list[Row], others: list[Row]) -> None:
    assert among(array(rows), array(others)).tolist() == [row in others for row in rows]


@given(row_lists)
def test_distinct_rows(rows: list[Row]) -> None:
    found, places = distinct(array(rows))
    assert sorted(row_tuples(found)) == sorted(set(rows))
    assert row_tuples(found[places]) == rows


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_nodes_that_pairs_join_have_the_same_component(pairs: list[tuple[int, int]]) -> None:
    near = {
        node: {node} | {b for a, b in pairs if a == node} | {a for a, b in pairs if b == node} for node in range(10)
    }
    expected = [min(reached([node], near.__getitem__)) for node in range(10)]
    found = connected_components(10, np.array(pairs, dtype=np.int64).reshape(-1, 2)).tolist()
    assert found == [sorted(set(expected)).index(first) for first in expected]


# 0 to 3 are names, 4 to 9 blank nodes.
_ends = st.one_of(
    st.tuples(st.integers(4, 9), st.integers(0, 1), st.integers(0, 9)),
    st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(4, 9)),
)
blank_rows = st.lists(_ends, unique=True, max_size=14)
IS_BLANK = np.arange(10) > 3


def lone_contents(rows: list[Row]) -> dict[int, frozenset[Row]]:
    """The rows of each isolated blank node, with -1 for the node."""
    connected = {node for s, _, o in rows if s > 3 and o > 3 for node in (s, o)}
    found: dict[int, set[Row]] = {}
    for s, p, o in rows:
        node = s if s > 3 else o
        if node not in connected:
            found.setdefault(node, set()).add((-1 if s == node else s, p, -1 if o == node else o))
    return {node: frozenset(said) for node, said in found.items()}


@given(blank_rows, blank_rows)
@settings(max_examples=60, deadline=None)
def test_isolated_nodes_are_matched(old: list[Row], new: list[Row]) -> None:
    found = compared_rows(array(old), array(new), IS_BLANK)
    contents = [lone_contents(rows) for rows in (old, new)]
    counts = [Counter(each.values()) for each in contents]
    for side, (rows, part) in enumerate(zip((old, new), found, strict=True)):
        other = counts[1 - side]
        different, left = set(row_tuples(part.different)), set(row_tuples(part.open))
        assert not different & left
        # A node differs if, and only if, the other side has no node with the same rows.
        nodes = {s if s > 3 else o for s, _, o in different}
        assert nodes == {node for node, said in contents[side].items() if not other[said]}
        # Rows that join nodes stay open, and paired rows are in neither result.
        assert left >= {row for row in rows if row[0] > 3 and row[2] > 3}
        open_nodes = {s if s > 3 else o for s, _, o in left} & contents[side].keys()
        paired = Counter(said for node, said in contents[side].items() if node not in nodes | open_nodes)
        assert all(count == min(counts[side][said], other[said]) for said, count in paired.items())
