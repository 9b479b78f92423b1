"""Python tests: the functions, classes and examples that pytest collects from a file."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.languages import Reader
from kgprobe.selection.discovery.search import Search
from kgprobe.selection.tests import Language, Test

if TYPE_CHECKING:
    from kgprobe.selection.discovery.python.tests import PythonTests

__all__ = ["LANGUAGES", "PYTHON"]


class _Python(Reader):
    @cached_property
    def _python(self) -> PythonTests:
        from kgprobe.selection.discovery.python.tests import PythonTests  # only here: many suites have no such tests

        return PythonTests(self.search, self.search.folders, self.unrelated)

    def tests(self, file: TestFile) -> Iterable[Test]:
        if _is_test_file(file, self.search):
            yield from self._python.tests(file)
        if self.search.collecting.has_examples(file.base):
            yield from self._python.examples(file)


def _is_test_file(file: TestFile, search: Search) -> bool:
    return file.suffix == ".py" and (file.is_named or search.collecting.is_test_file(file.base))


def _has_tests(file: TestFile, search: Search) -> bool:
    return _is_test_file(file, search) or search.collecting.has_examples(file.base)


PYTHON = Language("python", "a Python test", suffixes=(".py",), reader=_Python, claims=_has_tests, runs_in_pytest=True)
LANGUAGES = (PYTHON,)
