"""Reads the results of a campaign from its store: cases, outcomes, findings and reductions. The file may be damaged."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgprobe.campaign.store_file import damage, expect, figures_in, texts_of
from kgprobe.errors import InputError
from kgprobe.formats.files import read_graph
from kgprobe.model import Outcome
from kgprobe.oracles.signatures import variant_of
from kgprobe.rdf.graph import Graph

__all__ = [
    "Finding",
    "FurtherRun",
    "Planned",
    "Reduced",
    "StoreReader",
    "StoredSource",
    "Variant",
    "case_number",
]

_CASES = "SELECT number, source, recipe, likeness FROM cases"


class StoreReader:
    """Reads from a store. Values that no campaign can have written are an InputError."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._source_count: int | None = None

    def damaged(self, why: object) -> InputError:
        """The error to raise if the file holds something that no campaign can have written."""
        return damage(self.path, why)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A context in which values from the file are parsed: errors mean that the file is damaged."""
        try:
            yield
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
            raise self.damaged(f"{type(error).__name__}: {error}") from error

    # -- the campaign --------------------------------------------------------------------------------------------------

    def value(self, key: str) -> str | None:
        """The text stored under this key."""
        row = self._connection.execute("SELECT value FROM campaign WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    @property
    def seconds(self) -> float:
        """The run time of the campaign, in seconds."""
        with self.reading():
            return float(self.value("seconds") or 0)

    @property
    def source_kind(self) -> str:
        """The kind of source that the cases come from."""
        return self.value("source") or ""

    @property
    def about(self) -> Any:
        """Information about the sources for the stories of their cases, as JSON that only the kind of source reads."""
        with self.reading():
            return json.loads(self.value("about") or "{}")

    @property
    def identity(self) -> dict[str, str]:
        """A digest of each part that the results depend on, by a name that the user knows."""
        return self._texts("identity")

    def _texts(self, key: str) -> dict[str, str]:
        with self.reading():
            return texts_of(json.loads(self.value(key) or "{}"))

    def sources(self) -> list[StoredSource]:
        """All sources with their states."""
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
        """The cases of a source, each with its likeness."""
        rows = self._connection.execute(
            "SELECT number, likeness FROM cases WHERE source = ? AND number > 0 AND likeness IS NOT NULL", (source,)
        )
        with self.reading():
            for number, likeness in rows:
                yield expect(int, number), expect(int, likeness)

    def in_flight(self) -> list[Planned]:
        """The cases that were planned and have no outcome."""
        rows = self._connection.execute(f"{_CASES} WHERE outcome IS NULL ORDER BY number")
        return [self._planned(row) for row in rows]

    def cases(self) -> Iterator[Planned]:
        """All cases, those of one source after those of another, in order."""
        rows = self._connection.execute(f"{_CASES} WHERE number > 0 ORDER BY source, number")
        return map(self._planned, rows)

    def case(self, number: int) -> Planned | None:
        """A case by its number."""
        row = self._connection.execute(f"{_CASES} WHERE number = ?", (number,)).fetchone()
        return None if row is None else self._planned(row)

    def case_range(self) -> tuple[int, int]:
        """The first and the last number of a case; (0, 0) if there is none."""
        first, last = self._connection.execute("SELECT min(number), max(number) FROM cases").fetchone()
        return first or 0, last or 0

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
        """The number of cases with each outcome."""
        rows = self._connection.execute(
            "SELECT outcome, count(*) FROM cases WHERE outcome IS NOT NULL GROUP BY outcome"
        )
        with self.reading():
            return Counter({Outcome(outcome): count for outcome, count in rows})

    def reasons(self) -> dict[Outcome, dict[str, int]]:
        """The reasons why cases have no clear verdict, each with the number of cases, the most frequent first."""
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
        """The number of cases that have run, without the inputs that sources start from."""
        (count,) = self._connection.execute(
            "SELECT count(*) FROM cases WHERE outcome IS NOT NULL AND number > 0"
        ).fetchone()
        return int(count)

    def outcomes_by_source(self) -> dict[tuple[int, Outcome], int]:
        """The number of cases with each outcome, by source."""
        rows = self._connection.execute(
            "SELECT source, outcome, count(*) FROM cases WHERE outcome IS NOT NULL GROUP BY source, outcome"
        )
        with self.reading():
            return {(self._known_source(source), Outcome(outcome)): count for source, outcome, count in rows}

    def results(self) -> Iterator[tuple[int, Outcome, str, tuple[str, ...]]]:
        """Each case that has run: its number, outcome, reason, and signatures."""
        rows = self._connection.execute(
            "SELECT number, outcome, coalesce(why, ''), (SELECT json_group_array(text) FROM failures JOIN signatures ON"
            " id = signature WHERE failures.number = cases.number) FROM cases WHERE outcome IS NOT NULL ORDER BY number"
        )
        with self.reading():
            for number, outcome, why, signatures in rows:
                yield number, Outcome(outcome), expect(str, why), tuple(sorted(json.loads(signatures)))

    def judged(self) -> Iterator[tuple[Planned, Outcome]]:
        """Each case that has run, with its outcome, in the order of their numbers."""
        rows = self._connection.execute(
            "SELECT number, source, recipe, likeness, outcome FROM cases WHERE outcome IS NOT NULL ORDER BY number"
        )
        for *case, outcome in rows:
            planned = self._planned(tuple(case))
            with self.reading():
                yield planned, Outcome(outcome)

    def details(self) -> Iterator[tuple[Planned, Outcome, dict[str, Any]]]:
        """Each case whose verdict has details, with its outcome and these."""
        rows = self._connection.execute(
            "SELECT number, source, recipe, likeness, outcome, details FROM cases WHERE details IS NOT NULL"
            " ORDER BY number"
        )
        for *case, outcome, details in rows:
            planned = self._planned(tuple(case))
            with self.reading():
                yield planned, Outcome(outcome), expect(dict, json.loads(details))

    def seconds_in_systems(self) -> float:
        """The total run time of the systems under test, in seconds."""
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
        words, reductions, unreduced = self._words(known, number), self._reductions(known), self._unreduced(known)
        return Finding(signature, system, kind, shape, cases, number, words, reductions, unreduced)

    def _unreduced(self, signature: int) -> tuple[tuple[int, str], ...]:
        if not self._has_table("unreduced"):
            return ()
        select = (
            "SELECT number, why FROM unreduced WHERE signature = :known AND number NOT IN"
            " (SELECT number FROM reductions WHERE signature = :known) ORDER BY number"
        )
        with self.reading():
            rows = self._connection.execute(select, {"known": signature})
            return tuple((expect(int, number), expect(str, why)) for number, why in rows)

    def variants(self, finding: Finding) -> list[Variant]:
        """The messages of a finding that differ in more than names, each with the number of cases, in their order."""
        if finding.kind not in _WITH_MESSAGE:
            return []
        rows = self._connection.execute(
            "SELECT coalesce(json_extract(words, '$[0]'), ''), count(*), min(number) FROM failures"
            " JOIN signatures ON id = signature WHERE text = ? GROUP BY 1 ORDER BY 3 LIMIT ?",
            (finding.signature, _MOST_MESSAGES),
        )
        found: dict[str, Variant] = {}
        with self.reading():
            for message, cases, first in rows:
                shape = variant_of(expect(str, message))
                known = found.get(shape, Variant(message, 0, expect(int, first)))
                found[shape] = replace(known, cases=known.cases + expect(int, cases))
        return list(found.values())

    def cases_of(self, signature: str, most: int) -> list[int]:
        """The first cases with a signature."""
        rows = self._connection.execute(
            "SELECT number FROM failures JOIN signatures ON id = signature WHERE text = ? ORDER BY number LIMIT ?",
            (signature, most),
        )
        with self.reading():
            return [expect(int, number) for (number,) in rows]

    def signatures_of(self, number: int) -> list[str]:
        """The signatures of the failures of a case."""
        rows = self._connection.execute(
            "SELECT text FROM failures JOIN signatures ON id = signature WHERE number = ? ORDER BY text", (number,)
        )
        with self.reading():
            return [expect(str, text) for (text,) in rows]

    def kinds_of(self, number: int) -> list[tuple[str, str]]:
        """The failures of a case: each system with the kind of its failure."""
        rows = self._connection.execute(
            "SELECT system, kind FROM failures JOIN signatures ON id = signature WHERE number = ?", (number,)
        )
        with self.reading():
            return [(expect(str, system), expect(str, kind)) for system, kind in rows]

    def words(self, signature: str, number: int) -> tuple[str, ...]:
        """The lines that describe a finding in one case."""
        row = self._connection.execute("SELECT id FROM signatures WHERE text = ?", (signature,)).fetchone()
        return () if row is None else self._words(row[0], number)

    def _words(self, signature: int, number: int) -> tuple[str, ...]:
        row = self._connection.execute(
            "SELECT words FROM failures WHERE signature = ? AND number = ?", (signature, number)
        ).fetchone()
        with self.reading():
            return () if row is None else tuple(expect(str, line) for line in json.loads(row[0]))

    def locations(self, signature: str) -> dict[int, Any]:
        """What is known about the steps that cause a finding, by case: JSON that only `kgprobe.learning` reads."""
        if not self._has_locations():
            return {}
        rows = self._connection.execute(
            "SELECT number, value FROM locations JOIN signatures ON id = signature WHERE text = ? ORDER BY number",
            (signature,),
        )
        with self.reading():
            return {expect(int, number): json.loads(value) for number, value in rows}

    def former_results(self) -> dict[int, tuple[Outcome, tuple[str, ...]]]:
        """The outcomes and signatures of cases from before all of them were run again, by their numbers."""
        if not self._has_table("former_results"):
            return {}
        rows = self._connection.execute("SELECT number, outcome, signatures FROM former_results ORDER BY number")
        with self.reading():
            return {
                expect(int, number): (Outcome(outcome), tuple(expect(str, text) for text in json.loads(signatures)))
                for number, outcome, signatures in rows
            }

    def _has_locations(self) -> bool:
        return self._has_table("locations")

    def _has_table(self, name: str) -> bool:
        """Whether there is such a table. Some are made when they are first needed."""
        found = self._connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,))
        return found.fetchone() is not None

    def further_runs(self) -> list[FurtherRun]:
        """The graphs that were run to learn a mask, in order."""
        if not self._has_table("further_runs"):
            return []
        rows = self._connection.execute(
            "SELECT number, source, change, is_suggested, outcome FROM further_runs ORDER BY number"
        )
        with self.reading():
            return [
                FurtherRun(
                    expect(int, number),
                    self._known_source(source),
                    json.loads(change),
                    bool(is_suggested),
                    Outcome(outcome),
                )
                for number, source, change, is_suggested, outcome in rows
            ]

    def graph(self, reduced: Reduced) -> Graph:
        """The graph of a reduced case."""
        return self._graph(reduced.graph)

    def _graph(self, text: str) -> Graph:
        try:
            return read_graph(text.encode())
        except InputError as error:
            raise self.damaged(error.message) from None

    def seed_graph(self, reduced: Reduced) -> Graph | None:
        """The part of the seed graph that a reduced case is compared with; None if it is not compared with one."""
        text = reduced.seed_graph
        return None if text is None else self._graph(text)

    def _reductions(self, signature: int) -> tuple[Reduced, ...]:
        rows = self._connection.execute(
            "SELECT number, cause, graph, figures FROM reductions WHERE signature = ? ORDER BY number", (signature,)
        )
        with self.reading():
            return tuple(
                Reduced(expect(int, number), expect(str, cause), expect(str, graph), figures_in(figures))
                for number, cause, graph, figures in rows
            )


# -- values, and checks: the file may be damaged -----------------------------------------------------------------------

_WITH_MESSAGE = frozenset({"crashed", "exit status", "predicate", "changed", "unreadable output", "output query"})
_MOST_MESSAGES = 10_000


@dataclass(frozen=True)
class Planned:
    """A case: its number, the number of its source, and the recipe to make it again, as JSON of that source.

    Equal inputs have the same `likeness`, a number of 64 bits with a sign, if the source knows it.
    """

    number: int
    source: int
    recipe: Any
    likeness: int | None = None


@dataclass(frozen=True)
class FurtherRun:
    """A graph that ran after the cases of the campaign: the number of its source, its change as JSON, and its outcome.

    It was drawn because a learned mask admits it, or `is_suggested`: because its verdict decides between shapes.
    """

    number: int
    source: int
    change: Any
    is_suggested: bool
    outcome: Outcome


def case_number(index: int, source: int, sources: int) -> int:
    """The number of a case: its index in its source counts from 1, and sources take turns.

    Index 0 is the input that a source starts from, such as a seed graph. Its number is not positive.
    """
    return (index - 1) * sources + source + 1


@dataclass(frozen=True)
class StoredSource:
    """A source of cases, and its state, as JSON that only the source reads; None at first."""

    name: str
    state: Any


@dataclass(frozen=True)
class Reduced:
    """A reduced failing case: the graph in Turtle, the kinds of axioms in it, and figures about the reduction.

    If a case is not a graph, its figures have the unit that its size is counted in, and `graph` is a text in JSON.
    """

    number: int
    cause: str
    graph: str
    figures: Mapping[str, Any]

    @property
    def is_finished(self) -> bool:
        """Whether the graph is minimal; if not, the time was up before the reduction was complete."""
        return bool(self.figures["is_minimal"])

    @property
    def seed_graph(self) -> str | None:
        """The part of the seed graph that the graph is compared with, in Turtle, if its failure is a difference."""
        return self.figures.get("seed_graph")

    @property
    def is_graph(self) -> bool:
        """Whether the case is a graph."""
        return self.unit == "triple"

    @property
    def unit(self) -> str:
        """The unit of its size."""
        return str(self.figures.get("unit", "triple"))


@dataclass(frozen=True)
class Finding:
    """All failures with one signature: the number of cases, the first of them, and its description in `words`.

    `unreduced` has the cases that could not be reduced, with the reason.
    """

    signature: str
    system: str
    kind: str
    shape: str
    cases: int
    first: int
    words: tuple[str, ...]
    reductions: tuple[Reduced, ...]
    unreduced: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Variant:
    """The cases of a finding with one message, up to names: the message in the first of them, and how many there are.

    Numbers and names are not part of a signature, because the same bug on another graph has others. But different bugs
    can have the same signature, too.
    """

    message: str
    cases: int
    first: int
