"""The SQLite files of a campaign, its store and its kept answers: opening, locking, removing, errors, checks of values.

Only a file that a campaign has made, or an empty one, is ever written to or removed. A symbolic link stands for its
target.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from kgprobe.errors import InputError, Position

__all__ = [
    "ANSWERS",
    "DAMAGE",
    "STORE",
    "FileKind",
    "Lock",
    "connected",
    "damage",
    "expect",
    "locked",
    "remove_file",
    "texts_of",
]

# SQLite quotes a damaged table name in its message, which then cannot be decoded.
DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
_MAGIC = b"SQLite format 3\0"
_HEADER = 100
_APPLICATION_AT = 68
_BESIDE = ("-wal", "-shm")
# Messages of SQLite that do not mean that the file is damaged.
_AROUND_IT = ("full", "locked", "readonly", "unable to open", "disk I/O", "permission")
_COUNTS = ("system_runs", "triples_before", "triples_after", "failed", "runs")  # that every reduction has
_T = TypeVar("_T")


@dataclass(frozen=True)
class FileKind:
    """A kind of file: the mark in its header, its names in messages, and hints if it is wrong or damaged."""

    mark: int
    name: str
    short_name: str
    hint: str
    hint_if_damaged: str


STORE = FileKind(
    0x6B677072,  # "kgpr"
    "a store of a campaign",
    "store",
    "name another file with --store",
    "move it away, or start over with --fresh",
)
ANSWERS = FileKind(
    0x6B67616E,  # "kgan"
    "a file of kept answers",
    "file of kept answers",
    "move it away",
    "move it away, or remove all kept answers with --forget-answers",
)


class Lock:
    """Held by one campaign at a time. The operating system releases it when the process ends, for whatever reason."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def connected(path: Path, *, must_exist: bool = False, kind: FileKind = STORE) -> sqlite3.Connection:
    """A connection to a store, or to an empty file that will become one. InputError if the file is anything else.

    Several threads may use it, one at a time.
    """
    hint = "'kgprobe test PROFILE' creates it" if must_exist else kind.hint
    is_new = not _is_ours(path, kind, hint)
    if is_new and must_exist:
        what = "is empty" if _exists(path) else "does not exist"
        raise InputError(what, where=Position(str(path)), hint=hint)
    connection = None
    try:
        connection = sqlite3.connect(path.resolve(), timeout=30, check_same_thread=False)
        if is_new:  # before the log exists: however this is interrupted, the file itself has the mark
            connection.execute(f"PRAGMA application_id = {kind.mark}")
        # With a write-ahead log, a transaction costs a tenth, and survives the death of the process.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        # Otherwise, a damaged page can look like a table without rows: no findings.
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise sqlite3.DatabaseError("database disk image is malformed")
    except DAMAGE as error:
        if connection is not None:
            connection.close()
        raise damage(path, error, kind=kind) from None
    return connection


def locked(path: Path) -> Lock:
    """The lock of a store. InputError if another campaign has it."""
    where = Position(str(path))
    target = path.resolve()
    try:
        # Do not follow a symbolic link, and do not block on a pipe.
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(target.with_name(target.name + ".lock"), flags, 0o666)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=where) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise InputError("another campaign is writing to it", where=where, hint="wait, or use --store") from None
    return Lock(descriptor)


def remove_file(path: Path, *, kind: FileKind = STORE) -> None:
    """Remove a store, damaged or not. The caller holds its lock. InputError if the file is not a store."""
    if not _is_ours(path, kind, kind.hint):
        return
    target = path.resolve()
    try:
        for suffix in ("", *_BESIDE):
            target.with_name(target.name + suffix).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot be removed: {error.strerror}", where=Position(str(path))) from None


def damage(path: Path, why: object, *, kind: FileKind = STORE) -> InputError:
    """The error to raise if a store cannot be used."""
    where = Position(str(path))
    if isinstance(why, sqlite3.Error) and any(words in str(why) for words in _AROUND_IT):
        return InputError(f"this {kind.short_name} cannot be used: {why}", where=where)
    return InputError(f"this {kind.short_name} is damaged: {why}", where=where, hint=kind.hint_if_damaged)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError) as error:  # not a valid file name
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot be read: {reason}", where=Position(str(path))) from None


def _is_ours(path: Path, kind: FileKind, hint: str) -> bool:
    """Whether this is a file of this kind; False if it does not exist or is empty. InputError if it is anything else.

    SQLite itself would treat any short file as an empty database, and overwrite it.
    """
    if not _exists(path):
        return False
    where = Position(str(path))
    if not path.is_file():
        raise InputError(f"is not {kind.name}: it is not a file", where=where)
    try:
        with path.open("rb") as stream:
            header = stream.read(_HEADER)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=where) from None
    mark = header[_APPLICATION_AT : _APPLICATION_AT + 4]
    if header and not (header.startswith(_MAGIC) and mark == kind.mark.to_bytes(4)):
        raise InputError(f"is not {kind.name}", where=where, hint=hint)
    return bool(header)


# -- values that were read: the file may be damaged --------------------------------------------------------------------


def expect(kind: type[_T], value: object) -> _T:
    """The value, if it has this type. TypeError if not."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{value!r:.60} is not of type {kind.__name__}")
    return value


def texts_of(value: object) -> dict[str, str]:
    """The value, if it maps strings to strings. TypeError if not."""
    return {key: expect(str, text) for key, text in expect(dict, value).items()}


def figures_in(text: str) -> dict[str, Any]:
    """The figures of a reduction, checked."""
    figures = expect(dict, json.loads(text))
    for key in _COUNTS:
        expect(int, figures[key])
    for key in ("rate", "rate_before"):
        if not 0 <= float(figures[key]) <= 1:
            raise ValueError(f"{figures[key]} is not a share")
    for line in (*figures["words"], *(figures["needed"] or ())):
        expect(str, line)
    if figures.get("seed_graph") is not None:
        expect(str, figures["seed_graph"])
    return figures
