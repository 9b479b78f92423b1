"""What pyoxigraph lacks for RDF/XML: valid element names and labels, prefixes, line ends, and lines of errors."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import IO, Any

from pyoxigraph import RdfFormat, parse

from kgprobe.errors import InputError
from kgprobe.formats.format import LanguageTags
from kgprobe.formats.source import Source
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, BlankNode, Literal, NamedNode, Triple

# pyoxigraph indents the element of a node by one tab, that of a property by two.
_UNNAMED_NODE = re.compile(rb'^\t<oxprefix: xmlns:oxprefix="([^"]*)"( rdf:(?:about|nodeID)="[^"]*")>', re.MULTILINE)
_END_OF_UNNAMED_NODE = re.compile(rb"^\t</oxprefix:>", re.MULTILINE)
# RDF/XML writes a predicate as an element whose name is the end of the predicate's IRI.
# XML 1.0 and Python differ in what is a letter: ² and ª are not letters in XML. This large character class takes
# milliseconds to compile, so it is compiled only when RDF/XML is written.
_LETTER = (
    r"A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_ELEMENT_NAME = rf"[{_LETTER}][{_LETTER}0-9.\-\u00B7\u0300-\u036F\u203F\u2040]*\Z"
_UNUSED_PREFIX = b' xmlns:its="http://www.w3.org/2005/11/its"'
# Names that the RDF/XML syntax reserves.
_RESERVED = frozenset(
    RDF[name] for name in ("RDF", "ID", "about", "parseType", "resource", "nodeID", "datatype", "li", "Description")
) | {RDF[name] for name in ("bagID", "aboutEach", "aboutEachPrefix", "version", "annotation", "annotationNodeID")}
_NAMESPACES = {"xml": "http://www.w3.org/XML/1998/namespace", "xmlns": "http://www.w3.org/2000/xmlns/"}
_LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
_INEXPRESSIBLE = "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_CAPITALS = rb"[a-z0-9-]*[A-Z][A-Za-z0-9-]*"
LANGUAGE_TAGS = LanguageTags(
    (re.compile(rb"xml:lang\s*=\s*[\"']" + _CAPITALS),),
    re.compile(rb"<[^<>]*?\sxml:lang\s*=\s*[\"']([A-Za-z0-9-]+)[\"']"),
    re.compile(rb'(<[^<>]*\sxml:lang=")([a-z0-9-]+)'),
)


# -- reading -----------------------------------------------------------------------------------------------------------


class LineFeeds:
    """Normalizes line ends as XML requires; pyoxigraph would put carriage returns into literals."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._after_return = False

    def read(self, size: int = -1) -> bytes:
        chunk = self._stream.read(size)
        if self._after_return and chunk[:1] == b"\n":  # the previous chunk already ended this line
            chunk = chunk[1:] or self._stream.read(size)
        self._after_return = chunk[-1:] == b"\r"
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in chunk else chunk


class _LineByLine:
    """Passes a stream on line by line, and counts how many lines the parser has read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.lines = 0

    def read(self, size: int = -1) -> bytes:
        line = self._stream.readline(size)
        self.lines += line.endswith(b"\n")
        return line


def failing_line(source: Source) -> int | None:
    """The line on which pyoxigraph's RDF/XML parser fails, since its error does not include it."""
    with source.open() as stream:
        counted = _LineByLine(stream)
        try:
            for _ in parse(counted, RdfFormat.RDF_XML, base_iri=source.base_iri):  # type: ignore[arg-type]
                pass
        except SyntaxError:
            return max(1, counted.lines)
    return None


# -- writing -----------------------------------------------------------------------------------------------------------


def writable(graph: Graph, prefixes: Mapping[str, str]) -> tuple[Iterable[Triple], dict[str, str]]:
    """The triples with labels, and those of the prefixes, that RDF/XML can have. InputError if it cannot have them."""
    _refuse_inexpressible(graph)
    return _with_valid_labels(graph), {prefix: iri for prefix, iri in prefixes.items() if not _is_type(graph, iri)}


