"""What `kgprobe select` reads: two versions of a graph, and tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading
from kgprobe.errors import InputError, Position
from kgprobe.graph.graph import Graph
from kgprobe.selection.alignment import Versions, aligned
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.options import FinderOptions
from kgprobe.selection.discovery.vocabulary import Vocabulary
from kgprobe.selection.tests import Suite

__all__ = ["found_tests", "read_version", "read_versions"]


def read_version(path: Path, revision: str, reading: Reading) -> Graph:
    """A graph as it was at a revision in git. Its imports are as they are now."""
    from kgprobe.selection.versions import version_file

    with version_file(path, revision) as old:
        return reading.read(old).graph


def read_versions(graphs: Sequence[str], since: str | None, reading: Reading) -> Versions:
    """The old and the new version: both are named, or the new one and a revision."""
    match list(graphs), since:
        case ["-", "-"], None:
            raise InputError("only one of OLD and NEW can be standard input")
        case [old, new], None:
            return aligned(reading.read(old).graph, reading.read(new).graph)
        case [new], str() as revision:
            path = Path(new)
            return aligned(read_version(path, revision, reading), reading.read(path).graph)
        case [_], None:
            raise InputError(
                "there is only one version", hint="name the old one too, or --since REVISION for one in git"
            )
        case _, str():
            raise InputError("--since takes one graph, the new version", hint="see 'kgprobe select --help'")
    raise InputError(f"name the old and the new version, not {len(graphs)} graphs", hint="see 'kgprobe select --help'")


def found_tests(places: Sequence[Path], versions: Versions, options: FinderOptions) -> Suite:
    """The tests in these folders and files. What their finder should know is told on stderr."""
    for place in places:
        if not place.exists():
            raise InputError("does not exist", where=Position(str(place)), hint="name a folder or a file with tests")
    vocabulary = Vocabulary.of(versions.new, versions.old)
    suite = find_tests(places, vocabulary, options)
    for note in suite.notes:
        tell("note", note)
    if not suite.tests:
        tell("warning", f"there are no tests in {', '.join(map(str, places))}")
    return suite
