"""Reads graphs from the output of a system. The syntax is detected from the content."""

from __future__ import annotations

from kgprobe.errors import InputError, Position
from kgprobe.graph.canonical import isomorphic
from kgprobe.graph.files import Loaded, load
from kgprobe.graph.graph import Graph
from kgprobe.processes.folders import clean_folder

__all__ = ["read_graph", "same_output"]

# Relative IRIs must not depend on the current folder.
_BASE = "file:///output"


def read_graph(text: bytes) -> Graph:
    """The graph in a text. InputError if the text is not a graph."""
    return _load(text).graph


def same_output(one: bytes, other: bytes) -> bool:
    """Whether two texts are the same graph up to the names of blank nodes; texts that are not graphs must be equal."""
    if one == other:
        return True
    try:
        loaded = [_load(text) for text in (one, other)]
    except InputError:
        return False
    # Tables of three columns can be read as graphs, but are seldom meant as graphs.
    if any(each.format.name == "tsv" for each in loaded):
        return False
    return isomorphic(loaded[0].graph, loaded[1].graph)


def _load(text: bytes) -> Loaded:
    with clean_folder() as folder:
        file = folder / "output"
        file.write_bytes(text)
        try:
            loaded = load(file, base=_BASE)
        except InputError as error:
            place = error.where
            where = Position("output", place.line, place.column) if place else Position("output")
            message = error.message.replace(str(file), "output")
            raise InputError(message, where=where) from None
    # Any JSON can be read as JSON-LD. Without JSON-LD keywords it gives an empty graph, so all JSON would be the same.
    if loaded.format.name == "jsonld" and not len(loaded.graph) and b'"@' not in text and text.strip() not in _EMPTY:
        raise InputError("is JSON, but no JSON-LD", where=Position("output"))
    return loaded


_EMPTY = (b"{}", b"[]")
