"""Workers that share work. One that ends or stops is replaced, and whoever uses the pool decides about its work."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from kgprobe.errors import UnavailableError
from kgprobe.processes.worker import Worker

__all__ = ["SECONDS_TO_END", "Member", "Pool"]

Work = TypeVar("Work")
_MOST_EARLY_DEATHS = 3  # in a row, before a worker has said anything
SECONDS_TO_END = 5.0
_SECONDS_BETWEEN_LOOKS = 1.0  # at the workers
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
        ready, _, _ = select.select(sources, [], [], _SECONDS_BETWEEN_LOOKS)
        is_time = time.monotonic() - self._looked >= _SECONDS_BETWEEN_LOOKS
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
