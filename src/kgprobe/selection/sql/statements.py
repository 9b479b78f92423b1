"""SQL texts as statements: places that are filled in when a text runs become marks, and the rest is parsed.

Such places are parameters, variables of psql, and templates. Each becomes a string with a mark, so that a parser takes
it for a value. A text is parsed in the dialect that is given, or in all that it may be.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlglot import Dialect, Dialects, ErrorLevel, exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from kgprobe.errors import InputError, did_you_mean

__all__ = ["checked_dialect"]

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
            name = str(sum(1 for name in self.names if name.isdigit()) + 1)
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
        found = {candidate.replace(place[0], value) for candidate in found for value in values}
    return None if any(MARK in candidate for candidate in found) else frozenset(found)


# -- statements --------------------------------------------------------------------------------------------------------


DIALECTS = ("postgres", "duckdb", "sqlite", "mysql", "snowflake", "oracle")
LONGEST = 1 << 18
_LONGEST_DEFINITIONS = 1 << 22
_DEEPEST = 60
_MOST_TOKENS = 60_000
_ALIASES = {"postgresql": "postgres", "pg": "postgres", "sqlite3": "sqlite", "mariadb": "mysql", "mssql": "tsql"}
_BACKSLASHES = frozenset(["mysql", "snowflake", "bigquery", "clickhouse", "hive", "spark", "databricks", "doris"])
# Words and signs that all dialects read in the same way, outside of strings.
_NEUTRAL = re.compile(r"(?>(?:[^\W\d]\w*|[\d.]+|[\s,.;=<>()*!+/%-]|'[^'\\]*'(?!\s*'))*)\Z")
_OPENING = frozenset([TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE])
_CLOSING = frozenset([TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END])


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement and its first line. `problem` says why it could not be parsed."""

    tree: exp.Expr | None
    line: int
    text: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as one dialect understands it."""

    dialect: str
    statements: tuple[Statement, ...]
    masked: Masked

    @property
    def problem(self) -> str:
        """Why a statement could not be parsed; empty if all could."""
        return next((f"{node.problem} (line {node.line})" for node in self.statements if node.problem), "")


def checked_dialect(name: str | None) -> str | None:
    """The name of a dialect as the parser knows it. InputError if it knows none."""
    if name is None:
        return None
    known = _ALIASES.get(name.lower(), name.lower())
    valid = sorted({dialect.value for dialect in Dialects if dialect.value} | set(_ALIASES))
    if known not in valid:
        hint = did_you_mean(name.lower(), valid, f"it is one of {', '.join(DIALECTS)}")
        raise InputError(f"there is no SQL dialect '{name}'", hint=hint)
    return known


def readings(text: str, dialect: str | None) -> list[Reading]:
    """The text in the dialect, or in each in which it can be parsed. If there is none: the best attempt."""
    if dialect is not None:
        return [_reading(text, dialect)]
    tried: list[Reading] = []
    for name in DIALECTS:
        reading = _reading(text, name)
        tried.append(reading)
        if not reading.problem and _NEUTRAL.match(reading.masked.text):
            return [reading]
    fitting = [reading for reading in tried if not reading.problem]
    if not fitting:
        return [min(tried, key=lambda each: sum(1 for one in each.statements if one.problem))]
    return list({tuple(one.tree for one in reading.statements): reading for reading in reversed(fitting)}.values())[
        ::-1
    ]


def definitions_in(text: str, dialect: str | None) -> Reading:
    """A text with definitions in the dialect, or in the first in which it can be parsed. It may be long."""
    tried: list[Reading] = []
    for name in DIALECTS if dialect is None else (dialect,):
        tried.append(_reading(text, name, _LONGEST_DEFINITIONS))
        if not tried[-1].problem:
            return tried[-1]
    return min(tried, key=lambda each: sum(1 for one in each.statements if one.problem))


def _reading(text: str, dialect: str, longest: int = LONGEST) -> Reading:
    hidden = masked(text, with_backslashes=dialect in _BACKSLASHES)
    return Reading(dialect, tuple(_parsed(hidden.text, dialect, longest)), hidden)


def _parsed(text: str, name: str, longest: int) -> Iterator[Statement]:
    if len(text) > longest:
        yield Statement(None, 1, "", f"it is longer than {longest} characters")
        return
    dialect = Dialect.get_or_raise(name)
    with _quiet():
        try:
            tokens = dialect.tokenize(text)
        except (SqlglotError, RecursionError) as error:
            yield Statement(None, 1, "", _reason(error))
            return
        for chunk in _chunks(tokens):
            line = _line(text, chunk[0])
            said = text[chunk[0].start : chunk[-1].end + 1]
            if len(chunk) > _MOST_TOKENS:
                yield Statement(None, line, "", f"it has more than {_MOST_TOKENS} words and signs")
                continue
            if _depth(chunk) > _DEEPEST:
                yield Statement(None, line, said, f"it is nested more than {_DEEPEST} levels deep")
                continue
            try:
                parser = dialect.parser(error_level=ErrorLevel.IMMEDIATE)
                trees = parser.parse(chunk, text)
            except (SqlglotError, ValueError, IndexError, KeyError, AttributeError, TypeError) as error:
                yield Statement(None, line, said, _reason(error))
            except RecursionError:
                yield Statement(None, line, said, "it is nested too deeply")
            else:
                yield from (Statement(tree, line, said) for tree in trees if tree is not None)


def _line(text: str, token: Token) -> int:
    return text.count("\n", 0, token.start) + 1


def _chunks(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each statement. Those in `BEGIN ATOMIC … END` belong to one."""
    chunk: list[Token] = []
    blocks = 0
    for token in tokens:
        word = token.text.upper()
        if word == "ATOMIC" and chunk and chunk[-1].text.upper() == "BEGIN":
            blocks = 1
        elif blocks and token.token_type in (TokenType.CASE, TokenType.END):
            blocks += 1 if token.token_type is TokenType.CASE else -1
        if token.token_type is TokenType.SEMICOLON and not blocks:
            if chunk:
                yield chunk
            chunk = []
        else:
            chunk.append(token)
    if chunk:
        yield chunk


def _depth(tokens: Sequence[Token]) -> int:
    depth = deepest = run = 0
    for token in tokens:
        if token.token_type in _OPENING:
            depth += 1
        elif token.token_type in _CLOSING:
            depth -= 1
        run = run + 1 if token.token_type in (TokenType.NOT, TokenType.DASH, TokenType.TILDE) else 0
        deepest = max(deepest, depth, run)
    return deepest


def _reason(error: BaseException) -> str:
    said = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).partition("\n")[0].strip().rstrip(".")
    said = re.sub(r"\.? Line \d+, Col: \d+$", "", said)
    return f"it cannot be parsed: {said[:120]}" if said else "it cannot be parsed"


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the warnings of the parser about statements that it does not know."""
    logger = logging.getLogger("sqlglot")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before
