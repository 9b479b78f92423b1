"""Values that pass between the stages: a case is run, observations are judged, and a verdict says what is wrong.

All of these are frozen, and none knows where it came from or who reads it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Protocol

from kgprobe.errors import InputError
from kgprobe.graph.graph import Graph

__all__ = [
    "Case",
    "Crash",
    "Dialogue",
    "Failure",
    "GraphInput",
    "Input",
    "Observation",
    "Outcome",
    "Place",
    "Prompt",
    "Status",
    "Verdict",
    "Way",
    "is_of_the_language",
]

_JAVA_LIBRARY = re.compile(r"(?:java|javax|jdk|sun|kotlin|scala)\.")

# What a system says can be anything, and goes to terminals, databases, JSON and XML. Control characters could steer a
# terminal, marks of direction reorder a line, and half a pair of surrogates is not text at all.
_UNSAYABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_LONGEST_LINE = 4_000
_MOST_LINES = 200


def _sayable(text: str) -> str:
    """One line of text that can be printed and stored, with everything else as escapes."""
    if len(text) > _LONGEST_LINE:
        text = text[: _LONGEST_LINE - 1] + "…"
    return _UNSAYABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class Input(Protocol):
    """The part of a case that the systems are given. A method may define its own kind beside those below."""

    kind: ClassVar[str]

    def digest(self) -> str:
        """A digest of everything that a system is given: equal digests, equal inputs."""
        ...


@dataclass(frozen=True)
class GraphInput:
    """A graph. Graphs that were derived from one seed graph share its table, and each holds only its changes."""

    kind: ClassVar[str] = "graph"

    graph: Graph

    def digest(self) -> str:
        """A digest of all triples, in whatever order. The labels of blank nodes count."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        return _digest(sorted(map(str, self.graph)))


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question of a dialogue, the text that it refers to, and the answer that would be right."""

    text: str
    context: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Prompts for a question-answering system, in the order in which they are asked."""

    kind: ClassVar[str] = "dialogue"

    prompts: tuple[Prompt, ...]

    def digest(self) -> str:
        """A digest of the prompts and their contexts. A system never sees the expected answers."""
        return _digest(json.dumps([prompt.text, prompt.context]) for prompt in self.prompts)


def _digest(lines: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(f"{line}\n".encode())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Case:
    """An input to run systems on.

    `origin` names what it was derived from: for a mutant, its seed graph. `reference` is that input, for oracles that
    compare the two.
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


class Status(StrEnum):
    """How a run ended. Whether that is right is for an oracle to say."""

    FINISHED = "finished"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    UNREACHABLE = "unreachable"
    INEXPRESSIBLE = "cannot be given the graph"


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a program: its file, its number, and what it says, if that is known."""

    file: str
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Crash:
    """What ended a run: the exception or the signal, and the frames it came through, the innermost first.

    `place` is the innermost line that belongs to the system itself, not to a library that it uses.
    """

    kind: str
    message: str = ""
    frames: tuple[str, ...] = ()
    place: Place | None = None


def is_of_the_language(frame: str) -> bool:
    """Whether a frame of Java belongs to the library that comes with it, which says little about who has called it."""
    return _JAVA_LIBRARY.match(frame) is not None


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen of one system on one case.

    `value` is what it answered, if it answers with more than text: what a function returned, the rows of a query, a
    class hierarchy. `output` is what it wrote to its output file. `is_partial` says that the system itself admits that
    it may have left something out; `remark` is the reason for that, or for there being no answer.
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

    @property
    def obstacle(self) -> str:
        """Why the system was not run on the case, in words; empty if it was."""
        if self.status is Status.UNREACHABLE:
            what = f"{self.system} could not be reached"
        elif self.status is Status.INEXPRESSIBLE:
            what = f"{self.system} cannot be given the graph"
        else:
            return ""
        return f"{what}: {self.remark}" if self.remark else what

    @property
    def is_finished(self) -> bool:
        """Whether the run came to its end, so that there is something to judge beside the way it ended."""
        return self.status is Status.FINISHED


class Outcome(StrEnum):
    """What an oracle says about a case."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    INVALID = "invalid input"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Way:
    """How something failed, more exactly than a signature says: a smaller graph must fail in the same way.

    `message` is what was said about it, and `place` the file and the line of the system's own code.
    """

    message: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that is wrong with one system: what kind, and what tells it apart from others of its kind.

    `shape` has no names of the graph in it, so that the same bug on another graph gives the same signature; `words` are
    lines for a person, with names. Whatever a system said, all of them can be printed and stored.
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
        """What findings are grouped by."""
        return ": ".join(part for part in (self.system, self.kind, self.shape) if part)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said about a case: failures if it failed, and `why` in one line if there is no clear answer."""

    outcome: Outcome
    why: str = ""
    failures: tuple[Failure, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "why", _sayable(self.why))

    def has(self, signature: str) -> bool:
        """Whether one of the failures has this signature."""
        return any(failure.signature == signature for failure in self.failures)
