"""Compares sets of rows of numbers, such as triples of interned terms."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

__all__ = ["Numbers", "among", "distinct", "only_in_one", "row_tuples"]

Numbers: TypeAlias = NDArray[Any]


def only_in_one(one: Numbers, other: Numbers) -> tuple[Numbers, Numbers]:
    """The rows that only `one` has, and those that only `other` has. Rows have three numbers and occur once in each."""
    bits = _bits(one, other)
    if 3 * bits >= 64:
        return one[~among(one, other)], other[~among(other, one)]
    # Each row becomes one number, whose lowest bit marks its origin. Sorting puts equal rows next to each other.
    packed = np.concatenate((_packed(one, bits), _packed(other, bits))) << np.uint64(1)
    packed[len(one) :] |= np.uint64(1)
    packed.sort()
    is_single = np.ones(len(packed), dtype=bool)
    is_single[1:] = packed[1:] ^ packed[:-1] != 1
    is_single[:-1] &= is_single[1:]
    single = packed[is_single]
    is_of_other = (single & np.uint64(1)).astype(bool)
    return _unpacked(single[~is_of_other] >> np.uint64(1), bits), _unpacked(single[is_of_other] >> np.uint64(1), bits)


def among(rows: Numbers, others: Numbers) -> Numbers:
    """Which of the rows are among the others. All rows have three numbers."""
    ids, wanted = _row_ids(rows, others)
    wanted.sort()
    if not len(wanted):
        return np.zeros(len(ids), dtype=bool)
    places = np.minimum(np.searchsorted(wanted, ids), len(wanted) - 1)
    return cast(Numbers, wanted[places] == ids)


def distinct(rows: Numbers) -> tuple[Numbers, Numbers]:
    """The distinct rows of three numbers, and for each given row its position among them."""
    _, first, places = np.unique(_row_ids(rows, rows[:0])[0], return_index=True, return_inverse=True)
    return rows[first], places.reshape(-1)


def row_tuples(rows: Numbers) -> list[tuple[int, int, int]]:
    """Rows of three numbers as tuples."""
    return list(zip(*rows.T.tolist(), strict=True))


def _row_ids(one: Numbers, other: Numbers) -> tuple[Numbers, Numbers]:
    """A number for each row. Equal rows have the same number."""
    bits = _bits(one, other)
    if 3 * bits <= 64:
        return _packed(one, bits), _packed(other, bits)
    # First number the pairs of the first two columns.
    rows = np.concatenate((one, other)).astype(np.uint64)
    pairs = np.unique(rows[:, 0] << np.uint64(32) | rows[:, 1], return_inverse=True)[1].reshape(-1)
    ids = pairs.astype(np.uint64) << np.uint64(32) | rows[:, 2]
    return ids[: len(one)], ids[len(one) :]


def _bits(*rows: Numbers) -> int:
    """The number of bits that the largest number needs."""
    return max(1, *(int(each.max(initial=0)).bit_length() for each in rows))


def _packed(rows: Numbers, bits: int) -> Numbers:
    shift = np.uint64(bits)
    first, second, third = (rows[:, place].astype(np.uint64) for place in range(3))
    return (first << shift | second) << shift | third


def _unpacked(packed: Numbers, bits: int) -> Numbers:
    shift, mask = np.uint64(bits), np.uint64((1 << bits) - 1)
    return np.stack((packed >> (shift + shift), packed >> shift & mask, packed & mask), axis=1).astype(np.int64)
