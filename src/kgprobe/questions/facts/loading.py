"""Graphs become tables: their triples are read, their terms become integers, and a load that was killed is resumed.

A Python dictionary of all terms of a large graph would not fit into memory, and would be slower. So a part of a graph
is written as N-Triples, and DuckDB does the rest. The parser's own writer is nearly free, and its N-Triples have one
form for each term, with all control characters escaped.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyoxigraph import RdfFormat, serialize

from kgprobe.errors import InputError, Position, UnavailableError
from kgprobe.processes.limits import clean_folder
from kgprobe.questions.facts.database import BLANK, IRI, LITERAL, Facts, connect, explanation, remove
from kgprobe.questions.facts.names import make_edges, make_names, make_same
from kgprobe.questions.facts.sources import FactSource, Seen, sources_of
from kgprobe.rdf.terms import XSD, Triple

if TYPE_CHECKING:
    import duckdb

__all__ = ["Progress"]

# A term's key is its N-Triples form; that of a blank node also has the number of its source, since labels are local.
_TABLES = """
CREATE TABLE dictionary (id INTEGER, key VARCHAR);
CREATE TABLE loaded_facts (source INTEGER, s INTEGER, p INTEGER, o INTEGER);
"""
# U+0001 occurs in no line, because the writer escapes it. No term is longer than 16 MiB; escaped, it may be six times
# as long.
_LINES = """read_csv(?, delim = chr(1), quote = '', escape = '', comment = '', header = false, auto_detect = false,
  columns = {{'line': 'VARCHAR'}}, new_line = '\\n', max_line_size = 120000000)"""
_PART = f"""
CREATE OR REPLACE TEMP TABLE part AS
SELECT {{s}} AS s, p, {{o}} AS o FROM (
  SELECT s, p, substr(line, length(s) + length(p) + 3, length(line) - length(s) - length(p) - 4) AS o
  FROM (SELECT line, split_part(line, ' ', 1) AS s, split_part(line, ' ', 2) AS p FROM {_LINES}))
"""  # noqa: S608 - constants, and a number
_KEYS_OF_PART = """
CREATE OR REPLACE TEMP TABLE keys_of_part AS
SELECT key, min(place) AS place FROM (
  SELECT s AS key, 3 * rowid AS place FROM part
  UNION ALL SELECT p, 3 * rowid + 1 FROM part
  UNION ALL SELECT o, 3 * rowid + 2 FROM part)
GROUP BY key
"""
# Triple terms, and literals with a direction.
_RDF_1_2 = """
SELECT key FROM keys_of_part WHERE starts_with(key, '<<')
  OR starts_with(key, '"') AND (ends_with(key, '--ltr') OR ends_with(key, '--rtl')) LIMIT 1
"""
# The dictionary is read only once for each part.
_KNOWN_KEYS = """
CREATE OR REPLACE TEMP TABLE known_keys AS
SELECT key, place, dictionary.id FROM keys_of_part LEFT JOIN dictionary USING (key)
"""
_NEW_KEYS = """
CREATE OR REPLACE TEMP TABLE new_keys AS
SELECT CAST((SELECT count(*) FROM dictionary) + row_number() OVER (ORDER BY place) - 1 AS INTEGER) AS id, key
FROM known_keys WHERE id IS NULL
"""
_GROW = "INSERT INTO dictionary SELECT id, key FROM new_keys"
_IDS_OF_PART = """
CREATE OR REPLACE TEMP TABLE ids_of_part AS
SELECT key, id FROM known_keys WHERE id IS NOT NULL UNION ALL SELECT key, id FROM new_keys
"""
_ENCODE = """
INSERT INTO loaded_facts
SELECT CAST(? AS INTEGER), subjects.id, predicates.id, objects.id FROM part
JOIN ids_of_part AS subjects ON part.s = subjects.key
JOIN ids_of_part AS predicates ON part.p = predicates.key
JOIN ids_of_part AS objects ON part.o = objects.key
"""
_RANDOM_BLANK = "'^_{0}:[0-9a-f]{{24,32}}$'"
_QUOTED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


def _add_part(connection: duckdb.DuckDBPyConnection, lines: Path, source: int, name: str) -> None:
    """Add the triples of an N-Triples file, which pyoxigraph has written.

    `source` is the number of their source, and `name` its name. InputError if a term is not RDF 1.1.
    """
    columns = {
        column: f"if(starts_with({column}, '_'), '_{source}:' || substr({column}, 3), {column})"
        for column in ("s", "o")
    }
    connection.execute(_PART.format(**columns), [str(lines)])
    connection.execute(_KEYS_OF_PART)
    if newer := connection.execute(_RDF_1_2).fetchone():
        raise InputError(f"uses RDF 1.2, but kgprobe reads RDF 1.1: {newer[0]}", where=Position(name))
    for step in (_KNOWN_KEYS, _NEW_KEYS, _GROW, _IDS_OF_PART):
        connection.execute(step)
    connection.execute(_ENCODE, [source])
    for table in ("part", "keys_of_part", "known_keys", "new_keys", "ids_of_part"):
        connection.execute(f"DROP TABLE {table}")


def _has_random_blanks(connection: duckdb.DuckDBPyConnection, source: int) -> bool:
    """Whether blank nodes of a source got random labels, which differ each time that it is read."""
    pattern = _RANDOM_BLANK.format(source)
    row = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM dictionary WHERE regexp_full_match(key, {pattern}) LIMIT 1)"  # noqa: S608 - constants, and a number
    ).fetchone()
    return row is not None and row[0] > 0


def _rename_random_blanks(connection: duckdb.DuckDBPyConnection, source: int) -> None:
    """Replace the random labels of a source with b0, b1, … in order, so that it always gives the same terms."""
    pattern = _RANDOM_BLANK.format(source)
    connection.execute(
        f"""
