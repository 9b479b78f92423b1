"""The parts that all finders of tests share: options, vocabulary, queries read so far, expected results, notes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from kgprobe.entailment.regime import Regime
from kgprobe.errors import nearest
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.query_texts import QueryTexts
from kgprobe.selection.discovery.vocabulary import Vocabulary
from kgprobe.selection.tests import TermUse

__all__ = ["FinderOptions", "Neighbours", "Search", "stated_regime"]


@dataclass(frozen=True)
class FinderOptions:
    """How to find tests. Without any, they are found by the names of files, and by what the files say."""

    root: Path = field(default_factory=Path.cwd)  # the working folder: what names are relative to, and modules start at
    matrix: Path | None = None  # a CSV or TOML file that says which test uses which term
    recorded: Path | None = None  # what was seen in a run: see `recorded`
    test_files: tuple[str, ...] = ()  # globs for further files that are tests
    terms_command: tuple[str, ...] = ()  # prints the terms that the file `{test}` uses
    command_seconds: float = 60.0  # how long it may take for one file
    sql_without_terms: bool = True  # whether a SQL file that names no term is a test (always selected), or none at all


# -- files that lie beside a test: its expected results ----------------------------------------------------------------

_RESULTS = (".srx", ".srj", ".csv", ".tsv", ".ttl", ".json", ".txt")
_FOLDER = "expected"


class Neighbours:
    """Finds expected results, with one look into each folder of them."""

    def __init__(self) -> None:
        self._listed: dict[str, dict[str, str]] = {}

    def expected(self, test: TestFile) -> Path | None:
        """The file with the expected results of a test: of the same name, beside it or in `expected`."""
        stem = test.base.rpartition(".")[0]
        for suffix in _RESULTS:
            if stem + suffix in test.folder.files:
                return test.file.with_name(stem + suffix)
        if _FOLDER not in test.folder.folders:
            return None
        name = self._stems(test.folder.path).get(stem)
        return None if name is None else test.file.parent / _FOLDER / name

    def is_expected(self, file: TestFile) -> bool:
        """Whether a file holds the expected results of a test above it, and so is none itself."""
        if not file.folder.path.endswith(_FOLDER):
            return False
        path = file.file
        return path.parent.name == _FOLDER and any(
            (path.parent.parent / (path.stem + suffix)).is_file() for suffix in (".rq", ".sparql", ".sql")
        )

    def _stems(self, folder: str) -> dict[str, str]:
        if folder not in self._listed:
            try:
                names = sorted(each.name for each in (Path(folder) / _FOLDER).iterdir() if each.is_file())
            except OSError:
                names = []
            self._listed[folder] = {name.partition(".")[0]: name for name in reversed(names)}
        return self._listed[folder]


# -- what a test says about itself in the comments at its start: `# kgprobe: regime=rdfs` ------------------------------

_REGIMES = tuple(regime.value for regime in Regime)
_LINE = re.compile(r"(?:#|--)\s*kgprobe:(.*)")


def stated_regime(text: str, name: str, notes: Callable[[str], None]) -> Regime | None:
    """The regime that the comments at the start of a test name. What they say otherwise is told as a note."""
    if "kgprobe:" not in text:
        return None
    found = None
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip().removeprefix("\ufeff")
        if stripped and not stripped.startswith(("#", "--")):
            break
        said = _LINE.match(stripped)
        for word in said[1].replace(",", " ").split() if said else ():
            key, _, value = word.partition("=")
            if key != "regime":
                notes(f"{name}:{number}: kgprobe knows no '{key}', only regime=…")
            elif value in _REGIMES:
                found = Regime(value)
            else:
                meant = nearest(value, _REGIMES)
                valid = f"did you mean '{meant}'?" if meant else f"it is one of {', '.join(_REGIMES)}"
                notes(f"{name}:{number}: there is no regime '{value}': {valid}")
    return found


# -- what all finders of tests share: the vocabulary, the options, the queries read so far, and what to tell the user --

_MOST_UNKNOWN = 10


class Search:
    """One search for tests."""

    def __init__(self, vocabulary: Vocabulary, options: FinderOptions) -> None:
        self.vocabulary = vocabulary
        self.options = options
        self.queries = QueryTexts(vocabulary.prefixes)
        self.neighbours = Neighbours()
        self.notes: list[str] = []
        self._unknown = 0

    @property
    def root(self) -> Path:
        return self.options.root

    def note(self, text: str) -> None:
        """Something that whoever asked for the tests should know."""
        if text not in self.notes:
            self.notes.append(text)

    def named(self, name: str, where: str, line: int | None = None) -> tuple[tuple[TermUse, ...], tuple[str, ...]]:
        """The terms that somebody says a test uses; and why it cannot be told, if the name means nothing.

        An IRI that no graph has is taken at its word. Any other name that means nothing is likely a mistake.
        """
        name = name.strip()
        terms = self.vocabulary.resolve(name)
        if not terms:
            self._note_unknown(name, where)
            spelled = self.vocabulary.iri(name)
            if spelled is None:
                return (), (f"cannot see what this test uses: no term is called '{name}'",)
            terms = (spelled,)
        return tuple(TermUse(term, name, line) for term in terms), ()

    def finish(self) -> tuple[str, ...]:
        """All notes."""
        if self._unknown > _MOST_UNKNOWN:
            self.note(f"{self._unknown - _MOST_UNKNOWN} more names mean no term of the ontology")
        return tuple(self.notes)

    def _note_unknown(self, name: str, where: str) -> None:
        self._unknown += 1
        if self._unknown <= _MOST_UNKNOWN:
            meant = self.vocabulary.nearest(name)
            hint = f" (did you mean '{meant}'?)" if meant else ""
            self.note(f"{where}: no term of the ontology is called '{name}'{hint}")
