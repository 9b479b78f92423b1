"""Versions of files in git: the commits that made them, and earlier graphs with their imports at the time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from kgprobe.errors import KgprobeError, Position
from kgprobe.formats.catalogue import by_extension
from kgprobe.formats.files import Loaded, load
from kgprobe.formats.imports import Catalog, Files, read_catalog
from kgprobe.git.repository import Entry, Repository
from kgprobe.processes.limits import clean_folder

__all__ = ["FilesAt", "Version", "files_at", "graphs_among", "history"]

_MOST_LINKS = 20
_LOG_FORMAT = "--format=%h%x09%cs%x09%s"


@dataclass(frozen=True, slots=True)
class Version:
    """A commit that changed a file: its short name, its date, and the first line of its message."""

    revision: str
    date: str
    subject: str


class FilesAt(Files):
    """The files of a repository as they were at a revision. Each is copied into a folder when it is first read.

    Files outside the repository, and those that git ignores, have no versions. They are read as they are now;
    `unversioned` lists these, with the reason.
    """

    def __init__(self, repository: Repository, commit: str, revision: str, folder: Path) -> None:
        self.repository = repository
        self.commit = commit
        self.revision = revision
        self.unversioned: dict[Path, str] = {}
        self._folder = folder
        self._places: dict[Path, Path | None] = {}
        self._numbers = count()

    @cached_property
    def _tree(self) -> dict[str, Entry]:
        return dict(self.repository.tree(self.commit))

    def load(self, path: Path, **how: Any) -> Loaded | None:
        """The graph that was in a file; None if the file did not exist."""
        place = self.place(path)
        if place is None or place == path:
            return None if place is None else load(path, **how)
        name = f"{path} at {self.revision}"
        try:
            return replace(load(place, **how), name=name)
        except KgprobeError as error:
            at = error.where
            where = Position(name, at.line, at.column) if at is not None and at.file == str(place) else at
            raise type(error)(error.message, where=where, hint=error.hint) from None

    def load_moved(self, path: Path, **how: Any) -> Loaded | None:
        """The graph that was in a file, under this or another name; None if the file did not exist."""
        if self.place(path) is None:
            earlier = self.repository.moved_from(path, self.commit)
            if earlier is not None:
                self._places[path] = self._copy(earlier, path.name)
        return self.load(path, **how)

    def catalog(self, path: Path) -> Catalog:
        """The catalog that was in a file; an empty one if the file did not exist."""
        if self.place(path) is None:
            return Catalog({}, {}, {})
        return read_catalog(path, lambda each: self.place(each) or each)

    def below(self, folder: Path) -> list[Path]:
        """All files that were in a folder and in the folders in it, in order."""
        name = self.repository.relative(folder.resolve())
        if name is None or self._is_in_submodule(name):
            return super().below(folder)
        start = "" if name == "." else f"{name}/"
        entries = {each: entry for each, entry in self._tree.items() if each.startswith(start)}
        found = [self.repository.root / each for each, entry in entries.items() if not entry.is_submodule]
        for each, entry in entries.items():
            found += super().below(self.repository.root / each) if entry.is_submodule else []
        found += [path for path in self.repository.ignored(folder.resolve()) if path.is_file()]
        return sorted(set(found))

    def warnings(self, used: Iterable[Path]) -> list[str]:
        """A warning for each of some files that has no versions."""
        unversioned = sorted({*used} & self.unversioned.keys())
        return [f"{path} {self.unversioned[path]}, so both versions use its current content" for path in unversioned]

    def place(self, path: Path) -> Path | None:
        """The path of a file's content; None if the file did not exist."""
        if path not in self._places:
            self._places[path] = self._find(path)
        return self._places[path]

    def _find(self, path: Path) -> Path | None:
        name = self.repository.relative(path)
        for _ in range(_MOST_LINKS):
            entry = None if name is None else self._tree.get(name)
            if name is None or entry is None or not entry.is_link:
                break
            target = os.fsdecode(self.repository.raw(entry))
            name = self.repository.relative(self.repository.root / Path(name).parent / target)
        if name is None:
            return self._as_now(path, "is outside the repository")
        if entry is not None:
            return None if entry.is_link or entry.is_submodule else self._copy(name, path.name)
        if self._is_in_submodule(name):
            return self._as_now(path, "is in a submodule")
        return self._as_now(path, "is ignored by git") if self.repository.ignored(path) else None

    def _copy(self, name: str, shown: str) -> Path:
        folder = self._folder / str(next(self._numbers))
        folder.mkdir()
        copy = folder / shown  # relative IRIs in a file depend on its name
        copy.write_bytes(self.repository.content(self.commit, name))
        return copy

    def _as_now(self, path: Path, why: str) -> Path | None:
        if not path.is_file():
            return None
        self.unversioned[path] = why
        return path

    def _is_in_submodule(self, name: str) -> bool:
        parents = (parent.as_posix() for parent in (Path(name), *Path(name).parents))
        return any((entry := self._tree.get(parent)) is not None and entry.is_submodule for parent in parents)


@contextmanager
def files_at(path: Path, revision: str) -> Iterator[FilesAt]:
    """The files of the repository that a file is in, as they were at a revision, for as long as they are needed."""
    repository = Repository.around(path)
    commit = repository.commit(revision, path)
    with clean_folder() as folder:
        yield FilesAt(repository, commit, revision, folder)


def graphs_among(files: Iterable[Path]) -> list[Path]:
    """The graphs among some files, by their extensions. Extensions that usually mean something else do not count."""
    others = (".json", ".xml", ".tsv")
    return [file for file in files if by_extension(file.name) is not None and file.suffix.lower() not in others]


def history(paths: Iterable[Path], revisions: str) -> list[Version]:
    """The commits that changed one of some files, oldest first. `revisions` is a range, or a number of commits.

    The first version is the one that the oldest of these commits started from, if there is one.
    """
    files = list(paths)
    main = files[0]
    repository = Repository.around(main)
    names = [name for file in files if (name := repository.relative(file)) is not None]
    if revisions.isdecimal():
        lines = repository.log(main, f"--max-count={int(revisions) + 1}", _LOG_FORMAT, "--", *names)
        return [_version(line) for line in reversed(lines)]
    for end in filter(None, revisions.split("...") if "..." in revisions else revisions.split("..")):
        repository.commit(end.removeprefix("^"), main)
    lines = repository.log(main, _LOG_FORMAT, "--end-of-options", revisions, "--", *names)
    versions = [_version(line) for line in reversed(lines)]
    if versions:
        start = f"{versions[0].revision}~"
        before = repository.log(main, "--max-count=1", _LOG_FORMAT, start, "--", *names, check=False)
        versions[:0] = map(_version, before)
    return versions


def _version(line: str) -> Version:
    return Version(*line.split("\t", 2))
