"""Sets of rows of numbers, such as triples of interned terms, compared as a whole."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

__all__ = ["Numbers", "among", "distinct", "only_in_one", "row_tuples"]

Numbers: TypeAlias = NDArray[Any]


def only_in_one(one: Numbers, other: Numbers) -> tuple[Numbers, Numbers]:
    """The rows that only the one has, and those that only the other has. Each has a row once, of three numbers."""
    ids_of_one, ids_of_other = _row_ids(one, other)
    common = np.concatenate((ids_of_one, ids_of_other))
    common.sort()
    common = common[:-1][common[1:] == common[:-1]]
    return one[~_among(ids_of_one, common)], other[~_among(ids_of_other, common)]


def among(rows: Numbers, others: Numbers) -> Numbers:
    """Which of the rows are among the others; all are of three numbers."""
    ids, wanted = _row_ids(rows, others)
    wanted.sort()
    return _among(ids, wanted)


def distinct(rows: Numbers) -> tuple[Numbers, Numbers]:
    """Rows of three numbers, each once; and for each row that was given, its place among these."""
    ids = _row_ids(rows, rows[:0])[0]
    _, first, places = np.unique(ids, return_index=True, return_inverse=True)
    return rows[first], places.reshape(-1)


def row_tuples(rows: Numbers) -> list[tuple[int, int, int]]:
    """Rows of three numbers as tuples."""
    return list(zip(*rows.T.tolist(), strict=True))


def _row_ids(one: Numbers, other: Numbers) -> tuple[Numbers, Numbers]:
    """A number for each row, which equal rows share."""
    rows = np.concatenate((one, other)).astype(np.uint64)
    bits = max(1, int(rows.max(initial=0)).bit_length())
    if 3 * bits > 64:  # number the pairs of subject and predicate, too
        pairs = np.unique(rows[:, 0] << np.uint64(32) | rows[:, 1], return_inverse=True)[1].reshape(-1)
        ids = pairs.astype(np.uint64) << np.uint64(32) | rows[:, 2]
    else:
        shift = np.uint64(bits)
        ids = (rows[:, 0] << shift | rows[:, 1]) << shift | rows[:, 2]
    return ids[: len(one)], ids[len(one) :]


def _among(ids: Numbers, wanted: Numbers) -> Numbers:
    """Which of the numbers are among the wanted ones, which are in order."""
    if not len(wanted):
        return np.zeros(len(ids), dtype=bool)
    places = np.minimum(np.searchsorted(wanted, ids), len(wanted) - 1)
    return cast(Numbers, wanted[places] == ids)
