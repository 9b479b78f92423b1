"""The other end of `Guard`: starts one process at a time, and adopts whatever descends from it.

It does little, and does it for one parent that it trusts. Requests come as a byte with descriptors, a length and JSON;
what happens goes back as lines of JSON. When its parent is gone, it ends what it has started, and itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from typing import Any

from kgprobe.processes.tree import adopt_orphans, end_descendants, end_group

__all__ = ["DESCRIPTOR", "LENGTH_BYTES", "LETHAL", "main"]

DESCRIPTOR = "{descriptor}"
LENGTH_BYTES = 8
_MOST_DESCRIPTORS = 4
_SECONDS_BETWEEN_LOOKS = 1.0  # at whether the parent is there; a copy of its socket may keep the connection open
_SECONDS_TO_END = 5.0
LETHAL = frozenset({signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL})
"""The signals that end this process. All others that can be handled do nothing: we end when our parent has ended."""


class _GoneError(Exception):
    """There is nobody to work for."""


class _Guard:
    def __init__(self, control: socket.socket, parent: int) -> None:
        self._control = control
        self._parent = parent
        self._started: subprocess.Popen[bytes] | None = None
        self._grace = 0.0
        self._folder: str | None = None
        self._bell, ring = os.pipe()
        for end in (self._bell, ring):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, _nothing)
        signal.set_wakeup_fd(ring, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Do what is asked until nobody can ask."""
        self._tell({"adopts": adopt_orphans()})
        while True:
            control = self._control.fileno()
            ready, _, _ = select.select([control, self._bell], [], [], _SECONDS_BETWEEN_LOOKS)
            if self._bell in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._bell, 4096)
            self._reap()
            if control in ready:
                self._answer()
            elif os.getppid() != self._parent:
                raise _GoneError

    def abandon(self) -> None:
        """End what is left, with time for a process of ours to do so in good order."""
        process = self._started
        if process is not None and self._grace:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGTERM)
                os.kill(process.pid, signal.SIGCONT)
            end = time.monotonic() + self._grace
            while process.returncode is None and time.monotonic() < end:
                time.sleep(0.01)
                self._reap()
        self._end()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _answer(self) -> None:
        request, descriptors = self._request()
        try:
            if "start" in request:
                self._start(request, descriptors)
            else:
                self._end()
                self._folder = None  # our parent is here to remove it
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _start(self, request: dict[str, Any], descriptors: list[int]) -> None:
        stdin, stdout, stderr, *passed = descriptors
        arguments = [str(passed[0]) if passed and word == DESCRIPTOR else word for word in request["start"]]
        self._grace, self._folder = request["grace"], request["folder"]
        try:
            self._started = subprocess.Popen(  # noqa: S603 - running what the user names is the purpose; never in a shell
                arguments,
                cwd=request["in"],
                env=request["environment"],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=passed,
                start_new_session=True,
            )
        except OSError as error:
            self._started = None
            self._tell({"refused": [error.errno, error.strerror or str(error)]})
        except ValueError as error:  # a name with a null in it
            self._tell({"refused": [0, str(error)]})
        else:
            _bound(self._started.pid, request["processor"])
            self._tell({"started": self._started.pid})

    def _end(self) -> None:
        """End everything that descends from us."""
        if self._started is not None and self._started.returncode is None:
            end_group(self._started.pid)  # all at once, so that none can start another one meanwhile
        end = time.monotonic() + _SECONDS_TO_END
        while self._reap() and time.monotonic() < end:
            end_descendants(os.getpid(), seconds=_SECONDS_TO_END)
            time.sleep(0.001)
        self._tell({"ended": not self._reap()})

    def _reap(self) -> bool:
        """Take note of the processes that have ended or stopped; False if there are none left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                return False
            if not pid:
                return True
            if self._started is None or pid != self._started.pid:
                continue
            if os.WIFSTOPPED(status):
                self._tell({"stopped": True})
            else:
                self._started.returncode = os.waitstatus_to_exitcode(status)
                self._tell({"exit": self._started.returncode})

    # -- talking to the parent -----------------------------------------------------------------------------------------

    def _tell(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # whoever asks next finds out
            self._control.sendall(json.dumps(message).encode() + b"\n")

    def _request(self) -> tuple[dict[str, Any], list[int]]:
        try:
            start, descriptors, _, _ = socket.recv_fds(self._control, 1, _MOST_DESCRIPTORS)
            if not start:
                raise _GoneError
            request: dict[str, Any] = json.loads(self._read(int.from_bytes(self._read(LENGTH_BYTES), "big")))
        except OSError:
            raise _GoneError from None
        return request, descriptors

    def _read(self, length: int) -> bytes:
        found = bytearray()
        while len(found) < length:
            piece = self._control.recv(length - len(found))
            if not piece:
                raise _GoneError
            found += piece
        return bytes(found)


def _bound(pid: int, seconds: float | None) -> None:
    """Limits that stay if we are killed, too, and no core dumps: a crash is nothing special here."""
    if sys.platform != "linux":
        return
    import resource  # not everywhere

    with contextlib.suppress(OSError):
        _, most = resource.prlimit(pid, resource.RLIMIT_CORE)
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, most))
        if seconds is not None:
            allowed = int((os.cpu_count() or 1) * seconds) + 1
            resource.prlimit(pid, resource.RLIMIT_CPU, (allowed, allowed))


def _nothing(_signal: int, _frame: object) -> None:
    """A handler in place of ignoring a signal: a process that is started would ignore it, too."""


def main(descriptor: int, parent: int) -> None:
    """Serve one parent until it is gone."""
    for number in signal.valid_signals() - LETHAL:
        with contextlib.suppress(OSError):  # the C library keeps some for itself, and SIGSTOP cannot be handled
            signal.signal(number, _nothing)
    guard = _Guard(socket.socket(fileno=descriptor), parent)
    os.chdir("/")  # so that no folder is in use because of us
    with contextlib.suppress(_GoneError):
        guard.serve()
    guard.abandon()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
