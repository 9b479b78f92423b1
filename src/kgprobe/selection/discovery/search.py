"""The state of one search for tests, which all readers share: options, vocabulary, queries, expected results, notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError, did_you_mean
from kgprobe.rdf.pattern import TriplePattern
from kgprobe.selection.discovery.files import TestFile
from kgprobe.selection.discovery.python_files import Collecting, collecting_in
from kgprobe.selection.tests import Direction, Mention, Relation, TermUse, Test
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.sparql.comments import CHECKER_WORDS
from kgprobe.sparql.reading import Query, read_update
from kgprobe.sparql.similar_queries import SimilarQueryReader
from kgprobe.sparql.uses import Use

if TYPE_CHECKING:
    from kgprobe.selection.discovery.sql_files import SqlTexts
    from kgprobe.selection.discovery.text_names import NamesInText

__all__ = ["FinderOptions", "Search", "is_template"]

_RESULTS = (".srx", ".srj", ".csv", ".tsv", ".ttl", ".json", ".txt")
_FOLDER = "expected"
_REGIMES = tuple(regime.value for regime in Regime)
_LINE = re.compile(r"(?:#|--)\s*kgprobe:(.*)")
_STATED = ("descendants", "ancestors", "term")  # the lines that `stated.stated_terms` reads
_MOST_UNKNOWN = 10
BLIND = "cannot see what this test uses"
_TEMPLATE = "the query is a template"
_WITH_LINE = re.compile(r"line (\d+): (.*)", re.DOTALL)
_DECLARED = re.compile(r"\bPREFIX\s+([^\s:]*):", re.IGNORECASE)
# Placeholders for values that are filled in later, anywhere in a text.
_PLACE = (
    r"\{\{|\{%|\$\{|%\(\w+\)[sd]|%[sd](?!\w)|\{[A-Za-z_][\w.]*(?:![rsa])?(?::[^{}\s]*)?\}"
    r"""|(?<=[<"':])\{\}"""
)
_PLACEHOLDER = re.compile(_PLACE)
# Placeholders in a string, where SPARQL would read them as part of the value. Elsewhere `$name` is a variable. (With an
# atomic group, because Python before 3.11.4 mishandles a possessive repetition that has a lookahead.)
_IN_STRING = re.compile(
    rf"""(["'])(?:(?!\1)[^\\\n]|\\.)*?(?:{_PLACE}|\$[A-Za-z_]\w*)(?>(?:(?!\1)[^\\\n]|\\.)*)\1""",
)


@dataclass(frozen=True)
class FinderOptions:
    """How to find tests. By default, kgprobe finds them by the names and the content of files."""

    root: Path = field(default_factory=Path.cwd)  # the working folder: names are relative to it, and imports start here
    matrix: Path | None = None  # a CSV or TOML file with the terms of tests
    recorded: Path | None = None  # a record of a run, see `declared.read_recorded`
    test_files: tuple[str, ...] = ()  # globs for further files that are tests
    terms_command: tuple[str, ...] = ()  # prints the terms that the file `{test}` uses
    command_seconds: float = 60.0  # the time limit of the command for one file
    schema: tuple[Path, ...] = ()  # files and folders with definitions of relations
    beside: tuple[Path, ...] = ()  # folders whose SQL files may define relations, besides those among the tests
    database: str | None = None  # the URL of a database with them
    dialect: str | None = None  # the dialect of SQL, as `statements.checked_dialect` gives it
    stored: tuple[Relation, ...] = ()  # further stored tables
    sql_without_terms: bool = True  # whether a SQL file without terms is a test (which is always selected)


class Neighbours:
    """Finds expected results. Each folder is listed once."""

    def __init__(self, suffixes: Iterable[str]) -> None:
        """`suffixes` are the ends of the names of files that are one test each."""
        self._suffixes = tuple(suffixes)
        self._listed: dict[str, dict[str, str]] = {}

    def expected(self, test: TestFile) -> Path | None:
        """The file with the expected results of a test: it has the same name, and is beside it or in `expected`."""
        stem = test.base.rpartition(".")[0]
        for suffix in _RESULTS:
            if stem + suffix in test.folder.files:
                return test.file.with_name(stem + suffix)
        if _FOLDER not in test.folder.folders:
            return None
        name = self._stems(test.folder.path).get(stem)
        return None if name is None else test.file.parent / _FOLDER / name

    def is_expected(self, file: TestFile) -> bool:
        """Whether a file contains the expected results of a test in the folder above, and so is not a test itself."""
        if not file.folder.path.endswith(_FOLDER):
            return False
        path = file.file
        return path.parent.name == _FOLDER and any(
            (path.parent.parent / (path.stem + suffix)).is_file() for suffix in self._suffixes
        )

    def _stems(self, folder: str) -> dict[str, str]:
        if folder not in self._listed:
            try:
                names = sorted(entry.name for entry in (Path(folder) / _FOLDER).iterdir() if entry.is_file())
            except OSError:
                names = []
            self._listed[folder] = {name.partition(".")[0]: name for name in reversed(names)}
        return self._listed[folder]


def stated_regime(text: str, name: str, notes: Callable[[str], None]) -> Regime | None:
    """The regime that the comments at the start of a test state. Anything else in them becomes a note.

    Comments for the checker of queries are left alone: `# kgprobe: ignore CODE` and `# kgprobe: ontology FILE`. So are
    those that say which terms a test reads.
    """
    if "kgprobe:" not in text:
        return None
    found = None
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip().removeprefix("\ufeff")
        if stripped and not stripped.startswith(("#", "--")):
            break
        said = _LINE.match(stripped)
        words = said[1].replace(",", " ").split() if said else []
        if words and words[0].lower() in (*CHECKER_WORDS, *_STATED):
            continue
        for word in words:
            key, _, value = word.partition("=")
            if key != "regime":
                notes(f"{name}:{number}: '{key}' is not a kgprobe setting, only regime=… is")
            elif value in _REGIMES:
                found = Regime(value)
            else:
                valid = did_you_mean(value, _REGIMES, f"it is one of {', '.join(_REGIMES)}")
                notes(f"{name}:{number}: there is no regime '{value}': {valid}")
    return found


@dataclass(frozen=True)
class QueryReading:
    """The uses of a query. `reasons` say why they may be incomplete, each with its line in the query if it has one."""

    uses: tuple[Use, ...] = ()
    patterns: tuple[TriplePattern, ...] = ()
    reasons: tuple[tuple[str, int | None], ...] = ()
    query: Query | None = None
    text: str = ""  # a complete query, with declarations of all prefixes that it uses

    @property
    def unseen(self) -> tuple[str, ...]:
        """The reasons as messages."""
        return tuple(f"{BLIND}: {reason}" + (f" (line {line})" if line else "") for reason, line in self.reasons)

    @property
    def queries(self) -> tuple[str, ...]:
        """The complete query, if it is fully known."""
        return (self.text,) if self.text and not self.reasons else ()

    def mentions(self, file: Path, offset: int = 0) -> tuple[Mention, ...]:
        """The places where a file names terms; `offset` is the position of the query in the file."""
        if self.query is None:
            return ()
        return tuple(
            Mention(mention.term, file, mention.start + offset, mention.end + offset, mention.written)
            for mention in self.query.terms
        )


class QueryTexts:
    """Reads queries, each text once. A query may use `prefixes` without declaring them."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = dict(prefixes)
        self._reader = SimilarQueryReader(self._prefixes)
        self._known: dict[tuple[str, tuple[tuple[str, str], ...]], QueryReading] = {}

    def read(self, text: str, prefixes: Mapping[str, str] | None = None) -> QueryReading:
        """The uses of a query; `prefixes` take precedence over those that all queries may use."""
        key = (text, tuple(sorted(prefixes.items())) if prefixes else ())
        found = self._known.get(key)
        if found is None:
            reader = SimilarQueryReader({**self._prefixes, **prefixes}) if prefixes else self._reader
            found = self._known[key] = _read(text, reader)
        return found

    def read_update(self, text: str, prefixes: Mapping[str, str]) -> QueryReading:
        """The uses of an update: what it reads to know what to write."""
        try:
            update = read_update(text, prefixes={**self._prefixes, **prefixes})
        except InputError as error:
            return QueryReading(reasons=((error.message, error.where.line if error.where else None),))
        reasons = tuple(_with_line(reason) for reason in update.unseen)
        return QueryReading(update.uses, reasons=reasons, query=update)


def is_template(text: str) -> bool:
    """Whether a text has placeholders, so that it may become a query when values are filled in."""
    return _PLACEHOLDER.search(text) is not None


def _read(text: str, reader: SimilarQueryReader) -> QueryReading:
    try:
        query = reader.read(text)
    except InputError as error:
        line = error.where.line if error.where else None
        return QueryReading(reasons=((_TEMPLATE, None) if is_template(text) else (error.message, line),))
    if _IN_STRING.search(text):
        return QueryReading(reasons=((_TEMPLATE, None),), query=query)
    reasons = tuple(_with_line(reason) for reason in query.unseen)
    return QueryReading(query.uses, query.patterns, reasons, query, _with_prefixes(text, query))


def _with_line(reason: str) -> tuple[str, int | None]:
    found = _WITH_LINE.match(reason)
    return (found[2], int(found[1])) if found else (reason, None)


@lru_cache
def _declared(prologue: str) -> frozenset[str]:
    return frozenset(_DECLARED.findall(prologue))


def _with_prefixes(text: str, query: Query) -> str:
    used = {mention.written.partition(":")[0] for mention in query.terms if not mention.written.startswith("<")}
    declared = _declared(text.partition("{")[0])
    if used <= declared:
        return text
    lines = [f"PREFIX {prefix}: <{query.prefixes[prefix]}>\n" for prefix in sorted(used - declared)]
    return "".join(lines) + text


class Search:
    """One search for tests."""

    def __init__(self, vocabulary: Vocabulary, options: FinderOptions) -> None:
        from kgprobe.selection.discovery.files import (  # their modules import this one
            languages,
            suffixes_of_single_tests,
        )

        self.vocabulary = vocabulary
        self.options = options
        self.queries = QueryTexts(vocabulary.prefixes)
        self.languages = languages()
        self.neighbours = Neighbours(suffixes_of_single_tests())
        self.notes: list[str] = []
        self.unrelated: list[Test] = []  # tests that do not seem to use a graph, known after the last file
        self.claimed: set[Path] = set()  # files that belong to tests of other files
        self.folders: Sequence[Path] = ()  # the folders and files to search
        self.sql_files: Sequence[TestFile] = ()  # those among the tests: they may define relations
        self._unknown = 0

    @cached_property
    def sql(self) -> SqlTexts:
        """Reads SQL, with what is known about the database."""
        from kgprobe.selection.discovery.schemas import catalogue_for
        from kgprobe.selection.discovery.sql_files import SqlTexts

        return SqlTexts(self.vocabulary, catalogue_for(self), self.options.dialect)

    @property
    def root(self) -> Path:
        return self.options.root

    @cached_property
    def collecting(self) -> Collecting:
        """What pytest collects in this project."""
        return collecting_in(self.folders, self.root)

    @cached_property
    def names_in_text(self) -> NamesInText:
        """Finds names in any text."""
        from kgprobe.selection.discovery.text_names import NamesInText  # only here: few suites have such files

        return NamesInText(self.vocabulary)

    def note(self, text: str) -> None:
        """Add a note for the user."""
        if text not in self.notes:
            self.notes.append(text)

    def named(self, name: str, where: str, line: int | None = None) -> tuple[tuple[TermUse, ...], tuple[str, ...]]:
        """The terms with a name that the user gives for a test, and why they are unknown, if no term has the name.

        An IRI counts even if no graph has it. Any other unknown name is likely a mistake.
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
            self.note(f"{self._unknown - _MOST_UNKNOWN} more names are not in the ontology")
        return tuple(self.notes)

    def _note_unknown(self, name: str, where: str) -> None:
        self._unknown += 1
        if self._unknown <= _MOST_UNKNOWN:
            meant = self.vocabulary.nearest(name)
            hint = f" (did you mean '{meant}'?)" if meant else ""
            self.note(f"{where}: no term of the ontology is called '{name}'{hint}")


# -- what a test says about itself in comments: which terms it reads, and in which direction it looks from them --------


_STATING = re.compile(
    r"^[ \t]*(?:#|--|//|/?\*+|<!--|;|%)[ \t]*kgprobe:[ \t]*(descendants of|ancestors of|term)[ \t]+"
    r"(.+?)[ \t]*(?:\*/|-->)?\r?$",
    re.MULTILINE,
)
_DIRECTIONS = {
    "descendants of": Direction.DESCENDANTS,
    "ancestors of": Direction.ANCESTORS,
    "term": Direction.TERM,
}
_NAME = re.compile(r"\s*(?:'([^']*)'|\"([^\"]*)\"|([^,]+?))\s*(?:,|\Z)")


def stated_terms(text: str, name: str, search: Search) -> tuple[tuple[TermUse, ...], tuple[str, ...]] | None:
    """The terms that lines such as `-- kgprobe: descendants of Pizza, 'green tea'` state, and why some are unknown.

    None if a test states none.
    """
    if "kgprobe:" not in text:
        return None
    uses: list[TermUse] = []
    unseen: list[str] = []
    lines = list(_STATING.finditer(text))
    for stated in lines:
        line = text.count("\n", 0, stated.start()) + 1
        for named in _names(stated[2]):
            terms, problems = search.named(named, f"{name}:{line}", line)
            said = f"{stated[1]} {named}"
            uses += (TermUse(use.term, said, line, _DIRECTIONS[stated[1]]) for use in terms)
            unseen += problems
    return (tuple(uses), tuple(unseen)) if lines else None


def _names(said: str) -> Iterator[str]:
    place = 0
    said = said.strip()
    while place < len(said) and (found := _NAME.match(said, place)) is not None:
        yield next(part for part in found.groups() if part is not None)
        place = found.end()
