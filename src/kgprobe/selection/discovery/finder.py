"""Finds tests in folders and files, by their content and by declarations of the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias

from kgprobe.git.versions import graphs_among
from kgprobe.rdf.table import collection_paused
from kgprobe.selection.discovery.declared import MATRIX, Declared, with_declared
from kgprobe.selection.discovery.files import SQL_SUFFIXES, LanguageFiles, Reader, TestFile, walk
from kgprobe.selection.discovery.search import FinderOptions, Search
from kgprobe.selection.tests import Suite, Test
from kgprobe.selection.vocabulary import Vocabulary

__all__ = ["find_tests"]

Progress: TypeAlias = Callable[[int, int], None]

_BETWEEN_REPORTS = 100


def find_tests(
    folder_or_files: Sequence[Path],
    vocabulary: Vocabulary,
    options: FinderOptions | None = None,
    on_progress: Progress | None = None,
) -> Suite:
    """The tests in these folders and files, in order of their names, each with its uses.

    `on_progress` gets the number of files read, and the total. InputError if a folder or file does not exist, or if the
    matrix, the record or the command is invalid. A problem with a single test is reported in the test or in a note.
    """
    search = Search(vocabulary, options or FinderOptions())
    given = [Path(file) for file in folder_or_files]
    matrix, recorded = _declared(search)
    search.folders = given
    readers = _Readers(search)
    found: dict[str, Test] = {}
    with collection_paused():
        for test in _tests(given, search, readers, on_progress):
            found.setdefault(test.name, test)
    others = search.unrelated
    _add_matrix(found, matrix, others, search)
    _add_recorded(found, recorded, others, search)
    tests = tuple(found[name] for name in sorted(found))
    unrelated = tuple(sorted(test.name for test in others if test.name not in found))
    return Suite(tests, search.finish(), unrelated, _skipped(readers.skipped, tests))


def _declared(search: Search) -> tuple[dict[str, Declared], dict[str, Declared]]:
    """The declarations of the matrix and of the record, if there are any."""
    options = search.options
    matrix: dict[str, Declared] = {}
    recorded: dict[str, Declared] = {}
    if options.terms_command:
        from kgprobe.selection.discovery.declared import check_command

        check_command(options.terms_command)
    if options.matrix is not None:
        from kgprobe.selection.discovery.declared import read_matrix

        matrix = read_matrix(options.matrix, search)
    if options.recorded is not None:
        from kgprobe.selection.discovery.declared import read_recorded

        recorded = read_recorded(options.recorded, search)
    return matrix, recorded


def _skipped(files: Iterable[TestFile], tests: Iterable[Test]) -> tuple[tuple[str, int], ...]:
    """The extensions of files that were not read and do not belong to a test, with their numbers, most first."""
    parts = {part for test in tests for part in (test.expected, *test.parts) if part is not None}
    counts = Counter(skipped.suffix for skipped in files if skipped.file not in parts)
    return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


class _Readers:
    """The readers of languages. Each is made when the first of its files is found."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._made: dict[str, Reader] = {}
        self.skipped: list[TestFile] = []

    def of(self, files: LanguageFiles) -> Reader:
        name = files.language.name
        if name not in self._made:
            self._made[name] = files.reader(self._search)
        return self._made[name]

    def finish(self) -> Iterator[Test]:
        for reader in self._made.values():
            yield from reader.finish()


def _tests(given: Sequence[Path], search: Search, readers: _Readers, on_progress: Progress | None) -> Iterator[Test]:
    files = list(walk(given, search.root, search.note))
    options = search.options
    search.sql_files = [file for file in files if file.suffix in SQL_SUFFIXES]
    asked = [file for file in files if _is_asked_for(file, options.test_files)]
    others = [file for file in asked if options.terms_command or not _has_reader(file, search)]
    names = {file.name for file in others}
    for done, file in enumerate(files, 1):
        if on_progress is not None and done % _BETWEEN_REPORTS == 0:
            on_progress(done, len(files))
        if file.name in names or search.neighbours.is_expected(file):
            continue
        language = next((language for language in search.languages if language.has(file, search)), None)
        if language is not None:
            yield from readers.of(language).tests(file)
        elif not _is_known(file, search):
            readers.skipped.append(file)
    yield from readers.finish()
    if others and options.terms_command:
        from kgprobe.selection.discovery.declared import command_tests

        yield from command_tests(others, search)
    elif others:
        from kgprobe.selection.discovery.text_files import text_test

        yield from (text_test(file, search) for file in others)
    if on_progress is not None:
        on_progress(len(files), len(files))


def _has_reader(file: TestFile, search: Search) -> bool:
    """Whether the name of a file is that of a test in a language that kgprobe reads as such."""
    return any(file.suffix in language.suffixes and language.has(file, search) for language in search.languages)


def _is_known(file: TestFile, search: Search) -> bool:
    """Whether a file is code or a graph, which tests only load."""
    return any(file.suffix in language.suffixes for language in search.languages) or bool(graphs_among([file.file]))


def _is_asked_for(file: TestFile, globs: Iterable[str]) -> bool:
    return any(fnmatchcase(file.name, glob) or fnmatchcase(file.base, glob) for glob in globs)


def _add_matrix(found: dict[str, Test], matrix: Mapping[str, Declared], others: list[Test], search: Search) -> None:
    """Add the declarations of the matrix. It may also declare tests that were not found."""
    parts = tuple(filter(None, (search.options.matrix,)))
    unrelated = {test.name: test for test in others}
    for name in matrix:
        if name not in found:
            file = Path(name.partition("::")[0])
            other = unrelated.get(name)
            own = file if file.suffix and file.is_file() else None
            found[name] = other or Test(name, MATRIX, file=own, parts=parts)
        found[name] = with_declared(found[name], matrix)
    others[:] = [test for test in others if test.name not in matrix]


def _add_recorded(found: dict[str, Test], recorded: Mapping[str, Declared], others: list[Test], search: Search) -> None:
    """Add the recorded uses. A recorded test uses a graph, even if its code does not seem to."""
    for test in others:
        if test.name in recorded:
            found[test.name] = test
    unknown = [name for name in recorded if name not in found]
    for name in recorded:
        if name in found:
            found[name] = with_declared(found[name], recorded)
    if unknown:
        many = f"{len(unknown)} tests of the record were" if len(unknown) > 1 else "1 test of the record was"
        search.note(f"{many} not found, such as {unknown[0]}")
    left = sum(1 for test in others if test.name not in recorded)
    if left:
        search.note(f"{left} Python test{'s do' if left > 1 else ' does'} not use the graph")
