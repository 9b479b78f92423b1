"""The queries in a Markdown file: fenced blocks of SPARQL, also in lists and quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgprobe.queries.files.located import Located, looks_like_query, without_margin

__all__ = ["queries_in_markdown"]

_FENCE = re.compile(
    r"^(?P<margin>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)$", re.MULTILINE
)
_LANGUAGE = re.compile(r"[\w+\-]+")
_SPARQL = frozenset(("sparql", "rq", "sparql-query", "sparql-update", "sparqlu"))
_NO_LANGUAGE = frozenset(("", "text", "txt", "sql"))


def queries_in_markdown(text: str) -> Iterator[Located]:
    """The texts of blocks that are marked as SPARQL, and of those without a language that look like a query."""
    place = 0
    while (opening := _FENCE.search(text, place)) is not None:
        margin, fence = opening["margin"], opening["fence"]
        start = opening.end() + 1
        closing = re.compile(rf"^[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
        found = closing.search(text, min(start, len(text)))
        end = len(text) if found is None else found.start()
        place = len(text) if found is None else found.end()
        language = _LANGUAGE.search(opening["info"])
        word = language[0].lower() if language else ""
        # A list item is continued by as many spaces as its marker and the white space before it have.
        left_out = re.compile(rf"[ \t>]{{0,{len(margin)}}}" if margin else "")
        block = without_margin(text, min(start, len(text)), end, left_out)
        if word in _SPARQL or (word in _NO_LANGUAGE and looks_like_query(block.text)):
            yield block
