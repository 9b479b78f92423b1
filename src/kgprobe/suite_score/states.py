"""The original or a mutant in the forms in which tests see it: with what follows from it, and as a file."""

from __future__ import annotations

from pathlib import Path

from kgprobe.entailment.closure import EntailedChange, entailed_change
from kgprobe.entailment.rules import Regime, UndecidedError
from kgprobe.formats.files import save
from kgprobe.rdf.graph import Graph
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["GraphFile", "State"]


class GraphFile:
    """Where the graph that a process reads is, and its format: that of the original, if kgprobe can write it."""

    def __init__(self, folder: Path, name: str, format_name: str) -> None:
        self.path = folder / name
        self._format_name = format_name

    def write(self, graph: Graph) -> None:
        save(graph, self.path, format_name=self._format_name)


class State:
    """The change from the original to a mutant, or to itself. Everything is computed when a test first needs it."""

    def __init__(self, original: Graph, graph: Graph, reasoner: Reasoner | None, file: GraphFile | None = None) -> None:
        self.original = original
        self.graph = graph
        self._reasoner = reasoner
        self._file = file
        self._is_written = False
        self._changes: dict[Regime, EntailedChange | UndecidedError] = {}

    def change(self, regime: Regime) -> EntailedChange:
        """What changes under a regime. UndecidedError if that cannot be found."""
        if regime not in self._changes:
            try:
                self._changes[regime] = entailed_change(self.original, self.graph, regime, self._reasoner)
            except UndecidedError as error:
                self._changes[regime] = error
        found = self._changes[regime]
        if isinstance(found, UndecidedError):
            raise found
        return found

    def file(self) -> Path:
        """A file with the graph, for processes. It is valid until another state is written."""
        if self._file is None:
            raise ValueError("no test reads a file")
        if not self._is_written:
            self._file.write(self.graph)
            self._is_written = True
        return self._file.path
