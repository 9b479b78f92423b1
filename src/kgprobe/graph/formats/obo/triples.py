"""Collects the triples of an OBO document as numbers of terms, and knows the shapes that OWL gives to some of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

from kgprobe.graph.table import TableBuilder
from kgprobe.graph.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term

__all__ = ["Pairs", "Triples"]

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""Annotations: numbers of properties and of values."""


class Triples:
    """Triples as a flat list of numbers. A term gets its number only when a triple needs it."""

    def __init__(self, builder: TableBuilder) -> None:
        self.intern = builder.intern
        self.cells: list[int] = []
        self._blanks = 0
        self._annotated: set[tuple[int, int, int, Pairs]] = set()

    def number(self, term: Term) -> int:
        """The number of a term."""
        return self.intern.setdefault(term, len(self.intern))  # a new term is hashed once, not twice

    def literal(self, text: str) -> int:
        """The number of a plain literal."""
        intern = self.intern
        return intern.setdefault(Literal(text), len(intern))

    def blank(self) -> int:
        """The number of a new blank node; they are labelled in the order in which the file needs them."""
        label = self._blanks
        self._blanks = label + 1
        intern = self.intern
        return intern.setdefault(BlankNode(f"b{label}"), len(intern))

    def add(self, subject: int, predicate: int, object_: int, annotations: Pairs = ()) -> None:
        """Add a triple, and its annotations as OWL reifies them; the same annotated triple only once."""
        cells = self.cells
        cells += (subject, predicate, object_)
        if not annotations:
            return
        annotated = self._annotated
        before = len(annotated)
        annotated.add((subject, predicate, object_, annotations))
        if len(annotated) == before:
            return
        type_, axiom, source, property_, target = self._reification
        node = self.blank()
        cells += (node, type_, axiom, node, source, subject, node, property_, predicate, node, target, object_)
        for key, value in annotations:
            cells += (node, key, value)

    def some(self, property_: int, class_: int) -> int:
        """A new class of all that is related to some member of a class."""
        type_, restriction, on_property, some = self._some
        node = self.blank()
        self.cells += (node, type_, restriction, node, on_property, property_, node, some, class_)
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
    def _some(self) -> tuple[int, int, int, int]:
        number = self.number
        return self.type, number(OWL.Restriction), number(OWL.onProperty), number(OWL.someValuesFrom)

    @cached_property
    def _reification(self) -> tuple[int, int, int, int, int]:
        number = self.number
        parts = number(OWL.annotatedSource), number(OWL.annotatedProperty), number(OWL.annotatedTarget)
        return self.type, number(OWL.Axiom), *parts
