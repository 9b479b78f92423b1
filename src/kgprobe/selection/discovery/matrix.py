"""A matrix of tests and terms, kept by hand: CSV with the columns test, term, target and label, or TOML."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from kgprobe.errors import InputError, Position, nearest
from kgprobe.given_files import parse_toml, read_text
from kgprobe.graph.terms import Term
from kgprobe.selection.discovery.declared import Declared, combined
from kgprobe.selection.discovery.search import Search
from kgprobe.selection.tests import TermUse

__all__ = ["read_matrix"]

_Row: TypeAlias = tuple[int | None, str, str, str, str]  # the line, test, term, target, label

_COLUMNS = ("test", "term", "target", "label")
_SAYS_NOTHING = "cannot see what this test uses: the matrix names no term for it"


def read_matrix(file: Path, search: Search) -> dict[str, Declared]:
    """What each test uses, by its name. InputError if this is no matrix."""
    text = read_text(file)
    found: defaultdict[str, list[Declared]] = defaultdict(list)
    rows = _toml(text, str(file)) if file.suffix.lower() == ".toml" else _csv(text, str(file))
    for line, test, term, target, label in rows:
        found[test].append(_row(term, target, label, _place(file, line), search))
    return {test: combined(said) for test, said in found.items()}


def _row(term: str, target: str, label: str, where: str, search: Search) -> Declared:
    if not term:
        return Declared(unseen=(_SAYS_NOTHING,))
    if not label:
        uses, unseen = search.named(term, where)
        more, unclear = search.named(target, where) if target else ((), ())
        return Declared((*uses, *more), (*unseen, *unclear))
    # An edge is as good as the two classes that it joins, for whoever cannot tell edges apart.
    text = f"{term} {label} {target}".strip()
    sources, unseen = search.named(term, where)
    targets, unclear = search.named(target, where) if target else ((), ())
    ends: tuple[Term | None, ...] = tuple(use.term for use in targets) if target else (None,)
    edges = tuple((source.term, end, label) for source in sources for end in ends)
    uses = tuple(TermUse(use.term, text) for use in (*sources, *targets))
    return Declared(uses, (*unseen, *unclear), edges)


def _place(file: Path, line: int | None) -> str:
    return f"{file}:{line}" if line else str(file)


def _csv(text: str, name: str) -> Iterator[_Row]:
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        columns = _columns(next(rows, []), name)
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            test, term, target, label = (
                row[place].strip() if place is not None and place < len(row) else "" for place in columns
            )
            if not test:
                raise InputError("this row names no test", where=Position(name, rows.line_num))
            yield rows.line_num, test, term, target, label
    except csv.Error as error:
        raise InputError(f"this is no CSV: {error}", where=Position(name, rows.line_num)) from None


def _columns(header: list[str], name: str) -> list[int | None]:
    """Where each of our columns is; None: nowhere."""
    titles = [title.strip().lower() for title in header]
    for wanted in ("test", "term"):
        if wanted not in titles:
            close = nearest(wanted, titles)
            hint = f"is '{close}' meant?" if close else "the first row names the columns: test,term,target,label"
            raise InputError(f"the matrix has no column '{wanted}'", where=Position(name, 1), hint=hint)
    return [titles.index(column) if column in titles else None for column in _COLUMNS]


def _toml(text: str, name: str) -> Iterator[_Row]:
    document = parse_toml(text, name)
    for key in document:
        if key not in ("tests", "edge"):
            meant = nearest(key, ("tests", "edge"))
            hint = f"did you mean '{meant}'?" if meant else "it has a table 'tests' and tables 'edge'"
            raise InputError(f"a matrix has no '{key}'", where=Position(name), hint=hint)
    tests = document.get("tests", {})
    if not isinstance(tests, dict):
        raise InputError("'tests' is no table", where=Position(name), hint='write "a test" = ["a term"] below [tests]')
    for test, terms in tests.items():
        for term in _texts(terms, f"the terms of '{test}'", name) or [""]:
            yield None, test, term.strip(), "", ""
    yield from _toml_edges(document.get("edge", []), name)


def _toml_edges(edges: Any, name: str) -> Iterator[_Row]:
    hint = "write test, source, target and label below [[edge]]"
    if not isinstance(edges, list) or not all(isinstance(edge, dict) for edge in edges):
        raise InputError("'edge' is no list of tables", where=Position(name), hint=hint)
    for edge in edges:
        for key, value in edge.items():
            if key not in ("test", "source", "target", "label"):
                meant = nearest(key, ("test", "source", "target", "label"))
                raise InputError(
                    f"an edge has no '{key}'", where=Position(name), hint=f"did you mean '{meant}'?" if meant else hint
                )
            if not isinstance(value, str):
                raise InputError(f"the {key} of an edge is no text: {value!r}", where=Position(name), hint=hint)
        if not edge.get("test") or not edge.get("source"):
            raise InputError("an edge needs a test and a source", where=Position(name), hint=hint)
        yield None, edge["test"], edge["source"].strip(), edge.get("target", "").strip(), edge.get("label", "").strip()


def _texts(value: Any, what: str, name: str) -> list[str]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise InputError(f"{what} are no list of texts: {value!r}", where=Position(name))
    return values
