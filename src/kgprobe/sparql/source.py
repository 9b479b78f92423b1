"""The text of a query or an update with its syntax tree: the terms, variables and strings in it, and their places."""

from __future__ import annotations

import functools
import operator
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import accumulate, count

from pyoxigraph import RdfFormat
from pyoxigraph import parse as parse_rdf

from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode, Term
from kgprobe.sparql.algebra import NamedTerm
from kgprobe.sparql.pyoxigraph import unescaped
from kgprobe.sparql.respelling import legible
from kgprobe.sparql.tokens import GAP
from kgprobe.sparql.tree import Node, Tree, parse

__all__ = ["is_computed", "prologue_of"]

IRIS = frozenset(("iri_reference", "prefixed_name"))

_NUMBERS = {"integer": XSD.integer, "decimal": XSD.decimal, "double": XSD.double}
_start = operator.attrgetter("start")


# -- declarations ------------------------------------------------------------------------------------------------------

_MOST_REMEMBERED = 10_000  # names
_COMPUTED = (
    "bif:",  # Virtuoso
    "http://jena.apache.org/ARQ/list#",
    "http://jena.apache.org/ARQ/property#",
    "http://jena.apache.org/spatial#",
    "http://jena.apache.org/text#",
    "http://jena.hpl.hp.com/ARQ/list#",
    "http://jena.hpl.hp.com/ARQ/property#",
    "http://qlever.cs.uni-freiburg.de/builtin-functions/",
    "http://www.bigdata.com/rdf/",
    "http://www.ontotext.com/connectors/",
    "http://www.ontotext.com/owlim/",
    "http://www.ontotext.com/path#",
    "http://www.openrdf.org/contrib/lucenesail#",
    # The topological relations of GeoSPARQL, which follow from coordinates.
    "http://www.opengis.net/ont/geosparql#eh",
    "http://www.opengis.net/ont/geosparql#rcc8",
    "http://www.opengis.net/ont/geosparql#sf",
    "tag:stardog:api:",
)


@functools.lru_cache(maxsize=_MOST_REMEMBERED)
def is_computed(term: NamedNode) -> bool:
    """Whether some engines compute the triples with this property."""
    return term.value.startswith(_COMPUTED)


