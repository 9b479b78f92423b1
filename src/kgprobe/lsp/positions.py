"""Positions in a text as editors count them: lines from 0, and characters in units of UTF-16."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from lsprotocol import types

from kgprobe.sparql.algebra import Span

_LINE_END = re.compile(r"\r\n|\n|\r")


class Point(NamedTuple):
    """A line, and a number of UTF-16 units in it. Both count from 0."""

    line: int
    character: int


class Lines:
    """The lines of a text, to convert between offsets in characters and points."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
        self._is_narrow = text.isascii()

    def point(self, offset: int) -> Point:
        """The point of an offset."""
        offset = min(max(offset, 0), len(self._text))
        line = bisect_right(self._starts, offset) - 1
        before = self._text[self._starts[line] : offset]
        return Point(line, len(before) if self._is_narrow else len(before.encode("utf-16-le", "surrogatepass")) // 2)

    def offset(self, line: int, character: int) -> int:
        """The offset of a point. A point behind the end of its line or of the text is that end."""
        if line >= len(self._starts):
            return len(self._text)
        start = self._starts[max(line, 0)]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
        content = self._text[start:end].rstrip("\r\n")
        if self._is_narrow:
            return start + min(max(character, 0), len(content))
        units = 0
        for number, each in enumerate(content):
            if units >= character:
                return start + number
            units += 2 if ord(each) > 0xFFFF else 1
        return start + len(content)


def range_of(lines: Lines, span: Span) -> types.Range:
    """A part of a text in the words of the protocol."""
    return types.Range(types.Position(*lines.point(span.start)), types.Position(*lines.point(span.end)))
