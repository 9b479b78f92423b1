"""A process of ours that answers requests one after the other: the only way in which kgprobe asks a child of its own.

A worker runs a module of kgprobe in the block of `served_parent.serving_parent`. It gets frames, and answers with
frames that are `read`; what is in them is up to its module. It has a limit of time for each reply and a limit of
memory. A worker that gives no reply is ended, and the next request starts another one, which knows nothing.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any

from kgprobe.errors import UnavailableError
from kgprobe.processes.channel import Channel
from kgprobe.processes.child import DESCRIPTOR, Child, Setup
from kgprobe.processes.limits import OUT_OF_MEMORY_EXIT, OUT_OF_MEMORY_WORDS, Limits, Passed, ending

__all__ = ["NoReplyError", "Worker"]

_SECONDS_BETWEEN_LOOKS = 0.05  # at the memory of a worker that has not replied yet
_SECONDS_TO_GO = 1.0  # from the moment when a process closes its channel to its end
_LAST_WORDS = 2000


class NoReplyError(Exception):
    """Why a worker gave no reply: the limit that it passed, or how its process ended.

    `code` is None if the process did not end by itself, and `words` is the end of its standard error.
    """

    def __init__(self, passed: Passed | None, limits: Limits, code: int | None = None, words: str = "") -> None:
        self.passed = passed
        self.code = code
        self.words = words
        if passed is Passed.TIME:
            super().__init__(f"no answer within {limits.seconds:g} s")
        elif passed is Passed.MEMORY:
            super().__init__("it needs more memory than is available")
        else:
            super().__init__("its process does not answer" if code is None else f"its process ended ({ending(code)})")


class Worker:
    """At most one process at a time, started by the first request. One thread uses it at a time."""

    def __init__(
        self,
        module: str,
        *arguments: str,
        what: str,
        setup: Setup,
        read: Callable[[bytes], Any] = bytes,
        bounds_itself: bool = False,
    ) -> None:
        """`what` is its name in messages. With `bounds_itself`, being aborted or killed means that memory ran out."""
        self._command = [sys.executable, "-m", module, *arguments, DESCRIPTOR]
        self._what = what
        self._setup = setup
        self._read = read
        self._bounds_itself = bounds_itself
        self._owner = os.getpid()
        self._running: list[Child] = []  # a list, so that the finalizer sees changes without holding the worker
        weakref.finalize(self, _end_all, self._running)

    def start(self) -> bool:
        """Start the process, unless it runs; True if it has started. UnavailableError if that does not work."""
        if self._running and self._running[0].has_ended:
            self.end()
        if self._running:
            return False
        try:
            self._running.append(Child(self._command, self._setup))
        except OSError as error:
            raise UnavailableError(f"no {self._what} can be started: {error.strerror or error}") from None
        return True

    @property
    def is_ours(self) -> bool:
        """Whether this process has made the worker; one that was inherited through a fork belongs to the parent."""
        return self._owner == os.getpid()

    @property
    def is_running(self) -> bool:
        """Whether it was started and not ended since."""
        return bool(self._running)

    @property
    def child(self) -> Child:
        """Its process, once it was started."""
        return self._running[0]

    @property
    def channel(self) -> Channel:
        """The channel to its process."""
        return self.child.channel

    @property
    def trouble(self) -> str:
        """Why its process cannot work, for messages; empty if it can."""
        if self.child.is_stopped:
            return "stopped"
        code = self.child.exit_code
        return "" if code is None else f"ended ({ending(code)})"

    def ask(self, *frames: bytes, limits: Limits) -> Any:
        """The reply to a request. NoReplyError if there is none; then the process has been ended."""
        try:
            try:
                self.channel.send(*frames)
            except OSError:
                raise self._no_reply(limits) from None
            return self.receive(limits)
        except BaseException:
            self.end()  # the channel may hold part of a message
            raise

    def receive(self, limits: Limits, *, before: Callable[[float], bool] | None = None) -> Any:
        """What the next frame says. NoReplyError if it passes a limit, never comes, or cannot be read.

        The frame is waited for only after what `before` waits for, which takes seconds and returns whether it is over.
        """
        end = time.perf_counter() + limits.seconds
        channel, passed = self.channel, None
        try:
            while (frame := channel.received()) is None:
                if passed is not None:  # what has arrived in the meantime counts
                    raise NoReplyError(passed, limits)
                pause = min(_SECONDS_BETWEEN_LOOKS, max(0.0, end - time.perf_counter()))
                wait = channel.wait if before is None or before(0) else before
                if not wait(pause):
                    self.child.read()  # the process may be blocked on a full pipe
                    passed = self._passed(limits, end)
        except (EOFError, OSError):
            raise self._no_reply(limits) from None
        try:
            return self._read(frame)
        except Exception:  # whatever it is, no module of ours has sent it
            raise NoReplyError(None, limits) from None

    def end(self) -> None:
        """End the process, if one runs."""
        _end_all(self._running)

    def _passed(self, limits: Limits, end: float) -> Passed | None:
        if time.perf_counter() >= end:
            return Passed.TIME
        is_too_large = limits.memory_mb and self.child.resident_mb() > limits.memory_mb
        return Passed.MEMORY if is_too_large else None

    def _no_reply(self, limits: Limits) -> NoReplyError:
        """Why a process whose channel is closed gives no reply."""
        code = self.child.wait(_SECONDS_TO_GO)
        self.child.read()
        words = self.child.stderr.text()[-_LAST_WORDS:].strip()
        has_no_memory = code == OUT_OF_MEMORY_EXIT or any(sign in words for sign in OUT_OF_MEMORY_WORDS)
        if self._bounds_itself and code in (-signal.SIGABRT, -signal.SIGKILL):
            has_no_memory = True
        return NoReplyError(Passed.MEMORY if has_no_memory else None, limits, code, words)


def _end_all(running: list[Child]) -> None:
    while running:
        running.pop().end()
