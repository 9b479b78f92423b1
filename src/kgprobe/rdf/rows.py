"""Rows of numbers, such as triples of interned terms, sorted, counted and compared with numpy.

`table` imports this module only when the first table is made, because loading numpy takes longer than many commands.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast

from kgprobe.processes.limits import without_idle_threads
from kgprobe.rdf.table import FanOut, SortedColumns

with without_idle_threads():
    import numpy as np
    from numpy.typing import NDArray

if TYPE_CHECKING:
    from kgprobe.rdf.graph import Graph

__all__ = ["Numbers", "among", "connected_components", "distinct", "kept_rows", "only_in_one", "row_tuples"]

Numbers: TypeAlias = NDArray[Any]
_Column: TypeAlias = NDArray[np.uint32]


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


def kept_rows(graph: Graph) -> NDArray[np.uint32]:
    """The rows of a graph's table that the graph still has: all but the removed ones."""
    columns = graph.table.by_subject
    start = np.frombuffer(columns.start, dtype=np.uint32)
    subjects = np.repeat(np.arange(len(start) - 1, dtype=np.uint32), np.diff(start))
    rest = (np.frombuffer(column, dtype=np.uint32) for column in (columns.second, columns.third))
    rows = np.stack((subjects, *rest), axis=1)
    removed = [
        bisect_left(columns.third, o, *columns.span_of_two(s, p))  # type: ignore[arg-type]  # the table has them
        for (s, p, o), is_added in graph.changed_keys.items()
        if not is_added
    ]
    return np.delete(rows, removed, axis=0) if removed else rows


def connected_components(count: int, pairs: Numbers) -> Numbers:
    """The component of each of `count` nodes, if each pair of nodes is connected.

    Components are numbered in the order of their first nodes.
    """
    leader = np.arange(count)
    while True:
        # Each leader adopts the smallest leader that a pair connects it with; then nodes adopt their leaders' leaders.
        leaders = leader[pairs]
        smallest = leaders.min(axis=1, initial=count)
        if (leaders == smallest[:, None]).all():
            return (np.cumsum(leader == np.arange(count)) - 1)[leader]
        np.minimum.at(leader, leaders[:, 0], smallest)
        np.minimum.at(leader, leaders[:, 1], smallest)
        while ((further := leader[leader]) != leader).any():
            leader = further


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
    return max(1, *(int(part.max(initial=0)).bit_length() for part in rows))


def _packed(rows: Numbers, bits: int) -> Numbers:
    shift = np.uint64(bits)
    first, second, third = (rows[:, place].astype(np.uint64) for place in range(3))
    return (first << shift | second) << shift | third


def _unpacked(packed: Numbers, bits: int) -> Numbers:
    shift, mask = np.uint64(bits), np.uint64((1 << bits) - 1)
    return np.stack((packed >> (shift + shift), packed >> shift & mask, packed & mask), axis=1).astype(np.int64)


