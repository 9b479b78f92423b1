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
_BOUND = (
    r"%\(\w+\)s|%s(?!\w)|\$\d+|\?(?![|&])|@{1,2}(?>[A-Za-z_]\w*)(?!\s*\()"
    r"|(?<![:\w\]]):(?:[A-Za-z_]\w*|'\w+'|\"\w+\"|\d+)"
)
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
# No value follows any other word, a string or a closing bracket.
_BEFORE_VALUE_WORDS = """
    all and any between by call case cast date distinct else escape except first from glob having if ilike in intersect
    interval is join like limit match next not of offset on or over partition range regexp return returning rlike rows
    select set similar some then time timestamp to top union using values when where with
"""
# A template stands for a value only where a value must stand: what follows an operator, a bracket or such a word.
_BEFORE_VALUE = re.compile(
    r"(?:[=<>(,\[|+*/~-]|\b(?:LIKE|ILIKE|IN|LIMIT|OFFSET|THEN|ELSE|BETWEEN|REGEXP|RLIKE|GLOB|TO|VALUES))\s*\Z",
    re.IGNORECASE,
)
_BEFORE_RELATION = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s*\Z", re.IGNORECASE)
_HARMLESS_WORDS = """
    a c connect conninfo copyright echo encoding errverbose f h html l o out p password prompt pset q qecho r
    restrict s set setenv t timing unrestrict unset warn x z
"""
_HARMLESS = frozenset(_HARMLESS_WORDS.split())
_CONDITIONS = frozenset(["if", "elif", "else", "endif"])
_SET = re.compile(r"\\set\s+(\w+)\s+(?:'((?:[^'\\]|'')*)'|([^\s'\"`:\\]+))\s*\Z")
_SETS = re.compile(r"\\(?:set|unset|prompt(?:\s+'(?:[^']|'')*')?)\s+(\w+)")
# The text of a variable that can stand in SQL without any further reading.
_PLAIN = re.compile(r"(?>(?:[\w\s.,()=<>+*]|'[^'\\%{]*')*)\Z")
_AFTER_VALUE = re.compile(
    r"(?:['\")\]]|\b(?!(?:WORDS)\b)\w+)\s*\Z".replace("WORDS", "|".join(_BEFORE_VALUE_WORDS.split())), re.IGNORECASE
)
_DATA = re.compile(r"^COPY\b[^;]*\bFROM\s+stdin\b[^;]*;\n(?:.*\n)*?\\\.$", re.IGNORECASE | re.MULTILINE)


@dataclass
class Masked:
    """A text in which each place is a string with the number of the place. Lines are as before."""

    text: str
    names: list[str] = field(default_factory=list)
    problems: list[tuple[str, int]] = field(default_factory=list)  # what no value can be, and the line
    has_templates: bool = False  # a place may also be the name of a column
    variables: dict[str, tuple[str, ...]] = field(default_factory=dict)  # what psql sets
    unclear: set[str] = field(default_factory=set)  # variables of psql with other values, too

    def replaced(self, found: re.Match[str]) -> str:
        """What stands for a part of the original text."""
        said = found[0]
        match found.lastgroup:
            case "comment":
                if said.startswith("/*") and "/*" in said[2:]:
                    self._problem("a comment stands in a comment", found)
                return "\n" * said.count("\n") or " "
            case "control":
                self._problem("a template chooses what it runs", found)
                return " "
            case "meta":
                self._psql(found)
                return ""
            case "string" | "escaped":
                hidden = _IN_STRING.sub(lambda place: self._mark(place[0]), said)
                self.has_templates |= MARK in hidden
                return hidden
            case "place":
                return self._place(found)
        return said

    def _mark(self, name: str) -> str:
        self.names.append(name)
        return f"{MARK}{len(self.names) - 1}{_END}"

    def _problem(self, reason: str, found: re.Match[str]) -> None:
        self.problems.append((reason, found.string.count("\n", 0, found.start()) + 1))

    def _place(self, found: re.Match[str]) -> str:
        said = found[0]
        if found["template"] or said.startswith(':"'):
            before = found.string[max(0, found.start() - 80) : found.start()]
            if _BEFORE_RELATION.search(before):
                self._problem("a template stands for a relation", found)
            elif not _BEFORE_VALUE.search(before):
                self._problem("a template stands for more than a value", found)
            self.has_templates = True
        elif said.startswith(":") and said[1:].isidentifier():
            if said[1:] in self.variables or said[1:] in self.unclear:
                return self._pasted(said[1:], found)
            if _AFTER_VALUE.search(found.string, max(0, found.start() - 80), found.start()):
                self._problem("a variable stands for more than a value", found)
        name = said.lstrip(":@$%(?").strip("'\"").removesuffix(")s")
        if said in ("?", "%s"):
            name = str(sum(1 for each in self.names if each.isdigit()) + 1)
        return f" '{self._mark(name)}' "

    def _pasted(self, name: str, found: re.Match[str]) -> str:
        """The text of a variable of psql, which may be any part of a statement."""
        values = self.variables.get(name, ())
        if name in self.unclear or len(values) != 1 or not _PLAIN.match(values[0]):
            self._problem(f"the variable '{name}' of psql may stand for anything", found)
            return " "
        return f" {values[0]} "

    def _psql(self, found: re.Match[str]) -> None:
        line = found[0].strip()
        word = re.match(r"\\(\w*)", line)
        command = word[1].lower() if word else ""
        if said := _SET.match(line):
            value = said[2].replace("''", "'") if said[2] is not None else said[3]
            self.variables[said[1]] = (*self.variables.get(said[1], ()), value)
            return
        if changed := _SETS.match(line):
            self.unclear.add(changed[1])
        if command not in _HARMLESS and command not in _CONDITIONS:
            self._problem("it copies a file" if command == "copy" else "it runs code from elsewhere", found)


def masked(text: str, *, with_backslashes: bool) -> Masked:
    """The text with marked places. `with_backslashes` means that they escape characters in all strings."""
    if "\\." in text:
        text = _DATA.sub(lambda found: "\n" * found[0].count("\n"), text)
    result = Masked("")
    parts: list[str] = []
    last = 0
    for found in (_WITH_BACKSLASHES if with_backslashes else _STANDARD).finditer(text):
        parts += (text[last : found.start()], result.replaced(found))
        last = found.end()
    result.text = "".join((*parts, text[last:]))
    for name in result.unclear:
        result.variables.pop(name, None)
    return result


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
