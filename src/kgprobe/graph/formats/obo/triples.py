"""Collects the triples of an OBO document as numbers of terms, and knows the shapes that OWL gives to some of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from kgprobe.graph.table import TableBuilder
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term

__all__ = ["FIRST", "SECOND", "THIRD", "Pairs", "Triples"]

# The places of a shape that the numbers of a record fill. Terms have numbers from 0 on.
FIRST: Final = -1
SECOND: Final = -2
THIRD: Final = -3
_FOURTH: Final = -4

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""Annotations: numbers of properties and of values."""

_Records: TypeAlias = list[int]


class Triples:
    """Triples as flat lists of numbers. A term gets its number only when a triple needs it."""

    def __init__(self, builder: TableBuilder) -> None:
        self.intern = builder.intern
        self.cells: list[int] = []
        self._shapes: list[tuple[tuple[int, ...], _Records]] = []
        self._blanks = 0
        self._annotated: set[tuple[int, int, int, Pairs]] = set()

    def records(self, *shape: int) -> _Records:
        """A list to extend by records, each of which stands for the triples that it makes of a shape.

        Most clauses of a document differ from others in two or three numbers: only those are collected one by one.
        """
        records: _Records = []
        self._shapes.append((shape, records))
        return records

    def numbers(self) -> Iterator[array[int]]:
        """All triples, as flat arrays of numbers."""
        yield array("I", self.cells)
        for shape, records in self._shapes:
            values = np.frombuffer(array("I", records), dtype=np.uint32).reshape(-1, -min(shape))
            rows = np.empty((len(values), len(shape)), dtype=np.uint32)
            for place, number in enumerate(shape):
                rows[:, place] = values[:, FIRST - number] if number < 0 else number
            yield array("I", rows.tobytes())

    def number(self, term: Term) -> int:
        """The number of a term."""
        return self.intern.setdefault(term, len(self.intern))  # a new term is hashed once, not twice

    def literal(self, text: str) -> int:
        """The number of a plain literal."""
        intern = self.intern
        return intern.setdefault(Literal(text), len(intern))

    def blank(self) -> int:
        """The number of a new blank node; they are labelled in the order in which the file needs them."""
        intern = self.intern
        intern[BlankNode(f"b{self._blanks}")] = number = len(intern)
        self._blanks += 1
        return number

    def add(self, subject: int, predicate: int, object_: int, annotations: Pairs = ()) -> None:
        """Add a triple, and its annotations as OWL reifies them; the same annotated triple only once."""
        self.cells += (subject, predicate, object_)
        if annotations:
            self.annotate(subject, predicate, object_, annotations)

    def annotate(self, subject: int, predicate: int, object_: int, annotations: Pairs) -> None:
        """Add the annotations, of which there are some, of a triple that is added elsewhere."""
        annotated = self._annotated
        before = len(annotated)
        annotated.add((subject, predicate, object_, annotations))
        if len(annotated) == before:
            return
        axioms = self._axioms
        node = self.blank()
        axioms += (node, subject, predicate, object_)
        cells = self.cells
        for key, value in annotations:
            cells += (node, key, value)

    def some(self, property_: int, class_: int) -> int:
        """A new class of all that is related to some member of a class."""
        restrictions = self._restrictions
        node = self.blank()
        restrictions += (node, property_, class_)
        return node

    def restriction(self, property_: int, kind: NamedNode, value: int) -> int:
        """A new restriction of another kind."""
        return self._new(OWL.Restriction, (OWL.onProperty, property_), (kind, value))

    def cardinality(self, property_: int, kind: NamedNode, limit: int, class_: int) -> int:
        """A new restriction on how many values of a class there are."""
        return self._new(OWL.Restriction, (OWL.onProperty, property_), (kind, limit), (OWL.onClass, class_))

    def complement(self, class_: int) -> int:
        """A new class of all that is not in a class."""
        return self._new(OWL.Class, (OWL.complementOf, class_))

    def combination(self, kind: NamedNode, members: Sequence[int]) -> int:
        """A new intersection or union of classes."""
        return self._new(OWL.Class, (kind, self.list(members)))

    def list(self, members: Sequence[int]) -> int:
        """A new list; its first cell."""
        cells = [self.blank() for _ in members]
        first, rest, nil = self.number(RDF.first), self.number(RDF.rest), self.number(RDF.nil)
        for cell, member, following in zip(cells, members, [*cells[1:], nil], strict=True):
            self.cells += (cell, first, member, cell, rest, following)
        return cells[0]

    def _new(self, type_: NamedNode, *parts: tuple[NamedNode, int]) -> int:
        node = self.blank()
        self.add(node, self.type, self.number(type_))
        for predicate, value in parts:
            self.add(node, self.number(predicate), value)
        return node

    @cached_property
    def type(self) -> int:
        """The number of rdf:type."""
        return self.number(RDF.type)

    @cached_property
    def subclass(self) -> int:
        """The number of rdfs:subClassOf."""
        return self.number(RDFS.subClassOf)

    @cached_property
    def _restrictions(self) -> _Records:
        """Records of a node, a property and a class."""
        number = self.number
        return self.records(
            *(FIRST, self.type, number(OWL.Restriction)),
            *(FIRST, number(OWL.onProperty), SECOND),
            *(FIRST, number(OWL.someValuesFrom), THIRD),
        )

    @cached_property
    def _axioms(self) -> _Records:
        """Records of a node and of the subject, predicate and object of a triple that it stands for."""
        number = self.number
        return self.records(
            *(FIRST, number(OWL.annotatedSource), SECOND),
            *(FIRST, number(OWL.annotatedProperty), THIRD),
            *(FIRST, number(OWL.annotatedTarget), _FOURTH),
            *(FIRST, self.type, number(OWL.Axiom)),
        )
