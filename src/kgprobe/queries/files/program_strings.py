"""The queries in programs in Java, JavaScript, TypeScript and R: their strings, and strings that are joined.

A program is only read as strings, names and signs. What is joined with a string and is not a string, or a name that is
given one string in the whole file, is only known when the program runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kgprobe.queries.files.texts import HOLE, Located, hole_at, joined, looks_like_query, unescaped, verbatim
from kgprobe.sparql.algebra import Span


@dataclass(frozen=True)
class Language:
    """How a language writes comments, strings and names."""

    token: re.Pattern[str]


# The functions that join strings, and what they put between them: None if that is their first argument.
_JOINING: Mapping[str, str | None] = {
    **dict.fromkeys(("String.join", "StrUtils.strjoin", "strjoin"), None),
    **dict.fromkeys(("StrUtils.strjoinNL", "strjoinNL"), "\n"),
    **dict.fromkeys(("paste0", "str_c", "sprintf", "glue", "glue::glue", "stringr::str_c", "cat"), ""),
    "paste": " ",
}
_NAMES = r"(?P<name>[A-Za-z_$][\w$.]*) | (?P<number>\d[\w.]*) | (?P<sign>\+=|<-|==|=>|[^\s])"
C_LIKE = Language(
    re.compile(
        rf"""
          (?P<comment> //[^\n]* | /\*(?>(?:[^*]|\*(?!/))*)(?:\*/)? )
        | (?P<block>   \"\"\"(?>(?:[^"\\]|\\.|"(?!""))*)\"\"\" )
        | (?P<template>`(?>(?:[^`\\]|\\.)*)` )
        | (?P<string>  "(?>(?:[^"\\\n]|\\.)*)" | '(?>(?:[^'\\\n]|\\.)*)' )
        | {_NAMES}
        """,
        re.VERBOSE | re.DOTALL,
    )
)
R = Language(
    re.compile(
        rf"""
          (?P<comment> \#[^\n]* )
        | (?P<raw>     [rR](?P<quote>["'])(?P<dashes>-*)[(\[{{](?P<body>.*?)[)\]}}](?P=dashes)(?P=quote) )
        | (?P<string>  "(?>(?:[^"\\]|\\.)*)" | '(?>(?:[^'\\]|\\.)*)' )
        | {_NAMES}
        """,
        re.VERBOSE | re.DOTALL,
    )
)
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class _Token:
    kind: str
    start: int
    end: int
    text: str


def queries_in_program(text: str, language: Language) -> Iterator[Located]:
    """The strings that look like a query. Their holes are what is only known when the program runs."""
    tokens = [
        _Token("string" if kind in ("block", "template", "raw") else kind, *found.span(), found[0])
        for found in language.token.finditer(text)
        if (kind := str(found.lastgroup)) != "comment" and found[0]
    ]
    constants = _constants(text, tokens)
    for _, _, value in _values(text, tokens, constants):
        if looks_like_query(value.text):
            yield value


def _constants(text: str, tokens: Sequence[_Token]) -> Mapping[str, Located]:
    """The names that are given exactly one string, and no other value, in the whole file."""
    found: dict[str, Located | None] = {}
    for start, end, value in _values(text, tokens, {}):
        before = tokens[max(0, start - 2) : start]
        after = tokens[end].text if end < len(tokens) else ";"
        is_whole = after in (";", "}") or end >= len(tokens) or "\n" in text[tokens[end - 1].end : tokens[end].start]
        if len(before) == 2 and before[0].kind == "name" and before[1].text in ("=", "<-") and is_whole:
            name = before[0].text.rpartition(".")[2]
            found[name] = None if name in found or value.holes else value
    for place, token in enumerate(tokens[1:], start=1):
        if token.text in ("+=", "=", "<-") and tokens[place - 1].kind == "name":
            name = tokens[place - 1].text.rpartition(".")[2]
            following = tokens[place + 1].kind if place + 1 < len(tokens) else ""
            if name in found and (token.text == "+=" or following != "string"):
                found[name] = None
    return {name: value for name, value in found.items() if value is not None}


def _values(
    text: str, tokens: Sequence[_Token], constants: Mapping[str, Located]
) -> Iterator[tuple[int, int, Located]]:
    """The joined strings of a program, each with its first token and the one after its last."""
    place = 0
    while place < len(tokens):
        token = tokens[place]
        following = tokens[place + 1].text if place + 1 < len(tokens) else ""
        if token.text in _JOINING and following == "(":
            end, value = _arguments(text, tokens, place + 2, constants, _JOINING[token.text])
            yield place, end, value
            place = max(end, place + 2)
        elif token.text == "[" and tokens[min(place + 1, len(tokens) - 1)].kind == "string":
            yield from _list(text, tokens, place, constants)
            place += 1
        elif token.kind == "string" or (token.kind == "name" and following == "+"):
            end, value = _sum(text, tokens, place, constants)
            yield place, end, value
            place = max(end, place + 1)
        else:
            place += 1


def _sum(text: str, tokens: Sequence[_Token], place: int, constants: Mapping[str, Located]) -> tuple[int, Located]:
    """The operands of `+`, beginning with a token."""
    parts: list[Located] = []
    while place < len(tokens):
        end = _operand_end(tokens, place, "+")
        parts.append(_operand(text, tokens[place:end], constants))
        place = end
        if place >= len(tokens) or tokens[place].text != "+":
            break
        place += 1
    return place, joined(parts)


def _operand_end(tokens: Sequence[_Token], place: int, separator: str) -> int:
    depth = 0
    while place < len(tokens):
        sign = tokens[place].text
        if depth == 0 and (sign in (separator, ",", ";", ":", "?") or sign in _CLOSING):
            break
        # Without a semicolon, a new statement begins on the next line.
        depth += (sign in _OPENING) - (sign in _CLOSING)
        place += 1
        if depth == 0 and place < len(tokens) and tokens[place - 1].kind == "string" and tokens[place].kind == "name":
            break
    return place


def _operand(text: str, tokens: Sequence[_Token], constants: Mapping[str, Located]) -> Located:
    if not tokens:
        return Located("", (0,))
    first = tokens[0]
    if first.kind == "string":
        rest = [token.text for token in tokens[1:2]]
        if not rest or rest[0].startswith(".") or rest[0] == ")":
            return _string(text, first)
    if first.text in _JOINING and len(tokens) > 1 and tokens[1].text == "(" and tokens[-1].text == ")":
        return _arguments(text, tokens, 2, constants, _JOINING[first.text])[1]
    if len(tokens) == 1 and first.kind == "name":
        known = constants.get(first.text.rpartition(".")[2])
        return hole_at(first.start) if known is None else known
    return hole_at(first.start)


def _list(
    text: str, tokens: Sequence[_Token], place: int, constants: Mapping[str, Located]
) -> Iterator[tuple[int, int, Located]]:
    """`["…", "…"].join("…")` of JavaScript."""
    end, value = _arguments(text, tokens, place + 1, constants, "\n")
    after = [token.text for token in tokens[end : end + 3]]
    if after == [".", "join", "("]:
        yield place, end + 3, value


def _arguments(
    text: str, tokens: Sequence[_Token], place: int, constants: Mapping[str, Located], separator: str | None
) -> tuple[int, Located]:
    """The arguments of a function that joins them. Without a separator, the first of them is one."""
    parts: list[Located] = []
    while place < len(tokens):
        end = _operand_end(tokens, place, ",")
        is_named = end - place > 1 and tokens[place + 1].text == "="
        if separator is None:
            given = _operand(text, tokens[place:end], constants)
            separator = "\n" if given.holes else given.text
        elif not is_named:
            if parts and separator:
                parts.append(Located(separator, [tokens[place].start] * (len(separator) + 1)))
            parts.append(_sum(text, tokens[:end], place, constants)[1])
        place = end + 1
        if end >= len(tokens) or tokens[end].text != ",":
            break
    return place, joined(parts) if parts else Located("", (0,))


def _string(text: str, token: _Token) -> Located:
    """The value of a string; what a template literal fills in is a hole."""
    if token.text.startswith('"""'):
        return unescaped(text, token.start + 3, token.end - 3)
    if token.text[0] in "rR":
        opening = re.match(r"[rR][\"']-*[(\[{]", token.text)
        length = opening.end() if opening else 0
        return verbatim(text, token.start + length, token.end - length + 1)
    if token.text[0] == "`":
        return joined(_pieces(text, token.start + 1, token.end - 1))
    return unescaped(text, token.start + 1, token.end - 1)


