"""A process that is not trusted: in a session of its own, watched while it works, and ended with all that it started.

A guard stands between us and the process: see `kgprobe.processes.guard`. Where the kernel does not let it adopt
orphans, or a process has killed its guard, a mark helps that each child gets in its environment, and that all that it
starts inherit: whoever carries the mark when the child has to go, goes too.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgprobe.processes.captured import Captured
from kgprobe.processes.guard import DESCRIPTOR, Guard
from kgprobe.processes.limits import Limits, Passed
from kgprobe.processes.tree import all_pids, end_group, end_marked, pages_mb

__all__ = ["DESCRIPTOR", "Child"]

_MARK = "KGPROBE_RUN_"  # and a number, so that a kgprobe inside a kgprobe takes no mark away
_SECONDS_BETWEEN_LOOKS = 0.05  # at how much memory it uses
_SLACK_SECONDS = 30  # between our own limit and the one that works if we are gone


class Child:
    """One process. OSError if it cannot be started.

    `guard` is one to use again, which has nothing else to do; without it, the child has its own.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str] | None = None,
        sent: bytes | None = None,
        descriptor: int | None = None,
        bound_processor: float | None = None,
        guard: Guard | None = None,
        scratch: Path | None = None,
    ) -> None:
        """`sent` goes to its standard input; `bound_processor` are seconds after which it ends if nobody ends it.

        `descriptor` is one that the process gets, with its number in place of the argument `DESCRIPTOR`. `scratch` is a
        folder that is removed if we are killed.
        """
        self._mark = _MARK + secrets.token_hex(16)
        self._has_own_guard = guard is None
        self._guard = guard or Guard()
        pipes = [_devnull() if sent is None else _pipe(to_us=False), _pipe(to_us=True), _pipe(to_us=True)]
        try:
            self.pid = self._guard.start(
                arguments,
                folder=folder,
                environment={**os.environ, **(environment or {}), self._mark: "1"},
                streams=(pipes[0].theirs, pipes[1].theirs, pipes[2].theirs),
                descriptor=descriptor,
                scratch=scratch,
                bound_processor=None if bound_processor is None else bound_processor + _SLACK_SECONDS,
            )
        except BaseException:
            for pipe in pipes:
                _close(pipe.ours)
            self._close_guard()
            raise
        finally:
            for pipe in pipes:
                _close(pipe.theirs)
        self._stdin = pipes[0].ours
        self.stdout, self.stderr = (Captured(pipe.ours) for pipe in pipes[1:] if pipe.ours is not None)
        self._unsent = memoryview(sent or b"")
        if self._stdin is not None:
            os.set_blocking(self._stdin, False)
        self._is_over = False
        self._code = 0

    @property
    def exit_code(self) -> int | None:
        """What it ended with; a negative number is a signal, and None means that it is running."""
        return self._code if self._is_over else self._guard.exit_code

    @property
    def lost(self) -> str:
        """What it has done to its guard: "killed" or "stopped" it; empty if nothing."""
        if not self._is_over:
            self._guard.check()
        return self._guard.lost

    def watch(self, limits: Limits, *, wake: Any = None, is_done: Callable[[], bool] | None = None) -> Passed | None:
        """Waits until it has ended, or `is_done`, or a limit is passed, and reads what it writes meanwhile.

        `wake` is something with a descriptor: when that is readable, `is_done` may have become true. A memory limit
        of 0 is none.
        """
        end = time.perf_counter() + limits.seconds
        next_look = time.perf_counter() + _SECONDS_BETWEEN_LOOKS
        with self._selector(wake) as selector:
            while not (self.exit_code is not None if is_done is None else is_done()):
                now = time.perf_counter()
                if now >= end:
                    return Passed.TIME
                if now >= next_look:
                    if limits.memory_mb and self.resident_mb() > limits.memory_mb:
                        return Passed.MEMORY
                    # On a computer with thousands of processes a look takes long; it must not be all that we do.
                    looked = time.perf_counter()
                    next_look = looked + max(_SECONDS_BETWEEN_LOOKS, 10 * (looked - now))
                self._serve(selector, min(end, next_look) - now)
        return None

    def resident_mb(self) -> float:
        """The memory of all processes that descend from it."""
        below = self._guard.resident_mb()
        return below if self._guard.adopts else max(below, pages_mb(sum(_session_pages(self.pid))))

    def read(self) -> None:
        """Reads what it has written by now."""
        self.stdout.read_rest()
        self.stderr.read_rest()

    def end(self) -> int:
        """Ends it and all that it started, and gives its exit code. What it wrote can still be asked for."""
        if not self._is_over:
            self._guard.end()
            code = self._guard.exit_code
            self._code = -signal.SIGKILL if code is None else code
            self._is_over = True
            if self._guard.lost or not self._guard.adopts:
                end_group(self.pid)
                end_marked(f"{self._mark}=1")
            self.read()
            self.stdout.close()
            self.stderr.close()
            self._close_stdin()
            self._close_guard()
        return self._code

    def _close_guard(self) -> None:
        """A guard that is not ours to close is used again, if it is of use."""
        if self._has_own_guard:
            self._guard.close()

    # -- reading and writing while it works ----------------------------------------------------------------------

    @contextlib.contextmanager
    def _selector(self, wake: Any) -> Iterator[selectors.BaseSelector]:
        with selectors.DefaultSelector() as selector:
            for captured in (self.stdout, self.stderr):
                if captured.is_open:
                    selector.register(captured, selectors.EVENT_READ)
            if self._stdin is not None:
                selector.register(self._stdin, selectors.EVENT_WRITE)
            selector.register(self._guard, selectors.EVENT_READ)
            if wake is not None:
                selector.register(wake, selectors.EVENT_READ)
            yield selector

    def _serve(self, selector: selectors.BaseSelector, seconds: float) -> None:
        for key, _ in selector.select(max(0.0, seconds)):
            if isinstance(key.fileobj, Captured):
                # Unregister by number: the pipe is closed by the read that finds its end.
                descriptor = key.fd
                key.fileobj.read()
                if not key.fileobj.is_open:
                    selector.unregister(descriptor)
            elif key.fd == self._stdin:
                self._send(selector)
            elif key.fileobj is self._guard and self.exit_code is not None:
                selector.unregister(self._guard)  # it has nothing more to tell, and whoever waits may wait for more

    def _send(self, selector: selectors.BaseSelector) -> None:
        assert self._stdin is not None  # noqa: S101 - it is registered
        try:
            self._unsent = self._unsent[os.write(self._stdin, self._unsent[: 1 << 16]) :]
        except BlockingIOError:
            return
        except OSError:  # it does not want more
            self._unsent = memoryview(b"")
        if not self._unsent:
            selector.unregister(self._stdin)
            self._close_stdin()

    def _close_stdin(self) -> None:
        _close(self._stdin)
        self._stdin = None


class _Pipe(NamedTuple):
    """The two ends of a pipe; None where only the other one is there."""

    ours: int | None
    theirs: int


def _pipe(*, to_us: bool) -> _Pipe:
    reading, writing = os.pipe()
    return _Pipe(reading, writing) if to_us else _Pipe(writing, reading)


def _devnull() -> _Pipe:
    return _Pipe(None, os.open(os.devnull, os.O_RDONLY))


def _close(descriptor: int | None) -> None:
    if descriptor is not None:
        os.close(descriptor)


def _session_pages(session: int) -> Iterator[int]:
    """The resident pages of each process of a session."""
    for pid in all_pids():
        try:
            with open(f"/proc/{pid}/stat", "rb") as stream:  # noqa: PTH123 - there are many, and this is faster
                # Behind the name, which can have anything in it: state, parent, group, session, …, resident pages.
                fields = stream.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if len(fields) > 21 and int(fields[3]) == session:
            yield int(fields[21])
