"""Loads and saves graphs: detects the format and calls its reader or writer, without loss."""

from __future__ import annotations

import dataclasses
import gzip
import sys
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

from kgprobe.errors import InputError, Position
from kgprobe.formats import rdf
from kgprobe.formats.catalogue import FORMATS, Format, by_extension, by_name, detect
from kgprobe.formats.source import Source
from kgprobe.owl.expression import OntologyDocument, split_annotations
from kgprobe.processes.limits import clean_folder
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling, noted_tags, restored_tags
from kgprobe.rdf.table import TableBuilder, collection_paused
from kgprobe.rdf.terms import OWL, Literal, NamedNode, Triple
from kgprobe.wording import number_of
from kgprobe.written_files import write_file

__all__ = [
    "Loaded",
    "Rendered",
    "load",
    "load_output",
    "read_graph",
    "render",
    "save",
    "stream",
    "writable_format",
]

_OUTPUT = "output"
# Relative IRIs in the output of a system must not depend on the current folder.
_OUTPUT_BASE = f"file:///{_OUTPUT}"
_EMPTY_JSON = (b"{}", b"[]")


@dataclass(frozen=True)
class Loaded:
    """A graph, the format of its text, and notes for the user."""

    graph: Graph
    format: Format
    name: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rendered:
    """A graph as text in a format, and notes for the user."""

    text: bytes
    format: Format
    notes: tuple[str, ...] = ()


def load(
    path: str | Path,
    *,
    format_name: str | None = None,
    base: str | None = None,
    on_read: Callable[[int], None] | None = None,
) -> Loaded:
    """Read a graph from a file, or from standard input if the path is `-`.

    The format is detected from the content unless it is given. `base` is the base of relative IRIs and of bare names in
    tab-separated triples. `on_read` is called from time to time with the number of bytes read so far; a file may be
    read more than once.
    """
    if base is not None:
        _check_base(base)
    source = Source(path, on_read=on_read)
    format_ = by_name(format_name) if format_name else detect(source)
    builder = TableBuilder()
    with collection_paused():
        try:
            prefixes, notes = _READERS[format_.name](source, format_, builder, base)
            with source.open() as stream:
                tags = noted_tags(stream, format_.name, builder.intern)
        except OSError as error:  # the file existed a moment ago
            raise InputError(f"cannot be read: {error.strerror}", where=Position(source.name)) from None
        table = builder.build(random_labels=format_.name in rdf.FORMATS)
    return Loaded(Graph.from_table(table, Spelling(prefixes, tags)), format_, source.name, tuple(notes))


def stream(path: str | Path, *, on_read: Callable[[int], None] | None = None) -> Generator[Triple, None, list[str]]:
    """The triples of a file in its order, for graphs that do not fit into memory; returns notes for the user.

    Triples may be repeated, and blank nodes without a label get a random one. Formats that can only be read as a whole
    take as much memory as `load`. `on_read` is as for `load`.
    """
    source = Source(path, on_read=on_read)
    format_ = detect(source)
    if format_.name not in rdf.FORMATS:
        loaded = load(path, format_name=format_.name, on_read=on_read)
        yield from loaded.graph
        return list(loaded.notes)
    try:
        return (yield from rdf.stream(source, format_))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=Position(source.name)) from None


def read_graph(output: bytes) -> Graph:
    """The graph that a system wrote. InputError if the output is not a graph."""
    return load_output(output).graph


def load_output(output: bytes) -> Loaded:
    """The same with the format, which is detected from the content."""
    with clean_folder() as folder:
        file = folder / _OUTPUT
        file.write_bytes(output)
        try:
            loaded = load(file, base=_OUTPUT_BASE)
        except InputError as error:
            place = error.where
            where = Position(_OUTPUT, place.line, place.column) if place else Position(_OUTPUT)
            raise InputError(error.message.replace(str(file), _OUTPUT), where=where) from None
    # Any JSON can be read as JSON-LD. Without JSON-LD keywords it gives an empty graph, so all JSON would be the same.
    is_plain_json = loaded.format.name == "jsonld" and not len(loaded.graph) and b'"@' not in output
    if is_plain_json and output.strip() not in _EMPTY_JSON:
        raise InputError("is JSON, but not JSON-LD", where=Position(_OUTPUT))
    return loaded


def save(graph: Graph, path: str | Path, *, format_name: str | None = None, force: bool = True) -> Rendered:
    """Write a graph to a file, or to standard output if the path is `-`. Files are written completely or not at all.

    Without `force`, a file that exists is not replaced, but an InputError.
    """
    rendered = render(graph, writable_format(path, format_name))
    if str(path) == "-":
        if sys.stdout is None or sys.__stdout__ is None:
            raise InputError("standard output is closed, and no output file is given")
        if sys.stdout.isatty():  # the stream knows what a terminal must not be sent; in RDF, escapes are the same text
            sys.stdout.write(rendered.text.decode())
        else:
            sys.stdout.buffer.write(rendered.text)
        sys.stdout.flush()
        return rendered
    # Without a timestamp, the same graph always gives the same bytes.
    text = gzip.compress(rendered.text, mtime=0) if str(path).endswith(".gz") else rendered.text
    write_file(Path(path), text, force=force)
    return rendered


def render(graph: Graph, format_: Format) -> Rendered:
    """The text of a graph in a format."""
    text, notes = _functional(graph) if format_.name == "functional" else (rdf.write(graph, format_), ())
    text = restored_tags(text, format_.name, graph.spelling.language_tags)
    return Rendered(text, format_, notes)


