"""Processes of ours that answer requests one after the other: the only way in which kgprobe asks a child of its own.

A worker runs a module of kgprobe in the block of `channel.serving_parent`. It gets frames, and answers with
frames that are `read`; what is in them is up to its module. It has a limit of time for each reply and a limit of
memory. A worker that gives no reply is ended, and the next request starts another one, which knows nothing. A pool has
several workers that share work.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from kgprobe.errors import UnavailableError
from kgprobe.processes.channel import Channel
from kgprobe.processes.child import DESCRIPTOR, Child, Setup
from kgprobe.processes.limits import OUT_OF_MEMORY_EXIT, OUT_OF_MEMORY_WORDS, Limits, Passed, ending

__all__ = ["SECONDS_TO_END", "Member", "NoReplyError", "Pool", "Worker"]

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


# -- several workers that share work -----------------------------------------------------------------------------------

Work = TypeVar("Work")
_MOST_EARLY_DEATHS = 3  # in a row, before a worker has said anything
SECONDS_TO_END = 5.0
_SECONDS_BETWEEN_CHECKS = 1.0  # at the workers
_MOST_STARTS_AT_ONCE = 8


@dataclass(eq=False)
class Member(Generic[Work]):
    """A worker of a pool, and what it was given to do, oldest first."""

    worker: Worker
    work: deque[Work] = field(default_factory=deque)
    is_ready: bool = False  # it has sent a frame since it was started
    is_silent: bool = False  # it has closed its end of the channel

    @property
    def trouble(self) -> str:
        """Why it cannot work, for messages; empty if it can."""
        return self.worker.trouble or ("ended" if self.is_silent else "")

    def send(self, frame: bytes) -> None:
        """Send a frame, unless it cannot work: `Pool.news` tells about that."""
        with contextlib.suppress(OSError):
            self.worker.channel.send_while(lambda: not self.trouble, frame)


class Pool(Generic[Work]):
    """A number of workers, which are `made` and `greeted`: sent what they need before their work."""

    def __init__(self, made: Callable[[], Worker], greeting: Callable[[Worker], bytes]) -> None:
        self.members: list[Member[Work]] = []
        self._made = made
        self._greeting = greeting
        self._early_deaths = 0
        self._looked = time.monotonic()

    def grow(self, count: int) -> None:
        """Start workers until there are this many."""
        missing = count - len(self.members)
        if missing > 0:
            with ThreadPoolExecutor(min(missing, _MOST_STARTS_AT_ONCE)) as threads:
                self.members += threads.map(lambda _: self._started(), range(missing))

    def news(self) -> Iterator[tuple[Member[Work], bytes | None]]:
        """Wait a while for frames. Each comes with its sender, and None from one that cannot work: replace that.

        While its first frame is looked at, a member is not yet ready.
        """
        sources = [source for member in self.members for source in (member.worker.channel, member.worker.child)]
        ready, _, _ = select.select(sources, [], [], _SECONDS_BETWEEN_CHECKS)
        is_time = time.monotonic() - self._looked >= _SECONDS_BETWEEN_CHECKS
        for member in tuple(self.members):
            member.worker.child.read()
            if member.worker.channel in ready:
                yield from self._frames(member)
            if (member.is_silent or member.worker.child in ready or is_time) and member.trouble:
                yield from self._frames(member)  # what it has sent before counts
                yield member, None
        if is_time:
            self._looked = time.monotonic()

    def replace(self, member: Member[Work], how: str) -> Member[Work]:
        """Another worker for one that cannot work, and has no work any more; `how` it ended, for messages."""
        member.worker.end()
        self.members.remove(member)
        self._early_deaths = 0 if member.is_ready else self._early_deaths + 1
        if self._early_deaths > _MOST_EARLY_DEATHS:
            raise UnavailableError(f"a worker {how} before its first task")
        self.members.append(self._started())
        return self.members[-1]

    def close(self, *, seconds: float = 0.0) -> None:
        """End all workers, which get some seconds to end what they have started."""
        for member in self.members:
            for number in (signal.SIGTERM, signal.SIGCONT):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(member.worker.child.pid, number)
        end = time.monotonic() + seconds
        for member in self.members:
            member.worker.child.wait(end - time.monotonic())
            member.worker.end()
        self.members = []

    def _started(self) -> Member[Work]:
        worker = self._made()
        worker.start()
        member: Member[Work] = Member(worker)
        member.send(self._greeting(worker))
        return member

    @staticmethod
    def _frames(member: Member[Work]) -> Iterator[tuple[Member[Work], bytes]]:
        try:
            while (frame := member.worker.channel.received()) is not None:
                yield member, frame
                member.is_ready = True
        except (EOFError, OSError):
            member.is_silent = True
            member.worker.child.wait(SECONDS_TO_END)  # it is about to end
