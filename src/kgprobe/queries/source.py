"""The text of a query with its syntax tree: the terms, variables and strings in it, and their places."""

from __future__ import annotations

import operator
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

from kgprobe.graph.terms import RDF, XSD, Literal, NamedNode, Term
from kgprobe.queries.prologue import prologue_of, unescaped
from kgprobe.queries.tree import Node, parse

__all__ = ["IRIS", "NamedTerm", "Source"]

IRIS = frozenset(("iri_reference", "prefixed_name"))

# A keyword before `:name` is part of a name that the grammar split: `true:name` is one name, and `?x:name` are two.
_TORN = re.compile(r"(?<![\w?$])(?:a|true|false)\Z")
_NUMBERS = {"integer": XSD.integer, "decimal": XSD.decimal, "double": XSD.double}
_start = operator.attrgetter("start")


class NamedTerm(NamedTuple):
    """A place where a query names an IRI: characters `start` to `end` of its text, as `written` there."""

    term: NamedNode
    start: int
    end: int
    written: str
    line: int


class Source:
    """A parsed query."""

    def __init__(self, text: str, prefixes: Mapping[str, str]) -> None:
        self.text = text
        self.tree = parse(text)
        self._lines = list(accumulate(len(line) + 1 for line in text.split("\n")))
        first = next(iter(self.tree.parts), None)
        prologue = prologue_of(text[: first.end] if first and first.kind == "prologue" else "", prefixes)
        self.prefixes = dict(prologue.prefixes)
        self.computed = prologue.computed
        self.terms: list[NamedTerm] = []
        self.unknown: list[Node] = []  # relative IRIs without a BASE
        self.torn = False  # whether the grammar split a name
        self._iris: dict[int, NamedNode | None] = {}
        for node in self.tree.iris:
            start, end = node.start, node.end
            written = text[start:end]
            term = self._iris[start] = prologue.term(written)
            if term is None:
                self.unknown.append(node)
            else:
                self.terms.append(NamedTerm(term, start, end, written, bisect_right(self._lines, start) + 1))
            if written[0] == ":" and text[start - 1].isalpha() and _TORN.search(text, max(0, start - 6), start):
                self.torn = True

    def line(self, node: Node) -> int:
        """The line in which a part begins, counted from 1."""
        return bisect_right(self._lines, node.start) + 1

    def iri(self, node: Node) -> NamedNode | None:
        """The IRI of a node that is an IRI; None if it is unknown."""
        return self._iris[node.start]

    def variable(self, node: Node) -> str:
        """The name of a variable."""
        return self.text[node.start + 1 : node.end]

    def constant(self, node: Node) -> Term | None:
        """The term of a node; None if it is not a term, or an unknown IRI."""
        kind = node.kind
        if kind in IRIS:
            return self._iris[node.start]
        if kind == "rdf_literal":
            return self._literal(node)
        if kind in _NUMBERS:
            return Literal(self.text[node.start : node.end], datatype=_NUMBERS[kind])
        if kind == "boolean_literal":
            return Literal(self.text[node.start : node.end], datatype=XSD.boolean)
        return RDF.nil if kind == "nil" else None

    def string(self, node: Node) -> str:
        """The text between the quotes of a string."""
        quotes = 3 if self.text[node.start : node.start + 3] in ('"""', "'''") else 1
        return unescaped(self.text[node.start + quotes : node.end - quotes])

    def written(self, first: Node, last: Node | None = None) -> str:
        """The text of a node, or from one node to another, on one line and without comments."""
        end = (last or first).end
        text = self.text[first.start : end]
        if self.tree.comments and "#" in text:
            comments = _inside(first.start, end, self.tree.comments)
            text = self._without(comments, first.start, end, {})
        return " ".join(text.split())

    def spelled(self, node: Node) -> str:
        """The text of a node with all IRIs in full, so that it does not depend on declarations. No IRI is unknown."""
        start, end = node.start, node.end
        iris, comments = _inside(start, end, self.tree.iris), _inside(start, end, self.tree.comments)
        # The space keeps `?x<ex:a` from becoming `?x<<…`.
        replaced = {iri.start: f" {self._iris[iri.start]}" for iri in iris}
        return self._without(sorted(iris + comments, key=_start) if comments else iris, start, end, replaced)

    def _without(self, parts: list[Node], start: int, end: int, replaced: Mapping[int, str]) -> str:
        """A piece of the text in which some parts, which are in order, are replaced, by default by a space."""
        pieces: list[str] = []
        for part in parts:
            pieces += (self.text[start : part.start], replaced.get(part.start, " "))
            start = part.end
        return "".join([*pieces, self.text[start:end]])

    def _literal(self, node: Node) -> Literal | None:
        value = self.string(node.children[0])
        if len(node.children) == 1:
            return Literal(value)
        suffix = node.children[-1]
        if suffix.kind == "lang_tag":
            return Literal(value, language=self.text[suffix.start + 1 : suffix.end])
        datatype = self._iris[suffix.start]
        return None if datatype is None else Literal(value, datatype=datatype)


def _inside(start: int, end: int, parts: list[Node]) -> list[Node]:
    """The parts, which are in order, that begin in a piece of the text."""
    if not parts:
        return []
    return parts[bisect_left(parts, start, key=_start) : bisect_left(parts, end, key=_start)]
