"""Mutants to files: whole graphs or only the change, and a manifest of all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from kgprobe.errors import InputError, Position
from kgprobe.graph.delta import Delta
from kgprobe.graph.files import save
from kgprobe.graph.formats.catalogue import Format
from kgprobe.graph.graph import Graph
from kgprobe.mutation.manifest import entry_line, header_line, read_manifest
from kgprobe.mutation.mutant import Mutant
from kgprobe.mutation.patches import rdf_patch, sparql_update

__all__ = ["MANIFEST", "MutantFolder", "Written", "change_text", "clear"]

MANIFEST = "manifest.jsonl"
# What our own files are called: a folder may hold others that begin in the same way, such as notes on mutants.
_MUTANT = re.compile(r"mutant-\d{4,}\.[a-z]+")


class Written(StrEnum):
    """What a mutant's file holds."""

    GRAPHS = "graphs"
    PATCHES = "patches"
    UPDATES = "updates"


class MutantFolder:
    """A folder that mutants of one seed graph are written to, one by one; the manifest is up to date at any time."""

    def __init__(self, folder: Path, seed: Graph, format_: Format, written: Written, header: Mapping[str, Any]) -> None:
        self.folder = folder
        self._seed = seed
        self._format = format_
        self._written = written
        self._header = header
        self._manifest: TextIO | None = None

    @property
    def manifest(self) -> Path:
        """Where the manifest is."""
        return self.folder / MANIFEST

    def __enter__(self) -> MutantFolder:
        where = Position(str(self.folder))
        first_line = header_line(self._header)
        if first_line.encode(errors="replace").decode() != first_line:
            message = "a manifest cannot be written: it names a file whose name is not UTF-8"
            raise InputError(message, where=where, hint="rename the file")
        try:
            if self.folder.exists() and not self.folder.is_dir():
                raise InputError("is a file, not a folder", where=where, hint="name the folder to write mutants to")
            self.folder.mkdir(parents=True, exist_ok=True)
            if _files(self.folder):  # also without a manifest: somebody may need them
                raise FileExistsError
            self._manifest = self.manifest.open("x", encoding="utf-8", newline="\n")
            self._manifest.write(first_line)
            self._manifest.flush()
        except FileExistsError:
            hint = "name another folder with --out, or replace them with --force"
            raise InputError("there are mutants in this folder already", where=where, hint=hint) from None
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", where=where) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._manifest is not None:
            self._manifest.close()

    def write(self, mutant: Mutant) -> Path:
        """Write a mutant and its line in the manifest. What cannot be written is told with the name of its file."""
        assert self._manifest is not None  # noqa: S101 - only inside of `with`
        path = self.folder / f"mutant-{mutant.number:04}{self._extension}"
        try:
            self._write(mutant, path)
            self._manifest.write(entry_line(mutant, path.name))
            self._manifest.flush()
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror or error}", where=Position(str(path))) from None
        except InputError as error:
            raise InputError(error.message, where=error.where or Position(str(path)), hint=error.hint) from None
        return path

    def _write(self, mutant: Mutant, path: Path) -> None:
        if self._written is Written.GRAPHS:
            save(mutant.graph, path, format_name=self._format.name)
        else:
            path.write_text(change_text(mutant.delta, self._seed, self._written), encoding="utf-8", newline="\n")

    @property
    def _extension(self) -> str:
        extensions = {Written.GRAPHS: self._format.extensions[0], Written.PATCHES: "rdfp", Written.UPDATES: "ru"}
        return "." + extensions[self._written]


def change_text(delta: Delta, seed: Graph, written: Written) -> str:
    """A change to the seed graph as a patch or as an update."""
    return sparql_update(delta, seed) if written is Written.UPDATES else rdf_patch(delta)


def clear(folder: Path, keep: Iterable[Path] = ()) -> None:
    """Remove the mutants that an earlier run left in a folder, and nothing else. InputError if one must be kept.

    Without the manifest of an earlier run, nobody knows who wrote the files.
    """
    going = _files(folder)
    if going and not _has_manifest(folder):
        hint = "remove them yourself, or write to another folder with --out"
        message = f"has files that are called like mutants ({going[0].name}), and no manifest of mutants"
        raise InputError(message, where=Position(str(folder)), hint=hint)
    kept = {path.resolve() for path in keep}
    for path in going:
        if path.resolve() in kept:
            hint = "write to another folder"
            raise InputError("is needed, and one of the mutants to replace", where=Position(str(path)), hint=hint)
    for path in going:
        try:
            path.unlink()
        except OSError as error:
            raise InputError(f"cannot be removed: {error.strerror}", where=Position(str(path))) from None


def _has_manifest(folder: Path) -> bool:
    try:
        read_manifest(folder / MANIFEST)
    except InputError:
        return False
    return True


def _files(folder: Path) -> list[Path]:
    """The mutants in a folder, and their manifest at the end: as long as there is one, there is something to clear."""
    try:
        found = sorted(folder.iterdir())
    except OSError:  # there is none, or it is a file
        return []
    mutants = [path for path in found if _MUTANT.fullmatch(path.name)]
    return [*mutants, *(path for path in [folder / MANIFEST] if path.exists())]
