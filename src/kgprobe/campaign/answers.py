"""Keeps answers that cost money or cannot be repeated: no system is asked for a kept answer again.

They are in a file beside the store, so that neither a new campaign nor a damaged store loses them. All workers use the
file themselves and write each answer when it arrives. While one of them asks a system, the others that need the same
answer wait for it: they hold locks that the operating system frees if their process ends.
"""

from __future__ import annotations

import base64
import dataclasses
import fcntl
import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kgprobe.campaign.store_file import ANSWERS, DAMAGE, connected, damage, locked, remove_file
from kgprobe.config.systems import HttpTable, SparqlTable, SystemTable
from kgprobe.config.tables import files_of
from kgprobe.errors import InputError, Position
from kgprobe.graph.terms import BlankNode, Literal, NamedNode, Triple
from kgprobe.model import Case, Crash, Observation, Place, Status
from kgprobe.reasoners.protocol import Hierarchy
from kgprobe.systems.protocol import System

__all__ = [
    "AnswerKey",
    "Answers",
    "KeptSystem",
    "is_answer",
    "observation_in",
    "observation_text",
    "parameters_of",
    "remove_answers",
]

_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    system TEXT NOT NULL, parameters TEXT NOT NULL, input TEXT NOT NULL, run INTEGER NOT NULL,
    observation TEXT NOT NULL, PRIMARY KEY (system, parameters, input, run)
) WITHOUT ROWID
"""
# Keys of a system that have no influence on an answer that arrives, and headers that only say who asks.
_NO_PARAMETERS = frozenset({"name", "seconds", "memory_mb", "keep_answers", "answers"})
_CREDENTIALS = frozenset({"authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"})
# The server did not look at the request: credentials, payment, or too many requests.
_NOT_NOW = frozenset({401, 402, 403, 407, 408, 425, 429})
_DAMAGED_VALUE = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)


class AnswerKey(NamedTuple):
    """Identifies an answer: the system, a digest of its parameters, a digest of the input, and which run of several."""

    system: str
    parameters: str
    input: str
    run: int = 0


def parameters_of(table: SystemTable, folder: Path) -> str:
    """A digest of everything that affects the answers of a system, the content of its files included."""
    values = {each.name: getattr(table, each.name) for each in dataclasses.fields(table)}
    parts = [f"{name}={_plain(value)!r}" for name, value in sorted(values.items()) if name not in _NO_PARAMETERS]
    digest = hashlib.sha256("\n".join([type(table).__name__, *parts]).encode())
    for path in (*files_of(table), *table.files(folder)):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _plain(value: object) -> object:
    """A value without credentials, and without the folder that its files happen to be in."""
    if isinstance(value, Mapping):
        return sorted((key, each) for key, each in value.items() if key.casefold() not in _CREDENTIALS)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.name if isinstance(value, Path) else value


def is_answer(seen: Observation, table: SystemTable, statuses: Collection[int]) -> bool:
    """Whether an observation is an answer to the input, rather than a failure to get one.

    `statuses` are those that the oracle expects. A server may answer with another status below 500, unless that says
    that it has not looked at the request.
    """
    if not seen.is_finished:
        return False
    code = seen.exit_code
    if code is None or isinstance(table, SparqlTable):
        return code in (None, 200)
    return code in statuses or (isinstance(table, HttpTable) and code < 500 and code not in _NOT_NOW)


class Answers:
    """The file of kept answers. Threads and processes may share it."""

    def __init__(self, path: Path) -> None:
        """Open the file; create it if it does not exist. InputError if it is something else, or damaged."""
        self.path = path
        self._turn = threading.Lock()
        self._asking: dict[int, tuple[threading.Lock, int]] = {}  # how many threads hold each lock or wait for it
        self._connection = connected(path, kind=ANSWERS)
        try:
            with self._connection:
                self._connection.execute("PRAGMA synchronous = FULL")
                self._connection.execute(_TABLE)
            self._locks = os.open(_lock_file(path), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        except DAMAGE as error:
            self._connection.close()
            raise damage(path, error, kind=ANSWERS) from None
        except OSError as error:
            self._connection.close()
            raise InputError(f"cannot be written: {error.strerror}", where=Position(str(path))) from None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        os.close(self._locks)

    def answer(
        self, key: AnswerKey, ask: Callable[[], Observation], is_kept: Callable[[Observation], bool]
    ) -> Observation:
        """The kept answer; if there is none, the one that `ask` gets, which is kept if it is worth it."""
        found = self.kept(key)
        if found is not None:
            return found
        with self._alone_with(key):
            found = self.kept(key)  # another worker may have got it meanwhile
            if found is None:
                found = ask()
                if is_kept(found):
                    self.keep(key, found)
        return found

    def kept(self, key: AnswerKey) -> Observation | None:
        """A kept answer."""
        query = "SELECT observation FROM answers WHERE system = ? AND parameters = ? AND input = ? AND run = ?"
        try:
            with self._turn:
                row = self._connection.execute(query, key).fetchone()
            return None if row is None else observation_in(row[0], key.system)
        except (*DAMAGE, *_DAMAGED_VALUE) as error:
            why = error if isinstance(error, sqlite3.Error) else f"{type(error).__name__}: {error}"
            raise damage(self.path, why, kind=ANSWERS) from error

    def keep(self, key: AnswerKey, seen: Observation) -> None:
        """Keep an answer. It is in the file when this returns."""
        try:
            text = observation_text(seen)
        except RecursionError:  # it could not be read back either
            return
        try:
            with self._turn, self._connection:
                self._connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (*key, text))
        except DAMAGE as error:
            raise damage(self.path, error, kind=ANSWERS) from error

    @contextmanager
    def _alone_with(self, key: AnswerKey) -> Iterator[None]:
        """No other thread or process is here for the same key at the same time."""
        place = int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:7])
        with self._turn:
            lock, users = self._asking.get(place, (threading.Lock(), 0))
            self._asking[place] = lock, users + 1
        try:
            with lock:
                fcntl.lockf(self._locks, fcntl.LOCK_EX, 1, place)
                try:
                    yield
                finally:
                    fcntl.lockf(self._locks, fcntl.LOCK_UN, 1, place)
        finally:
            with self._turn:
                lock, users = self._asking.pop(place)
                if users > 1:
                    self._asking[place] = lock, users - 1


class KeptSystem:
    """A system that is asked only if there is no kept answer. It is started when it is first needed.

    `recall` gets an answer, given the case and a function that asks the system.
    """

    def __init__(self, system: System, recall: Callable[[Case, Callable[[], Observation]], Observation]) -> None:
        self._system = system
        self._recall = recall
        self._was_asked = False

    @property
    def name(self) -> str:
        return self._system.name

    def start(self) -> None:
        """Start the system, if it was asked before."""
        if self._was_asked:
            self._system.start()

    def run(self, case: Case) -> Observation:
        """Recall the answer, or ask the system."""
        return self._recall(case, lambda: self._ask(case))

    def close(self) -> None:
        """End the system."""
        self._system.close()

    def _ask(self, case: Case) -> Observation:
        self._was_asked = True
        self._system.start()
        return self._system.run(case)


def remove_answers(path: Path, store: Path) -> None:
    """Remove the kept answers of a store. InputError, and nothing is removed, if the file is not ours or in use."""
    if path.is_file():
        with locked(store):
            remove_file(path, kind=ANSWERS)
            _lock_file(path).unlink(missing_ok=True)


def _lock_file(path: Path) -> Path:
    target = path.resolve()
    return target.with_name(target.name + ".lock")


# -- observations as JSON. Scalars stand for themselves; any other value is an array that starts with its type ---------


def observation_text(seen: Observation) -> str:
    """An observation as text. RecursionError if its value is nested too deeply."""
    crash = None if seen.crash is None else _crash_values(seen.crash)
    values = {
        "status": seen.status.value,
        "seconds": seen.seconds,
        "value": _packed(seen.value),
        "exit_code": seen.exit_code,
        "stdout": seen.stdout,
        "stderr": seen.stderr,
        "output": _packed(seen.output),
        "crash": crash,
        "is_partial": seen.is_partial,
        "remark": seen.remark,
    }
    return json.dumps(values, separators=(",", ":"))


def observation_in(text: str, system: str) -> Observation:
    """The observation of a system in a text. Errors of many kinds if the text is something else."""
    values = json.loads(text)
    return Observation(
        system,
        Status(values["status"]),
        float(values["seconds"]),
        _unpacked(values["value"]),
        _optional(int, values["exit_code"]),
        _is(str, values["stdout"]),
        _is(str, values["stderr"]),
        _optional(bytes, _unpacked(values["output"])),
        None if values["crash"] is None else _crash(values["crash"]),
        _is(bool, values["is_partial"]),
        _is(str, values["remark"]),
    )


def _packed(value: Any) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return ["bytes", base64.b64encode(value).decode()]
        case list() | tuple() | set() | frozenset():
            return [type(value).__name__, *map(_packed, value)]
        case dict():
            return ["dict", *(_packed(each) for pair in value.items() for each in pair)]
        case NamedNode() | BlankNode():
            return [type(value).__name__, value.value]
        case Literal():
            return ["Literal", value.value, value.language, None if value.language else value.datatype.value]
        case Triple():
            return ["Triple", _packed(value.subject), _packed(value.predicate), _packed(value.object)]
        case Hierarchy():
            return [
                "Hierarchy",
                _packed(dict(value.groups)),
                _packed(dict(value.parents)),
                _packed(value.unsatisfiable),
            ]
    raise TypeError(f"a value of type {type(value).__name__} cannot be kept")


def _unpacked(packed: Any) -> Any:
    if not isinstance(packed, list):
        if isinstance(packed, dict):
            raise TypeError("an object where a value should be")
        return packed
    name, *items = packed
    return _TYPES[name](items)


def _dict(items: list[Any]) -> dict[Any, Any]:
    values = list(map(_unpacked, items))
    return dict(zip(values[::2], values[1::2], strict=True))


def _literal(items: list[Any]) -> Literal:
    text, language, datatype = items
    return Literal(text, language=language) if language else Literal(text, datatype=NamedNode(datatype))


def _collection(kind: Callable[[Any], Any]) -> Callable[[list[Any]], Any]:
    return lambda items: kind(map(_unpacked, items))


_TYPES: dict[str, Callable[[list[Any]], Any]] = {
    "bytes": lambda items: base64.b64decode(items[0], validate=True),
    "list": _collection(list),
    "tuple": _collection(tuple),
    "set": _collection(set),
    "frozenset": _collection(frozenset),
    "dict": _dict,
    "NamedNode": lambda items: NamedNode(*items),
    "BlankNode": lambda items: BlankNode(*items),
    "Literal": _literal,
    "Triple": lambda items: Triple(*map(_unpacked, items)),
    "Hierarchy": lambda items: Hierarchy(*(_unpacked(each) for each in items)),
}


def _crash_values(crash: Crash) -> list[Any]:
    place = None if crash.place is None else [crash.place.file, crash.place.line, crash.place.text]
    return [crash.kind, crash.message, list(crash.frames), place]


def _crash(values: list[Any]) -> Crash:
    kind, message, frames, place = values
    where = None if place is None else Place(_is(str, place[0]), _is(int, place[1]), _is(str, place[2]))
    return Crash(_is(str, kind), _is(str, message), tuple(_is(str, frame) for frame in frames), where)


def _is(kind: type[Any], value: Any) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"{value!r:.60} is not of type {kind.__name__}")
    return value


def _optional(kind: type[Any], value: Any) -> Any:
    return None if value is None else _is(kind, value)
