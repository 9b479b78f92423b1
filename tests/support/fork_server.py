"""Commands without starting Python: a server that has imported kgprobe forks for each command.

A command run this way has its own process, folder, environment and files, as if a shell had started it; only
the half second of imports is saved. `tests/support/commands.py` uses it from Python, and `program()` returns a small
executable called `kgprobe` that shells can use. Tests that depend on how Python starts (its options, `PYTHON…`
variables, memory from the first moment) need the real program.

One server serves one test process, and ends with it.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from io import TextIOWrapper
from pathlib import Path

__all__ = ["Started", "program", "start"]

_LENGTH = 8  # bytes that hold the length of a request
_STANDARD = (0, 1, 2)

# Python without `site` starts in 15 ms. It passes its three files, its folder and its environment to the server.
_PROGRAM = """#!{python} -ISE
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ), ""]).encode()
    socket.send_fds(server, [len(request).to_bytes({length}, "big") + request], [0, 1, 2])
    answer = server.makefile()
    answer.readline()
    code = int(answer.readline() or 3)
if code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


class Started:
    """A running command."""

    def __init__(self, connection: socket.socket) -> None:
        self._answer = connection.makefile()
        self._connection = connection
        self.pid = int(self._answer.readline())

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return bool(select.select([self._connection], [], [], 0)[0])

    def wait(self, seconds: float) -> int:
        """Return its exit code, as `subprocess` does; after the time limit, kill it and raise TimeoutExpired."""
        ready, _, _ = select.select([self._connection], [], [], seconds)
        if not ready:
            os.kill(self.pid, signal.SIGKILL)
            self._answer.readline()
            raise subprocess.TimeoutExpired("kgprobe", seconds)
        with self._connection, self._answer:
            return int(self._answer.readline())


def start(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    files: tuple[int, int, int],
    folder: Path | None = None,
    peak: Path | None = None,
) -> Started:
    """Start a command with these three standard files. At its end, it writes its peak memory to the file `peak`."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(_server() / "socket"))
    request = json.dumps([list(arguments), str(folder or Path.cwd()), dict(environment), str(peak or "")]).encode()
    socket.send_fds(connection, [len(request).to_bytes(_LENGTH, "big") + request], files)
    return Started(connection)


def program() -> Path:
    """An executable that does what `kgprobe` does."""
    return _server() / "bin" / "kgprobe"


@cache
def _server() -> Path:
    """The folder of this process's server, which starts on first use."""
    folder = Path(tempfile.mkdtemp(prefix="kgprobe-fork-"))
    command = [sys.executable, __file__, str(folder)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # numpy would start threads when it is imported
    server = subprocess.Popen(  # noqa: S603 - this very file
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n", "the fork server did not start"
    atexit.register(_end, server, folder)
    scripts = folder / "bin"
    scripts.mkdir()
    script = scripts / "kgprobe"
    script.write_text(_PROGRAM.format(python=sys.executable, address=str(folder / "socket"), length=_LENGTH))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return folder


def _end(server: subprocess.Popen[bytes], folder: Path) -> None:
    server.kill()
    server.wait()
    for stream in (server.stdin, server.stdout):
        if stream is not None:
            stream.close()
    shutil.rmtree(folder, ignore_errors=True)


# -- the server --------------------------------------------------------------------------------------------------------


def _import_everything() -> Callable[[], object]:
    from importlib import import_module

    from kgprobe.cli.app import COMMANDS, main

    for command in COMMANDS:
        import_module(f"kgprobe.cli.{command.replace('-', '_')}")
    return main


def _serve(folder: Path) -> None:
    main = _import_everything()
    # A command starts as many workers as the machine has cores. One is enough, unless a test asks for more.
    os.cpu_count = lambda: 1
    tasks = Path("/proc/self/task")
    assert not tasks.exists() or len(list(tasks.iterdir())) == 1, "a fork needs a process with one thread"
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
        listening.listen()
        os.write(1, b"ready\n")
        while True:
            ready, _, _ = select.select([listening.fileno(), woken, 0], [], [])
            if 0 in ready:  # the test process has ended
                return
            if woken in ready:
                os.read(woken, 4096)
                _report_ended(running)
            if listening.fileno() in ready:
                connection, _ = listening.accept()
                request, files = _received(connection)
                pid = os.fork()
                if pid == 0:
                    _run(main, request, files)
                for each in files:
                    os.close(each)
                running[pid] = connection
                _say(connection, pid)


def _say(connection: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # the client no longer waits for it
        connection.sendall(f"{number}\n".encode())


def _report_ended(running: dict[int, socket.socket]) -> None:
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            if pid in running:
                with running.pop(pid) as connection:
                    _say(connection, os.waitstatus_to_exitcode(status))


def _received(connection: socket.socket) -> tuple[bytes, list[int]]:
    text, files, _, _ = socket.recv_fds(connection, 1 << 16, len(_STANDARD))
    wanted = _LENGTH + int.from_bytes(text[:_LENGTH], "big")
    while len(text) < wanted:
        text += connection.recv(1 << 16)
    return text[_LENGTH:], files


def _run(main: Callable[[], object], request: bytes, files: Sequence[int]) -> None:
    """Do what a new Python would do, from the standard files to the exit code."""
    code = 3
    arguments, folder, environment, peak = json.loads(request)
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that runs tests in the background ignores it
        for target, source in zip(_STANDARD, files, strict=True):
            os.dup2(source, target)
        os.closerange(len(_STANDARD), 256)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        sys.argv = ["kgprobe", *arguments]
        sys.stdin, sys.stdout, sys.stderr = _text(0, "r"), _text(1, "w"), _text(2, "w", errors="backslashreplace")
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    finally:
        with contextlib.suppress(BaseException):
            threading._shutdown()  # type: ignore[attr-defined]  # what the interpreter does at its end
            atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):
                stream.flush()
        if peak:
            Path(peak).write_text(_peak_kilobytes())
        os._exit(code)


def _peak_kilobytes() -> str:
    """The peak memory of this process. A fork does not inherit it, in contrast to that of `getrusage`."""
    status = Path("/proc/self/status").read_text()
    return status.partition("VmHWM:")[2].split()[0]


def _text(descriptor: int, mode: str, errors: str = "strict") -> TextIOWrapper:
    stream = TextIOWrapper(open(descriptor, f"{mode}b", closefd=False), encoding="utf-8", errors=errors)  # noqa: SIM115
    is_unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    stream.reconfigure(
        line_buffering=mode == "w" and (descriptor == 2 or is_unbuffered or os.isatty(descriptor)),
        write_through=is_unbuffered,
    )
    return stream


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
