"""The queries in a JSON file: strings, and arrays of strings that are the lines of one query, as in notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgprobe.queries.files.located import Located, joined, looks_like_query, unescaped

__all__ = ["queries_in_json", "strings_in_json"]

_STRING = re.compile(r'"((?>(?:[^"\\]|\\.)*))"', re.DOTALL)
_BETWEEN = re.compile(r"\s*,\s*")
_CELL_MAGIC = re.compile(r"%%\w+[^\n]*\n")


def strings_in_json(text: str) -> Iterator[Located]:
    """All strings."""
    for found in _STRING.finditer(text):
        yield unescaped(text, *found.span(1))


def queries_in_json(text: str) -> Iterator[Located]:
    """The strings, and the joined lines, that look like a query."""
    run: list[Located] = []
    end = 0
    for found in _STRING.finditer(text):
        if run and _BETWEEN.fullmatch(text, end, found.start()) is None:
            yield from _queries_of(run)
            run = []
        run.append(unescaped(text, *found.span(1)))
        end = found.end()
    yield from _queries_of(run)


def _queries_of(run: list[Located]) -> Iterator[Located]:
    """The queries among strings that only commas separate."""
    alone = [each for each in run if looks_like_query(each.text)]
    if alone or len(run) < 2:
        yield from alone
        return
    lines: list[Located] = []
    for each in run:
        lines.append(each)
        if not each.text.endswith("\n"):
            lines.append(Located("\n", (each.offsets[-1], each.offsets[-1])))
    whole = joined(lines)
    magic = _CELL_MAGIC.match(whole.text)
    whole = whole.part(magic.end(), len(whole.text)) if magic else whole
    if looks_like_query(whole.text):
        yield whole
