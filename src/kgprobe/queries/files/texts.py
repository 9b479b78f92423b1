"""The texts of queries in files: where each character of a query is in its file, and which prefixes it may use.

A query file is its own text. In other files, queries are strings: an escape such as `\\n` is one character of the
query, but two of the file. Prefixes that a query does not declare itself are those of a table, of the file around it,
and of a known endpoint.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.given_files import parse_json, read_text
from kgprobe.queries.diagnostics import Place
from kgprobe.sparql.algebra import Span
from kgprobe.sparql.tokens import tokens

__all__ = ["QueryText", "read_prefixes"]


HOLE = "\ufffc"
"""Stands for a part of a text that is only known when the program runs."""

# A query or an update begins with its prologue or with its form, and has a group. A sentence that begins with "Select"
# has no braces with a variable, a colon or a bracket in them.
_PROLOGUE = rf"(?:\s|{HOLE}|\#[^\n]*(?:\n|\Z)|(?:PREFIX|BASE)\b[^<\n]*<[^>\n]*>)*"
_FORM = r"(?:SELECT|ASK|CONSTRUCT|DESCRIBE|INSERT|DELETE|WITH)\b"
_LOOKS_LIKE_QUERY = re.compile(rf"{_PROLOGUE}{_FORM}[^{{]*\{{", re.IGNORECASE)
_INSIDE = re.compile(r"\{[^{}]*[?$<:\"]")
_ESCAPE = re.compile(
    r"\\(?:\r?\n|[0-7]{1,3}|x[0-9A-Fa-f]{2}|u\{[0-9A-Fa-f]{1,6}\}|u+[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "s": " ", "a": "\a"}
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True)
class Located:
    """A text, and where each of its characters is in the file, and its end. `holes` are filled in later."""

    text: str
    offsets: Sequence[int]
    holes: tuple[Span, ...] = ()

    def part(self, start: int, end: int) -> Located:
        """A part of this text. Its holes are those that are wholly in it."""
        inside = (Span(hole.start - start, hole.end - start) for hole in self.holes)
        return Located(
            self.text[start:end],
            self.offsets[start : end + 1],
            tuple(hole for hole in inside if hole.start >= 0 and hole.end <= end - start),
        )


def verbatim(text: str, start: int, end: int) -> Located:
    """A part of a file as it is written."""
    return Located(text[start:end], range(start, end + 1))


def hole_at(offset: int) -> Located:
    """A part that is filled in later."""
    return Located(HOLE, (offset, offset), (Span(0, 1),))


def joined(parts: Iterable[Located]) -> Located:
    """Texts one after the other."""
    text: list[str] = []
    offsets: list[int] = []
    holes: list[Span] = []
    length = end = 0
    for part in parts:
        holes += [Span(hole.start + length, hole.end + length) for hole in part.holes]
        text.append(part.text)
        offsets += part.offsets[:-1]
        length += len(part.text)
        end = part.offsets[-1]
    return Located("".join(text), [*offsets, end], tuple(holes))


def unescaped(text: str, start: int, end: int) -> Located:
    """The body of a string of a programming language, from `start` to `end` of a file, without its backslashes."""
    if "\\" not in text[start:end]:
        return verbatim(text, start, end)
    value: list[str] = []
    offsets: list[int] = []
    place = start
    while place < end:
        escape = _ESCAPE.match(text, place, end)
        if escape is None:
            value.append(text[place])
            offsets.append(place)
            place += 1
            continue
        meant = _meant(escape[0])
        if value and meant and "\ud800" <= value[-1] <= "\udbff" and "\udc00" <= meant <= "\udfff":
            value[-1] = (value[-1] + meant).encode("utf-16", "surrogatepass").decode("utf-16")
        else:
            value.append(meant)
            offsets += [place] * len(meant)
        place = escape.end()
    return Located(_HALF_A_PAIR.sub("\ufffd", "".join(value)), [*offsets, end])


def _meant(escape: str) -> str:
    kind = escape[1]
    if kind in "\r\n":
        return ""
    if kind in _LETTERS:
        return _LETTERS[kind]
    digits = escape[2:].strip("u{}")
    try:
        if kind in "xuU" and digits:
            return chr(int(digits, 16))
        return chr(int(escape[1:], 8)) if kind in "01234567" else kind
    except (ValueError, OverflowError):
        return kind


def without_margin(text: str, start: int, end: int, margin: re.Pattern[str]) -> Located:
    """Lines of a file, without what `margin` matches at the beginning of each."""
    parts = []
    for line in _LINES.finditer(text, start, end):
        found = margin.match(text, line.start(), line.end())
        parts.append(verbatim(text, found.end() if found else line.start(), line.end()))
    return joined(parts) if parts else verbatim(text, start, start)


def looks_like_query(text: str) -> bool:
    """Whether a text begins as a query or an update does."""
    found = _LOOKS_LIKE_QUERY.match(text)
    return found is not None and _INSIDE.search(text, found.end() - 1) is not None


# -- files and queries -------------------------------------------------------------------------------------------------

_FILLED_IN = re.compile(r"\?(?:hole|filled)_\d+\b(?: (?=[),]))?")
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True)
class File:
    """A file with queries."""

    name: str
    text: str

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self.text))]

    def line(self, offset: int) -> int:
        """The number of the line with this character, from 1."""
        return bisect_right(self._starts, min(offset, len(self.text)))

    def line_text(self, line: int) -> str:
        """A line without its end."""
        ends = [*self._starts[1:], len(self.text)]
        return self.text[self._starts[line - 1] : ends[line - 1]].rstrip("\r\n")

    def place(self, start: int, end: int) -> Place:
        """The place of these characters."""
        first, last = self.line(start), self.line(end)
        return Place(first, start - self._starts[first - 1] + 1, last, end - self._starts[last - 1] + 1, start, end)


@dataclass(frozen=True)
class QueryText:
    """A query in a file. `offsets` has the place of each character of the query in the file, and that of its end.

    `bound_before` names the variables that the software around the query gives a value before it runs: "this" for
    `$this` in SHACL. Nothing is known about these values, but they are the same in all parts of the query.

    `prefixes` may be used without a declaration. The query of a template has `others`: only what is found in all of
    them holds whatever is filled in, and `written` says what its variables stand for. A text that is `quoted`, as in
    documentation, may be no complete query. A program around it may give other variables a value, too.
    """

    file: File
    text: str
    offsets: Sequence[int] | None = None
    bound_before: frozenset[str] = frozenset()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    others: tuple[QueryText, ...] = ()
    is_template: bool = False
    written: Mapping[str, str] = field(default_factory=dict)
    is_quoted: bool = False
    is_in_program: bool = False

    def as_written(self, message: str) -> str:
        """A message about the query, with the parts that a template fills in as they are written there."""
        return _FILLED_IN.sub(lambda found: self.written.get(found[0].strip(), found[0]), message)

    def given(self, names: frozenset[str]) -> QueryText:
        """The same query if these variables, too, have a value before it runs."""
        others = tuple(other.given(names) for other in self.others)
        return replace(self, bound_before=self.bound_before | names, others=others, is_in_program=False)

    @classmethod
    def whole(cls, name: str, text: str) -> QueryText:
        """A file that is a query."""
        return cls(File(name, text), text)

    def place(self, span: Span) -> Place:
        """The place of a part of the query in the file. It ends after its last character."""
        if self.offsets is None:
            return self.file.place(*span)
        last = self.offsets[max(span.end - 1, span.start)]
        after = self.offsets[span.end] if span.end < len(self.offsets) else last + 1
        # Between two strings that are joined, the next character is far away.
        is_next = self.file.line(last) == self.file.line(after) and after - last <= len(r"\U00000000")
        return self.file.place(self.offsets[span.start], after if is_next else last + 1)

    def is_verbatim(self, span: Span) -> bool:
        """Whether a part of the query is in the file character by character, so that it can be edited there."""
        place = self.place(span)
        return self.file.text[place.start : place.end] == self.text[span.start : span.end]


# -- prefixes ----------------------------------------------------------------------------------------------------------

_NAME = r"[^\W\d_](?:[\w\-.]*[\w\-])?|"
_DECLARED = re.compile(rf"(?:@prefix|\bPREFIX)\s+({_NAME}):\s*<([^<>\s\"{{}}|^`\\]*)>", re.IGNORECASE)
# In a program: "ex": "http://…#", ex = "http://…#", Namespace("http://…#"), bind("ex", "http://…#"), xmlns:ex="http://…#"
_PAIR = re.compile(
    rf"""(?:(?:["']|\bxmlns:|^\s*|[,(\s])({_NAME}):?["']?\s*(?:[:=]|<-|=>)|[(\[]\s*["']({_NAME}):?["']\s*,)"""
    r"""\s*(?:[\w.]*Namespace\()?["'](https?://[^\s"'<>]*[\#/])["']""",
    re.MULTILINE,
)
_SHARED = re.compile(r'sh:prefix\s+"([^"]*)"[^;\]]*;\s*sh:namespace\s+"([^"]*)"')
_PLAIN = re.compile(rf"({_NAME}):?$")
_IRI = re.compile(r"https?:|urn:|file:|[A-Za-z][A-Za-z0-9+.\-]*:", re.IGNORECASE)

_WIKIDATA = {
    **{
        name: f"http://www.wikidata.org/{path}"
        for name, path in (
            ("wd", "entity/"),
            ("wds", "entity/statement/"),
            ("wdv", "value/"),
            ("wdref", "reference/"),
            ("wdata", "wiki/Special:EntityData/"),
            ("wdt", "prop/direct/"),
            ("wdtn", "prop/direct-normalized/"),
            ("p", "prop/"),
            ("ps", "prop/statement/"),
            ("psv", "prop/statement/value/"),
            ("psn", "prop/statement/value-normalized/"),
            ("pq", "prop/qualifier/"),
            ("pqv", "prop/qualifier/value/"),
            ("pqn", "prop/qualifier/value-normalized/"),
            ("pr", "prop/reference/"),
            ("prv", "prop/reference/value/"),
            ("prn", "prop/reference/value-normalized/"),
            ("wdno", "prop/novalue/"),
        )
    },
    "wikibase": "http://wikiba.se/ontology#",
    "bd": "http://www.bigdata.com/rdf#",
    "hint": "http://www.bigdata.com/queryHints#",
    "gas": "http://www.bigdata.com/rdf/gas#",
    "mwapi": "https://www.mediawiki.org/ontology#API/",
    "geo": "http://www.opengis.net/ont/geosparql#",
    "geof": "http://www.opengis.net/def/function/geosparql/",
    "ontolex": "http://www.w3.org/ns/lemon/ontolex#",
    "dct": "http://purl.org/dc/terms/",
    "schema": "http://schema.org/",
    "prov": "http://www.w3.org/ns/prov#",
    "cc": "http://creativecommons.org/ns#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}
_DBPEDIA = {
    "dbo": "http://dbpedia.org/ontology/",
    "dbp": "http://dbpedia.org/property/",
    "dbr": "http://dbpedia.org/resource/",
    "dbc": "http://dbpedia.org/resource/Category:",
    "dbpedia": "http://dbpedia.org/resource/",
    "dbpedia-owl": "http://dbpedia.org/ontology/",
    "dct": "http://purl.org/dc/terms/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "yago": "http://dbpedia.org/class/yago/",
    "bif": "bif:",
}
_STANDARD = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
# What shows that a query is for an endpoint: its address, or a name that only it has.
_ENDPOINTS = (
    (re.compile(r"\bquery\.wikidata\.org\b|\bwikibase:label\b|\bwdt?:[PQ]\d"), _WIKIDATA | _STANDARD),
    (re.compile(r"\bdbpedia\.org/sparql\b|\bdbpedia-owl:|\bdb[or]:[A-Za-z]"), _DBPEDIA | _STANDARD),
)


def prefixes_of_endpoint(text: str) -> Mapping[str, str]:
    """The prefixes that the endpoint of a query declares for everyone, if the text shows which one it is."""
    return next((known for sign, known in _ENDPOINTS if sign.search(text)), {})


def prefixes_written_in(text: str) -> dict[str, str]:
    """The prefixes that a file declares anywhere, except those with two meanings."""
    found: dict[str, set[str]] = {}
    pairs = ((one or other, namespace) for one, other, namespace in _PAIR.findall(text))
    for name, namespace in (*_DECLARED.findall(text), *pairs):
        found.setdefault(name, set()).add(namespace)
    return {name: next(iter(namespaces)) for name, namespaces in found.items() if len(namespaces) == 1}


def unknown_prefixes(text: str, known: Mapping[str, str]) -> dict[str, str]:
    """The usual namespace, or one of its own about which nothing is known, for each prefix that nothing declares."""
    names = {token.text.partition(":")[0] for token in tokens(text) if token.kind == "prefixed"}
    return {name: _STANDARD.get(name, f"urn:x-prefix:{name}:") for name in names if name not in known}


def read_prefixes(path: str) -> dict[str, str]:
    """A table of prefixes: declarations of Turtle or SPARQL, a JSON-LD context or JSON object, or CSV or TSV."""
    text = read_text(path)
    if text.lstrip().startswith("{"):
        found = _from_json(parse_json(text, Position(path, 1)))
    else:
        found = dict(_DECLARED.findall(text)) or _from_table(text)
    if not found:
        hint = "Turtle or SPARQL (PREFIX ex: <…>), a JSON object or JSON-LD context, and CSV or TSV are read"
        raise InputError("no prefix is declared in this file", where=Position(path), hint=hint)
    return found


def _from_json(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    context = value.get("@context", value)
    if isinstance(context, list):
        return {name: iri for part in context for name, iri in _from_json(part).items()}
    found = {}
    for name, meaning in context.items() if isinstance(context, dict) else ():
        iri = meaning.get("@id") if isinstance(meaning, dict) and meaning.get("@prefix") else meaning
        if isinstance(iri, str) and _PLAIN.fullmatch(name) and _IRI.match(iri):
            found[name.removesuffix(":")] = iri
    return found


def _from_table(text: str) -> dict[str, str]:
    """The rows of a table whose first two columns are a prefix and an IRI."""
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    found = {}
    try:
        for row in csv.reader(text.splitlines(), delimiter=delimiter):
            cells = [cell.strip().strip("<>") for cell in row]
            if len(cells) >= 2 and _PLAIN.fullmatch(cells[0]) and _IRI.match(cells[1]):
                found[cells[0].removesuffix(":")] = cells[1]
    except csv.Error:
        return {}
    return found


def shared_prefixes(path: str) -> dict[str, str]:
    """The prefixes of the files `prefixes.ttl` beside a file and up to three folders above it."""
    found: dict[str, str] = {}
    for folder in list(Path(path).absolute().parents)[3::-1]:
        found.update(_declared_in(folder / "prefixes.ttl"))
    return found


@lru_cache(maxsize=64)
def _declared_in(file: Path) -> Mapping[str, str]:
    if not file.is_file():
        return {}
    try:
        text = read_text(file)
    except InputError:
        return {}
    return {**dict(_DECLARED.findall(text)), **dict(_SHARED.findall(text))}
