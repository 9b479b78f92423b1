"""The values that pass between the stages of a campaign: case, observation, verdict.

All of them are frozen and independent of the stages that make and use them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Protocol

from kgprobe.errors import InputError
from kgprobe.rdf.graph import Graph

__all__ = [
    "Case",
    "Crash",
    "Dialogue",
    "Failure",
    "GraphInput",
    "Inference",
    "Input",
    "Observation",
    "Outcome",
    "Place",
    "Prompt",
    "Reading",
    "Status",
    "Usage",
    "Verdict",
    "Way",
    "is_of_the_language",
    "without_colours",
]

_JAVA_LIBRARY = re.compile(r"(?:java|javax|jdk|sun|kotlin|scala)\.")

# The output of a system can be anything, and ends up in terminals, databases, JSON and XML. Control characters could
# steer a terminal, direction marks reorder a line, and a lone surrogate is not text at all.
_UNSAYABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
# Sequences that set colours, move the cursor or set the title of a terminal.
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_LONGEST_LINE = 4_000
_MOST_LINES = 200


def _sayable(text: str) -> str:
    """One line of text that can be printed and stored. Characters that cannot be are escaped."""
    text = without_colours(text)
    if len(text) > _LONGEST_LINE:
        text = text[: _LONGEST_LINE - 1] + "…"
    return _UNSAYABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def without_colours(text: str) -> str:
    """The text without the sequences that only a terminal understands."""
    return _TERMINAL.sub("", text) if "\x1b" in text else text


class Input(Protocol):
    """The part of a case that the systems get. A method may define its own kind in addition to those below."""

    kind: ClassVar[str]

    def digest(self) -> str:
        """A digest of everything that a system gets. Equal digests mean equal inputs."""
        ...


@dataclass(frozen=True)
class GraphInput:
    """A graph. Graphs that were derived from one seed graph share its table, and each holds only its changes."""

    kind: ClassVar[str] = "graph"

    graph: Graph

    def digest(self) -> str:
        """A digest of all triples, independent of their order. The labels of blank nodes count."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        return _digest(sorted(map(str, self.graph)))


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question of a dialogue, the text that it refers to, and the expected answer.

    The form of a question says how to read its answer: "yes-no", "choice" or "open". For the last two, `right` has all
    right answers, and `wrong` the other choices. `kind` is "basic" or "extended" for the conclusion of an inference.
    """

    text: str
    context: str = ""
    expected: str = ""
    form: str = "yes-no"
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Prompts for a question-answering system, in the order in which they are asked."""

    kind: ClassVar[str] = "dialogue"

    prompts: tuple[Prompt, ...]

    def digest(self) -> str:
        """A digest of the prompts, their contexts and forms. A system never sees the expected answers."""
        return _digest(json.dumps([prompt.text, prompt.context, prompt.form]) for prompt in self.prompts)


@dataclass(frozen=True, slots=True)
class Inference:
    """Questions whose answers follow from the answers to others: premises, and the conclusions from them.

    `rule` and `relations` name the rule of inference and what it was applied to. `is_mined`: the rule relies on a trait
    of a relation that was found in data, not stated.
    """

    kind: ClassVar[str] = "inference"

    rule: str
    relations: tuple[str, ...]
    premises: tuple[Prompt, ...]
    conclusions: tuple[Prompt, ...]
    is_mined: bool = False

    def digest(self) -> str:
        """A digest of all questions and their contexts."""
        return Dialogue((*self.premises, *self.conclusions)).digest()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader understood of an answer: "yes", "no", "right", "wrong" or "undecided", and why.

    `kind` is the kind of an undecided answer, for reports: for example "wrong format".
    """

    decision: str
    why: str = ""
    kind: str = ""


def _digest(lines: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(f"{line}\n".encode())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Case:
    """An input to run systems on.

    `origin` names the input that it was derived from: for a mutant, its seed graph. `reference` is that input, for
    oracles that compare the two.
    """

    name: str
    input: Input
    origin: str = ""
    reference: Input | None = None

    @classmethod
    def of_graph(cls, name: str, graph: Graph, origin: str = "") -> Case:
        """A case whose input is a graph."""
        return cls(name, GraphInput(graph), origin)

    @property
    def graph(self) -> Graph:
        """The graph to run on. InputError if the input is something else."""
        if not isinstance(self.input, GraphInput):
            raise InputError(f"case {self.name} is a {self.input.kind}, not a graph")
        return self.input.graph


PASSED_A_LIMIT = "timed out or out of memory"


class Status(StrEnum):
    """How a run ended. An oracle decides whether that is right."""

    FINISHED = "finished"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    UNREACHABLE = "unreachable"
    INEXPRESSIBLE = "cannot be given the graph"

    @property
    def ending(self) -> str:
        """How failures are told apart. A loop that takes memory passes the one limit or the other, as it happens."""
        return PASSED_A_LIMIT if self in (Status.TIMED_OUT, Status.OUT_OF_MEMORY) else self.value


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a program: its file, its number, and its text, if known."""

    file: str
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Crash:
    """The exception or signal that ended a run, and the stack frames, the innermost first.

    `place` is the innermost line that belongs to the system itself, not to a library that it uses. For each frame,
    `libraries` names the library that it belongs to, if it is known; it is empty for frames of the system.
    """

    kind: str
    message: str = ""
    frames: tuple[str, ...] = ()
    place: Place | None = None
    libraries: tuple[str, ...] = field(default=(), compare=False)


