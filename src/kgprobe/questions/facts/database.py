"""The DuckDB file of facts: opening it, recognising it, and the tables that it has.

- `terms(id, kind, text, extra)`: every term. `kind` is one of `IRI`, `BLANK` and `LITERAL`. `extra` is the language tag
  (in lower case) or the datatype of a literal; for a blank node, the number of its source.
- `facts(s, p, o)`: every triple once.
- `same(id, rep)`: terms that owl:sameAs equates with another one, which stands for all of them.
- `edges(s, p, o)`: the facts between things, without schema, names and owl:sameAs, each thing by its representative.
- `names(id, name)`: the name of each thing that can be asked about; `aliases(id, name)`: its other names.
- `unusable(id, reason)`: the things that have no name to ask about them, and why.
- `labels(id, name)`: the best label of each IRI, whether or not other things share it. Relations have labels, too.

Ids count from 0 in the order in which the terms first occur in the sources. They depend on nothing else.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from kgprobe.errors import InputError, KgprobeError, Position, UnavailableError
from kgprobe.processes.limits import TemporaryFolder, new_folder
from kgprobe.rdf.terms import XSD, BlankNode, Literal, NamedNode

if TYPE_CHECKING:
    import duckdb

IRI, BLANK, LITERAL = 0, 1, 2
"""The kinds of terms."""
MEMORY_MB = 2048
"""The most memory that the database takes; the rest goes to a folder beside the file."""

_VERSION = 1
_MARK = "kgprobe_facts"
_MAGIC = b"DUCK"
_MAGIC_AT = 8
_SMALLEST = 3 * 4096  # DuckDB's headers, without which there can be no table
_HINT = "name another file"
_DAMAGE = ("orrupt", "ould not read enough bytes")
_numbers = itertools.count()


class Facts:
    """The facts of some graphs, ready for queries. Close it, or use it in a `with` statement."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, file: Path | None, notes: tuple[str, ...] = ()) -> None:
        """`file` is None for a database in memory. `notes` are for the user."""
        self.connection = connection
        self.file = file
        self.notes = notes

    def __enter__(self) -> Facts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is not None and (explained := explanation(error, self.file)) is not None:
            raise explained from None

    def close(self) -> None:
        """Close the database; one in memory is lost."""
        self.connection.close()

    def sql(self, text: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query; `values` replace the question marks in it."""
        return self.connection.execute(text, list(values)).fetchall()

    def value(self, text: str, values: Sequence[Any] = ()) -> Any:
        """The only value of a query that yields one row with one column."""
        return self.sql(text, values)[0][0]

    def term(self, id_: int) -> NamedNode | BlankNode | Literal:
        """The term with this id."""
        kind, text, extra = self._row(id_)
        match kind:
            case 0:
                return NamedNode(text)
            case 1:
                return BlankNode(text)
            case _ if ":" in extra:
                return Literal(text) if extra == XSD.string.value else Literal(text, datatype=NamedNode(extra))
            case _:
                return Literal(text, language=extra)

    def iri(self, id_: int) -> str:
        """The IRI with this id. ValueError if the id stands for another kind of term."""
        kind, text, _ = self._row(id_)
        if kind != IRI:
            raise ValueError(f"term {id_} is not an IRI")
        return text

    def id_of(self, iri: str) -> int | None:
        """The id of an IRI; None if no fact has it."""
        rows = self.sql(f"SELECT id FROM terms WHERE kind = {IRI} AND text = ?", [iri])  # noqa: S608 - a constant
        return rows[0][0] if rows else None

    def _row(self, id_: int) -> tuple[int, str, str]:
        rows = self.sql("SELECT kind, text, extra FROM terms WHERE id = ?", [id_])
        if not rows:
            raise KeyError(id_)
        kind, text, extra = rows[0]
        return kind, text, extra


def explanation(error: BaseException, file: Path | None) -> KgprobeError | None:
    """What to tell the user if the disk or the memory is full, or if the file is damaged; None for other errors."""
    import duckdb

    if not isinstance(error, duckdb.Error):
        return None
    where = Position(str(file)) if file else None
    first_line = str(error).partition("\n")[0]  # more lines give advice on DuckDB's settings
    # A damaged page has a wrong checksum. If a damaged log is replayed, anything may be wrong.
    follows_damage = (duckdb.SerializationException, duckdb.InternalException, duckdb.FatalException)
    is_damage = any(words in first_line for words in _DAMAGE) or isinstance(error, follows_damage)
    if is_damage and file is not None:
        return InputError(f"is damaged: {first_line}", where=where, hint="remove it")
    if isinstance(error, duckdb.IOException | duckdb.OutOfMemoryException):
        return UnavailableError(f"the facts cannot be used: {first_line}", where=where)
    return None


def connect(file: Path | None, *, memory_mb: int = MEMORY_MB) -> duckdb.DuckDBPyConnection:
    """A connection to a file of facts, which is made if it does not exist, or to a database in memory.

    InputError if the file is anything else, or if another process uses it.
    """
    if file is not None:
        file = _target(file)
        _check_is_ours(file)
    connection = _opened(file, read_only=False)
    try:
        if file is not None:
            _remove_overflow(file)
        connection.execute(f"SET memory_limit = '{memory_mb}MB'; SET enable_progress_bar = false")
        connection.execute(f"CREATE TABLE IF NOT EXISTS {_MARK} (version INTEGER)")
        if not connection.execute(f"SELECT version FROM {_MARK}").fetchall():  # noqa: S608 - a constant
            connection.execute(f"INSERT INTO {_MARK} VALUES ({_VERSION})")  # noqa: S608 - a constant
    except BaseException as error:
        connection.close()
        raise explanation(error, file) or error from None
    return connection


def remove(file: Path) -> None:
    """Remove a file of facts. InputError if it is anything else."""
    file = _target(file)
    _check_is_ours(file)
    try:
        for path in (file, file.with_name(file.name + ".wal")):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot be removed: {error.strerror}", where=Position(str(file))) from None


def _target(file: Path) -> Path:
    """The file itself: not a link to it, and not a name that DuckDB takes for an address."""
    try:
        target = file.resolve()
    except (OSError, ValueError, RuntimeError):  # no file can have this name, or links form a circle
        raise InputError("cannot be used: no file can have this name", where=Position(str(file))) from None
    if "?" in str(target):
        raise InputError("DuckDB cannot use a path with a question mark", where=Position(str(target)), hint=_HINT)
    return target


def _check_is_ours(file: Path) -> None:
    """Raise InputError if the file exists, is not empty and is not a file of facts."""
    where = Position(str(file))
    if file.exists() and not file.is_file():  # a device would be removed below, and a pipe would wait for a writer
        raise InputError("cannot be used: it is not a regular file", where=where, hint=_HINT)
    try:
        with file.open("rb") as stream:
            head = stream.read(_MAGIC_AT + len(_MAGIC))
    except FileNotFoundError:
        if not file.parent.is_dir():
            raise InputError("cannot be written", where=where, hint=f"there is no folder {file.parent}") from None
        return
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=where) from None
    if head and head[_MAGIC_AT:] != _MAGIC:
        raise InputError("is not a file of facts, so it is not overwritten", where=where, hint=_HINT)
    if file.stat().st_size < _SMALLEST:  # a load was killed before DuckDB had written all headers
        with file.open("rb+") as stream, contextlib.suppress(OSError):
            fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)  # or another one is about to write them
            file.unlink()  # DuckDB would refuse it
        return
    with Facts(_opened(file, read_only=True), file) as facts:
        connection = facts.connection
        tables = connection.execute("SELECT table_name FROM duckdb_tables() WHERE NOT temporary").fetchall()
        others = connection.execute("SELECT 1 FROM duckdb_views() WHERE NOT internal LIMIT 1").fetchall()
        is_ours = (_MARK,) in tables
        version = connection.execute(f"SELECT max(version) FROM {_MARK}").fetchone() if is_ours else None  # noqa: S608 - a constant
    if not is_ours and (tables or others):  # without tables, it is of a load that was killed, and nothing is lost
        raise InputError("is another DuckDB database, so it is not overwritten", where=where, hint=_HINT)
    if version and version[0] not in (None, _VERSION):
        raise InputError("was made by another version of kgprobe", where=where, hint="remove it, or name another file")


def _overflow(file: Path | None) -> Path:
    """The folder for what exceeds the memory, which DuckDB makes: beside the file, whose disk has room for it."""
    if file is None:  # a signal may end this process before DuckDB can remove it
        return Path(_folder_of_process().name, f"{os.getpid()}-{next(_numbers)}")
    return file.with_name(file.name + ".tmp")


@cache
def _folder_of_process() -> TemporaryFolder:
    return new_folder()


def _remove_overflow(file: Path) -> None:
    """Remove what a load that was killed has left; only one process can have the file open."""
    folder = _overflow(file)
    with contextlib.suppress(OSError):
        for path in folder.glob("duckdb_temp_*"):
            path.unlink()
        folder.rmdir()


def _opened(file: Path | None, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    try:
        import duckdb
    except ImportError:
        raise UnavailableError("DuckDB is not installed", hint="pip install 'kgprobe[questions]'") from None
    # No extension is loaded or fetched, whatever a file name looks like.
    settings: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    # Made only when the data exceed the memory, and removed in the end. The default would be the current folder.
    settings["temp_directory"] = str(_overflow(file))
    try:
        return duckdb.connect(":memory:" if file is None else str(file), read_only=read_only, config=settings)
    except duckdb.IOException as error:
        where = Position(str(file))
        if "lock" in str(error):
            raise InputError("another process uses it", where=where, hint="wait, or name another file") from None
        raise InputError(f"cannot be used: {error}", where=where) from None
    except duckdb.Error as error:
        raise InputError(f"is damaged: {error}", where=Position(str(file)), hint="remove it") from None
