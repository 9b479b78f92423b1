"""The RDF syntaxes: pyoxigraph reads and writes them, this module and `rdf_xml` add what pyoxigraph lacks."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain
from typing import IO, Any

from pyoxigraph import DefaultGraph, Quad, RdfFormat, parse, serialize

from kgprobe.errors import InputError, Position
from kgprobe.formats import rdf_xml, xml_guard
from kgprobe.formats.format import (
    NO_STRINGS,
    TAG,
    TAG_CAPITALS,
    WRITTEN_IN_TEXT,
    Beginning,
    Format,
    LanguageTags,
    first_token,
)
from kgprobe.formats.source import Source
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import TableBuilder
from kgprobe.rdf.terms import Literal, NamedNode, Triple
from kgprobe.wording import number_of

_SYNTAXES = {
    "turtle": RdfFormat.TURTLE,
    "ntriples": RdfFormat.N_TRIPLES,
    "nquads": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "rdfxml": RdfFormat.RDF_XML,
    "jsonld": RdfFormat.JSON_LD,
}
_parts = operator.attrgetter("subject", "predicate", "object")

# pyoxigraph repeats the position, which it also reports as two numbers, in its message.
_PLACE = re.compile(r"^Parser error (?:at|between) line \d+ .*?: ", re.DOTALL)
_REMOTE_CONTEXT = "No LoadDocumentCallback"
_TOO_DEEP = "Max stack size"
_TOO_LONG = "buffer maximal size"

# Skips strings, escapes and comments, where `<<` has no meaning. Possessive, to rule out backtracking.
_TRIPLE_TERM = re.compile(
    rb'"""(?>(?:[^"\\]|\\.|"(?!""))*)(?:""")?'
    rb"|'''(?>(?:[^'\\]|\\.|'(?!''))*)(?:''')?"
    rb'|"(?>(?:[^"\\\n]|\\.)*)"?'
    rb"|'(?>(?:[^'\\\n]|\\.)*)'?"
    rb"|\\."
    rb"|#[^\r\n]*+"
    rb"|(?P<triple_term><<)",
    re.DOTALL,
)
_DELIMITERS = (":", "/", "?", "#", "[", "]", "@")
_CONTEXT = re.compile(rb'\s*\{\s*"@context"\s*:\s*')
_NO_STATEMENTS = re.compile(rb'\s*(?:[\[{]|\{\s*"@context"\s*:.*,\s*"@graph"\s*:\s*\[)\s*[\]}]\s*\}?\s*', re.DOTALL)

# The prefix names that Turtle allows, as far as Python's Unicode tables go; RDF/XML allows them, too.
_PREFIX_NAME = re.compile(r"(?:[^\W\d_](?:[\w.\-]*[\w\-])?)?")


def _read(
    source: Source, format_: Format, builder: TableBuilder, base: str | None = None
) -> tuple[dict[str, str], list[str]]:
    """Add a text's triples to the builder; return its prefixes and notes for the user."""
    notes: list[str] = []
    with _parsed(source, format_, base) as (parser, prefixes):
        if _SYNTAXES[format_.name].supports_datasets:
            notes += _read_default_graph(parser, builder)
        else:
            builder.extend(chain.from_iterable(map(_parts, parser)))
        prefixes = parser.prefixes or prefixes
    _refuse_rdf_1_2(builder.intern, source)
    if format_.name == "jsonld":
        prefixes = {**_default_prefix(source.head), **prefixes}
        if not len(builder) and not notes and not (source.head_is_all and _NO_STATEMENTS.fullmatch(source.head)):
            notes.append("has no triples: no key of this JSON is an IRI, or is mapped to one by an @context")
    return prefixes, notes


def _stream(source: Source, format_: Format) -> Generator[Triple, None, list[str]]:
    """The triples of a text, without keeping them, in the order of the text; returns notes for the user."""
    notes: list[str] = []
    with _parsed(source, format_, None) as (parser, _):
        if _SYNTAXES[format_.name].supports_datasets:
            named: dict[str, int] = {}
            yield from (quad.triple for quad in _in_default_graph(parser, named))
            notes += _note_on_named_graphs(named)
        else:
            yield from parser
    return notes


@contextmanager
def _parsed(source: Source, format_: Format, base: str | None) -> Iterator[tuple[Any, dict[str, str]]]:
    """A parser of a text, and the prefixes that the parser does not report. Raises only `InputError` for its errors."""
    prefixes: dict[str, str] = {}
    if format_.name == "rdfxml":
        with source.open() as stream:
            prefixes = xml_guard.check(stream, source.name).prefixes
    try:
        with source.open() as stream:
            text = _prepared(stream, source, format_)
            yield parse(text, _SYNTAXES[format_.name], base_iri=base or source.base_iri), prefixes  # type: ignore[arg-type]
    except SyntaxError as error:
        raise _explained(error, source, format_) from None
    except MemoryError as error:
        if _TOO_LONG not in str(error):
            raise
        raise InputError(
            "has a literal, a name or a comment of more than 16 MiB, which is too long to read",
            where=Position(source.name),
        ) from None


def _write(graph: Graph, format_: Format) -> tuple[bytes, tuple[str, ...]]:
    """The graph in one of these syntaxes."""
    rdf_format = _SYNTAXES[format_.name]
    statements: Iterable[Triple] | Iterable[Quad] = graph
    prefixes = _usable(graph.spelling.prefixes, format_)
    if format_.name == "rdfxml":
        statements, prefixes = rdf_xml.writable(graph, prefixes)
    if rdf_format.supports_datasets:
        statements = map(Quad, *graph.columns())
    text = serialize(statements, format=rdf_format, prefixes=prefixes)
    assert text is not None  # noqa: S101 - serialize returns None only if it writes to a stream
    match format_.name:
        case "rdfxml":
            text = rdf_xml.completed(text, prefixes)
        case "jsonld":
            text = _with_context(text, prefixes, graph)
        case "turtle" | "trig" if not text:  # without triples, pyoxigraph writes no prefixes either
            text = "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in prefixes.items()).encode()
    return text, ()


def _read_default_graph(quads: Iterable[Quad], builder: TableBuilder) -> Iterator[str]:
    """Add the triples of the default graph; yield a note about named graphs, if any."""
    named: dict[str, int] = {}
    builder.extend(chain.from_iterable(map(_parts, _in_default_graph(quads, named))))
    yield from _note_on_named_graphs(named)


def _in_default_graph(quads: Iterable[Quad], named: dict[str, int]) -> Iterator[Quad]:
    """The quads of the default graph; counts those of the named graphs by their names."""
    for quad in quads:
        if isinstance(quad.graph_name, DefaultGraph):
            yield quad
        else:
            name = str(quad.graph_name)
            named[name] = named.get(name, 0) + 1


def _note_on_named_graphs(named: Mapping[str, int]) -> Iterator[str]:
    if named:
        first = ", ".join(list(named)[:3]) + (", …" if len(named) > 3 else "")
        yield (
            f"only the default graph is read, without {number_of(sum(named.values()), 'triple')}"
            f" in {number_of(len(named), 'named graph')} ({first})"
        )


def _explained(error: SyntaxError, source: Source, format_: Format) -> InputError:
    message = _PLACE.sub("", error.msg or str(error))
    line, column = error.lineno, error.offset
    if _REMOTE_CONTEXT in message:
        return InputError(
            "uses a JSON-LD context from the network, which kgprobe does not fetch",
            where=Position(source.name),
            hint="put the context into the file",
        )
    if _TOO_DEEP in message:
        message = "nested too deeply to read"
    if line is None and format_.name == "rdfxml":
        line = rdf_xml.failing_line(source)
    return InputError(message, where=Position(source.name, line, column))


def _prepared(stream: IO[bytes], source: Source, format_: Format) -> IO[bytes] | _Watched | rdf_xml.LineFeeds:
    """The text as pyoxigraph should see it."""
    match format_.name:
        case "rdfxml":
            return rdf_xml.LineFeeds(stream)
        case "jsonld":
            return stream
        case _:
            return _Watched(stream, source)


class _Watched:
    """Passes a text on and refuses triple terms: pyoxigraph crashes if they are nested deeply."""

    def __init__(self, stream: IO[bytes], source: Source) -> None:
        self._stream = stream
        self._source = source
        self._before = b""
        self._suspicious = True

    def read(self, size: int = -1) -> bytes:
        chunk = self._stream.read(size)
        if self._suspicious and b"<<" in self._before + chunk:
            _refuse_triple_terms(self._source)
            self._suspicious = False  # every `<<` is in a string or a comment
        self._before = chunk[-1:]
        return chunk


def _refuse_triple_terms(source: Source) -> None:
    text = source.read()
    triple_term = next((token for token in _TRIPLE_TERM.finditer(text) if token["triple_term"]), None)
    if triple_term is not None:
        line_start = text.rfind(b"\n", 0, triple_term.start()) + 1
        column = len(text[line_start : triple_term.start()].decode(errors="replace")) + 1
        where = Position(source.name, text.count(b"\n", 0, triple_term.start()) + 1, column)
        raise InputError("found '<<', a triple term of RDF 1.2; kgprobe reads RDF 1.1", where=where)


def _refuse_rdf_1_2(terms: Iterable[object], source: Source) -> None:
    for term in terms:
        if isinstance(term, Triple) or (type(term) is Literal and term.direction is not None):
            raise InputError(f"uses RDF 1.2, but kgprobe reads RDF 1.1: {term}", where=Position(source.name))


def _usable(prefixes: Mapping[str, str], format_: Format) -> dict[str, str]:
    """The prefixes that the format can declare; a graph read from another format may have others."""
    usable = {}
    for prefix, iri in prefixes.items():
        if not _PREFIX_NAME.fullmatch(prefix) or (format_.name == "rdfxml" and rdf_xml.is_bound_by_xml(prefix, iri)):
            continue
        try:
            usable[prefix] = NamedNode(iri).value
        except ValueError:
            continue
    return usable


def _with_context(text: bytes, prefixes: Mapping[str, str], graph: Graph) -> bytes:
    """Expanded JSON-LD with the prefixes that do not change its IRIs: a prefix `urn` would change `urn:x`."""
    schemes = {term.value.partition(":")[0] for term in graph.terms() if isinstance(term, NamedNode)}
    schemes |= {term.datatype.value.partition(":")[0] for term in graph.terms() if isinstance(term, Literal)}
    schemes |= {iri.partition(":")[0] for iri in prefixes.values()}
    # Without the flag, only an IRI that ends in a delimiter would be a prefix.
    context: dict[str, object] = {
        prefix: iri if iri.endswith(_DELIMITERS) else {"@id": iri, "@prefix": True}
        for prefix, iri in prefixes.items()
        if prefix and prefix not in schemes
    }
    if "" in prefixes:
        # The closest equivalent in JSON-LD. All names here are whole IRIs, so it does not change them.
        context["@vocab"] = prefixes[""]
    if not context:
        return text
    return b'{"@context":' + json.dumps(context, ensure_ascii=False).encode() + b',"@graph":' + text + b"}"


def _default_prefix(head: bytes) -> dict[str, str]:
    """The empty prefix, which `_with_context` writes as @vocab, if the text begins with a context."""
    start = _CONTEXT.match(head)
    try:
        context = json.JSONDecoder().raw_decode(head[start.end() :].decode(errors="replace"))[0] if start else None
    except (ValueError, RecursionError):
        return {}
    vocabulary = context.get("@vocab") if isinstance(context, dict) else None
    return {"": vocabulary} if isinstance(vocabulary, str) else {}


# -- language tags -----------------------------------------------------------------------------------------------------
# Patterns that begin with fixed text are ten times faster than one that begins with alternatives.

_CAPITALS = rb"[a-z0-9-]*[A-Z][A-Za-z0-9-]*"
_TURTLE_STRING = (
    # Atomic groups: before 3.11.4, Python loses its place in a possessive repetition with a look ahead in it.
    rb'(?:"""(?>(?:[^"\\]|\\.|"(?!""))*)"""|\'\'\'(?>(?:[^\'\\]|\\.|\'(?!\'\'))*)\'\'\''
    rb'|"(?>(?:[^"\\\n]|\\.)*)"|\'(?>(?:[^\'\\\n]|\\.)*)\')'
)
_IN_TURTLE = LanguageTags(
    TAG_CAPITALS,
    re.compile(_TURTLE_STRING + rb"(?:" + TAG + rb")?" + NO_STRINGS, re.DOTALL),
    WRITTEN_IN_TEXT,
)
# After "@language", or a key of a language map.
_IN_JSON = LanguageTags(
    (re.compile(rb'"' + _CAPITALS + rb'"'),),
    re.compile(rb'"@language"\s*:\s*"([A-Za-z0-9-]+)"|"([A-Za-z0-9-]+)"\s*:'),
    re.compile(rb'("@language":")([a-z0-9-]+)'),
)


# -- the syntax of a text ----------------------------------------------------------------------------------------------

_IRI = r"<[a-zA-Z][^<>\s:]*:[^<>\s]*>"
# Possessive: a label outside a statement is rejected in one pass.
_BLANK = r"_:\w++(?>(?:[.:\-]++\w++)*)"
_LITERAL = r'"(?:[^"\\\n]|\\.)*"(?:@[\w-]+|\^\^<[^>\s]*>)?'
_STATEMENT = re.compile(
    rf"(?:{_IRI}|{_BLANK})\s*{_IRI}\s*(?:{_IRI}|{_BLANK}|{_LITERAL})\s*(?P<graph>{_IRI}|{_BLANK})?\s*\.\s*(?:#.*)?"
)
_DIRECTIVE = re.compile(r"^[ \t]*(?:@prefix|@base|PREFIX|BASE)\s", re.IGNORECASE | re.MULTILINE)
_ANY_IRI = re.compile(r"<[^<>\s]*>")
# Strings (including one that the end of the text cuts off), IRIs, escapes and comments. Without these, only TriG has
# braces.
_OPAQUE = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)'
    r"|'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|<[^<>\s]*>"
    r"|\\."
    r"|#[^\n]*",
    re.DOTALL,
)
_CONTAIN_LINES = ("turtle", "trig", "ntriples", "nquads")
_STATEMENT_ENDS = (".", ";", ",")
_SURE, _LIKELY, _POSSIBLE = 4, 3, 1  # a table with tabs is between the last two


