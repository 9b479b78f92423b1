"""The one way to start a process: guarded, within limits, and ended with everything that it started.

A `Child` runs in its own session and, unless you say otherwise, in its own folder, which is also where its temporary
files go. It inherits no descriptors but its streams and, if it has one, its channel. A guard stands between us and the
process: see `kgprobe.processes.guard`. Some kernels do not let the guard adopt orphans, and a process can kill its
guard. For these cases each child gets a mark in its environment, which its descendants inherit: every process that
carries the mark is ended with the child.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any

from kgprobe.processes.channel import MOST_KEPT, Captured, Channel
from kgprobe.processes.guard import DESCRIPTOR, Guard, Guards
from kgprobe.processes.limits import Limits, Passed, TemporaryFolder, new_folder, removed
from kgprobe.processes.tree import all_pids, descendants, end_group, end_marked, pages_mb, parent_of, peak_mb

__all__ = ["DESCRIPTOR", "Child", "Ended", "Output", "Setup", "run"]

_MARK = "KGPROBE_RUN_"  # and a number, so that a kgprobe inside a kgprobe takes no mark away
_SECONDS_BETWEEN_LOOKS = 0.05  # at how much memory it uses
_SLACK_SECONDS = 30  # between our own limit and the one that works if we are gone


class Output(Enum):
    """The target of a process's output: us, us with errors interleaved, our own output, or nowhere."""

    CAPTURED = "captured"
    MERGED = "merged"
    INHERITED = "inherited"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a process gets from us: the folder it runs in, more variables for its environment, and its output.

    `scratch` is the folder for its temporary files, and the one it runs in if no other is given. It stays yours to
    remove, unless you are killed: then the guard removes it. Without it, the child makes one, `in_memory` if the system
    supports that, and removes it. `most_output` is how much is kept of each output, and `longest_frame` the length of a
    frame that the process may send. `bound_processor` are seconds of processor time after which it ends even if no
    process is left to end it. If we are killed, it gets a SIGTERM and `grace` seconds before it is ended.
    """

    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    scratch: Path | None = None
    in_memory: bool = False
    output: Output = Output.CAPTURED
    most_output: int = MOST_KEPT
    longest_frame: int | None = None
    bound_processor: float | None = None
    grace: float = 0.0


_DEFAULT = Setup()


class Child:
    """One process. OSError if it cannot be started. Used in a `with`, it ends with the block."""

    def __init__(
        self,
        arguments: Sequence[str],
        setup: Setup = _DEFAULT,
        *,
        sent: bytes | None = None,
        is_told_more: bool = False,
        guards: Guards | None = None,
    ) -> None:
        """Start a process. `guards` provide its guard.

        `sent` goes to its standard input, which is then closed, unless the process `is_told_more`. If an argument is
        `DESCRIPTOR`, the process gets the other end of `channel` as a descriptor with that number.
        """
        self._mark = _MARK + os.urandom(16).hex()
        self._guards = guards
        self._guard = Guard() if guards is None else guards.take()
        self._owner = os.getpid()
        self.started = time.perf_counter()
        self._own_folder = new_folder(in_memory=setup.in_memory) if setup.scratch is None else None
        self.scratch = (Path(self._own_folder.name) if self._own_folder else Path(str(setup.scratch))).resolve()
        streams = _Streams(setup.output, sends=sent is not None or is_told_more)
        ours, theirs = socket.socketpair() if DESCRIPTOR in arguments else (None, None)
        try:
            self.pid = self._guard.start(
                arguments,
                folder=setup.folder or self.scratch,
                environment={**os.environ, "TMPDIR": str(self.scratch), **setup.environment, self._mark: "1"},
                streams=streams.theirs,
                descriptor=None if theirs is None else theirs.fileno(),
                scratch=self.scratch,
                bound_processor=None if setup.bound_processor is None else setup.bound_processor + _SLACK_SECONDS,
                grace=setup.grace,
            )
        except BaseException:
            streams.close()
            if ours is not None:
                ours.close()
            _released(self._guard, guards, self._own_folder)
            raise
        finally:
            streams.close_theirs()
            if theirs is not None:
                theirs.close()
        self._channel = None if ours is None else Channel(ours, longest=setup.longest_frame)
        self._stdin = streams.stdin
        self.stdout, self.stderr = (
            Captured(descriptor, most=setup.most_output) for descriptor in (streams.stdout, streams.stderr)
        )
        self._unsent = memoryview(sent or b"")
        self._is_told_more = is_told_more
        if self._stdin is not None:
            os.set_blocking(self._stdin, False)
        self._is_over = False
        self._is_closed = False
        self._code = 0

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    @property
    def channel(self) -> Channel:
        """Our end of the channel."""
        if self._channel is None:
            raise ValueError("no argument was DESCRIPTOR, so the process has no channel")
        return self._channel

    @property
    def exit_code(self) -> int | None:
        """How the process ended: a negative number is a signal, and None means that it runs."""
        return self._code if self._is_over else self._guard.exit_code

    @property
    def has_ended(self) -> bool:
        """Whether it has ended. Faster than `exit_code`, for processes of ours: they do not attack their guard."""
        return self._is_over or self._guard.has_reported_end

    @property
    def is_stopped(self) -> bool:
        """Whether a signal stopped the process, or its guard."""
        return not self._is_over and (self._guard.is_stopped or self._guard.lost == "stopped")

    @property
    def lost(self) -> str:
        """The process's attack on its guard: "killed" or "stopped"; empty if there was none."""
        if not self._is_over:
            self._guard.check()
        return self._guard.lost

    def fileno(self) -> int:
        """For `select`: readable when something happened to the process."""
        return self._guard.fileno()

    def wait(self, seconds: float) -> int | None:
        """The exit code, if the process ends by itself within some seconds."""
        return self._code if self._is_over else self._guard.wait(seconds)

    def watch(self, limits: Limits, *, wake: Any = None, is_done: Callable[[], bool] | None = None) -> Passed | None:
        """Wait until it ends, or `is_done`, or it exceeds a limit; read its output in the meantime.

        `wake` is something with a descriptor: when that is readable, `is_done` may have become true.
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
                    # With thousands of processes on the computer, a look takes long, so look less often.
                    looked = time.perf_counter()
                    next_look = looked + max(_SECONDS_BETWEEN_LOOKS, 10 * (looked - now))
                self._serve(selector, min(end, next_look) - now)
        # What was taken between two looks counts, and what was taken by processes that it leaves behind.
        is_too_large = limits.memory_mb and max(self.resident_mb(), self._peak_mb()) > limits.memory_mb
        return Passed.MEMORY if is_too_large else None

    def tell(self, more: bytes) -> None:
        """Send this to its standard input during the next `watch`, after everything that is still to be sent."""
        self._unsent = memoryview(bytes(self._unsent) + more)

    def resident_mb(self) -> float:
        """The memory of the process and of all its descendants."""
        below = self._guard.resident_mb()
        return below if self._guard.adopts else max(below, pages_mb(sum(_session_pages(self.pid))))

    def _peak_mb(self) -> float:
        """The most memory that the process itself has ever had; 0 elsewhere than on Linux."""
        return self._guard.peak_mb if self._guard.has_reported_end else peak_mb(self.pid)

    def below(self) -> frozenset[int]:
        """The process and its descendants, also those that have left its session."""
        return frozenset(descendants(self._guard.pid))

    def end_daemons(self, known: Set[int]) -> frozenset[int]:
        """End what was started by now, is not `known`, and has left its session or lost its parent.

        Returns the processes that there were.
        """
        below = self.below()
        for pid in below - known - {self.pid}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if os.getsid(pid) != self.pid or parent_of(pid) == self._guard.pid:
                    os.kill(pid, signal.SIGKILL)
        return below

    def read(self) -> None:
        """Read what it has written by now."""
        self.stdout.read_rest()
        self.stderr.read_rest()

    def stop(self) -> None:
        """End it with everything that it started. Our ends of its channel and streams stay open until `end`."""
        if self._owner != os.getpid():  # a copy of this object, made by a fork: the process belongs to the original
            self._is_over = True
        if self._is_over:
            return
        self._guard.end()
        code = self._guard.exit_code
        self._code = -signal.SIGKILL if code is None else code
        self._is_over = True
        if self._guard.lost or not self._guard.adopts:
            end_group(self.pid)
            end_marked(f"{self._mark}=1")

    def end(self) -> int:
        """End it with everything that it started, and give its exit code. What it wrote can still be read."""
        self.stop()
        if not self._is_closed:
            self._is_closed = True
            self.read()
            self.stdout.close()
            self.stderr.close()
            self._close_stdin()
            if self._channel is not None:
                self._channel.close()
            if self._owner == os.getpid():
                _released(self._guard, self._guards, self._own_folder)
        return self._code

    # -- reading and writing while it works ----------------------------------------------------------------------------

    @contextlib.contextmanager
    def _selector(self, wake: Any) -> Iterator[selectors.BaseSelector]:
        with selectors.DefaultSelector() as selector:
            for captured in (self.stdout, self.stderr):
                if captured.is_open:
                    selector.register(captured, selectors.EVENT_READ)
            if self._stdin is not None and (self._unsent or not self._is_told_more):
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
                selector.unregister(self._guard)  # it has nothing more to report, and `is_done` may need longer

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
            if not self._is_told_more:
                self._close_stdin()

    def _close_stdin(self) -> None:
        if self._stdin is not None:
            os.close(self._stdin)
        self._stdin = None


# -- a process that runs to its end ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its exit code, the limit that it exceeded, what it did to its guard, and what it wrote."""

    code: int
    seconds: float
    passed: Passed | None
    lost: str
    stdout: Captured
    stderr: Captured


