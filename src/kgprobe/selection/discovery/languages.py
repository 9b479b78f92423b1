"""The languages of tests. Each is one module of this package: its name ends with `_files`, and it has `LANGUAGES`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Protocol

from kgprobe.selection import discovery
from kgprobe.selection.tests import Language, Test

if TYPE_CHECKING:
    from kgprobe.selection.discovery.files import TestFile
    from kgprobe.selection.discovery.search import Search

_MODULES = "_files"


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
