"""The queries in files that a user names: a kind of file is read by its module, a folder file by file.

Whatever a file is, its queries are `QueryText`: the text, the place of each character in the file, the variables that
are bound before, the prefixes that need no declaration, and what a template can become.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.given_files import LARGEST_TEXT, exact_text
from kgprobe.queries.diagnostics import Undecided
from kgprobe.queries.files.data_files import (
    RDF_SUFFIXES,
    queries_in_json,
    queries_in_markdown,
    queries_in_rdf,
    queries_in_yaml,
)
from kgprobe.queries.files.program_strings import C_LIKE, R, given_by_program, queries_in_program
from kgprobe.queries.files.python_strings import queries_in_python
from kgprobe.queries.files.templates import fillings, is_template, with_holes
from kgprobe.queries.files.texts import (
    File,
    Located,
    QueryText,
    looks_like_query,
    prefixes_of_endpoint,
    prefixes_written_in,
    shared_prefixes,
    verbatim,
)
from kgprobe.sparql.comments import Directive, directives_in
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.pyoxigraph import SOME_BASE
from kgprobe.sparql.tokens import UPDATES, tokens

__all__ = ["QuerySource", "given_by_programs", "is_query_file", "query_paths", "read_source", "refusal", "source_of"]

QUERY_SUFFIXES = (".rq", ".sparql", ".ru")
_PROGRAMS = {
    **dict.fromkeys((".java", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx"), C_LIKE),
    **dict.fromkeys((".r", ".R"), R),
}
_MARKDOWN = (".md", ".markdown", ".rmd", ".Rmd", ".qmd", ".mdx")
_YAML, _JSON = (".yaml", ".yml"), (".json", ".ipynb")
_TEMPLATES = (".j2", ".jinja", ".jinja2", ".tmpl", ".template", ".mustache", ".hbs", ".handlebars", ".in")
SOURCE_SUFFIXES = (*QUERY_SUFFIXES, ".py", *_PROGRAMS, *_MARKDOWN, *RDF_SUFFIXES, *_YAML, *_JSON)
_STDIN = "<stdin>"
_CLOSED = "or folder that cannot be listed"
_IN_HIDDEN, _IN_FOREIGN = "in a folder whose name begins with a dot", "in a folder of libraries"
# Folders with what other people wrote, or what programs made.
_FOREIGN = frozenset(("node_modules", "__pycache__", "site-packages", "bower_components"))
_DECORATED = re.compile(r"^#\+ ", re.MULTILINE)  # grlc
_PARAMETER = re.compile(r"[?$](_\w+)")
_FORMS = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE", *UPDATES)
_NEEDS_FORM = re.compile(rf"\b(?:{'|'.join(_FORMS)})\b", re.IGNORECASE)


@dataclass(frozen=True)
class QuerySource:
    """The queries of a file, the texts that were skipped, and the comments of a Python file."""

    file: File
    queries: tuple[QueryText, ...]
    skipped: tuple[Undecided, ...] = ()
    directives: tuple[Directive, ...] = ()

    @property
    def is_python(self) -> bool:
        return self.file.name.endswith(".py")

    @property
    def is_query_file(self) -> bool:
        """Whether the whole file is a query."""
        return is_query_file(self.file.name)


@dataclass(frozen=True)
class Found:
    """The files of a folder that may have queries, and how many others were left out, by reason."""

    paths: tuple[str, ...]
    left_out: Mapping[str, int]


def is_query_file(name: str) -> bool:
    """Whether a file with this name is a query as a whole."""
    return _kind(name) in ("", *QUERY_SUFFIXES)


def refusal(source: QuerySource) -> InputError | None:
    """The reason why a query file is not checked at all. In a folder it is skipped, but not if the user names it."""
    if not source.is_query_file or source.queries or not source.skipped:
        return None
    skipped = source.skipped[0]
    return InputError(f"this is {skipped.message}", where=Position(skipped.file, skipped.place.line))


def query_paths(given: str) -> Found:
    """A file, or all files that may have queries in a folder, which is read whatever its own name is."""
    if given == "-" or not Path(given).is_dir():
        return Found((given,), {})
    paths: list[str] = []
    left_out: dict[str, int] = {}

    def is_closed(_: OSError) -> None:
        left_out[_CLOSED] = left_out.get(_CLOSED, 0) + 1

    for folder, folders, files in os.walk(given, onerror=is_closed):
        hidden = [name for name in folders if name.startswith(".") and name != ".git"]
        foreign = [name for name in folders if name in _FOREIGN]
        for names, reason in ((hidden, _IN_HIDDEN), (foreign, _IN_FOREIGN)):
            count = sum(_number_of_sources(Path(folder, name)) for name in names)
            left_out[reason] = left_out.get(reason, 0) + count
        folders[:] = sorted(set(folders) - {*hidden, *foreign, ".git"})
        for name in sorted(files):
            path = Path(folder, name)
            if _kind(name) in SOURCE_SUFFIXES and path.is_file():
                if name.startswith("."):
                    reason = "whose name begins with a dot"
                elif path.stat().st_size > LARGEST_TEXT:
                    reason = f"larger than {LARGEST_TEXT >> 20} MB"
                else:
                    paths.append(str(path))
                    continue
                left_out[reason] = left_out.get(reason, 0) + 1
    if not paths:
        raise InputError(f"no file that may have queries ({', '.join(SOURCE_SUFFIXES)})", where=Position(given))
    return Found(tuple(paths), {reason: count for reason, count in left_out.items() if count})


def _number_of_sources(folder: Path) -> int:
    return sum(_kind(name) in QUERY_SUFFIXES for _, _, names in os.walk(folder) for name in names)


def _kind(name: str) -> str:
    """The suffix that tells the kind of a file; that of a template is the one before."""
    path = Path(name)
    if path.suffix in _TEMPLATES:
        return Path(path.stem).suffix if Path(path.stem).suffix in QUERY_SUFFIXES else path.suffix
    return path.suffix if path.suffix in SOURCE_SUFFIXES else ""


def read_source(path: str) -> QuerySource:
    """The queries of a file, or of standard input if the path is `-`."""
    return source_of(_STDIN, _standard_input()) if path == "-" else source_of(path, exact_text(path))


def given_by_programs(paths: Iterable[str]) -> frozenset[str]:
    """The names of variables to which the programs among some files give a value."""
    found: set[str] = set()
    for path in paths:
        if path != "-" and _kind(path) in (".py", *_PROGRAMS):
            with suppress(InputError):  # said when its queries are read
                found |= given_by_program(exact_text(path))
    return frozenset(found)


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
    kind = _kind(name)
    if kind == ".py":
        return _of_python(file)
    maker = _Maker(file, is_program=kind in _PROGRAMS)
    if kind in RDF_SUFFIXES:
        shared = shared_prefixes(name)
        for given in queries_in_rdf(text, name, kind):
            maker.add(given.located, bound_before=given.bound_before, prefixes={**shared, **given.prefixes})
    elif kind in _MARKDOWN:
        maker.add_all(queries_in_markdown(text))
    elif kind in _YAML:
        maker.add_all(queries_in_yaml(text))
    elif kind in _JSON:
        maker.add_all(queries_in_json(text))
    elif kind in _PROGRAMS:
        maker.add_all(queries_in_program(text, _PROGRAMS[kind]))
    else:
        maker.add_file()
    return maker.source()


def _of_python(file: File) -> QuerySource:
    found = queries_in_python(file)
    maker = _Maker(file, is_program=True)
    for queries, is_quoted in ((found.queries, False), (found.joined, True)):
        for located in queries:
            maker.add(located, is_quoted=is_quoted, is_asked_alone=located.offsets[0] in found.asked)
    for span in found.unread:
        maker.skip(span.start, span.end, "the query is complete only when the program runs")
    return maker.source(tuple(directives_in(file.text, found.comments)))


class _Maker:
    """Makes the queries of a file."""

    def __init__(self, file: File, *, is_program: bool = False) -> None:
        self._file = file
        self._is_program = is_program
        self._given = given_by_program(file.text) if is_program else frozenset()
        self._queries: list[QueryText] = []
        self._skipped: list[Undecided] = []
        self._written: Mapping[str, str] | None = None

    def source(self, directives: tuple[Directive, ...] = ()) -> QuerySource:
        """What was made."""
        return QuerySource(self._file, tuple(self._queries), tuple(self._skipped), directives)

    def skip(self, start: int, end: int, reason: str) -> None:
        """Say that a text is not checked."""
        self._skipped.append(Undecided(self._file.name, self._file.place(start, end), reason))

    def add_file(self) -> None:
        """The file is a query."""
        text = self._file.text
        start = 1 if text.startswith("\ufeff") else 0
        located = verbatim(text, start, len(text))
        marked = with_holes(located)
        if is_template(marked):
            self.add(located, is_quoted=False)
            return
        query = QueryText(self._file, text[start:], range(1, len(text) + 1) if start else None)
        self._queries.append(
            QueryText(
                query.file, query.text, query.offsets, _parameters(query.text), {**prefixes_of_endpoint(query.text)}
            )
        )

    def add_all(self, found: Iterator[Located]) -> None:
        """Add texts that stand in a document or a program."""
        for located in found:
            self.add(located)

    def add(
        self,
        located: Located,
        *,
        bound_before: frozenset[str] = frozenset(),
        prefixes: Mapping[str, str] | None = None,
        is_quoted: bool = True,
        is_asked_alone: bool = False,
    ) -> None:
        """Add a query, or the queries that a template can become. If it is asked alone, nothing is bound before."""
        marked = with_holes(located)
        known = {**self._known(located.text), **(prefixes or {})}
        is_in_program = self._is_program and not is_asked_alone
        bound_before |= _parameters(located.text) | (self._given if is_in_program else frozenset())
        make = partial(QueryText, self._file, prefixes=known, is_quoted=is_quoted, is_in_program=is_in_program)
        start, end = located.offsets[0], located.offsets[-1]
        if _NEEDS_FORM.search(located.text) is None:
            self.skip(start, end, "a part of a query")
        elif not is_template(marked):
            self._queries.append(make(located.text, located.offsets, bound_before))
        else:
            filled = fillings(marked, _mistake)
            if filled.reason:
                self.skip(start, end, filled.reason)
                return
            first, *others = (
                make(
                    query.located.text,
                    query.located.offsets,
                    bound_before | query.bound_before,
                    written=query.written,
                    is_template=True,
                )
                for query in filled.queries
            )
            self._queries.append(replace(first, others=tuple(others)))

    def _known(self, text: str) -> dict[str, str]:
        if self._written is None:
            self._written = {} if looks_like_query(self._file.text) else prefixes_written_in(self._file.text)
        return {**prefixes_of_endpoint(text), **self._written}


def _parameters(text: str) -> frozenset[str]:
    """The variables of a query with grlc's decorators that grlc replaces by values."""
    return frozenset(_PARAMETER.findall(text)) if _DECORATED.search(text) else frozenset()


def _mistake(text: str) -> int | None:
    """The offset of the first mistake in a text, whatever its prefixes stand for; None if it is SPARQL."""
    names = {token.text.partition(":")[0] for token in tokens(text) if token.kind == "prefixed"}
    try:
        read_document(text, "", dict.fromkeys(names, SOME_BASE))
    except InputError as error:
        if error.where is None or error.where.line is None:
            return len(text)
        lines = text.split("\n")[: error.where.line - 1]
        return min(sum(len(line) + 1 for line in lines) + (error.where.column or 1) - 1, len(text))
    return None
