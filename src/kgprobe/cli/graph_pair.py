"""Two versions of a graph, for commands that compare them: two files, or a file and what it was in git."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading
from kgprobe.errors import InputError, Position
from kgprobe.graph.files import Loaded
from kgprobe.selection.changed_tests.edits import Edits
from kgprobe.selection.versions import FilesAt, files_at, graphs_among

__all__ = ["Pair", "read_pair", "read_version"]


@dataclass(frozen=True)
class Pair:
    """The old and the new version of a graph; and what else has changed between them, if git knows."""

    old: Loaded
    new: Loaded
    edits: Edits | None = None


def read_pair(graphs: Sequence[str], since: str | None, reading: Reading, command: str) -> Pair:
    """The old and the new version: both are named, or the new one and a revision."""
    help_ = f"see 'kgprobe {command} --help'"
    match list(graphs), since:
        case ["-", "-"], None:
            raise InputError("only one of OLD and NEW can be standard input")
        case [old, new], None:
            return Pair(reading.read(old), reading.read(new))
        case ["-"], str():
            raise InputError("--since needs a file, not standard input", hint="git knows files by their names")
        case [new], str() as revision:
            return _since(Path(new), revision, reading)
        case [_], None:
            raise InputError(
                "there is only one version", hint="name the old one too, or --since REVISION for one in git"
            )
        case _, str():
            raise InputError("--since takes one graph, the new version", hint=help_)
    raise InputError(f"name the old and the new version, not {len(graphs)} graphs", hint=help_)


def _since(path: Path, revision: str, reading: Reading) -> Pair:
    with files_at(path, revision) as files:
        # An import that nobody said where to look for may be among what has changed.
        changed = graphs_among(files.repository.changes(files.commit))
        others = [each for each in changed if each != path.absolute()]
        old, imported = read_version(path, files, reading, others)
        library = reading.library(others=others)
        new = reading.read(path, library)
    ontology = {path, *imported, *library.found.values(), *reading.catalogs}
    return Pair(old, new, Edits(files.repository, files.commit, revision, ontology))


def read_version(path: Path, files: FilesAt, reading: Reading, others: Sequence[Path] = ()) -> tuple[Loaded, set[Path]]:
    """A graph as it was at a revision, with what it imported then; and the files of these imports."""
    loaded = files.load_moved(path, format_name=reading.format_name, base=reading.base)
    if loaded is None:
        hint = "choose a later revision, or give both versions as files"
        raise InputError(f"did not exist at {files.revision}", where=Position(str(path)), hint=hint)
    library = reading.library(files, others)
    loaded = reading.completed(loaded, library)
    imported = set(library.found.values())
    for warning in files.warnings(imported):
        tell("warning", warning)
    return loaded, imported
