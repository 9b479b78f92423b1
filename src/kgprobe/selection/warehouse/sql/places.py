"""Places in a text that are filled in when it runs: parameters, variables of psql, and templates.

Each place becomes a string with a mark, so that a parser takes it for a value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["MARK", "Masked", "masked", "possible_texts"]

MARK = "\ue000"
_END = "\ue001"
_TEMPLATE = r"\{\{(?:(?!\}\}).)*\}\}|\$\{\w*\}|\{\w*(?:![rsa])?\}"
_BOUND = r"%\(\w+\)s|%s(?!\w)|\$\d+|\?(?![|&])|@{1,2}[A-Za-z_]\w*|(?<![:\w\]]):(?:[A-Za-z_]\w*|'\w+'|\"\w+\"|\d+)"
_SYNTAX = r"""
    (?P<comment>--[^\n]*|/\*(?>(?:[^*]|\*(?!/))*)\*/|\{\#(?>(?:[^\#]|\#(?!\}))*)\#\})
  | (?P<control>\{%|<%)
  | (?P<meta>^[ \t]*\\[^\n]*)
  | (?P<dollar>\$(?P<tag>[A-Za-z_]\w*|)\$(?s:.*?)\$(?P=tag)\$)
  | (?P<escaped>\b[eE]'(?>(?:[^'\\]|\\.|'')*)')
  | (?P<string>'(?>(?:CHARACTER|'')*)')
  | (?P<quoted>"(?>(?:[^"]|"")*)"|`[^`]*`)
  | (?P<place>TEMPLATE|BOUND)
""".replace("TEMPLATE", f"(?P<template>{_TEMPLATE})").replace("BOUND", _BOUND)
_FLAGS = re.VERBOSE | re.MULTILINE | re.DOTALL
_STANDARD = re.compile(_SYNTAX.replace("CHARACTER", "[^']"), _FLAGS)
_WITH_BACKSLASHES = re.compile(_SYNTAX.replace("CHARACTER", r"[^'\\]|\\."), _FLAGS)
_IN_STRING = re.compile(rf"{_TEMPLATE}|%\(\w+\)s|%s(?!\w)", re.DOTALL)
_MARKED = re.compile(f"{MARK}(\\d+){_END}")
# A template stands for a value only where a value must stand: what follows an operator, a bracket or such a word.
_BEFORE_VALUE = re.compile(
    r"(?:[=<>(,\[|+*/~-]|\b(?:LIKE|ILIKE|IN|LIMIT|OFFSET|THEN|ELSE|BETWEEN|REGEXP|RLIKE|GLOB|TO|VALUES))\s*\Z",
    re.IGNORECASE,
)
_BEFORE_RELATION = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s*\Z", re.IGNORECASE)
_HARMLESS = frozenset(
    "a c connect conninfo copyright echo encoding errverbose f h html l o out p password prompt pset q qecho r "
    "restrict s set setenv t timing unrestrict unset warn x z".split()
)
_CONDITIONS = frozenset(["if", "elif", "else", "endif"])
_SET = re.compile(r"\\set\s+(\w+)\s+(?:'((?:[^'\\]|'')*)'|([^\s'\\]+))\s*\Z")
_DATA = re.compile(r"^COPY\b[^;]*\bFROM\s+stdin\b[^;]*;\n(?:.*\n)*?\\\.$", re.IGNORECASE | re.MULTILINE)


@dataclass
class Masked:
    """A text in which each place is a string with the number of the place. Lines are as before."""

    text: str
    names: list[str] = field(default_factory=list)
    problems: list[tuple[str, int]] = field(default_factory=list)  # what no value can be, and the line
    has_templates: bool = False  # a place may also be the name of a column
    variables: dict[str, tuple[str, ...]] = field(default_factory=dict)  # what psql sets


def masked(text: str, *, with_backslashes: bool) -> Masked:
    """The text with marked places. `with_backslashes` means that they escape characters in all strings."""
    if "\\." in text:
        text = _DATA.sub(lambda found: "\n" * found[0].count("\n"), text)
    result = Masked("")
    parts: list[str] = []
    last = 0
    count = 0

    def mark(name: str) -> str:
        result.names.append(name)
        return f"{MARK}{len(result.names) - 1}{_END}"

    def problem(reason: str, place: int) -> None:
        result.problems.append((reason, text.count("\n", 0, place) + 1))

    for found in (_WITH_BACKSLASHES if with_backslashes else _STANDARD).finditer(text):
        parts.append(text[last : found.start()])
        last = found.end()
        said = found[0]
        kind = found.lastgroup
        if kind == "comment":
            if said.startswith("/*") and "/*" in said[2:]:
                problem("a comment stands in a comment", found.start())
            parts.append("\n" * said.count("\n") or " ")
        elif kind == "control":
            problem("a template chooses what it runs", found.start())
            parts.append(" ")
        elif kind == "meta":
            _psql(said.strip(), result, lambda reason, at=found.start(): problem(reason, at))
        elif kind in ("string", "escaped"):
            parts.append(_IN_STRING.sub(lambda place: mark(place[0]), said))
            result.has_templates |= MARK in parts[-1]
        elif kind == "place":
            if found["template"] or said.startswith(':"'):
                count += 1
                before = text[max(0, found.start() - 80) : found.start()]
                if _BEFORE_RELATION.search(before) or not _BEFORE_VALUE.search(before):
                    what = "a relation" if _BEFORE_RELATION.search(before) else "more than a value"
                    problem(f"a template stands for {what}", found.start())
                result.has_templates = True
            name = said.lstrip(":@$%(?").strip("'\"").removesuffix(")s")
            if said in ("?", "%s"):
                name = str(sum(1 for each in result.names if each.isdigit()) + 1)
            parts.append(f" '{mark(name)}' ")
        else:
            parts.append(said)
    parts.append(text[last:])
    result.text = "".join(parts)
    return result


def _psql(line: str, result: Masked, problem: object) -> None:
    word = re.match(r"\\(\w*)", line)
    command = word[1].lower() if word else ""
    if found := _SET.match(line):
        said = found[2].replace("''", "'") if found[2] is not None else found[3]
        result.variables[found[1]] = (*result.variables.get(found[1], ()), said)
    elif command not in _HARMLESS and command not in _CONDITIONS:
        reason = "it copies a file" if command == "copy" else "it runs code from elsewhere"
        assert callable(problem)  # noqa: S101
        problem(reason)


def possible_texts(
    text: str, names: Sequence[str], parameters: Mapping[str, Sequence[str] | None]
) -> frozenset[str] | None:
    """The texts that a constant can be when its places are filled in; None if that is unknown."""
    if MARK not in text:
        return frozenset([text])
    found = {text}
    for place in _MARKED.finditer(text):
        number = int(place[1])
        values = parameters.get(names[number]) if number < len(names) else None
        if values is None or len(values) * len(found) > 1000:
            return None
        found = {each.replace(place[0], value) for each in found for value in values}
    return None if any(MARK in each for each in found) else frozenset(found)
