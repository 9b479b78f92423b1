"""Where the cases of a campaign come from: the protocol that every kind of source implements.

A campaign draws its cases from one or more sources of one kind. Mutants have a source for each seed graph; given graphs
are one source. The store keeps a recipe for each case and a state for each source, as JSON that only the source
understands. Everything that a report says about the origin of a case comes from its `SourceKind`, which needs nothing
but the store: a campaign can be shown where its profile and its graphs no longer exist.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from kgprobe.campaign.executor import Executor
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import Planned
from kgprobe.campaign.task import Resource, Task
from kgprobe.config.preparation import Limits
from kgprobe.config.profile import Profile
from kgprobe.graph.graph import Graph
from kgprobe.model import Input
from kgprobe.oracles.known import KnownBugs

__all__ = ["CaseSource", "Counts", "Drawn", "Json", "PreparedSources", "SourceKind"]

Json: TypeAlias = Any


@dataclass(frozen=True)
class Counts:
    """How many inputs were made, how many of them are cases, and what became of the others.

    `rejected` counts by the check of the mask that objected. `left_out` are inputs that no case is made from, by name,
    each with the reason.
    """

    attempts: int = 0
    kept: int = 0
    duplicates: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.attempts + other.attempts,
            self.kept + other.kept,
            self.duplicates + other.duplicates,
            Counter(self.rejected) + Counter(other.rejected),
            {**self.left_out, **other.left_out},
        )


@dataclass(frozen=True)
class Drawn:
    """A case as its source makes it. `index` counts the cases of one source from 1.

    `recipe` is enough to make the case again, and small: a million of them must fit into a store. `whole_recipe` may
    say more, for the story of a failing case. Equal inputs have the same `likeness`, if the source knows it.
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
        """What people call it."""
        ...

    @property
    def total(self) -> int:
        """How many cases there will be, as far as is known; 0 if this source is not used."""
        ...

    @property
    def drawn(self) -> int:
        """How many cases were drawn so far."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether no more cases will come."""
        ...

    def further(self, count: int) -> list[Drawn]:
        """The next cases; fewer if there are no more."""
        ...

    def again(self, planned: Planned) -> Drawn:
        """A case that was drawn before. InputError if it cannot be made again."""
        ...

    def state(self) -> Json:
        """What the source needs to resume after its last case."""
        ...

    def counts(self) -> Counts:
        """What became of all inputs so far."""
        ...

    def resources(self) -> Sequence[Resource]:
        """The values that its cases share. Each has a name that no resource of another source has."""
        ...

    def task(self, ticket: int, name: str, input_: Input, origin: str | None = None, /) -> Task:
        """The task to run an input of this source, or a part of one.

        `origin` is what the input counts as derived from, as in `SourceKind.origin`; None lets the source choose.
        """
        ...

    def limits(self, planned: Planned) -> Limits:
        """What the parts of the graph of a case must keep to when it is reduced."""
        ...

    def notes(self) -> list[str]:
        """Notes for the user about the cases that were drawn since the last call."""
        ...

    @property
    def seed_graph(self) -> Graph | None:
        """The graph that all cases are changes of. A reduction undoes changes first."""
        ...


class PreparedSources(Protocol):
    """All sources of a campaign, with everything read that its profile names."""

    @property
    def notes(self) -> Sequence[str]:
        """Notes for the user about what was read."""
        ...

    def names(self) -> list[str]:
        """The names of the sources."""
        ...

    def identity(self) -> dict[str, str]:
        """What the cases depend on, each part by a name that its user knows; see `campaign.identity`."""
        ...

    def about(self) -> Json:
        """What stories need to know, kept in the store."""
        ...

    def open(self, store: Store | None) -> Sequence[CaseSource]:
        """The sources, as far as they have come in this store; without one, they are only used for `task`."""
        ...

    def begin(self, store: Store, executor: Executor, known: KnownBugs, seconds: float | None) -> Iterator[str]:
        """Whatever has to run before the first case, within so many seconds of the whole campaign.

        Called once, after `open`. Yields notes for the user. UnavailableError if no case can be made.
        """
        ...


class SourceKind(Protocol):
    """A kind of source: how its sources are prepared, and how reports tell of their cases."""

    name: str
    """What the store calls it."""
    thing: str
    """What a source, or an input that is left out, is: "seed graph"."""
    nothing: str
    """What to say if there was no case at all: "no mutant is valid"."""

    def prepare(self, profile: Profile) -> AbstractContextManager[PreparedSources]:
        """The sources that a profile asks for."""
        ...

    # -- for reports, from the store alone. ValueError and its like if the store holds something else. ----------------

    def case_name(self, source: str, recipe: Json) -> str:
        """What people call a case of the source of this name."""
        ...

    def origin(self, source: str, recipe: Json) -> str:
        """The name of the input that a case was derived from, and is compared with; empty if there is none."""
        ...

    def state_counts(self, source: str, state: Json) -> Counts:
        """What became of all inputs of a source, given its state."""
        ...

    def count_lines(self, counts: Counts) -> Iterator[tuple[str, str]]:
        """How a summary says what became of all inputs: labels and texts."""
        ...

    def count_values(self, counts: Counts) -> dict[str, Any]:
        """The same for a machine."""
        ...

    def story(self, source: str, name: str, recipe: Json, about: Json) -> Iterator[str]:
        """How a failing case came about, line by line; nothing if there is nothing to tell."""
        ...
