"""Calls of a user's Python operators. What they return is checked: a mutant must be a graph, whatever they do."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kgprobe.errors import InputError, KgprobeError, Position, one_line
from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import BlankNode, Literal, NamedNode
from kgprobe.mutation.operator import Change, Propose, Site

__all__ = ["checked", "line_of"]

# A value that is no change is shown by its beginning.
_SHOWN = 60


def checked(function: Callable[..., Any], name: str, where: Position) -> Propose:
    """The function of the operator with this name. InputError if it fails, or returns what is no change."""

    def propose(site: Site) -> Change | None:
        graph = site.graph
        before = len(graph.changed_keys)
        try:
            found = function(site)
        except KgprobeError:
            raise
        except (Exception, SystemExit) as error:
            message = f"the operator '{name}' failed: {type(error).__name__}: {error}"
            raise InputError(message, where=Position(where.file, line_of(error, where.file) or where.line)) from error
        if len(graph.changed_keys) != before:
            message = f"the operator '{name}' changed the graph itself"
            raise InputError(message, where=where, hint="it returns a Change, which is carried out and recorded")
        try:
            change = None if found is None else _change(graph, found)
        except ValueError as error:
            raise InputError(f"the operator '{name}' {error}", where=where) from None
        if change is None or not site.pins.allow(graph, [*change.removed, *change.added]):
            return None
        return change

    return propose


def line_of(error: BaseException, file: str) -> int | None:
    """The innermost line of a file that an error came through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else None


def _change(graph: Graph, found: object) -> Change | None:
    """What was returned as a change, with keys as the graph has them; None if it changes nothing."""
    if not isinstance(found, Change):
        raise ValueError(f"returned {one_line(repr(found))[:_SHOWN]}, which is no Change and not None")
    removed = [_row(graph, row) for row in _sequence(found.removed)]
    added = [_row(graph, row) for row in _sequence(found.added)]
    for row in removed:
        if not graph.has(*row):
            raise ValueError(f"removes a triple that is not there: {_text(graph, row)}")
    for row in added:
        if graph.has(*row):
            raise ValueError(f"adds a triple that is there: {_text(graph, row)}")
        if isinstance(graph.term(row[0]), Literal) or not isinstance(graph.term(row[1]), NamedNode):
            raise ValueError(f"adds what is no triple of RDF: {_text(graph, row)}")
    if not removed and not added:
        return None
    if not isinstance(found.binding, Mapping):
        raise ValueError(f"returned a Change whose binding is {one_line(repr(found.binding))[:_SHOWN]}, not a dict")
    binding = {str(name): _key(graph, key) for name, key in found.binding.items()}
    return Change(list(dict.fromkeys(removed)), list(dict.fromkeys(added)), binding)


def _sequence(rows: object) -> list[object]:
    if not isinstance(rows, Iterable):
        raise ValueError(f"returned a Change of {one_line(repr(rows))[:_SHOWN]}, which are no triples")
    return list(rows)


def _row(graph: Graph, row: object) -> KeyTriple:
    if not isinstance(row, tuple) or len(row) != 3:
        raise ValueError(f"returned {one_line(repr(row))[:_SHOWN]}, which is no triple of keys")
    return _key(graph, row[0]), _key(graph, row[1]), _key(graph, row[2])


def _key(graph: Graph, given: object) -> Key:
    """The key of a term. Functions may give the term itself."""
    if isinstance(given, NamedNode | BlankNode | Literal):
        return graph.key(given)
    if type(given) is int and 0 <= given < len(graph.table.terms):
        return given
    raise ValueError(f"returned {one_line(repr(given))[:_SHOWN]}, which is no key of a term (graph.key gives it)")


def _text(graph: Graph, row: KeyTriple) -> str:
    return " ".join(str(graph.term(key)) for key in row)
