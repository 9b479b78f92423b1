"""A time limit for work that cannot be interrupted, such as a query: the process that does it ends.

A worker process says in a file what it is doing. So its parent knows what took too long, or too much memory.
"""

from __future__ import annotations

import mmap
import os
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType

_LONGEST_NAME = 1 << 13
_END = b"\n"
_MOST_SECONDS = 1e9  # a timer takes no more


class Limit:
    """The seconds that each piece of work of this process may take; then SIGALRM ends the process."""

    def __init__(self, seconds: float, file: Path) -> None:
        """The file says which piece of work is going on: see `doing`."""
        self._seconds = min(seconds, _MOST_SECONDS)
        with file.open("w+b") as stream:
            stream.truncate(_LONGEST_NAME)
            self._file = mmap.mmap(stream.fileno(), _LONGEST_NAME)
        self._file[:1] = _END

    def of(self, name: str) -> AbstractContextManager[None]:
        """The limit for work with this name. The context can be used more than once."""
        return _Limited(self, os.fsencode(name)[: _LONGEST_NAME - 1] + _END)

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """No time limit in this block."""
        before, self._seconds = self._seconds, 0.0
        try:
            yield
        finally:
            self._seconds = before

    def begin(self, name: bytes) -> None:
        self._file[: len(name)] = name
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def end(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        self._file[:1] = _END


class _Limited:
    def __init__(self, limit: Limit, name: bytes) -> None:
        self._limit = limit
        self._name = name

    def __enter__(self) -> None:
        self._limit.begin(self._name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._limit.end()


def doing(file: Path) -> str:
    """The name of the work that a process was doing when it ended; empty if it did nothing that is limited."""
    try:
        return os.fsdecode(file.read_bytes().partition(_END)[0])
    except FileNotFoundError:  # it ended before it did anything
        return ""
