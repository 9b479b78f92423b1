"""The languages of tests. Each is one module of this package: its name ends with `_files`, and it has `LANGUAGES`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from kgprobe.selection import discovery
from kgprobe.selection.tests import Language, Test

if TYPE_CHECKING:
    from kgprobe.selection.discovery.files import TestFile
    from kgprobe.selection.discovery.search import Search

__all__ = ["Reader", "languages"]

_MODULES = "_files"


class Reader:
    """Reads the files of a language. `unrelated` are tests that do not use the graph, known after the last file."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.unrelated: list[Test] = []

    def tests(self, file: TestFile) -> Iterable[Test]:
        """The tests of a file."""
        raise NotImplementedError

    def finish(self) -> Iterable[Test]:
        """The tests that are known only when all files have been read."""
        return ()


@cache
def languages() -> tuple[Language, ...]:
    """All languages of tests, in the order of their modules."""
    names = sorted(each.name for each in iter_modules(discovery.__path__) if each.name.endswith(_MODULES))
    return tuple(language for name in names for language in import_module(f"{discovery.__name__}.{name}").LANGUAGES)
