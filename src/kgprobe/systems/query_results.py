"""Results of SPARQL queries as values that can be compared: the order of rows and columns is ignored."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, parse_query_results

from kgprobe.graph.terms import BlankNode, Triple

__all__ = ["Results", "results_in", "rows_of", "solutions", "term_text"]

Results: TypeAlias = "bool | frozenset[tuple[tuple[str, ...], int]] | frozenset[tuple[str, str, str]]"
"""The result of ASK, of SELECT (rows with their counts; columns sorted by variable), or of CONSTRUCT."""

_VARIABLE = re.compile(r"\w+")
_BLANK = "_:b"  # labels have no meaning outside their document


def results_in(text: bytes) -> Results:
    """The results in a text: SPARQL's formats in JSON, XML, TSV and CSV. ValueError or SyntaxError if it has none.

    CSV does not distinguish IRIs, numbers and texts, so it can be compared only with CSV.
    """
    start = text.lstrip()[:1]
    if start == b"{":
        return solutions(text, QueryResultsFormat.JSON)
    if start == b"<":
        return solutions(text, QueryResultsFormat.XML)
    if start == b"?" or (b"\n" in text and not text.split(b"\n", 1)[0].strip()):
        return solutions(text, QueryResultsFormat.TSV)
    return _csv(text.decode("utf-8-sig"))


def solutions(text: bytes, format_: QueryResultsFormat) -> Results:
    """The results in a text of a known format. ValueError or SyntaxError if it is not in that format."""
    found = parse_query_results(text, format=format_)
    if isinstance(found, QueryBoolean):
        return bool(found)
    if not isinstance(found, QuerySolutions):
        raise TypeError("neither rows nor a truth value")
    variables = sorted(found.variables, key=str)
    return _counted(tuple(term_text(row[variable]) for variable in variables) for row in found)


def rows_of(value: object) -> Results:
    """Rows that a function returned: lists of cells, or mappings from variables to cells. ValueError if it has none."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Mapping) and "head" in value:
        return solutions(json.dumps(value).encode(), QueryResultsFormat.JSON)
    if not isinstance(value, list | tuple | set | frozenset):
        raise TypeError("it is not a list of rows")
    rows = list(value)
    if all(isinstance(row, Mapping) for row in rows):
        variables = sorted({str(name) for row in rows for name in row})
        return _counted(tuple(_cell(row.get(name)) for name in variables) for row in rows)
    if all(isinstance(row, list | tuple) for row in rows) and len({len(row) for row in rows}) <= 1:
        return _counted(tuple(map(_cell, row)) for row in rows)
    raise ValueError("its items are not all rows of the same form")


def term_text(term: Any) -> str:
    """A term as in N-Triples, but blank nodes without their labels; an empty text for an unbound variable."""
    if term is None:
        return ""
    if isinstance(term, BlankNode):
        return _BLANK
    if isinstance(term, Triple):
        return f"<<( {term_text(term.subject)} {term_text(term.predicate)} {term_text(term.object)} )>>"
    return str(term)


def _csv(text: str) -> Results:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise ValueError(str(error)) from None
    if not rows or len(set(rows[0])) < len(rows[0]) or not all(map(_VARIABLE.fullmatch, rows[0])):
        raise ValueError("the first line does not name the variables")
    order = sorted(range(len(rows[0])), key=lambda place: rows[0][place])
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(order) and (row or len(order) != 1):
            raise ValueError(f"row {number} has {len(row)} values, but there are {len(order)} variables")
    cells = ([_BLANK if cell.startswith("_:") else cell for cell in row or [""]] for row in rows[1:])
    return _counted(tuple(row[place] for place in order) for row in cells)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _BLANK if value.startswith("_:") else value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise ValueError(f"a cell has the type {type(value).__name__}")


def _counted(rows: Iterable[tuple[str, ...]]) -> Results:
    return frozenset(Counter(rows).items())
