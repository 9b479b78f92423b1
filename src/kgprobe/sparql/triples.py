"""The triples of a pattern or a template, with predicate lists, object lists, brackets and collections expanded."""

from __future__ import annotations

import functools
import itertools
import re

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, NamedNode
from kgprobe.sparql.algebra import Given, Part, PlacedTriple, Span
from kgprobe.sparql.paths import (
    ANY_EDGE,
    ANY_WALK,
    EdgePath,
    NegatedPath,
    Path,
    choice_of,
    repeated,
    reversed_path,
    series_of,
)
from kgprobe.sparql.source import IRIS, Source
from kgprobe.sparql.tree import Node

_LABEL = re.compile(r"(?<=.)(?:Label|AltLabel|Description)$")


class TripleReader:
    """Reads the triples of one text. Each blank node without a name gets a unique one."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._numbers = itertools.count(1)

    def hidden(self) -> Variable:
        """A new hidden variable."""
        return Variable(f"[{next(self._numbers)}]", hidden=True)

    def given(self, node: Node) -> Given:
        """A constant that the text does not tell: see `Given`."""
        return Given(self._source.text[node.start : node.end], hidden=True)

    @functools.cached_property
    def _names(self) -> frozenset[str]:
        """The names of the variables in the text, and of what looks like one in its strings and comments."""
        return frozenset(re.findall(r"[?$](\w+)", self._source.text))

    @functools.cached_property
    def labels(self) -> frozenset[Variable]:
        """The variables named after another one, in the way in which the label service of Wikibase names its own."""
        stems = ((_LABEL.sub("", name), name) for name in self._names)
        return frozenset(Variable(name) for stem, name in stems if stem != name and stem in self._names)

    def read(self, node: Node, into: list[PlacedTriple]) -> None:
        """Add the triples of a node between two dots."""
        first, *properties = node.children
        subject = self._part(first, into)
        for prop in properties:
            self._properties(subject, Span(first.start, first.end), first.start, prop, into)

    def read_all(self, block: Node) -> list[PlacedTriple]:
        """The triples of a node with any number of dots."""
        found: list[PlacedTriple] = []
        for node in block.children:
            self.read(node, found)
        return found

    def _properties(
        self, subject: Part, subject_span: Span, start: int | None, node: Node, into: list[PlacedTriple]
    ) -> None:
        """Add the triples of a subject. The first one begins at `start`, or at its predicate if that is None."""
        new = tuple.__new__  # faster than Span(…) and PlacedTriple(…)
        for prop in node.children:
            verb, objects = prop.children
            predicate, predicate_span = self._predicate(verb), new(Span, verb[1:3])
            if start is None:
                start = verb.start
            for item in objects.children:
                place = len(into)
                part = self._part(item, into)
                object_span = new(Span, item[1:3])
                span = object_span if start is None else new(Span, (start, item.end))
                spans = span, subject_span, predicate_span, object_span
                into.insert(place, new(PlacedTriple, (subject, predicate, part, *spans)))
                start = None

    def _predicate(self, node: Node) -> Variable | NamedNode | Path:
        source = self._source
        if node.kind == "var":
            return variable_of(source, node)
        if node.kind == "path_element" and len(node.children) == 1:
            [node] = node.children
        if node.kind == "a":
            return RDF.type
        if node.kind in IRIS:
            return source.iri(node) or self.given(node)
        try:
            path = _path(node, source)
        except _UnknownPredicateError:
            return ANY_WALK
        if isinstance(path, EdgePath) and len(path.edges) == 1:
            [(predicate, backwards)] = path.edges
            return path if backwards else predicate
        return path

    def _part(self, node: Node, into: list[PlacedTriple]) -> Part:
        kind = node.kind
        if kind == "var":
            return variable_of(self._source, node)
        if kind in IRIS:
            return self._source.iri(node) or self.given(node)
        match kind:
            case "blank_node_label":
                return Variable(self._source.text[node.start : node.end], hidden=True)
            case "anon":
                return self.hidden()
            case "blank_node_property_list":
                blank = self.hidden()
                self._properties(blank, Span(node.start, node.end), None, node.children[0], into)
                return blank
            case "collection":
                return self._collection(node, into)
        return self._source.constant(node) or self.given(node)

    def _collection(self, node: Node, into: list[PlacedTriple]) -> Part:
        whole = Span(node.start, node.end)
        first = cell = self.hidden()
        for number, item in enumerate(node.children, start=1):
            span = Span(item.start, item.end)
            into.append(PlacedTriple(cell, RDF.first, self._part(item, into), span, whole, whole, span))
            following = RDF.nil if number == len(node.children) else self.hidden()
            into.append(PlacedTriple(cell, RDF.rest, following, whole, whole, whole, whole))
            if isinstance(following, Variable):
                cell = following
        return first


def variable_of(source: Source, node: Node) -> Variable:
    """The variable of a node that is one."""
    name = source.text[node.start + 1 : node.end]
    return Given(name) if name in source.bound_before else _variable(name)


@functools.lru_cache(maxsize=1024)
def _variable(name: str) -> Variable:
    return Variable(name)


# -- paths -------------------------------------------------------------------------------------------------------------


class _UnknownPredicateError(Exception):
    """A path has an unknown IRI."""


def _path(node: Node, source: Source) -> Path:
    """The path of a node of the tree. The recursion is only as deep as the brackets."""
    if node.kind == "binary_path":
        sign = node.children[1].kind
        parts = []
        while node.kind == "binary_path" and node.children[1].kind == sign:
            parts.append(_path(node.children[2], source))
            node = node.children[0]
        parts.append(_path(node, source))
        parts.reverse()
        return series_of(parts) if sign == "/" else choice_of(parts)
    primary: Path | None = None
    inverse = False
    modifier = ""
    for part in node.children:
        match part.kind:
            case "path_inverse":
                inverse = True
            case "path_mod":
                modifier = source.text[part.start : part.end]
            case "path_negated_property_set":
                primary = _negated(part, source)
            case "path_element" | "binary_path":
                primary = _path(part, source)
            case "a" | "prefixed_name" | "iri_reference":
                primary = EdgePath(frozenset(((_predicate(part, source), False),)))
    assert primary is not None  # noqa: S101 - the grammar has nothing else here
    if modifier:
        primary = repeated(primary, may_be_none=modifier != "+", many=modifier != "?")
    return reversed_path(primary) if inverse else primary


def _predicate(node: Node, source: Source) -> NamedNode:
    found = RDF.type if node.kind == "a" else source.iri(node)
    if found is None:
        raise _UnknownPredicateError
    return found


def _negated(node: Node, source: Source) -> Path:
    """`!(p|^q)` is `!p|!^q`: an edge forwards that is not p, or one backwards that is not q."""
    excluded: dict[bool, set[NamedNode]] = {}
    for part in node.children:
        if part.kind == "path_one_in_property_set":
            excluded.setdefault(len(part.children) > 1, set()).add(_predicate(part.children[-1], source))
    return choice_of([NegatedPath(frozenset(each), backwards) for backwards, each in excluded.items()] or [ANY_EDGE])
