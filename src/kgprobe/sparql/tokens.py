"""The tokens of a SPARQL text, whether or not it is valid. This is enough to look for words, and fast."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

__all__ = ["UNREPEATABLE", "UNSTEADY", "UPDATES", "Token", "comments", "prologue_end", "tokens", "words"]

NAME_CHARACTERS = r"\w\u00b7\u0300-\u036f\u203f\u2040"
"""The characters of names and variables, for a regular expression: those of words, and marks that follow a letter."""

UNREPEATABLE = ("RAND", "UUID", "STRUUID", "NOW", "BNODE")
"""The functions that may give another answer each time."""

UNSTEADY = frozenset(UNREPEATABLE) - {"NOW"}
"""The functions of which each call in a query may give another value."""

# The characters of a prefixed name: those allowed anywhere, and those allowed anywhere but at the end.
_INNER = rf"(?:[{NAME_CHARACTERS}:\-]|%[0-9A-Fa-f]{{2}}|\\.)"
_LOCAL = rf"{_INNER}(?:(?:{_INNER}|\.)*{_INNER})?"
_END = rf"(?:[{NAME_CHARACTERS}\-.]*[{NAME_CHARACTERS}\-])?"
_PREFIX = rf"(?:[^\W\d_]{_END})?"
_TOKEN = re.compile(
    rf"""
      (?P<gap>      \s+ | \#[^\n\r]* )
    | (?P<iri>      <(?:[^<>"{{}}|^`\\\s]|\\[uU])*> )
    | (?P<string>   \"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\" | '''(?:[^'\\]|\\.|'(?!''))*'''
                  | "(?:[^"\\\n\r]|\\.)*" | '(?:[^'\\\n\r]|\\.)*' )
    | (?P<tag>      @[A-Za-z]+(?:-[A-Za-z0-9]+)* )
    | (?P<variable> [?$][{NAME_CHARACTERS}]+ )
    | (?P<blank>    _:\w{_END} )
    | (?P<prefixed> {_PREFIX}:(?:{_LOCAL})? )
    | (?P<number>   [+-]?(?:\d+\.?\d*[eE][+-]?\d+|\.\d+[eE][+-]?\d+|\d*\.\d+|\d+) )
    | (?P<word>     [A-Za-z]\w* )
    | (?P<sign>     \^\^ | && | \|\| | != | <= | >= | . )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a SPARQL text: its kind, and where it begins and ends."""

    kind: str
    text: str
    start: int
    end: int


def words(text: str) -> set[str]:
    """The keywords and function names in a text, in upper case, except in strings, IRIs, names and comments."""
    return {token.text.upper() for token in tokens(text) if token.kind == "word"}


@functools.lru_cache(maxsize=16)  # several readers need the tokens of the same text
def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a SPARQL text, without white space and comments."""
    found = ((str(m.lastgroup), m[0], m.start(), m.end()) for m in _TOKEN.finditer(text))
    return tuple([Token(*parts) for parts in found if parts[0] != "gap"])


def comments(text: str) -> list[tuple[int, int]]:
    """The starts and ends of the comments in a SPARQL text."""
    return [found.span() for found in _TOKEN.finditer(text) if found.lastgroup == "gap" and found[0][0] == "#"]


# -- PREFIX and BASE, and the first word after them -------------------------------------------------------------------

# Regular expressions, to match without regard to case: white space and comments, and any number of declarations.
GAP = r"(?>(?:\s+|\#[^\n\r]*)*)"
DECLARATIONS = rf"(?>(?:\s+|\#[^\n\r]*|PREFIX{GAP}[^\s:<>]*:{GAP}<[^<>]*>|BASE{GAP}<[^<>]*>)*)"
_PROLOGUE = re.compile(DECLARATIONS, re.IGNORECASE)
_WORD = re.compile(r"\w*")
# The words that begin an update.
UPDATES = ("INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "DROP", "ADD", "MOVE", "COPY", "CREATE")


def prologue_end(text: str) -> int:
    """The offset of the first word after the declarations."""
    found = _PROLOGUE.match(text)
    return found.end() if found else 0


def first_word(text: str) -> str:
    """The first word after the declarations, if any."""
    found = _WORD.match(text, prologue_end(text))
    return found[0] if found else ""


def is_update(text: str) -> bool:
    """Whether the first word of a text, after its declarations, begins an update. An empty text is one, too."""
    word = first_word(text)
    return word.upper() in UPDATES or (not word and prologue_end(text) == len(text))
