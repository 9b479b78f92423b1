"""Reads triples in three tab-separated columns, as knowledge-graph benchmarks ship them.

A column is an IRI (with or without angle brackets), a literal, a blank node, or otherwise a name, which is
percent-encoded and appended to a base. The encoding is injective: different names become different IRIs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Final, NoReturn

from kgprobe.errors import InputError, Position
from kgprobe.formats.format import STRING, TAG, TAG_CAPITALS, WRITTEN_IN_TEXT, Beginning, Format, LanguageTags
from kgprobe.formats.source import Source
from kgprobe.rdf.spelling import STANDARD_PREFIXES
from kgprobe.rdf.table import TableBuilder
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term

_HEADERS: Final = frozenset(
    [
        ("subject", "predicate", "object"),
        ("subject", "relation", "object"),
        ("head", "relation", "tail"),
        ("source", "relation", "target"),
    ]
)
# "Alien:_Resurrection" is a name (of a film), so a prefix and a colon do not make an IRI.
_ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|urn:")
# Encodes every character that cannot be in a path segment of an IRI, and the percent sign.
_ENCODED: Final = r"[^A-Za-z0-9\-._~!$&'()*+,;=:@\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef]"  # slow to compile
_LITERAL: Final = re.compile(
    r'"((?>(?:[^"\\]|\\.)*))"(?:@([A-Za-z]++(?>(?:-[A-Za-z0-9]++)*))|\^\^(?:<([^<>]*+)>|(\w++):([\w\-]++)))?', re.DOTALL
)
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_PLACES: Final = ("subject", "predicate", "object")


def read(lines: Iterable[str], name: str, builder: TableBuilder, base: str) -> dict[str, str]:
    """Add the triples of a tab-separated file; return the prefixes to write them with.

    Raises InputError, with line and column, where the file is malformed.
    """
    return _Reader(name, builder, base).read(lines)


def encode(name: str) -> str:
    """A name as the last part of an IRI."""
    return re.sub(_ENCODED, _percent_encoded, name)


class _Reader:
    def __init__(self, name: str, builder: TableBuilder, base: str) -> None:
        try:
            NamedNode(base)
        except ValueError as problem:
            raise InputError(f"the base '{base}' is not an IRI: {problem}") from None
        self._name = name
        self._builder = builder
        self._base = base
        # Each text is parsed once. An IRI can be in any position of a triple; other terms need a check.
        self._iris: dict[str, int] = {}
        self._others: dict[str, Literal | BlankNode] = {}
        self._line = 0

    def read(self, lines: Iterable[str]) -> dict[str, str]:
        iris = self._iris
        cells: list[int] = []
        is_first = True
        for self._line, line in enumerate(lines, 1):
            columns = line.rstrip("\r\n").split("\t")
            if len(columns) != 3:
                columns = self._three(columns, line)
                if not columns:
                    continue
            s, p, o = columns
            if is_first:
                is_first = False
                s = s.removeprefix("\ufeff")
                if (s.lower(), p.lower(), o.lower()) in _HEADERS:
                    continue
            try:
                cells += (iris[s], iris[p], iris[o])
            except KeyError:
                cells += self._numbers((s, p, o))
        self._builder.extend_numbers(cells)
        return {"": self._base, **STANDARD_PREFIXES}

    def _three(self, columns: list[str], line: str) -> list[str]:
        """The three columns of a line that is empty or has a fourth column; an empty list for an empty line."""
        if not line.strip():
            return []
        if len(columns) == 4 and columns[3].strip() in ("", "."):
            return columns[:3]
        hint = "columns are separated by tabs" if len(columns) == 1 else None
        raise InputError(
            f"expected three columns, found {len(columns)}", where=Position(self._name, self._line, 1), hint=hint
        )

    def _numbers(self, columns: tuple[str, str, str]) -> list[int]:
        numbers: list[int] = []
        column = 1
        for place, text in zip(_PLACES, columns, strict=True):
            numbers.append(self._number(text, place, column))
            column += len(text) + 1
        return numbers

    def _number(self, text: str, place: str, column: int) -> int:
        known = self._iris.get(text)
        if known is not None:
            return known
        term = self._others.get(text) or self._term(text, place, column)
        if isinstance(term, NamedNode):
            number = self._iris[text] = self._builder.intern[term]
            return number
        self._others[text] = term
        if isinstance(term, Literal) and place != "object":
            self._fail(f"a literal cannot be the {place} of a triple", column)
        if isinstance(term, BlankNode) and place == "predicate":
            self._fail("a blank node cannot be the predicate of a triple", column)
        return self._builder.intern[term]

    def _term(self, text: str, place: str, column: int) -> Term:
        # Some files end each line with a full stop, which cannot be part of an IRI in brackets or end a label.
        written = text.strip()
        bare = written.removesuffix(".").rstrip()
        if written[:1] == '"':
            return self._literal(written, column)
        try:
            if written[:2] == "_:":
                return BlankNode(bare[2:])
            if bare[:1] == "<" and bare[-1:] == ">":
                text = written = bare[1:-1]
            if not written:
                self._fail(f"expected the {place} of a triple, found nothing", column)
            return NamedNode(written if _ABSOLUTE.match(written) else self._base + encode(text))
        except ValueError as problem:
            self._fail(f"not a term: {problem}", column)

    def _literal(self, text: str, column: int) -> Literal:
        literal = _LITERAL.match(text)
        if literal is None:
            self._fail("the quotes of this literal are never closed", column)
        if text[literal.end() :].strip() not in ("", "."):
            self._fail(
                "expected a language, a datatype or the end of the column after the literal", column + literal.end()
            )
        content, language, iri, prefix, local = literal.groups()
        if prefix is not None:
            if prefix not in STANDARD_PREFIXES:
                self._fail(f"the prefix '{prefix}:' of the datatype is not known", column + literal.start(4))
            iri = STANDARD_PREFIXES[prefix] + local
        try:
            content = _ESCAPE.sub(_unescaped, content)
            if language is not None:
                return Literal(content, language=language)
            return Literal(content) if iri is None else Literal(content, datatype=NamedNode(iri))
        except ValueError as problem:
            self._fail(f"not a literal: {problem}", column)

    def _fail(self, message: str, column: int) -> NoReturn:
        raise InputError(message, where=Position(self._name, self._line, column))


def _percent_encoded(character: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in character[0].encode("utf-8", "surrogatepass"))


def _unescaped(character: re.Match[str]) -> str:
    escape = character[1]
    if len(escape) > 1:
        code = int(escape[1:], 16)
        if code > sys.maxunicode:
            raise ValueError(f"'\\{escape}' is not a character")
        return chr(code)
    if escape not in _ESCAPES:
        raise ValueError(f"'\\{escape}' is not a valid escape")
    return _ESCAPES[escape]


def _read(source: Source, _format: Format, builder: TableBuilder, base: str | None) -> tuple[dict[str, str], list[str]]:
    with source.lines() as lines:
        return read(lines, source.name, builder, base or source.base_iri + "#"), []


def _is_row(line: str) -> bool:
    return line.count("\t") in (2, 3)


def _likelihood(beginning: Beginning) -> int:
    """Less than that of statements line by line, more than that of a text with an IRI somewhere."""
    if _is_row(beginning.code.partition("\n")[0].strip()) and all(map(_is_row, beginning.lines)):
        return 2
    return 1 if beginning.claimed == "tsv" else 0


FORMATS = (
    Format(
        name="tsv",
        title="tab-separated triples",
        extensions=("tsv",),
        read=_read,
        likelihood=_likelihood,
        tags=LanguageTags(TAG_CAPITALS, re.compile(STRING + rb"(?:" + TAG + rb")?", re.DOTALL), WRITTEN_IN_TEXT),
    ),
)
