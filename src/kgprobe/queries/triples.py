"""The triples of a group, with predicate lists, object lists, brackets and collections expanded."""

from __future__ import annotations

import functools
import itertools
import re
from typing import NamedTuple, TypeAlias

from kgprobe.graph.patterns.pattern import Variable
from kgprobe.graph.terms import RDF, NamedNode, Term
from kgprobe.queries.paths import EdgePath, Path, UnknownPredicate, read_path
from kgprobe.queries.source import IRIS, Source
from kgprobe.queries.tree import Node

__all__ = ["Part", "PathTriple", "TripleReader"]

# A blank node is a hidden variable, and so is an unknown IRI.
Part: TypeAlias = Variable | Term


class PathTriple(NamedTuple):
    """A triple of a pattern, with a path as a possible predicate; its text is for messages."""

    subject: Part
    predicate: Variable | NamedNode | Path
    object: Part
    text: str
    line: int


class TripleReader:
    """Reads the triples of one query. Each blank node without a name gets a unique one."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._numbers = itertools.count(1)

    def hidden(self) -> Variable:
        """A new hidden variable."""
        return Variable(f"[{next(self._numbers)}]", hidden=True)

    @functools.cached_property
    def unused_name(self) -> str:
        """A variable name that the query does not use."""
        taken = set(re.findall(r"[?$](\w+)", self._source.text))
        return next(name for n in itertools.count() if (name := f"predicate{n or ''}") not in taken)

    def read(self, node: Node, into: list[PathTriple]) -> None:
        """Add the triples of a node between two dots."""
        first, *properties = node.children
        subject = self._part(first, into)
        for each in properties:
            self._properties(subject, None if first.kind == "blank_node_property_list" else first, each, into)

    def _properties(self, subject: Part, named: Node | None, node: Node, into: list[PathTriple]) -> None:
        """Add the triples of a subject; `named` is its node, unless it is only brackets."""
        source = self._source
        for each in node.children:
            verb, objects = each.children
            predicate = self._predicate(verb)
            line = source.line(verb)
            for item in objects.children:
                place = len(into)
                part = self._part(item, into)
                if named and each is node.children[0] and item is objects.children[0]:
                    text = source.written(named, item)
                else:
                    text = f"{source.written(named) if named else '[]'} {source.written(verb)} {source.written(item)}"
                into.insert(place, PathTriple(subject, predicate, part, text, line))

    def _predicate(self, node: Node) -> Variable | NamedNode | Path:
        source = self._source
        if node.kind == "var":
            return _variable(source.variable(node))
        if node.kind == "path_element" and len(node.children) == 1:
            [node] = node.children
        if node.kind == "a":
            return RDF.type
        if node.kind in IRIS:
            return source.iri(node) or self.hidden()
        try:
            path = read_path(node, source)
        except UnknownPredicate:
            return self.hidden()
        if isinstance(path, EdgePath) and len(path.edges) == 1:
            [(predicate, backwards)] = path.edges
            return path if backwards else predicate
        return path

    def _part(self, node: Node, into: list[PathTriple]) -> Part:
        match node.kind:
            case "var":
                return _variable(self._source.variable(node))
            case "blank_node_label":
                return Variable(self._source.text[node.start : node.end], hidden=True)
            case "anon":
                return self.hidden()
            case "blank_node_property_list":
                blank = self.hidden()
                self._properties(blank, None, node.children[0], into)
                return blank
            case "collection":
                return self._collection(node, into)
        return self._source.constant(node) or self.hidden()

    def _collection(self, node: Node, into: list[PathTriple]) -> Part:
        source = self._source
        text, line = source.written(node), source.line(node)
        first = cell = self.hidden()
        for number, item in enumerate(node.children, start=1):
            into.append(PathTriple(cell, RDF.first, self._part(item, into), text, line))
            following = RDF.nil if number == len(node.children) else self.hidden()
            into.append(PathTriple(cell, RDF.rest, following, text, line))
            if isinstance(following, Variable):
                cell = following
        return first


@functools.lru_cache(maxsize=1024)
def _variable(name: str) -> Variable:
    return Variable(name)
