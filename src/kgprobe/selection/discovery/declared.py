"""Uses that the user states: in a matrix, in the record of a run, or by a command that prints them."""

from __future__ import annotations

import csv
import dataclasses
import io
import os
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from kgprobe.errors import InputError, Position, did_you_mean, nearest, one_line
from kgprobe.given_files import parse_json, parse_toml, read_bytes, read_text
from kgprobe.processes.child import Setup, run
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import Limits
from kgprobe.rdf.pattern import TriplePattern
from kgprobe.rdf.terms import Term
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.search import BLIND, Search
from kgprobe.selection.tests import Language, TermUse, Test, TestUse
from kgprobe.sparql.reading import looks_like_query

_T = TypeVar("_T")

MATRIX = Language("matrix")


@dataclass(frozen=True)
class Declared:
    """The uses of a test. `unseen` says why they may be incomplete; `is_complete` that the test has no other uses."""

    uses: tuple[TestUse, ...] = ()
    unseen: tuple[str, ...] = ()
    edges: tuple[tuple[Term, Term | None, str], ...] = ()
    patterns: tuple[TriplePattern, ...] = ()
    is_complete: bool = False


def combined(parts: Iterable[Declared]) -> Declared:
    """All declarations for one test as one."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    return Declared(
        _once(use for part in parts for use in part.uses),
        _once(reason for part in parts for reason in part.unseen),
        _once(edge for part in parts for edge in part.edges),
        _once(pattern for part in parts for pattern in part.patterns),
        any(part.is_complete for part in parts),
    )


def with_declared(test: Test, declared: Mapping[str, Declared]) -> Test:
    """A test with its declared uses. They replace the reasons in `unseen`, and the found uses if they are complete."""
    said = declared.get(test.name)
    if said is None:
        return test
    return dataclasses.replace(
        test,
        uses=said.uses if said.is_complete else _joined(test.uses, said.uses),
        patterns=said.patterns if said.is_complete else _joined(test.patterns, said.patterns),
        queries=() if said.is_complete else test.queries,
        edges=_joined(test.edges, said.edges),
        unseen=said.unseen,
    )


def _joined(first: tuple[_T, ...], second: tuple[_T, ...]) -> tuple[_T, ...]:
    return _once([*first, *second]) if first and second else first or second


def _once(values: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values))


# -- a matrix of tests and terms, kept by hand: CSV with the columns test, term, target and label, or TOML -------------

_Row: TypeAlias = tuple[int | None, str, str, str, str]  # the line, test, term, target, label

_COLUMNS = ("test", "term", "target", "label")
_SAYS_NOTHING = "cannot see what this test uses: the matrix names no term for it"


def read_matrix(file: Path, search: Search) -> dict[str, Declared]:
    """The uses of each test, by its name. InputError if the file is not a matrix."""
    text = read_text(file)
    found: defaultdict[str, list[Declared]] = defaultdict(list)
    rows = _toml(text, str(file)) if file.suffix.lower() == ".toml" else _csv(text, str(file))
    for line, test, term, target, label in rows:
        found[test].append(_row(term, target, label, _place(file, line), search))
    return {test: combined(said) for test, said in found.items()}


def _row(term: str, target: str, label: str, where: str, search: Search) -> Declared:
    if not term:
        return Declared(unseen=(_SAYS_NOTHING,))
    if not label:
        uses, unseen = search.named(term, where)
        more, unclear = search.named(target, where) if target else ((), ())
        return Declared((*uses, *more), (*unseen, *unclear))
    # Safe selection does not distinguish edges: it uses the two classes that an edge connects.
    text = f"{term} {label} {target}".strip()
    sources, unseen = search.named(term, where)
    targets, unclear = search.named(target, where) if target else ((), ())
    ends: tuple[Term | None, ...] = tuple(use.term for use in targets) if target else (None,)
    edges = tuple((source.term, end, label) for source in sources for end in ends)
    uses = tuple(TermUse(use.term, text) for use in (*sources, *targets))
    return Declared(uses, (*unseen, *unclear), edges)


def _place(file: Path, line: int | None) -> str:
    return f"{file}:{line}" if line else str(file)


def _csv(text: str, name: str) -> Iterator[_Row]:
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        columns = _columns(next(rows, []), name)
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            test, term, target, label = (
                row[place].strip() if place is not None and place < len(row) else "" for place in columns
            )
            if not test:
                raise InputError("this row names no test", where=Position(name, rows.line_num))
            yield rows.line_num, test, term, target, label
    except csv.Error as error:
        raise InputError(f"this is not CSV: {error}", where=Position(name, rows.line_num)) from None


def _columns(header: list[str], name: str) -> list[int | None]:
    """The position of each column; None if the matrix does not have it."""
    titles = [title.strip().lower() for title in header]
    for wanted in ("test", "term"):
        if wanted not in titles:
            close = nearest(wanted, titles)
            hint = f"is '{close}' meant?" if close else "the first row names the columns: test,term,target,label"
            raise InputError(f"the matrix has no column '{wanted}'", where=Position(name, 1), hint=hint)
    return [titles.index(column) if column in titles else None for column in _COLUMNS]


def _toml(text: str, name: str) -> Iterator[_Row]:
    document = parse_toml(text, name)
    for key in document:
        if key not in ("tests", "edge"):
            hint = did_you_mean(key, ("tests", "edge"), "it has a table 'tests' and tables 'edge'")
            raise InputError(f"a matrix has no '{key}'", where=Position(name), hint=hint)
    tests = document.get("tests", {})
    if not isinstance(tests, dict):
        hint = 'write "a test" = ["a term"] below [tests]'
        raise InputError("'tests' is not a table", where=Position(name), hint=hint)
    for test, terms in tests.items():
        for term in _texts(terms, f"the terms of '{test}'", name) or [""]:
            yield None, test, term.strip(), "", ""
    yield from _toml_edges(document.get("edge", []), name)


def _toml_edges(edges: Any, name: str) -> Iterator[_Row]:
    hint = "write test, source, target and label below [[edge]]"
    if not isinstance(edges, list) or not all(isinstance(edge, dict) for edge in edges):
        raise InputError("'edge' is not a list of tables", where=Position(name), hint=hint)
    for edge in edges:
        for key, value in edge.items():
            if key not in ("test", "source", "target", "label"):
                close = did_you_mean(key, ("test", "source", "target", "label"), hint)
                raise InputError(f"an edge has no '{key}'", where=Position(name), hint=close)
            if not isinstance(value, str):
                raise InputError(f"the {key} of an edge is not a string: {value!r}", where=Position(name), hint=hint)
        if not edge.get("test") or not edge.get("source"):
            raise InputError("an edge needs a test and a source", where=Position(name), hint=hint)
        yield None, edge["test"], edge["source"].strip(), edge.get("target", "").strip(), edge.get("label", "").strip()


def _texts(value: Any, what: str, name: str) -> list[str]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
        raise InputError(f"{what} are not a list of strings: {value!r}", where=Position(name))
    return values


# -- a record: the terms and queries that were seen while each test ran ------------------------------------------------

_LISTS = ("terms", "queries", "sql", "unseen")
_KEYS = ("test", *_LISTS, "complete")
_LARGEST = 1 << 28


def read_recorded(file: Path, search: Search) -> dict[str, Declared]:
    """The recorded uses of each test, by its name. InputError if the file is not a record."""
    found: defaultdict[str | None, list[Declared]] = defaultdict(list)
    for entry, line in _entries(_text(file), str(file)):
        found[entry["test"]] += _declared(entry, Position(str(file), line), search)
    of_any = found.pop(None, [])
    if of_any:
        search.note(f"{file}: some queries do not name their test, so they count for all tests in the file")
    return {test: combined([*seen, *of_any]) for test, seen in found.items() if test is not None}


def _declared(entry: dict[str, Any], where: Position, search: Search) -> Iterator[Declared]:
    yield Declared(is_complete=entry.get("complete", False))
    for term in entry.get("terms", ()):
        yield Declared(*search.named(term, str(where)))
    for query in entry.get("queries", ()):
        reading = search.queries.read(query)
        yield Declared(reading.uses, reading.unseen, patterns=reading.patterns)
    if entry.get("sql"):
        # Together, because a statement may use what an earlier one has created.
        sql = search.sql.read(";\n".join(text.rstrip("; \n") for text in entry["sql"]))
        yield Declared(sql.uses, sql.unseen)
    for reason in entry.get("unseen", ()):
        yield Declared(unseen=(f"{BLIND}: {reason}",))


def _text(file: Path) -> str:
    try:
        return read_bytes(file, _LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", where=Position(str(file))) from None


def _entries(text: str, name: str) -> Iterator[tuple[dict[str, Any], int]]:
    if text.lstrip().startswith("["):
        for entry in parse_json(text, Position(name)):
            yield _checked(entry, Position(name)), 1
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _checked(parse_json(line, Position(name, number)), Position(name, number)), number


def _checked(entry: Any, where: Position) -> dict[str, Any]:
    hint = '{"test": "its name", "terms": ["an IRI"], "queries": ["SELECT …"]}'
    if not isinstance(entry, dict) or not isinstance(entry.get("test", 0), str | None):
        raise InputError("this names no test", where=where, hint=hint)
    for key, value in entry.items():
        if key not in _KEYS:
            raise InputError(f"a record has no '{key}'", where=where, hint=did_you_mean(key, _KEYS, hint))
        if key in ("terms", "queries", "sql", "unseen") and not (
            isinstance(value, list) and all(isinstance(v, str) for v in value)
        ):
            raise InputError(f"'{key}' is not a list of strings", where=where, hint=hint)
        if key == "complete" and not isinstance(value, bool):
            raise InputError("'complete' is neither true nor false", where=where, hint=hint)
    return entry


# -- tests of any other kind: the user's command prints the terms that a file uses, or its query -----------------------


COMMAND = Language("command")

_PLACE = "{test}"
_MOST_OUTPUT = 1 << 20
_MOST_COMPLAINT = 2000


@dataclass(frozen=True, slots=True)
class _Ended:
    """The output of a command, or why it cannot be used."""

    output: str = ""
    problem: str | None = None


def check_command(arguments: Sequence[str]) -> None:
    """InputError if this cannot be a command that prints the terms of a file."""
    if not arguments or not arguments[0]:
        raise InputError("the command for terms names no program")
    if not any(_PLACE in argument for argument in arguments):
        hint = f"for example: my-tool --terms {_PLACE}"
        raise InputError(f"the command for terms has no place for the file: {list(arguments)}", hint=hint)
    if _PLACE not in arguments[0] and shutil.which(arguments[0]) is None:
        raise InputError(f"the program {arguments[0]} of the command for terms does not exist")


def command_tests(found: Sequence[TestFile], search: Search) -> Iterator[Test]:
    """The tests of files, with the uses that the command prints. It runs for several files at a time."""
    options = search.options

    def ask(each: TestFile) -> _Ended:
        # A name with a leading dash would look like an option.
        name = f"./{each.name}" if each.name.startswith("-") else each.name
        arguments = [argument.replace(_PLACE, name) for argument in options.terms_command]
        return _run(arguments, search.root, options.command_seconds, guards)

    with closing(Guards()) as guards, ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        for each, ended in zip(found, pool.map(ask, found), strict=True):
            yield _test(each, ended, search)


def _test(found: TestFile, ended: _Ended, search: Search) -> Test:
    if ended.problem is not None:
        return _blind(found, ended.problem, search)
    expected = search.neighbours.expected(found)
    if looks_like_query(ended.output):
        reading = search.queries.read(ended.output)
        return Test(
            found.name,
            COMMAND,
            uses=reading.uses,
            unseen=reading.unseen,
            file=found.file,
            patterns=reading.patterns,
            expected=expected,
        )
    uses, unseen = _terms(ended.output, found.name, search)
    return Test(found.name, COMMAND, uses=uses, unseen=unseen, file=found.file, expected=expected)


def _blind(found: TestFile, reason: str, search: Search) -> Test:
    expected = search.neighbours.expected(found)
    return Test(found.name, COMMAND, unseen=(f"{BLIND}: {reason}",), file=found.file, expected=expected)


def _terms(output: str, name: str, search: Search) -> tuple[tuple[TermUse, ...], tuple[str, ...]]:
    uses: dict[TermUse, None] = {}
    unseen: dict[str, None] = {}
    for line in output.splitlines():
        if line.strip():
            found, unclear = search.named(line, name)
            uses.update(dict.fromkeys(found))
            unseen.update(dict.fromkeys(unclear))
    if not uses and not unseen:
        unseen[f"{BLIND}: the command printed no term"] = None
    return tuple(uses), tuple(unseen)


def _run(arguments: Sequence[str], folder: Path, seconds: float, guards: Guards) -> _Ended:
    try:
        ended = run(
            arguments,
            Limits(seconds, 0),
            Setup(folder=folder, most_output=_MOST_OUTPUT),
            all_or_nothing=True,
            guards=guards,
        )
    except OSError as error:
        return _Ended(problem=f"the command cannot be run: {error.strerror or error}")
    if ended.passed is not None:
        return _Ended(problem=f"the command took longer than {seconds:g} s")
    output = ended.stdout.whole
    if output is None:
        return _Ended(problem=f"the command printed more than {_MOST_OUTPUT >> 20} MB")
    if ended.code:
        said = one_line(ended.stderr.text()[-_MOST_COMPLAINT:])
        return _Ended(problem=f"the command ended with {ended.code}" + (f": {said}" if said else ""))
    try:
        return _Ended(output.decode())
    except UnicodeDecodeError:
        return _Ended(problem="the output of the command is not UTF-8 text")
