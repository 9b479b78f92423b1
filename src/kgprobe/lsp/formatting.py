"""Formatting: the same tokens and comments, with other white space, and keywords in upper case.

Each statement and each brace has a line of its own. Line breaks of the author within a statement stay, so nobody loses
the shape of a long expression. White space is never added within a token, and only line breaks after comments matter to
SPARQL; so the query stays the same. Formatting twice is the same as formatting once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kgprobe.lsp.keywords import FORMS, IN_A_GROUP, KEYWORDS
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.tokens import Token, comments, tokens

_LINE_END = re.compile(r"\r\n|\n|\r")
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
