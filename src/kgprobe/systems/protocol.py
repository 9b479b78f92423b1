"""The interface of a system under test, and the payload that it gets for a case.

A payload decides which part of a case a system gets, and the kind of system decides how. A command gets a
`TextPayload` in a file, as an argument or on standard input, an HTTP service as the body of a request, and a SPARQL
endpoint in its store. A function and a reasoner get an object. No kind of system depends on the content: payloads for
questions are in `prompts`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

from kgprobe.errors import InputError
from kgprobe.formats.files import render, writable_format
from kgprobe.model import Case, Observation, Status
from kgprobe.rdf.graph import Graph

__all__ = ["GraphObject", "GraphText", "Payload", "System", "TextPayload", "Understood", "content_for"]

_Content = TypeVar("_Content")
_ContentOut = TypeVar("_ContentOut", covariant=True)


class System(Protocol):
    """A system under test. Creating one is cheap: `start`, or the first `run`, starts its processes."""

    @property
    def name(self) -> str: ...

    def start(self) -> None:
        """Start the system and wait until it can be used; does nothing if it has been started.

        InputError if the user's description of the system is wrong, UnavailableError if it cannot be reached.
        """
        ...

    def run(self, case: Case) -> Observation:
        """Run it on a case. Every behaviour of the system becomes an observation: no error is raised."""
        ...

    def close(self) -> None:
        """End all its processes. The next run starts them again."""
        ...


@dataclass(frozen=True)
class Understood:
    """A system whose observations are `read`: what is seen of it becomes an answer, or a remark that it gave none."""

    system: System
    read: Callable[[Observation], Observation]

    @property
    def name(self) -> str:
        return self.system.name

    def start(self) -> None:
        """Start the system."""
        self.system.start()

    def run(self, case: Case) -> Observation:
        """Run the system, and read its answer."""
        seen = self.system.run(case)
        return self.read(seen) if seen.is_finished else seen

    def close(self) -> None:
        """End the system."""
        self.system.close()


class Payload(Protocol[_ContentOut]):
    """The part of a case that a system gets."""

    def content(self, case: Case) -> _ContentOut:
        """The value to pass on. InputError if the case has no such part, or it cannot be expressed."""
        ...


class TextPayload(Payload[bytes], Protocol):
    """A payload that can be sent as text. `name` is its placeholder in a command, and the name of its file.

    `is_argument`: the placeholder stands for the text itself, not for a file.
    """

    @property
    def name(self) -> str: ...

    @property
    def extension(self) -> str: ...

    @property
    def media_type(self) -> str: ...

    @property
    def is_argument(self) -> bool: ...


class GraphText:
    """The graph of a case, in a format."""

    name = "graph"
    is_argument = False

    def __init__(self, format_name: str = "turtle") -> None:
        self._format = writable_format("-", format_name)

    @property
    def extension(self) -> str:
        """The extension of files in this format."""
        return self._format.extensions[0]

    @cached_property
    def media_type(self) -> str:
        """The media type of the format."""
        return self._format.media_type

    def content(self, case: Case) -> bytes:
        """The graph as text. InputError if the format cannot express it."""
        graph = case.graph
        try:
            return render(graph, self._format).text
        except InputError as error:
            raise InputError(error.message, hint="choose another format for it in the profile") from None


class GraphObject:
    """The graph of a case, as it is."""

    def content(self, case: Case) -> Graph:
        """The graph. InputError if the case has another kind of input."""
        return case.graph


def content_for(case: Case, payload: Payload[_Content], system: str) -> _Content | Observation:
    """The payload for a case, or an observation that the system cannot be given one, which is not its fault."""
    try:
        return payload.content(case)
    except InputError as error:
        remark = f"{error.message} ({error.hint})" if error.hint else error.message
        return Observation(system, Status.INEXPRESSIBLE, remark=remark)
