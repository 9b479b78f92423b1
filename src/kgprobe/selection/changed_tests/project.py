"""The Python files of a repository, and the files that each of them needs to run."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kgprobe.selection.changed_tests.code import Code, code_of
from kgprobe.selection.changed_tests.edits import Edits
from kgprobe.selection.discovery.python.modules import Import

__all__ = ["Dependencies", "Project"]


@dataclass
class Dependencies:
    """The files that a file needs. Some of `files` may no longer exist; `codes` are those that can be read."""

    files: dict[Path, None] = field(default_factory=dict)
    codes: list[Code] = field(default_factory=list)
    is_open: bool = False  # may need any Python file


class Project:
    """Finds the files that a file imports, by names alone.

    Where Python searches for modules depends on settings, plugins and installed packages. So an import stands for every
    file of the repository whose path ends with the name: better too many files than too few.
    """

    def __init__(self, edits: Edits) -> None:
        self._root = edits.repository.root
        self._files = {path for path in (*edits.repository.files(), *edits.existed) if _is_code(path)}
        self._changed = list(edits.existed)
        self._codes: dict[Path, Code | None] = {}
        self._mentioned: dict[Path, frozenset[Path]] = {}
        self._by_last: dict[str, list[tuple[tuple[str, ...], Path]]] = defaultdict(list)
        for path in sorted(self._files):
            parts = path.relative_to(self._root).with_suffix("").parts
            module = parts[:-1] if parts[-1] == "__init__" else parts
            if module:
                self._by_last[module[-1]].append((module, path))

    def needs(self, first: Iterable[Path]) -> Dependencies:
        """The files that some files need, including themselves."""
        found = Dependencies()
        pending = list(first)
        while pending:
            path = pending.pop()
            if path in found.files or path not in self._files:
                continue
            found.files[path] = None
            pending += self._around(path)
            code = self._code(path)
            if code is None:
                found.is_open |= path.exists()
                continue
            found.codes.append(code)
            found.is_open |= code.imports_anything
            pending += self._following(code)
        return found

    @cached_property
    def everything(self) -> Dependencies:
        """The files that all files together need, for code with unknown imports."""
        return self.needs(sorted(self._files))

    def may_read(self, needs: Dependencies, first: Path) -> set[Path]:
        """The changed files that the code which `first` needs may read."""
        found = set().union(*map(self._mentioned_in, needs.codes))
        if any(code.lists_folders for code in needs.codes):
            # The code that lists a folder may get the folder from other code.
            homes = {first.parent, *(code.file.parent for code in needs.codes if "__file__" in code.text)}
            found.update(path for path in self._changed if not homes.isdisjoint(path.parents) and not _is_code(path))
        return found

    def _mentioned_in(self, code: Code) -> frozenset[Path]:
        if code.file not in self._mentioned:
            found = (path for path in self._changed if code.mentions(path, self._root))
            self._mentioned[code.file] = frozenset(found)
        return self._mentioned[code.file]

    def _code(self, path: Path) -> Code | None:
        if path not in self._codes:
            self._codes[path] = code_of(path) if path.exists() else None
        return self._codes[path]

    def _around(self, path: Path) -> Iterator[Path]:
        """The files that Python runs first: the `__init__.py` files of the packages around a module."""
        for folder in path.parents:
            package = folder / "__init__.py"
            if package not in self._files:
                return
            yield package
            if folder == self._root:
                return

    def _following(self, code: Code) -> Iterator[Path]:
        for imported in code.imports:
            yield from self._beside(imported, code.file) if imported.level else self._anywhere(imported, code.file)
        for name in code.dotted_names:
            for length in range(2, len(name) + 1):
                yield from self._ending_with(name[:length], code.file)
        for script in code.scripts:
            yield from (path for path in self._files if path.parts[-len(script) :] == script)

    def _beside(self, imported: Import, file: Path) -> Iterator[Path]:
        """The files that a relative import can mean."""
        folders = file.parents
        if imported.level > len(folders):
            return
        place = folders[imported.level - 1]
        for part in (*_parts(imported.module), *filter(None, (imported.attribute,))):
            yield place / "__init__.py"
            place = place / part
            yield place.with_name(f"{part}.py")
        yield place / "__init__.py"

    def _anywhere(self, imported: Import, file: Path) -> Iterator[Path]:
        """The files that an absolute import can mean. The packages around a module run, too."""
        parts = (*_parts(imported.module), *filter(None, (imported.attribute,)))
        for length in range(1, len(parts) + 1):
            yield from self._ending_with(parts[:length], file)

    def _ending_with(self, name: tuple[str, ...], file: Path) -> Iterator[Path]:
        is_standard = name[0] in sys.stdlib_module_names
        for module, path in self._by_last.get(name[-1], ()):
            if module[-len(name) :] == name:
                start = self._root.joinpath(*module[: -len(name)])
                # A file with the name of a standard module hides that module only from files beside and below it.
                if not is_standard or file.is_relative_to(start):
                    yield path


def _is_code(path: Path) -> bool:
    return path.suffix in (".py", ".pyx")


def _parts(module: str) -> tuple[str, ...]:
    return tuple(filter(None, module.split(".")))
