"""A test as selection sees it: its name, and what of the ontology it uses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeAlias

from kgprobe.entailment.regime import Regime
from kgprobe.graph.patterns.pattern import TriplePattern
from kgprobe.graph.terms import NamedNode, Term
from kgprobe.queries.uses import Use

__all__ = ["Mention", "Suite", "TermUse", "Test", "TestUse"]


@dataclass(frozen=True, slots=True)
class TermUse:
    """All that a test which names a term, and does not say what for, may depend on.

    That is every triple with the term, or with a class or property below it, and which ones are below or above it.
    """

    term: Term
    text: str = ""
    line: int | None = None


TestUse: TypeAlias = Use | TermUse


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a file where a term is named: characters `start` to `end` of its text, as `written` there."""

    term: NamedNode
    file: Path
    start: int
    end: int
    written: str


@dataclass(frozen=True)
class Test:
    """One test. `unseen` says why it cannot be told what the test uses; such a test is always selected."""

    __test__: ClassVar[bool] = False  # for pytest, which would take the class for a test of its own

    name: str  # what the command of --run gets: a path, a node id of pytest, the IRI of an entry of a manifest
    kind: str  # how it was found: sparql, sql, python, manifest, matrix, command
    uses: tuple[TestUse, ...] = ()
    unseen: tuple[str, ...] = ()
    file: Path | None = None
    line: int | None = None
    mentions: tuple[Mention, ...] = ()
    patterns: tuple[TriplePattern, ...] = ()  # the triple patterns of its queries, as written
    queries: tuple[str, ...] = ()  # what it asks in SPARQL, ready to be asked; () if that is not known in full
    edges: tuple[tuple[Term, Term | None, str], ...] = ()  # property edges that a matrix names, as in the paper
    regime: Regime | None = None  # where the test says what its system entails
    expected: Path | None = None  # the file with its expected results
    parts: tuple[Path, ...] = ()  # further files that say what the test is, whether they exist or not


@dataclass(frozen=True)
class Suite:
    """The tests that were found, in the order of their names, and what their finder should know."""

    tests: tuple[Test, ...]
    notes: tuple[str, ...] = ()
