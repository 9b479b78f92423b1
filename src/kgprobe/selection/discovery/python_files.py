"""Python tests: the functions, classes and examples that pytest collects from a file."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgprobe.errors import InputError
from kgprobe.given_files import read_text
from kgprobe.selection.discovery.files import LanguageFiles, Reader, TestFile, text_of
from kgprobe.selection.tests import Language

if TYPE_CHECKING:
    from kgprobe.selection.discovery.search import Search

# Each file, and the tables that may have the settings; the first one counts, as in pytest.
_FILES = (
    ("pytest.toml", ("pytest",)),
    (".pytest.toml", ("pytest",)),
    ("pytest.ini", ("pytest",)),
    (".pytest.ini", ("pytest",)),
    ("pyproject.toml", ("tool.pytest", "tool.pytest.ini_options")),
    ("tox.ini", ("pytest",)),
    ("setup.cfg", ("tool:pytest",)),
)
_ALWAYS = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")  # these count even if they are empty


@dataclass(frozen=True)
class Collecting:
    """What pytest collects: globs of files, and names or globs of classes and functions."""

    files: tuple[str, ...] = ("test_*.py", "*_test.py")
    classes: tuple[str, ...] = ("Test",)
    functions: tuple[str, ...] = ("test",)
    examples: tuple[str, ...] = ("test*.txt",)  # globs of text files with examples such as `>>> 1 + 1`
    has_examples_in_code: bool = False

    def is_test_file(self, base: str) -> bool:
        """Whether the name of a Python file is that of a test file."""
        return any(fnmatchcase(base, glob) for glob in self.files)

    def has_examples(self, base: str) -> bool:
        """Whether pytest looks for examples in a file with this name."""
        if base.endswith(".py"):
            return self.has_examples_in_code and base not in ("conftest.py", "setup.py", "__main__.py")
        return any(fnmatchcase(base, glob) for glob in self.examples)

    def is_function(self, name: str) -> bool:
        """Whether a function with this name is a test."""
        return _fits(name, self.functions)

    def is_class(self, name: str) -> bool:
        """Whether a class with this name has tests, even if it is no unittest.TestCase."""
        return _fits(name, self.classes)


DEFAULT = Collecting()


def _fits(name: str, patterns: Iterable[str]) -> bool:
    """A pattern without wildcards is the beginning of a name."""
    return any(
        fnmatchcase(name, pattern) if set(pattern) & set("*?[") else name.startswith(pattern) for pattern in patterns
    )


def collecting_in(folders: Iterable[Path], root: Path) -> Collecting:
    """What pytest collects if it is started for these folders and files, in a project with this root."""
    seen: dict[Path, None] = {}
    for folder in (root, *folders):
        place = folder.resolve()
        own = [folder for folder in (place, *place.parents) if folder.is_relative_to(root.resolve())]
        seen.update(dict.fromkeys(own or [place]))
    for folder in sorted(seen, key=lambda each: -len(each.parts)):
        settings = _settings(folder)
        if settings is not None:
            return _collecting(settings)
    return DEFAULT


def _settings(folder: Path) -> Mapping[str, Any] | None:
    for name, tables in _FILES:
        file = folder / name
        if not file.is_file():
            continue
        try:
            known = _toml(file) if name.endswith(".toml") else _ini(file)
        except (InputError, ValueError):
            continue
        found = {key: value for table in tables for key, value in known.get(table, {}).items()}
        if any(table in known for table in tables) or name in _ALWAYS:
            return found
    return None


def _toml(file: Path) -> Mapping[str, Mapping[str, Any]]:
    import tomllib  # only here: most searches find no such file

    data = tomllib.loads(read_text(file))
    pytest = data.get("tool", {}).get("pytest", {}) if isinstance(data.get("tool"), dict) else {}
    own = data.get("pytest")
    found = {"pytest": own} if isinstance(own, dict) else {}
    if isinstance(pytest, dict) and pytest:
        found["tool.pytest"] = {key: value for key, value in pytest.items() if key != "ini_options"}
        options = pytest.get("ini_options", {})
        found["tool.pytest.ini_options"] = options if isinstance(options, dict) else {}
    return found


def _ini(file: Path) -> Mapping[str, Mapping[str, Any]]:
    import configparser  # only here: most searches find no such file

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(read_text(file))
    except configparser.Error:
        return {}
    return {name: dict(parser[name]) for name in parser.sections()}


def _collecting(settings: Mapping[str, Any]) -> Collecting:
    found = DEFAULT
    for field, key in (("files", "python_files"), ("classes", "python_classes"), ("functions", "python_functions")):
        values = tuple(_words(settings.get(key)))
        if values:
            found = replace(found, **{field: values})  # type: ignore[arg-type]
    options = list(_words(settings.get("addopts")))
    globs = [option.partition("=")[2] for option in options if option.startswith("--doctest-glob=")]
    globs += [after for option, after in pairwise(options) if option == "--doctest-glob"]
    return replace(found, examples=tuple(globs) or found.examples, has_examples_in_code="--doctest-modules" in options)


def _words(value: object) -> Iterator[str]:
    if isinstance(value, str):
        try:
            yield from shlex.split(value, comments=True)
        except ValueError:
            yield from value.split()
    elif isinstance(value, list):
        yield from (word for word in value if isinstance(word, str))


# -- the language ------------------------------------------------------------------------------------------------------


def _reader(search: Search) -> Reader:
    from kgprobe.selection.discovery.python.tests import PythonTests  # only here: many suites have no such tests

    return PythonTests(search)


def is_test_file(file: TestFile, search: Search) -> bool:
    """Whether pytest looks for test functions in a file."""
    return file.suffix == ".py" and (file.is_named or search.collecting.is_test_file(file.base))


def _has_tests(file: TestFile, search: Search) -> bool:
    return is_test_file(file, search) or has_examples(file, search)


def has_examples(file: TestFile, search: Search) -> bool:
    """Whether pytest finds examples such as `>>> 1 + 1` in a file."""
    if not search.collecting.has_examples(file.base):
        return False
    text = text_of(file.file)
    return text is None or ">>>" in text  # its test says why it cannot be read


PYTHON = Language("python", "a Python test", runs_in_pytest=True)
LANGUAGES = (LanguageFiles(PYTHON, _reader, (".py",), _has_tests),)
