"""The systems that the tables of a profile describe, ready to be started."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.config.systems import (
    ChatTable,
    CommandTable,
    FunctionTable,
    HttpTable,
    ReasonerTable,
    ServiceTable,
    SparqlTable,
    SystemTable,
    check_input,
    keeps_answers,
    takes_batches,
)
from kgprobe.given_files import read_text

if TYPE_CHECKING:
    from kgprobe.systems.protocol import System, TextPayload
    from kgprobe.systems.remote import Service

__all__ = ["Opening", "open_system"]


@dataclass(frozen=True)
class Opening:
    """What a system is opened with, apart from its table.

    `statuses` are the exit statuses, or those of HTTP, that are right. `input` is the kind of input that it gets.
    `keep` makes a system one whose answers are kept as they arrive, before they are read. `begin` is called before each
    request to a chat system.
    """

    folder: Path
    statuses: Collection[int]
    input: str = "graph"
    keep: Callable[[System], System] | None = None
    begin: Callable[[], object] | None = None


def open_system(table: SystemTable, opening: Opening) -> System:
    """The system that a table describes. Nothing is started."""
    check_input(table, opening.input)
    is_asked = opening.input == "dialogue"
    system = _asked(table, opening) if is_asked else _given_graphs(table, opening.folder.resolve())
    if is_asked and not isinstance(table, ChatTable):
        from kgprobe.systems.prompts import Replying

        system = Replying(system, opening.statuses)
    if opening.keep is not None and (is_asked or keeps_answers(table)):
        system = opening.keep(system)
    answers = None if is_asked or isinstance(table, ReasonerTable) else table.question
    if answers is None:
        return system
    from kgprobe.systems.answers import Answering

    return Answering(system, answers, opening.statuses)


# Every command that reads a profile imports this module; only those that run a system of a kind wait for that.


def _asked(table: SystemTable, opening: Opening) -> System:
    """A system that is asked questions."""
    from kgprobe.systems.prompts import PromptText, QuestionText

    folder = opening.folder.resolve()
    match table:
        case ChatTable():
            from kgprobe.systems.chat import ChatSystem

            return ChatSystem(
                table.name,
                table.chat,
                table.model,
                key_env=table.key_env,
                payload=PromptText(table.asks.prompt),
                concurrency=table.concurrency,
                answer_tokens=table.answer_tokens,
                temperature=None if table.temperature == "default" else table.temperature,
                limits=table.limits,
                begin=opening.begin,
            )
        case CommandTable(questions="lines"):
            from kgprobe.systems.lines import LinesSystem
            from kgprobe.systems.prompts import QuestionObject

            payload = QuestionObject(table.asks.prompt)
            return LinesSystem(table.name, table.command, payload=payload, limits=table.limits, folder=folder)
        case CommandTable():
            return _command(table, PromptText(table.asks.prompt), folder)
        case HttpTable():
            return _http(table, QuestionText(table.asks.prompt), folder)
        case FunctionTable():
            return _asked_function(table, folder)
        case _:
            raise AssertionError(table)  # `check_input` has refused it


def _asked_function(table: FunctionTable, folder: Path) -> System:
    from kgprobe.systems.function import FunctionSystem
    from kgprobe.systems.prompts import PromptObject, QuestionObject

    is_prompt = table.input in (None, "prompt", "prompts")
    payload = PromptObject(table.asks.prompt) if is_prompt else QuestionObject(table.asks.prompt)
    function = FunctionSystem(table.name, table.function, limits=table.limits, payload=payload, folder=folder)
    if not takes_batches(table):
        return function
    from kgprobe.systems.batches import BatchedFunction, batches_for

    return BatchedFunction(table.name, batches_for(f"{folder} {table!r}", function, table.limits), payload)


def _given_graphs(table: SystemTable, folder: Path) -> System:
    """A system that gets graphs."""
    match table:
        case CommandTable():
            return _command(table, table.sends.payload(), folder)
        case FunctionTable():
            return _function(table, folder)
        case ReasonerTable():
            from kgprobe.systems.reasoner import ReasonerSystem

            task = "hierarchy" if table.task == "hierarchy" else "consistency"
            return ReasonerSystem(table.reasoner, task, limits=table.limits, name=table.name)  # type: ignore[arg-type]
        case HttpTable():
            return _http(table, table.sends.payload(), folder)
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
        case _:
            raise AssertionError(table)  # `check_input` has refused it


def _command(table: CommandTable, payload: TextPayload, folder: Path) -> System:
    from kgprobe.systems.command import CommandSystem

    return CommandSystem(table.name, table.command, limits=table.limits, payload=payload, folder=folder)


def _http(table: HttpTable, payload: TextPayload, folder: Path) -> System:
    from kgprobe.systems.http import HttpSystem

    return HttpSystem(
        table.name,
        table.http,
        method=table.method,
        payload=payload,
        headers=table.headers,
        limits=table.limits,
        service=_service(table.service, table.http, folder),
    )


def _function(table: FunctionTable, folder: Path) -> System:
    from kgprobe.systems.function import FunctionSystem

    return FunctionSystem(
        table.name,
        table.function,
        limits=table.limits,
        input="file" if table.input == "file" else "graph",
        folder=folder,
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
