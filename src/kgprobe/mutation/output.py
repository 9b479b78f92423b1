"""Mutants to files: whole graphs or only the change, and a manifest of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from kgprobe.errors import InputError, Position
from kgprobe.graph.files import save
from kgprobe.graph.formats.catalogue import Format
from kgprobe.graph.graph import Graph
from kgprobe.mutation.manifest import entry_line, header_line
from kgprobe.mutation.mutant import Mutant
from kgprobe.mutation.patches import rdf_patch, sparql_update

__all__ = ["MANIFEST", "MutantFolder", "Written", "clear"]

MANIFEST = "manifest.jsonl"


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
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._manifest = self.manifest.open("x", encoding="utf-8", newline="\n")
        except FileExistsError:
            hint = "name another folder with --out, or replace them with --force"
            message = "there are mutants in this folder already"
            raise InputError(message, where=Position(str(self.folder)), hint=hint) from None
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", where=Position(str(self.folder))) from None
        self._manifest.write(header_line(self._header))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._manifest is not None:
            self._manifest.close()

    def write(self, mutant: Mutant) -> Path:
        """Write a mutant and its line in the manifest."""
        assert self._manifest is not None  # noqa: S101 - only inside of `with`
        path = self.folder / f"mutant-{mutant.number:04}{self._extension}"
        match self._written:
            case Written.GRAPHS:
                graph = self._seed.copy()
                graph.apply(mutant.delta)  # in the order of the delta: made again from it, the file is the same
                save(graph, path, format_name=self._format.name)
            case Written.PATCHES:
                path.write_text(rdf_patch(mutant.delta), encoding="utf-8", newline="\n")
            case Written.UPDATES:
                path.write_text(sparql_update(mutant.delta, self._seed), encoding="utf-8", newline="\n")
        self._manifest.write(entry_line(mutant, path.name))
        self._manifest.flush()
        return path

    @property
    def _extension(self) -> str:
        extensions = {Written.GRAPHS: self._format.extensions[0], Written.PATCHES: "rdfp", Written.UPDATES: "ru"}
        return "." + extensions[self._written]


def clear(folder: Path) -> None:
    """Remove the mutants that an earlier run left in a folder, and nothing else."""
    if not (folder / MANIFEST).is_file():
        return
    for path in folder.glob("mutant-*"):
        with suppress(OSError):
            path.unlink()
    (folder / MANIFEST).unlink()
