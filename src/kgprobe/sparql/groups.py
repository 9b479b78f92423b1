"""The uses of the groups of a query: the triples that each group can match, including those with paths.

A path without edges connects each node of the graph to itself, so its answer depends on which nodes the graph has. For
a constant the standard differs: such a path connects it to itself even if the graph does not have it. Some engines
comply and pyoxigraph does not, so a constant is treated like any other node.

This reads the syntax tree, and not the algebra: uses need few parts of a query, and to build the algebra of the others
for thousands of tests would take longer.

The nodes of the graph make no difference if an end is anchored: if another triple of the group has the same variable as
its subject or object, so that the value is always a node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import XSD, NamedNode
from kgprobe.sparql.algebra import Part, PlacedTriple
from kgprobe.sparql.paths import (
    AlternativePath,
    Edge,
    EdgePath,
    NegatedPath,
    Path,
    RepeatedPath,
    SequencePath,
    may_be_empty,
)
from kgprobe.sparql.restrictions import Restrictions
from kgprobe.sparql.source import Source
from kgprobe.sparql.tree import Node
from kgprobe.sparql.triples import TripleReader
from kgprobe.sparql.uses import ANYTHING, Condition, PathUse, Slot, TripleUse, Use

__all__ = ["GroupReader", "patterns_of", "uses_of"]

_PLAIN = (Variable, NamedNode)  # predicates that are not paths
_NO_VARIABLES: frozenset[Variable] = frozenset()
_EXISTS = frozenset(("exists_func", "not_exists_func"))


# A triple as it is written, for messages, and its line.
_Place: TypeAlias = tuple[str, int]


def uses_of(
    triples: Sequence[PlacedTriple], restrictions: Restrictions, reader: TripleReader, source: Source
) -> Iterator[Use]:
    """The uses of the triples directly in a group, with the restrictions of the group on their values."""
    anchored: frozenset[Variable] | None = None
    for triple in triples:
        subject, predicate, object_ = triple.subject, triple.predicate, triple.object
        place = _written(triple, source), source.line(triple.predicate_span.start)
        if isinstance(predicate, _PLAIN):
            yield _triple_use(place, subject, restrictions.slot(predicate), object_, restrictions)
        else:
            if anchored is None:
                anchored = frozenset(_anchored(triples))
            yield from _PathUses(place, restrictions, reader).of_path(subject, predicate, object_, anchored)


def _written(triple: PlacedTriple, source: Source) -> str:
    """A triple on one line. Of brackets as its subject, only the signs are shown; a collection is shown as a whole."""
    _, _, _, span, subject, predicate, object_ = triple
    if predicate == subject:
        return source.written(*predicate)
    is_anonymous = source.text[subject.start] == "[" and object_ != subject
    if span.start == subject.start and not is_anonymous:
        return source.written(*span)
    first = "[]" if is_anonymous else source.written(*subject)
    return f"{first} {source.written(*predicate)} {source.written(*object_)}"


def patterns_of(triples: Sequence[PlacedTriple], reader: TripleReader) -> Iterator[TriplePattern]:
    """The triples as plain patterns. Sequence paths become several, repeated paths one; others are omitted."""
    for triple in triples:
        if isinstance(triple.predicate, _PLAIN):
            yield triple.subject, triple.predicate, triple.object
        else:
            yield from _path_patterns(triple.subject, triple.predicate, triple.object, reader)


def _path_patterns(subject: Part, path: Path, object_: Part, reader: TripleReader) -> Iterator[TriplePattern]:
    match path:
        case EdgePath(edges) | RepeatedPath(EdgePath(edges), _, True) if len(edges) == 1:
            [(predicate, backwards)] = edges
            yield (object_, predicate, subject) if backwards else (subject, predicate, object_)
        case SequencePath(parts):
            for part, (start, end) in zip(parts, pairwise(_stations(subject, path, object_, reader)), strict=True):
                yield from _path_patterns(start, part, end, reader)


def _anchored(triples: Sequence[PlacedTriple]) -> Iterator[Variable]:
    for triple in triples:
        if isinstance(triple.predicate, _PLAIN) or not may_be_empty(triple.predicate):
            yield from (part for part in (triple.subject, triple.object) if isinstance(part, Variable))


def _stations(subject: Part, path: SequencePath, object_: Part, reader: TripleReader) -> list[Part]:
    """The nodes between the parts of a path, and its two ends, in order."""
    return [subject, *(reader.hidden() for _ in path.parts[1:]), object_]


def _triple_use(
    place: _Place, subject: Part, predicate: Slot, object_: Part, restrictions: Restrictions, *more: Condition
) -> TripleUse:
    first, last = restrictions.slot(subject), restrictions.slot(object_)
    if first is ANYTHING and isinstance(subject, Variable) and subject == object_:
        first = last = Slot(None, subject.name)  # only here does the identity of a blank node matter
    conditions = more + restrictions.conditions(first, predicate, last)
    return TripleUse(first, predicate, last, conditions, *place)


class _PathUses:
    """Creates the uses of one triple with a path. All of them have the text of the triple."""

    def __init__(self, place: _Place, restrictions: Restrictions, reader: TripleReader) -> None:
        self._place = place
        self._restrictions = restrictions
        self._reader = reader

    def of_path(self, subject: Part, path: Path, object_: Part, anchored: frozenset[Variable]) -> Iterator[Use]:
        match path:
            case EdgePath(edges):
                yield from self._of_step(edges, subject, object_)
            case NegatedPath(excluded, backwards):
                yield self._of_other(excluded, *((object_, subject) if backwards else (subject, object_)))
            case AlternativePath(parts):
                for part in parts:
                    yield from self.of_path(subject, part, object_, anchored)
            case SequencePath(parts):
                stations = _stations(subject, path, object_, self._reader)
                if not may_be_empty(path):
                    # One part has an edge, whose ends are nodes, and so are all nodes that connect it to other parts.
                    anchored |= {station for station in stations if isinstance(station, Variable)}
                for part, (start, end) in zip(parts, pairwise(stations), strict=True):
                    yield from self.of_path(start, part, end, anchored)
            case RepeatedPath():
                yield from self._of_repeated(subject, path, object_, anchored)

    def _of_step(self, edges: frozenset[Edge], subject: Part, object_: Part) -> Iterator[TripleUse]:
        forwards = frozenset(predicate for predicate, backwards in edges if not backwards)
        inverse = frozenset(predicate for predicate, backwards in edges if backwards)
        if forwards:
            yield _triple_use(self._place, subject, Slot(forwards), object_, self._restrictions)
        if inverse:
            yield _triple_use(self._place, object_, Slot(inverse), subject, self._restrictions)

    def _of_other(self, excluded: frozenset[NamedNode], subject: Part, object_: Part) -> TripleUse:
        if not excluded:
            return _triple_use(self._place, subject, ANYTHING, object_, self._restrictions)
        name = self._reader.unused_name
        listed = ", ".join(sorted(map(str, excluded)))
        other = Condition(f"?{name} NOT IN ({listed})", (name,))
        return _triple_use(self._place, subject, Slot(None, name), object_, self._restrictions, other)

    def _of_repeated(
        self, subject: Part, path: RepeatedPath, object_: Part, anchored: frozenset[Variable]
    ) -> Iterator[Use]:
        first, last = self._restrictions.slot(subject), self._restrictions.slot(object_)
        reflexive = path.may_be_none and subject not in anchored and object_ not in anchored
        if path.many and isinstance(path.inner, EdgePath):
            yield PathUse(first, path.inner.edges, last, reflexive, *self._place)
            return
        if reflexive:
            yield PathUse(first, frozenset(), last, reflexive, *self._place)
        if path.many:  # a match of the inner path may be anywhere along the way
            subject, object_, anchored = self._reader.hidden(), self._reader.hidden(), _NO_VARIABLES
        yield from self.of_path(subject, path.inner, object_, anchored)


# -- nested groups: every triple of every group is a use ---------------------------------------------------------------


class GroupReader:
    """Collects the uses of the groups of one query."""

    def __init__(self, source: Source) -> None:
        self.uses: list[Use] = []
        self.patterns: list[TriplePattern] = []
        self.unseen: list[str] = []
        self._source = source
        self._triples = TripleReader(source)
        self._exists = 0  # the nesting depth of EXISTS

    def read(self, node: Node) -> None:
        """Read a part of the query: its groups, and the groups inside its expressions."""
        pending = [node]
        while pending:
            node = pending.pop()
            kind, start, _, children = node
            if kind == "group_graph_pattern":
                self._group(node)
            elif kind in _EXISTS:
                self._exists += 1
                self.read(children[-1])
                self._exists -= 1
            elif kind == "service_graph_pattern":
                self.unseen.append(f"line {self._source.line(start)}: SERVICE queries another system")
            elif children:
                if kind == "function_call":
                    self._call(node)
                pending += reversed(children)

    def read_template(self, node: Node) -> None:
        """Read the triples of a CONSTRUCT WHERE, which are both pattern and template."""
        self.uses += uses_of(self._read_triples(node), Restrictions(self._source), self._triples, self._source)

    def _group(self, group: Node) -> None:
        triples: list[PlacedTriple] = []
        restrictions = Restrictions(self._source)
        place = len(self.uses)
        for node in group.children:
            match node.kind:
                case "triples_block":
                    triples += self._read_triples(node)
                case "filter":
                    if not restrictions.add_filter(node.children[-1]):
                        self.read(node)
                case "bind":
                    self.read(node)
                    if not self._exists:
                        restrictions.add_bind(node.children[0], node.children[-1])
                case "inline_data":
                    # In EXISTS, some engines substitute the outer value of a variable in triples, but not in VALUES.
                    if not self._exists:
                        restrictions.add_values(node.children[-1])
                case _:
                    self.read(node)
        self.uses[place:place] = uses_of(triples, restrictions, self._triples, self._source)

    def _read_triples(self, block: Node) -> list[PlacedTriple]:
        triples = self._triples.read_all(block)
        self.patterns += patterns_of(triples, self._triples)
        return triples

    def _call(self, node: Node) -> None:
        name = node.children[0]
        function = self._source.iri(name)
        if function is None or not function.value.startswith(XSD.iri):
            written = self._source.written(name.start, name.end)
            self.unseen.append(f"line {self._source.line(name.start)}: the function {written} may read any triple")
