"""The content that is sent to a system for a case, independent of how it is sent.

A command gets a payload in a file or on standard input, an HTTP service as the body of a request. Neither depends on
the content, so a payload for another kind of input, such as a prompt, needs no change to them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from kgprobe.errors import InputError
from kgprobe.graph.files import render, writable_format
from kgprobe.model import Case, Observation, Status

__all__ = ["GraphPayload", "Payload", "content_for"]

_MEDIA_TYPES = {
    "turtle": "text/turtle",
    "ntriples": "application/n-triples",
    "nquads": "application/n-quads",
    "trig": "application/trig",
    "rdfxml": "application/rdf+xml",
    "jsonld": "application/ld+json",
    "functional": "text/owl-functional",
}


class Payload(Protocol):
    """The part of a case that is sent. `name` is its placeholder in a command, and the name of its file."""

    @property
    def name(self) -> str: ...

    @property
    def extension(self) -> str: ...

    @property
    def media_type(self) -> str: ...

    def content(self, case: Case) -> bytes:
        """The bytes to send. InputError if the case has nothing to send."""
        ...


class GraphPayload:
    """The graph of a case, in a format."""

    name = "graph"

    def __init__(self, format_name: str = "turtle") -> None:
        self._format = writable_format("-", format_name)

    @property
    def extension(self) -> str:
        """The extension of files in this format."""
        return self._format.extensions[0]

    @cached_property
    def media_type(self) -> str:
        """The media type of the format."""
        return _MEDIA_TYPES[self._format.name]

    def content(self, case: Case) -> bytes:
        """The graph as text. InputError if the format cannot express it."""
        try:
            return render(case.graph, self._format).text
        except InputError as error:
            raise InputError(error.message, hint="choose another format for it in the profile") from None


def content_for(case: Case, payload: Payload, system: str) -> bytes | Observation:
    """The bytes to send, or an observation that the case cannot be expressed, which is not the system's fault."""
    try:
        return payload.content(case)
    except InputError as error:
        remark = f"{error.message} ({error.hint})" if error.hint else error.message
        return Observation(system, Status.INEXPRESSIBLE, remark=remark)
