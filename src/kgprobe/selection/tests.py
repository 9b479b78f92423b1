"""A test as selection sees it: its name, its language, and the parts of the ontology that it uses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import ClassVar, TypeAlias

from kgprobe.entailment.rules import Regime
from kgprobe.rdf.pattern import TriplePattern
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.selection.sql.reads import TablesUse
from kgprobe.sparql.uses import Use

__all__ = ["Direction", "Language", "Mention", "Suite", "TermUse", "Test", "TestUse"]


class Direction(Enum):
    """Where a test looks from a term that it names; by default, everywhere."""

    ANY = "any"
    TERM = "term"  # only at what the ontology says about the term itself
    DESCENDANTS = "descendants"  # also at everything below it
    ANCESTORS = "ancestors"  # also at everything above it


@dataclass(frozen=True, slots=True)
class TermUse:
    """A term that a test names without saying how it uses it.

    The test may depend on everything that the ontology says about the term, about every term above or below it through
    any property or restriction, and on which terms these are. A direction limits that.
    """

    term: Term
    text: str = ""
    line: int | None = None
    direction: Direction = Direction.ANY


TestUse: TypeAlias = Use | TermUse | TablesUse


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a file where a term is named: characters `start` to `end` of its text, as `written` there."""

    term: NamedNode
    file: Path
    start: int
    end: int
    written: str


@dataclass(frozen=True)
class Language:
    """A language of tests: its name in reports, and what selection has to know of it."""

    name: str
    in_words: str = "not a SPARQL query"  # completes "it is …"
    runs_in_pytest: bool = False  # a file has several tests, and they need the code that it imports
    is_query: bool = False  # a test is a SPARQL query and nothing else
    has_values: bool = False  # tests name terms by labels and identifiers, as values


@dataclass(frozen=True)
class Test:
    """One test. `unseen` says why its uses are not fully known; a test with such a reason is always selected."""

    __test__: ClassVar[bool] = False  # keeps pytest from collecting this class

    name: str  # the argument of the --run command: a path, a pytest node id, or the IRI of a manifest entry
    language: Language
    uses: tuple[TestUse, ...] = ()
    unseen: tuple[str, ...] = ()
    file: Path | None = None
    line: int | None = None
    mentions: tuple[Mention, ...] = ()
    patterns: tuple[TriplePattern, ...] = ()  # the triple patterns of its queries, as written
    queries: tuple[str, ...] = ()  # its complete SPARQL queries; () if they are not fully known
    edges: tuple[tuple[Term, Term | None, str], ...] = ()  # property edges that a matrix names, as in the paper
    regime: Regime | None = None  # the entailment regime of its system, if the test states it
    expected: Path | None = None  # the file with its expected results
    terms: tuple[TermUse, ...] = ()  # terms that it names, beside those of its uses: the uses say what it reads of them
    parts: tuple[Path, ...] = ()  # other files that belong to the test, whether they exist or not


@dataclass(frozen=True)
class Suite:
    """The tests that were found, in order of their names, and notes for the user."""

    tests: tuple[Test, ...]
    notes: tuple[str, ...] = ()
    unrelated: tuple[str, ...] = ()  # the names of Python tests that do not use the graph
    skipped: tuple[tuple[str, int], ...] = ()  # extensions of files that no reader has looked at, and their numbers