def _likelihood(name: str) -> Callable[[Beginning], int]:
    def likelihood(beginning: Beginning) -> int:
        likely, how = _likeliest(beginning)
        return how if likely == name else 0

    return likelihood


@lru_cache(maxsize=1)  # each RDF syntax asks
def _likeliest(beginning: Beginning) -> tuple[str | None, int]:
    """The RDF syntax that a text may be in, and how likely it is in that one."""
    if beginning.is_xml:
        return "rdfxml", _SURE
    claimed = beginning.claimed
    statements = [_STATEMENT.fullmatch(line) for line in beginning.lines]
    if statements and all(statements):
        if any(statement and statement["graph"] for statement in statements):
            return "nquads", _LIKELY
        # N-Triples is a subset of Turtle, TriG and N-Quads, so trust the file extension.
        return claimed if claimed in ("turtle", "trig", "nquads") else "ntriples", _LIKELY
    # Tabs are white space in these formats.
    is_table = not (claimed in _CONTAIN_LINES and all(line.endswith(_STATEMENT_ENDS) for line in beginning.lines))
    how = _POSSIBLE if is_table else _LIKELY
    text = beginning.text
    if _DIRECTIVE.search(text) or (_ANY_IRI.search(text) and claimed not in ("ntriples", "nquads")):
        return "trig" if claimed == "trig" or "{" in _OPAQUE.sub(" ", text) else "turtle", how
    # The content suggests no format. Trust an extension that names one of these: its parser reports better errors.
    return claimed if claimed in _CONTAIN_LINES else None, how


