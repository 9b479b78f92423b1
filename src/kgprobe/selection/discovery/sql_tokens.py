"""Splits SQL of any dialect into tokens. Where dialects disagree, it raises an error instead of guessing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

__all__ = ["Kind", "SqlToken", "UnclearSqlError", "constants", "has_unclear_quotes", "tokens"]


class Kind(Enum):
    """The kinds of tokens."""

    STRING = "string"
    QUOTED = "quoted"  # "…", `…` and […]: the name of something; a few dialects read "…" as a string
    WORD = "word"
    PLACE = "place"  # a placeholder for a value that is filled in when the statement runs
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class SqlToken:
    """A token. For strings and quoted names, `text` is their value, and `start` and `end` are inside the quotes.

    `is_plain` means that they have no escapes, so that the value is the written text.
    """

    kind: Kind
    text: str
    start: int
    end: int
    is_plain: bool = True


class UnclearSqlError(ValueError):
    """A piece of text that dialects read differently, or that does not end. It starts at `place`."""

    def __init__(self, reason: str, place: int) -> None:
        super().__init__(reason)
        self.place = place


# Atomic groups, because Python before 3.11.4 mishandles a possessive repetition that has a lookahead.
_SYNTAX = r"""
    (?P<space>\s++|--[^\n]*+)
  | (?P<comment>/\*(?>(?:[^*]|\*(?!/))*)\*/)
  | (?P<dollar>\$(?P<tag>[A-Za-z_]\w*+|)\$)
  | (?P<escaped>[eE]'(?P<escaped_text>(?>(?:[^'\\]|\\.|'')*))')
  | (?P<string>(?:[nN]|[uU]&|[bBxX])?'(?P<text>(?>(?:CHARACTER|'')*))')
  | (?P<quoted>"(?P<double>(?>(?:[^"]|"")*))"|`(?P<back>[^`]*+)`|\[(?P<bracket>[A-Za-z][^\]\n'"]*+)\])
  | (?P<place>\{\{|\{%|<%|\$\{|\{\w*\}|%\(\w+\)[sd]|%[sd](?!\w)|\$\d+|\?(?![|&])|@{1,2}[A-Za-z_]\w*+|&[A-Za-z_]\w*+
            |(?<![:\w]):(?:[A-Za-z_]\w*+|'\w+'|"\w+"))
  | (?P<word>[^\W\d]\w*+)
  | (?P<number>\d[\w.]*+)
  | (?P<sign>\|\||::|:=|<=|>=|<>|!=|!~\*?|~\*?|.)
"""
_STANDARD = re.compile(_SYNTAX.replace("CHARACTER", "[^']"), re.VERBOSE | re.DOTALL)
_WITH_BACKSLASHES = re.compile(_SYNTAX.replace("CHARACTER", r"[^'\\]|\\."), re.VERBOSE | re.DOTALL)
_NEAR = 200
_OPENING = frozenset("'\"`/#")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{1,3})|(.))|''", re.DOTALL)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# A backslash before a quote escapes it in MySQL, and ends the string elsewhere.
_UNCLEAR_QUOTE = re.compile(r"(?<!\bESCAPE ')\\'", re.IGNORECASE)
# Characters that may change where strings start and end. Most texts have none of them.
_UNUSUAL = re.compile(r"[^\w\s,.;=<>()*\-'\"!]|'\s+'")
_PLAIN = re.compile(r"""--[^\n]*+|'((?>(?:[^']|'')*))'|"((?>(?:[^"]|"")*))"|(['"])""")


def constants(text: str) -> list[SqlToken] | None:
    """The strings and quoted names of a simple text; None if other tokens may matter.

    Most tests need nothing else, and this is ten times faster than `tokens`.
    """
    if _UNUSUAL.search(text):
        return None
    found = []
    for each in _PLAIN.finditer(text):
        group = each.lastindex
        if group is not None:
            if group == 3 or _is_word(text, each.start() - 1):
                return None
            said = each[group]
            quote = "'" if group == 1 else '"'
            plain = said.replace(quote * 2, quote)
            kind = Kind.STRING if group == 1 else Kind.QUOTED
            found.append(SqlToken(kind, plain, *each.span(group), is_plain=plain == said))
    return found


def _is_word(text: str, place: int) -> bool:
    """Whether a character belongs to a word, which may be a prefix of the string after it."""
    return place >= 0 and (text[place].isalnum() or text[place] == "_")


