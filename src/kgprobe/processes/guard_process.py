"""The guard's own process: starts one process at a time, and adopts everything that descends from it.

It serves one parent, which it trusts. Requests and reports are frames: a byte with descriptors (requests only), a
length, and a dictionary in Python's `marshal` format. When the parent is gone, it ends what it started, then itself.

Each guard imports this module again, so it imports little: every import slows down the start of each guard.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import time

from kgprobe.processes.tree import adopt_orphans, end_descendants, end_group

TYPE_CHECKING = False  # importing it from `typing` would take longer than everything else
if TYPE_CHECKING:
    from typing import Any

DESCRIPTOR = "{descriptor}"
LENGTH_BYTES = 8
_MOST_DESCRIPTORS = 4
_SECONDS_BETWEEN_LOOKS = 1.0  # at the parent: a copy of its socket may keep the connection open when it has ended
_SECONDS_TO_END = 5.0
LETHAL = frozenset({signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL})
"""The signals that end this process. All others that can be handled do nothing: it ends when its parent has ended."""


class _GoneError(Exception):
    """The parent has ended."""


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
        """Do what the parent asks until it is gone."""
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
        """End what is left. A process of ours gets time to clean up first; its folder is removed."""
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
            import shutil  # rarely needed, and slow to import

            shutil.rmtree(self._folder, ignore_errors=True)

    def _answer(self) -> None:
        request, descriptors = self._request()
        try:
            if "start" in request:
                self._start(request, descriptors)
            elif "keep" in request:
                self._folder = request["keep"]
                self._tell({"kept": self._folder})
            else:
                self._end()
                self._folder = None  # the parent is alive, and removes it
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
        except ValueError as error:  # a name with a null character
            self._started = None
            self._tell({"refused": [0, str(error)]})
        else:
            _bound(self._started.pid, request["processor"])
            self._tell({"started": self._started.pid})

    def _end(self) -> None:
        """End everything that descends from this process."""
        if self._started is not None and self._started.returncode is None:
            end_group(self._started.pid)  # all at once, so that none can start another one in the meantime
        end = time.monotonic() + _SECONDS_TO_END
        while self._reap() and time.monotonic() < end:
            end_descendants(os.getpid(), seconds=_SECONDS_TO_END)
            time.sleep(0.001)
        self._tell({"ended": not self._reap()})

    def _reap(self) -> bool:
        """Take note of the processes that ended or stopped; False if none are left."""
        while True:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG | os.WUNTRACED)
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
                peak = used.ru_maxrss / 1024 if sys.platform == "linux" else 0.0
                self._tell({"exit": self._started.returncode, "peak": peak})

    # -- talking to the parent -----------------------------------------------------------------------------------------

    def _tell(self, message: dict[str, Any]) -> None:
        body = marshal.dumps(message)
        with contextlib.suppress(OSError):  # the next request finds out
            self._control.sendall(len(body).to_bytes(LENGTH_BYTES, "big") + body)

    def _request(self) -> tuple[dict[str, Any], list[int]]:
        try:
            start, descriptors, _, _ = socket.recv_fds(self._control, 1, _MOST_DESCRIPTORS)
            if not start:
                raise _GoneError
            body = self._read(int.from_bytes(self._read(LENGTH_BYTES), "big"))
        except OSError:
            raise _GoneError from None
        request: dict[str, Any] = marshal.loads(body)  # noqa: S302 - from our own parent
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
    """Limits that hold even if this process is killed, and no core dumps: crashes are normal here."""
    if sys.platform != "linux":
        return
    import resource  # not available on all platforms

    with contextlib.suppress(OSError):
        _, most = resource.prlimit(pid, resource.RLIMIT_CORE)
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, most))
        if seconds is not None:
            allowed = int((os.cpu_count() or 1) * seconds) + 1
            resource.prlimit(pid, resource.RLIMIT_CPU, (allowed, allowed))


def _nothing(_signal: int, _frame: object) -> None:
    """A handler instead of ignoring a signal: a process that is started would inherit that."""


def main(descriptor: int, parent: int) -> None:
    """Serve one parent until it is gone."""
    for number in signal.valid_signals() - LETHAL:
        with contextlib.suppress(OSError):  # the C library reserves some, and SIGSTOP cannot be handled
            signal.signal(number, _nothing)
    guard = _Guard(socket.socket(fileno=descriptor), parent)
    os.chdir("/")  # so that this process keeps no folder in use
    with contextlib.suppress(_GoneError):
        guard.serve()
    guard.abandon()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