def _pieces(text: str, start: int, end: int) -> Iterator[Located]:
    """The parts of a template literal."""
    place = start
    while place < end:
        opening = text.find("${", place, end)
        if opening < 0:
            break
        yield unescaped(text, place, opening)
        depth, after = 1, opening + 2
        while after < end and depth:
            depth += (text[after] == "{") - (text[after] == "}")
            after += 1
        yield Located(HOLE, (opening, opening), (Span(0, 1),))
        place = after
    yield unescaped(text, place, end)


# -- variables that have a value ---------------------------------------------------------------------------------------

# A program is not followed. A name counts if it is handed to a function that is called like one that binds a variable,
# as `setBinding("x", …)`, or is a key of a mapping that is called `bindings`.
_QUOTED = r"[\"'`][\\\[?$]*(\w+)\]?[\"'`]"
_NAME = rf"(?:{_QUOTED}|([A-Za-z_]\w*))"
_SETTER = re.compile(
    rf"\b\w*(?:set|bind|param|subst|repl|inject|alloc|variable)\w*\s*\(\s*{_NAME}\s*[,)]"
    rf"|\b(?:add|put|g?sub|str_replace(?:_all)?)\s*\((?:\s*\w+\s*,)?\s*{_NAME}\s*,",
    re.IGNORECASE,
)
_CONSTANT = re.compile(rf"\b([A-Za-z_]\w*)\s*(?:=|<-)\s*{_QUOTED}")
_MAPPING = re.compile(r"(?:bindings|substitutions|parameters|params)\b[^;{}()]{0,40}(?:[^;{}()]{0,40}\()?\s*[{(]", re.I)
_KEY = re.compile(r"[\"']?[?$]?\b([A-Za-z_]\w*)[\"']?\s*[:=](?![:=])")
_LONGEST = 2000


def given_by_program(text: str) -> frozenset[str]:
    """The names that a program gives a value where it seems to bind the variables of a query."""
    names: set[str] = set()
    constants: set[str] = set()
    for one, first, other, second in _SETTER.findall(text):
        names |= {one, other}
        constants |= {first, second}
    names |= {value for name, value in _CONSTANT.findall(text) if name in constants}
    for mapping in _MAPPING.finditer(text):
        end = min((place for sign in "})" if (place := text.find(sign, mapping.end())) >= 0), default=len(text))
        names |= set(_KEY.findall(text, mapping.end(), min(end, mapping.end() + _LONGEST)))
    return frozenset(names - {""})
