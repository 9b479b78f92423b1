"""The part of a graph that never changes: interned terms, and sorted integer columns over them.

Files are loaded into a `TripleTable`. Its triples are rows of small integers, sorted in three orders, so that each of
the eight shapes of a triple pattern is one range of one column. Lookups hash nothing and copy nothing, and each triple
takes about 24 bytes in addition to its terms. Graphs share a table, and each graph has its own changes to it.
"""

from __future__ import annotations

import gc
import itertools
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

from kgprobe.rdf.derived import DerivedValues
from kgprobe.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Term

if TYPE_CHECKING:  # see `rows`
    import numpy as np
    from numpy.typing import NDArray

    from kgprobe.rdf.rows import SortedRows

__all__ = ["Interner", "Key", "KeyTriple", "Row", "TableBuilder", "TripleTable", "collection_paused"]

Row: TypeAlias = tuple[int, int, int]
# The key of a term is its number in a table; for terms that the table lacks, it is the term itself.
Key: TypeAlias = int | Term
KeyTriple: TypeAlias = tuple[Key, Key, Key]
# Up to this length, copying a slice of a column is faster than reading it in place.
_SHORT = 256
# The rows with these parts, up to the end of the shortest.
_rows: Callable[..., Iterator[Any]] = zip


class Interner(dict[Term, int]):
    """Numbers terms in the order of their first use; `interner[term]` is the term's number."""

    def __missing__(self, term: Term) -> int:
        number = self[term] = len(self)
        return number


class SortedColumns:
    """Triples sorted by their first, second and third part. The parts are s, p, o in one of three rotations."""

    __slots__ = ("second", "start", "third")

    def __init__(self, start: array[int], second: array[int], third: array[int]) -> None:
        """The rows whose first part is i begin at start[i] and end at start[i + 1]."""
        self.start = start
        self.second = second
        self.third = third

    def span(self, first: int) -> tuple[int, int]:
        """The range of the rows with this first part."""
        return self.start[first], self.start[first + 1]

    def span_of_two(self, first: int, second: int) -> tuple[int, int]:
        """The range of the rows with these first and second parts."""
        start, seconds = self.start, self.second
        end = start[first + 1]
        begin = bisect_left(seconds, second, start[first], end)
        if begin == end or seconds[begin] != second:
            return begin, begin
        return begin, bisect_right(seconds, second, begin, end)


