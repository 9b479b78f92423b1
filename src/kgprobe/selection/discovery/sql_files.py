"""SQL tests: the terms that string constants and LIKE patterns name. Strings that are built at run time are unknown."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.graph.terms import NamedNode
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.search import Search, stated_regime
from kgprobe.selection.discovery.sql_tokens import (
    Kind,
    SqlToken,
    UnclearSqlError,
    constants,
    has_unclear_quotes,
    tokens,
)
from kgprobe.selection.discovery.vocabulary import Vocabulary
from kgprobe.selection.tests import Mention, TermUse, Test

__all__ = ["SUFFIXES", "SqlReading", "looks_like_sql", "read_sql", "sql_test"]

_BLIND = "cannot see what this test uses"
_LIKE = frozenset(["LIKE", "ILIKE"])
_LIKE_ONE_OF = frozenset(["ANY", "ALL", "SOME", "ARRAY", "(", "["])
_REGULAR = frozenset(["REGEXP", "RLIKE", "REGEXP_LIKE", "REGEXP_MATCHES", "SIMILAR", "GLOB", "AGAINST", "FREETEXT"])
_REGULAR_SIGNS = frozenset(["~", "~*", "!~", "!~*"])
# With these functions, a string may be a part of a name.
_PARTS = frozenset(
    [
        *("SUBSTR", "SUBSTRING", "LEFT", "RIGHT", "MID", "SPLIT_PART", "INSTR", "POSITION", "STRPOS", "CHARINDEX"),
        *("LOCATE", "CONTAINS", "STARTS_WITH", "STARTSWITH", "ENDS_WITH", "ENDSWITH", "TRIM", "LTRIM", "RTRIM"),
    ]
)
_MAKERS = frozenset(["REPLACE", "TRANSLATE", "REGEXP_REPLACE", "FORMAT", "REVERSE", "CONCAT_WS", "OVERLAY", "STUFF"])
_DYNAMIC = frozenset(["EXECUTE", "EXEC", "PREPARE", "SP_EXECUTESQL"])
_INCLUDES = frozenset(["I", "IR", "INCLUDE", "INCLUDE_RELATIVE"])
_SPECIAL = _LIKE | _REGULAR | _PARTS | _MAKERS | _DYNAMIC | {"CONCAT"}
_WORD = re.compile(r"[A-Z]\w++")
_PLACE_IN_STRING = re.compile(r"\{\{|\{%|\$\{\w*\}|\{\w*\}|%\(\w+\)[sd]|%[sd](?!\w)")
_CODE = re.compile(r"\b(?:SELECT|BEGIN|PERFORM)\b.*'", re.IGNORECASE | re.DOTALL)
_MOST_REASONS = 5
_LONGEST = 1 << 20
_LOOKS_LIKE_SQL = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*(?:(?:SELECT|WITH)\b.*\bFROM\b|INSERT\s+INTO\b|DELETE\s+FROM\b|UPDATE\b.*\bSET\b)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class SqlReading:
    """The terms that a text names, why they may be incomplete, and the places of names with exactly one term."""

    uses: tuple[TermUse, ...]
    unseen: tuple[str, ...]
    places: tuple[tuple[NamedNode, int, int, str], ...] = ()
    is_about_nothing: bool = False  # it names no term, and every part of it was understood

    def mentions(self, file: Path, offset: int = 0) -> tuple[Mention, ...]:
        """The places in a file; `offset` is the position of the text in the file."""
        return tuple(Mention(term, file, start + offset, end + offset, said) for term, start, end, said in self.places)


def looks_like_sql(text: str) -> bool:
    """Whether a text starts like an SQL statement. SPARQL may do so, too: check for SPARQL first."""
    return _LOOKS_LIKE_SQL.match(text) is not None


def read_sql(text: str, vocabulary: Vocabulary) -> SqlReading:
    """The uses of an SQL text with any number of statements."""
    if len(text) > _LONGEST:
        return SqlReading((), (f"{_BLIND}: it is longer than {_LONGEST} characters",))
    return _Reader(text, vocabulary).read()


class _Reader:
    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self._text = text
        self._vocabulary = vocabulary
        self._uses: dict[NamedNode, TermUse] = {}
        self._unseen: dict[str, None] = {}
        self._places: list[tuple[NamedNode, int, int, str]] = []
        self._names_terms = False
        self._in_parts = False
        self._line_ends = [found.start() for found in re.finditer("\n", text)]

    def read(self) -> SqlReading:
        is_simple = _SPECIAL.isdisjoint(_WORD.findall(self._text.upper()))
        simple = constants(self._text) if is_simple else None
        if simple is not None:
            for token in simple:
                if token.kind is Kind.STRING:
                    self._constant(token)
                else:
                    self._quoted(token)
        else:
            for found in self._readings():
                self._read(found)
        is_about_nothing = not self._names_terms and not self._unseen
        if is_about_nothing:
            self._unseen[f"{_BLIND}: it names no term of the ontology"] = None
        return SqlReading(tuple(self._uses.values()), tuple(self._unseen), tuple(self._places), is_about_nothing)

    def _readings(self) -> list[list[SqlToken]]:
        """The tokens, once for each dialect that splits the text differently."""
        found, problems = [], []
        for with_backslashes in (False, True) if has_unclear_quotes(self._text) else (False,):
            try:
                found.append(list(tokens(self._text, with_backslashes=with_backslashes)))
            except UnclearSqlError as problem:
                problems.append(problem)
        if not found:
            self._not_seen(str(problems[0]), problems[0].place)
        return found

    def _read(self, found: Sequence[SqlToken]) -> None:
        self._in_parts = any(_is_call(found, number, _PARTS) for number in range(len(found)))
        number = 0
        while number < len(found):
            number = self._step(found, number)

    def _step(self, found: Sequence[SqlToken], number: int) -> int:
        """Read a token, and possibly some that follow it; the number of the next token."""
        token = found[number]
        if token.kind is Kind.STRING:
            return self._string(found, number)
        word = token.text.upper()
        if token.kind is Kind.PLACE:
            self._not_seen("a value is filled in when it runs", token.start)
        elif token.kind is Kind.QUOTED:
            self._quoted(token)
        elif word in _LIKE and token.kind is Kind.WORD:
            return self._patterns(found, number + 1)
        elif (word in _REGULAR or word in _REGULAR_SIGNS) and _has_string(found, number):
            self._not_seen("a regular expression chooses the terms", token.start)
        elif word in _DYNAMIC or (token.text == "\\" and _word(found, number + 1) in _INCLUDES):
            self._not_seen("it runs code from elsewhere", token.start)
        elif _is_call(found, number, _MAKERS):
            self._not_seen("a value is built when it runs", token.start)
        elif word == "CONCAT" and _word(found, number + 1) == "(":
            return self._concatenated(found, number + 2)
        return number + 1

    def _string(self, found: Sequence[SqlToken], number: int) -> int:
        """Read a string constant, or several that are concatenated."""
        first = found[number]
        if _word(found, number - 1) in ("||", "+"):
            self._not_seen("a value is built when it runs", first.start)
        parts = [first.text]
        number += 1
        while number < len(found):
            joins = found[number].text in ("||", "+")
            following = found[number + 1] if joins and number + 1 < len(found) else found[number]
            if following.kind is Kind.STRING:
                parts.append(following.text)
                number += 2 if joins else 1
                continue
            if joins:
                self._not_seen("a value is built when it runs", first.start)
            break
        if len(parts) == 1:
            self._constant(first)
        else:
            self._constant(SqlToken(Kind.STRING, "".join(parts), first.start, first.end, is_plain=False))
        return number

    def _concatenated(self, found: Sequence[SqlToken], number: int) -> int:
        parts = []
        start = number
        while number < len(found) and (found[number].kind is Kind.STRING or found[number].text == ","):
            parts += [found[number].text] if found[number].kind is Kind.STRING else []
            number += 1
        if _word(found, number) != ")":
            self._not_seen("a value is built when it runs", found[start - 2].start)
            return start
        if parts:
            place = found[start]
            self._constant(SqlToken(Kind.STRING, "".join(parts), place.start, place.end, is_plain=False))
        return number + 1

    def _constant(self, token: SqlToken) -> None:
        if _PLACE_IN_STRING.search(token.text):
            self._not_seen("a value is filled in when it runs", token.start)
            return
        if _CODE.search(token.text):
            self._not_seen("it runs code in a string", token.start)
            return
        terms = self._vocabulary.resolve(token.text)
        if terms:
            self._names_terms = True
            self._use(terms, token)
            if len(terms) == 1 and token.is_plain:
                self._places.append((terms[0], token.start, token.end, token.text))
        if self._in_parts and token.text:
            escaped = re.sub(r"([%_!])", r"!\1", token.text)
            self._pattern(f"%{escaped}%", "!", token, is_certain=False)

    def _quoted(self, token: SqlToken) -> None:
        # In some dialects this is a string, and may name a term. In the others, an extra use does no harm.
        self._use(self._vocabulary.resolve(token.text), token)

    def _patterns(self, found: Sequence[SqlToken], number: int) -> int:
        """Read the pattern or the list of patterns after LIKE."""
        start = number
        while _word(found, number) in _LIKE_ONE_OF:
            number += 1
        if number >= len(found) or found[number].kind is not Kind.STRING:
            self._not_seen("a pattern is filled in when it runs", found[start - 1].start)
            return start
        while number < len(found) and found[number].kind is Kind.STRING:
            token = found[number]
            escape: str | None = None
            if _word(found, number + 1) == "ESCAPE" and number + 2 < len(found):
                escape = found[number + 2].text[:1]
            if _word(found, number + 1) in ("||", "+") or _PLACE_IN_STRING.search(token.text):
                self._not_seen("a pattern is built when it runs", token.start)
                return number + 1
            escapes = {escape, "\\"} if escape is None and "\\" in token.text else {escape}
            for each in sorted(escapes, key=str):
                self._pattern(token.text, each, token)
            number += 3 if escape is not None else 1
            if number - start > 1 and _word(found, number) == ",":
                number += 1
            else:
                break
        return number

    def _pattern(self, pattern: str, escape: str | None, token: SqlToken, *, is_certain: bool = True) -> None:
        terms = self._vocabulary.matching(pattern, escape)
        if terms is None:
            self._not_seen(f"'{pattern}' matches too many terms", token.start)
        elif terms:
            self._names_terms |= is_certain
            self._use(terms, token)

    def _use(self, terms: Sequence[NamedNode], token: SqlToken) -> None:
        for term in terms:
            if term not in self._uses:
                self._uses[term] = TermUse(term, token.text, self._line(token.start))

    def _not_seen(self, reason: str, place: int) -> None:
        if len(self._unseen) < _MOST_REASONS:
            self._unseen[f"{_BLIND}: {reason} (line {self._line(place)})"] = None

    def _line(self, place: int) -> int:
        return bisect_left(self._line_ends, place) + 1


def _word(found: Sequence[SqlToken], number: int) -> str:
    """A token in upper case; empty if there is none, or if it is a string."""
    if not 0 <= number < len(found) or found[number].kind in (Kind.STRING, Kind.QUOTED):
        return ""
    return found[number].text.upper()


def _is_call(found: Sequence[SqlToken], number: int, functions: frozenset[str]) -> bool:
    return _word(found, number) in functions and _word(found, number + 1) == "("


def _has_string(found: Sequence[SqlToken], number: int) -> bool:
    """Whether a string or a placeholder follows soon."""
    return any(token.kind in (Kind.STRING, Kind.PLACE) for token in _following(found, number))


def _following(found: Sequence[SqlToken], number: int) -> Iterator[SqlToken]:
    yield from found[number + 1 : number + 6]


# -- SQL files: one test each ------------------------------------------------------------------------------------------

SUFFIXES = (".sql",)


def sql_test(found: TestFile, search: Search) -> Test | None:
    """The test of an SQL file; None if it names no term, and the user excludes such files."""
    file = found.file
    expected = search.neighbours.expected(found)
    try:
        text = exact_text(found.path)
    except InputError as error:
        reason = f"cannot see what this test uses: it {error.message}"
        return Test(found.name, "sql", unseen=(reason,), file=file, expected=expected)
    reading = read_sql(text, search.vocabulary)
    if reading.is_about_nothing and not search.options.sql_without_terms:
        return None
    return Test(
        found.name,
        "sql",
        uses=reading.uses,
        unseen=reading.unseen,
        file=file,
        line=1,
        mentions=reading.mentions(file),
        regime=stated_regime(text, found.name, search.note),
        expected=expected,
    )
