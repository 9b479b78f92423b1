"""The texts of queries in files: where each character of a query is in its file.

A query file is its own text. In other files, queries are strings: an escape such as `\\n` is one character of the
query, but two of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kgprobe.queries.diagnostics import Place
from kgprobe.sparql.algebra import Span

__all__ = [
    "HOLE",
    "File",
    "Located",
    "QueryText",
    "hole_at",
    "joined",
    "looks_like_query",
    "unescaped",
    "verbatim",
    "without_margin",
]

HOLE = "\ufffc"
"""Stands for a part of a text that is only known when the program runs."""

# A query or an update begins with its prologue or with its form, and has a group. A sentence that begins with "Select"
# has no braces with a variable, a colon or a bracket in them.
_PROLOGUE = rf"(?:\s|{HOLE}|\#[^\n]*(?:\n|\Z)|(?:PREFIX|BASE)\b[^<\n]*<[^>\n]*>)*"
_FORM = r"(?:SELECT|ASK|CONSTRUCT|DESCRIBE|INSERT|DELETE|WITH)\b"
_LOOKS_LIKE_QUERY = re.compile(rf"{_PROLOGUE}{_FORM}[^{{]*\{{", re.IGNORECASE)
_INSIDE = re.compile(r"\{[^{}]*[?$<:\"]")
_ESCAPE = re.compile(
    r"\\(?:\r?\n|[0-7]{1,3}|x[0-9A-Fa-f]{2}|u\{[0-9A-Fa-f]{1,6}\}|u+[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "s": " ", "a": "\a"}
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True)
class Located:
    """A text, and where each of its characters is in the file, and its end. `holes` are filled in later."""

    text: str
    offsets: Sequence[int]
    holes: tuple[Span, ...] = ()

    def part(self, start: int, end: int) -> Located:
        """A part of this text. Its holes are those that are wholly in it."""
        inside = (Span(hole.start - start, hole.end - start) for hole in self.holes)
        return Located(
            self.text[start:end],
            self.offsets[start : end + 1],
            tuple(hole for hole in inside if hole.start >= 0 and hole.end <= end - start),
        )


def verbatim(text: str, start: int, end: int) -> Located:
    """A part of a file as it is written."""
    return Located(text[start:end], range(start, end + 1))


def hole_at(offset: int) -> Located:
    """A part that is filled in later."""
    return Located(HOLE, (offset, offset), (Span(0, 1),))


def joined(parts: Iterable[Located]) -> Located:
    """Texts one after the other."""
    text: list[str] = []
    offsets: list[int] = []
    holes: list[Span] = []
    length = end = 0
    for part in parts:
        holes += [Span(hole.start + length, hole.end + length) for hole in part.holes]
        text.append(part.text)
        offsets += part.offsets[:-1]
        length += len(part.text)
        end = part.offsets[-1]
    return Located("".join(text), [*offsets, end], tuple(holes))


def unescaped(text: str, start: int, end: int) -> Located:
    """The body of a string of a programming language, from `start` to `end` of a file, without its backslashes."""
    if "\\" not in text[start:end]:
        return verbatim(text, start, end)
    value: list[str] = []
    offsets: list[int] = []
    place = start
    while place < end:
        escape = _ESCAPE.match(text, place, end)
        if escape is None:
            value.append(text[place])
            offsets.append(place)
            place += 1
            continue
        meant = _meant(escape[0])
        if value and meant and "\ud800" <= value[-1] <= "\udbff" and "\udc00" <= meant <= "\udfff":
            value[-1] = (value[-1] + meant).encode("utf-16", "surrogatepass").decode("utf-16")
        else:
            value.append(meant)
            offsets += [place] * len(meant)
        place = escape.end()
    return Located(_HALF_A_PAIR.sub("\ufffd", "".join(value)), [*offsets, end])


def _meant(escape: str) -> str:
    kind = escape[1]
    if kind in "\r\n":
        return ""
    if kind in _LETTERS:
        return _LETTERS[kind]
    digits = escape[2:].strip("u{}")
    try:
        if kind in "xuU" and digits:
            return chr(int(digits, 16))
        return chr(int(escape[1:], 8)) if kind in "01234567" else kind
    except (ValueError, OverflowError):
        return kind


def without_margin(text: str, start: int, end: int, margin: re.Pattern[str]) -> Located:
    """Lines of a file, without what `margin` matches at the beginning of each."""
    parts = []
    for line in _LINES.finditer(text, start, end):
        found = margin.match(text, line.start(), line.end())
        parts.append(verbatim(text, found.end() if found else line.start(), line.end()))
    return joined(parts) if parts else verbatim(text, start, start)


def looks_like_query(text: str) -> bool:
    """Whether a text begins as a query or an update does."""
    found = _LOOKS_LIKE_QUERY.match(text)
    return found is not None and _INSIDE.search(text, found.end() - 1) is not None


# -- files and queries -------------------------------------------------------------------------------------------------

_FILLED_IN = re.compile(r"\?(?:hole|filled)_\d+\b(?: (?=[),]))?")
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True)
class File:
    """A file with queries."""

    name: str
    text: str

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self.text))]

    def line(self, offset: int) -> int:
        """The number of the line with this character, from 1."""
        return bisect_right(self._starts, min(offset, len(self.text)))

    def line_text(self, line: int) -> str:
        """A line without its end."""
        ends = [*self._starts[1:], len(self.text)]
        return self.text[self._starts[line - 1] : ends[line - 1]].rstrip("\r\n")

    def place(self, start: int, end: int) -> Place:
        """The place of these characters."""
        first, last = self.line(start), self.line(end)
        return Place(first, start - self._starts[first - 1] + 1, last, end - self._starts[last - 1] + 1, start, end)


@dataclass(frozen=True)
class QueryText:
    """A query in a file. `offsets` has the place of each character of the query in the file, and that of its end.

    `bound_before` names the variables that the software around the query gives a value before it runs: "this" for
    `$this` in SHACL. Nothing is known about these values, but they are the same in all parts of the query.

    `prefixes` may be used without a declaration. The query of a template has `others`: only what is found in all of
    them holds whatever is filled in, and `written` says what its variables stand for. A text that is `quoted`, as in
    documentation, may be no complete query. A program around it may give other variables a value, too.
    """

    file: File
    text: str
    offsets: Sequence[int] | None = None
    bound_before: frozenset[str] = frozenset()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    others: tuple[QueryText, ...] = ()
    is_template: bool = False
    written: Mapping[str, str] = field(default_factory=dict)
    is_quoted: bool = False
    is_in_program: bool = False

    def as_written(self, message: str) -> str:
        """A message about the query, with the parts that a template fills in as they are written there."""
        return _FILLED_IN.sub(lambda found: self.written.get(found[0].strip(), found[0]), message)

    def given(self, names: frozenset[str]) -> QueryText:
        """The same query if these variables, too, have a value before it runs."""
        others = tuple(each.given(names) for each in self.others)
        return replace(self, bound_before=self.bound_before | names, others=others, is_in_program=False)

    @classmethod
    def whole(cls, name: str, text: str) -> QueryText:
        """A file that is a query."""
        return cls(File(name, text), text)

    def place(self, span: Span) -> Place:
        """The place of a part of the query in the file. It ends after its last character."""
        if self.offsets is None:
            return self.file.place(*span)
        last = self.offsets[max(span.end - 1, span.start)]
        after = self.offsets[span.end] if span.end < len(self.offsets) else last + 1
        # Between two strings that are joined, the next character is far away.
        is_next = self.file.line(last) == self.file.line(after) and after - last <= len(r"\U00000000")
        return self.file.place(self.offsets[span.start], after if is_next else last + 1)

    def is_verbatim(self, span: Span) -> bool:
        """Whether a part of the query is in the file character by character, so that it can be edited there."""
        place = self.place(span)
        return self.file.text[place.start : place.end] == self.text[span.start : span.end]
