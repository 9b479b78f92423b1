"""A test as selection sees it: its name, its language, and what it uses of the ontology, or of tables loaded from it.

The result of a statement in SQL depends only on the rows of its sources that pass all their restrictions. A restriction
that was not understood is left out, so that more rows count. A statement with a part that may read anything is not
expressed in this way: its test is unanalysable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import ClassVar, TypeAlias

from kgprobe.entailment.rules import Regime
from kgprobe.rdf.pattern import TriplePattern
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.sparql.uses import PathUse, TripleUse, Use

__all__ = ["Language", "Suite", "TablesUse", "TermUse", "Test", "TestUse"]

# -- stored tables -----------------------------------------------------------------------------------------------------

_TEXT = frozenset(
    [
        *("BPCHAR", "CHAR", "CHARACTER", "CITEXT", "CLOB", "LONGTEXT", "MEDIUMTEXT", "NAME", "NCHAR", "NCLOB", "NTEXT"),
        *("NVARCHAR", "NVARCHAR2", "STRING", "TEXT", "TINYTEXT", "VARCHAR", "VARCHAR2"),
    ]
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. Its name is in lower case; `type` is as it was declared, or empty if nobody says it."""

    name: str
    type: str = ""
    is_text: bool = False  # whether it holds nothing but text, such as a name: no numbers, dates or arrays
    is_key: bool = False  # whether it is a PRIMARY KEY or UNIQUE by itself, so that a value stands in one row at most


@dataclass(frozen=True)
class Relation:
    """A stored table. Its name is in lower case, without a schema."""

    name: str
    columns: tuple[Column, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}


def holds_text(type_name: str) -> bool:
    """Whether a column of this SQL type holds nothing but text."""
    first = type_name.strip().upper().partition("(")[0].split()
    return bool(first) and first[0] in _TEXT and not type_name.rstrip().endswith("]")


# -- what a statement in SQL reads -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constants:
    """The values that a restriction allows: one of these texts, or a text that matches a LIKE pattern.

    A pattern has its escape character, or None. `folds` says that the comparison may ignore case.
    """

    texts: frozenset[str]
    patterns: tuple[tuple[str, str | None], ...] = ()
    folds: bool = False


@dataclass(frozen=True, slots=True)
class ColumnOf:
    """A column of the source with this number."""

    source: int
    column: str


@dataclass(frozen=True, slots=True)
class Equal:
    """The rows whose `column` has the value that one of these columns has, in a row that passes its restrictions.

    The columns are of earlier sources. In a recursive query, later sources and the source itself may be added to them:
    the rows are then the smallest set that fits. `by_key` says that the columns hold keys, so that rows with the same
    value are about the same term: one of the two columns is a key of its table, or both refer to the same key. `is_key`
    says that `column` is a key of its table, and `of_keys` that all the other columns are keys of theirs.
    """

    column: str
    values_of: tuple[ColumnOf, ...]
    by_key: bool = False
    is_key: bool = False
    of_keys: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """One occurrence of a stored table. Names of tables and columns are in lower case, tables without their schema."""

    table: str
    line: int | None = None
    columns: frozenset[str] | None = None  # those whose values can matter; None: all
    # By column; all must hold. Not in the hash, because a mapping has none.
    constants: Mapping[str, Constants] = field(default_factory=dict, hash=False)
    equal: tuple[Equal, ...] = ()  # all must hold


@dataclass(frozen=True, slots=True)
class TablesUse:
    """What a statement reads. A change affects it if a row of a source changes, and passes the restrictions."""

    sources: tuple[Source, ...]
    text: str = ""  # the statement, shortened for reasons
    line: int | None = None


# -- tests -------------------------------------------------------------------------------------------------------------


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


def named_in(use: TestUse) -> Iterator[Term]:
    """The terms that a use names, in a fixed order."""
    match use:
        case TermUse():
            yield use.term
        case TripleUse():
            for slot in (use.subject, use.predicate, use.object):
                yield from sorted(slot.terms or (), key=str)
        case PathUse():
            for slot in (use.subject, use.object):
                yield from sorted(slot.terms or (), key=str)
            yield from (predicate for predicate, _ in sorted(use.edges, key=str))


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
