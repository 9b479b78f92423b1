"""The queries in files that a user names: query files, update files, Python files, folders and standard input."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.given_files import LARGEST_TEXT, exact_text
from kgprobe.queries.comments import Directive, directives_in
from kgprobe.sparql.diagnosis.diagnostics import Undecided
from kgprobe.sparql.files.python_strings import queries_in_python
from kgprobe.sparql.files.texts import File, QueryText

__all__ = ["QUERY_SUFFIXES", "QuerySource", "query_paths", "read_source", "source_of"]

QUERY_SUFFIXES = (".rq", ".sparql", ".ru", ".py")
_STDIN = "<stdin>"


@dataclass(frozen=True)
class QuerySource:
    """The queries of a file, the strings that are no complete queries, and the comments of a Python file."""

    file: File
    queries: tuple[QueryText, ...]
    skipped: tuple[Undecided, ...] = ()
    directives: tuple[Directive, ...] = ()

    @property
    def is_python(self) -> bool:
        return self.file.name.endswith(".py")


def query_paths(given: str) -> list[str]:
    """A file, or all files with queries in a folder."""
    if given == "-" or not Path(given).is_dir():
        return [given]
    found = [
        str(path)
        for path in sorted(Path(given).rglob("*"))
        if path.suffix in QUERY_SUFFIXES and path.is_file() and not any(part.startswith(".") for part in path.parts)
    ]
    if not found:
        raise InputError(f"no file with queries ({', '.join(QUERY_SUFFIXES)})", where=Position(given))
    return found


def read_source(path: str) -> QuerySource:
    """The queries of a file, or of standard input if the path is `-`."""
    return source_of(_STDIN, _standard_input()) if path == "-" else source_of(path, exact_text(path))


def _standard_input() -> str:
    if sys.stdin is None:
        raise InputError("standard input is closed", where=Position(_STDIN))
    content = sys.stdin.buffer.read(LARGEST_TEXT + 1)
    if len(content) > LARGEST_TEXT:
        raise InputError(f"is larger than {LARGEST_TEXT >> 20} MB", where=Position(_STDIN))
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", where=Position(_STDIN)) from None


def source_of(name: str, text: str) -> QuerySource:
    """The queries of a text."""
    file = File(name, text)
    if name.endswith(".py"):
        found = queries_in_python(file)
        skipped = tuple(
            Undecided(name, file.place(*span), "the query is complete only when the program runs")
            for span in found.templates
        )
        return QuerySource(file, found.queries, skipped, tuple(directives_in(text, found.comments)))
    if text.startswith("\ufeff"):
        return QuerySource(file, (QueryText(file, text[1:], range(1, len(text) + 1)),))
    return QuerySource(file, (QueryText(file, text),))
