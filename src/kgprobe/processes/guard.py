"""A small process of ours between us and a process that we start.

A descendant of a process can leave its session, clear its environment, and lose its parent. On Linux the guard then
becomes its parent, so that everything a process has started is found below its guard: it is counted, and it is ended.
A process that signals its parent hits its guard, and we can tell who did it. If we are killed, the guard ends what we
have started, and removes its folder.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kgprobe.processes.guard_process import DESCRIPTOR, LENGTH_BYTES, LETHAL
from kgprobe.processes.limits import clean_folder
from kgprobe.processes.tree import end_descendants, end_group, resident_mb

__all__ = ["DESCRIPTOR", "Guard", "Guards", "guarded_folder"]

_SECONDS_TO_START = 60.0  # on a busy computer; this is not the time of the process that it starts
_SECONDS_TO_ANSWER = 15.0
_SECONDS_TO_END = 10.0
_WAITING = re.compile(rb"^ShdPnd:\s*([0-9a-f]+)", re.MULTILINE)
_STATE = re.compile(rb"^State:\s*(\w)", re.MULTILINE)
_GONE, _STOPPED = ("Z", "X"), ("T", "t")


class Guard:
    """Starts processes, one at a time. OSError if the guard itself cannot be started.

    An argument that is `DESCRIPTOR` becomes the number of the descriptor that the process is given.
    """

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
                    [
                        *[sys.executable, "-P", "-m", "kgprobe.processes.guard_process"],
                        *[str(theirs.fileno()), str(os.getpid())],
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
            except BaseException:
                ours.close()
                raise
        self._control = ours
        self._owner = os.getpid()
        self._status = _status_of(self._process.pid)
        self._finalizer = weakref.finalize(self, _end, self._process, ours, self._status, self._owner)
        self._unread = bytearray()
        self._told: dict[str, Any] = {}
        self._turn = threading.Lock()  # one thread may wait for the end of a process while another asks for it
        self._started: int | None = None
        self.lost = ""
        """The process's attack on its guard: "killed" or "stopped"; empty if there was none."""
        if self._answer("adopts", _SECONDS_TO_START) is None:
            self.close()
            raise OSError("its guard process did not start")

    @property
    def pid(self) -> int:
        """The guard's own process, the ancestor of what it starts."""
        return self._process.pid

    @property
    def adopts(self) -> bool:
        """Whether all descendants of a process stay below the guard. If not, there can be orphans."""
        return bool(self._told.get("adopts"))

    @property
    def is_free(self) -> bool:
        """Whether everything that it started has ended, so that this process can use it again."""
        if self._owner != os.getpid():  # a copy of this object, made by a fork
            return False
        self._read()
        self.check()
        return not self.lost and (self._started is None or self._told.get("ended") is True)

    @property
    def is_stopped(self) -> bool:
        """Whether the process was stopped by a signal since it was started."""
        self._read()
        return "stopped" in self._told

    @property
    def exit_code(self) -> int | None:
        """How the process ended; None while it runs. A process that has lost its guard counts as killed."""
        if self._started is None:
            return None
        self._read()
        self.check()
        if self.lost:
            return -signal.SIGKILL
        code = self._told.get("exit")
        return None if code is None else int(code)

    @property
    def has_reported_end(self) -> bool:
        """Whether the process has ended, from reports alone: faster than `exit_code`, if the process is trusted."""
        self._read()
        return bool(self.lost) or "exit" in self._told

    @property
    def peak_mb(self) -> float:
        """The most memory that the process had, once its end is reported; 0 elsewhere than on Linux."""
        return float(self._told.get("peak", 0.0))

    def fileno(self) -> int:
        """For `select`: readable when the guard has something to report."""
        return self._control.fileno()

    def start(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        streams: tuple[int, int, int],
        descriptor: int | None = None,
        bound_processor: float | None = None,
        scratch: Path | None = None,
        grace: float = 0.0,
    ) -> int:
        """Start a process in its own session, and give its number. OSError if that does not work.

        It may use each processor for `bound_processor` seconds. If we are killed, the guard asks the process to end,
        ends it after `grace` seconds, and removes the folder `scratch`.
        """
        self._told = {"adopts": self.adopts}
        self._started = None
        request = {
            "start": list(arguments),
            "in": str(folder),
            "environment": dict(environment),
            "folder": None if scratch is None else str(scratch),
            "grace": grace,
            "processor": bound_processor,
        }
        self._send(request, [*streams, *([] if descriptor is None else [descriptor])])
        answer = self._answer("started", _SECONDS_TO_ANSWER, or_else="refused")
        if answer is None:
            raise OSError("its guard process has ended")
        if isinstance(answer, list):
            raise OSError(*answer)
        self._started = int(answer)
        return self._started

    def keep(self, folder: Path) -> None:
        """Have the guard remove a folder if we are killed, without a process to start."""
        self._send({"keep": str(folder)}, [])
        self._answer("kept", _SECONDS_TO_ANSWER)

    def wait(self, seconds: float) -> int | None:
        """The exit code, if the process ends within some seconds."""
        end = time.monotonic() + seconds
        while (code := self.exit_code) is None and (left := end - time.monotonic()) > 0:
            select.select([self._control], [], [], min(left, 0.1))
        return code

    def check(self) -> None:
        """Find out whether the guard was sent a signal that kills or stops it, even if the signal is still pending."""
        if self.lost or self._status is None or not self._finalizer.alive:
            return
        # Read twice: a signal that was sent by now and does not wait has had its effect by the second time.
        waiting, _ = _signals_and_state(self._status)
        _, state = _signals_and_state(self._status)
        if state in _GONE or waiting & LETHAL:
            self.lost = "killed"
        elif state in _STOPPED or signal.SIGSTOP in waiting:
            self.lost = "stopped"

    def resident_mb(self) -> float:
        """The memory of the process that was started and of all its descendants."""
        return resident_mb(self.pid, itself=False)

    def end(self) -> None:
        """End the process and all its descendants."""
        if self._started is None:
            return
        self.check()
        if not self.lost:
            self._send({"end": True}, [])
            if self._answer("ended", _SECONDS_TO_ANSWER) is None and not self.lost:
                self.check()
                self.lost = self.lost or "stopped"
        if self.lost:
            # As long as the guard exists, even if it is stopped, the descendants of the process are below it.
            end_group(self._started)
            end_descendants(self.pid, seconds=_SECONDS_TO_END)

    def close(self) -> None:
        """End the guard, with what it has started."""
        self._finalizer()

    # -- talking to it -------------------------------------------------------------------------------------------------

    def _send(self, request: Mapping[str, Any], descriptors: Sequence[int]) -> None:
        body = marshal.dumps(dict(request))
        with contextlib.suppress(OSError):  # the guard is gone, and waiting for an answer shows that
            socket.send_fds(self._control, [b"!"], descriptors)
            self._control.sendall(len(body).to_bytes(LENGTH_BYTES, "big") + body)

    def _answer(self, key: str, seconds: float, *, or_else: str = "") -> Any:
        """The guard's report about something; None if the guard is gone, or stopped."""
        end = time.monotonic() + seconds
        while True:
            self._read()
            for each in (key, or_else):
                if each in self._told:
                    return self._told[each]
            left = end - time.monotonic()
            self.check()
            if self.lost or left <= 0:
                return None
            select.select([self._control], [], [], min(left, 0.1))

    def _read(self) -> None:
        """Take note of what the guard has reported so far."""
        with self._turn:
            try:
                while piece := self._control.recv(1 << 16, socket.MSG_DONTWAIT):
                    self._unread += piece
                self.lost = self.lost or "killed"
            except BlockingIOError:
                pass
            except OSError:
                self.lost = self.lost or "killed"
            while (frame := self._frame()) is not None:
                self._told |= marshal.loads(frame)  # noqa: S302 - from our own process

    def _frame(self) -> bytes | None:
        """The next whole report."""
        length = LENGTH_BYTES + int.from_bytes(self._unread[:LENGTH_BYTES], "big")
        if len(self._unread) < max(length, LENGTH_BYTES):
            return None
        frame = bytes(self._unread[LENGTH_BYTES:length])
        del self._unread[:length]
        return frame


