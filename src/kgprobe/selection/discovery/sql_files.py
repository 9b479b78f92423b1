"""SQL tests: what their statements read of the stored tables, and the terms that they name."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.rdf.terms import OWL, RDF, RDFS, SKOS, XSD, NamedNode
from kgprobe.selection.discovery.files import SQL_SUFFIXES, LanguageFiles, TestFile
from kgprobe.selection.discovery.search import BLIND, Search, stated_regime, stated_terms
from kgprobe.selection.tests import Constants, Language, Mention, Source, TablesUse, TermUse, Test, TestUse
from kgprobe.selection.vocabulary import Vocabulary

if TYPE_CHECKING:
    from kgprobe.selection.sql.catalogue import Catalogue
    from kgprobe.selection.sql.reader import TablesReading

_START, _END = "\ue002", "\ue003"
_HIDDEN = re.compile(f"{_START}(\\d+){_END}")
# Only texts whose strings end in the same place in all dialects: no backslashes, dollars, backticks and `#`.
_UNCLEAR = re.compile(r"[\\$`\ue000-\ue003]|^\s*#|(?<![\w'])[eEnNbBxX]'|&'|'\s*\n\s*'", re.MULTILINE)
_PLACE = re.compile(r"\{|%\(|%s")  # what is filled in, also in a constant
_TOKENS = re.compile(r"""--[^\n]*|/\*(?>(?:[^*]|\*(?!/))*)\*/|"[^"\n]*"|'((?:[^'\n]|'')*)'|(['"]|/\*)""")


@dataclass(frozen=True, slots=True)
class Template:
    """A text in which marks stand for the constants. The same constant has the same mark."""

    text: str
    constants: tuple[str, ...]
    places: tuple[tuple[int, int, int], ...]  # the number of the constant, and where it is in the original text


def split(text: str) -> Template | None:
    """The constants of a text, and the rest; None if dialects may disagree on where they end."""
    if _UNCLEAR.search(text):
        return None
    numbers: dict[str, int] = {}
    parts: list[str] = []
    places: list[tuple[int, int, int]] = []
    last = 0
    for hit in _TOKENS.finditer(text):
        if hit.lastindex is None:
            if hit[0].startswith('"'):
                continue
            if "/*" in hit[0][2:]:
                return None
            parts += (text[last : hit.start()], "\n" * hit[0].count("\n") or " ")  # comments say nothing
            last = hit.end()
            continue
        if hit.lastindex == 2:
            return None
        said = hit[1]
        if _PLACE.search(said):
            return None
        start, end = hit.span(1)
        number = numbers.setdefault(said, len(numbers))
        places.append((number, start, end))
        parts += (text[last:start], f"{_START}{number}{_END}")
        last = end
    parts.append(text[last:])
    return Template("".join(parts), tuple(said.replace("''", "'") for said in numbers), tuple(places))


def filled(use: TablesUse, constants: tuple[str, ...]) -> TablesUse:
    """A use of a template with its constants."""

    def fill(text: str) -> str:
        return _HIDDEN.sub(lambda found: constants[int(found[1])], text) if _START in text else text

    def each_constant(said: Constants) -> Constants:
        patterns = tuple((fill(pattern), escape) for pattern, escape in said.patterns)
        return Constants(frozenset(map(fill, said.texts)), patterns, said.folds)

    def each_source(source: Source) -> Source:
        return replace(source, constants=_mapped(source.constants)) if source.constants else source

    def _mapped(by_column: Mapping[str, Constants]) -> dict[str, Constants]:
        return {column: each_constant(said) for column, said in by_column.items()}

    return TablesUse(tuple(map(each_source, use.sources)), fill(use.text), use.line)


# -- texts -------------------------------------------------------------------------------------------------------------


_LONGEST = 1 << 18
_MOST_REASONS = 5
_SHORT = 100
_MOST_KEPT = 10_000
_STRING = re.compile(r"--[^\n]*|/\*.*?\*/|'((?:[^']|'')*)'", re.DOTALL)
_PARTS = re.compile(r"[\\,;{}\[\]|\"%]+")
_DEFINES = re.compile(r"\bCREATE\b", re.IGNORECASE)
# Tables often have columns such as `label` and `id`, which hold these for all terms.
_STANDARD = (
    *(namespace.iri for namespace in (RDF, RDFS, OWL, XSD, SKOS)),
    *("http://www.geneontology.org/formats/oboInOwl#", "http://purl.org/dc/"),
)
_LOOKS_LIKE_SQL = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*(?:(?:SELECT|WITH)\b.*\bFROM\b|INSERT\s+INTO\b|DELETE\s+FROM\b|UPDATE\b.*\bSET\b)",
    re.IGNORECASE | re.DOTALL,
)

SUFFIXES = (".sql",)


@dataclass(frozen=True)
class SqlReading:
    """What a text reads, why that may be incomplete, and the terms that it names.

    `uses` are what the statements read of the stored tables, and terms after which tables or columns are called.
    """

    uses: tuple[TestUse, ...]
    unseen: tuple[str, ...]
    places: tuple[tuple[NamedNode, int, int, str], ...] = ()  # of names with exactly one term
    terms: tuple[TermUse, ...] = ()  # the terms that its constants name
    files: tuple[str, ...] = ()  # the schema files with definitions that it uses
    is_about_nothing: bool = False  # it names no term, and every part of it was understood
    is_definition: bool = False  # it only defines relations or functions

    def mentions(self, file: Path, offset: int = 0) -> tuple[Mention, ...]:
        """The places in a file; `offset` is the position of the text in the file."""
        return tuple(Mention(term, file, start + offset, end + offset, said) for term, start, end, said in self.places)


def looks_like_sql(text: str) -> bool:
    """Whether a text starts like an SQL statement. SPARQL may do so, too: check for SPARQL first."""
    return _LOOKS_LIKE_SQL.match(text) is not None


def defines_relations(text: str) -> bool:
    """Whether a text may define relations."""
    return _DEFINES.search(text) is not None


def read_sql(
    text: str,
    vocabulary: Vocabulary,
    catalogue: Catalogue,
    dialect: str | None = None,
    parameters: Mapping[str, Sequence[str] | None] | None = None,
) -> SqlReading:
    """What an SQL text with any number of statements reads.

    `parameters` are the values that parameters of the statements can have, by their names; those of `?` and `%s` are
    called 1, 2 and so on.
    """
    return SqlTexts(vocabulary, catalogue, dialect).read(text, parameters)


class SqlTexts:
    """Reads SQL texts. Texts that differ only in their constants are parsed once."""

    def __init__(self, vocabulary: Vocabulary, catalogue: Catalogue, dialect: str | None = None) -> None:
        self._vocabulary = vocabulary
        self._catalogue = catalogue
        self._dialect = dialect
        self._known: dict[str, TablesReading | None] = {}

    def read(self, text: str, parameters: Mapping[str, Sequence[str] | None] | None = None) -> SqlReading:
        """What a text with any number of statements reads."""
        if len(text) > _LONGEST:
            return SqlReading((), (f"{BLIND}: it is longer than {_LONGEST} characters",))
        found = self._tables(text, parameters)
        named = _Names(text, self._vocabulary)
        identifiers = tuple(named.of_identifiers(found.names))
        is_about_nothing = not (named.terms or identifiers) and found.knows_all_but_relations
        return SqlReading(
            (*map(_shortened, found.uses), *identifiers),
            tuple(_reasons(found.problems)),
            tuple(named.places),
            tuple(named.with_restrictions(found.uses)),
            found.files,
            is_about_nothing,
            found.is_definition,
        )

    def _tables(self, text: str, parameters: Mapping[str, Sequence[str] | None] | None) -> TablesReading:
        from kgprobe.selection.sql.reader import read_statements  # it takes long to import

        template = None if parameters else split(text)
        if template is None or not template.constants:
            return read_statements(text, self._catalogue, self._dialect, parameters)
        if template.text not in self._known and len(self._known) < _MOST_KEPT:
            found = read_statements(template.text, self._catalogue, self._dialect)
            self._known[template.text] = None if found.depends_on_content or found.problems else found
        known = self._known.get(template.text)
        if known is None:
            return read_statements(text, self._catalogue, self._dialect)
        return replace(known, uses=tuple(filled(use, template.constants) for use in known.uses))


def _shortened(use: TablesUse) -> TablesUse:
    return use if len(use.text) <= _SHORT else replace(use, text=use.text[: _SHORT - 1] + "…")


def _reasons(problems: Iterable[tuple[str, int | None]]) -> Iterator[str]:
    for number, (reason, line) in enumerate(problems):
        if number == _MOST_REASONS:
            return
        yield f"{BLIND}: {reason}" + (f" (line {line})" if line else "")


class _Names:
    """The terms that a text names."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.terms: dict[NamedNode, TermUse] = {}
        self.places: list[tuple[NamedNode, int, int, str]] = []
        ends: list[int] | None = None
        for hit in _STRING.finditer(text):
            if not hit[1]:
                continue
            said = hit[1].replace("''", "'")
            terms = vocabulary.resolve(said)
            start, end = hit.span(1)
            if len(terms) == 1 and said == hit[1] and "\\" not in said:
                self.places.append((terms[0], start, end, said))
            parts = () if terms else [part.strip() for part in _PARTS.split(said)]
            terms += tuple(term for part in parts if part and part != said for term in vocabulary.resolve(part))
            for term in terms:
                if term not in self.terms:
                    if ends is None:
                        ends = [hit.start() for hit in re.finditer("\n", text)]
                    self.terms[term] = TermUse(term, said, bisect_left(ends, start) + 1)

    def of_identifiers(self, names: Iterable[str]) -> Iterator[TermUse]:
        """The terms of the ontology after which tables and columns are called."""
        for name in names:
            for term in self._vocabulary.resolve(name):
                if not term.value.startswith(_STANDARD):
                    yield TermUse(term, name)

    def with_restrictions(self, uses: Iterable[TablesUse]) -> Iterator[TermUse]:
        """The terms that the text names, and those that restrictions name, unless too many match a pattern."""
        for use in uses:
            for said in (said for source in use.sources for said in source.constants.values()):
                for text in sorted(said.texts):
                    self._add(self._vocabulary.resolve(text), text, use.line)
                for pattern, escape in said.patterns:
                    self._add(self._vocabulary.matching(pattern, escape) or (), pattern, use.line)
        return iter(self.terms.values())

    def _add(self, terms: Iterable[NamedNode], text: str, line: int | None) -> None:
        for term in terms:
            if term not in self.terms:
                self.terms[term] = TermUse(term, text, line)


