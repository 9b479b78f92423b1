"""A process that is not trusted: in a session of its own, watched while it works, and ended with all that it started.

Ending its process group is not enough. A process can leave its group, and its parent can go before it, so that nobody
can tell whose it was. So each child gets a mark in its environment, which all that it starts inherit: whoever carries
the mark when the child has to go, goes too.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from kgprobe.reasoners.process_tree import end_group, resident_mb
from kgprobe.reasoners.protocol import Limits
from kgprobe.systems.captured import Captured

__all__ = ["Child", "Passed", "ending"]

_MARK = "KGPROBE_RUN_"  # and a number, so that a kgprobe inside a kgprobe takes no mark away
_SECONDS_BETWEEN_LOOKS = 0.05  # at how much memory it uses
_MOST_SWEEPS = 50  # a process that starts others faster than they can be ended must not keep us
_SLACK_SECONDS = 30  # between our own limit and the one that works if we are gone


class Passed(Enum):
    """A limit that was passed."""

    TIME = "time"
    MEMORY = "memory"


class Child:
    """One process. OSError if it cannot be started."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str] | None = None,
        sent: bytes | None = None,
        descriptors: Sequence[int] = (),
        bound_processor: float | None = None,
    ) -> None:
        """`sent` goes to its standard input; `bound_processor` are seconds after which it ends if nobody ends it."""
        self._mark = _MARK + secrets.token_hex(16)
        self._process = subprocess.Popen(  # noqa: S603 - running what the user names is the purpose; never in a shell
            list(arguments),
            cwd=folder,
            env={**os.environ, **(environment or {}), self._mark: "1"},
            stdin=subprocess.DEVNULL if sent is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=descriptors,
            start_new_session=True,
            bufsize=0,
        )
        self.pid = self._process.pid
        self._bound(bound_processor)
        self.stdout = Captured(_taken(self._process.stdout))
        self.stderr = Captured(_taken(self._process.stderr))
        self._unsent = memoryview(sent or b"")
        self._stdin = None if sent is None else _taken(self._process.stdin)
        if self._stdin is not None:
            os.set_blocking(self._stdin, False)
        self._exit_event = _exit_event(self.pid)
        self._is_over = False

    @property
    def exit_code(self) -> int | None:
        """What it ended with; a negative number is a signal, and None means that it is running."""
        return self._process.poll()

    def watch(self, limits: Limits, *, wake: Any = None, is_done: Callable[[], bool] | None = None) -> Passed | None:
        """Waits until it has ended, or `is_done`, or a limit is passed, and reads what it writes meanwhile.

        `wake` is something with a descriptor: when that is readable, `is_done` may have become true. A memory limit
        of 0 is none.
        """
        end = time.perf_counter() + limits.seconds
        next_look = time.perf_counter() + _SECONDS_BETWEEN_LOOKS if limits.memory_mb else end
        with self._selector(wake) as selector:
            while not (self.exit_code is not None if is_done is None else is_done()):
                now = time.perf_counter()
                if now >= end:
                    return Passed.TIME
                if now >= next_look:
                    if self.resident_mb() > limits.memory_mb:
                        return Passed.MEMORY
                    # On a computer with thousands of processes a look takes long; it must not be all that we do.
                    looked = time.perf_counter()
                    next_look = looked + max(_SECONDS_BETWEEN_LOOKS, 10 * (looked - now))
                self._serve(selector, min(end, next_look) - now)
        return None

    def resident_mb(self) -> float:
        """The memory of all processes that descend from it or are in its session."""
        pages = sum(_session_pages(self.pid))
        return max(resident_mb(self.pid), pages * os.sysconf("SC_PAGE_SIZE") / 2**20 if pages else 0.0)

    def read(self) -> None:
        """Reads what it has written by now."""
        self.stdout.read_rest()
        self.stderr.read_rest()

    def end(self) -> int:
        """Ends it and all that it started, and gives its exit code. What it wrote can still be asked for."""
        if not self._is_over:
            self._is_over = True
            for _ in range(_MOST_SWEEPS):
                end_group(self.pid)
                if not self._end_marked():
                    break
            self._process.wait()
            self.read()
            self.stdout.close()
            self.stderr.close()
            self._close_stdin()
            if self._exit_event is not None:
                os.close(self._exit_event)
                self._exit_event = None
        code = self._process.returncode
        return 0 if code is None else code

    def _end_marked(self) -> bool:
        """Ends those that carry the mark; False if there were none."""
        found = False
        for pid in _all_pids():
            if pid != self.pid and _carries(pid, f"{self._mark}=1".encode()):
                found = True
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        return found

    def _bound(self, seconds: float | None) -> None:
        """Limits that stay if we are killed meanwhile, and no core dumps: a crash is nothing special here."""
        if sys.platform != "linux":
            return
        import resource  # not everywhere

        with contextlib.suppress(OSError):
            _, most = resource.prlimit(self.pid, resource.RLIMIT_CORE)
            resource.prlimit(self.pid, resource.RLIMIT_CORE, (0, most))
            if seconds is not None:
                allowed = int((os.cpu_count() or 1) * (seconds + _SLACK_SECONDS)) + 1
                resource.prlimit(self.pid, resource.RLIMIT_CPU, (allowed, allowed))

    # -- reading and writing while it works ----------------------------------------------------------------------

    @contextlib.contextmanager
    def _selector(self, wake: Any) -> Iterator[selectors.BaseSelector]:
        with selectors.DefaultSelector() as selector:
            for captured in (self.stdout, self.stderr):
                if captured.is_open:
                    selector.register(captured, selectors.EVENT_READ)
            if self._stdin is not None:
                selector.register(self._stdin, selectors.EVENT_WRITE)
            if self._exit_event is not None:
                selector.register(self._exit_event, selectors.EVENT_READ)
            if wake is not None:
                selector.register(wake, selectors.EVENT_READ)
            yield selector

    def _serve(self, selector: selectors.BaseSelector, seconds: float) -> None:
        if self._exit_event is None:
            seconds = min(seconds, 0.01)  # nothing wakes us when it ends
        for key, _ in selector.select(max(0.0, seconds)):
            if isinstance(key.fileobj, Captured):
                # Unregister by number: the pipe is closed by the read that finds its end.
                descriptor = key.fd
                key.fileobj.read()
                if not key.fileobj.is_open:
                    selector.unregister(descriptor)
            elif key.fd == self._stdin:
                self._send(selector)

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
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None


