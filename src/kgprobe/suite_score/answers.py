"""The results that a test expects, and whether an answer is as expected.

Formats: the W3C's for SPARQL results (`.srx`, `.srj`, `.tsv`, and `.csv`, which has only the text of each value), and
any graph format for CONSTRUCT. A `.json` file may be `.srj`, and a `.txt` file may be `true` or `false`.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, parse_query_results

from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.given_files import read_bytes
from kgprobe.rdf.canonical import isomorphic
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import BlankNode, Term
from kgprobe.sparql.engine.exact_store import AnyStore, PreparedQuery
from kgprobe.sparql.engine.results import Row, Rows, are_alike

_LARGEST = 1 << 28
_RESULTS = {
    ".srx": QueryResultsFormat.XML,
    ".srj": QueryResultsFormat.JSON,
    ".json": QueryResultsFormat.JSON,
    ".tsv": QueryResultsFormat.TSV,
}


class NotUnderstoodError(Exception):
    """This file has no results that can be compared with an answer; the message says why."""


@dataclass(frozen=True)
class Expected:
    """The answer that a test expects: yes or no, a table of terms, a table of texts, or a graph."""

    yes: bool | None = None
    names: tuple[str, ...] = ()
    rows: tuple[Row, ...] | None = None
    texts: Counter[tuple[str, ...]] | None = None
    graph: Graph | None = None

    def is_met(self, query: PreparedQuery, store: AnyStore) -> bool:
        """Whether a store gives this answer. An answer of another kind, or an error, is not this answer."""
        try:
            found = store.ask(query)
            if isinstance(found, bool):
                return found is self.yes
            if isinstance(found, Rows):
                return self._has_rows(found)
            return self.graph is not None and isomorphic(self.graph, Graph(found))
        except (RuntimeError, OSError, InputError):
            return False

    def _has_rows(self, found: Rows) -> bool:
        if self.texts is not None:
            return set(found.names) == set(self.names) and self.texts == _texts(found.rows, self.names)
        if self.rows is None or set(found.names) != set(self.names):
            return False
        return are_alike(list(found.rows), self.rows)


def read_expected(file: Path) -> Expected:
    """The results in a file. NotUnderstoodError if it has none; InputError if it cannot be read."""
    suffix = file.suffix.lower()
    if suffix in _RESULTS:
        return _results(read_bytes(file, _LARGEST), _RESULTS[suffix], suffix)
    if suffix == ".csv":
        return _csv(read_bytes(file, _LARGEST))
    if suffix == ".txt":
        return _yes_or_no(read_bytes(file, _LARGEST))
    try:
        return Expected(graph=load(file).graph)
    except InputError as error:
        raise NotUnderstoodError(error.message) from None


def _results(text: bytes, format_: QueryResultsFormat, suffix: str) -> Expected:
    try:
        found = parse_query_results(text, format=format_)
        if isinstance(found, QueryBoolean):
            return Expected(yes=bool(found))
        if not isinstance(found, QuerySolutions):
            raise NotUnderstoodError(f"is not a table or a yes or no, as {suffix} is")
        names = tuple(variable.value for variable in found.variables)
        rows = tuple({name: term for name in names if (term := row[name]) is not None} for row in found)
    except (SyntaxError, ValueError, OSError) as error:
        raise NotUnderstoodError(f"is not {suffix}: {error}") from None
    return Expected(names=names, rows=rows)


def _csv(text: bytes) -> Expected:
    try:
        lines = list(csv.reader(io.StringIO(text.decode("utf-8-sig"), newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise NotUnderstoodError(f"is not .csv: {error}") from None
    if not lines:
        raise NotUnderstoodError("is empty")
    if len(lines) == 1 and lines[0] in (["true"], ["false"]):
        return Expected(yes=lines[0] == ["true"])
    header = tuple(lines[0])
    # The row of a single variable without a value is an empty line.
    rows = [tuple(line) if line or len(header) != 1 else ("",) for line in lines[1:]]
    if any(len(row) != len(header) for row in rows):
        raise NotUnderstoodError("has rows that are shorter or longer than its header")
    return Expected(names=header, texts=Counter(_without_blanks(row) for row in rows))


def _yes_or_no(text: bytes) -> Expected:
    word = text.decode(errors="replace").strip().casefold()
    if word not in ("true", "false", "yes", "no"):
        raise NotUnderstoodError("is neither 'true' nor 'false'")
    return Expected(yes=word in ("true", "yes"))


def _texts(rows: Iterable[Row], names: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(_without_blanks([_text(row.get(name)) for name in names]) for row in rows)


def _text(term: Term | None) -> str:
    if term is None:
        return ""
    return f"_:{term.value}" if isinstance(term, BlankNode) else str(term.value)


def _without_blanks(row: Iterable[str]) -> tuple[str, ...]:
    """CSV gives blank nodes a label that means nothing outside the file."""
    return tuple("_:" if text.startswith("_:") else text for text in row)
