"""The RDF syntaxes, read and written by pyoxigraph, with what it leaves to its users."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import IO
from urllib.parse import quote

from pyoxigraph import DefaultGraph, Quad, RdfFormat, parse, serialize

from kgprobe.errors import InputError, Position
from kgprobe.graph.formats import xml_guard
from kgprobe.graph.formats.catalogue import Format
from kgprobe.graph.formats.source import Source
from kgprobe.graph.graph import Graph
from kgprobe.graph.table import TableBuilder
from kgprobe.graph.terms import Literal, NamedNode, Term, Triple

__all__ = ["FORMATS", "read", "write"]

FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "ntriples": RdfFormat.N_TRIPLES,
    "nquads": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "rdfxml": RdfFormat.RDF_XML,
    "jsonld": RdfFormat.JSON_LD,
}
_parts = operator.attrgetter("subject", "predicate", "object")

# pyoxigraph puts the place into its message, and knows it as two numbers, too.
_PLACE = re.compile(r"^Parser error (?:at|between) line \d+ .*?: ", re.DOTALL)
_REMOTE_CONTEXT = "No LoadDocumentCallback"

# RDF/XML writes a predicate as an element, whose name must be the end of its IRI.
_ELEMENT_NAME = re.compile(r"[^\W\d][\w.\-]*\Z")
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read(
    source: Source, format_: Format, builder: TableBuilder, base: str | None = None
) -> tuple[dict[str, str], list[str]]:
    """Add a text's triples to the builder; return its prefixes, and what its reader should know."""
    notes: list[str] = []
    prefixes: dict[str, str] = {}
    if format_.name == "rdfxml":
        with source.open() as stream:
            prefixes = xml_guard.check(stream, source.name).prefixes
    try:
        with source.open() as stream:
            parser = parse(stream, FORMATS[format_.name], base_iri=base or base_iri(source))
            if FORMATS[format_.name].supports_datasets:
                notes += _read_default_graph(parser, builder)
            else:
                builder.extend(chain.from_iterable(map(_parts, parser)))
        prefixes = parser.prefixes or prefixes
    except SyntaxError as error:
        raise _explained(error, source, format_) from None
    _refuse_rdf_1_2(builder.intern, source)
    return prefixes, notes


def write(graph: Graph, format_: Format) -> bytes:
    """The graph in one of these syntaxes."""
    rdf_format = FORMATS[format_.name]
    if format_.name == "rdfxml":
        _refuse_what_xml_cannot_say(graph)
    statements: Iterable[Triple] | Iterable[Quad] = graph
    if rdf_format.supports_datasets:
        statements = (Quad(triple.subject, triple.predicate, triple.object) for triple in graph)
    prefixes = _usable(graph.spelling.prefixes)
    text = serialize(statements, format=rdf_format, prefixes=prefixes)
    assert text is not None  # noqa: S101 - there is no other output
    if format_.name == "rdfxml":
        # XML takes a bare carriage return for a line feed; the only ones here are in literals.
        text = text.replace(b"\r", b"&#13;")
    if format_.name == "jsonld":
        text = _with_context(text, prefixes, graph)
    return text


def base_iri(source: Source) -> str:
    """What relative IRIs are relative to. It has no folder, so that a file means the same on every machine."""
    return f"file:///{quote(source.stem)}"


def _read_default_graph(quads: Iterable[Quad], builder: TableBuilder) -> Iterator[str]:
    """Add the triples of the default graph; say which others there are."""
    named: dict[str, int] = {}

    def default() -> Iterator[Term]:
        for quad in quads:
            if isinstance(quad.graph_name, DefaultGraph):
                yield from _parts(quad)
            else:
                name = str(quad.graph_name)
                named[name] = named.get(name, 0) + 1

    builder.extend(default())
    if named:
        first = ", ".join(list(named)[:3]) + (", …" if len(named) > 3 else "")
        yield (
            f"only the default graph is read: {sum(named.values())} triples in {len(named)} named"
            f" graph{'s' if len(named) > 1 else ''} are left out ({first})"
        )


def _explained(error: SyntaxError, source: Source, format_: Format) -> InputError:
    message = _PLACE.sub("", error.msg or str(error))
    line, column = error.lineno, error.offset
    if _REMOTE_CONTEXT in message:
        return InputError(
            "uses a JSON-LD context from the network, and kgprobe fetches nothing",
            where=Position(source.name),
            hint="put the context into the file",
        )
    if line is None and format_.name == "rdfxml":
        line = _failing_line(source)
    return InputError(message, where=Position(source.name, line, column))


class _LineByLine:
    """Hands out a stream one line at a time, so that it is known how far a parser came."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.lines = 0

    def read(self, size: int = -1) -> bytes:
        line = self._stream.readline(size)
        self.lines += line.endswith(b"\n")
        return line


def _failing_line(source: Source) -> int | None:
    """The line that pyoxigraph's RDF/XML parser, which does not tell it, fails on."""
    with source.open() as stream:
        counted = _LineByLine(stream)
        try:
            for _ in parse(counted, RdfFormat.RDF_XML, base_iri=base_iri(source)):  # type: ignore[arg-type]
                pass
        except SyntaxError:
            return max(1, counted.lines)
    return None


def _refuse_rdf_1_2(terms: Iterable[object], source: Source) -> None:
    for term in terms:
        if isinstance(term, Triple) or (type(term) is Literal and term.direction is not None):
            raise InputError(f"uses RDF 1.2, and kgprobe reads RDF 1.1: {term}", where=Position(source.name))


def _refuse_what_xml_cannot_say(graph: Graph) -> None:
    predicates = {row[1] for row in graph.rows()}
    for predicate in map(graph.term, predicates):
        if isinstance(predicate, NamedNode) and not _ELEMENT_NAME.search(predicate.value):
            raise InputError(
                f"RDF/XML cannot say the predicate {predicate}: its end is no XML name", hint="write Turtle instead"
            )
    for term in graph.terms():
        if isinstance(term, Literal) and (found := _NOT_IN_XML.search(term.value)):
            raise InputError(
                f"RDF/XML cannot say the character U+{ord(found[0]):04X}, which is in the literal {term}",
                hint="write Turtle instead",
            )


def _usable(prefixes: Mapping[str, str]) -> dict[str, str]:
    """The prefixes that stand for an IRI; a serializer would refuse the others."""
    usable = {}
    for prefix, iri in prefixes.items():
        try:
            usable[prefix] = NamedNode(iri).value
        except ValueError:
            continue
    return usable


def _with_context(text: bytes, prefixes: Mapping[str, str], graph: Graph) -> bytes:
    """Expanded JSON-LD with the prefixes that change none of its IRIs: with `urn` for one, `urn:x` means another."""
    schemes = {term.value.partition(":")[0] for term in graph.terms() if isinstance(term, NamedNode)}
    schemes |= {term.datatype.value.partition(":")[0] for term in graph.terms() if isinstance(term, Literal)}
    context = {prefix: iri for prefix, iri in prefixes.items() if prefix and prefix not in schemes and prefix != "_"}
    if not context:
        return text
    return b'{"@context":' + json.dumps(context, ensure_ascii=False).encode() + b',"@graph":' + text + b"}"