class Guards:
    """Guards for processes that follow each other: a process starts faster with a guard that already runs.

    Threads may share one. A guard that lost a process, or was lost, is not used again.
    """

    def __init__(self) -> None:
        self._free: list[Guard] = []

    def take(self) -> Guard:
        """A guard that has nothing to do. OSError if none can be started."""
        while self._free:
            with contextlib.suppress(IndexError):  # another thread was faster
                guard = self._free.pop()
                if guard.is_free:
                    return guard
                guard.close()
        return Guard()

    def give_back(self, guard: Guard) -> None:
        """Keep a guard for the next process, if it is still of use."""
        if guard.is_free:
            self._free.append(guard)
        else:
            guard.close()

    def close(self) -> None:
        """End the guards that have nothing to do."""
        while self._free:
            with contextlib.suppress(IndexError):
                self._free.pop().close()


@contextlib.contextmanager
def guarded_folder() -> Iterator[Path]:
    """A folder that is removed even if this process is killed. It costs the start of a process."""
    with clean_folder() as folder, contextlib.closing(Guard()) as guard:
        guard.keep(folder)
        yield folder


def _status_of(pid: int) -> int | None:
    """A descriptor to read what a process is doing from, as often as needed. Only Linux has it."""
    try:
        return os.open(f"/proc/{pid}/status", os.O_RDONLY)
    except OSError:
        return None


def _signals_and_state(status: int) -> tuple[set[int], str]:
    """The signals that wait for a process, and its state as one letter."""
    try:
        text = os.pread(status, 1 << 13, 0)
    except OSError:
        return set(), "X"
    waiting, state = _WAITING.search(text), _STATE.search(text)
    bits = int(waiting[1], 16) if waiting else 0
    signals = {int(number) for number in (*LETHAL, signal.SIGSTOP) if bits >> (number - 1) & 1}
    return signals, state[1].decode() if state else ""


def _end(process: subprocess.Popen[bytes], control: socket.socket, status: int | None, owner: int) -> None:
    control.close()  # the guard ends what it has started, and then itself
    if status is not None:
        os.close(status)
    if os.getpid() != owner:  # after a fork: the guard works for the other process
        process.returncode = 0  # it is not ours to wait for
        return
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGCONT)
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        end_descendants(process.pid, seconds=_SECONDS_TO_END)
        process.kill()
        process.wait()
