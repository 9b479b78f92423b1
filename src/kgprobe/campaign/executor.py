"""The tasks of workers, and the executors that run them: in processes on this machine, in threads, or on a cluster."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

from kgprobe.campaign.harness import Harness
from kgprobe.errors import KgprobeError
from kgprobe.model import GraphInput, Input, Verdict
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.table import KeyTriple
from kgprobe.rdf.terms import Triple

__all__ = [
    "ChangedGraph",
    "Executor",
    "Job",
    "LazyExecutor",
    "PackedInput",
    "Resource",
    "Result",
    "Running",
    "Task",
    "WholeGraph",
    "WholeInput",
    "packed_graph",
]


@dataclass(frozen=True)
class Resource:
    """A value that many cases share, such as a seed graph, pickled: a worker unpacks it when it is first needed."""

    name: str
    packed: bytes


@dataclass(frozen=True)
class Job:
    """The values that a worker needs before its first task."""

    harness: Harness
    resources: tuple[Resource, ...] = ()


class PackedInput(Protocol):
    """The input of a case on its way to a worker. It may be relative to a resource, to keep it small."""

    def unpacked(self, resource: Callable[[str], Any], /) -> Input:
        """The input itself; `resource` gives a resource of the job by its name."""
        ...


@dataclass(frozen=True)
class ChangedGraph:
    """A graph as changes to a seed graph: the cost of sending it depends on the size of the change only."""

    resource: str
    changes: Mapping[KeyTriple, bool]

    def unpacked(self, resource: Callable[[str], Any]) -> GraphInput:
        """A copy of the seed graph, changed."""
        seed = resource(self.resource)
        assert isinstance(seed, Graph)  # noqa: S101
        graph = seed.copy()
        graph.change(
            [keys for keys, is_added in self.changes.items() if not is_added],
            [keys for keys, is_added in self.changes.items() if is_added],
        )
        return GraphInput(graph)


@dataclass(frozen=True)
class WholeGraph:
    """A graph that shares no table with a resource."""

    triples: tuple[Triple, ...]
    spelling: Spelling | None = None

    def unpacked(self, _resource: Callable[[str], Any]) -> GraphInput:
        """The graph."""
        return GraphInput(Graph(self.triples, spelling=self.spelling))


@dataclass(frozen=True)
class WholeInput:
    """An input that is small enough to be sent whole."""

    input: Input

    def unpacked(self, _resource: Callable[[str], Any]) -> Input:
        """The same input."""
        return self.input


def packed_graph(graph: Graph, resource: str = "", seed_graph: Graph | None = None) -> ChangedGraph | WholeGraph:
    """Pack a graph: as changes to the seed graph with this resource name, if it was derived from that, or whole."""
    if seed_graph is not None and graph.table is seed_graph.table:
        return ChangedGraph(resource, dict(graph.changed_keys))
    return WholeGraph(tuple(graph), graph.spelling)


@dataclass(frozen=True)
class Task:
    """A case to run.

    `origin` names the input that the case was derived from, and `reference` is that input, for oracles that compare the
    two. `is_reference`: the case is its own origin. Its observations are kept for the cases derived from it, and each
    system is judged by itself first. `describe` asks for a description of the run in addition to the verdict. `only`
    names the systems to run, if not all are needed. `announce` asks the worker to name each system before it runs, for
    a task that has killed a worker. `run` counts how often the same input was run before, for answers that are kept.
    """

    ticket: int
    name: str
    input: PackedInput
    origin: str = ""
    reference: PackedInput | None = None
    is_reference: bool = False
    describe: bool = False
    only: tuple[str, ...] = ()
    announce: bool = False
    run: int = 0


@dataclass(frozen=True)
class Running:
    """Sent by a worker that was asked to announce its systems: the system that it runs next."""

    system: str


@dataclass(frozen=True)
class Result:
    """The verdict on a task, and how long the systems ran; or an error that is not the fault of a system.

    If the task asked for it, `outcome` describes how the systems ended, and `exact` is a digest of all their output.
    For a reference, `verdict` judges each system by itself, and `compared` is about differences between them.
    """

    ticket: int
    verdict: Verdict | None
    seconds: float = 0.0
    error: KgprobeError | None = None
    outcome: str = ""
    exact: str = ""
    compared: Verdict | None = None


class Executor(Protocol):
    """Takes tasks and gives results, in any order."""

    @property
    def capacity(self) -> int:
        """How many tasks may be under way at the same time without a worker waiting for its next task."""
        ...

    def submit(self, task: Task) -> None:
        """Start a task."""
        ...

    def wait(self) -> list[Result]:
        """All results that have arrived; waits for the first. Raises an error that keeps all tasks from being run."""
        ...

    def close(self) -> None:
        """End everything, tasks under way included."""
        ...


class LazyExecutor:
    """Makes an executor when it is first needed, and keeps the tasks of its users apart.

    The executor sees each ticket once, even if several users count from 0: the result of an old task cannot be taken
    for that of a new one.
    """

    def __init__(self, make: Callable[[], Executor]) -> None:
        self._make = make
        self._made: Executor | None = None
        self._tickets = count()
        self._asked: dict[int, int] = {}  # the tickets of users, by those that the executor sees

    @property
    def capacity(self) -> int:
        """How many tasks may be under way."""
        return self._executor().capacity

    def submit(self, task: Task) -> None:
        """Start a task."""
        ticket = next(self._tickets)
        self._asked[ticket] = task.ticket
        self._executor().submit(dataclasses.replace(task, ticket=ticket))

    def wait(self) -> list[Result]:
        """All results that have arrived."""
        while True:
            results = self._executor().wait()
            wanted = [result for result in results if result.ticket in self._asked]
            if wanted:
                return [dataclasses.replace(task, ticket=self._asked.pop(task.ticket)) for task in wanted]

    def forget(self) -> None:
        """Drop the results of all tasks that are under way."""
        self._asked.clear()

    def close(self) -> None:
        """End it, if it was made."""
        if self._made is not None:
            self._made.close()
            self._made = None

    def _executor(self) -> Executor:
        if self._made is None:
            self._made = self._make()
        return self._made
