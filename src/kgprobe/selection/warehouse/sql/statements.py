"""Parses SQL in the dialect that is given, or in all that it may be."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sqlglot import Dialect, Dialects, ErrorLevel, exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from kgprobe.errors import InputError, did_you_mean
from kgprobe.selection.warehouse.sql.places import Masked, masked

__all__ = ["DIALECTS", "LONGEST", "Reading", "Statement", "checked_dialect", "definitions_in", "readings"]

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
        return next((f"{each.problem} (line {each.line})" for each in self.statements if each.problem), "")


def checked_dialect(name: str | None) -> str | None:
    """The name of a dialect as the parser knows it. InputError if it knows none."""
    if name is None:
        return None
    known = _ALIASES.get(name.lower(), name.lower())
    valid = sorted({each.value for each in Dialects if each.value} | set(_ALIASES))
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
    fitting = [each for each in tried if not each.problem]
    if not fitting:
        return [min(tried, key=lambda each: sum(1 for one in each.statements if one.problem))]
    return list({tuple(one.tree for one in each.statements): each for each in reversed(fitting)}.values())[::-1]


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
