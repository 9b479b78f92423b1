"""The values of a score: changes of an ontology, what became of each, and the totals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from kgprobe.entailment.closure import EntailedChange, entailed_change
from kgprobe.entailment.rules import Regime, UndecidedError
from kgprobe.formats.files import save
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["Fate", "Outcome", "Score", "Selecting", "Survivor"]


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"  # a test noticed it, or it is inconsistent and a reasoner was asked
    SURVIVED = "survived"  # all tests passed
    EQUIVALENT = "equivalent"  # nothing else follows from it than from the original
    UNDECIDED = "undecided"  # its entailments, or the result of a test, could not be found


class Selecting(StrEnum):
    """For which tests a mutant is compared with what they use before they run."""

    ALWAYS = "always"
    AUTO = "auto"  # those for which that is cheaper than running them
    NEVER = "never"


@dataclass(frozen=True)
class Change:
    """A mutant, as a change of the ontology. `group` is the type of its axiom, or the operator that made it."""

    number: int
    delta: Delta
    group: str
    describe: Callable[[], tuple[str, str, str]]  # the change in words, the type of its axiom, and what it is about


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of a mutant, by the numbers of tests. `ran` is None if all tests ran.

    `runs_without_selection` is the number of runs that the same result would have taken without selection.
    """

    fate: Fate
    why: str = ""
    killers: tuple[int, ...] = ()
    ran: tuple[int, ...] | None = ()
    runs_without_selection: int = 0
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class TestScore:
    """A test, the number of mutants that it killed, and the number of its runs on mutants."""

    __test__ = False  # keeps pytest from collecting this class

    name: str
    kills: int
    runs: int


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that no test noticed: in words, the type of its axiom, what it is about, and a query that would."""

    change: str
    axiom: str
    about: str
    suggestion: str | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A test that was found but does not count, and why."""

    test: str
    why: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The fate of one mutant, with its change in words; `why` if it is equivalent, undecided or inconsistent."""

    fate: Fate
    change: str
    axiom: str
    killers: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Score:
    """The score of a suite. `score` is None if no mutant was killed or survived.

    `outcomes` has the fate of each mutant, in the order of the ontology. `left_out` are tests that could not be run, or
    that fail on the original and were to be skipped.
    """

    mutants: int
    killed: int
    survived: int
    equivalent: int
    undecided: int
    tests: tuple[TestScore, ...]
    survivors: tuple[Survivor, ...]
    executions: int
    executions_without_selection: int
    is_complete: bool = True  # all kills were found, not only the first of each mutant
    inconsistent: int = 0  # killed because a reasoner found them inconsistent
    left_out: tuple[LeftOut, ...] = ()
    reasons: tuple[tuple[str, int], ...] = ()  # why mutants are undecided, and how many
    notes: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    @property
    def score(self) -> float | None:
        """The share of killed mutants among those that were killed or survived, in percent."""
        judged = self.killed + self.survived
        return 100 * self.killed / judged if judged else None

    @property
    def idle(self) -> tuple[str, ...]:
        """The tests that killed nothing."""
        return tuple(test.name for test in self.tests if not test.kills)


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
