"""Parses the text of OBO clauses: escapes, quoted strings, lists of references, qualifiers and comments.

Each function reads a text from a given offset. The text is always the rest of a line, so an error only needs to record
how many characters were left.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn, TypeAlias

Qualifiers: TypeAlias = list[tuple[str, str]]

_ESCAPES: Final = {"n": "\n", "t": "\t", "W": " ", "r": "\r", "f": "\f"}
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_SPACE: Final = re.compile(r"\s*+")
# Possessive quantifiers reject an unterminated string in one pass.
_QUOTED: Final = re.compile(r'"([^"\\]*+(?>(?:\\.[^"\\]*+)*))"', re.DOTALL)
_WORD: Final = re.compile(r"(?>(?:[^\s\\!{]|\\.)+)")
_REFERENCE: Final = re.compile(r'(?>(?:[^\\,"\]]|\\.)*)')
_DESCRIBED: Final = re.compile(r'(?>(?:[^\\"{!]|\\.)*)')
_QUALIFIER_NAME: Final = re.compile(r'(?>(?:[^\s\\=,"{}]|\\.)+)')
_MARK: Final = re.compile(r"\\.|[!{]", re.DOTALL)
_LONGEST_FOUND: Final = 40


class Malformed(Exception):  # noqa: N818  # an error of a line, which becomes an InputError where the line is known
    """An error in a line, with the number of characters left in the line where it occurs."""

    def __init__(self, message: str, text: str, start: int = 0, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remaining = len(text[start:].lstrip()) or len(text) - start
        self.hint = hint


def unescape(text: str) -> str:
    """The text with its escapes replaced; a backslash before any other character is dropped."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), text)


def skip_space(text: str, start: int) -> int:
    """The offset of the next character that is not white space."""
    space = _SPACE.match(text, start)
    return space.end() if space else start


def quoted(text: str, start: int) -> tuple[str, int]:
    """The content of the quoted string at `start`, and its end."""
    start = skip_space(text, start)
    string = _QUOTED.match(text, start)
    if string is None:
        if text.startswith('"', start):
            raise Malformed("the quoted string is never closed", text, start)
        _unexpected("a quoted string", text, start)
    return unescape(string[1]), string.end()


def split_quoted(value: str) -> tuple[str, str]:
    """The content of the quoted string that a value begins with, and the rest of the value."""
    if "\\" not in value:  # the common case, without a regular expression
        parts = value.split('"', 2)
        if len(parts) == 3 and not parts[0]:
            return parts[1], parts[2]
    content, end = quoted(value, 0)
    return content, value[end:]


def word(text: str, start: int) -> tuple[str | None, int]:
    """The identifier at `start`, if any, and its end."""
    start = skip_space(text, start)
    token = _WORD.match(text, start)
    return (unescape(token[0]), token.end()) if token else (None, start)


def expect_word(text: str, start: int) -> tuple[str, int]:
    """The identifier at `start`, which is required, and its end."""
    token, end = word(text, start)
    if token is None:
        _unexpected("an identifier", text, end)
    return token, end


def references(text: str, start: int) -> tuple[list[str], int]:
    """The references of the list in square brackets at `start`, if any, and its end.

    The descriptions of references are dropped, because the translation to OWL does not include them.
    """
    identifiers: list[str] = []
    opening = text.find("[", start)
    if opening < 0 or text[start:opening].strip():
        return identifiers, start
    start = opening
    end = text.find("]", start)
    content = text[start + 1 : end]
    if end > 0 and '"' not in content and "\\" not in content:  # the common case
        if "," not in content:
            content = content.strip()
            return [content] if content else [], end + 1
        return [reference.strip() for reference in content.split(",") if reference.strip()], end + 1
    mark = ","
    while mark == ",":
        reference = _REFERENCE.match(text, start + 1)
        end = reference.end() if reference else start + 1
        identifier = unescape(text[start + 1 : end].strip())
        if identifier:
            identifiers.append(identifier)
        if text.startswith('"', end):
            _, end = quoted(text, end)
        start = skip_space(text, end)
        mark = text[start : start + 1]
    if mark != "]":
        _unexpected("',' or ']'", text, start)
    return identifiers, start + 1


def described_reference(text: str) -> tuple[str, str | None, int]:
    """The reference that a text begins with (it may contain spaces), its description if any, and the end of both."""
    parts = _DESCRIBED.match(text)
    identifier = unescape(parts[0].strip()) if parts else ""
    if parts is None or not identifier:
        _unexpected("a reference", text, skip_space(text, 0))
    if not text.startswith('"', parts.end()):
        return identifier, None, parts.end()
    return identifier, *quoted(text, parts.end())


def end_of_clause(text: str, start: int) -> Qualifiers:
    """The qualifiers in braces at `start`, if any; only a comment may follow."""
    qualifiers: Qualifiers = []
    if not text[start:].strip():
        return qualifiers
    start = skip_space(text, start)
    if text.startswith("{", start):
        qualifiers, start = _qualifiers(text, start)
        start = skip_space(text, start)
    if start < len(text) and text[start] != "!":
        _unexpected("the end of the clause", text, start)
    return qualifiers


def unquoted(text: str) -> tuple[str, Qualifiers]:
    """The unquoted text on the rest of a line, and its qualifiers."""
    for mark in _MARK.finditer(text):
        if mark[0] == "!":
            return unescape(text[: mark.start()].strip()), []
        # A brace within a sentence is plain text; "{source=…}" at the end is qualifiers.
        if mark[0] == "{" and _ends_in_qualifiers(text, mark.start()):
            return unescape(text[: mark.start()].strip()), end_of_clause(text, mark.start())
    return unescape(text.strip()), []


def _ends_in_qualifiers(text: str, start: int) -> bool:
    try:
        end_of_clause(text, start)
    except Malformed:
        rest = text[start:].rstrip()
        return rest.endswith("}") and "=" in rest
    return True


def _qualifiers(text: str, start: int) -> tuple[Qualifiers, int]:
    qualifiers: Qualifiers = []
    start = skip_space(text, start + 1)
    if text.startswith("}", start):
        return qualifiers, start + 1
    mark = ","
    while mark == ",":
        name = _QUALIFIER_NAME.match(text, start)
        equals = skip_space(text, name.end()) if name else start
        if name is None or not text.startswith("=", equals):
            raise Malformed(
                'expected a qualifier such as source="…"',
                text,
                start,
                "write '\\{' for a '{' that does not start qualifiers",
            )
        content, end = quoted(text, equals + 1)
        qualifiers.append((unescape(name[0]), content))
        end = skip_space(text, end)
        mark = text[end : end + 1]
        start = skip_space(text, end + 1)
    if mark != "}":
        _unexpected("',' or '}'", text, end)
    return qualifiers, end + 1


def _unexpected(expected: str, text: str, start: int) -> NoReturn:
    shown = text[start : start + _LONGEST_FOUND].strip()
    raise Malformed(f"expected {expected}, found {repr(shown) if shown else 'the end of the line'}", text, start)
