"""Reads the results of a campaign from its store: outcomes, findings, reductions, and the recipes of cases."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kgprobe.campaign.store_file import damage
from kgprobe.campaign.store_values import (
    Finding,
    Planned,
    Reduced,
    StoredSource,
    case_number,
    expect,
    figures_in,
    texts_of,
)
from kgprobe.errors import InputError
from kgprobe.graph.graph import Graph
from kgprobe.graph.written import read_graph
from kgprobe.model import Outcome

__all__ = ["StoreReader"]

_CASES = "SELECT number, source, recipe, likeness FROM cases"


class StoreReader:
    """All that a store can tell. Values that no campaign has written are an InputError."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._source_count: int | None = None

    def damaged(self, why: object) -> InputError:
        """What to raise if the file holds something that no campaign has written."""
        return damage(self.path, why)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """In this context, values of the file are taken apart: errors mean that the file is damaged."""
        try:
            yield
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
            raise self.damaged(f"{type(error).__name__}: {error}") from error

    # -- the campaign --------------------------------------------------------------------------------------------------

    def value(self, key: str) -> str | None:
        """The text that is kept under this key."""
        row = self._connection.execute("SELECT value FROM campaign WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    @property
    def seconds(self) -> float:
        """How long the campaign has run."""
        with self.reading():
            return float(self.value("seconds") or 0)

    @property
    def source_kind(self) -> str:
        """The kind of source that the cases come from."""
        return self.value("source") or ""

    @property
    def about(self) -> Any:
        """What the stories of cases need to know about their sources, as JSON of that kind of source."""
        with self.reading():
            return json.loads(self.value("about") or "{}")

    def _texts(self, key: str) -> dict[str, str]:
        with self.reading():
            return texts_of(json.loads(self.value(key) or "{}"))

    def sources(self) -> list[StoredSource]:
        """All sources, and how far each has come."""
        rows = self._connection.execute("SELECT name, state FROM sources ORDER BY number")
        with self.reading():
            return [
                StoredSource(expect(str, name), None if state is None else json.loads(state)) for name, state in rows
            ]

    def case_number(self, index: int, source: int) -> int:
        """The number of a case, given its index in its source."""
        return case_number(index, source, self._sources_known())

    # -- cases ---------------------------------------------------------------------------------------------------------

    def likenesses(self, source: int) -> Iterator[tuple[int, int]]:
        """The cases that a source has made, each with its likeness."""
        rows = self._connection.execute(
            "SELECT number, likeness FROM cases WHERE source = ? AND number > 0 AND likeness IS NOT NULL", (source,)
        )
        with self.reading():
            for number, likeness in rows:
                yield expect(int, number), expect(int, likeness)

    def in_flight(self) -> list[Planned]:
        """Cases that were planned and have no outcome."""
        rows = self._connection.execute(f"{_CASES} WHERE outcome IS NULL ORDER BY number")
        return [self._planned(row) for row in rows]

    def case(self, number: int) -> Planned | None:
        """A case by its number."""
        row = self._connection.execute(f"{_CASES} WHERE number = ?", (number,)).fetchone()
        return None if row is None else self._planned(row)

    def _planned(self, row: tuple[Any, ...]) -> Planned:
        number, source, recipe, likeness = row
        with self.reading():
            known = None if likeness is None else expect(int, likeness)
            return Planned(expect(int, number), self._known_source(source), json.loads(recipe), known)

    def _known_source(self, number: object) -> int:
        """The number of a source, if it is one."""
        if not 0 <= expect(int, number) < self._sources_known():
            raise ValueError(f"there is no source {number}")
        return expect(int, number)

    def _sources_known(self) -> int:
        if self._source_count is None:
            self._source_count = len(self.sources())
        return self._source_count

    # -- outcomes ------------------------------------------------------------------------------------------------------

    def outcomes(self) -> Counter[Outcome]:
        """How many cases ended how."""
        rows = self._connection.execute(
            "SELECT outcome, count(*) FROM cases WHERE outcome IS NOT NULL GROUP BY outcome"
        )
        with self.reading():
            return Counter({Outcome(outcome): count for outcome, count in rows})

    def reasons(self) -> dict[Outcome, dict[str, int]]:
        """Why cases have no clear verdict, and how many of them, the most frequent reason first."""
        rows = self._connection.execute(
            "SELECT outcome, coalesce(why, ''), count(*) FROM cases WHERE outcome IN (?, ?)"
            " GROUP BY outcome, why ORDER BY count(*) DESC, why",
            (Outcome.INVALID.value, Outcome.UNDECIDED.value),
        )
        found: dict[Outcome, dict[str, int]] = {}
        with self.reading():
            for outcome, why, count in rows:
                found.setdefault(Outcome(outcome), {})[expect(str, why) or "no reason was given"] = count
        return found

    def cases_run(self) -> int:
        """How many cases have run, without those that a source starts from."""
        (count,) = self._connection.execute(
            "SELECT count(*) FROM cases WHERE outcome IS NOT NULL AND number > 0"
        ).fetchone()
        return int(count)

    def outcomes_by_source(self) -> dict[tuple[int, Outcome], int]:
        """How many cases of which source ended how."""
        rows = self._connection.execute(
            "SELECT source, outcome, count(*) FROM cases WHERE outcome IS NOT NULL GROUP BY source, outcome"
        )
        with self.reading():
            return {(self._known_source(source), Outcome(outcome)): count for source, outcome, count in rows}

    def results(self) -> Iterator[tuple[int, str, str, tuple[str, ...]]]:
        """Each case that has run: its number, outcome, reason, and signatures."""
        rows = self._connection.execute(
            "SELECT number, outcome, coalesce(why, ''), (SELECT json_group_array(text) FROM failures JOIN signatures ON"
            " id = signature WHERE failures.number = cases.number) FROM cases WHERE outcome IS NOT NULL ORDER BY number"
        )
        with self.reading():
            for number, outcome, why, signatures in rows:
                yield number, Outcome(outcome), expect(str, why), tuple(sorted(json.loads(signatures)))

    def seconds_in_systems(self) -> float:
        """How long the systems under test have run."""
        (total,) = self._connection.execute("SELECT total(seconds) FROM cases").fetchone()
        return float(total)

    # -- findings ------------------------------------------------------------------------------------------------------

    def findings(self) -> list[Finding]:
        """All findings, in the order of their first cases."""
        rows = self._connection.execute(
            "SELECT id, text, system, kind, shape, count(*), min(number) FROM failures"
            " JOIN signatures ON id = signature GROUP BY id ORDER BY min(number), text"
        ).fetchall()
        return [self._finding(known, texts, cases, first) for known, *texts, cases, first in rows]

    def _finding(self, known: int, texts: Iterable[object], cases: int, first: object) -> Finding:
        with self.reading():
            signature, system, kind, shape = (expect(str, text) for text in texts)
            number = expect(int, first)
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
        with self.reading():
            return [(expect(str, system), expect(str, kind)) for system, kind in rows]

    def words(self, signature: str, number: int) -> tuple[str, ...]:
        """What was seen of a finding in one case."""
        row = self._connection.execute("SELECT id FROM signatures WHERE text = ?", (signature,)).fetchone()
        return () if row is None else self._words(row[0], number)

    def _words(self, signature: int, number: int) -> tuple[str, ...]:
        row = self._connection.execute(
            "SELECT words FROM failures WHERE signature = ? AND number = ?", (signature, number)
        ).fetchone()
        with self.reading():
            return () if row is None else tuple(expect(str, line) for line in json.loads(row[0]))

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
        with self.reading():
            return tuple(
                Reduced(expect(int, number), expect(str, cause), expect(str, graph), figures_in(figures))
                for number, cause, graph, figures in rows
            )
