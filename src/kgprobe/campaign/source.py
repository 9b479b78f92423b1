"""Where the cases of a campaign come from: the protocol that every kind of source implements.

A campaign draws its cases from one or more sources of one kind. Mutants have a source for each seed graph; given graphs
are one source. The store keeps a recipe for each case and a state for each source, as JSON that only the source
understands. Everything that a report says about the origin of a case comes from its `SourceKind`, which needs nothing
but the store: a campaign can be shown where its profile and its graphs no longer exist.

What the results of a campaign depend on is in `identity`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from kgprobe.campaign.executor import Executor, Resource, Task
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import Planned
from kgprobe.config.preparation import Limits
from kgprobe.config.profile import Profile
from kgprobe.model import Input
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.spelling import Spelling

__all__ = [
    "CaseSource",
    "Counts",
    "Drawn",
    "Json",
    "PreparedSources",
    "SourceKind",
    "change_lines",
]

Json: TypeAlias = Any


def change_lines(changes: Delta, spelling: Spelling) -> Iterator[str]:
    """The changed triples as lines for a story: removed ones with a minus, then added ones with a plus."""
    for sign, triples in (("-", changes.removed), ("+", changes.added)):
        yield from (f"{sign} {spelling.triple(triple)} ." for triple in triples)


@dataclass(frozen=True)
class Counts:
    """How many inputs were made, how many of them are cases, and why the others are not.

    `rejected` counts inputs by the check of the mask that rejected them, and `stuck` those that nothing could be made
    of. `left_out` maps the names of inputs that were not used to the reasons, and `used_anyway` those that were used
    although there were such reasons.
    """

    attempts: int = 0
    kept: int = 0
    duplicates: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    stuck: int = 0
    used_anyway: Mapping[str, str] = field(default_factory=dict)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.attempts + other.attempts,
            self.kept + other.kept,
            self.duplicates + other.duplicates,
            Counter(self.rejected) + Counter(other.rejected),
            {**self.left_out, **other.left_out},
            self.stuck + other.stuck,
            {**self.used_anyway, **other.used_anyway},
        )


@dataclass(frozen=True)
class Drawn:
    """A case as its source makes it. `index` counts the cases of one source from 1.

    `recipe` is enough to make the case again. It is small, because a store must have room for a million of them.
    `whole_recipe` may have more, for the story of a failing case. Equal inputs have the same `likeness`, if the source
    knows it.
    """

    index: int
    input: Input
    recipe: Json
    whole_recipe: Callable[[], Json]
    likeness: int | None = None


class CaseSource(Protocol):
    """Makes cases, and makes them again."""

    @property
    def name(self) -> str:
        """Its name in reports."""
        ...

    @property
    def total(self) -> int:
        """The expected number of cases; 0 if this source is not used."""
        ...

    @property
    def drawn(self) -> int:
        """The number of cases drawn so far."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether there are no more cases to draw."""
        ...

    def further(self, count: int) -> list[Drawn]:
        """Draw the next cases; fewer if there are not enough."""
        ...

    def remake(self, planned: Planned) -> Drawn:
        """Make a case that was drawn before again. InputError if that is impossible."""
        ...

    def state(self) -> Json:
        """The state to resume from after the last case."""
        ...

    def counts(self) -> Counts:
        """The counts of all inputs so far."""
        ...

    def resources(self) -> Sequence[Resource]:
        """The values that its cases share. Their names are unique among all sources."""
        ...

    def task(self, ticket: int, name: str, input_: Input, origin: str | None = None, /) -> Task:
        """The task to run an input of this source, or a part of one.

        `origin` names the input that it counts as derived from, as in `SourceKind.origin`; None: the source chooses.
        """
        ...

    def limits(self, planned: Planned) -> Limits:
        """The limits for smaller graphs when a case is reduced."""
        ...

    def notes(self) -> list[str]:
        """Notes for the user about the cases that were drawn since the last call."""
        ...

    @property
    def seed_graph(self) -> Graph | None:
        """The graph that all cases were made from by changes, if there is one. A reduction undoes changes first."""
        ...

    def compared_with(self, planned: Planned) -> Graph | None:
        """The graph whose answers those for a case are compared with, if there is one."""
        ...


class PreparedSources(Protocol):
    """All sources of a campaign. All files that its profile names have been read."""

    @property
    def notes(self) -> Sequence[str]:
        """Notes for the user about the files."""
        ...

    def names(self) -> list[str]:
        """The names of the sources."""
        ...

    def identity(self) -> dict[str, str]:
        """Digests of everything that the cases depend on, by names that the user knows; see `identity`."""
        ...

    def about(self) -> Json:
        """Information for the stories of cases, kept in the store."""
        ...

    def open(self, store: Store | None) -> Sequence[CaseSource]:
        """The sources, in the states that this store holds. Without a store, only `task` may be used."""
        ...

    def begin(self, store: Store, executor: Executor, known: KnownBugs, seconds: float | None) -> Iterator[str]:
        """Run everything that has to run before the first case. Starts nothing after `seconds` of the whole campaign.

        Called once, after `open`. Yields notes for the user. UnavailableError if no case can be made.
        """
        ...


class SourceKind(Protocol):
    """A kind of source: prepares its sources, and describes their cases in reports."""

    name: str
    """Its name in the store."""
    thing: str
    """The noun for a source, or for an input that is left out: "seed graph"."""
    nothing: str
    """The message if there was no case at all: "no mutant is valid"."""

    def prepare(
        self, profile: Profile, on_progress: Callable[[str], object] = str, /
    ) -> AbstractContextManager[PreparedSources]:
        """The sources that a profile asks for. `on_progress` gets a line for the user if this takes long."""
        ...

    def state_to_run_again(self, state: Json) -> Json:
        """The state of a source whose cases all run again: they stay drawn, and what runs before them is to be run."""
        ...

    # -- for reports, from the store alone; ValueError, TypeError or KeyError if the store is damaged -----------------

    def case_name(self, source: str, recipe: Json) -> str:
        """The name of a case of the source with this name."""
        ...

    def origin(self, source: str, recipe: Json) -> str:
        """The name of the input that a case was derived from, and is compared with; empty if there is none."""
        ...

    def state_counts(self, source: str, state: Json) -> Counts:
        """The counts of all inputs of a source, from its state."""
        ...

    def count_lines(self, counts: Counts) -> Iterator[tuple[str, str]]:
        """The counts in a summary: labels and texts."""
        ...

    def count_values(self, counts: Counts) -> dict[str, Any]:
        """The counts for a JSON report."""
        ...

    def story(self, source: str, name: str, recipe: Json, about: Json) -> Iterator[str]:
        """The origin of a failing case, line by line; no line if there is nothing to say."""
        ...