def _format(name: str, title: str, extensions: tuple[str, ...], media_type: str, tags: LanguageTags) -> Format:
    return Format(
        name=name,
        title=title,
        extensions=extensions,
        read=_read,
        write=_write,
        media_type=media_type,
        starts=first_token(_JSON) if name == "jsonld" else None,
        likelihood=_likelihood(name),
        tags=tags,
        stream=_stream,
        writes_any_graph=True,
    )


_JSON = re.compile(r'\{\s*["}]|\[\s*[{\[]|\[\s*\]\s*$')
FORMATS = (
    _format("turtle", "Turtle", ("ttl", "turtle", "shacl"), "text/turtle", _IN_TURTLE),
    _format("ntriples", "N-Triples", ("nt", "ntriples"), "application/n-triples", _IN_TURTLE),
    _format("nquads", "N-Quads", ("nq", "nquads"), "application/n-quads", _IN_TURTLE),
    _format("trig", "TriG", ("trig",), "application/trig", _IN_TURTLE),
    _format("rdfxml", "RDF/XML", ("rdf", "owl", "xml", "rdfs"), "application/rdf+xml", rdf_xml.LANGUAGE_TAGS),
    _format("jsonld", "JSON-LD", ("jsonld", "json"), "application/ld+json", _IN_JSON),
)
