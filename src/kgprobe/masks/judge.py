"""Runs checks that may take too long in a process that can be stopped.

A query on a graph, or a regular expression in a query, can take far too long, and neither pyoxigraph nor shifty can be
interrupted. So a check that may take too long runs in a child process. The child keeps the table of the last graph and
receives only the changes, so that a question costs a round trip instead of a copy of the graph.
"""

from __future__ import annotations

import itertools
import os
import pickle
import signal
import sys
import threading
import weakref
from dataclasses import dataclass
from typing import Any, ClassVar

from kgprobe.graph.graph import Graph
from kgprobe.graph.table import TripleTable
from kgprobe.masks.mask import Check, OutOfTimeError, Rejection
from kgprobe.processes.channel import Channel
from kgprobe.processes.child import DESCRIPTOR, Child, Output
from kgprobe.processes.limits import ending

__all__ = ["Judge"]


class _UndecidedError(Exception):
    """The reason why a check has no answer."""


@dataclass(frozen=True, eq=False)
class Judge:
    """Runs a check in the child process. All judges of a process share one child.

    If the child ends, only the current question fails: the next one starts a new child.
    """

    check: Check
    seconds: float

    def admits(self, graph: Graph) -> bool | None:
        """Whether the graph passes; None if this is not known."""
        try:
            return bool(_Worker.shared().ask(self.check, "admits", graph, self.seconds))
        except _UndecidedError:
            return None

    def rejections(self, graph: Graph) -> list[Rejection]:
        """All rejections, or the reason why the check could not decide."""
        try:
            found: list[Rejection] = _Worker.shared().ask(self.check, "rejections", graph, self.seconds)
        except _UndecidedError as error:
            return [Rejection(self.check.name, None, f"undecided: {error}", is_undecided=True)]
        return found


class _Worker:
    """A `kgprobe.masks.judge_worker` process, started on first use."""

    _shared: ClassVar[_Worker | None] = None

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._turn = threading.Lock()
        self._running: list[Child] = []
        # Numbers are never reused: the child may still know checks that no longer exist here.
        self._numbers = itertools.count()
        self._known: weakref.WeakKeyDictionary[Check, int] = weakref.WeakKeyDictionary()
        self._table: weakref.ref[TripleTable] | None = None
        weakref.finalize(self, _end, self._running)

    @classmethod
    def shared(cls) -> _Worker:
        """The child of this process. A child inherited through a fork belongs to the parent process."""
        if cls._shared is None or cls._shared._owner != os.getpid():
            cls._shared = cls()
        return cls._shared

    def ask(self, check: Check, what: str, graph: Graph, seconds: float) -> Any:
        """The result of a method of the check for a graph."""
        with self._turn:
            try:
                return self._ask(check, what, graph, seconds)
            except BaseException:
                self._stop()  # the channel may hold part of a message
                raise

    def _ask(self, check: Check, what: str, graph: Graph, seconds: float) -> Any:
        child = self._started()
        frames: list[tuple[Any, ...]] = []
        if check not in self._known:
            self._known[check] = next(self._numbers)
            frames.append(("check", self._known[check], check))
        if self._table is None or self._table() is not graph.table:
            frames.append(("table", graph.table))
            self._table = weakref.ref(graph.table)
        state = (graph.spelling if what == "rejections" else None, dict(graph.changed_keys))
        frames.append(("ask", self._known[check], what, state))
        try:
            child.channel.send(*map(pickle.dumps, frames))
            return self._received(child.channel, seconds)
        except (EOFError, OSError):
            raise _UndecidedError(_obituary(child)) from None

    def _received(self, channel: Channel, seconds: float) -> Any:
        frame = channel.receive_within(seconds)
        if frame is None:
            raise _UndecidedError(str(OutOfTimeError(seconds)))
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
        child = Child([sys.executable, "-m", "kgprobe.masks.judge_worker", DESCRIPTOR], output=Output.DROPPED)
    except OSError as error:
        raise _UndecidedError(f"no process can be started: {error.strerror or error}") from None
    try:
        child.channel.receive()  # wait until it is ready, so that a slow start does not count for the first question
    except (EOFError, OSError):
        why = _obituary(child)
        child.end()
        raise _UndecidedError(why) from None
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