def is_of_the_language(frame: str) -> bool:
    """Whether a Java frame belongs to the standard library, and so says little about the program."""
    return _JAVA_LIBRARY.match(frame) is not None


@dataclass(frozen=True, slots=True)
class Usage:
    """The requests that were sent to a system, and the tokens that it read and wrote."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


@dataclass(frozen=True, slots=True)
class Observation:
    """The observation of one system on one case: how its run ended, and all its output.

    `value` is a structured answer: the result of a function, the rows of a query, a class hierarchy. The reply to a
    prompt is in `stdout`, and so is the response of a server, with `is_response`. `output` is the content of its output
    file. `is_read`: the value was read from the output. `is_partial`: the system itself says that its answer may be
    incomplete. `is_unreadable`: it gave an answer, or a part of one, that cannot be read. `remark` gives the reason for
    either, or for a missing answer. `usage` is what the run cost, for systems that say so.
    """

    system: str
    status: Status
    seconds: float = 0.0
    value: Any = None
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    output: bytes | None = None
    crash: Crash | None = None
    is_partial: bool = False
    remark: str = ""
    usage: Usage = Usage()
    is_read: bool = False
    is_unreadable: bool = False
    is_response: bool = False

    @property
    def obstacle(self) -> str:
        """Why the system did not run on the case; empty if it did."""
        if self.status is Status.UNREACHABLE:
            what = f"{self.system} could not be reached"
        elif self.status is Status.INEXPRESSIBLE:
            what = f"{self.system} cannot be given the graph"
        else:
            return ""
        return f"{what}: {self.remark}" if self.remark else what

    @property
    def is_finished(self) -> bool:
        """Whether the run finished normally, so that its answer can be judged."""
        return self.status is Status.FINISHED


class Outcome(StrEnum):
    """The result of an oracle for a case."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    INVALID = "invalid input"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Way:
    """How something failed, in more detail than its signature: a smaller graph must fail in the same way.

    `message` is the error message, and `place` the file and line in the system's own code. For an answer that differs
    from another, `difference` has a line for each kind of change.
    """

    message: str = ""
    place: str = ""
    difference: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of one system: its kind, and its shape, which distinguishes it from others of its kind.

    `shape` contains no names from the graph, so that the same bug on another graph gives the same signature. `words`
    are lines that describe the failure to the user, with names. All of these are safe to print and to store.
    """

    system: str
    kind: str
    shape: str = ""
    words: tuple[str, ...] = ()
    way: Way = Way()

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", _sayable(self.kind))
        object.__setattr__(self, "shape", _sayable(self.shape))
        object.__setattr__(self, "words", tuple(map(_sayable, self.words[:_MOST_LINES])))

    @property
    def signature(self) -> str:
        """The text that findings are grouped by."""
        return ": ".join(part for part in (self.system, self.kind, self.shape) if part)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a case: its failures, and in `why` one line with the reason if it could not be judged.

    `details` has everything else that a report on the whole campaign needs, as a JSON object.
    """

    outcome: Outcome
    why: str = ""
    failures: tuple[Failure, ...] = ()
    details: Mapping[str, Any] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "why", _sayable(self.why))

    @property
    def text(self) -> str:
        """The verdict for a person: the outcome and the reason in one line, then each failure with its details."""
        lines = [f"{self.outcome}: {self.why}" if self.why else str(self.outcome)]
        for failure in self.failures:
            lines += [f"  {failure.signature}", *(f"    {line}" for line in failure.words)]
        return "\n".join(lines)

    def has(self, signature: str) -> bool:
        """Whether one of the failures has this signature."""
        return any(failure.signature == signature for failure in self.failures)
