"""A small process of ours between us and a process that is not trusted.

What descends from a process can leave its session, clear its environment, and lose its parent. On Linux it then gets
the guard for a parent, so that whatever a process has started is found below its guard: it is counted, and it is ended.
A process that signals its parent hits its guard, and we can tell who did it. If we are killed, the guard ends what we
have started.
"""

from __future__ import annotations

import contextlib
import json
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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kgprobe.processes.guard_process import DESCRIPTOR, LENGTH_BYTES, LETHAL
from kgprobe.processes.tree import end_descendants, end_group, resident_mb

__all__ = ["DESCRIPTOR", "Guard"]

_SECONDS_TO_START = 60.0  # on a busy computer; this is not the time of the process that it starts
_SECONDS_TO_ANSWER = 15.0
_SECONDS_TO_END = 10.0
_WAITING = re.compile(rb"^ShdPnd:\s*([0-9a-f]+)", re.MULTILINE)
_STATE = re.compile(rb"^State:\s*(\w)", re.MULTILINE)
_GONE, _STOPPED = ("Z", "X"), ("T", "t")


class Guard:
    """Starts processes, one at a time. OSError if it cannot be started itself.

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
        self._status = _status_of(self._process.pid)
        self._finalizer = weakref.finalize(self, _end, self._process, ours, self._status)
        self._unread = bytearray()
        self._told: dict[str, Any] = {}
        self._turn = threading.Lock()  # one thread may wait for the end of a process while another asks for it
        self._started: int | None = None
        self.lost = ""
        """How the process has got rid of its guard: it "killed" or "stopped" it; empty if it did not."""
        if self._answer("adopts", _SECONDS_TO_START) is None:
            self.close()
            raise OSError("the process that watches it did not start")

    @property
    def pid(self) -> int:
        """The guard's own process, from which descends what it starts."""
        return self._process.pid

    @property
    def adopts(self) -> bool:
        """Whether all that descends from a process stays below the guard. If not, there are orphans."""
        return bool(self._told.get("adopts"))

    @property
    def is_free(self) -> bool:
        """Whether nothing is left of what it has started, so that it can be used again."""
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
        """What the process ended with; None while it runs. One that has no guard any more is as good as killed."""
        if self._started is None:
            return None
        self._read()
        self.check()
        if self.lost:
            return -signal.SIGKILL
        code = self._told.get("exit")
        return None if code is None else int(code)

    def fileno(self) -> int:
        """For whoever waits: it is readable when something has happened that was not asked for yet."""
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
        """Start a process in a session of its own, and give its number. OSError if that does not work.

        It may use each processor for `bound_processor` seconds. If we are killed, the guard removes the folder
        `scratch`, and asks the process to end so many seconds (`grace`) before it ends it.
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
            raise OSError("the process that watches it has ended")
        if isinstance(answer, list):
            raise OSError(*answer)
        self._started = int(answer)
        return self._started

    def wait(self, seconds: float) -> int | None:
        """The exit code, if the process ends within some seconds."""
        end = time.monotonic() + seconds
        while (code := self.exit_code) is None and (left := end - time.monotonic()) > 0:
            select.select([self._control], [], [], min(left, 0.1))
        return code

    def check(self) -> None:
        """Find out whether the guard itself was sent a signal that kills or stops it, even if that is yet to happen."""
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
        """The memory of all that descends from the process that was started."""
        return resident_mb(self.pid, itself=False)

    def end(self) -> None:
        """End the process and all that descends from it."""
        if self._started is None:
            return
        self.check()
        if not self.lost:
            self._send({"end": True}, [])
            if self._answer("ended", _SECONDS_TO_ANSWER) is None and not self.lost:
                self.check()
                self.lost = self.lost or "stopped"
        if self.lost:
            # As long as the guard is there, even if it is stopped, what descends from the process is below it.
            end_group(self._started)
            end_descendants(self.pid, seconds=_SECONDS_TO_END)

    def close(self) -> None:
        """End the guard, with what it has started."""
        self._finalizer()

    # -- talking to it -------------------------------------------------------------------------------------------------

    def _send(self, request: Mapping[str, Any], descriptors: Sequence[int]) -> None:
        body = json.dumps(request).encode()
        with contextlib.suppress(OSError):  # it is gone, and whoever waits for an answer finds out
            socket.send_fds(self._control, [b"!"], descriptors)
            self._control.sendall(len(body).to_bytes(LENGTH_BYTES, "big") + body)

    def _answer(self, key: str, seconds: float, *, or_else: str = "") -> Any:
        """What it says about something; None if it is gone, or stopped."""
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
        """Takes note of what it has told so far."""
        with self._turn:
            try:
                while piece := self._control.recv(1 << 16, socket.MSG_DONTWAIT):
                    self._unread += piece
                self.lost = self.lost or "killed"
            except BlockingIOError:
                pass
            except OSError:
                self.lost = self.lost or "killed"
            *lines, rest = self._unread.split(b"\n")
            self._unread = bytearray(rest)
            for line in lines:
                self._told |= json.loads(line)


def _status_of(pid: int) -> int | None:
    """A descriptor from which Linux tells again and again what a process is doing."""
    try:
        return os.open(f"/proc/{pid}/status", os.O_RDONLY)
    except OSError:
        return None


def _signals_and_state(status: int) -> tuple[set[int], str]:
    """The signals that wait for a process, and what it does, as one letter."""
    try:
        text = os.pread(status, 1 << 13, 0)
    except OSError:
        return set(), "X"
    waiting, state = _WAITING.search(text), _STATE.search(text)
    bits = int(waiting[1], 16) if waiting else 0
    signals = {int(number) for number in (*LETHAL, signal.SIGSTOP) if bits >> (number - 1) & 1}
    return signals, state[1].decode() if state else ""


def _end(process: subprocess.Popen[bytes], control: socket.socket, status: int | None) -> None:
    control.close()  # it ends what it has started, and then itself
    if status is not None:
        os.close(status)
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGCONT)
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        end_descendants(process.pid, seconds=_SECONDS_TO_END)
        process.kill()
        process.wait()