def completed(text: bytes, prefixes: Mapping[str, str]) -> bytes:
    """The text that pyoxigraph has written, as valid XML with these prefixes."""
    # XML parsers turn a bare carriage return into a line feed; here, they occur only in literals.
    return _with_all_prefixes(_with_all_types(text.replace(b"\r", b"&#13;")), prefixes)


def _refuse_inexpressible(graph: Graph) -> None:
    predicates = {row[1] for row in graph.rows()}
    for predicate in map(graph.term, predicates):
        if predicate in _RESERVED:
            raise InputError(
                f"RDF/XML cannot express the predicate {predicate}: the syntax reserves it", hint="write Turtle instead"
            )
        if isinstance(predicate, NamedNode) and not re.search(_ELEMENT_NAME, predicate.value):
            raise InputError(
                f"RDF/XML cannot express the predicate {predicate}: it does not end in an XML name",
                hint="write Turtle instead",
            )
    for term in graph.terms():
        if isinstance(term, Literal) and (character := re.search(_INEXPRESSIBLE, term.value)):
            raise InputError(
                f"RDF/XML cannot express the character U+{ord(character[0]):04X}, which is in the literal {term}",
                hint="write Turtle instead",
            )


def _with_valid_labels(graph: Graph) -> Iterable[Triple]:
    """The triples with new labels for those blank nodes whose labels are not valid in RDF/XML."""
    labels = {term.value for term in graph.terms() if isinstance(term, BlankNode)}
    unfit = sorted(label for label in labels if not _LABEL.fullmatch(label))
    if not unfit:
        return graph
    free = (f"b{number}" for number in itertools.count() if f"b{number}" not in labels)
    names = {BlankNode(label): BlankNode(name) for label, name in zip(unfit, free, strict=False)}

    def renamed(term: Any) -> Any:
        return names.get(term, term) if isinstance(term, BlankNode) else term

    return (Triple(renamed(t.subject), t.predicate, renamed(t.object)) for t in graph)


def _is_type(graph: Graph, iri: str) -> bool:
    return graph.count(None, graph.key(RDF.type), graph.key(NamedNode(iri))) > 0


def _with_all_types(text: bytes) -> bytes:
    """RDF/XML with types whose IRIs do not end in an XML name, such as <http://example.org/#12>.

    pyoxigraph writes an element without a name for them, which is invalid XML. Write the type as a property instead.
    """
    if b"<oxprefix: " not in text:
        return text
    text = _UNNAMED_NODE.sub(rb'\t<rdf:Description\2>\n\t\t<rdf:type rdf:resource="\1"/>', text)
    return _END_OF_UNNAMED_NODE.sub(b"\t</rdf:Description>", text)


def is_bound_by_xml(prefix: str, iri: str) -> bool:
    """Whether XML reserves a prefix or its namespace; it allows declaring `xml` as what it already means."""
    mine = prefix in _NAMESPACES or iri in _NAMESPACES.values()
    return mine and (prefix, iri) != ("xml", _NAMESPACES["xml"])


def _with_all_prefixes(text: bytes, prefixes: Mapping[str, str]) -> bytes:
    """RDF/XML that declares exactly these prefixes: without the one for RDF 1.2, and with several for one namespace."""
    from xml.sax.saxutils import quoteattr  # imported late because it loads a whole HTTP client

    before, start, rest = text.partition(b"<rdf:RDF")
    declarations, end, body = rest.partition(b">")
    if "its" not in prefixes:
        declarations = declarations.replace(_UNUSED_PREFIX, b"")
    for prefix, iri in prefixes.items():
        name = f" xmlns:{prefix}=" if prefix else " xmlns="
        if name.encode() not in declarations:
            declarations += (name + quoteattr(iri)).encode()
    return before + start + declarations + end + body
