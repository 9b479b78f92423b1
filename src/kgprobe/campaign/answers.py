"""Keeps answers that cost money or cannot be repeated: no system is asked for a kept answer again.

They are in a file beside the store, so that neither a new campaign nor a damaged store loses them. All workers use the
file themselves and write each answer when it arrives. While one of them asks a system, the others that need the same
answer wait for it: they hold locks that the operating system frees if their process ends.

The file also counts the requests and tokens of each system, so that caps hold for all runs of a campaign together.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import os
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from kgprobe.campaign.observation_text import observation_in, observation_text
from kgprobe.campaign.store_file import ANSWERS, DAMAGE, connected, damage, locked, remove_file
from kgprobe.config.system_table import SystemTable
from kgprobe.config.tables import files_of
from kgprobe.errors import InputError, LimitReachedError, Position
from kgprobe.model import Case, Observation, Usage
from kgprobe.systems.protocol import System

__all__ = [
    "AnswerKey",
    "Answers",
    "KeptSystem",
    "Tally",
    "for_one_campaign",
    "is_answer",
    "parameters_of",
    "remove_answers",
    "tally_in",
]

_TABLES = (
    """
CREATE TABLE IF NOT EXISTS answers (
    system TEXT NOT NULL, parameters TEXT NOT NULL, input TEXT NOT NULL, run INTEGER NOT NULL,
    observation TEXT NOT NULL, PRIMARY KEY (system, parameters, input, run)
) WITHOUT ROWID
""",
    """
