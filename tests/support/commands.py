"""The command line, run as a user runs it: in a separate process, with a time limit."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.fork_server import Started, start

__all__ = [
    "INTERRUPTIBLE",
    "Done",
    "assert_refused",
    "kgprobe",
    "kgprobe_in_the_background",
    "kgprobe_on_a_terminal",
    "needs_linux",
]

INTERRUPTIBLE = (
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from kgprobe.cli import main; main()",
)
"""The command, for a test that sends it Ctrl-C: a shell that runs tests in the background would have it ignored."""

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel how much memory was needed")


@dataclass(frozen=True)
class Done:
    """The result of a command, and its peak memory if that was measured."""

    returncode: int
    stdout: str
    stderr: str
    megabytes: float | None = None

    @property
    def told(self) -> str:
        """The text on stderr, without the progress lines that appear on a slow machine."""
        return "".join(line for line in self.stderr.splitlines(True) if not line.startswith("kgprobe: reading "))


def kgprobe(
    *arguments: str | Path,
    stdin: bytes = b"",
    seconds: float = 300,
    measured: bool = False,
    environment: dict[str, str] | None = None,
    real: bool = False,
) -> Done:
    """Run a command; a test fails if it takes longer than this.

    It is forked from a process that has imported kgprobe. `real` starts the program itself, as a user would, for tests
    about the start of the program, and so does whatever needs it.
    """
    with tempfile.TemporaryDirectory() as folder:
        full = os.environ | {"PYTHONIOENCODING": "utf-8", "TMPDIR": folder} | (environment or {})
        given = list(map(str, arguments))
        if real or any(name.startswith("PYTHON") for name in environment or ()):
            assert not measured, "only the memory of a fork is measured"
            return _run_program(given, stdin, seconds, full)
        return _run_fork(given, stdin, seconds, full, Path(folder) / "peak" if measured else None)


def _run_program(arguments: list[str], stdin: bytes, seconds: float, environment: dict[str, str]) -> Done:
    command = [sys.executable, "-m", "kgprobe", *arguments]
    done = subprocess.run(  # noqa: S603 - our own command, our own arguments
        command, input=stdin, capture_output=True, timeout=seconds, env=environment, check=False
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def _run_fork(
    arguments: list[str], stdin: bytes, seconds: float, environment: dict[str, str], peak: Path | None
) -> Done:
    # Files, not pipes: a process that a command leaves behind may keep pipes open.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        files = (given.fileno(), out.fileno(), err.fileno())
        code = start(arguments, environment, files, peak=peak).wait(seconds)
        out.seek(0)
        err.seek(0)
        megabytes = int(peak.read_text()) / 1024 if peak is not None and peak.exists() else None
        return Done(code, out.read().decode(), err.read().decode(), megabytes)


def kgprobe_in_the_background(*arguments: str | Path, environment: dict[str, str] | None = None) -> Started:
    """Start a command without input and output. A test can send it signals."""
    with Path(os.devnull).open("r+b") as nothing:
        files = (nothing.fileno(), nothing.fileno(), nothing.fileno())
        return start(list(map(str, arguments)), os.environ | (environment or {}), files)


def assert_refused(done: Done, *told: str) -> None:
    """The command refused its input: one line on stderr that says all of this, and nothing else."""
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert done.told.startswith("kgprobe: error: "), done.stderr
    assert done.told.count("\n") == 1, done.stderr
    assert done.told.endswith("\n")
    assert not [text for text in told if text not in done.told], done.stderr


def kgprobe_on_a_terminal(*arguments: str | Path, typed: str | None = None) -> tuple[int, bytes, str]:
    """Run a command whose stderr is a terminal: its exit code, its stdout, and what the terminal shows.

    If something is typed, its standard input is that terminal as well.
    """
    terminal, end = pty.openpty()
    if typed is not None:
        os.write(terminal, typed.encode())
    done = subprocess.run(  # noqa: S603 - our own command, our own arguments
        [sys.executable, "-m", "kgprobe", *map(str, arguments)],
        stdin=None if typed is None else end,
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        check=False,
    )
    os.close(end)
    try:
        shown = os.read(terminal, 1 << 16).decode(errors="replace")
    except OSError:  # Linux: no output is left, and all writers have closed the terminal
        shown = ""
    os.close(terminal)
    return done.returncode, done.stdout, shown
