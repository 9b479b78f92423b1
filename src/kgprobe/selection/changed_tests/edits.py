"""The files of a repository that have changed since a revision."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.git.repository import Repository
from kgprobe.given_files import exact_text

__all__ = ["Edits", "parsed"]


@dataclass(frozen=True)
class Edits:
    """The changes in a repository since a revision, except for the files of the ontology.

    Uncommitted changes and untracked files count, too.
    """

    repository: Repository
    commit: str
    revision: str
    ontology: Collection[Path] = ()

    @cached_property
    def existed(self) -> dict[Path, bool]:
        """The files that have changed, and whether they existed at the revision."""
        ontology = {path.resolve() for path in self.ontology}
        found: dict[Path, bool] = {}
        for path, was_there in self.repository.changes(self.commit).items():
            # A submodule at a different commit is a folder: any file in it may have changed.
            inner = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
            found.update((each, was_there) for each in inner if each.resolve() not in ontology)
        return found

    @cached_property
    def _edited_code(self) -> dict[Path, bool]:
        return {}

    def has_changed(self, path: Path) -> bool:
        """Whether a file has changed. In Python, comments and layout do not count."""
        if path not in self.existed:
            return False
        if path.suffix != ".py":
            return True
        if path not in self._edited_code:
            old, new = self.old_code(path), parsed(_text(path))
            self._edited_code[path] = old is None or new is None or ast.dump(old) != ast.dump(new)
        return self._edited_code[path]

    def old_code(self, path: Path) -> ast.Module | None:
        """The syntax tree of a Python file at the revision; None if it did not exist or was not valid Python."""
        name = self.repository.relative(path)
        if name is None or not self.existed.get(path, True):
            return None
        try:
            return parsed(self.repository.content(self.commit, name).decode())
        except (InputError, UnicodeDecodeError):
            return None

    def how(self, path: Path) -> str:
        """The kind of change of a file."""
        if not self.existed.get(path, True):
            return "is new"
        return "was edited" if path.exists() else "was removed"

    def name(self, path: Path) -> str:
        """The path of a file in the repository."""
        return self.repository.relative(path) or str(path)


def parsed(text: str | None) -> ast.Module | None:
    """The syntax tree of a text; None if it is not valid Python."""
    if text is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes in the user's strings
            return ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _text(path: Path) -> str | None:
    try:
        return exact_text(path)
    except InputError:
        return None
