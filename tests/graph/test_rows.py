"""Sets of rows of numbers, compared with Python sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.graph.rows import Numbers, among, distinct, only_in_one, row_tuples

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