CREATE TABLE IF NOT EXISTS usage (
    system TEXT PRIMARY KEY, requests INTEGER NOT NULL DEFAULT 0, input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0, recalled INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID
""",
)
_COUNT = """
INSERT INTO usage VALUES (?, ?, ?, ?, ?) ON CONFLICT (system) DO UPDATE SET
    requests = requests + excluded.requests, input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens, recalled = recalled + excluded.recalled
"""
_NOTHING = Usage()
_ONE_CAMPAIGN = "this campaign: "
_SECONDS_BETWEEN_SYNCS = 1.0  # a disk can take longer to confirm an answer than a server to give it
_MOST_UNCOUNTED = 1000  # recalled answers, until they are counted in the file
# Keys of a system that have no influence on an answer that arrives, and headers that only say who asks.
_NO_PARAMETERS = frozenset(
    {
        *("name", "seconds", "memory_mb", "keep_answers", "answers", "key_env", "concurrency"),
        *("max_requests", "max_tokens", "max_cost", "prices"),
    }
)
_CREDENTIALS = frozenset({"authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"})
_DAMAGED_VALUE = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)


class AnswerKey(NamedTuple):
    """Identifies an answer: the system, a digest of its parameters, a digest of the input, and which run of several."""

    system: str
    parameters: str
    input: str
    run: int = 0


def parameters_of(table: SystemTable, folder: Path) -> str:
    """A digest of everything that affects the answers of a system, the content of its files included."""
    values = {field.name: getattr(table, field.name) for field in dataclasses.fields(table)}
    parts = [f"{name}={_plain(value)!r}" for name, value in sorted(values.items()) if name not in _NO_PARAMETERS]
    digest = hashlib.sha256("\n".join([type(table).__name__, *parts]).encode())
    for path in (*files_of(table), *table.files(folder)):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def for_one_campaign(parameters: str) -> str:
    """The parameters of a system whose answers are kept until the next campaign begins, and no longer."""
    return _ONE_CAMPAIGN + parameters


def _plain(value: object) -> object:
    """A value without credentials, and without the folder that its files happen to be in."""
    if isinstance(value, Mapping):
        return sorted((key, each) for key, each in value.items() if key.casefold() not in _CREDENTIALS)
    if isinstance(value, tuple):
        return [_plain(element) for element in value]
    return value.name if isinstance(value, Path) else value


def is_answer(seen: Observation, table: SystemTable, statuses: Collection[int]) -> bool:
    """Whether an observation is an answer to the input, rather than a failure to get one.

    `statuses` are those that the oracle expects.
    """
    return seen.is_finished and table.is_answer(seen.exit_code, statuses)


@dataclass(frozen=True, slots=True)
class Tally:
    """The usage of a system in a campaign, and how many answers were recalled from the file in its last run."""

    usage: Usage = _NOTHING
    recalled: int = 0


class Answers:
    """The file of kept answers. Threads and processes may share it."""

    def __init__(self, path: Path) -> None:
        """Open the file; create it if it does not exist. InputError if it is something else, or damaged."""
        self.path = path
        self._turn = threading.Lock()
        self._asking: dict[int, tuple[threading.Lock, int]] = {}  # how many threads hold each lock or wait for it
        self._recalled: Counter[str] = Counter()  # not yet counted in the file
        self._synced = 0.0
        self._is_synchronous = False
        self._connection = connected(path, kind=ANSWERS)
        try:
            with self._connection:
                for table in _TABLES:
                    self._connection.execute(table)
            self._locks = os.open(_lock_file(path), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        except DAMAGE as error:
            self._connection.close()
            raise damage(path, error, kind=ANSWERS) from None
        except OSError as error:
            self._connection.close()
            raise InputError(f"cannot be written: {error.strerror}", where=Position(str(path))) from None

    def close(self) -> None:
        """Close the file."""
        self.flush()
        self._connection.close()
        os.close(self._locks)

    def flush(self) -> None:
        """Count all recalled answers in the file."""
        with contextlib.suppress(InputError):  # a damaged file was reported when it was used
            self._write()

    def answer(
        self,
        key: AnswerKey,
        ask: Callable[[], Observation],
        is_kept: Callable[[Observation], bool],
        *,
        requests: int = 0,
    ) -> Observation:
        """The kept answer; if there is none, the one that `ask` gets, which is kept if it is worth it.

        `requests` are counted for it, in addition to those that `begin` counts.
        """
        found = self._recall(key)
        if found is not None:
            return found
        with self._alone_with(key):
            found = self._recall(key)  # another worker may have got it meanwhile
            if found is None:
                found = ask()
                if is_kept(found):
                    self.keep(key, found, requests=requests)
                else:
                    self.count(key.system, replace(found.usage, requests=requests))
        return found

    def _recall(self, key: AnswerKey) -> Observation | None:
        found = self.kept(key)
        if found is not None:
            with self._turn:
                self._recalled[key.system] += 1
                is_much = self._recalled.total() >= _MOST_UNCOUNTED
            if is_much:
                self._write()
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

    def keep(self, key: AnswerKey, seen: Observation, *, requests: int = 0) -> None:
        """Keep an answer, and count its tokens. Both are in the file when this returns."""
        usage = replace(seen.usage, requests=requests)
        try:
            text = observation_text(seen)
        except RecursionError:  # it could not be read back either
            self.count(key.system, usage)
            return
        self._write(
            ("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (*key, text)),
            _counted(key.system, usage),
            # An answer that cost nothing need not survive a power cut.
            is_durable=not key.parameters.startswith(_ONE_CAMPAIGN),
        )

    # -- usage ---------------------------------------------------------------------------------------------------------

    def begin_run(self, *, is_new: bool) -> None:
        """Count the answers that are recalled from now on; for a new campaign, count everything from now on."""
        if is_new:
            self._write(
                ("DELETE FROM usage", ()), ("DELETE FROM answers WHERE parameters GLOB ?", (f"{_ONE_CAMPAIGN}*",))
            )
        else:
            self._write(("UPDATE usage SET recalled = 0", ()))

    def begin(self, system: str, limit_reached: Callable[[Usage], str]) -> None:
        """Count a request that is about to be sent. LimitReachedError if a limit allows no more.

        All processes take turns, so that a limit on requests is exact. If this process is killed, its requests count.
        """
        try:
            with self._turn:
                self._set_synchronous(is_full=False)
                self._connection.execute("BEGIN IMMEDIATE")
                with self._connection:
                    why = limit_reached(self._usage(system).usage)
                    if not why:
                        self._connection.execute(*_counted(system, Usage(requests=1)))
        except DAMAGE as error:
            raise damage(self.path, error, kind=ANSWERS) from error
        if why:
            raise LimitReachedError(f"'{system}' has reached {why}", hint="a higher limit resumes the campaign")

    def count(self, system: str, usage: Usage) -> None:
        """Count requests and tokens."""
        if usage != _NOTHING:
            self._write(_counted(system, usage))

    def tally(self, system: str) -> Tally:
        """The counts of a system so far."""
        self._write()
        try:
            with self._turn:
                return self._usage(system)
        except DAMAGE as error:
            raise damage(self.path, error, kind=ANSWERS) from error

    def _usage(self, system: str) -> Tally:
        query = "SELECT requests, input_tokens, output_tokens, recalled FROM usage WHERE system = ?"
        row = self._connection.execute(query, (system,)).fetchone()
        return Tally() if row is None else Tally(Usage(*row[:3]), row[3])

    def _write(self, *statements: tuple[str, tuple[object, ...]], is_durable: bool = True) -> None:
        """Execute statements in one transaction, and count the recalled answers."""
        try:
            with self._turn:
                recalled, self._recalled = self._recalled, Counter()
                counts = [(_COUNT, (system, 0, 0, 0, number)) for system, number in recalled.items()]
                if not statements and not counts:
                    return
                is_due = time.monotonic() - self._synced >= _SECONDS_BETWEEN_SYNCS
                self._set_synchronous(is_full=is_durable and is_due)
                with self._connection:
                    for statement in (*statements, *counts):
                        self._connection.execute(*statement)
        except DAMAGE as error:
            raise damage(self.path, error, kind=ANSWERS) from error

    def _set_synchronous(self, *, is_full: bool) -> None:
        """Whether the next transaction, and all before it, must survive a power cut. All survive a killed process."""
        if is_full != self._is_synchronous:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if is_full else 'NORMAL'}")
            self._is_synchronous = is_full
        if is_full:
            self._synced = time.monotonic()

    # -- locks ---------------------------------------------------------------------------------------------------------

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


def _counted(system: str, usage: Usage) -> tuple[str, tuple[object, ...]]:
    return _COUNT, (system, usage.requests, usage.input_tokens, usage.output_tokens, 0)


def tally_in(path: Path, system: str) -> Tally:
    """The counts of a system in a file of kept answers; nothing if the file does not exist."""
    if not path.is_file():
        return Tally()
    with contextlib.closing(Answers(path)) as answers:
        return answers.tally(system)


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
