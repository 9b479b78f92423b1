"""What a profile says about systems and oracles, made: the systems ready to be started, the oracles ready to judge.

Every command that reads a profile imports this module, so each system and oracle is imported where it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, MutableMapping
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from kgprobe.config.profile import KnownBug, OracleTable, Profile
from kgprobe.config.questions import QuestionsTable
from kgprobe.config.system_table import ServiceTable, SystemTable
from kgprobe.config.systems import ChatTable, CommandTable, FunctionTable, HttpTable, ReasonerTable, SparqlTable
from kgprobe.given_files import read_text

if TYPE_CHECKING:
    from kgprobe.config.tables import PythonFunction
    from kgprobe.oracles.inference import InferenceOracle
    from kgprobe.oracles.protocol import Oracle
    from kgprobe.oracles.signatures import KnownBugs
    from kgprobe.oracles.single_run import Beside, Maker
    from kgprobe.systems.protocol import System
    from kgprobe.systems.remote import Service

__all__ = [
    "OPENERS",
    "Harness",
    "Opening",
    "harness_of",
    "inference_oracle",
    "known_in",
    "open_system",
    "oracle_makers",
    "oracles_for",
]


@dataclass(frozen=True)
class Harness:
    """The systems under test, and how their runs are judged. Their files are relative to `folder`.

    `answers` is the file for answers that are worth keeping. `reader` finds the decisions in answers to questions; None
    if the systems are not asked questions.
    """

    systems: tuple[SystemTable, ...]
    oracle: OracleTable = OracleTable()  # noqa: RUF009 - it is frozen
    folder: Path = Path()
    answers: Path | None = None
    reader: str | None = None

    @property
    def input(self) -> str:
        """The kind of input that the systems get: "graph" or "dialogue"."""
        return "graph" if self.reader is None else "dialogue"


def harness_of(profile: Profile) -> Harness:
    """The systems under test of a profile, and how their runs are judged."""
    reader = profile.method.reader if isinstance(profile.method, QuestionsTable) else None
    return Harness(profile.systems, profile.oracle, profile.folder, profile.campaign.answers, reader)


# -- oracles -----------------------------------------------------------------------------------------------------------


def oracles_for(harness: Harness) -> list[Oracle]:
    """The oracles that a profile asks for, in the order of the fields of its table."""
    from kgprobe.oracles.single_run import Beside, ExitStatus

    asked = harness.oracle
    if harness.reader is not None:
        return [inference_oracle(harness.reader, asked)]
    endings = ExitStatus(asked.exit, asked.invalid)
    beside = Beside(endings, tuple(system.question for system in harness.systems))
    makers = oracle_makers()
    keys = [field.name for field in fields(asked) if field.name in makers]
    return [endings, *(oracle for key in keys for oracle in makers[key](getattr(asked, key), beside))]


@cache
def oracle_makers() -> dict[str, Maker]:
    """What makes oracles, by the fields of [oracle]. Each module in `oracles` lists its own."""
    from kgprobe import oracles

    modules = (import_module(f"{oracles.__name__}.{module.name}") for module in iter_modules(oracles.__path__))
    makers = {key: maker for module in modules for key, maker in getattr(module, "ORACLES", {}).items()}
    return {**makers, "python": _in_python}


def _in_python(function: PythonFunction | None, _beside: Beside) -> Iterable[Oracle]:
    if function is None:
        return ()
    from kgprobe.config.python_files import PythonFiles
    from kgprobe.oracles.single_run import Predicate

    return (Predicate(PythonFiles().function(function.file, function.name), function.name),)


def inference_oracle(reader: str, asked: OracleTable) -> InferenceOracle:
    """The oracle for questions whose answers are read in this way."""
    from kgprobe.oracles.inference import InferenceOracle
    from kgprobe.questions.reading import reader_for

    # An answer is read before the next stage, and again for the verdict. For the paper, an answer without a keyword is
    # a wrong answer.
    read = lru_cache(maxsize=64)(reader_for(reader))
    return InferenceOracle(read, strict=reader == "paper", statuses=asked.exit)


def known_in(tables: Iterable[KnownBug]) -> KnownBugs:
    """The known bugs of a profile, ready to compare findings with."""
    from kgprobe.oracles.signatures import KnownBugs

    return KnownBugs([(bug.signature, bug.note) for bug in tables])


# -- systems -----------------------------------------------------------------------------------------------------------


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

    @property
    def is_asked(self) -> bool:
        """Whether the system is asked questions, and not given graphs."""
        return self.input == "dialogue"


def open_system(table: SystemTable, opening: Opening) -> System:
    """The system that a table describes. Nothing is started."""
    table.check_input(opening.input)
    system = OPENERS[type(table)](table, replace(opening, folder=opening.folder.resolve()))
    if opening.is_asked and table.in_flight is None:
        from kgprobe.systems.prompts import replying

        system = replying(system, opening.statuses)
    if opening.keep is not None and (opening.is_asked or table.keeps_answers):
        system = opening.keep(system)
    if opening.is_asked or table.question is None or not table.describes_answers:
        return system
    from kgprobe.systems.answers import answering

    return answering(system, table.question, opening.statuses)


def _chat(table: ChatTable, opening: Opening) -> System:
    from kgprobe.systems.chat import ChatSystem, Model
    from kgprobe.systems.prompts import PromptText

    model = Model(
        table.chat,
        table.model,
        key_env=table.key_env,
        concurrency=table.concurrency,
        answer_tokens=table.answer_tokens,
        temperature=None if table.temperature == "default" else table.temperature,
    )
    payload = PromptText(table.asks.prompt)
    return ChatSystem(table.name, model, payload=payload, limits=table.limits, begin=opening.begin)


def _command(table: CommandTable, opening: Opening) -> System:
    from kgprobe.systems.command import CommandSystem, LinesSystem
    from kgprobe.systems.prompts import PromptText, QuestionObject

    name, command, limits, folder = table.name, table.command, table.limits, opening.folder
    if opening.is_asked and table.questions == "lines":
        asked = QuestionObject(table.asks.prompt)
        return LinesSystem(name, command, payload=asked, limits=limits, folder=folder)
    payload = PromptText(table.asks.prompt) if opening.is_asked else table.sends.payload()
    return CommandSystem(name, command, limits=limits, payload=payload, folder=folder)


def _function(table: FunctionTable, opening: Opening) -> System:
    from kgprobe.systems.function import FunctionSystem

    name, function, limits, folder = table.name, table.function, table.limits, opening.folder
    if not opening.is_asked:
        kind = "file" if table.input == "file" else "graph"
        return FunctionSystem(name, function, limits=limits, input=kind, folder=folder)  # type: ignore[arg-type]
    from kgprobe.systems.function import BatchedFunction, batches_for
    from kgprobe.systems.prompts import PromptObject, QuestionObject

    is_prompt = table.input in (None, "prompt", "prompts")
    payload = PromptObject(table.asks.prompt) if is_prompt else QuestionObject(table.asks.prompt)
    asked = FunctionSystem(name, function, limits=limits, payload=payload, folder=folder)
    if not table.takes_batches:
        return asked
    return BatchedFunction(name, batches_for(f"{folder} {table!r}", asked, limits), payload)


def _http(table: HttpTable, opening: Opening) -> System:
    from kgprobe.systems.prompts import QuestionText
    from kgprobe.systems.remote import HttpSystem

    return HttpSystem(
        table.name,
        table.http,
        method=table.method,
        payload=QuestionText(table.asks.prompt) if opening.is_asked else table.sends.payload(),
        headers=table.headers,
        limits=table.limits,
        service=_service(table.service, table.http, opening.folder),
    )


def _reasoner(table: ReasonerTable, _opening: Opening) -> System:
    from kgprobe.systems.reasoner import ReasonerSystem

    task = "hierarchy" if table.task == "hierarchy" else "consistency"
    return ReasonerSystem(table.reasoner, task, limits=table.limits, name=table.name)  # type: ignore[arg-type]


def _sparql(table: SparqlTable, opening: Opening) -> System:
    from kgprobe.systems.sparql import SparqlSystem

    return SparqlSystem(
        table.name,
        table.sparql,
        {path.name: read_text(path) for path in table.queries},
        store_url=table.store,
        limits=table.limits,
        service=_service(table.service, table.sparql, opening.folder),
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


OPENERS: MutableMapping[type[SystemTable], Callable[[Any, Opening], System]] = {
    ChatTable: _chat,
    CommandTable: _command,
    FunctionTable: _function,
    HttpTable: _http,
    ReasonerTable: _reasoner,
    SparqlTable: _sparql,
}
"""What makes a system from its table, for each kind."""
