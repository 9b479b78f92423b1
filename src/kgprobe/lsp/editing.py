"""What an editor does with a text alone: format it, rename names, find them again, and outline it.

Positions in a text are as editors count them: lines from 0, and characters in units of UTF-16.

Formatting keeps the tokens and comments, with other white space, and keywords in upper case. Each statement and each
brace has a line of its own. Line breaks of the author within a statement stay, so nobody loses the shape of a long
expression. White space is never added within a token, and only line breaks after comments matter to SPARQL; so the
query stays the same. Formatting twice is the same as formatting once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lsprotocol import types

from kgprobe.errors import InputError
from kgprobe.lsp.hover import name_at
from kgprobe.lsp.scopes import (
    FORMS,
    IN_A_GROUP,
    KEYWORDS,
    Name,
    Operation,
    Renaming,
    name_under,
    operations_in,
    prefixes_in,
)
from kgprobe.sparql.algebra import Span
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.tokens import Token, comments, tokens

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


# -- formatting --------------------------------------------------------------------------------------------------------

_DECLARATIONS = ("PREFIX", "BASE")
# These begin a line; others end the statement before, so that their line is not indented.
_BEGIN = {
    False: frozenset((*FORMS, "FROM", "USING", "GROUP", "HAVING", "ORDER", "VALUES")),
    True: frozenset((*IN_A_GROUP, "GROUP", "HAVING", "ORDER")) - {"UNION"},
}
_END_BEFORE = frozenset(("WHERE", "LIMIT", "OFFSET", "UNION"))
_AFTER_GROUP = frozenset((".", ";", ")", ",", "]", "UNION"))
_OPEN, _CLOSE = {"{": "}", "(": ")", "[": "]"}, frozenset("})]")


def formatted(text: str, indent: str = "  ") -> str:
    """The text of a query or of updates, formatted. InputError if it is not SPARQL."""
    read_document(text)
    lines = list(_Printer(text, indent).lines())
    end = "\r\n" if "\r\n" in text else "\n"
    return "".join(line + end for line in lines)


@dataclass
class _Frame:
    """An open bracket, or the whole text: how deep its lines are, and what its last statement is."""

    bracket: str
    level: int
    is_continued: bool = False  # the last statement has not ended
    is_constraint: bool = False  # it is a FILTER or a BIND, which ends with its bracket
    has_ended: bool = False  # it has ended, so the next one needs a line
    is_declaration: bool = False

    @property
    def has_statements(self) -> bool:
        return self.bracket in ("", "{")

    def begin(self, word: str) -> None:
        self.is_continued = self.has_ended = False
        self.is_constraint = word in ("FILTER", "BIND")
        self.is_declaration = word in _DECLARATIONS

    def end(self) -> None:
        self.is_continued = self.is_constraint = False


class _Printer:
    """Writes the tokens and comments of a text line by line."""

    def __init__(self, text: str, indent: str) -> None:
        self._text = text
        self._indent = indent
        found = [Token("comment", text[start:end].rstrip(), start, end) for start, end in comments(text)]
        self._items = sorted([*tokens(text), *found], key=lambda token: token.start)
        self._frames = [_Frame("", 0)]
        self._line = ""
        self._level = 0
        self._is_trailing = False  # the last item is a comment behind something else

    def lines(self) -> Iterator[str]:
        """The lines, without their ends."""
        before: Token | None = None
        for item in self._items:
            word = _word(item)
            breaks, space = self._between(before, item, word)
            if self._begins(word):
                self._frame.begin(word)
            if word in _END_BEFORE:
                self._frame.is_continued = False
            if breaks:
                yield self._line
                if breaks > 1:
                    yield ""
                self._level = self._level_of(item)
                self._line = self._indent * self._level
            elif space:
                self._line += " "
            self._line += word if item.kind == "word" and word in KEYWORDS else item.text
            self._is_trailing = item.kind == "comment" and not breaks
            if item.kind != "comment":
                self._count(item)
            before = item
        if self._line:
            yield self._line

    @property
    def _frame(self) -> _Frame:
        return self._frames[-1]

    def _begins(self, word: str) -> bool:
        """Whether a keyword begins a statement here."""
        frame = self._frame
        return frame.has_statements and word in _BEGIN[frame.bracket == "{"]

    def _level_of(self, item: Token) -> int:
        frame = self._frame
        if item.text in _CLOSE and len(self._frames) > 1:
            return max(frame.level - 1, 0)
        return frame.level + (frame.has_statements and frame.is_continued)

    def _between(self, before: Token | None, item: Token, word: str) -> tuple[int, bool]:
        """How many line ends are before an item; if none, whether there is a space."""
        if before is None:
            return 0, False
        gap = self._text[before.end : item.start]
        given = len(_LINE_END.findall(gap))
        at_most = 2 if self._is_between_statements(before, item, word) else 1
        is_first = self._frame.is_declaration and word in FORMS and word not in _DECLARATIONS
        if before.kind == "comment":
            return 2 if is_first and self._is_trailing else max(min(given, at_most), 1), False
        if item.kind == "comment":
            return min(given, at_most), True
        if self._is_break(before, item, word):
            return 2 if is_first else max(min(given, at_most), 1), False
        if given and item.text not in (".", ";", ",", "{"):
            return 1, False
        return 0, _has_space(before, item, has_gap=bool(gap))

    def _is_between_statements(self, before: Token, item: Token, word: str) -> bool:
        if before.text == "{" or item.text == "}":
            return False
        return not self._frame.is_continued or self._begins(word)

    def _is_break(self, before: Token, item: Token, word: str) -> bool:
        """Whether two tokens are on different lines, whatever the author did."""
        frame = self._frame
        if before.text == "{" or item.text == "}":
            return before.text != "{" or item.text != "}"
        if not frame.has_statements:
            return False
        if item.text == "." or word == "UNION":
            return False
        if before.text == "}":
            return item.text not in _AFTER_GROUP
        return before.text in (".", ";") or frame.has_ended or self._begins(word)

    def _count(self, item: Token) -> None:
        """Keep account of brackets and statements."""
        frame = self._frame
        if item.text in _OPEN:
            frame.is_continued, frame.has_ended = True, False
            self._frames.append(_Frame(item.text, self._level + 1))
        elif item.text in _CLOSE and len(self._frames) > 1:
            self._frames.pop()
            outer = self._frame
            if item.text == "}" and outer.has_statements:
                outer.end()
            elif outer.is_constraint:
                outer.end()
                outer.has_ended = True
        elif item.kind == "iri" and frame.is_declaration:
            frame.end()
        elif item.text == "." or (item.text == ";" and frame.bracket == ""):
            frame.end()
            frame.has_ended = False
        else:
            frame.is_continued, frame.has_ended = True, False


def _word(item: Token) -> str:
    return item.text.upper() if item.kind == "word" else item.text


def _has_space(before: Token, item: Token, *, has_gap: bool) -> bool:
    """Whether two tokens on one line have a space between them. Where nothing else is known, it is as it was."""
    if item.text in ("{", "}", ".", ";") or before.text in (",", "}", ";"):
        return True
    if before.text == "[" or item.text == "]":
        return before.text != "[" or item.text != "]"
    if before.text == "(" or item.text in (")", ","):
        return False
    return has_gap


# -- what the protocol asks for ----------------------------------------------------------------------------------------

_WIDEST = 8


def formatting(text: str, options: types.FormattingOptions) -> list[types.TextEdit]:
    """The edit that formats a text; none if it is formatted. InputError if it is not SPARQL."""
    width = min(max(options.tab_size, 1), _WIDEST)
    found = formatted(text, " " * width if options.insert_spaces else "\t")
    return [] if found == text else [types.TextEdit(range_of(Lines(text), Span(0, len(text))), found)]


def _under(text: str, position: types.Position) -> Name | None:
    return name_under(text, Lines(text).offset(position.line, position.character))


def renamable(text: str, position: types.Position) -> types.PrepareRenamePlaceholder | None:
    """The name at a position that can be renamed: a variable or a prefix."""
    name = _under(text, position)
    return None if name is None else types.PrepareRenamePlaceholder(range_of(Lines(text), name.here), name.text)


def renaming(text: str, position: types.Position, wanted: str) -> list[types.TextEdit]:
    """The edits that rename a variable or a prefix. InputError if that would change what the query means."""
    name = _under(text, position)
    if name is None:
        raise InputError("there is no variable and no prefix here", hint="names of an ontology cannot be renamed here")
    change = Renaming.of(name, wanted)
    lines = Lines(text)
    return [types.TextEdit(range_of(lines, place), change.text) for place in change.places]


def occurrences(text: str, position: types.Position) -> list[types.Range]:
    """All places of the variable, the prefix or the name at a position."""
    lines = Lines(text)
    offset = lines.offset(position.line, position.character)
    name = name_under(text, offset)
    if name is not None and (name.kind == "variable" or _is_declaration(text, name)):
        mark = 1 if name.kind == "variable" else 0
        return [range_of(lines, Span(place.start - mark, place.end)) for place in name.places]
    document = read_document(text, tolerant=True)
    named = name_at(document, offset)
    if named is None:
        return []
    return [range_of(lines, Span(term.start, term.end)) for term in document.terms if term.term == named[0]]


def _is_declaration(text: str, name: Name) -> bool:
    return any(place.start == name.here.start for _, _, _, place in prefixes_in(text))


def symbols(text: str) -> list[types.DocumentSymbol]:
    """The outline of a text: its prefixes, and its operations with their subqueries."""
    lines = Lines(text)
    found = [
        types.DocumentSymbol(
            prefix, types.SymbolKind.Namespace, range_of(lines, whole), range_of(lines, name), detail=iri
        )
        for prefix, iri, whole, name in prefixes_in(text)
    ]
    return found + _operations(operations_in(text), lines)


def _operations(operations: Iterable[Operation], lines: Lines) -> list[types.DocumentSymbol]:
    return [
        types.DocumentSymbol(
            operation.title,
            types.SymbolKind.Function,
            range_of(lines, operation.whole),
            range_of(lines, operation.head),
            children=_operations(operation.inner, lines),
        )
        for operation in operations
    ]
