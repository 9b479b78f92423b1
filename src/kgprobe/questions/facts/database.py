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

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from kgprobe.errors import InputError, Position, UnavailableError
from kgprobe.graph.terms import XSD, BlankNode, Literal, NamedNode

if TYPE_CHECKING:
    import duckdb

__all__ = ["BLANK", "IRI", "LITERAL", "MEMORY_MB", "Facts", "connect", "remove"]

IRI, BLANK, LITERAL = 0, 1, 2
"""The kinds of terms."""
MEMORY_MB = 2048
"""The most memory that the database takes; the rest goes to a folder beside the file."""

_VERSION = 1
_MARK = "kgprobe_facts"
_MAGIC = b"DUCK"
_MAGIC_AT = 8
_HINT = "name another file"


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


def connect(file: Path | None, *, memory_mb: int = MEMORY_MB) -> duckdb.DuckDBPyConnection:
    """A connection to a file of facts, which is made if it does not exist, or to a database in memory.

    InputError if the file is anything else, or if another process uses it.
    """
    if file is not None:
        file = _target(file)
        _check_is_ours(file)
    connection = _opened(file, read_only=False)
    connection.execute(f"SET memory_limit = '{memory_mb}MB'; SET enable_progress_bar = false")
    connection.execute(f"CREATE TABLE IF NOT EXISTS {_MARK} (version INTEGER)")
    if not connection.execute(f"SELECT version FROM {_MARK}").fetchall():  # noqa: S608 - a constant
        connection.execute(f"INSERT INTO {_MARK} VALUES ({_VERSION})")  # noqa: S608 - a constant
    return connection


def remove(file: Path) -> None:
    """Remove a file of facts. InputError if it is anything else."""
    file = _target(file)
    _check_is_ours(file)
    try:
        for each in (file, file.with_name(file.name + ".wal")):
            each.unlink(missing_ok=True)
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
    try:
        with file.open("rb") as stream:
            head = stream.read(_MAGIC_AT + len(_MAGIC))
    except FileNotFoundError:
        if not file.parent.is_dir():
            raise InputError("cannot be written", where=where, hint=f"there is no folder {file.parent}") from None
        return
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=where) from None
    if not head:
        file.unlink()  # DuckDB refuses an empty file
        return
    if head[_MAGIC_AT:] != _MAGIC:
        raise InputError("is not a file of facts, so it is not overwritten", where=where, hint=_HINT)
    with _opened(file, read_only=True) as connection:
        found = connection.execute(
            "SELECT count(*) FROM duckdb_tables() WHERE table_name = ? AND NOT temporary", [_MARK]
        ).fetchone()
        is_ours = found is not None and found[0] == 1
        version = connection.execute(f"SELECT max(version) FROM {_MARK}").fetchone() if is_ours else None  # noqa: S608 - a constant
    if not is_ours:
        raise InputError("is another DuckDB database, so it is not overwritten", where=where, hint=_HINT)
    if version and version[0] not in (None, _VERSION):
        raise InputError("was made by another version of kgprobe", where=where, hint="remove it, or name another file")


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
    beside = Path(tempfile.gettempdir(), f"kgprobe-facts-{os.getpid()}") if file is None else file
    settings["temp_directory"] = str(beside.with_name(beside.name + ".tmp"))
    try:
        return duckdb.connect(":memory:" if file is None else str(file), read_only=read_only, config=settings)
    except duckdb.IOException as error:
        where = Position(str(file))
        if "lock" in str(error):
            raise InputError("another process uses it", where=where, hint="wait, or name another file") from None
        raise InputError(f"cannot be used: {error}", where=where) from None
    except duckdb.Error as error:
        raise InputError(f"is damaged: {error}", where=Position(str(file)), hint="remove it") from None
