"""The results of a score, in one SQLite file, each written immediately: a process that is killed loses none."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from kgprobe.campaign.store_file import DAMAGE, FileKind, Lock, connected, damage, locked
from kgprobe.errors import InputError, Position
from kgprobe.suite_score.model import Fate, Judged, LeftOut

_KIND = FileKind(
    0x6B677363,  # "kgsc"
    "a store of a score",
    "store",
    "name another file with --store",
    "move it away, or name another file with --store",
)
_VERSION = "1"
_SCHEMA = """
CREATE TABLE score (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE failures (test TEXT PRIMARY KEY, why TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE mutants (
    number INTEGER PRIMARY KEY, fate TEXT NOT NULL, why TEXT NOT NULL, killers TEXT NOT NULL, ran TEXT NOT NULL,
    without INTEGER NOT NULL, suggestion TEXT
);
"""
_JUDGED = "SELECT number, fate, why, killers, ran, without, suggestion FROM mutants ORDER BY number"


def digest(*parts: str | bytes) -> str:
    """A short digest of some texts."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()[:32]


class ScoreStore:
    """The file. Each method that writes is one transaction."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock

    @classmethod
    def open(cls, path: Path, identity: Mapping[str, str]) -> ScoreStore:
        """The store with this identity; created if it does not exist. InputError if it holds another score.

        `identity` has a digest for each part that the results depend on, so that an error can name the changed parts.
        """
        with ExitStack() as if_it_fails:
            lock = if_it_fails.enter_context(locked(path))
            store = if_it_fails.enter_context(cls(path, connected(path, kind=_KIND), lock))
            store._begin(identity)
            if_it_fails.pop_all()
        return store

    def __enter__(self) -> ScoreStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        self._lock.close()
        if isinstance(error, DAMAGE) and not isinstance(error, sqlite3.ProgrammingError):
            raise damage(self.path, error, kind=_KIND) from error

    def _begin(self, identity: Mapping[str, str]) -> None:
        values = {"kgprobe-score": _VERSION, "identity": json.dumps(dict(identity))}
        if self._connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
            with self._connection as writing:
                writing.executescript(f"BEGIN; {_SCHEMA}")
                writing.executemany("INSERT INTO score VALUES (?, ?)", values.items())
            return
        found = dict(self._connection.execute("SELECT key, value FROM score").fetchall())
        where = Position(str(self.path))
        if found.get("kgprobe-score") != _VERSION:
            raise InputError("was written by another version of kgprobe", where=where, hint=_KIND.hint)
        try:
            before = json.loads(found["identity"])
        except (KeyError, ValueError) as error:
            raise damage(self.path, error, kind=_KIND) from None
        changed = [part for part in identity if before.get(part) != identity[part]]
        if changed:
            message = f"holds another score: {', '.join(changed)} changed since"
            raise InputError(message, where=where, hint="name another file with --store, or remove this one")

    def failures(self) -> list[LeftOut] | None:
        """The tests that fail on the original; None if that is not known yet."""
        if self._connection.execute("SELECT 1 FROM score WHERE key = 'original'").fetchone() is None:
            return None
        return [LeftOut(*row) for row in self._connection.execute("SELECT test, why FROM failures ORDER BY test")]

    def add_failures(self, failures: Sequence[LeftOut]) -> None:
        """Note that all tests have run on the original, and that these fail."""
        with self._connection as writing:
            rows = [(failure.test, failure.why) for failure in failures]
            writing.executemany("INSERT OR REPLACE INTO failures VALUES (?, ?)", rows)
            writing.execute("INSERT OR REPLACE INTO score VALUES ('original', 'known')")

    def judged(self) -> dict[int, Judged]:
        """The results so far, by the numbers of mutants."""
        found = {}
        try:
            for number, fate, why, killers, ran, without, suggestion in self._connection.execute(_JUDGED):
                tests = json.loads(ran)
                everything = None if tests is None else tuple(tests)
                found[number] = Judged(Fate(fate), why, tuple(json.loads(killers)), everything, without, suggestion)
        except (ValueError, TypeError) as error:
            raise damage(self.path, error, kind=_KIND) from None
        return found

    def add(self, number: int, judged: Judged) -> None:
        """Keep the result about a mutant."""
        with self._connection as writing:
            row = (
                number,
                judged.fate.value,
                judged.why,
                json.dumps(judged.killers),
                json.dumps(judged.ran),
                judged.runs_without_selection,
                judged.suggestion,
            )
            writing.execute("INSERT OR REPLACE INTO mutants VALUES (?, ?, ?, ?, ?, ?, ?)", row)