CREATE OR REPLACE TEMP TABLE renamed AS
WITH random AS (
  SELECT id, row_number() OVER (ORDER BY id) AS n FROM dictionary WHERE regexp_full_match(key, {pattern})),
taken AS (SELECT key FROM dictionary WHERE starts_with(key, '_{source}:')),
candidates AS (SELECT '_{source}:b' || number AS key, number FROM range((SELECT count(*) FROM taken)) AS t(number)),
free AS (SELECT key, row_number() OVER (ORDER BY number) AS n FROM candidates ANTI JOIN taken USING (key))
SELECT random.id, free.key FROM random JOIN free USING (n)"""  # noqa: S608 - constants, and a number
    )
    connection.execute("UPDATE dictionary SET key = renamed.key FROM renamed WHERE dictionary.id = renamed.id")
    connection.execute("DROP TABLE renamed")


def _make_terms(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the table of terms from the dictionary."""
    connection.create_function("kgprobe_unescaped", _unescaped, ["VARCHAR"], "VARCHAR")
    connection.execute(_TERMS)
    connection.remove_function("kgprobe_unescaped")


def _unescaped(text: str) -> str:
    return _QUOTED.sub(lambda escape: _ESCAPED[escape[3]] if escape[3] else chr(int(escape[1] or escape[2], 16)), text)


# The last quote of a key ends the lexical form, since neither a language tag nor an IRI has one.
_TERMS = f"""
CREATE OR REPLACE TABLE terms AS
SELECT id, CAST(kind AS TINYINT) AS kind,
  CASE WHEN kind = {LITERAL} AND contains(text, '\\') THEN kgprobe_unescaped(text) ELSE text END AS text, extra
FROM (
  SELECT id, {IRI} AS kind, substr(key, 2, length(key) - 2) AS text, '' AS extra
  FROM dictionary WHERE starts_with(key, '<')
  UNION ALL
  SELECT id, {BLANK}, substr(key, strpos(key, ':') + 1), substr(key, 2, strpos(key, ':') - 2)
  FROM dictionary WHERE starts_with(key, '_')
  UNION ALL
  SELECT id, {LITERAL}, substr(key, 2, length(key) - length(tail) - 2),
    CASE WHEN tail = '' THEN '{XSD.string.value}'
      WHEN starts_with(tail, '@') THEN substr(tail, 2)
      ELSE substr(tail, 4, length(tail) - 4) END
  FROM (SELECT id, key, regexp_extract(key, '[^"]*$') AS tail FROM dictionary WHERE starts_with(key, '"')))
ORDER BY id
"""  # noqa: S608 - constants


