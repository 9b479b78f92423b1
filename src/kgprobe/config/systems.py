"""The systems under test of a profile: a table type for each kind, and the systems that these tables describe.

What a system is sent is apart from how: `GraphSent` is the same for a command and for HTTP.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kgprobe.config.tables import IN_SAME_TABLE, File, Problem
from kgprobe.errors import InputError
from kgprobe.given_files import read_text
from kgprobe.graph.files import render, writable_format
from kgprobe.graph.graph import Graph
from kgprobe.processes.limits import Limits

if TYPE_CHECKING:
    from kgprobe.systems.protocol import System, TextPayload
    from kgprobe.systems.remote import Service

__all__ = [
    "SYSTEMS",
    "CommandTable",
    "FunctionTable",
    "GraphSent",
    "HttpTable",
    "ReasonerTable",
    "ServiceTable",
    "SparqlTable",
    "SystemTable",
    "can_all_be_sent",
    "keeps_answers",
    "open_system",
]

# These can express every graph.
_FOR_ALL_GRAPHS = {"turtle", "ttl", "ntriples", "nt", "nquads", "nq", "trig"}


@dataclass(frozen=True)
class GraphSent:
    """A system is sent the graph of a case, in this format."""

    format: str = "turtle"

    def payload(self) -> TextPayload:
        """The part of a case to send."""
        from kgprobe.systems.protocol import GraphText

        return GraphText(self.format)


@dataclass(frozen=True)
class ServiceTable:
    """How the server behind a system is started and stopped."""

    start: tuple[str, ...]
    health: str | None = None
    stop: tuple[str, ...] = ()
    seconds_to_start: float = 30.0


@dataclass(frozen=True, kw_only=True)
class _Table(ABC):
    """The keys of all systems. A system without a name gets that of its program, function, reasoner or kind."""

    name: str = ""
    seconds: float = 60.0
    memory_mb: int = 2048

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self._usual_name())

    @property
    def question(self) -> str | None:
        """The question that its answers can be compared on, if there is one."""
        return None

    @property
    def limits(self) -> Limits:
        """The time and memory for one run."""
        return Limits(self.seconds, self.memory_mb)

    def files(self, _folder: Path) -> Iterator[Path]:
        """The files of the system itself that are known."""
        return iter(())

    @abstractmethod
    def _usual_name(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class _AnsweringTable(_Table):
    """The keys of systems whose answers the user describes: `answers` says what kind of answers they are."""

    answers: str | None = None
    keep_answers: bool = field(default=False, repr=False)

    @property
    def question(self) -> str | None:
        """The question that it answers."""
        return self.answers


@dataclass(frozen=True, kw_only=True)
class CommandTable(_AnsweringTable):
    """A program that is run once for each case."""

    command: tuple[str, ...]
    sends: GraphSent = field(default=GraphSent(), metadata=IN_SAME_TABLE)

    def files(self, folder: Path) -> Iterator[Path]:
        """Arguments that name a file."""
        return (folder / word for word in self.command if _is_file(folder / word))

    def _usual_name(self) -> str:
        words = [word for word in self.command if not word.startswith("{")]
        return Path(words[0]).stem if words else "command"


@dataclass(frozen=True, kw_only=True)
class FunctionTable(_AnsweringTable):
    """A function in Python, which gets a graph or the path of a file."""

    function: str
    input: str = "graph"

    def files(self, folder: Path) -> Iterator[Path]:
        """The file of the function."""
        file = folder / self.function.rpartition(":")[0]
        return iter([file] if _is_file(file) else [])

    def problems(self, folder: Path) -> Iterator[Problem]:
        """A file outside the folder of the profile."""
        file, _, _ = self.function.rpartition(":")
        if file.endswith(".py") and not (folder / file).resolve().is_relative_to(folder.resolve()):
            message = f"{file} is outside the folder of the profile; code there is not run"
            yield Problem(message, ("function",), at_value=True)

    def _usual_name(self) -> str:
        return self.function.rpartition(":")[2]


@dataclass(frozen=True, kw_only=True)
class ReasonerTable(_Table):
    """A reasoner that kgprobe knows."""

    reasoner: str
    task: str = "consistency"

    @property
    def question(self) -> str | None:
        """The question that it answers."""
        return self.task

    def _usual_name(self) -> str:
        return self.reasoner


@dataclass(frozen=True, kw_only=True)
class HttpTable(_AnsweringTable):
    """A service that gets each case in a request."""

    http: str
    sends: GraphSent = field(default=GraphSent(), metadata=IN_SAME_TABLE)
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    service: ServiceTable | None = None

    def _usual_name(self) -> str:
        return "http"


@dataclass(frozen=True, kw_only=True)
class SparqlTable(_Table):
    """A SPARQL endpoint, which gets the graph of each case and then answers queries."""

    sparql: str
    store: str | None = None
    queries: tuple[File, ...] = ()
    service: ServiceTable | None = None
    keep_answers: bool = field(default=False, repr=False)

    def problems(self, _folder: Path) -> Iterator[Problem]:
        """Queries are missing."""
        if not self.queries:
            yield Problem("a sparql system needs 'queries'")

    def _usual_name(self) -> str:
        return "sparql"


SystemTable: TypeAlias = CommandTable | FunctionTable | ReasonerTable | HttpTable | SparqlTable

SYSTEMS: Mapping[str, type[SystemTable]] = {
    "command": CommandTable,
    "reasoner": ReasonerTable,
    "http": HttpTable,
    "sparql": SparqlTable,
}
"""The table types of [[systems]], by the key that a table of the type has. [[python.systems]] has functions."""


def keeps_answers(table: SystemTable) -> bool:
    """Whether the answers of a system are worth keeping. Those of reasoners never are."""
    return not isinstance(table, ReasonerTable) and table.keep_answers


def open_system(
    table: SystemTable, folder: Path, statuses: Collection[int], keep: Callable[[System], System] | None = None
) -> System:
    """The system that a table describes. Nothing is started; `folder` is the folder of the profile.

    `statuses` are the exit statuses, or those of HTTP, that are right. `keep` makes a system one whose answers are kept
    as they arrive, before they are read.
    """
    system = _opened(table, folder.resolve())
    if keep is not None and keeps_answers(table):
        system = keep(system)
    answers = None if isinstance(table, ReasonerTable) else table.question
    if answers is None:
        return system
    from kgprobe.systems.answers import Answering

    return Answering(system, answers, statuses)


def _opened(table: SystemTable, folder: Path) -> System:
    # Every command that reads a profile imports this module; only those that run a system of a kind wait for that.
    match table:
        case CommandTable():
            from kgprobe.systems.command import CommandSystem

            return CommandSystem(
                table.name, table.command, limits=table.limits, payload=table.sends.payload(), folder=folder
            )
        case FunctionTable():
            from kgprobe.systems.function import FunctionSystem

            return FunctionSystem(
                table.name,
                table.function,
                limits=table.limits,
                input="file" if table.input == "file" else "graph",
                folder=folder,
            )
        case ReasonerTable():
            from kgprobe.systems.reasoner import ReasonerSystem

            task = "hierarchy" if table.task == "hierarchy" else "consistency"
            return ReasonerSystem(table.reasoner, task, limits=table.limits, name=table.name)  # type: ignore[arg-type]
        case HttpTable():
            from kgprobe.systems.http import HttpSystem

            return HttpSystem(
                table.name,
                table.http,
                method=table.method,
                payload=table.sends.payload(),
                headers=table.headers,
                limits=table.limits,
                service=_service(table.service, table.http, folder),
            )
        case SparqlTable():
            from kgprobe.systems.sparql import SparqlSystem

            return SparqlSystem(
                table.name,
                table.sparql,
                {path.name: read_text(path) for path in table.queries},
                store_url=table.store,
                limits=table.limits,
                service=_service(table.service, table.sparql, folder),
            )


def _service(service: ServiceTable | None, url: str, folder: Path) -> Service | None:
    if service is None:
        return None
    from kgprobe.systems.remote import Service

    return Service(
        service.start,
        health=service.health or url,
        stop=service.stop or None,
        seconds_to_start=service.seconds_to_start,
        folder=folder,
    )


def can_all_be_sent(graph: Graph, systems: Iterable[SystemTable]) -> bool:
    """Whether all systems can be sent this graph: a part of an ontology need not be one."""
    formats = {table.sends.format for table in systems if isinstance(table, CommandTable | HttpTable)}
    try:
        for name in formats - _FOR_ALL_GRAPHS:
            render(graph, writable_format("-", name))
    except InputError:
        return False
    return True


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
