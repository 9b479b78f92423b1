"""What all finders of tests share: the vocabulary, the options, the queries read so far, and what to tell the user."""

from __future__ import annotations

from pathlib import Path

from kgprobe.selection.discovery.neighbours import Neighbours
from kgprobe.selection.discovery.options import FinderOptions
from kgprobe.selection.discovery.query_texts import QueryTexts
from kgprobe.selection.discovery.vocabulary import Vocabulary
from kgprobe.selection.tests import TermUse

__all__ = ["Search"]

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