class TripleTable:
    """An immutable, exact set of triples. A term's number is its index in `terms`."""

    def __init__(self, terms: list[Term], numbers: dict[Term, int], rows: SortedRows) -> None:
        """`numbers` maps each term to its index in `terms`. The rows consist of these numbers."""
        self.terms = terms
        self.numbers = numbers
        self.derived = DerivedValues()
        self._rows = rows

    @classmethod
    def of_rows(cls, terms: list[Term], numbers: dict[Term, int], rows: NDArray[np.integer[Any]]) -> TripleTable:
        """`rows` has three columns: subject, predicate and object. Triples may be repeated."""
        from kgprobe.rdf.rows import SortedRows

        return cls(terms, numbers, SortedRows.of(rows, len(terms)))

    def __len__(self) -> int:
        return len(self._rows)

    def key(self, term: Term) -> Key:
        """The key of a term in all graphs of this table."""
        return self.numbers.get(term, term)

    @cached_property
    def is_a(self) -> Key:
        """The key of rdf:type, which is needed more often than any other."""
        return self.key(RDF.type)

    # Each of the three orders is made when a pattern first needs it. Converting a file needs only the first.
    @cached_property
    def by_subject(self) -> SortedColumns:
        return self._rows.by_subject()

    @cached_property
    def by_predicate(self) -> SortedColumns:
        return self._rows.by_predicate()

    @cached_property
    def by_object(self) -> SortedColumns:
        return self._rows.by_object()

    @cached_property
    def fan_outs(self) -> dict[int | None, FanOut]:
        """The results of `fan_out` so far, by predicate."""
        return {}

    def fan_out(self, predicate: int | None) -> FanOut:
        """The most triples that one subject or one object has with this predicate (None: any). Computed once."""
        known = self.fan_outs.get(predicate)
        if known is None:
            known = self.fan_outs[predicate] = self._measure(predicate)
        return known

    def __contains__(self, row: Row) -> bool:
        return self.has(*row)

    def has(self, s: int, p: int, o: int) -> bool:
        """Whether the table has this row."""
        columns = self.by_subject
        start, second = columns.start, columns.second
        end = start[s + 1]
        begin = bisect_left(second, p, start[s], end)
        if begin == end or second[begin] != p:
            return False
        third = columns.third
        if third[begin] == o:  # most subjects have one object for a predicate
            return True
        end = bisect_right(second, p, begin, end)
        place = bisect_left(third, o, begin, end)
        return place < end and third[place] == o

    # -- lookups: None stands for any term; a key that is not a number is a term that the table lacks ---------

    def span(self, s: Key | None, p: Key | None, o: Key | None) -> tuple[int, int]:
        """The range of the rows with these keys, in the order that `row_at` uses for this shape of lookup."""
        # Use the order that starts with the known parts.
        if p is None and o is not None:
            columns, first, second = self.by_object, o, s
        elif s is None and p is not None:
            columns, first, second = self.by_predicate, p, o
        elif s is None:
            return 0, len(self)
        elif p is None or o is None:
            columns, first, second = self.by_subject, s, p
        elif type(s) is int and type(p) is int and type(o) is int:
            return 0, int(self.has(s, p, o))
        else:
            return 0, 0
        if type(first) is not int:
            return 0, 0
        if second is None:
            start = columns.start
            return start[first], start[first + 1]
        return columns.span_of_two(first, second) if type(second) is int else (0, 0)

    def row_at(self, place: int, s: Key | None, p: Key | None, o: Key | None) -> Row:
        """The row at this position of the range that `span` returned for the same keys."""
        if o is not None and p is None:
            columns = self.by_object
            return columns.second[place] if s is None else s, columns.third[place], o  # type: ignore[return-value]
        if p is not None and s is None:
            columns = self.by_predicate
            return columns.third[place], p, columns.second[place] if o is None else o  # type: ignore[return-value]
        columns = self.by_subject
        if s is None:
            s = bisect_right(columns.start, place) - 1
        if o is None:
            return s, columns.second[place] if p is None else p, columns.third[place]  # type: ignore[return-value]
        return s, p, o  # type: ignore[return-value]

    def rows(self, s: Key | None, p: Key | None, o: Key | None) -> Iterator[Row]:
        """The rows with these keys."""
        if s is None and p is None and o is None:
            return iter(self)
        begin, end = self.span(s, p, o)
        if begin == end:
            return iter(())
        if s is not None and p is not None and o is not None:
            return iter([(s, p, o)])  # type: ignore[list-item]  # all three are numbers, since the table has the row
        # Each part is a slice of a column, or a known part repeated.
        if p is None and o is not None:
            second, third = _stretches(self.by_object, begin, end)
            return _rows(second if s is None else repeat(s), third, repeat(o))
        if s is None:
            second, third = _stretches(self.by_predicate, begin, end)
            return _rows(third, repeat(p), second if o is None else repeat(o))
        second, third = _stretches(self.by_subject, begin, end)
        return _rows(repeat(s), second if p is None else repeat(p), third)

    # The most frequent lookups: all triples about a node, and all triples that refer to it.

    def about(self, s: Key) -> list[Row]:
        """The rows with this subject."""
        if type(s) is not int:
            return []
        columns = self.by_subject
        begin, end = columns.start[s], columns.start[s + 1]
        return [*_rows(repeat(s), columns.second[begin:end], columns.third[begin:end])]

    def to(self, o: Key) -> list[Row]:
        """The rows with this object."""
        if type(o) is not int:
            return []
        columns = self.by_object
        begin, end = columns.start[o], columns.start[o + 1]
        return [*_rows(columns.second[begin:end], columns.third[begin:end], repeat(o))]

    def third_parts(self, columns: SortedColumns, first: Key, second: Key) -> Sequence[int]:
        """The third parts of the rows with this first and second part, in one of the three orders."""
        if type(first) is not int or type(second) is not int:
            return ()
        begin, end = columns.span_of_two(first, second)
        return columns.third[begin:end] if begin < end else ()

    def __iter__(self) -> Iterator[Row]:
        """All rows, sorted by the numbers of subject, predicate and object. The order never depends on hashes."""
        return zip(*self.columns(), strict=True)

    def columns(self, without: Iterable[Row] = ()) -> tuple[list[int], list[int], list[int]]:
        """The subjects, predicates and objects of all rows in order, except for some rows of the table."""
        return self._rows.lists([self._place(*row) for row in without])

    def _place(self, s: int, p: int, o: int) -> int:
        """The position of this row, which the table must have."""
        begin, end = self.by_subject.span_of_two(s, p)
        return bisect_left(self.by_subject.third, o, begin, end)

    def __getstate__(self) -> dict[str, Any]:
        # Terms are pickled as plain strings: pickling a million term objects takes longer than parsing them.
        return {"terms": _pack_terms(self.terms), "columns": self._rows.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from kgprobe.rdf.rows import SortedRows

        self.terms = _unpack_terms(*state["terms"])
        self.numbers = {term: number for number, term in enumerate(self.terms)}
        self.derived = DerivedValues()
        self._rows = SortedRows.from_bytes(state["columns"], len(self.terms))

    def _measure(self, predicate: int | None) -> FanOut:
        if predicate is None:
            return self._rows.fan_out()
        columns = self.by_predicate
        return self._rows.fan_out_between(columns, *columns.span(predicate))


@dataclass(frozen=True, slots=True)
class FanOut:
    """The most triples that one subject, one object or one pair of them has, with one predicate or with any."""

    per_subject: int
    per_object: int
    per_pair: int
    subjects: int
    objects: int


class TableBuilder:
    """Collects triples for a table. Readers that make many triples can intern terms themselves and add numbers."""

    def __init__(self) -> None:
        self.intern = Interner()
        self._cells = array("I")

    def add(self, subject: int, predicate: int, object_: int) -> None:
        """Add a triple of interned terms."""
        self._cells.extend((subject, predicate, object_))

    def extend_numbers(self, numbers: Iterable[int]) -> None:
        """Add triples of interned terms given as one flat stream: subject, predicate, object, subject, …"""
        self._cells.extend(numbers)

    def extend(self, terms: Iterable[Term]) -> None:
        """Add triples given as one flat stream of terms: subject, predicate, object, subject, …"""
        self._cells.extend(map(self.intern.__getitem__, terms))

    def __len__(self) -> int:
        return len(self._cells) // 3

    def build(self, *, random_labels: bool = True) -> TripleTable:
        """The table. Do not use the builder afterwards: the table takes over its terms.

        `random_labels` says whether blank nodes may have random labels from a parser, which are replaced.
        """
        from kgprobe.rdf.rows import SortedRows

        terms, numbers = list(self.intern), dict(self.intern)
        if random_labels:
            _rename_random_blanks(terms, numbers)
        return TripleTable(terms, numbers, SortedRows.of_cells(self._cells, len(terms)))


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the garbage collector, which would repeatedly scan all terms made so far and free none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# For a blank node without a label, a parser uses a random number, written in hexadecimal.
_RANDOM_LABEL = re.compile(r"[0-9a-f]{24,32}")


def _rename_random_blanks(terms: list[Term], numbers: dict[Term, int]) -> None:
    """Replace random labels of blank nodes with b0, b1, … so that a file always gives the same graph."""
    blanks = [n for n, term in enumerate(terms) if type(term) is BlankNode and _RANDOM_LABEL.fullmatch(term.value)]
    for number in blanks:
        del numbers[terms[number]]
    candidates = (BlankNode(f"b{n}") for n in itertools.count())
    free = (candidate for candidate in candidates if candidate not in numbers)
    for number, blank in zip(blanks, free, strict=False):
        terms[number] = blank
        numbers[blank] = number


def _stretches(columns: SortedColumns, begin: int, end: int) -> tuple[Sequence[int], Sequence[int]]:
    """The second and third parts of a range of rows."""
    if end - begin <= _SHORT:
        return columns.second[begin:end], columns.third[begin:end]
    return memoryview(columns.second)[begin:end], memoryview(columns.third)[begin:end]


def _pack_terms(terms: list[Term]) -> tuple[bytes, list[str], dict[int, str], dict[int, str]]:
    """The kinds and texts of terms, and their datatypes and languages if these are not the default."""
    kinds = bytes(_KINDS[type(term)] for term in terms)
    texts = [term.value for term in terms]
    literals = [(n, term) for n, term in enumerate(terms) if isinstance(term, Literal)]
    languages = {n: term.language for n, term in literals if term.language}
    datatypes = {n: term.datatype.value for n, term in literals if not term.language and term.datatype != XSD.string}
    return kinds, texts, datatypes, languages


def _unpack_terms(kinds: bytes, texts: list[str], datatypes: dict[int, str], languages: dict[int, str]) -> list[Term]:
    makers = {_KINDS[NamedNode]: NamedNode, _KINDS[BlankNode]: BlankNode, _KINDS[Literal]: Literal}
    terms: list[Term] = [makers[kind](text) for kind, text in zip(kinds, texts, strict=True)]
    types = {iri: NamedNode(iri) for iri in set(datatypes.values())}
    for n, iri in datatypes.items():
        terms[n] = Literal(texts[n], datatype=types[iri])
    for n, language in languages.items():
        terms[n] = Literal(texts[n], language=language)
    return terms


_KINDS: dict[type, int] = {NamedNode: 0, BlankNode: 1, Literal: 2}
