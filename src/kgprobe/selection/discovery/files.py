"""The files that may contain tests, found in one walk and in a fixed order, and the languages that they are written in.

Each language is one module of this package: its name ends with `_files`, and it has `LANGUAGES`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol

from kgprobe.errors import InputError, Position
from kgprobe.given_files import exact_text
from kgprobe.selection import discovery
from kgprobe.selection.tests import Language, Test

if TYPE_CHECKING:
    from kgprobe.selection.discovery.search import Search

SQL_SUFFIXES = (".sql", ".pgsql", ".psql", ".ddl", ".plsql", ".hql", ".sql.j2")

_SKIPPED = frozenset(["__pycache__", "node_modules"])
_DEEPEST = 100
_MODULES = "_files"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with the names of its files and folders, for lookup of the files beside a test."""

    path: str
    files: frozenset[str]
    folders: frozenset[str]


@dataclass(frozen=True, slots=True)
class TestFile:
    """A file that may contain tests. `name` is its path from the working folder, as a person would write it."""

    __test__ = False

    path: str
    name: str
    folder: Folder
    is_named: bool = False  # the user named this file itself

    @property
    def file(self) -> Path:
        return Path(self.path)

    @property
    def base(self) -> str:
        """The name without folders."""
        return self.name.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        end = os.path.splitext(self.base)[1].lower()  # noqa: PTH122 - there are thousands, and this is faster
        return ".sql.j2" if end == ".j2" and self.base.lower().endswith(".sql.j2") else end


def text_of(file: Path) -> str | None:
    """The text of a file, with its line ends as they are; None if it cannot be read."""
    try:
        return exact_text(file)
    except InputError:
        return None


def walk(given: Iterable[Path], root: Path, notes: Callable[[str], None]) -> Iterator[TestFile]:
    """The given files and the files in the given folders, each once, without hidden folders and those of tools."""
    names: set[str] = set()
    for file in _all(given, root, notes):
        if file.name not in names:
            names.add(file.name)
            yield file


def _all(given: Iterable[Path], root: Path, notes: Callable[[str], None]) -> Iterator[TestFile]:
    listed: dict[str, Folder] = {}
    for path in given:
        start = str(path)
        try:
            about = os.stat(start)  # noqa: PTH116 - on strings throughout: there are thousands of files
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"cannot be searched for tests: {reason}", where=Position(start)) from None
        name = _name(start, root)
        if stat.S_ISREG(about.st_mode):
            parent = os.path.dirname(start) or "."  # noqa: PTH120 - on strings throughout
            if parent not in listed:
                listed[parent] = _scan(parent, notes)[0]
            yield TestFile(start, name, listed[parent], is_named=True)
        elif not stat.S_ISDIR(about.st_mode):
            raise InputError("is neither a file nor a folder", where=Position(start))
        else:
            yield from _walk(start, name, {(about.st_dev, about.st_ino)}, notes)


def _walk(start: str, name: str, seen: set[tuple[int, int]], notes: Callable[[str], None]) -> Iterator[TestFile]:
    # Links to folders come last, so that a folder within the walk gets its own name, not that of a link.
    pending = [(start, name, 0)]
    links: list[tuple[os.DirEntry[str], str, int]] = []
    while pending or links:
        if not pending:
            entry, shown, depth = links.pop()
            if _is_new(entry, seen):
                pending.append((entry.path, shown, depth))
            continue
        path, shown, depth = pending.pop()
        if depth > _DEEPEST:
            notes(f"{shown} is nested too deeply, and was not searched")
            continue
        folder, files, folders = _scan(path, notes)
        if "pyvenv.cfg" in folder.files:
            continue
        prefix = "" if shown == "." else f"{shown.rstrip('/')}/"
        for entry in files:
            yield TestFile(entry.path, prefix + entry.name, folder)
        for entry in folders:
            if entry.is_symlink():
                links.append((entry, prefix + entry.name, depth + 1))
            elif _is_new(entry, seen):
                pending.append((entry.path, prefix + entry.name, depth + 1))


def _scan(path: str, notes: Callable[[str], None]) -> tuple[Folder, list[os.DirEntry[str]], list[os.DirEntry[str]]]:
    files: list[os.DirEntry[str]] = []
    folders: list[os.DirEntry[str]] = []
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                kind = _kind(entry)
                if kind == "folder" and not entry.name.startswith(".") and entry.name not in _SKIPPED:
                    folders.append(entry)
                elif kind == "file" and not entry.name.startswith("."):
                    files.append(entry)
    except OSError as error:
        notes(f"{path} cannot be read: {error.strerror}")
    for entry in [entry for entry in (*files, *folders) if not _is_utf8(entry.name)]:
        notes(f"{entry.path!a} has a name that is not UTF-8, and was left out")
        (files if entry in files else folders).remove(entry)
    files.sort(key=_entry_name)
    folders.sort(key=_entry_name)
    names = (frozenset(map(_entry_name, entries)) for entries in (files, folders))
    return Folder(path, *names), files, folders


def _entry_name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _is_utf8(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        if entry.is_dir():
            return "folder"
        return "file" if entry.is_file() else ""  # reading a pipe would block
    except OSError:
        return ""


def _is_new(entry: os.DirEntry[str], seen: set[tuple[int, int]]) -> bool:
    try:
        about = entry.stat()
    except OSError:
        return False
    identity = (about.st_dev, about.st_ino)
    if identity in seen:
        return False
    seen.add(identity)
    return True


def _name(path: str, root: Path) -> str:
    """A normalised path, relative to the working folder if it is below that."""
    shown = os.path.normpath(path)
    if os.path.isabs(shown):  # noqa: PTH117 - on strings throughout
        base = os.path.normpath(root)
        if shown == base:
            shown = "."
        elif shown.startswith(base.rstrip(os.sep) + os.sep):
            shown = shown[len(base.rstrip(os.sep)) + 1 :]
    return shown.replace(os.sep, "/")


# -- the languages of tests --------------------------------------------------------------------------------------------


class Reader(Protocol):
    """Reads the files of a language in one search."""

    def tests(self, file: TestFile) -> Iterable[Test]:
        """The tests of a file."""

    def finish(self) -> Iterable[Test]:
        """The tests that are known only when all files have been read."""


@dataclass(frozen=True)
class LanguageFiles:
    """The files of a language of tests, and their reader."""

    language: Language
    reader: Callable[[Search], Reader]
    suffixes: tuple[str, ...] = ()  # the ends of the names of files that belong to the language
    claims: Callable[[TestFile, Search], bool] | None = None  # which files are tests  [those with the suffixes]

    def has(self, file: TestFile, search: Search) -> bool:
        """Whether a file has tests of this language."""
        return file.suffix in self.suffixes if self.claims is None else self.claims(file, search)


@cache
def languages() -> tuple[LanguageFiles, ...]:
    """All languages that have files, in the order of their modules."""
    names = sorted(module.name for module in iter_modules(discovery.__path__) if module.name.endswith(_MODULES))
    return tuple(files for name in names for files in import_module(f"{discovery.__name__}.{name}").LANGUAGES)


def suffixes_of_single_tests() -> tuple[str, ...]:
    """The ends of the names of files that are one test each."""
    return tuple(suffix for files in languages() if not files.language.runs_in_pytest for suffix in files.suffixes)
