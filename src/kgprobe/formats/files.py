"""Loads and saves graphs: detects the format and calls its reader or writer, without loss."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.formats.catalogue import FORMATS, by_extension, by_name, detect
from kgprobe.formats.format import Format
from kgprobe.formats.source import Source
from kgprobe.processes.limits import clean_folder
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.table import TableBuilder, collection_paused
from kgprobe.rdf.terms import NamedNode, Triple
from kgprobe.written_files import write_file

__all__ = ["Loaded", "load", "load_output", "read_graph", "render", "save", "stream", "writable_format"]

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
            prefixes, notes = format_.read(source, format_, builder, base)
            tags = {}
            if format_.tags is not None:
                with source.open() as stream:
                    tags = format_.tags.noted(stream, builder.intern)
        except OSError as error:  # the file existed a moment ago
            raise InputError(f"cannot be read: {error.strerror}", where=Position(source.name)) from None
        table = builder.build(random_labels=format_.stream is not None)
    return Loaded(Graph.from_table(table, Spelling(prefixes, tags)), format_, source.name, tuple(notes))


def stream(path: str | Path, *, on_read: Callable[[int], None] | None = None) -> Generator[Triple, None, list[str]]:
    """The triples of a file in its order, for graphs that do not fit into memory; returns notes for the user.

    Triples may be repeated, and blank nodes without a label get a random one. Formats that can only be read as a whole
    take as much memory as `load`. `on_read` is as for `load`.
    """
    source = Source(path, on_read=on_read)
    format_ = detect(source)
    if format_.stream is None:
        loaded = load(path, format_name=format_.name, on_read=on_read)
        yield from loaded.graph
        return list(loaded.notes)
    try:
        return (yield from format_.stream(source, format_))
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
    if format_.write is None:
        raise ValueError(f"kgprobe does not write {format_.title}")
    text, notes = format_.write(graph, format_)
    return Rendered(
        text if format_.tags is None else format_.tags.restored(text, graph.spelling.language_tags), format_, notes
    )


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
