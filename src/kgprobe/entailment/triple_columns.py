"""The triples of a graph, changes included, as columns of numbers, for vectorised checks.

A term of the table keeps its number. Terms that occur only in changes get the numbers after those.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import RDF, BlankNode, NamedNode, Term

__all__ = ["BLANK", "LITERAL", "NAME", "RESERVED", "Columns", "Numbers"]

Numbers: TypeAlias = NDArray[np.int64]

_UNKNOWN, NAME, RESERVED, BLANK, LITERAL = range(5)
"""The kinds of terms: a name, a name of RDF or OWL itself, a blank node, or a literal."""

_SHIFT = np.int64(32)

# The known kinds of the terms of a table, shared by all its graphs.
_KINDS = PerTable(lambda table: np.zeros(len(table.terms), dtype=np.uint8))


class Columns:
    """The columns of one state of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        foreign = {key for keys in graph.changed_keys for key in keys if type(key) is not int}
        self.terms: list[Term] = graph.table.terms
        self._foreign: dict[Key, int] = {}
        if foreign:
            self._foreign = {key: len(self.terms) + place for place, key in enumerate(sorted(foreign, key=str))}
            self.terms = [*self.terms, *map(graph.term, self._foreign)]
        known = _KINDS.of(graph.table)
        self._kinds = np.concatenate((known, np.zeros(len(foreign), dtype=np.uint8))) if foreign else known
        self._known: dict[NamedNode, tuple[Numbers, Numbers]] = {}

    def number(self, term: Term) -> int:
        """The number of a term; -1 if it occurs in no triple."""
        key = self._graph.key(term)
        return key if type(key) is int else self._foreign.get(key, -1)

    def numbers(self, *terms: Term) -> Numbers:
        """The numbers of some terms; -1 for those that occur in no triple."""
        return np.array([self.number(term) for term in terms], dtype=np.int64)

    def has(self, predicate: NamedNode, value: Term | None = None) -> bool:
        """Whether there is a triple with this predicate, and this object."""
        key = self._graph.key
        return self._graph.count(None, key(predicate), None if value is None else key(value)) > 0

    def of_types(self, *types: NamedNode) -> Numbers:
        """The subjects with one of these types."""
        subjects, objects = self.of(RDF.type)
        return subjects[np.isin(objects, self.numbers(*types))]

    def predicates(self) -> list[NamedNode]:
        """The predicates of all triples."""
        start = np.frombuffer(self._graph.table.by_predicate.start, dtype=np.uint32)
        keys: dict[Key, None] = dict.fromkeys(np.flatnonzero(np.diff(start)).tolist())
        keys.update(dict.fromkeys(self._graph.changed_parts(1)))
        used = [key for key in keys if not self._graph.changed(key) or self._graph.count(None, key)]
        return [term for term in map(self._graph.term, used) if type(term) is NamedNode]

    def of(self, predicate: NamedNode) -> tuple[Numbers, Numbers]:
        """The subjects and the objects of the triples with this predicate."""
        if predicate not in self._known:
            self._known[predicate] = self._found(self._graph.key(predicate))
        return self._known[predicate]

    def _found(self, predicate: Key) -> tuple[Numbers, Numbers]:
        begin, end = self._graph.table.span(None, predicate, None)
        columns = self._graph.table.by_predicate
        subjects = np.frombuffer(columns.third, dtype=np.uint32)[begin:end].astype(np.int64)
        objects = np.frombuffer(columns.second, dtype=np.uint32)[begin:end].astype(np.int64)
        if not self._graph.changed(predicate):
            return subjects, objects
        changes = self._graph.changed_keys
        gone: list[tuple[Key, Key]] = []
        come: list[tuple[Key, Key]] = []
        for keys in self._graph.changes_at(1, predicate) or ():
            s, _, o = keys
            (come if changes[keys] else gone).append((self._foreign.get(s, s), self._foreign.get(o, o)))
        if gone:
            packed = np.array(gone, dtype=np.int64)
            kept = np.isin(subjects << _SHIFT | objects, packed[:, 0] << _SHIFT | packed[:, 1], invert=True)
            subjects, objects = subjects[kept], objects[kept]
        added = np.array(come, dtype=np.int64).reshape(-1, 2)
        return np.concatenate((subjects, added[:, 0])), np.concatenate((objects, added[:, 1]))

    def are(self, kind: int, numbers: Numbers) -> NDArray[np.bool_]:
        """Which of these terms are of this kind."""
        missing = np.unique(numbers[self._kinds[numbers] == _UNKNOWN])
        if len(missing):
            terms = self.terms
            self._kinds[missing] = [_kind(terms[number]) for number in missing.tolist()]
        found: NDArray[np.bool_] = self._kinds[numbers] == kind
        return found

    def keys(self, numbers: Numbers) -> list[Key]:
        """The keys of the terms with these numbers."""
        known = len(self._graph.table.terms)
        return [number if number < known else self.terms[number] for number in numbers.tolist()]

    def named(self, numbers: Iterable[int]) -> list[Term]:
        """The terms with these numbers."""
        return [self.terms[number] for number in numbers]


def _kind(term: Term) -> int:
    if type(term) is NamedNode:
        return RESERVED if is_reserved(term) else NAME
    return BLANK if type(term) is BlankNode else LITERAL
