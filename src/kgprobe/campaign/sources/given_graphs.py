"""Graphs that the user has: some files, or all versions of one file in a range of git revisions.

All of them are one source. The recipe of a case is the file or the revision, and the name of the graph that it is
compared with: for a version the one before it, for a file the first file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from kgprobe.campaign.executor import Executor, PackedInput, Resource, Task, packed_graph
from kgprobe.campaign.identity import digest_of_file, digest_of_settings, digest_of_text
from kgprobe.campaign.source import Counts, Drawn, Json, change_lines
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_file import expect
from kgprobe.campaign.store_reading import Planned
from kgprobe.config.preparation import GraphReader, Limits, Seed, graph_reader
from kgprobe.config.profile import Profile
from kgprobe.errors import InputError, Position, one_line
from kgprobe.git.versions import Version, files_at, history
from kgprobe.model import GraphInput, Input
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.rdf.graph import Graph

_MOST_CHANGES = 50  # lines in a story
_FEW = 4  # graphs that are kept in memory: the one that is run, and those that it is compared with


@dataclass(frozen=True)
class _Given:
    """A graph to test on: a file, or the version of a file at a revision."""

    path: Path
    name: str
    version: Version | None = None

    @property
    def recipe(self) -> dict[str, str]:
        return {"file": self.name} if self.version is None else {"revision": self.version.revision}


@dataclass(frozen=True)
class _State:
    """How many graphs were read, how many of them are cases, and why the others are not."""

    read: int = 0
    kept: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

    def value(self) -> Json:
        return {"read": self.read, "kept": self.kept, "rejected": self.rejected, "left_out": self.left_out}

    @classmethod
    def from_value(cls, value: Json) -> _State:
        if value is None:
            return cls()
        rejected = {expect(str, key): expect(int, count) for key, count in value["rejected"].items()}
        left_out = {expect(str, key): expect(str, why) for key, why in value["left_out"].items()}
        return cls(expect(int, value["read"]), expect(int, value["kept"]), rejected, left_out)

    @property
    def counts(self) -> Counts:
        return Counts(self.read, self.kept, 0, self.rejected, self.left_out)


class GivenSource:
    """All given graphs, in their order. Each graph is read only when it is drawn."""

    def __init__(
        self, name: str, graphs: Sequence[_Given], reader: GraphReader, store: Store | None, *, compares: bool
    ) -> None:
        """`compares` says that an oracle compares each graph with another."""
        self.name = name
        self._graphs = graphs
        self._reader = reader
        self._store = store
        self._compares = compares
        self._notes: list[str] = []
        self._seed = lru_cache(maxsize=_FEW)(self._read)
        self._state = _State()
        if store is not None:
            with store.reading():
                [stored] = store.sources()
                self._state = _State.from_value(stored.state)

    @property
    def total(self) -> int:
        """The number of cases if all remaining graphs are cases."""
        return self._state.kept + len(self._graphs) - self._state.read

    @property
    def drawn(self) -> int:
        """The number of cases so far."""
        return self._state.kept

    @property
    def is_over(self) -> bool:
        """Whether all graphs were read."""
        return self._state.read >= len(self._graphs)

    @property
    def seed_graph(self) -> None:
        """None: these graphs were not made by changing one."""
        return

    def compared_with(self, planned: Planned) -> Graph:
        """The version before it, or the first file."""
        return self._seed(self._compared_with(self._position(planned))).graph

    def state(self) -> Json:
        """The number of graphs read, and their counts."""
        return self._state.value()

    def counts(self) -> Counts:
        """The counts of all graphs so far."""
        return self._state.counts

    def notes(self) -> list[str]:
        """Notes for the user about the graphs that were read."""
        notes, self._notes = self._notes, []
        return notes

    def resources(self) -> Sequence[Resource]:
        """None: each graph goes to one worker."""
        return ()

    def further(self, count: int) -> list[Drawn]:
        """The next graphs that can be read and that the mask admits."""
        found: list[Drawn] = []
        while len(found) < count and not self.is_over:
            at = self._state.read
            state = replace(self._state, read=at + 1)
            given = self._graphs[at]
            try:
                seed = self._seed(at)
                objection = seed.mask.objection(seed.graph)
            except InputError as error:
                why = _why(error)
                state = replace(state, left_out={**state.left_out, given.name: why})
                self._notes.append(f"{given.name} is left out: {why}")
            else:
                if objection is None:
                    state = replace(state, kept=state.kept + 1)
                    found.append(self._drawn(at, seed))
                else:
                    state = replace(state, rejected={**state.rejected, objection: state.rejected.get(objection, 0) + 1})
            self._state = state
        return found

    def remake(self, planned: Planned) -> Drawn:
        """A graph that was drawn before."""
        at = self._position(planned)
        return self._drawn(at, self._seed(at), planned.recipe)

    def task(self, ticket: int, name: str, input_: Input, origin: str | None = None) -> Task:
        """A graph as a task. Without an origin, it counts as the next version, or as one more file."""
        assert isinstance(input_, GraphInput)  # noqa: S101 - all inputs of this source are graphs
        at = {given.name: at for at, given in enumerate(self._graphs)}.get(origin or "")
        if at is None:
            at = self._compared_with(len(self._graphs))
        reference = self._packed(at) if self._compares else None
        return Task(ticket, name, packed_graph(input_.graph), origin=self._graphs[at].name, reference=reference)

    def limits(self, planned: Planned) -> Limits:
        """The mask and the pins, for the prefixes of this graph."""
        return Limits.of(self._seed(self._position(planned)))

    def _drawn(self, at: int, seed: Seed, recipe: Json = None) -> Drawn:
        made = recipe or {**self._graphs[at].recipe, "after": self._graphs[self._compared_with(at)].name}
        return Drawn(at + 1, GraphInput(seed.graph), made, lambda: self._with_changes(made, at, seed.graph))

    def _with_changes(self, recipe: Json, at: int, graph: Graph) -> Json:
        """The recipe of a version with the triples that changed since the version before it, for its story."""
        from kgprobe.rdf.diff import diff  # it imports numpy, and few campaigns get here

        before = self._compared_with(at)
        if self._graphs[at].version is None or before == at:
            return recipe
        lines = list(change_lines(diff(self._seed(before).graph, graph), graph.spelling))
        return {**recipe, "changes": lines[:_MOST_CHANGES], "more_changes": max(0, len(lines) - _MOST_CHANGES)}

    def _compared_with(self, at: int) -> int:
        """The graph that a graph is compared with. The first is compared with itself."""
        if self._graphs[0].version is None:
            return 0
        for earlier in range(at - 1, -1, -1):
            if self._graphs[earlier].name not in self._state.left_out:
                return earlier
        return min(at, len(self._graphs) - 1)

    def _packed(self, at: int) -> PackedInput:
        return packed_graph(self._seed(at).graph)

    def _position(self, planned: Planned) -> int:
        assert self._store is not None  # noqa: S101 - without a store, nothing was planned
        with self._store.reading():
            at = expect(int, planned.number) - 1
            recipe = self._graphs[at].recipe
            if at < 0 or {key: planned.recipe[key] for key in recipe} != recipe:
                raise ValueError(f"case {planned.number} cannot be made again")
        return at

    def _read(self, at: int) -> Seed:
        given = self._graphs[at]
        if given.version is None:
            found = self._reader.read(given.path)
        else:
            with files_at(given.path, given.version.revision) as files:
                found = self._reader.read(given.path, files)
        if found is None:
            raise InputError("the file does not exist", where=Position(given.name))
        seed, notes = found
        self._notes += notes
        return seed


def _why(error: InputError) -> str:
    """Why a graph cannot be read. The name of its file is said beside it."""
    line = None if error.where is None else error.where.line
    return one_line(error.message if line is None else f"line {line}: {error.message}")


class PreparedGraphs:
    """The graphs that a profile names."""

    notes: Sequence[str] = ()

    def __init__(self, profile: Profile, reader: GraphReader) -> None:
        self._profile = profile
        self._reader = reader
        self._is_history = profile.cases.history is not None
        self._graphs = _versions(profile) if self._is_history else _files(profile)

    def names(self) -> list[str]:
        """The name of the only source."""
        file = self._profile.cases.file
        return ["given graphs" if file is None else _short(file, self._profile.folder)]

    def identity(self) -> dict[str, str]:
        """The files, or the versions, and how they are read."""
        # The matching files are listed one by one, so that an error can name the one that has changed.
        table = replace(self._profile.cases, graphs=())
        folder = self._profile.folder
        tables = {"[cases]": table, "[graph]": self._profile.graph}
        parts = {name: digest_of_settings(each, folder) for name, each in tables.items()}
        for given in self._graphs:
            is_file = given.version is None
            parts[given.name] = digest_of_file(given.path) if is_file else digest_of_text(given.name)
        return parts

    def about(self) -> Json:
        """The commits that made the versions."""
        versions = [given.version for given in self._graphs if given.version is not None]
        return {version.revision: [version.date, version.subject] for version in versions}

    def open(self, store: Store | None) -> list[GivenSource]:
        """One source for all graphs."""
        [name] = self.names()
        compares = self._profile.oracle.compares_with_seed
        return [GivenSource(name, self._graphs, self._reader, store, compares=compares)]

    def begin(self, _store: Store, _executor: Executor, _known: KnownBugs, _seconds: float | None) -> Iterator[str]:
        """Nothing has to run before the first graph."""
        return iter(())


class GivenGraphs:
    """Given graphs as a kind of source."""

    name = "given graphs"
    thing = "graph"
    nothing = "no graph can be read and is admissible"

    @contextmanager
    def prepare(self, profile: Profile, _on_progress: Callable[[str], object] = str) -> Iterator[PreparedGraphs]:
        """Find the graphs that a profile names."""
        with graph_reader(profile.inputs) as reader:
            yield PreparedGraphs(profile, reader)

    def state_to_run_again(self, state: Json) -> Json:
        """The same: nothing runs before the cases."""
        return state

    def case_name(self, source: str, recipe: Json) -> str:
        """The file; with its revision, if it is a version."""
        if "revision" in recipe:
            return _version_name(source, expect(str, recipe["revision"]))
        return expect(str, recipe["file"])

    def origin(self, _source: str, recipe: Json) -> str:
        """The graph that it is compared with."""
        return expect(str, recipe["after"])

    def state_counts(self, _source: str, state: Json) -> Counts:
        """The counts of all graphs so far."""
        return _State.from_value(state).counts

    def count_lines(self, counts: Counts) -> Iterator[tuple[str, str]]:
        """How many graphs were tested."""
        yield "graphs", f"{counts.kept} of {counts.attempts} were tested"

    def count_values(self, counts: Counts) -> dict[str, Any]:
        """The counts for a JSON report."""
        return {"graphs": counts.attempts, "tested": counts.kept}

    def story(self, _source: str, name: str, recipe: Json, about: Json) -> Iterator[str]:
        """The commit that made a version, and the triples that it changed."""
        if "revision" in recipe:
            date, subject = about[expect(str, recipe["revision"])]
            yield f"Where {name} comes from"
            yield f"  commit {recipe['revision']} of {expect(str, date)}: {expect(str, subject)}"
            if "changes" in recipe:
                yield f"  changes since {expect(str, recipe['after'])}:"
                yield from (f"    {expect(str, line)}" for line in recipe["changes"])
                if more := expect(int, recipe["more_changes"]):
                    yield f"    and {more} more"


def _files(profile: Profile) -> list[_Given]:
    paths = dict.fromkeys(profile.cases.graphs)  # two patterns may match the same file
    return [_Given(path, _short(path, profile.folder)) for path in paths]


def _versions(profile: Profile) -> list[_Given]:
    table = profile.cases
    file, revisions = table.file, table.history
    assert file is not None  # noqa: S101 - the profile was checked
    assert revisions is not None  # noqa: S101
    name = _short(file, profile.folder)
    versions = history([file], revisions)
    if not versions:
        where = profile.places.value(("cases", "history"))
        hint = f"'git log {revisions} -- {name}' lists its versions; is the file committed?"
        raise InputError(f"{name} has no version in {revisions}", where=where, hint=hint)
    return [_Given(file, _version_name(name, version.revision), version) for version in versions]


def _version_name(file: str, revision: str) -> str:
    return f"{file} at {revision}"


def _short(path: Path, folder: Path) -> str:
    """A path as the profile would write it."""
    try:
        return path.relative_to(folder).as_posix()
    except ValueError:
        return os.fspath(path)
