"""A set of triples by number, looked up by subject and by the blank nodes that they point to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, cast

from kgprobe.graph.terms import OWL, RDF, BlankNode, Literal, NamedNode, Subject, Term, Triple

__all__ = ["Statement", "TripleIndex"]

Statement: TypeAlias = tuple[Subject, NamedNode, Term]

# These two point at a statement's ends; they do not make a blank node part of one more expression.
_POINTERS = frozenset({OWL.annotatedSource, OWL.annotatedTarget})


class TripleIndex:
    """Triples in the order of their N-Triples text, so that equal graphs are numbered equally."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.originals = sorted(set(triples), key=str)
        self.statements: list[Statement] = []
        self.numbers: dict[tuple[Term, NamedNode, Term], int] = {}
        self.about: dict[Subject, list[int]] = {}
        self.mentions: dict[BlankNode, list[int]] = {}
        self.parents: dict[BlankNode, int] = {}
        """How many triples lead to a blank node, other than from the annotation of an axiom."""
        self.opaque: set[int] = set()
        """Triples that no axiom can stand for: OWL has no triple terms, and RDF no rdf:PlainLiteral."""
        for number, triple in enumerate(self.originals):
            self._add(number, triple)

    def _add(self, number: int, triple: Triple) -> None:
        # A triple term is no `Term` of ours; where one is the object, the triple is opaque, and nothing looks inside.
        subject, predicate = cast(Subject, triple.subject), triple.predicate
        value = triple.object
        statement = (subject, predicate, cast(Term, value))
        self.statements.append(statement)
        self.numbers[statement] = number
        self.about.setdefault(subject, []).append(number)
        if type(subject) is BlankNode:
            self.mentions.setdefault(subject, []).append(number)
        if type(value) is BlankNode:
            self.mentions.setdefault(value, []).append(number)
            if predicate not in _POINTERS:
                self.parents[value] = self.parents.get(value, 0) + 1
        elif type(value) is Literal:
            if value.datatype == RDF.PlainLiteral:
                self.opaque.add(number)
        elif type(value) is Triple:
            self.opaque.add(number)
            for node in _blank_nodes(value):
                self.mentions.setdefault(node, []).append(number)

    def select(self, subject: Subject, predicate: NamedNode) -> list[int]:
        """The numbers of the triples with this subject and predicate."""
        return [number for number in self.about.get(subject, ()) if self.statements[number][1] == predicate]

    def value(self, subject: Subject, predicate: NamedNode) -> tuple[int, Term] | None:
        """The number and the object of the one triple with this subject and predicate, if it is the only one."""
        found = self.select(subject, predicate)
        return (found[0], self.statements[found[0]][2]) if len(found) == 1 else None

    def blank_nodes(self, number: int) -> list[BlankNode]:
        """The blank nodes of a triple, those inside a triple term included."""
        parts: tuple[object, ...] = self.statements[number]
        found = [term for term in parts if type(term) is BlankNode]
        return [*found, *_blank_nodes(parts[2])] if type(parts[2]) is Triple else found

    def types(self, subject: Subject) -> list[Term]:
        return [self.statements[number][2] for number in self.select(subject, RDF.type)]


def _blank_nodes(term: Triple) -> Iterable[BlankNode]:
    pending: list[object] = [term]
    while pending:
        part = pending.pop()
        if isinstance(part, Triple):
            pending += (part.subject, part.object)
        elif isinstance(part, BlankNode):
            yield part
