"""A set of triples by number, looked up by subject and by the blank nodes that they point to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TypeAlias, cast

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Subject, Term, Triple, blank_nodes

__all__ = ["Statement", "TripleIndex"]

Statement: TypeAlias = tuple[Subject, NamedNode, Term]

# These two point at a statement's ends; they do not make a blank node part of one more expression.
_POINTERS = frozenset({OWL.annotatedSource, OWL.annotatedTarget})


class TripleIndex:
    """Triples in the order of their N-Triples text, so that equal graphs are numbered equally."""

    def __init__(self, triples: Iterable[Triple], *, parts: Sequence[Statement] = ()) -> None:
        """The triples, or `parts` that stand for one triple each."""
        # Creating a triple takes longer than everything else here, and few triples of a graph are needed.
        self._originals: list[Triple] | None = None
        if parts:
            self.statements = sorted(parts, key=_texts)
        elif isinstance(triples, Graph):
            self.statements = _of_graph(triples)
        else:
            self._originals = sorted(set(triples), key=str)
            self.statements = list(map(_parts, self._originals))
        self.about: dict[Subject, list[int]] = {}
        self._by_predicate: dict[NamedNode, list[int]] = {}
        self.mentions: dict[BlankNode, list[int]] = {}
        self.parents: dict[BlankNode, int] = {}
        """The number of triples that lead to a blank node, except those from the annotation of an axiom."""
        self.opaque: set[int] = set()
        """Triples that no axiom can stand for: OWL has no triple terms, and RDF no rdf:PlainLiteral."""
        self._fill()

    def _fill(self) -> None:
        about, by_predicate, mentions = self.about, self._by_predicate, self.mentions
        for number, (subject, predicate, value) in enumerate(self.statements):
            about.setdefault(subject, []).append(number)
            by_predicate.setdefault(predicate, []).append(number)
            if type(subject) is BlankNode:
                mentions.setdefault(subject, []).append(number)
            if type(value) is BlankNode:
                mentions.setdefault(value, []).append(number)
                if predicate not in _POINTERS:
                    self.parents[value] = self.parents.get(value, 0) + 1
            elif type(value) is not NamedNode:
                self._note_opaque(number, value)

    def _note_opaque(self, number: int, value: object) -> None:
        if type(value) is Literal:
            if value.datatype == RDF.PlainLiteral:
                self.opaque.add(number)
        elif type(value) is Triple:
            self.opaque.add(number)
            for node in blank_nodes(value):
                self.mentions.setdefault(node, []).append(number)

    @cached_property
    def numbers(self) -> dict[tuple[Term, NamedNode, Term], int]:
        """The number of each triple."""
        return {statement: number for number, statement in enumerate(self.statements)}

    @cached_property
    def data_ranges(self) -> frozenset[Subject]:
        """All nodes of type rdfs:Datatype, including names."""
        return frozenset(subject for subject, _, value in self.stating(RDF.type) if value == RDFS.Datatype)

    def original(self, number: int) -> Triple:
        """The triple with this number."""
        return Triple(*self.statements[number]) if self._originals is None else self._originals[number]

    def having(self, predicate: NamedNode) -> Iterable[int]:
        """The numbers of the triples with this predicate."""
        return self._by_predicate.get(predicate, ())

    def stating(self, predicate: NamedNode) -> Iterable[Statement]:
        """The triples with this predicate."""
        return [self.statements[number] for number in self._by_predicate.get(predicate, ())]

    def select(self, subject: Subject, predicate: NamedNode) -> list[int]:
        """The numbers of the triples with this subject and predicate."""
        return [number for number in self.about.get(subject, ()) if self.statements[number][1] == predicate]

    def value(self, subject: Subject, predicate: NamedNode) -> tuple[int, Term] | None:
        """The number and the object of the one triple with this subject and predicate, if it is the only one."""
        found = self.select(subject, predicate)
        return (found[0], self.statements[found[0]][2]) if len(found) == 1 else None

    def blank_nodes(self, number: int) -> list[BlankNode]:
        """The blank nodes of a triple, including those inside a triple term."""
        subject, _, value = self.statements[number]
        return [*blank_nodes(subject), *blank_nodes(value)]

    def types(self, subject: Subject) -> list[Term]:
        return [self.statements[number][2] for number in self.select(subject, RDF.type)]


def _parts(triple: Triple) -> Statement:
    # A triple term is not a `Term`; where one is the object, the triple is opaque, and nothing looks inside.
    return cast(Statement, (triple.subject, triple.predicate, triple.object))


def _texts(parts: Statement) -> tuple[str, str, str]:
    """The sort key of triples, instead of their text.

    If a name or a blank node label is a prefix of another, the other continues with a character that does not sort
    before a space. So comparing part by part gives the same order as comparing whole texts.
    """
    subject, predicate, value = parts
    return str(subject), str(predicate), _text(value)


def _text(term: object) -> str:
    return f"<<( {term} )>>" if type(term) is Triple else str(term)


def _of_graph(graph: Graph) -> list[Statement]:
    """The triples of the graph, in the order of `_texts`; the text of each term is made once."""
    rows = list(graph.rows())
    keys = set(chain.from_iterable(rows))
    if graph.changed_keys:
        terms: Mapping[Key, Term] | Sequence[Term] = {key: graph.term(key) for key in keys}
    else:
        terms = graph.table.terms
    order = sorted(keys, key=lambda key: _text(terms[key]))  # type: ignore[index]
    place = {key: number for number, key in enumerate(order)}
    rows.sort(key=lambda row: (place[row[0]], place[row[1]], place[row[2]]))
    return [cast(Statement, (terms[s], terms[p], terms[o])) for s, p, o in rows]  # type: ignore[index]
