"""All results of a campaign, in one SQLite file, each written immediately; reduced graphs are files beside it.

A case has a row as soon as it is planned, and its outcome is filled in when it has run. If the process dies, a row
without an outcome is a case that was in flight. For a passing case, the store keeps only a short recipe, because it
must have room for a million of them. `store_reading` reads the results, and `store_file` handles the file itself.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from kgprobe.campaign.identity import Identity
from kgprobe.campaign.store_file import DAMAGE, Lock, connected, damage, locked, remove_file
from kgprobe.campaign.store_reading import Finding, FurtherRun, Planned, Reduced, StoreReader
from kgprobe.errors import InputError, Position
from kgprobe.model import Failure, Verdict, Way

__all__ = [
    "ReductionRuns",
    "Store",
    "graph_file",
    "read_store",
    "reduced_file",
    "remove_campaign",
    "seed_file",
]

_VERSION = "4"
_SCHEMA = """
CREATE TABLE campaign (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sources (number INTEGER PRIMARY KEY, name TEXT NOT NULL, state TEXT);
CREATE TABLE cases (
    number INTEGER PRIMARY KEY, source INTEGER NOT NULL, recipe TEXT NOT NULL, likeness INTEGER,
    outcome TEXT, why TEXT, seconds REAL, details TEXT
);
CREATE TABLE signatures (
    id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, system TEXT NOT NULL, kind TEXT NOT NULL, shape TEXT NOT NULL
);
CREATE TABLE failures (
    signature INTEGER NOT NULL, number INTEGER NOT NULL, words TEXT NOT NULL, PRIMARY KEY (signature, number)
) WITHOUT ROWID;
CREATE TABLE reductions (
    signature INTEGER NOT NULL, number INTEGER NOT NULL, cause TEXT NOT NULL, graph TEXT NOT NULL,
    figures TEXT NOT NULL, PRIMARY KEY (signature, number)
) WITHOUT ROWID;
"""
# Stores from before these tables existed are read, too, so they are made when they are needed.
_LOCATIONS = """
CREATE TABLE IF NOT EXISTS locations (
    signature INTEGER NOT NULL, number INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (signature, number)
) WITHOUT ROWID;
"""
_FURTHER_RUNS = """
CREATE TABLE IF NOT EXISTS further_runs (
    number INTEGER PRIMARY KEY, source INTEGER NOT NULL, change TEXT NOT NULL, is_suggested INTEGER NOT NULL,
    outcome TEXT NOT NULL
);
"""
_UNREDUCED = """
CREATE TABLE IF NOT EXISTS unreduced (
    signature INTEGER NOT NULL, number INTEGER NOT NULL, why TEXT NOT NULL, PRIMARY KEY (signature, number)
) WITHOUT ROWID;
"""
_FORMER_RESULTS = """
CREATE TABLE former_results (number INTEGER PRIMARY KEY, outcome TEXT NOT NULL, signatures TEXT NOT NULL);
"""
_REDUCTION_RUNS = """
CREATE TABLE IF NOT EXISTS reduction_looks (
    signature INTEGER NOT NULL, number INTEGER NOT NULL, failure TEXT NOT NULL, looked TEXT NOT NULL,
    PRIMARY KEY (signature, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS reduction_runs (
    run INTEGER PRIMARY KEY, signature INTEGER NOT NULL, number INTEGER NOT NULL, digest TEXT NOT NULL,
    failed INTEGER NOT NULL
);
"""
_MADE_WHEN_NEEDED = ("locations", "further_runs", "reduction_looks", "reduction_runs", "unreduced")
_NEW_CASE = "INSERT INTO cases (number, source, recipe, likeness) VALUES (?, ?, ?, ?)"
_NEW_STATE = "UPDATE sources SET state = ? WHERE number = ?"


class Store(StoreReader):
    """The file. Each method that writes is one transaction."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock | None = None) -> None:
        super().__init__(path, connection)
        self._lock = lock

    @classmethod
    def open(
        cls, path: Path, identity: Identity, kind: str, sources: Iterable[str], *, runs_again: bool = False
    ) -> Store:
        """The store of this campaign; created if it does not exist. InputError if it belongs to another campaign.

        `kind` is the kind of source that the cases come from, and `sources` are the names of all of them. If cases are
        to run again, the parts of the identity that only their verdicts depend on may have changed.
        """
        with ExitStack() as if_it_fails:
            lock = if_it_fails.enter_context(locked(path))
            store = if_it_fails.enter_context(cls(path, connected(path), lock))
            names = list(sources)
            if not store._is_empty():
                _check_version(store)
                store._check_identity(identity, runs_again=runs_again)
            if store._is_empty():
                store._create(identity.parts, kind, names)
            if store.source_kind != kind or [source.name for source in store.sources()] != names:
                raise store.damaged("it does not know the sources of its cases")
            if_it_fails.pop_all()
        return store

    @classmethod
    def reopen(cls, path: Path) -> Store:
        """An existing store, for writing more about its cases. It does not matter whether the campaign has changed."""
        with ExitStack() as if_it_fails:
            read_store(path).__exit__(None, None, None)  # it must exist: a lock would leave a file beside nothing
            lock = if_it_fails.enter_context(locked(path))
            store = if_it_fails.enter_context(cls(path, connected(path, must_exist=True), lock))
            _check_version(store)
            if_it_fails.pop_all()
        return store

    def _is_empty(self) -> bool:
        """Whether nothing was written yet. This includes a creation that was interrupted."""
        return self._connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None

    def _create(self, identity: Mapping[str, str], kind: str, sources: Iterable[str]) -> None:
        with self._connection as writing:
            writing.executescript(f"BEGIN; {_SCHEMA}")
            values = {
                "kgprobe-campaign": _VERSION,
                "identity": json.dumps(dict(identity)),
                "source": kind,
                "seconds": "0",
            }
            writing.executemany("INSERT INTO campaign VALUES (?, ?)", values.items())
            writing.executemany("INSERT INTO sources VALUES (?, ?, NULL)", enumerate(sources))

    def _check_identity(self, identity: Identity, *, runs_again: bool) -> None:
        changed = identity.changed_since(self.identity)
        if not changed:
            return
        if not self.outcomes() and not self.former_results():
            self._clear()  # there are no results yet, for example because a program was misspelled
            return
        has_same_cases = identity.has_same_cases(self.identity)
        if runs_again and has_same_cases:
            return
        message = f"holds the results of another campaign: {', '.join(changed[:3])} changed since"
        hint = "start over with --fresh, or name another file with --store"
        if has_same_cases:
            hint = f"--rerun failing or --rerun all runs its cases again; {hint}"
        raise InputError(message, where=Position(str(self.path)), hint=hint)

    def _clear(self) -> None:
        with self._connection as writing:
            tables = writing.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (name,) in tables:
                writing.execute(f"DROP TABLE {name}")

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        if self._lock is not None:
            self._lock.close()
        # Nothing else here uses a database. A ProgrammingError is a bug in this class, not damage.
        if isinstance(error, DAMAGE) and not isinstance(error, sqlite3.ProgrammingError):
            raise damage(self.path, error) from error

    # -- writing -------------------------------------------------------------------------------------------------------

    def begun(self, source: int, state: Any, case: Planned | None, verdict: Verdict, seconds: float) -> None:
        """Store the state of a source before its first case; `case` is its start, if that failed."""
        with self._connection as writing:
            writing.execute(_NEW_STATE, (_json(state), source))
            if case is not None:
                writing.execute("DELETE FROM cases WHERE number = ?", (case.number,))
                writing.execute(_NEW_CASE, _row(case))
                self._record(case.number, verdict, seconds, None)

    def plan(self, cases: Iterable[Planned], states: Mapping[int, Any]) -> None:
        """Store cases that are about to run, and the states of their sources after them."""
        with self._connection as writing:
            writing.executemany(_NEW_CASE, map(_row, cases))
            writing.executemany(_NEW_STATE, [(_json(state), number) for number, state in states.items()])

    def record(self, number: int, verdict: Verdict, seconds: float, recipe: Any = None) -> None:
        """Store the verdict on a case; `recipe` replaces the one that it was planned with."""
        with self._connection:
            self._record(number, verdict, seconds, None if recipe is None else _json(recipe))

    def _record(self, number: int, verdict: Verdict, seconds: float, recipe: str | None) -> None:
        self._connection.execute(
            "UPDATE cases SET outcome = ?, why = ?, seconds = ?, details = ?, recipe = coalesce(?, recipe)"
            " WHERE number = ?",
            (
                verdict.outcome.value,
                verdict.why or None,
                seconds,
                None if verdict.details is None else _json(verdict.details),
                recipe,
                number,
            ),
        )
        for failure in verdict.failures:
            words = json.dumps(failure.words, ensure_ascii=False)
            self._connection.execute(
                "INSERT OR REPLACE INTO failures VALUES (?, ?, ?)", (self._signature(failure), number, words)
            )

    def _signature(self, failure: Failure) -> int:
        text = failure.signature
        values = (text, failure.system, failure.kind, failure.shape)
        self._connection.execute(
            "INSERT OR IGNORE INTO signatures (text, system, kind, shape) VALUES (?, ?, ?, ?)", values
        )
        (found,) = self._connection.execute("SELECT id FROM signatures WHERE text = ?", (text,)).fetchone()
        return int(found)

    def take_back(self, last: int) -> None:
        """Remove the verdicts on all cases after this one. They stay planned, for a resumed campaign."""
        with self._connection as writing:
            writing.execute(
                "UPDATE cases SET outcome = NULL, why = NULL, seconds = NULL, details = NULL WHERE number > ?", (last,)
            )
            writing.execute("DELETE FROM failures WHERE number > ?", (last,))
            if self._has_locations():
                writing.execute("DELETE FROM locations WHERE number > ?", (last,))

    def run_again(self, identity: Identity, states: Iterable[Any]) -> None:
        """Keep the cases, and make their results former ones: the campaign runs all of them again.

        `states` are the states of the sources to go on from. The files of reduced cases are removed, too.
        """
        former = [(number, outcome.value, _json(signatures)) for number, outcome, _, signatures in self.results()]
        for file in _reduced_graphs(self.path):
            _remove(file)
        with self._connection as writing:
            writing.execute("DROP TABLE IF EXISTS former_results")
            writing.execute(_FORMER_RESULTS)
            writing.executemany("INSERT INTO former_results VALUES (?, ?, ?)", former)
            writing.execute("DELETE FROM cases WHERE number <= 0")  # the inputs that sources start from
            writing.execute("UPDATE cases SET outcome = NULL, why = NULL, seconds = NULL, details = NULL")
            for table in ("failures", "reductions", *filter(self._has_table, _MADE_WHEN_NEEDED)):
                writing.execute(f"DELETE FROM {table}")  # noqa: S608 - a constant
            writing.executemany(_NEW_STATE, [(_json(state), number) for number, state in enumerate(states)])
            values = {"identity": json.dumps(dict(identity.parts)), "seconds": "0"}
            writing.executemany("INSERT OR REPLACE INTO campaign VALUES (?, ?)", values.items())

    def keep_reduction(self, signature: str, reduced: Reduced) -> None:
        """Store the reduction of a failing case."""
        with self._connection as writing:
            values = (reduced.number, reduced.cause, reduced.graph, json.dumps(dict(reduced.figures)), signature)
            writing.execute(
                "INSERT OR REPLACE INTO reductions SELECT id, ?, ?, ?, ? FROM signatures WHERE text = ?", values
            )

            if reduced.is_finished and self._has_table("reduction_runs"):
                for table in ("reduction_looks", "reduction_runs"):
                    where = "signature IN (SELECT id FROM signatures WHERE text = ?) AND number = ?"
                    writing.execute(f"DELETE FROM {table} WHERE {where}", (signature, reduced.number))  # noqa: S608 - ours

    def keep_unreduced(self, signature: str, number: int, why: str) -> None:
        """Store why a failing case is not reduced."""
        with self._connection as writing:
            writing.execute(_UNREDUCED)
            insert = "INSERT OR REPLACE INTO unreduced SELECT id, ?, ? FROM signatures WHERE text = ?"
            writing.execute(insert, (number, why, signature))

    def reduction_runs(self, signature: str, number: int) -> ReductionRuns:
        """The runs of an unfinished reduction, and a place to keep more of them."""
        self._connection.executescript(_REDUCTION_RUNS)
        (known,) = self._connection.execute("SELECT id FROM signatures WHERE text = ?", (signature,)).fetchone()
        return ReductionRuns(self._connection, (known, number), self.reading)

    def keep_location(self, signature: str, number: int, value: Any) -> None:
        """Store which steps of a failing case cause its failure, as JSON."""
        with self._connection as writing:
            writing.execute(_LOCATIONS)
            writing.execute(
                "INSERT OR REPLACE INTO locations SELECT id, ?, ? FROM signatures WHERE text = ?",
                (number, _json(value), signature),
            )

    def keep_further_runs(self, runs: Iterable[FurtherRun]) -> None:
        """Store graphs that ran after the cases of the campaign."""
        with self._connection as writing:
            writing.execute(_FURTHER_RUNS)
            writing.executemany(
                "INSERT INTO further_runs VALUES (?, ?, ?, ?, ?)",
                [(run.number, run.source, _json(run.change), run.is_suggested, run.outcome.value) for run in runs],
            )

    def set(self, key: str, value: str) -> None:
        """Store a text about the campaign as a whole."""
        with self._connection as writing:
            writing.execute("INSERT OR REPLACE INTO campaign VALUES (?, ?)", (key, value))


class ReductionRuns:
    """The runs of one reduction. They are given out in the order in which they were kept."""

    def __init__(
        self, connection: sqlite3.Connection, key: tuple[int, int], reading: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._connection = connection
        self._key = key
        self._reading = reading
        rows = connection.execute(
            "SELECT digest, failed FROM reduction_runs WHERE signature = ? AND number = ? ORDER BY run", key
        )
        self._verdicts: dict[str, deque[bool]] = {}
        for digest, failed in rows:
            self._verdicts.setdefault(str(digest), deque()).append(bool(failed))

    def looks(self) -> tuple[Failure | None, list[bool]]:
        """The failure of the whole graph, and for each of its runs whether it had that."""
        row = self._connection.execute(
            "SELECT failure, looked FROM reduction_looks WHERE signature = ? AND number = ?", self._key
        ).fetchone()
        if row is None:
            return None, []
        with self._reading():
            value = json.loads(row[0])
            way = Way(**value["way"] | {"difference": tuple(value["way"]["difference"])})
            failure = Failure(**value | {"words": tuple(value["words"]), "way": way})
            return failure, [bool(flag) for flag in json.loads(row[1])]

    def keep_looks(self, failure: Failure, looked: Sequence[bool]) -> None:
        """Keep these."""
        with self._connection as writing:
            values = (*self._key, _json(asdict(failure)), _json(list(looked)))
            writing.execute("INSERT OR REPLACE INTO reduction_looks VALUES (?, ?, ?, ?)", values)

    def next_verdict(self, digest: str) -> bool | None:
        """The verdict of the next run of the graph with this digest; None if that is not known."""
        left = self._verdicts.get(digest)
        return left.popleft() if left else None

    def keep_verdict(self, digest: str, failed: bool) -> None:
        """Keep the verdict of a run."""
        with self._connection as writing:
            insert = "INSERT INTO reduction_runs (signature, number, digest, failed) VALUES (?, ?, ?, ?)"
            writing.execute(insert, (*self._key, digest, failed))


def read_store(path: Path) -> Store:
    """Open an existing store for reading."""
    with ExitStack() as if_it_fails:
        store = if_it_fails.enter_context(Store(path, connected(path, must_exist=True)))
        _check_version(store)
        if_it_fails.pop_all()
    return store


def _check_version(store: Store) -> None:
    version = store.value("kgprobe-campaign")
    if version != _VERSION:
        hint = "start over with --fresh, or name another file with --store"
        message = f"is of version {version}, and this kgprobe reads version {_VERSION}"
        raise InputError(message, where=Position(str(store.path)), hint=hint)


def _row(case: Planned) -> tuple[object, ...]:
    return case.number, case.source, _json(case.recipe), case.likeness


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# -- the files of reduced cases ----------------------------------------------------------------------------------------


def graph_file(store: Path, finding: Finding, number: int) -> Path:
    """The file for the reduced graph of a case. A digest in its name keeps similar findings apart."""
    return _findings_folder(store) / f"{_file_stem(finding)}-{number}.ttl"


def reduced_file(store: Path, finding: Finding, reduced: Reduced) -> Path:
    """The file for a reduced case: a graph, or something else as JSON."""
    return graph_file(store, finding, reduced.number).with_suffix(".ttl" if reduced.is_graph else ".json")


def seed_file(graph: Path) -> Path:
    """The file for the part of the seed graph that the graph in a file is compared with."""
    return graph.with_name(f"{graph.stem}-seed{graph.suffix}")


def _findings_folder(store: Path) -> Path:
    return store.with_name(f"{store.stem}-findings")


def _file_stem(finding: Finding) -> str:
    """The names of all reduced graphs of a finding begin with this; the number of the case follows."""
    words = re.sub(r"[^a-z0-9]+", "-", f"{finding.system} {finding.kind}".casefold()).strip("-")[:60]
    digest = hashlib.sha256(finding.signature.encode()).hexdigest()[:6]
    return f"{words}-{digest}"


def remove_campaign(path: Path) -> None:
    """Remove the store and the reduced graphs of an earlier campaign, and no other file.

    InputError, and nothing is removed, if the file is not a store.
    """
    if not path.is_file() or not path.stat().st_size:
        return
    with locked(path):
        files = _reduced_graphs(path)
        remove_file(path)
        for file in files:
            _remove(file)
    folder = _findings_folder(path)
    if files and not any(folder.iterdir()):
        folder.rmdir()


def _reduced_graphs(path: Path) -> list[Path]:
    """The reduced graphs that a campaign has written; none if its store cannot be read."""
    folder = _findings_folder(path)
    if folder.is_symlink() or not folder.is_dir():
        return []
    try:
        with read_store(path) as store:
            stems = {_file_stem(finding) for finding in store.findings()}
    except InputError:
        return []
    ours = re.compile(rf"({'|'.join(map(re.escape, stems))})--?\d+(-seed)?\.(ttl|json)" if stems else r"(?!)")
    return [file for file in sorted(folder.iterdir()) if ours.fullmatch(file.name) and not file.is_symlink()]


def _remove(file: Path) -> None:
    try:
        file.unlink()
    except OSError as error:
        raise InputError(f"cannot be removed: {error.strerror}", where=Position(str(file))) from None
