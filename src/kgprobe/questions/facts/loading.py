"""Streams graph files into a file of facts, part by part. A load that was killed continues after its last part."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyoxigraph import RdfFormat, serialize

from kgprobe.errors import InputError, Position, UnavailableError
from kgprobe.graph import files
from kgprobe.graph.formats.catalogue import by_extension
from kgprobe.graph.terms import Triple
from kgprobe.processes.limits import clean_folder
from kgprobe.questions.facts import dictionary
from kgprobe.questions.facts.database import Facts, connect, remove
from kgprobe.questions.facts.names import make_names
from kgprobe.questions.facts.things import make_edges, make_same

if TYPE_CHECKING:
    import duckdb

__all__ = ["PART", "Progress", "graph_files", "open_facts"]

PART = 1_000_000
"""Triples that are loaded in one step. The result does not depend on it."""
# A larger file with the same size and time of change is taken for unchanged: reading it costs seconds.
_ALWAYS_READ = 64 << 20
_PARTS = ("even.nt", "odd.nt")
_STATE = """
CREATE TABLE IF NOT EXISTS state (key VARCHAR PRIMARY KEY, value VARCHAR);
CREATE TABLE IF NOT EXISTS sources (
  file INTEGER, path VARCHAR, size BIGINT, changed BIGINT, digest VARCHAR, triples BIGINT, is_loaded BOOLEAN,
  notes VARCHAR[]);
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load is: files that are loaded, all files, and triples so far. `step` says what happens now."""

    loaded: int
    files: int
    triples: int
    step: str


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    size: int
    changed: int


def open_facts(
    paths: Iterable[str | Path],
    file: str | Path | None = None,
    *,
    language: str = "en",
    on_progress: Callable[[Progress], None] | None = None,
    part: int = PART,
) -> Facts:
    """The facts of graph files, and of folders of such files.

    With `file`, the facts are kept in that file: a later call uses them, or continues a load that did not end. If a
    graph file has changed since, all are loaded again, and a note says so. Without `file`, the facts are in memory.
    """
    given = graph_files(paths)
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
        raise _explained(error, target) from None
    return Facts(connection, target, tuple(notes))


def _explained(error: BaseException, target: Path | None) -> BaseException:
    """The error, or one for the user if the disk or the memory is full."""
    import duckdb

    if not isinstance(error, duckdb.IOException | duckdb.OutOfMemoryException):
        return error
    where = Position(str(target)) if target else None
    return UnavailableError(f"the facts cannot be loaded: {error}", where=where)


def graph_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files, and the files in the folders whose extension stands for a format, in order of their names.

    InputError if a folder has none.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(_graph_files_in(path))
        if not inside:
            raise InputError("has no graph files", where=Position(str(path)), hint="name files or another folder")
        found += inside
    if not found:
        raise InputError("no file of facts is given")
    return found


def _graph_files_in(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and by_extension(name) is not None:
                yield Path(root, name)


def _nobody(_: Progress) -> None:
    pass


def _outdated(connection: duckdb.DuckDBPyConnection, given: Sequence[Path]) -> str | None:
    """Why the facts in the database are not those of the given files, if so."""
    known = connection.execute("SELECT path, size, changed, digest FROM sources ORDER BY file").fetchall()
    if not known:
        return None
    if [Path(path).name for path, *_ in known] != [path.name for path in given]:
        return "other files are given than those that were loaded"
    for (_, size, changed, digest), path in zip(known, given, strict=True):
        now = _seen(path)
        if now.size > _ALWAYS_READ and (now.size, now.changed) == (size, changed):
            continue
        if now.size != size or _digest(path) != digest:
            return f"{path} has changed since it was loaded"
    return None


def _seen(path: Path) -> _File:
    try:
        status = path.stat()
    except OSError:
        return _File(path, -1, -1)  # reading it raises an error with a hint
    return _File(path, status.st_size, status.st_mtime_ns)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


class _Load:
    """One load into a database: the parts that are missing, then the tables that are made from all of them."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        given: Sequence[Path],
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
                for number, path in enumerate(self._given):
                    self._load_file(number, path, folder)
            self._tell("the terms")
            with self._transaction():
                self._make_facts()
        if self._state("language") != language:
            self._tell("the names")
            with self._transaction():
                make_names(self._connection, language)
                self._set("language", language)
        notes += (
            f"{path}: {note}"
            for number, path in enumerate(self._given)
            for note in self._row("SELECT notes FROM sources WHERE file = ?", number)[0]
        )

    def _prepare(self) -> None:
        """Note the files that will be loaded, before the first of them."""
        if self._value("SELECT count(*) FROM sources"):
            return
        rows: list[tuple[Any, ...]] = [(n, *self._noted(path), 0, False, []) for n, path in enumerate(self._given)]
        with self._transaction():
            dictionary.create(self._connection)
            self._connection.executemany("INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _noted(self, path: Path) -> tuple[str, int, int, str]:
        seen = _seen(path)
        # A database in memory is never used again, so nobody compares the digest.
        return str(path), seen.size, seen.changed, _digest(path) if self._target is not None else ""

    def _load_file(self, number: int, path: Path, folder: Path) -> None:
        """Load the parts of a file that are missing."""
        (done, is_loaded) = self._row("SELECT triples, is_loaded FROM sources WHERE file = ?", number)
        if is_loaded:
            return
        if done and dictionary.has_random_blanks(self._connection, number):
            self._forget(number)  # reading the file again gives them other labels
            done = 0
        reading = _Reading(files.stream(path))
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
                        dictionary.add_part(self._connection, lines, number)
                    if is_last:
                        dictionary.rename_random_blanks(self._connection, number)
                    self._connection.execute(
                        "UPDATE sources SET triples = triples + ?, is_loaded = ?, notes = ? WHERE file = ?",
                        [count, is_last, reading.notes, number],
                    )
                self._tell("the triples")
                if is_last:
                    return

    def _forget(self, number: int) -> None:
        """Remove what was loaded of a file, which is the last one that was worked on."""
        with self._transaction():
            self._connection.execute("DELETE FROM loaded_facts WHERE file = ?", [number])
            self._connection.execute(
                "DELETE FROM dictionary WHERE id > (SELECT coalesce(max(greatest(s, p, o)), -1) FROM loaded_facts)"
            )
            self._connection.execute("UPDATE sources SET triples = 0 WHERE file = ?", [number])

    def _make_facts(self) -> None:
        connection = self._connection
        connection.execute(
            "CREATE OR REPLACE TABLE facts AS SELECT DISTINCT s, p, o FROM loaded_facts ORDER BY p, s, o"
        )
        dictionary.make_terms(connection)
        connection.execute("DROP TABLE loaded_facts; DROP TABLE dictionary")
        make_same(connection)
        make_edges(connection)
        self._set("facts", "made")

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
        folder = self._target.with_name(self._target.name + ".parts")
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
    """The triples of a file, which several loops take from, and at its end the notes on it."""

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