def run(
    arguments: Sequence[str],
    limits: Limits,
    setup: Setup = _DEFAULT,
    *,
    sent: bytes | None = None,
    all_or_nothing: bool = False,
    guards: Guards | None = None,
) -> Ended:
    """Start a process, wait until it ends or exceeds a limit, and end what is left of it.

    OSError if it cannot be started. With `all_or_nothing`, a process that writes more than `most_output` bytes to its
    standard output is ended at once. For the other arguments, see `Child`.
    """
    child = Child(arguments, replace(setup, bound_processor=limits.seconds), sent=sent, guards=guards)

    def is_done() -> bool:
        return child.exit_code is not None or (all_or_nothing and child.stdout.has_dropped)

    with child:
        passed = child.watch(limits, is_done=is_done)
        seconds = time.perf_counter() - child.started
    return Ended(child.end(), seconds, passed, child.lost, child.stdout, child.stderr)


# -- streams, folders and memory ---------------------------------------------------------------------------------------


class _Streams:
    """Our ends of the standard streams of a process, None where we have none, and the ends for the process."""

    def __init__(self, output: Output, *, sends: bool) -> None:
        self.stdin: int | None = None
        self.stdout: int | None = None
        self.stderr: int | None = None
        null = os.open(os.devnull, os.O_RDWR)
        self._opened = [null]
        reading = out = errors = null
        if sends:
            reading, self.stdin = os.pipe()
            self._opened.append(reading)
        if output is Output.INHERITED:
            out, errors = (stream if _is_open(stream) else null for stream in (1, 2))
        if output in (Output.CAPTURED, Output.MERGED):
            self.stdout, out = os.pipe()
            errors = out
            self._opened.append(out)
        if output is Output.CAPTURED:
            self.stderr, errors = os.pipe()
            self._opened.append(errors)
        self.theirs = (reading, out, errors)

    def close_theirs(self) -> None:
        """The process has its own copies."""
        for descriptor in self._opened:
            os.close(descriptor)

    def close(self) -> None:
        """Close our ends, which will not be used."""
        for descriptor in (self.stdin, self.stdout, self.stderr):
            if descriptor is not None:
                os.close(descriptor)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _released(guard: Guard, guards: Guards | None, folder: TemporaryFolder | None) -> None:
    if guards is None:
        guard.close()
    else:
        guards.give_back(guard)
    if folder is not None:
        removed(folder)


def _session_pages(session: int) -> Iterator[int]:
    """The resident pages of each process of a session."""
    for pid in all_pids():
        try:
            with open(f"/proc/{pid}/stat", "rb") as stream:  # noqa: PTH123 - there are many, and this is faster
                # Behind the name, which can contain anything: state, parent, group, session, …, resident pages.
                fields = stream.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if len(fields) > 21 and int(fields[3]) == session:
            yield int(fields[21])
