"""Which files of a repository have changed since a revision, and in what way."""

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
    """What has changed in a repository since a revision. The files of the ontology are no part of it.

    Changes that are not committed count, and so do files that git does not know yet.
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
            # A submodule that is at another commit is a folder: any file in it may have changed.
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
        """The statements that a Python file had at the revision; None if it did not exist, or was no Python."""
        name = self.repository.relative(path)
        if name is None or not self.existed.get(path, True):
            return None
        try:
            return parsed(self.repository.content(self.commit, name).decode())
        except (InputError, UnicodeDecodeError):
            return None

    def how(self, path: Path) -> str:
        """What has happened to a file."""
        if not self.existed.get(path, True):
            return "is new"
        return "was edited" if path.exists() else "was removed"

    def name(self, path: Path) -> str:
        """A file as it is called in the repository."""
        return self.repository.relative(path) or str(path)


def parsed(text: str | None) -> ast.Module | None:
    """The statements of a text in Python; None if it is none."""
    if text is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in somebody else's strings
            return ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _text(path: Path) -> str | None:
    try:
        return exact_text(path)
    except InputError:
        return None