def has_unclear_quotes(text: str) -> bool:
    """Whether dialects disagree on where the strings of a text end."""
    return _UNCLEAR_QUOTE.search(text) is not None


def tokens(text: str, *, with_backslashes: bool = False) -> Iterator[SqlToken]:
    """The tokens of a text. UnclearSqlError if dialects disagree on them.

    `with_backslashes` means that a backslash escapes the next character in strings of any kind.
    """
    syntax = _WITH_BACKSLASHES if with_backslashes else _STANDARD
    makers = _MAKERS | {"string": _escaped_string} if with_backslashes else _MAKERS
    place = 0
    while found := syntax.match(text, place):
        kind = found.lastgroup or ""
        place = found.end()
        if kind == "space":
            continue
        if kind == "comment":
            if "/*" in found[0][2:]:
                raise UnclearSqlError("a comment stands in a comment", found.start())
            continue
        if kind == "dollar":
            token = _dollar_quoted(text, found)
            place = token.end + len(found[0])
        elif kind == "sign" and found[0] in _OPENING:
            rest = _rest_of_comment(text, found)
            if rest is not None:
                place = rest
                continue
            token = _sign(found)
        else:
            token = makers[kind](found)
        yield token


def _rest_of_comment(text: str, found: re.Match[str]) -> int | None:
    """The end of a MySQL comment that starts here; None if there is none. Anything else that starts here has no end."""
    start, sign = found.start(), found[0]
    if sign in "'\"`" or text.startswith("/*", start):
        what = "a comment" if sign == "/" else "a string" if sign == "'" else "a quoted name"
        raise UnclearSqlError(f"{what} does not end", start)
    if sign == "#":
        # Read only the nearby characters, so that a long line of such signs is not slow.
        before = text[max(0, start - _NEAR) : start].rpartition("\n")
        if (before[1] or start <= _NEAR) and not before[2].strip():
            end = text.find("\n", start)
            return len(text) if end < 0 else end
        rest = text[start : start + _NEAR].partition("\n")[0]
        if "'" in rest and rest[1:2] not in (">", "-"):
            raise UnclearSqlError("this may be a comment", start)
    return None


def _dollar_quoted(text: str, found: re.Match[str]) -> SqlToken:
    end = text.find(found["dollar"], found.end())
    if end < 0:
        raise UnclearSqlError("a string does not end", found.start())
    return SqlToken(Kind.STRING, text[found.end() : end], found.end(), end)


def _string(found: re.Match[str]) -> SqlToken:
    written = found["text"]
    if "\\" in written and found[0][0] in "uU":
        raise UnclearSqlError("a string has escapes", found.start())
    start, end = found.span("text")
    said = written.replace("''", "'")
    return SqlToken(Kind.STRING, said, start, end, is_plain=said == written and "\\" not in written)


def _escaped_string(found: re.Match[str]) -> SqlToken:
    return _unescaped(found, "text")


def _escaped(found: re.Match[str]) -> SqlToken:
    return _unescaped(found, "escaped_text")


def _unescaped(found: re.Match[str], group: str) -> SqlToken:
    said = _ESCAPE.sub(_character, found[group])
    return SqlToken(Kind.STRING, said, *found.span(group), is_plain=said == found[group])


def _character(found: re.Match[str]) -> str:
    if found[0] == "''":
        return "'"
    number = found[1] or found[2] or found[3]
    code = int(number, 16) if number else int(found[4], 8) if found[4] else None
    if code is not None:
        return chr(code) if code < 0x110000 else "\ufffd"
    return _LETTERS.get(found[5], found[5])


def _quoted(found: re.Match[str]) -> SqlToken:
    group = next(name for name in ("double", "back", "bracket") if found[name] is not None)
    said = found[group].replace('""', '"')
    return SqlToken(Kind.QUOTED, said, *found.span(group), is_plain=said == found[group])


def _place(found: re.Match[str]) -> SqlToken:
    return SqlToken(Kind.PLACE, found[0], found.start(), found.end())


def _word(found: re.Match[str]) -> SqlToken:
    return SqlToken(Kind.WORD, found[0], found.start(), found.end())


def _sign(found: re.Match[str]) -> SqlToken:
    return SqlToken(Kind.SIGN, found[0], found.start(), found.end())


_MAKERS: dict[str, Callable[[re.Match[str]], SqlToken]] = {
    "string": _string,
    "escaped": _escaped,
    "quoted": _quoted,
    "place": _place,
    "word": _word,
    "number": _sign,
    "sign": _sign,
}
