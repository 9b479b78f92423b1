"""The texts of queries in files: where each character of a query is in its file.

A query file is its own text. In a Python file, the queries are strings: an escape such as `\n` is one character of the
query, but two of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kgprobe.queries.diagnosis.diagnostics import Place
from kgprobe.sparql.algebra import Span

__all__ = ["File", "QueryText"]

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
