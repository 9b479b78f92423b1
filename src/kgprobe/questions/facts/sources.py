"""The sources of facts: graph files, folders of them, and SPARQL endpoints."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kgprobe.errors import InputError, Position
from kgprobe.formats import files
from kgprobe.formats.catalogue import by_extension
from kgprobe.questions.facts.endpoint import Endpoint
from kgprobe.rdf.terms import Triple

__all__ = ["FactSource", "GraphFile", "Seen", "is_address", "sources_of"]

# A larger file with the same size and time of change is taken for unchanged: reading it costs seconds.
_ALWAYS_READ = 64 << 20


@dataclass(frozen=True, slots=True)
class Seen:
    """How a source looked when it was loaded. A source that looks the same has the same triples."""

    size: int
    changed: int
    digest: str


class FactSource(Protocol):
    """Something that has triples."""

    @property
    def name(self) -> str:
        """The name in messages."""

    @property
    def identity(self) -> str:
        """Sources with different identities are different, whatever their triples. It does not depend on the folder."""

    @property
    def is_repeatable(self) -> bool:
        """Whether its triples always have the same order, unless it changes."""

    def seen(self) -> Seen:
        """How it looks now."""

    def has_changed(self, since: Seen) -> bool:
        """Whether it looks different from how it looked before."""

    def triples(self) -> Generator[Triple, None, list[str]]:
        """The triples; returns notes for the user."""


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A file with a graph."""

    path: Path
    is_repeatable: bool = True

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def identity(self) -> str:
        return self.path.name  # the base of relative IRIs depends on it

    def seen(self) -> Seen:
        return Seen(*self._status(), self._digest())

    def has_changed(self, since: Seen) -> bool:
        size, changed = self._status()
        if size > _ALWAYS_READ and (size, changed) == (since.size, since.changed):
            return False
        return size != since.size or self._digest() != since.digest

    def triples(self) -> Generator[Triple, None, list[str]]:
        return files.stream(self.path)

    def _status(self) -> tuple[int, int]:
        try:
            status = self.path.stat()
        except (OSError, ValueError):
            return -1, -1  # reading it raises an error with a hint
        return status.st_size, status.st_mtime_ns

    def _digest(self) -> str:
        try:
            with self.path.open("rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()
        except (OSError, ValueError):
            return ""


@dataclass(frozen=True, slots=True)
class _EndpointSource:
    """A SPARQL endpoint. The numbers of triples of its relations show whether it has changed."""

    endpoint: Endpoint
    is_repeatable: bool = False

    @property
    def name(self) -> str:
        return self.endpoint.url

    @property
    def identity(self) -> str:
        return self.endpoint.url

    def seen(self) -> Seen:
        total, counts = self.endpoint.counts()
        return Seen(total, 0, hashlib.sha256(repr(sorted(counts.items())).encode()).hexdigest())

    def has_changed(self, since: Seen) -> bool:
        return self.seen() != since

    def triples(self) -> Generator[Triple, None, list[str]]:
        return self.endpoint.triples()


def is_address(source: str | Path) -> bool:
    """Whether a source of facts is the address of an endpoint, not a path."""
    return isinstance(source, str) and source.casefold().startswith(("http://", "https://"))


def sources_of(given: Iterable[str | Path]) -> list[FactSource]:
    """The given files and endpoints; a folder stands for the graph files in it, in the order of their names.

    Graph files are those whose extension stands for a format. InputError if a folder has none.
    """
    found: list[FactSource] = []
    for each in given:
        if is_address(each):
            found.append(_EndpointSource(Endpoint(str(each))))
        elif Path(each).is_dir():
            inside = sorted(_graph_files_in(Path(each)))
            if not inside:
                raise InputError("has no graph files", where=Position(str(each)), hint="name files or another folder")
            found += map(GraphFile, inside)
        else:
            found.append(GraphFile(Path(each)))
    if not found:
        raise InputError("no source of facts is given")
    return found


def _graph_files_in(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and by_extension(name) is not None:
                yield Path(root, name)