# -- SQL files: one test each ------------------------------------------------------------------------------------------


def sql_test(found: TestFile, search: Search) -> Test | None:
    """The test of an SQL file; None if it only defines relations, or names no term and the user excludes that."""
    file = found.file
    expected = search.neighbours.expected(found)
    try:
        text = exact_text(found.path)
    except InputError as error:
        reason = f"{BLIND}: it {error.message}"
        return Test(found.name, SQL, unseen=(reason,), file=file, expected=expected)
    reading = search.sql.read(text)
    stated = stated_terms(text, found.name, search)
    uses, unseen = (reading.uses, reading.unseen) if stated is None else stated
    if reading.is_definition or (reading.is_about_nothing and not search.options.sql_without_terms):
        return None
    return Test(
        found.name,
        SQL,
        uses=uses,
        unseen=unseen,
        file=file,
        line=1,
        mentions=reading.mentions(file),
        regime=stated_regime(text, found.name, search.note),
        expected=expected,
        terms=reading.terms,
        parts=tuple(Path(path) for path in reading.files if path != str(file)),
    )


class _SqlFiles:
    def __init__(self, search: Search) -> None:
        self._search = search

    def tests(self, file: TestFile) -> Iterable[Test]:
        test = sql_test(file, self._search)
        return () if test is None else (test,)

    def finish(self) -> Iterable[Test]:
        return ()


SQL = Language("sql", "SQL", has_values=True)
LANGUAGES = (LanguageFiles(SQL, _SqlFiles, SQL_SUFFIXES),)
