"""All results of a campaign, in one SQLite file, each written as it happens.

A case has a row from the moment it is planned, and its outcome is filled in when it has run. Whatever ends the process,
a row without an outcome is a case that was in flight. What a passing case looked like is not kept, since its number
tells: a million of them shall fit.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from kgprobe.campaign.store_file import DAMAGE, Lock, connected, damage, locked
from kgprobe.errors import InputError, Position
from kgprobe.graph.graph import Graph
from kgprobe.graph.written import read_graph
from kgprobe.model import Failure, Outcome, Verdict
from kgprobe.mutation.generator import Tally
from kgprobe.mutation.manifest import read_steps
from kgprobe.mutation.mutant import Step

__all__ = ["Finding", "Planned", "Reduced", "SeedState", "Store", "read_store"]

_T = TypeVar("_T")

_VERSION = "2"
_SCHEMA = """
CREATE TABLE campaign (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE seeds (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, tally TEXT NOT NULL, learned TEXT, is_exhausted INTEGER NOT NULL,
    is_tried INTEGER NOT NULL, left_out TEXT
);
CREATE TABLE cases (
    number INTEGER PRIMARY KEY, seed INTEGER NOT NULL, mutant INTEGER NOT NULL, attempt INTEGER NOT NULL,
    likeness INTEGER NOT NULL, steps TEXT, outcome TEXT, why TEXT, seconds REAL
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


@dataclass(frozen=True)
class Planned:
    """A case: its number, the seed graph it is made of, and which of its mutants; `steps` if they cannot be redone."""

    number: int
    seed: int
    mutant: int
    attempt: int
    likeness: int
    steps: str | None = None

    @property
    def is_seed(self) -> bool:
        """Whether it is no mutant, but the seed graph itself."""
        return self.mutant == 0

    def name(self, seed: str) -> str:
        """What a person calls it, given the name of its seed graph."""
        return seed if self.is_seed else f"{seed}#{self.mutant}"


@dataclass(frozen=True)
class SeedState:
    """How far the mutants of a seed graph have come.

    `is_tried` says that the systems have run on the seed graph itself, and `left_out` why no mutants are made of it.
    """

    name: str
    tally: Tally
    learned: tuple[tuple[str, str], ...] | None
    is_exhausted: bool
    is_tried: bool = False
    left_out: str | None = None


@dataclass(frozen=True)
class Reduced:
    """A failing case made small: the graph in Turtle, what kinds of axioms are left, and figures on the way there."""

    number: int
    cause: str
    graph: str
    figures: Mapping[str, Any]

    @property
    def is_finished(self) -> bool:
        """Whether it cannot be made smaller; else the time was up before that was known."""
        return bool(self.figures["is_minimal"])


@dataclass(frozen=True)
class Finding:
    """Failures with one signature: how many cases have it, the first of them, and what was seen there."""

    signature: str
    system: str
    kind: str
    shape: str
    cases: int
    first: int
    words: tuple[str, ...]
    reductions: tuple[Reduced, ...]


class Store:
    """The file. Each method that writes is one transaction."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock | None = None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self._seed_count: int | None = None

    @classmethod
    def open(cls, path: Path, identity: Mapping[str, str], seeds: Iterable[str]) -> Store:
        """The store of this campaign; made if it is not there. InputError if it belongs to another campaign.

        `identity` is what the results depend on, each part with a digest, so that what has changed can be told.
        """
        with ExitStack() as if_it_fails:
            lock = if_it_fails.enter_context(locked(path))
            store = if_it_fails.enter_context(cls(path, connected(path), lock))
            names = list(seeds)
            if not store._is_empty():
                _check_version(store)
                store._check_identity(identity)
            if store._is_empty():
                store._create(identity, names)
            if [seed.name for seed in store.seeds()] != names:
                raise store.damaged("it does not know its seed graphs")
            if_it_fails.pop_all()
        return store

    def _is_empty(self) -> bool:
        """Whether nothing was ever written: also if that was interrupted."""
        return self._connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None

    def _create(self, identity: Mapping[str, str], seeds: Iterable[str]) -> None:
        with self._connection as writing:
            writing.executescript(f"BEGIN; {_SCHEMA}")
            values = {"kgprobe-campaign": _VERSION, "identity": json.dumps(dict(identity)), "seconds": "0"}
            writing.executemany("INSERT INTO campaign VALUES (?, ?)", values.items())
            rows = [(number, name, _tally_text(Tally())) for number, name in enumerate(seeds)]
            writing.executemany("INSERT INTO seeds VALUES (?, ?, ?, NULL, 0, 0, NULL)", rows)

    def _check_identity(self, identity: Mapping[str, str]) -> None:
        before = self._json("identity")
        if before == dict(identity):
            return
        if not self.outcomes():
            self._clear()  # nothing was found out yet, for example because a program was misspelled
            return
        changed = [part for part in identity if before.get(part) != identity[part]]
        changed += [part for part in before if part not in identity]
        message = f"holds the results of another campaign: {', '.join(changed[:3])} changed since"
        hint = "start over with --fresh, or name another file with --store"
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
        # Nobody else uses a database; what we do wrong with it is a bug of ours.
        if isinstance(error, DAMAGE) and not isinstance(error, sqlite3.ProgrammingError):
            raise damage(self.path, error) from error

    def damaged(self, why: object) -> InputError:
        """What to raise if the file holds something that no campaign has written."""
        return damage(self.path, why)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Here, values of the file are taken apart: what goes wrong is wrong there."""
        try:
            yield
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
            raise self.damaged(f"{type(error).__name__}: {error}") from error

    # -- writing -------------------------------------------------------------------------------------------------------

    def tried(self, seed: int, left_out: str | None, case: Planned | None, verdict: Verdict, seconds: float) -> None:
        """What came of a seed graph itself, and why it is left out if it is; `case` if there is a failure to keep."""
        with self._connection as writing:
            writing.execute("UPDATE seeds SET is_tried = 1, left_out = ? WHERE number = ?", (left_out, seed))
            if case is not None:
                writing.execute("DELETE FROM cases WHERE number = ?", (case.number,))
                writing.execute(_NEW_CASE, astuple(case))
                self._record(case.number, verdict, seconds, None)

    def plan(self, cases: Iterable[Planned], states: Mapping[int, SeedState]) -> None:
        """Cases that are about to run, and how far their seed graphs have come with them."""
        with self._connection as writing:
            writing.executemany(
                _NEW_CASE,
                [(each.number, each.seed, each.mutant, each.attempt, each.likeness, each.steps) for each in cases],
            )
            writing.executemany(
                "UPDATE seeds SET tally = ?, learned = ?, is_exhausted = ? WHERE number = ?",
                [
                    (_tally_text(state.tally), _learned_text(state.learned), int(state.is_exhausted), number)
                    for number, state in states.items()
                ],
            )

    def record(self, number: int, verdict: Verdict, seconds: float, steps: str | None = None) -> None:
        """What came of a case; `steps` if they are to be kept."""
        with self._connection:
            self._record(number, verdict, seconds, steps)

    def _record(self, number: int, verdict: Verdict, seconds: float, steps: str | None) -> None:
        self._connection.execute(
            "UPDATE cases SET outcome = ?, why = ?, seconds = ?, steps = coalesce(?, steps) WHERE number = ?",
            (verdict.outcome.value, verdict.why or None, seconds, steps, number),
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
        """Forget what came of all cases after this one. They stay planned, for a campaign that goes on."""
        with self._connection as writing:
            writing.execute("UPDATE cases SET outcome = NULL, why = NULL, seconds = NULL WHERE number > ?", (last,))
            writing.execute("DELETE FROM failures WHERE number > ?", (last,))

    def keep_reduction(self, signature: str, reduced: Reduced) -> None:
        """One failing case made small."""
        with self._connection as writing:
            values = (reduced.number, reduced.cause, reduced.graph, json.dumps(dict(reduced.figures)), signature)
            writing.execute(
                "INSERT OR REPLACE INTO reductions SELECT id, ?, ?, ?, ? FROM signatures WHERE text = ?", values
            )

    def set(self, key: str, value: str) -> None:
        """Remember something about the campaign as a whole."""
        with self._connection as writing:
            writing.execute("INSERT OR REPLACE INTO campaign VALUES (?, ?)", (key, value))

    # -- reading -------------------------------------------------------------------------------------------------------

    def value(self, key: str) -> str | None:
        """What is remembered under this key."""
        row = self._connection.execute("SELECT value FROM campaign WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    @property
    def seconds(self) -> float:
        """How long the campaign has run."""
        with self._reading():
            return float(self.value("seconds") or 0)

    def prefixes(self, seed: int) -> dict[str, str]:
        """The prefixes of a seed graph, as far as they are remembered."""
        with self._reading():
            known = [_texts_of(each) for each in json.loads(self.value("prefixes") or "[]")]
        return known[seed] if seed < len(known) else {}

    def operators(self) -> dict[str, str]:
        """What each operator does, in words."""
        return self._json("operators")

    def _json(self, key: str) -> dict[str, str]:
        with self._reading():
            return _texts_of(json.loads(self.value(key) or "{}"))

    def seeds(self) -> list[SeedState]:
        """How far each seed graph has come."""
        rows = self._connection.execute(
            "SELECT name, tally, learned, is_exhausted, is_tried, left_out FROM seeds ORDER BY number"
        )
        with self._reading():
            return [
                SeedState(
                    _is(str, name),
                    _tally(tally),
                    _learned(learned),
                    bool(is_exhausted),
                    bool(is_tried),
                    None if left_out is None else _is(str, left_out),
                )
                for name, tally, learned, is_exhausted, is_tried, left_out in rows
            ]

    def likenesses(self, seed: int) -> Iterator[tuple[int, int]]:
        """The attempts at mutants of a seed graph that were kept, each with its likeness."""
        rows = self._connection.execute("SELECT attempt, likeness FROM cases WHERE seed = ? AND mutant > 0", (seed,))
        with self._reading():
            for attempt, number in rows:
                yield _is(int, attempt), _is(int, number)

    def steps(self, case: Planned) -> tuple[Step, ...] | None:
        """The steps that led to a case, where they are kept."""
        with self._reading():
            return None if case.steps is None else read_steps(case.steps)

    def case_of_attempt(self, seed: int, attempt: int) -> Planned | None:
        """The case that an attempt at a mutant of a seed graph led to."""
        row = self._connection.execute(f"{_CASES} WHERE seed = ? AND attempt = ?", (seed, attempt)).fetchone()
        return None if row is None else self._planned(row)

    def in_flight(self) -> list[Planned]:
        """Cases that were planned and have no outcome."""
        rows = self._connection.execute(f"{_CASES} WHERE outcome IS NULL ORDER BY number")
        return [self._planned(row) for row in rows]

    def case(self, number: int) -> Planned | None:
        """A case by its number."""
        row = self._connection.execute(f"{_CASES} WHERE number = ?", (number,)).fetchone()
        return None if row is None else self._planned(row)

    def _planned(self, row: tuple[Any, ...]) -> Planned:
        *numbers, steps = row
        with self._reading():
            number, seed, mutant, attempt, alike = (_is(int, each) for each in numbers)
            return Planned(
                number, self._is_seed(seed), mutant, attempt, alike, None if steps is None else _is(str, steps)
            )

    def _is_seed(self, number: object) -> int:
        """The number of a seed graph, if it is one."""
        if self._seed_count is None:
            self._seed_count = len(self.seeds())
        if not 0 <= _is(int, number) < self._seed_count:
            raise ValueError(f"there is no seed graph {number}")
        return _is(int, number)

    def outcomes(self) -> Counter[Outcome]:
        """How many cases ended how."""
        rows = self._connection.execute(
            "SELECT outcome, count(*) FROM cases WHERE outcome IS NOT NULL GROUP BY outcome"
        )
        with self._reading():
            return Counter({Outcome(outcome): count for outcome, count in rows})

    def reasons(self) -> dict[Outcome, dict[str, int]]:
        """Why cases have no clear verdict, and how many of them, the most frequent reason first."""
        rows = self._connection.execute(
            "SELECT outcome, coalesce(why, ''), count(*) FROM cases WHERE outcome IN (?, ?)"
            " GROUP BY outcome, why ORDER BY count(*) DESC, why",
            (Outcome.INVALID.value, Outcome.UNDECIDED.value),
        )
        found: dict[Outcome, dict[str, int]] = {}
        with self._reading():
            for outcome, why, count in rows:
                found.setdefault(Outcome(outcome), {})[_is(str, why) or "no reason was given"] = count
        return found

    def mutants_run(self) -> int:
        """How many mutants the systems have run on."""
        (count,) = self._connection.execute(
            "SELECT count(*) FROM cases WHERE outcome IS NOT NULL AND mutant > 0"
        ).fetchone()
        return int(count)

    def outcomes_by_seed(self) -> dict[tuple[int, Outcome], int]:
        """How many cases of which seed graph ended how."""
        rows = self._connection.execute(
            "SELECT seed, outcome, count(*) FROM cases WHERE outcome IS NOT NULL GROUP BY seed, outcome"
        )
        with self._reading():
            return {(self._is_seed(seed), Outcome(outcome)): count for seed, outcome, count in rows}

    def results(self) -> Iterator[tuple[int, str, str, tuple[str, ...]]]:
        """Each case that has run: its number, outcome, reason, and signatures."""
        rows = self._connection.execute(
            "SELECT number, outcome, coalesce(why, ''), (SELECT json_group_array(text) FROM failures JOIN signatures ON"
            " id = signature WHERE failures.number = cases.number) FROM cases WHERE outcome IS NOT NULL ORDER BY number"
        )
        with self._reading():
            for number, outcome, why, signatures in rows:
                yield number, Outcome(outcome), _is(str, why), tuple(sorted(json.loads(signatures)))

    def seconds_in_systems(self) -> float:
        """How long the systems under test have run."""
        (total,) = self._connection.execute("SELECT total(seconds) FROM cases").fetchone()
        return float(total)

    def findings(self) -> list[Finding]:
        """All findings, in the order of their first cases."""
        rows = self._connection.execute(
            "SELECT id, text, system, kind, shape, count(*), min(number) FROM failures"
            " JOIN signatures ON id = signature GROUP BY id ORDER BY min(number), text"
        ).fetchall()
        return [self._finding(known, texts, cases, first) for known, *texts, cases, first in rows]

    def _finding(self, known: int, texts: Iterable[object], cases: int, first: object) -> Finding:
        with self._reading():
            signature, system, kind, shape = (_is(str, text) for text in texts)
            number = _is(int, first)
        return Finding(
            signature, system, kind, shape, cases, number, self._words(known, number), self._reductions(known)
        )

    def cases_of(self, signature: str, most: int) -> list[int]:
        """The first cases with a signature."""
        rows = self._connection.execute(
            "SELECT number FROM failures JOIN signatures ON id = signature WHERE text = ? ORDER BY number LIMIT ?",
            (signature, most),
        )
        return [number for (number,) in rows]

    def kinds_of(self, number: int) -> list[tuple[str, str]]:
        """What failed in a case: each system, and the kind of its failure."""
        rows = self._connection.execute(
            "SELECT system, kind FROM failures JOIN signatures ON id = signature WHERE number = ?", (number,)
        )
        with self._reading():
            return [(_is(str, system), _is(str, kind)) for system, kind in rows]

    def words(self, signature: str, number: int) -> tuple[str, ...]:
        """What was seen of a finding in one case."""
        row = self._connection.execute("SELECT id FROM signatures WHERE text = ?", (signature,)).fetchone()
        return () if row is None else self._words(row[0], number)

    def _words(self, signature: int, number: int) -> tuple[str, ...]:
        row = self._connection.execute(
            "SELECT words FROM failures WHERE signature = ? AND number = ?", (signature, number)
        ).fetchone()
        with self._reading():
            return () if row is None else tuple(_is(str, line) for line in json.loads(row[0]))

    def graph(self, reduced: Reduced) -> Graph:
        """The graph of a failing case that was made small."""
        try:
            return read_graph(reduced.graph.encode())
        except InputError as error:
            raise self.damaged(error.message) from None

    def _reductions(self, signature: int) -> tuple[Reduced, ...]:
        rows = self._connection.execute(
            "SELECT number, cause, graph, figures FROM reductions WHERE signature = ? ORDER BY number", (signature,)
        )
        with self._reading():
            return tuple(
                Reduced(_is(int, number), _is(str, cause), _is(str, graph), _figures(figures))
                for number, cause, graph, figures in rows
            )


_COUNTS = ("system_runs", "triples_before", "triples_after", "failed", "runs")  # that every reduction has
_CASES = "SELECT number, seed, mutant, attempt, likeness, steps FROM cases"
_NEW_CASE = "INSERT INTO cases (number, seed, mutant, attempt, likeness, steps) VALUES (?, ?, ?, ?, ?, ?)"


def read_store(path: Path) -> Store:
    """An existing store, to look at."""
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


# -- values of the file, which may be damaged --------------------------------------------------------------------------


def _is(kind: type[_T], value: object) -> _T:
    """The value, if it is of this kind."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{value!r:.60} is not of type {kind.__name__}")
    return value


def _texts_of(value: object) -> dict[str, str]:
    return {key: _is(str, text) for key, text in _is(dict, value).items()}


def _figures(text: str) -> dict[str, Any]:
    figures = _is(dict, json.loads(text))
    for key in _COUNTS:
        _is(int, figures[key])
    for key in ("rate", "rate_before"):
        if not 0 <= float(figures[key]) <= 1:
            raise ValueError(f"{figures[key]} is not a share")
    for line in (*figures["words"], *(figures["needed"] or ())):
        _is(str, line)
    return figures


def _tally_text(tally: Tally) -> str:
    counts = (tally.attempts, tally.kept, tally.duplicates, tally.stuck)
    return json.dumps([*counts, dict(tally.rejected), dict(tally.applied)], separators=(",", ":"))


def _tally(text: str) -> Tally:
    attempts, kept, duplicates, stuck, rejected, applied = json.loads(text)
    for count in (attempts, kept, duplicates, stuck, *rejected.values(), *applied.values()):
        _is(int, count)
    return Tally(attempts, kept, duplicates, stuck, Counter(rejected), Counter(applied))


def _learned_text(learned: tuple[tuple[str, str], ...] | None) -> str | None:
    return None if learned is None else json.dumps(learned)


def _learned(text: str | None) -> tuple[tuple[str, str], ...] | None:
    return None if text is None else tuple((_is(str, kind), _is(str, name)) for kind, name in json.loads(text))