PART = 2_000_000
"""Triples that are loaded in one step. The result does not depend on it."""
_PARTS = ("even.nt", "odd.nt")
_STATE = """
CREATE TABLE IF NOT EXISTS state (key VARCHAR PRIMARY KEY, value VARCHAR);
CREATE TABLE IF NOT EXISTS sources (
  number INTEGER, identity VARCHAR, size BIGINT, changed BIGINT, digest VARCHAR, triples BIGINT, is_loaded BOOLEAN,
  notes VARCHAR[]);
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load is: sources that are loaded, all of them, and triples so far. `step` is loaded now."""

    loaded: int
    sources: int
    triples: int
    step: str


def open_facts(
    sources: Iterable[str | Path],
    file: str | Path | None = None,
    *,
    language: str = "en",
    on_progress: Callable[[Progress], None] | None = None,
    part: int = PART,
) -> Facts:
    """The facts of graph files, of folders of such files, and of SPARQL endpoints.

    With `file`, the facts are kept in that file: a later call uses them, or continues a load that did not end. If a
    source has changed since, all are loaded again, and a note says so. Without `file`, the facts are in memory.
    """
    given = sources_of(sources)
    target = Path(file) if file is not None else None
    connection = connect(target)
    notes: list[str] = []
    try:
        connection.execute(_STATE)
        reason = _outdated(connection, given)
        if reason:
            notes.append(f"{reason}: all facts are loaded again")
            connection.close()
            if target is not None:
                remove(target)
            connection = connect(target)
            connection.execute(_STATE)
        _Load(connection, given, target, on_progress or _nobody, part).run(language, notes)
    except BaseException as error:
        connection.close()
        raise explanation(error, target) or error from None
    return Facts(connection, target, tuple(notes))


def _nobody(_: Progress) -> None:
    pass


def _outdated(connection: duckdb.DuckDBPyConnection, given: Sequence[FactSource]) -> str | None:
    """Why the facts in the database are not those of the given sources, if so."""
    known = connection.execute("SELECT identity, size, changed, digest FROM sources ORDER BY number").fetchall()
    if not known:
        return None
    if [identity for identity, *_ in known] != [source.identity for source in given]:
        return "other sources are given than those that were loaded"
    for (_, *seen), source in zip(known, given, strict=True):
        if source.has_changed(Seen(*seen)):
            return f"{source.name} has changed since it was loaded"
    return None


