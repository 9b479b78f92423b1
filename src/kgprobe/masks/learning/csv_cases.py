"""Reads judged mutants from pairs of CSV files: the changes of mutants, and the verdicts on them."""

from __future__ import annotations

import csv
import io
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pyoxigraph import RdfFormat, parse

from kgprobe.errors import InputError, Position, did_you_mean, nearest
from kgprobe.given_files import read_text
from kgprobe.masks.learning.observations import JudgedGraph, ends_of
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import XSD, BlankNode, Literal, NamedNode, Subject, Term, Triple, with_blanks
from kgprobe.wording import number_of

__all__ = ["read_judged"]


# Where a triple can end: before the next one, or at the end of the list.
_END = re.compile(r"\]\s*(?=,\s*\[|\]\s*\Z)")
_START = re.compile(r"\s*,?\s*\[\s*")
_NAMES = re.compile(r"(\S+?),\s+(\S+?),\s+")
_LITERAL = re.compile(r'"(?P<text>.*)"(?:\^\^<?(?P<type>[^\s"<>]+)>?|@(?P<language>[A-Za-z0-9-]+))?\s*\Z', re.DOTALL)
_BAD_LABEL = re.compile(r"[^A-Za-z0-9]")


class BrokenListError(ValueError):
    """A text that is not a list of triples; the message says what is wrong."""


def read_triples(text: str) -> list[Triple]:
    """The triples of a list. Literals may contain commas, brackets and quotes."""
    stripped = text.strip()
    if not (stripped.startswith("[") and stripped.endswith("]")):
        raise BrokenListError("a list of triples starts with [ and ends with ]")
    if not stripped[1:-1].strip():
        return []
    return _read(stripped)


def _read(text: str) -> list[Triple]:
    """A literal can contain what looks like the end of its triple: the first end that leaves a triple is taken."""
    ends = [match.start() for match in _END.finditer(text)]
    triples: list[Triple] = []
    place = 1
    while text[place:].strip() != "]":
        start = _START.match(text, place)
        read = None if start is None else _first(text, start.end(), ends)
        if read is None:
            raise BrokenListError(f"not a triple: {text[place : place + 60].lstrip(', ')}")
        triple, end = read
        triples.append(triple)
        place = end + 1
    return triples


def _first(text: str, start: int, ends: Sequence[int]) -> tuple[Triple, int] | None:
    for end in islice(ends, bisect_left(ends, start), None):
        triple = _triple(text[start:end])
        if triple is not None:
            return triple, end
    return None


def _triple(text: str) -> Triple | None:
    names = _NAMES.match(text)
    if names is None:
        return None
    subject, predicate, object_ = _node(names[1]), _node(names[2]), _object(text[names.end() :])
    if subject is None or not isinstance(predicate, NamedNode) or object_ is None:
        return None
    return Triple(subject, predicate, object_)


def _node(text: str) -> Subject | None:
    if text.startswith("_:"):
        return _blank(text[2:])
    if text.startswith("<") and text.endswith(">"):
        text = text[1:-1]
    if ":" not in text:  # the label of a blank node; every IRI has a colon
        return _blank(text)
    try:
        return NamedNode(text)
    except ValueError:
        return None


def _blank(label: str) -> BlankNode | None:
    return BlankNode("m" + _BAD_LABEL.sub("x", label)) if label and not set(label) & set('"<>[]') else None


def _object(text: str) -> Term | None:
    if not text.startswith('"'):
        stripped = text.strip()
        return None if not stripped or any(c.isspace() for c in stripped) else _node(stripped)
    literal = _LITERAL.fullmatch(text)
    if literal is None:
        return None
    try:
        if literal["language"]:
            return Literal(literal["text"], language=literal["language"].lower())
        return Literal(literal["text"], datatype=NamedNode(literal["type"]) if literal["type"] else XSD.string)
    except ValueError:
        return None


def literal_readings(term: Term) -> list[Term]:
    """The literal as it stands and, if it can be read with escapes, without them."""
    if not isinstance(term, Literal) or "\\" not in term.value:
        return [term]
    tail = str(Literal("", datatype=term.datatype) if not term.language else Literal("", language=term.language))[2:]
    line = f'<urn:kgprobe:s> <urn:kgprobe:p> "{term.value}"{tail} .\n'
    try:
        [quad] = parse(line.encode(), format=RdfFormat.N_TRIPLES)
    except (SyntaxError, ValueError):
        return [term]
    read = quad.triple.object
    assert isinstance(read, Literal)  # noqa: S101 - it was written as one
    return [term, read]


_LARGEST = 200 << 20
_LONGEST_FIELD = 50 << 20
_DELIMITERS = (";", ",", "\t")
_ADDED, _REMOVED, _ORACLE = "addedAxioms", "removedAxioms", "oracle"
_VERDICTS = {"passed": False, "failed": True}
_MOST_MATCHES = 10_000


