"""Limits on the size and depth of SPARQL texts, because parsers and engines can overflow their stacks.

A text that is only parsed may be longer than one that is evaluated: engines recurse for each link of a chain, such as
`1 + 1 + 1`, but parsers do not.
"""

from __future__ import annotations

import re

from kgprobe.errors import InputError, Position

__all__ = ["check_evaluable", "check_limits", "position"]

_LONGEST = 1_000_000  # characters
_DEEPEST = 100  # nested brackets
_MOST_LINKS = 10_000  # groups, steps and alternatives: a chain of them is as deep as it is long

_MOST_TOKENS = 5_000  # in an evaluated text; the values of VALUES and IN do not count

_OPENING = "{([<!"  # these make a parser recurse
_LINKS = "{/|!"
# Tokens in which brackets have no meaning come first. An IRI may be a comparison, so its brackets are checked below.
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


# The tokens of a text, for counting. Strings and comments come first, because their content has no meaning.
_TOKEN = re.compile(
    r"""
      (?P<comment> \#[^\n\r]* )
    | (?P<value>   \"\"\"(?>(?:[^"\\]|\\.|"(?!""))*)\"\"\" | '''(?>(?:[^'\\]|\\.|'(?!''))*)'''
                 | "(?>(?:[^"\\\n\r]|\\.)*)" | '(?>(?:[^'\\\n\r]|\\.)*)' | @[A-Za-z\-0-9]+ | \^\^ )
    | (?P<iri>     <(?>[^<>"{}|^`\\\s]*)> )
    | (?P<word>    [\w?$:](?>(?:[\w:.%\-]|\\.)*) )
    | (?P<sign>    \S )
    """,
    re.VERBOSE | re.DOTALL,
)
# `?a<1+1&&2>?b` also looks like an IRI. It can only be two comparisons if it has one of these between them.
_BETWEEN_COMPARISONS = ("&&", ",", ")")
_SIGNS = frozenset("+-*/&=!(),")
_FREE_IN_LISTS = frozenset("(),")


def check_evaluable(text: str, name: str) -> None:
    """Refuse a text that is too large to evaluate. Errors give `name` as its source."""
    check_limits(text, name)
    if len(text) > _MOST_TOKENS:
        _count_tokens(text, name)


def _count_tokens(text: str, name: str) -> None:
    count = 0
    last = ""  # the last word
    listed: list[str] = []  # for each open bracket, the word that makes its content a list: VALUES, IN or none
    for token in _TOKEN.finditer(text):
        kind, found = token.lastgroup, token[0]
        inside = listed[-1] if listed else ""
        if kind == "comment":
            continue
        if found in "{([":
            is_list = (last == "VALUES" and found == "{") or (last == "IN" and found == "(")
            listed.append(last if is_list else inside if inside == "VALUES" else "")
        elif found in "})]" and listed:
            listed.pop()
        if kind == "word" and found[0].isalpha():
            last = found.upper()
        elif found == "{" or (found == "(" and last == "IN"):
            last = ""  # a bracket that opens later is not its list
        if not inside or (inside == "IN" and kind == "sign" and found not in _FREE_IN_LISTS):
            count += 1
        if kind == "iri" and any(sign in found for sign in _BETWEEN_COMPARISONS):
            count += sum(character in _SIGNS for character in found)
        if count > _MOST_TOKENS:
            message = f"the query has more than {_MOST_TOKENS:,} words and signs, too many to evaluate"
            hint = "put lists of values into VALUES or IN, which do not count"
            raise InputError(message, where=position(text, token.start(), name), hint=hint)


def check_limits(text: str, name: str) -> None:
    """Refuse a text that is too large to parse. Errors give `name` as its source."""
    if len(text) > _LONGEST:
        raise InputError(
            f"the query has {len(text):,} characters; at most {_LONGEST:,} are allowed", where=Position(name)
        )
    # Counting is enough for nearly every query, and is fast.
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
                # `1<((2>(3<((4>…` nests, though half of it looks like IRIs. Closed brackets do not count.
                depth += max(0, part[0].count("(") - part[0].count(")"))
        negations = part[0].count("!") if part.lastgroup == "negations" else 0
        links += negations or part[0] in _LINKS
        if depth + negations > _DEEPEST:
            where = position(text, part.start(), name)
            raise InputError(f"brackets are nested more than {_DEEPEST} levels deep", where=where)
        if links > _MOST_LINKS:
            where = position(text, part.start(), name)
            raise InputError(f"the query has more than {_MOST_LINKS:,} groups and steps", where=where)


def position(text: str, offset: int, name: str) -> Position:
    """The line and column of a character, as editors count them."""
    return Position(name, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
