"""Does work on graphs that may take too long, or too much memory, in a process that can be ended.

A query on a graph, or a regular expression in a query, can take far too long, and texts can grow until the memory is
full. Neither pyoxigraph nor shifty can be interrupted. So such work is done in a child process. The child keeps the
table of the last graph and receives only the changes, so that a question costs a round trip instead of a copy of the
graph.
"""

from __future__ import annotations

import itertools
import os
import pickle
import signal
import sys
import threading
import weakref
from typing import Any, ClassVar

from kgprobe.processes.channel import Channel
from kgprobe.processes.child import DESCRIPTOR, Child, Output
from kgprobe.processes.limits import ending
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import TripleTable

__all__ = ["UndecidedError", "Worker"]


class UndecidedError(Exception):
    """The reason why there is no result: a limit was passed."""


class Worker:
    """A `kgprobe.rdf.limited_worker` process, started on first use. If it ends, only the current question fails."""

    _shared: ClassVar[Worker | None] = None

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._turn = threading.Lock()
        self._running: list[Child] = []
        # Numbers are never reused: the child may still know objects that no longer exist here.
        self._numbers = itertools.count()
        self._known: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._table: weakref.ref[TripleTable] | None = None
        weakref.finalize(self, _end, self._running)

    @classmethod
    def shared(cls) -> Worker:
        """The child of this process. A child inherited through a fork belongs to the parent process."""
        if cls._shared is None or cls._shared._owner != os.getpid():
            cls._shared = cls()
        return cls._shared

    def ask(self, asked: Any, what: str, graph: Graph, seconds: float, *, is_kept: bool = True) -> Any:
        """The result of a method of an object for a graph. The child keeps the object, unless it is for one question.

        UndecidedError if it passes a limit.
        """
        with self._turn:
            try:
                return self._ask(asked, what, graph, seconds, is_kept=is_kept)
            except BaseException:
                self._stop()  # the channel may hold part of a message
                raise

    def _ask(self, asked: Any, what: str, graph: Graph, seconds: float, *, is_kept: bool) -> Any:
        child = self._started()
        frames: list[tuple[Any, ...]] = []
        number = self._known.get(asked) if is_kept else None
        if number is None:
            number = next(self._numbers)
            frames.append(("object", number, asked, is_kept))
            if is_kept:
                self._known[asked] = number
        if self._table is None or self._table() is not graph.table:
            frames.append(("table", graph.table))
            self._table = weakref.ref(graph.table)
        frames.append(("ask", number, what, (None if what == "admits" else graph.spelling, dict(graph.changed_keys))))
        try:
            child.channel.send(*map(pickle.dumps, frames))
            return self._received(child.channel, seconds)
        except (EOFError, OSError):
            raise UndecidedError(_obituary(child)) from None

    def _received(self, channel: Channel, seconds: float) -> Any:
        frame = channel.receive_within(seconds)
        if frame is None:
            raise UndecidedError(f"no answer within {seconds:g} s")
        kind, value = pickle.loads(frame)  # noqa: S301 - the other end is this program
        if kind == "error":
            raise value
        return value

    def _started(self) -> Child:
        if self._running and self._running[0].has_ended:
            self._stop()
        if not self._running:
            self._running.append(_start())
        return self._running[0]

    def _stop(self) -> None:
        _end(self._running)
        self._known.clear()
        self._table = None


def _start() -> Child:
    try:
        child = Child([sys.executable, "-m", "kgprobe.rdf.limited_worker", DESCRIPTOR], output=Output.DROPPED)
    except OSError as error:
        raise UndecidedError(f"no process can be started: {error.strerror or error}") from None
    try:
        child.channel.receive()  # wait until it is ready, so that a slow start does not count for the first question
    except (EOFError, OSError):
        why = _obituary(child)
        child.end()
        raise UndecidedError(why) from None
    except BaseException:
        child.end()
        raise
    return child


def _end(running: list[Child]) -> None:
    while running:
        running.pop().end()


def _obituary(child: Child) -> str:
    code = child.wait(1)
    if code is None:
        return "its process does not answer"
    if code in (-signal.SIGABRT, -signal.SIGKILL):
        return "it needs more memory than is available"
    return f"its process ended ({ending(code)})"
