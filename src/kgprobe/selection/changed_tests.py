"""Decides whether a test has changed since a revision, and why."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.given_files import read_bytes
from kgprobe.selection.dependencies import Dependencies, Project
from kgprobe.selection.discovery.files import suffixes_of_single_tests
from kgprobe.selection.discovery.python.fixtures import is_fixture
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Function
from kgprobe.selection.ontology_versions import Edits, parsed
from kgprobe.selection.order import Urgency
from kgprobe.selection.plan import PlannedTest, Reason, SelectionPlan
from kgprobe.selection.tests import Test

__all__ = ["ChangedTests", "with_changed_tests"]

_WHICH = ", which "
_CHANGED = "the test itself has changed"
# The files of pytest settings. The shared ones are often about other tools.
_SETTINGS = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")
_SHARED_SETTINGS = ("pyproject.toml", "tox.ini", "setup.cfg")
_LARGEST_SETTINGS = 1 << 22


class ChangedTests:
    """Decides whether tests have changed. `plugins` are files that every Python test needs."""

    def __init__(self, edits: Edits, plugins: Iterable[Path] = ()) -> None:
        self._edits = edits
        self._plugins = tuple(plugins)
        self._known: dict[Path, str | None] = {}
        self._own: dict[Path, _Parts | None] = {}

    @property
    def revision(self) -> str:
        return self._edits.revision

    def why(self, test: Test) -> str | None:
        """Why a test counts as changed; None if it does not, or if it has no file."""
        if not self._edits.existed:
            return None
        file = None if test.file is None else self._changed_place(test.file)
        if file in self._edits.existed:
            own = self._own_change(test, file)
            if own is not None:
                return own
        if test.language.runs_in_pytest and file is not None:
            if file not in self._known:
                self._known[file] = self._about_code(file)
            return self._known[file] or next(
                (f"it uses {self._named(part, _WHICH)}" for part in self._parts(test)), None
            )
        return next((self._named(neighbour) for neighbour in self._beside(test, file)), None)

    def _named(self, path: Path, between: str = " ") -> str:
        return f"{self._edits.name(path)}{between}{self._edits.how(path)}"

    def _changed_place(self, file: Path) -> Path:
        """A file as git names it. Of a link and its target, the one that has changed."""
        target = file.resolve()
        return target if target in self._edits.existed else _place(file)

    # -- the file of the test ------------------------------------------------------------------------------------

    def _own_change(self, test: Test, file: Path) -> str | None:
        if not self._edits.existed[file]:
            return "it is new"
        if not self._edits.has_changed(file):
            return None
        if not test.language.runs_in_pytest:
            return "it was edited"
        if file not in self._own:
            self._own[file] = _Parts.of(self._edits.old_code(file), file)
        parts = self._own[file]
        return "it was edited" if parts is None else parts.why(tuple(test.name.split("::")[1:]))

    def _parts(self, test: Test) -> list[Path]:
        """The changed files that a test names as parts of it."""
        parts = {_place(part) for part in (*test.parts, *filter(None, (test.expected,)))}
        return [file for file in self._edits.existed if file in parts and self._edits.has_changed(file)]

    def _beside(self, test: Test, file: Path | None) -> Iterator[Path]:
        """The changed files that belong to a test that is not Python code: its data and its expected results."""
        parts = self._parts(test)
        near = () if file is None else (file.parent, file.parent / "expected")
        for changed in self._edits.existed:
            is_test = changed.name.endswith(suffixes_of_single_tests())
            is_namesake = file is not None and not is_test and changed.name.partition(".")[0] == file.stem
            if changed in parts or (is_namesake and changed.parent in near):
                yield changed

    # -- the files of a Python test ----------------------------------------------------------------------------------

    @cached_property
    def _project(self) -> Project:
        return Project(self._edits)

    def _about_code(self, file: Path) -> str | None:
        """Why the tests of a file count as changed, apart from edits of the file itself."""
        root = self._edits.repository.root
        if not file.is_relative_to(root):
            return None
        for folder in file.parents:
            for path in self._settings(folder):
                return f"the settings of pytest: {self._named(path)}"
            if folder == root:
                break
        conftests = [folder / "conftest.py" for folder in file.parents if folder.is_relative_to(root)]
        needs = self._project.needs([file, *conftests, *self._plugins])
        found = self._about_needs(needs, file)
        if found is None and needs.is_open:
            found = self._about_needs(self._project.everything, file)
            return found and f"it imports modules whose names are unknown before it runs, so perhaps {found}"
        return found

    def _about_needs(self, needs: Dependencies, file: Path) -> str | None:
        for path in needs.files:
            if path != file and self._edits.has_changed(path):
                return f"it uses {self._named(path, _WHICH)}"
        for path in sorted(self._project.may_read(needs, file) - needs.files.keys()):
            return f"it may read {self._named(path, _WHICH)}"
        return None

    def _settings(self, folder: Path) -> Iterator[Path]:
        for name in _SETTINGS:
            if folder / name in self._edits.existed:
                yield folder / name
        for name in _SHARED_SETTINGS:
            path = folder / name
            if path in self._edits.existed and self._is_about_pytest(path):
                yield path

    def _is_about_pytest(self, path: Path) -> bool:
        """Whether a file names pytest, now or at the revision."""
        try:
            if path.exists() and b"pytest" in read_bytes(path, _LARGEST_SETTINGS):
                return True
            name = self._edits.repository.relative(path)
            was_there = name is not None and self._edits.existed[path]
            return was_there and b"pytest" in self._edits.repository.content(self._edits.commit, name or "")
        except InputError:
            return True


@dataclass(frozen=True)
class _Parts:
    """The tests of a file at the revision and now, as syntax trees, and the names that each of them refers to."""

    is_rest_same: bool
    old: Mapping[tuple[str, ...], str]
    new: Mapping[tuple[str, ...], str]
    references: Mapping[tuple[str, ...], frozenset[str]]

    @classmethod
    def of(cls, old: ast.Module | None, file: Path) -> _Parts | None:
        """None if one of the two versions is not valid Python."""
        try:
            new = parsed(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            return None
        if old is None or new is None:
            return None
        before, after = _tests_in(old), _tests_in(new)
        references = {name: frozenset(_referred(node)) for name, node in after.items()}
        references[()] = frozenset(_referred(_without_tests(new)))
        is_same = ast.dump(_without_tests(old)) == ast.dump(_without_tests(new))
        return cls(is_same, _dumped(before), _dumped(after), references)

    def why(self, test: tuple[str, ...]) -> str | None:
        """Why a test of the file counts as changed; None if it does not."""
        if test in self.new and test not in self.old:
            return "it is new"
        if not self.is_rest_same or test not in self.new or self.old[test] != self.new[test]:
            return "it was edited"
        others = {name[-1] for name in {*self.old, *self.new} if self.old.get(name) != self.new.get(name)}
        if others.isdisjoint(self.references[test] | self.references[()]):
            return None
        return "it refers to a test that was edited"


def _tests_in(tree: ast.Module) -> dict[tuple[str, ...], ast.AST]:
    """The test functions at the top of a file and in its classes, by name."""
    found: dict[tuple[str, ...], ast.AST] = {}
    pending: list[tuple[tuple[str, ...], list[ast.stmt]]] = [((), tree.body)]
    while pending:
        names, body = pending.pop()
        for statement in body:
            if isinstance(statement, ast.ClassDef):
                pending.append(((*names, statement.name), statement.body))
            elif isinstance(statement, FUNCTIONS) and _is_test(statement):
                name = (*names, statement.name)
                before = found.get(name)
                found[name] = statement if before is None else ast.Module([*_body(before), statement], [])
    return found


def _body(node: ast.AST) -> list[ast.stmt]:
    if isinstance(node, ast.Module):
        return node.body
    return [node] if isinstance(node, ast.stmt) else []


def _without_tests(tree: ast.Module) -> ast.Module:
    return ast.Module([_stripped(statement) for statement in tree.body if not _is_test(statement)], [])


def _stripped(statement: ast.stmt) -> ast.stmt:
    if not isinstance(statement, ast.ClassDef):
        return statement
    kept = ast.ClassDef(**{name: getattr(statement, name) for name in statement._fields})
    kept.body = [_stripped(inner) for inner in statement.body if not _is_test(inner)]
    return kept


def _is_test(statement: ast.stmt | Function) -> bool:
    return isinstance(statement, FUNCTIONS) and statement.name.startswith("test") and not is_fixture(statement)


def _dumped(tests: Mapping[tuple[str, ...], ast.AST]) -> dict[tuple[str, ...], str]:
    return {name: ast.dump(node) for name, node in tests.items()}


def _referred(node: ast.AST) -> Iterator[str]:
    """All names in a piece of code, and its strings, because some tools refer to functions by strings."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _place(path: Path) -> Path:
    """A path as git names it: links among its folders are followed, but a link at its end is not."""
    place = path.absolute()
    return place.parent.resolve() / place.name


# -- adding changed tests to a plan ------------------------------------------------------------------------------------


def with_changed_tests(
    plan: SelectionPlan, changed: ChangedTests, failures: Mapping[str, int] | None = None
) -> SelectionPlan:
    """The plan with the tests that have changed.

    They come first, except after tests with more past failures and those that name an entity that is gone.
    """
    why = {test.name: reason for test in plan.tests if (reason := changed.why(test)) is not None}
    if not why:
        return plan
    planned = {planned.test.name: planned for planned in plan.chosen}
    past = failures or {}
    first = []
    for test in plan.tests:
        if test.name in why:
            own = Reason("", entailed=False, path=(), use=f"{_CHANGED}: {why[test.name]}", line=test.line)
            known = planned.pop(test.name, PlannedTest(test, (), Urgency.EDITED, past.get(test.name, 0)))
            urgency = min(known.urgency, Urgency.EDITED)
            first.append(replace(known, because=(own, *known.because), urgency=urgency))
    chosen = sorted([*first, *planned.values()], key=lambda each: each.place)
    many = "1 test has" if len(why) == 1 else f"{len(why):,} tests have"
    return replace(plan, chosen=tuple(chosen), how=(*plan.how, f"{many} changed since {changed.revision}"))
