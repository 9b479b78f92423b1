"""The tests that `kgprobe select` reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kgprobe.cli.app import tell
from kgprobe.errors import InputError, Position
from kgprobe.graph.diff import Versions
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.discovery.vocabulary import Vocabulary
from kgprobe.selection.tests import Suite

__all__ = ["found_tests"]


def found_tests(places: Sequence[Path], versions: Versions, options: FinderOptions) -> Suite:
    """The tests in these folders and files. Notes about them go to stderr."""
    for place in places:
        if not place.exists():
            raise InputError("does not exist", where=Position(str(place)), hint="name a folder or file with tests")
    vocabulary = Vocabulary.of(versions.new, versions.old)
    suite = find_tests(places, vocabulary, options)
    for note in suite.notes:
        tell("note", note)
    if not suite.tests:
        tell("warning", f"no tests found in {', '.join(map(str, places))}")
    return suite