def ending(code: int) -> str:
    """What to call the end of a process: the name of a signal, or its exit code."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:  # a signal of the real-time kind
        return f"signal {-code}"


def _taken(pipe: Any) -> int:
    """The descriptor of a pipe, which is ours to close from now on."""
    descriptor = os.dup(pipe.fileno())
    pipe.close()
    return descriptor


def _exit_event(pid: int) -> int | None:
    """Something that becomes readable when a process ends."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _all_pids() -> Iterator[int]:
    """All processes, as far as the system tells."""
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - there are many, and this is faster
    except OSError:
        return
    for name in names:
        if name.isdigit():
            yield int(name)


def _carries(pid: int, entry: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as stream:  # noqa: PTH123 - there are many, and this is faster
            return entry in stream.read().split(b"\0")
    except OSError:  # it is gone, or somebody else's
        return False


def _session_pages(session: int) -> Iterator[int]:
    """The resident pages of each process of a session."""
    for pid in _all_pids():
        try:
            with open(f"/proc/{pid}/stat", "rb") as stream:  # noqa: PTH123 - there are many, and this is faster
                # Behind the name, which can have anything in it: state, parent, group, session, …, resident pages.
                fields = stream.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if len(fields) > 21 and int(fields[3]) == session:
            yield int(fields[21])