class SortedRows:
    """Distinct rows of subject, predicate and object, sorted by their numbers. All numbers are below `terms`."""

    __slots__ = ("_columns", "_terms")

    def __init__(self, columns: tuple[_Column, _Column, _Column], terms: int) -> None:
        """The rows must be sorted and distinct."""
        self._columns = columns
        self._terms = terms

    @classmethod
    def of(cls, rows: NDArray[Any], terms: int) -> Self:
        """The rows of a matrix with three columns, in any order. Rows may be repeated."""
        s, p, o = rows.T
        return cls(_without_duplicates(*_sorted(s, p, o, terms)), terms)

    @classmethod
    def of_cells(cls, cells: array[int], terms: int) -> Self:
        """The same for rows stored one after the other in one array."""
        return cls.of(np.frombuffer(cells, dtype=np.uint32).reshape(-1, 3), terms)

    @classmethod
    def from_bytes(cls, packed: Sequence[bytes], terms: int) -> Self:
        """The rows that `to_bytes` packed."""
        s, p, o = (np.frombuffer(column, dtype=np.uint32) for column in packed)
        return cls((s, p, o), terms)

    def to_bytes(self) -> list[bytes]:
        """The three columns as bytes, for another process."""
        return [column.tobytes() for column in self._columns]

    def __len__(self) -> int:
        return len(self._columns[0])

    def by_subject(self) -> SortedColumns:
        """In order of subject, predicate, object."""
        return self._indexed(*self._columns)

    def by_predicate(self) -> SortedColumns:
        """In order of predicate, object, subject."""
        s, p, o = self._columns
        return self._indexed(*_sorted(p, o, s, self._terms))

    def by_object(self) -> SortedColumns:
        """In order of object, subject, predicate."""
        s, p, o = self._columns
        return self._indexed(*_sorted(o, s, p, self._terms))

    def lists(self, without: Sequence[int] = ()) -> tuple[list[int], list[int], list[int]]:
        """The subjects, predicates and objects of all rows except those at these positions."""
        s, p, o = self._columns
        if without:
            s, p, o = (np.delete(column, without) for column in (s, p, o))
        return s.tolist(), p.tolist(), o.tolist()

    def fan_out(self) -> FanOut:
        """The most rows that one subject, one object or one pair of them has."""
        s, _, o = self._columns
        if not len(s):
            return FanOut(0, 0, 0, 0, 0)
        per_pair = _counts(s.astype(np.uint64) << np.uint64(32) | o)
        return _fan_out(s, o, int(per_pair.max()))

    def fan_out_between(self, by_predicate: SortedColumns, begin: int, end: int) -> FanOut:
        """The same for the rows of one predicate, given by their range in the order by predicate."""
        if begin == end:
            return FanOut(0, 0, 0, 0, 0)
        o = np.frombuffer(by_predicate.second, dtype=np.uint32)[begin:end]
        s = np.frombuffer(by_predicate.third, dtype=np.uint32)[begin:end]
        return _fan_out(s, o, 1)

    def _indexed(self, first: _Column, second: _Column, third: _Column) -> SortedColumns:
        """Sorted columns. The first one is replaced by the positions where the rows of each term begin."""
        start = np.concatenate(([0], np.cumsum(np.bincount(first, minlength=self._terms))))
        return SortedColumns(_as_array(start), _as_array(second), _as_array(third))


def _fan_out(s: _Column, o: _Column, per_pair: int) -> FanOut:
    per_subject, per_object = _counts(s), _counts(o)
    return FanOut(int(per_subject.max()), int(per_object.max()), per_pair, len(per_subject), len(per_object))


def _sorted(first: _Column, second: _Column, third: _Column, terms: int) -> tuple[_Column, _Column, _Column]:
    """The rows, sorted by their first, second and third part."""
    bits = max(1, terms.bit_length())
    if 3 * bits > 64:
        order = np.lexsort((third, second, first))
        return first[order], second[order], third[order]
    # Sorting one machine word is six times faster than sorting three columns.
    b, mask = np.uint64(bits), np.uint64((1 << bits) - 1)
    packed = ((first.astype(np.uint64) << b | second) << b) | third
    packed.sort()
    return (
        (packed >> (b + b)).astype(np.uint32),
        ((packed >> b) & mask).astype(np.uint32),
        (packed & mask).astype(np.uint32),
    )


def _without_duplicates(s: _Column, p: _Column, o: _Column) -> tuple[_Column, _Column, _Column]:
    """The sorted rows, each once."""
    if len(s) < 2:
        return s, p, o
    new = np.concatenate(([True], (s[1:] != s[:-1]) | (p[1:] != p[:-1]) | (o[1:] != o[:-1])))
    return s[new], p[new], o[new]


def _as_array(column: NDArray[Any]) -> array[int]:
    # Lookups read single elements, which takes a third of the time in an array compared with a numpy array.
    result = array("I")
    result.frombytes(column.astype(np.uint32).tobytes())
    return result


def _counts(column: NDArray[Any]) -> NDArray[np.intp]:
    """How often each value occurs."""
    return np.unique(column, return_counts=True)[1]
