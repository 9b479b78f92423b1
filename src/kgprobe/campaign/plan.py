"""The cases of a campaign, in order: the first case of each source, then the second of each, and so on.

Each case is written to the store with its recipe before it runs. Therefore, an interrupted campaign knows which cases
were in flight: it runs them first, then the cases after them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kgprobe.campaign.executor import Task
from kgprobe.campaign.source import CaseSource, Drawn, Json, SourceKind
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import Planned
from kgprobe.model import Input

__all__ = ["Plan", "PlannedCase"]


@dataclass(frozen=True)
class PlannedCase:
    """A planned case with its input; `whole_recipe` has everything that its story needs."""

    planned: Planned
    input: Input
    whole_recipe: Callable[[], Json]


class Plan:
    """Numbers the cases of all sources, and makes them again by their numbers."""

    def __init__(self, kind: SourceKind, sources: Sequence[CaseSource], store: Store) -> None:
        self._kind = kind
        self._sources = sources
        self._store = store

    @property
    def total(self) -> int:
        """The number of cases, if no source runs out of them."""
        return sum(source.total for source in self._sources)

    @property
    def is_over(self) -> bool:
        """Whether all cases are planned."""
        return self._next() is None

    def counts(self) -> tuple[int, int]:
        """How many inputs were made, and how many of them are cases."""
        counts = [source.counts() for source in self._sources]
        return sum(count.attempts for count in counts), sum(count.kept for count in counts)

    def notes(self) -> list[str]:
        """Notes for the user about the cases that were planned since the last call."""
        return [note for source in self._sources for note in source.notes()]

    def source(self, planned: Planned) -> CaseSource:
        """The source of a case."""
        return self._sources[planned.source]

    def name(self, planned: Planned) -> str:
        """The name of a case."""
        with self._store.reading():
            return self._kind.case_name(self.source(planned).name, planned.recipe)

    def task(self, ticket: int, name: str, planned: Planned, input_: Input) -> Task:
        """The task to run a case, or a part of its input."""
        source = self.source(planned)
        with self._store.reading():
            origin = self._kind.origin(source.name, planned.recipe)
        return source.task(ticket, name, input_, origin)

    def interrupted(self) -> Iterator[PlannedCase]:
        """The cases that were in flight when the campaign was interrupted."""
        yield from map(self.remake, self._store.in_flight())

    def remake(self, planned: Planned) -> PlannedCase:
        """A case that was planned before."""
        drawn = self.source(planned).remake(planned)
        return PlannedCase(planned, drawn.input, drawn.whole_recipe)

    def further(self, count: int) -> list[PlannedCase]:
        """The next cases; fewer if there are no more."""
        found: list[PlannedCase] = []
        touched: set[int] = set()
        while len(found) < count and (number := self._next()) is not None:
            touched.add(number)
            found += (self._planned(number, drawn) for drawn in self._sources[number].further(1))
        if touched:
            states = {number: self._sources[number].state() for number in touched}
            self._store.plan([each.planned for each in found], states)
        return found

    def _planned(self, source: int, drawn: Drawn) -> PlannedCase:
        number = self._store.case_number(drawn.index, source)
        return PlannedCase(Planned(number, source, drawn.recipe, drawn.likeness), drawn.input, drawn.whole_recipe)

    def _next(self) -> int | None:
        """The number of the source with the fewest cases so far; None if all are over."""
        left = [number for number, source in enumerate(self._sources) if not source.is_over]
        return min(left, key=lambda number: self._sources[number].drawn, default=None)