class _Load:
    """One load into a database: the parts that are missing, then the tables that are made from all of them."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        given: Sequence[FactSource],
        target: Path | None,
        on_progress: Callable[[Progress], None],
        part: int,
    ) -> None:
        self._connection = connection
        self._given = given
        self._target = target
        self._on_progress = on_progress
        self._part = part

    def run(self, language: str, notes: list[str]) -> None:
        if self._state("facts") is None:
            self._prepare()
            with self._folder() as folder:
                for number, source in enumerate(self._given):
                    self._load_source(number, source, folder)
            self._tell("the terms")
            with self._any_order(), self._transaction():
                self._make_facts()
        if self._state("language") != language:
            self._tell("the names")
            with self._any_order(), self._transaction():
                make_names(self._connection, language)
                self._set("language", language)
        notes += (
            f"{source.name}: {note}"
            for number, source in enumerate(self._given)
            for note in self._row("SELECT notes FROM sources WHERE number = ?", number)[0]
        )

    def _prepare(self) -> None:
        """Note the sources that will be loaded, before the first of them."""
        if self._value("SELECT count(*) FROM sources"):
            return
        rows: list[tuple[Any, ...]] = [(n, *self._noted(source), 0, False, []) for n, source in enumerate(self._given)]
        with self._transaction():
            self._connection.execute(_TABLES)
            self._connection.executemany("INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _noted(self, source: FactSource) -> tuple[str, int, int, str]:
        # A database in memory is never used again, so nobody asks whether the source has changed.
        seen = source.seen() if self._target is not None else Seen(0, 0, "")
        return source.identity, seen.size, seen.changed, seen.digest

    def _load_source(self, number: int, source: FactSource, folder: Path) -> None:
        """Load the parts of a source that are missing."""
        (done, is_loaded) = self._row("SELECT triples, is_loaded FROM sources WHERE number = ?", number)
        if is_loaded:
            return
        if done and (not source.is_repeatable or _has_random_blanks(self._connection, number)):
            self._forget(number)  # reading it again gives another order, or other labels
            done = 0
        reading = _Reading(source.triples())
        for _ in itertools.islice(reading.triples, done):
            pass
        with ThreadPoolExecutor(1) as reader:  # the next part is read while the database works on this one
            names = itertools.cycle(folder / name for name in _PARTS)
            upcoming = reader.submit(_write_part, reading, next(names), self._part)
            while True:
                lines, count = upcoming.result()
                is_last = count < self._part
                if not is_last:
                    upcoming = reader.submit(_write_part, reading, next(names), self._part)
                with self._transaction():
                    if count:
                        _add_part(self._connection, lines, number, source.name)
                    if is_last:
                        _rename_random_blanks(self._connection, number)
                    self._connection.execute(
                        "UPDATE sources SET triples = triples + ?, is_loaded = ?, notes = ? WHERE number = ?",
                        [count, is_last, reading.notes, number],
                    )
                self._tell("the triples")
                if is_last:
                    return

    def _forget(self, number: int) -> None:
        """Remove what was loaded of a source, which is the last one that was worked on."""
        with self._transaction():
            self._connection.execute("DELETE FROM loaded_facts WHERE source = ?", [number])
            self._connection.execute(
                "DELETE FROM dictionary WHERE id > (SELECT coalesce(max(greatest(s, p, o)), -1) FROM loaded_facts)"
            )
            self._connection.execute("UPDATE sources SET triples = 0 WHERE number = ?", [number])

    def _make_facts(self) -> None:
        connection = self._connection
        connection.execute(
            "CREATE OR REPLACE TABLE facts AS SELECT DISTINCT s, p, o FROM loaded_facts ORDER BY p, s, o"
        )
        _make_terms(connection)
        connection.execute("DROP TABLE loaded_facts; DROP TABLE dictionary")
        make_same(connection)
        make_edges(connection)
        self._set("facts", "made")

    @contextmanager
    def _any_order(self) -> Iterator[None]:
        """Rows need no order unless a query sorts them, which takes much less memory."""
        self._connection.execute("SET preserve_insertion_order = false")
        yield
        self._connection.execute("SET preserve_insertion_order = true")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.begin()
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """The folder of the parts: beside the file, whose disk has room for them."""
        if self._target is None:
            with clean_folder() as folder:
                yield folder
            return
        # Hidden, so that it is not a source if the file is in a folder of facts.
        folder = self._target.with_name(f".{self._target.name}.parts")
        try:
            folder.mkdir(exist_ok=True)  # a load that was killed leaves it behind
        except OSError as error:
            raise InputError(f"cannot be made: {error.strerror}", where=Position(str(folder))) from None
        try:
            yield folder
        finally:
            with suppress(OSError):
                for name in _PARTS:
                    (folder / name).unlink(missing_ok=True)
                folder.rmdir()

    def _tell(self, step: str) -> None:
        loaded, triples = self._row("SELECT count(*) FILTER (is_loaded), sum(triples) FROM sources")
        self._on_progress(Progress(loaded, len(self._given), int(triples), step))

    def _state(self, key: str) -> str | None:
        rows = self._connection.execute("SELECT value FROM state WHERE key = ?", [key]).fetchall()
        return rows[0][0] if rows else None

    def _set(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", [key, value])

    def _row(self, text: str, *values: Any) -> tuple[Any, ...]:
        row = self._connection.execute(text, list(values)).fetchone()
        assert row is not None  # noqa: S101 - these queries have a row
        return row

    def _value(self, text: str) -> Any:
        return self._row(text)[0]


class _Reading:
    """The triples of a source, which several loops take from, and at their end the notes on it."""

    def __init__(self, triples: Generator[Triple, None, list[str]]) -> None:
        self.notes: list[str] = []
        self.triples = self._noting(triples)

    def _noting(self, triples: Generator[Triple, None, list[str]]) -> Iterator[Triple]:
        self.notes = yield from triples


def _write_part(reading: _Reading, lines: Path, most: int) -> tuple[Path, int]:
    """Write the next triples as N-Triples; return how many there were."""
    count = itertools.count()
    triples = (triple for triple, _ in zip(itertools.islice(reading.triples, most), count, strict=False))
    try:
        serialize(triples, str(lines), RdfFormat.N_TRIPLES)
    except OSError as error:
        raise UnavailableError(f"a part of the facts cannot be written to {lines}: {error.strerror}") from None
    return lines, next(count)