def read_judged(seed: Graph, mutants: Sequence[Path], verdicts: Sequence[Path]) -> list[JudgedGraph]:
    """The cases of these pairs of files, in order. A case is called by its file and its number: `onlySuave04#7`."""
    if len(mutants) != len(verdicts):
        more, fewer = ("mutants", "verdicts") if len(mutants) > len(verdicts) else ("verdicts", "mutants")
        raise InputError(
            f"{number_of(len(mutants), 'file')} of mutants, but {len(verdicts)} of verdicts",
            hint=f"give --{fewer} for each --{more}, in the same order",
        )
    if not len(seed):
        raise InputError("the seed graph is empty", hint="mutants are changes of it")
    cases: list[JudgedGraph] = []
    for changes, judged in zip(mutants, verdicts, strict=True):
        cases += _pair(seed, changes, judged)
    names = [case.name for case in cases]
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise InputError(f"two cases are called {twice}", hint="give each pair of files once, with its own name")
    return cases


def _pair(seed: Graph, mutants: Path, verdicts: Path) -> Iterator[JudgedGraph]:
    changes = _by_id(_rows(mutants, ("id", _ADDED, _REMOVED)), mutants)
    judged = _by_id(_rows(verdicts, ("id", _ORACLE)), verdicts)
    for number, row in judged.items():
        if number not in changes:
            hint = f"{mutants.name} has {_some(changes)}"
            raise InputError(f"a verdict on mutant {number}, which {mutants.name} lacks", where=row.where, hint=hint)
    stem = _stem(mutants)
    for number, row in changes.items():
        if number not in judged:
            raise InputError(
                f"mutant {number} has no verdict in {verdicts.name}",
                where=row.where,
                hint=f"{verdicts.name} has {_some(judged)}",
            )
        yield JudgedGraph(f"{stem}#{number}", seed, _delta(row, seed), _failed(judged[number]))


def _some(numbers: Mapping[str, object]) -> str:
    shown = list(numbers)[:3]
    return f"{', '.join(shown)}{', …' if len(numbers) > len(shown) else ''}" if shown else "none"


def _stem(path: Path) -> str:
    name = path.name
    for ending in (".csv", ".mutants"):
        name = name.removesuffix(ending)
    return name


# -- rows --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    fields: dict[str, str]
    where: Position


def _by_id(rows: Iterator[_Row], path: Path) -> dict[str, _Row]:
    by_id: dict[str, _Row] = {}
    for row in rows:
        number = row.fields["id"].strip()
        if not number:
            raise InputError("a row without an id", where=row.where)
        if number in by_id:
            raise InputError(f"mutant {number} occurs twice", where=row.where, hint="each id has one row")
        by_id[number] = row
    if not by_id:
        raise InputError("there are no rows", where=Position(str(path)), hint="one row for each mutant is expected")
    return by_id


def _rows(path: Path, needed: Sequence[str]) -> Iterator[_Row]:
    text = read_text(path, _LARGEST)
    first = text.split("\n", 1)[0]
    delimiter = next((sign for sign in _DELIMITERS if set(needed) <= _columns(first, sign)), None)
    if delimiter is None:
        best = max(_DELIMITERS, key=lambda sign: len(_columns(first, sign)))
        missing = next(name for name in needed if name not in _columns(first, best))
        close = nearest(missing, _columns(first, best))
        hint = f"the first line names the columns: {', '.join(needed)}" + (f"; it has '{close}'" if close else "")
        raise InputError(f"there is no column '{missing}'", where=Position(str(path), 1), hint=hint)
    old = csv.field_size_limit(_LONGEST_FIELD)
    try:
        yield from _read_rows(text, delimiter, path)
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", where=Position(str(path))) from None
    finally:
        csv.field_size_limit(old)


def _columns(line: str, delimiter: str) -> set[str]:
    return {name.strip().strip('"') for name in line.split(delimiter)}


def _read_rows(text: str, delimiter: str, path: Path) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = [name.strip() for name in next(reader)]
    line = 1 + reader.line_num - 1
    for fields in reader:
        line, start = reader.line_num, line + 1
        where = Position(str(path), start)
        if not any(field.strip() for field in fields):
            continue
        if len(fields) < len(header):
            raise InputError(
                f"{number_of(len(fields), 'field')} instead of {len(header)}",
                where=where,
                hint=f"delimited by '{delimiter}'",
            )
        if len(fields) > len(header):
            fields = _rejoined(fields, header, delimiter, where)
        yield _Row(dict(zip(header, fields, strict=True)), where)