def writable_format(path: str | Path, format_name: str | None = None) -> Format:
    """The format for writing a file: the given one, or the one that the file's extension stands for."""
    format_ = by_name(format_name) if format_name else by_extension(str(path))
    writable = ", ".join(name for name, known in FORMATS.items() if known.writable)
    if format_ is None:
        raise InputError(
            "this file name does not imply a format",
            where=Position(str(path)),
            hint=f"choose with --format: {writable}",
        )
    if not format_.writable:
        raise InputError(f"{format_.title} can be read, but not written", hint=f"choose with --format: {writable}")
    return format_


def _check_base(base: str) -> None:
    try:
        NamedNode(base)
    except ValueError as error:
        raise InputError(f"the base is not an absolute IRI: {base} ({error})") from None


def _functional(graph: Graph) -> tuple[bytes, tuple[str, ...]]:
    for term in graph.terms():
        if isinstance(term, Literal) and "\0" in term.value:  # the format has no escapes, and a text cannot contain it
            raise InputError("functional syntax cannot express the character U+0000", hint="write Turtle instead")
    from kgprobe.formats import functional
    from kgprobe.owl.axiom_reader import read

    reading = read(graph)
    notes = [] if reading.has_header else ["declares an ontology, which functional syntax requires"]
    document = dataclasses.replace(reading.document, prefixes=dict(graph.spelling.prefixes))
    if reading.leftovers:
        document, said = _with_loose_axioms(document, graph, reading.leftovers)
        notes += said
    return "".join(functional.render(document)).encode(), tuple(notes)


def _with_loose_axioms(
    document: OntologyDocument, graph: Graph, leftovers: Iterable[Triple]
) -> tuple[OntologyDocument, list[str]]:
    """The document with the axioms of these triples added, and notes. InputError if they are not axioms."""
    from kgprobe.owl.name_kinds import EntityKinds
    from kgprobe.owl.triple_index import TripleIndex
    from kgprobe.owl.unusual_axioms import loose_axioms_of

    loose = loose_axioms_of(graph, leftovers, EntityKinds(TripleIndex(graph)).known)
    imported = [t.object for t in loose.silent if t.predicate == OWL.imports and isinstance(t.object, NamedNode)]
    silent = [triple for triple in loose.silent if triple.predicate != OWL.imports]
    if loose.unread:
        shown, number = graph.spelling.triple(min(loose.unread, key=str)), len(loose.unread)
        what = "1 triple is not an OWL axiom" if number == 1 else f"{number} triples are not OWL axioms"
        raise InputError(f"{what}, and functional syntax has only axioms: {shown}", hint="write Turtle instead")
    notes = []
    if loose.axioms:
        notes.append(f"spells {number_of(len(loose.axioms), 'axiom')} in the standard way")
    if silent:
        example = graph.spelling.triple(min(silent, key=str))
        notes.append(f"leaves out triples that form no axiom: {number_of(len(silent), 'triple')}, such as {example}")
    absorbed = {(triple.predicate, triple.subject, triple.object) for triple in loose.absorbed}
    strict = (axiom for axiom in document.axioms if split_annotations(axiom)[1] not in absorbed)
    axioms = dict.fromkeys([*strict, *(axiom for _, axiom in sorted(loose.axioms, key=itemgetter(0)))])
    imports = dict.fromkeys([*document.imports, *sorted(imported, key=str)])
    return dataclasses.replace(document, axioms=tuple(axioms), imports=tuple(imports)), notes


_Reader: TypeAlias = Callable[[Source, Format, TableBuilder, str | None], tuple[dict[str, str], list[str]]]


# A format's module is imported only when a file needs it.


def _functional_document(source: Source) -> OntologyDocument:
    from kgprobe.formats import functional

    return functional.parse(source.text(), source.name)


def _manchester_document(source: Source) -> OntologyDocument:
    from kgprobe.formats import manchester

    return manchester.parse(source.text(), source.name)


def _owlxml_document(source: Source) -> OntologyDocument:
    from kgprobe.formats import owlxml

    return owlxml.parse(source.read(), source.name)


def _ontology_reader(parse: Callable[[Source], OntologyDocument]) -> _Reader:
    def read(
        source: Source, _format: Format, builder: TableBuilder, _base: str | None
    ) -> tuple[dict[str, str], list[str]]:
        from kgprobe.owl import to_triples

        document = parse(source)
        builder.extend(chain.from_iterable(to_triples.triples(document)))
        return document.prefixes, []

    return read


def _read_obo(
    source: Source, _format: Format, builder: TableBuilder, _base: str | None
) -> tuple[dict[str, str], list[str]]:
    from kgprobe.formats import obo

    return obo.read(source.text(), source.name, builder), []


def _read_tsv(
    source: Source, _format: Format, builder: TableBuilder, base: str | None
) -> tuple[dict[str, str], list[str]]:
    from kgprobe.formats import tsv

    with source.lines() as lines:
        return tsv.read(lines, source.name, builder, base or rdf.base_iri(source) + "#"), []


_READERS: dict[str, _Reader] = {
    **dict.fromkeys(rdf.FORMATS, rdf.read),
    "functional": _ontology_reader(_functional_document),
    "manchester": _ontology_reader(_manchester_document),
    "owlxml": _ontology_reader(_owlxml_document),
    "obo": _read_obo,
    "tsv": _read_tsv,
}
