"""What the table types of several kinds of systems share.

What a system is sent is apart from how: `GraphSent` is the same for a command and for HTTP. The method of the profile
decides whether the systems get graphs or are asked questions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgprobe.config.tables import AnyText, Problem, described, key
from kgprobe.errors import InputError
from kgprobe.processes.limits import Limits

if TYPE_CHECKING:
    from kgprobe.model import Usage
    from kgprobe.systems.protocol import TextPayload

WORD = described("A word", "An argument.")


def run_seconds_key(**options: Any) -> Any:
    """The key for the time limit of a system."""
    what = "The maximum duration of one run, in seconds."
    return key("Time limit", what, exclusiveMinimum=0, maximum=1000000, default=60.0, **options)


def keep_answers_key() -> Any:
    """The key of systems whose answers can be kept."""
    what = "Keep each answer, and never ask for it again: for answers that cost money."
    return key("Keep answers", what, default=False, repr=False)


@dataclass(frozen=True)
class GraphSent:
    """A system is sent the graph of a case, in this format."""

    format: str = key(
        "Format",
        "The format in which a command or an HTTP service gets the mutant.",
        enum=("turtle", "ntriples", "nquads", "trig", "rdfxml", "jsonld", "functional"),
        default="turtle",
    )

    def payload(self) -> TextPayload:
        """The part of a case to send."""
        from kgprobe.systems.protocol import GraphText

        return GraphText(self.format)


@dataclass(frozen=True)
class PromptSent:
    """A system is asked a question: in a prompt of this form, or else of the usual one."""

    prompt: str | None = key(
        "Prompt",
        "The prompt for a question, if the profile has [questions]. {context} is the text that the question "
        "refers to, and {question} the question. By default, they are lines, followed by a line that says how to "
        "answer.",
        default=None,
    )

    def problems(self, _folder: Path) -> Iterator[Problem]:
        """A prompt without the question, or with another placeholder."""
        if self.prompt is None:
            return
        from kgprobe.systems.prompts import check_template

        try:
            check_template(self.prompt)
        except InputError as error:
            yield Problem(error.message, ("prompt",), error.hint, at_value=True)


@dataclass(frozen=True)
class ServiceTable:
    """How the server behind a system is started and stopped."""

    start: tuple[AnyText, ...] = key(
        "Start", "The command that starts it. {port} is a free port.", items=WORD, minItems=1
    )
    health: str | None = key(
        "Health check",
        "An address that answers once the service is ready. By default, the address of the system.",
        default=None,
    )
    stop: tuple[AnyText, ...] = key(
        "Stop", "A command that stops it. By default, it is terminated by a signal.", items=WORD, minItems=1, default=()
    )
    seconds_to_start: float = key(
        "Seconds to start",
        "The time until the health check must succeed.",
        exclusiveMinimum=0,
        maximum=1000000,
        default=30.0,
    )


@dataclass(frozen=True, kw_only=True)
class SystemTable(ABC):
    """The keys of all systems. A system without a name gets that of its program, function, reasoner or kind."""

    name: str = key("Name", "The name of the system in findings.", default="")
    seconds: float = run_seconds_key()
    memory_mb: int = key(
        "Memory limit",
        "The maximum memory of one run in megabytes, including all processes that it starts.",
        minimum=16,
        default=2048,
    )

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self._usual_name())

    @property
    def question(self) -> str | None:
        """The question that its answers can be compared on, if there is one."""
        return None

    @property
    def describes_answers(self) -> bool:
        """Whether its answers are read as the user describes them. Some systems answer in a form that is known."""
        return False

    @property
    def limits(self) -> Limits:
        """The time and memory for one run."""
        return Limits(self.seconds, self.memory_mb)

    @property
    def keeps_answers(self) -> bool:
        """Whether its answers are worth keeping."""
        return False

    @property
    def waits(self) -> bool:
        """Whether a run only waits for a server that kgprobe did not start."""
        return False

    @property
    def starts_server(self) -> bool:
        """Whether kgprobe starts the server that it asks."""
        return False

    @property
    def takes_batches(self) -> bool:
        """Whether it is asked several questions at the same time."""
        return False

    @property
    def is_shared(self) -> bool:
        """Whether all threads wait for each other's runs of it."""
        return self.takes_batches

    @property
    def in_flight(self) -> int | None:
        """How many requests it takes at the same time, if it counts and times them by itself; else None."""
        return None

    def cost(self, _usage: Usage) -> float | None:
        """The cost of some requests, if the prices are known."""
        return None

    def limit_reached(self, _usage: Usage) -> str:
        """The cap that allows no further request after these; empty if there is none."""
        return ""

    def is_answer(self, code: int | None, statuses: Collection[int]) -> bool:
        """Whether a run that ended with this status answers the input; the oracle expects `statuses`."""
        return code is None or code in statuses

    def check_input(self, _kind: str) -> None:
        """InputError if it cannot get inputs of this kind: "graph" or "dialogue"."""
        return

    def files(self, _folder: Path) -> Iterator[Path]:
        """The files of the system itself that are known."""
        return iter(())

    def _refuse_questions(self) -> None:
        hint = "name a chat system, a command, a function or an HTTP service"
        raise InputError(f"'{self.name}' takes graphs, and cannot be asked questions", hint=hint)

    @abstractmethod
    def _usual_name(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class AnsweringTable(SystemTable):
    """The keys of systems whose answers the user describes: `answers` says what kind of answers they are."""

    answers: str | None = key(
        "Answers",
        "The format of its answers, so that they can be compared with those of other systems.",
        enum=("consistency", "hierarchy", "rows", "json", "text"),
        default=None,
    )
    keep_answers: bool = keep_answers_key()

    @property
    def question(self) -> str | None:
        """The question that it answers."""
        return self.answers

    @property
    def describes_answers(self) -> bool:
        """Whether there is such a description."""
        return self.answers is not None

    @property
    def keeps_answers(self) -> bool:
        """Whether the user wants them kept."""
        return self.keep_answers


@dataclass(frozen=True, kw_only=True)
class ServerTable(SystemTable):
    """The keys of systems that a server is behind."""

    service: ServiceTable | None = key(
        "Service", "How to start and stop the server of an http or sparql system.", default=None
    )

    @property
    def waits(self) -> bool:
        """Whether the server runs already."""
        return self.service is None

    @property
    def starts_server(self) -> bool:
        """Whether it does not."""
        return self.service is not None