def _rejoined(fields: list[str], header: list[str], delimiter: str, where: Position) -> list[str]:
    """The fields of a row whose literals contain the delimiter: the last two are lists of triples."""
    if header[-2:] == [_ADDED, _REMOVED]:
        before = len(header) - 2
        rest = fields[before:]
        for cut in range(1, len(rest)):
            parts = [delimiter.join(rest[:cut]), delimiter.join(rest[cut:])]
            if all(map(_is_list, parts)):
                return [*fields[:before], *parts]
    raise InputError(
        f"{number_of(len(fields), 'field')} instead of {len(header)}", where=where, hint=f"delimited by '{delimiter}'"
    )


def _is_list(text: str) -> bool:
    try:
        read_triples(text)
    except BrokenListError:
        return False
    return True


def _failed(row: _Row) -> bool:
    word = row.fields[_ORACLE].strip()
    if word.lower() not in _VERDICTS:
        hint = did_you_mean(word, _VERDICTS, "a verdict is 'passed' or 'failed'")
        raise InputError(f"unknown verdict '{word}'", where=row.where, hint=hint)
    return _VERDICTS[word.lower()]


# -- changes -----------------------------------------------------------------------------------------------------------


def _delta(row: _Row, seed: Graph) -> Delta:
    """The change of a mutant. A triple that is both removed and added is no change."""
    removed, added = _triples(row, _REMOVED), _triples(row, _ADDED)
    same = set(removed) & set(added)
    removed = [_read_as_in(triple, seed) for triple in removed if triple not in same]
    added = [triple for triple in added if triple not in same]
    known = _blank_nodes(removed, seed, row.where)
    removed = [with_blanks(triple, lambda blank: known.get(blank, blank)) for triple in removed]
    added = [with_blanks(triple, lambda blank: known.get(blank, blank)) for triple in added]
    for triple in removed:
        if triple not in seed:
            raise InputError(
                f"this change does not fit the graph, which lacks {seed.spelling.triple(triple)}",
                where=row.where,
                hint="give the graph that these mutants were made from",
            )
    for triple in added:
        if triple in seed:
            raise InputError(
                f"this change does not fit the graph, which already has {seed.spelling.triple(triple)}",
                where=row.where,
                hint="give the graph that these mutants were made from",
            )
    return Delta(removed=removed, added=added)


def _triples(row: _Row, column: str) -> list[Triple]:
    try:
        return list(dict.fromkeys(read_triples(row.fields[column])))
    except BrokenListError as error:
        raise InputError(f"{column}: {error}", where=row.where) from None


def _read_as_in(triple: Triple, seed: Graph) -> Triple:
    """Literals are written as they are, or with escapes; the graph tells."""
    subject, object_ = ends_of(triple)
    readings = [Triple(subject, triple.predicate, reading) for reading in literal_readings(object_)]
    return next((reading for reading in readings if reading in seed), triple)


def _blank_nodes(removed: Sequence[Triple], seed: Graph, where: Position) -> dict[BlankNode, Subject]:
    """The blank nodes of the graph that the labels in removed triples stand for: files do not keep labels."""
    waiting = [triple for triple in removed if any(isinstance(end, BlankNode) for end in ends_of(triple))]
    nodes = _Matching(waiting, seed).match(0, {})
    if nodes is None:
        raise InputError(
            f"this change does not fit the graph, which lacks {seed.spelling.triple(waiting[0])}",
            where=where,
            hint="no blank node of the graph is described like this",
        )
    return nodes


class _Matching:
    """Finds triples of a graph that differ from given ones only by their blank nodes."""

    def __init__(self, triples: Sequence[Triple], seed: Graph) -> None:
        self._triples = triples
        self._seed = seed
        self._steps = 0

    def match(self, place: int, known: dict[BlankNode, Subject]) -> dict[BlankNode, Subject] | None:
        """The blank nodes of the graph for those of the triples from this place on."""
        if place == len(self._triples):
            return known
        triple = self._triples[place]
        s, o = (_known(end, known) for end in ends_of(triple))
        for other in self._seed.triples(s, triple.predicate, o):
            self._steps += 1
            if self._steps > _MOST_MATCHES:
                return None
            more = _paired(triple, other, known)
            result = None if more is None else self.match(place + 1, more)
            if result is not None:
                return result
        return None


def _known(term: Term, known: Mapping[BlankNode, Subject]) -> Term | None:
    return known.get(term) if isinstance(term, BlankNode) else term


def _paired(triple: Triple, other: Triple, known: dict[BlankNode, Subject]) -> dict[BlankNode, Subject] | None:
    more = dict(known)
    for label, node in zip(ends_of(triple), ends_of(other), strict=True):
        if isinstance(label, BlankNode):
            if not isinstance(node, BlankNode) or more.get(label, node) != node:
                return None
            more[label] = node
    return more
