"""Two versions of a graph, for commands that compare them: two files, or a file and an earlier version from git."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading
from kgprobe.errors import InputError, Position
from kgprobe.git.versions import FilesAt, files_at, graphs_among
from kgprobe.graph.files import Loaded
from kgprobe.selection.ontology_versions import Edits

__all__ = ["Pair", "read_pair", "read_version"]


@dataclass(frozen=True)
class Pair:
    """The old and the new version of a graph, and the other changes between them, if they come from git."""

    old: Loaded
    new: Loaded
    edits: Edits | None = None


def read_pair(graphs: Sequence[str], since: str | None, reading: Reading, command: str) -> Pair:
    """The old and the new version, given as two files, or as the new file and a revision."""
    help_ = f"see 'kgprobe {command} --help'"
    match list(graphs), since:
        case ["-", "-"], None:
            raise InputError("only one of OLD and NEW can be standard input")
        case [old, new], None:
            return Pair(reading.read(old), reading.read(new))
        case ["-"], str():
            raise InputError("--since needs a file, not standard input", hint="git identifies files by name")
        case [new], str() as revision:
            return _since(Path(new), revision, reading)
        case [_], None:
            raise InputError(
                "the old version is missing", hint="name it before NEW, or use --since REVISION to take it from git"
            )
        case _, str():
            raise InputError("--since takes one graph, the new version", hint=help_)
    raise InputError(f"expected two graphs, the old and the new version, not {len(graphs)}", hint=help_)


def _since(path: Path, revision: str, reading: Reading) -> Pair:
    with files_at(path, revision) as files:
        # An import without a given location may be among the changed files.
        changed = graphs_among(files.repository.changes(files.commit))
        others = [each for each in changed if each != path.absolute()]
        old, imported = read_version(path, files, reading, others)
        library = reading.library(others=others)
        new = reading.read(path, library)
    ontology = {path, *imported, *library.found.values(), *reading.catalogs}
    return Pair(old, new, Edits(files.repository, files.commit, revision, ontology))


def read_version(path: Path, files: FilesAt, reading: Reading, others: Sequence[Path] = ()) -> tuple[Loaded, set[Path]]:
    """A graph at a revision, with its imports at the time; and the files of these imports."""
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