_DECLARATION = re.compile(
    rf"\#[^\n\r]* | PREFIX{GAP}(?P<prefix>[^\s:<>]*):{GAP}<(?P<iri>[^<>]*)> | BASE{GAP}<(?P<base>[^<>]*)>",
    re.VERBOSE | re.IGNORECASE,
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_LOCAL_ESCAPE = re.compile(r"\\(.)")


@dataclass(frozen=True, eq=False)
class Prologue:
    """The declarations of a query or an update, and the defaults that apply if it does not declare a prefix."""

    prefixes: Mapping[str, str]
    base: str | None

    def term(self, written: str) -> NamedNode | None:
        """The IRI of a name; None if it is relative and there is no BASE."""
        return _term(self, written)


def prologue_of(text: str, defaults: Mapping[str, str]) -> Prologue:
    """The prologue with this text. Cached, because many queries have the same prologue."""
    return _prologue(text, tuple(sorted(defaults.items())) if defaults else ())


@functools.lru_cache(maxsize=64)
def _prologue(text: str, defaults: tuple[tuple[str, str], ...]) -> Prologue:
    prefixes = dict(defaults)
    base: str | None = None
    for found in _DECLARATION.finditer(text):
        if found["base"] is not None:
            base = _iri(found["base"], base)
        elif found["iri"] is not None and (iri := _iri(found["iri"], base)) is not None:
            prefixes[found["prefix"]] = iri
        elif found["iri"] is not None:
            prefixes.pop(found["prefix"], None)  # it now has another, unknown meaning
    return Prologue(prefixes, base)


@functools.lru_cache(maxsize=_MOST_REMEMBERED)
def _term(prologue: Prologue, written: str) -> NamedNode | None:
    if written[0] == "<":
        iri = _iri(written[1:-1], prologue.base)
    else:
        prefix, _, local = written.partition(":")
        namespace = prologue.prefixes.get(prefix)
        if "\\" in local:
            local = _LOCAL_ESCAPE.sub(r"\1", local)
        iri = None if namespace is None else namespace + local
    try:
        return None if iri is None else NamedNode(iri)
    except ValueError:
        return None


def _iri(written: str, base: str | None) -> str | None:
    written = unescaped(written)
    if _SCHEME.match(written):
        return written
    return None if base is None else _resolved(base, written)


@functools.lru_cache(maxsize=1024)
def _resolved(base: str, relative: str) -> str | None:
    """The absolute form of a relative IRI, from the library that also parses queries."""
    try:
        [triple] = parse_rdf(f"<{relative}> <a:a> <a:a> .", RdfFormat.TURTLE, base_iri=base)
    except (SyntaxError, ValueError):
        return None
    return triple.subject.value if isinstance(triple.subject, NamedNode) else None


# -- the text ----------------------------------------------------------------------------------------------------------


class Source:
    """A parsed text. `tree` is its tree, if the caller already has it. Variables may be bound before it runs."""

    def __init__(
        self,
        text: str,
        prefixes: Mapping[str, str],
        tree: Tree | None = None,
        bound_before: Collection[str] = (),
    ) -> None:
        self.bound_before = frozenset(bound_before)
        self.text = text = legible(text)
        self.tree = parse(text, prefixes) if tree is None else tree
        self._lines = list(map(operator.add, accumulate(map(len, text.split("\n"))), count(1)))
        self.terms: list[NamedTerm] = []
        self.unknown: list[Node] = []  # relative IRIs without a BASE, and names with an undeclared prefix
        self._iris: dict[int, NamedNode | None] = {}
        prologues = _prologues(self.tree, text, prefixes)
        prologue = prologues.pop()[1]
        new, lines = tuple.__new__, self._lines  # faster than NamedTerm(…)
        for node in self.tree.iris:
            _, start, end, _ = node
            if prologues and start >= prologues[-1][0]:
                prologue = prologues.pop()[1]
            written = text[start:end]
            term = self._iris[start] = prologue.term(written)
            if term is None:
                self.unknown.append(node)
            else:
                self.terms.append(new(NamedTerm, (term, start, end, written, bisect_right(lines, start) + 1)))
        if prologues:
            prologue = prologues[0][1]
        self.resolved = prologue.term
        self.prefixes = dict(prologue.prefixes)

    def line(self, offset: int) -> int:
        """The line of an offset, counted from 1."""
        return bisect_right(self._lines, offset) + 1

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
            return Literal(self.text[node.start : node.end].lower(), datatype=XSD.boolean)
        return RDF.nil if kind == "nil" else None

    def string(self, node: Node) -> str:
        """The text between the quotes of a string."""
        quotes = 3 if self.text[node.start : node.start + 3] in ('"""', "'''") else 1
        return unescaped(self.text[node.start + quotes : node.end - quotes])

    def written(self, start: int, end: int) -> str:
        """A piece of the text on one line and without comments."""
        text = self.text[start:end]
        if self.tree.comments and "#" in text:
            text = self._without(_inside(start, end, self.tree.comments), start, end, {})
        return " ".join(text.split())

    def written_name(self, start: int) -> str:
        """The name that begins at an offset, as it is written."""
        return next(self.text[start : iri.end] for iri in _inside(start, start + 1, self.tree.iris))

    def braces(self, node: Node) -> tuple[int, int]:
        """The start and end of the braces around a node."""
        gaps = {place for comment in self.tree.comments for place in range(comment.start, comment.end)}
        start = next(n for n in range(node.start, -1, -1) if self.text[n] == "{" and n not in gaps)
        end = next(n for n in range(node.end, len(self.text)) if self.text[n] == "}" and n not in gaps)
        return start, end + 1

    def spelled(self, start: int, end: int) -> str:
        """A piece of the text with all IRIs in full, so that it does not depend on declarations. No IRI is unknown."""
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
            try:
                return Literal(value, language=self.text[suffix.start + 1 : suffix.end])
            except ValueError:  # in a text that somebody still types
                return None
        datatype = self._iris.get(suffix.start)
        return None if datatype is None else Literal(value, datatype=datatype)


def _prologues(tree: Tree, text: str, prefixes: Mapping[str, str]) -> list[tuple[int, Prologue]]:
    """The declarations that apply from an offset on, the last ones first. A later prologue adds to an earlier one."""
    found: list[tuple[int, Prologue]] = []
    declared = ""
    for kind, start, end, _ in tree.parts:
        if kind == "prologue":
            declared = f"{declared}\n{text[start:end]}" if found else text[start:end]
            found.append((start if found else 0, prologue_of(declared, prefixes)))
        elif not found:
            found.append((0, prologue_of("", prefixes)))
    found.reverse()
    return found or [(0, prologue_of("", prefixes))]


def _inside(start: int, end: int, parts: list[Node]) -> list[Node]:
    """The parts, which are in order, that begin in a piece of the text."""
    if not parts:
        return []
    return parts[bisect_left(parts, start, key=_start) : bisect_left(parts, end, key=_start)]
