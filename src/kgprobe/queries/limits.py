"""How large and how deep a query may be. The parser behind this overflows its stack where nothing stops it before."""

from __future__ import annotations

import re

from kgprobe.errors import InputError, Position

__all__ = ["check_limits", "position"]

_LONGEST = 1_000_000  # characters
_DEEPEST = 100  # brackets in brackets
_MOST_LINKS = 10_000  # groups, steps and alternatives: a chain of them is as deep as it is long

_OPENING = "{([<!"  # what makes a parser go deeper
_LINKS = "{/|!"
# What has brackets that mean nothing comes first. An IRI may be a comparison: its brackets are looked at, see below.
_PART = re.compile(
    r"""
      (?P<nothing>   \#[^\n\r]* | \\. | \"\"\"(?>(?:[^"\\]|\\.|"(?!""))*)\"\"\" | '''(?>(?:[^'\\]|\\.|'(?!''))*)'''
                   | "(?>(?:[^"\\\n\r]|\\.)*)" | '(?>(?:[^'\\\n\r]|\\.)*)' )
    | (?P<iri>       <(?>[^<>"{}|^`\\\s]*)> )
    | (?P<negations> !(?>[!\s]*) )
    | (?P<open>      [{(\[] | << )
    | (?P<close>     [})\]] | >> )
    | (?P<link>      [/|] )
    """,
    re.VERBOSE | re.DOTALL,
)


def check_limits(text: str, name: str) -> None:
    """Refuse a text that no parser should be given; `name` is where errors say that it comes from."""
    if len(text) > _LONGEST:
        raise InputError(f"a query may have {_LONGEST:,} characters, and this has {len(text):,}", where=Position(name))
    # Counting is enough for nearly every query, and takes no time.
    if sum(map(text.count, _OPENING)) > _DEEPEST or len(text) > _MOST_LINKS:
        _look_inside(text, name)


def _look_inside(text: str, name: str) -> None:
    depth = links = 0
    for part in _PART.finditer(text):
        match part.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth -= 1
            case "iri":
                # `1<((2>(3<((4>…` nests, though half of it looks like IRIs. What is closed again counts nothing.
                depth += max(0, part[0].count("(") - part[0].count(")"))
        negations = part[0].count("!") if part.lastgroup == "negations" else 0
        links += negations or part[0] in _LINKS
        if depth + negations > _DEEPEST:
            where = position(text, part.start(), name)
            raise InputError(f"brackets may be nested {_DEEPEST} deep, and here they go deeper", where=where)
        if links > _MOST_LINKS:
            where = position(text, part.start(), name)
            raise InputError(f"a query may have {_MOST_LINKS:,} groups and steps, and here they are more", where=where)


def position(text: str, offset: int, name: str) -> Position:
    """The place of a character, as editors count."""
    return Position(name, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
