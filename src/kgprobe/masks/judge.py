"""Checks that may run away, in a process that can be stopped.

A query over a graph, or a regular expression in one, can take longer than anyone waits, and neither pyoxigraph nor
shifty can be interrupted. So a check that might is asked in a child process. It holds the table of the graph that was
asked about last, and is told the changes, so that a question costs a round trip and not a copy of the graph.
"""

from __future__ import annotations

import itertools
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from dataclasses import dataclass
from typing import Any, ClassVar

from kgprobe.graph.graph import Graph
from kgprobe.graph.table import TripleTable
from kgprobe.masks.mask import Check, OutOfTimeError, Rejection
from kgprobe.processes.channel import Channel

__all__ = ["Judge"]

_SLACK = 5.0  # the child ends itself this long after its time, should nobody be there to end it


class _UndecidedError(Exception):
    """Why there is no answer."""


@dataclass(frozen=True, eq=False)
class Judge:
    """Asks a check in the child process. All judges of a process share one child.

    Whatever ends the child ends it for one question only: the next one starts a new child.
    """

    check: Check
    seconds: float

    def admits(self, graph: Graph) -> bool | None:
        """Whether the graph passes; None if that could not be found out."""
        try:
            return bool(_Child.shared().ask(self.check, "admits", graph, self.seconds))
        except _UndecidedError:
            return None

    def rejections(self, graph: Graph) -> list[Rejection]:
        """Everything that is wrong, or why that is not known."""
        try:
            found: list[Rejection] = _Child.shared().ask(self.check, "rejections", graph, self.seconds)
        except _UndecidedError as error:
            return [Rejection(self.check.name, None, f"undecided: {error}", is_undecided=True)]
        return found


class _Child:
    """A running `kgprobe.masks.judge_worker`, or none yet."""

    _shared: ClassVar[_Child | None] = None

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._turn = threading.Lock()
        self._running: list[tuple[subprocess.Popen[bytes], Channel]] = []
        # Never used twice: the child knows checks by them that may be gone here.
        self._numbers = itertools.count()
        self._known: weakref.WeakKeyDictionary[Check, int] = weakref.WeakKeyDictionary()
        self._table: weakref.ref[TripleTable] | None = None
        weakref.finalize(self, _end, self._running, self._owner)

    @classmethod
    def shared(cls) -> _Child:
        """The child of this process: one that a fork has taken along belongs to the other process."""
        if cls._shared is None or cls._shared._owner != os.getpid():
            cls._shared = cls()
        return cls._shared

    def ask(self, check: Check, what: str, graph: Graph, seconds: float) -> Any:
        """What a method of the check gives for a graph."""
        with self._turn:
            try:
                return self._ask(check, what, graph, seconds)
            except BaseException:
                self._stop()  # half of a conversation may be left in the channel
                raise

    def _ask(self, check: Check, what: str, graph: Graph, seconds: float) -> Any:
        process, channel = self._started()
        frames: list[tuple[Any, ...]] = []
        if check not in self._known:
            self._known[check] = next(self._numbers)
            frames.append(("check", self._known[check], check))
        if self._table is None or self._table() is not graph.table:
            frames.append(("table", graph.table))
            self._table = weakref.ref(graph.table)
        state = (graph.spelling if what == "rejections" else None, dict(graph.changed_keys))
        frames.append(("ask", self._known[check], what, state, seconds + _SLACK))
        try:
            channel.send(*map(pickle.dumps, frames))
            return self._received(channel, seconds)
        except (EOFError, OSError):
            raise _UndecidedError(_obituary(process, seconds)) from None

    def _received(self, channel: Channel, seconds: float) -> Any:
        end = time.monotonic() + seconds
        while (frame := channel.received()) is None:
            if not channel.wait(max(0.0, end - time.monotonic())) and time.monotonic() >= end:
                raise _UndecidedError(str(OutOfTimeError(seconds)))
        kind, value = pickle.loads(frame)  # noqa: S301 - the other end is this program
        if kind == "error":
            raise value
        return value

    def _started(self) -> tuple[subprocess.Popen[bytes], Channel]:
        if self._running and self._running[0][0].poll() is not None:
            self._stop()
        if not self._running:
            self._running.append(_start())
        return self._running[0]

    def _stop(self) -> None:
        _end(self._running, self._owner)
        self._known.clear()
        self._table = None


def _start() -> tuple[subprocess.Popen[bytes], Channel]:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
            [sys.executable, "-m", "kgprobe.masks.judge_worker", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C is ours to handle
        )
    channel = Channel(ours)
    try:
        channel.receive()  # it is ready; a slow start does not count for the first question
    except (EOFError, OSError):
        channel.close()
        raise _UndecidedError(_obituary(process, 0.0)) from None
    return process, channel


def _end(running: list[tuple[subprocess.Popen[bytes], Channel]], owner: int) -> None:
    while running:
        process, channel = running.pop()
        channel.close()
        if os.getpid() == owner:
            process.kill()
            process.wait()


def _obituary(process: subprocess.Popen[bytes], seconds: float) -> str:
    try:
        code = process.wait(1)
    except subprocess.TimeoutExpired:
        return "its process does not answer"
    if code == -signal.SIGALRM:
        return str(OutOfTimeError(seconds))
    if code in (-signal.SIGABRT, -signal.SIGKILL):
        return "it needs more memory than there is"
    return f"its process ended ({signal.Signals(-code).name if code < 0 else f'exit code {code}'})"
