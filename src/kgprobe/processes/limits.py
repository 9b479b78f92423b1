"""What a process may use: time, memory, threads and a temporary folder; and texts for how a process ended."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from kgprobe.errors import one_line

__all__ = [
    "OUT_OF_MEMORY_WORDS",
    "Limits",
    "Passed",
    "bound_memory",
    "bound_processor_time",
    "clean_folder",
    "ending",
    "last_words",
    "new_folder",
    "no_idle_threads",
    "removed",
    "without_idle_threads",
]

OUT_OF_MEMORY_WORDS = (
    "memory allocation of",
    "MemoryError",
    "OutOfMemoryError",
    "bad_alloc",
    "Cannot allocate memory",
)
"""The last output of a process that ran out of memory contains one of these."""
_SLACK_SECONDS = 10
_MOST_OUTPUT = 2000
_PREFIX = "kgprobe-"
_MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - a folder with a random name is made in it
_VARIABLE = "OPENBLAS_NUM_THREADS"
_asked: list[bool] = []


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds for one task, and megabytes for a process with all its descendants (0: no limit)."""

    seconds: float = 60.0
    memory_mb: int = 2048


class Passed(Enum):
    """The limit that a process exceeded."""

    TIME = "time"
    MEMORY = "memory"


def ending(code: int) -> str:
    """How a process ended: the name of a signal, or its exit code."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:  # a real-time signal
        return f"signal {-code}"


def last_words(code: int, output: str) -> str:
    """How a process ended, with the last line of its output."""
    lines = output[-_MOST_OUTPUT:].split("\n")
    said = next((line for line in map(one_line, reversed(lines)) if line), "")
    return ending(code) + (f": {said}" if said else "")


def bound_processor_time(seconds: float) -> None:
    """For a child process: limit its own processor time.

    The parent ends a child that takes too long. This limit still holds if the parent and the guard were killed.
    """
    import resource  # not available on all platforms, and not needed in parents

    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    allowed = math.ceil(spent + (os.cpu_count() or 1) * (seconds + _SLACK_SECONDS))
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, resource.RLIM_INFINITY))


def bound_memory(more_bytes: int) -> None:
    """For a child process: limit what it may use in addition to its present memory, as far as the system can."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # as above

        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more_bytes, most))


def new_folder(*, in_memory: bool = False) -> tempfile.TemporaryDirectory[str]:
    """A folder that the caller removes with `removed`; with `in_memory`, in memory if the system supports that."""
    inside = _MEMORY_FOLDER if in_memory and _MEMORY_FOLDER.is_dir() else None
    return tempfile.TemporaryDirectory(prefix=_PREFIX, dir=inside, ignore_cleanup_errors=True)


def removed(folder: tempfile.TemporaryDirectory[str]) -> None:
    """Remove a folder, as far as its contents permit."""
    with contextlib.suppress(OSError, RecursionError):  # thousands of nested folders
        folder.cleanup()


@contextlib.contextmanager
def clean_folder() -> Iterator[Path]:
    """A folder for one run."""
    folder = new_folder()
    try:
        # Resolve links, so that a program that asks for its folder gets the same name that it was given.
        yield Path(folder.name).resolve()
    finally:
        removed(folder)


def no_idle_threads() -> None:
    """Keep this process from starting these threads."""
    _asked[:] = [True]


@contextmanager
def without_idle_threads() -> Iterator[None]:
    """Import numpy within this context. Programs that are started later get the original environment."""
    if not _asked or _VARIABLE in os.environ:
        yield
        return
    os.environ[_VARIABLE] = "1"
    try:
        yield
    finally:
        del os.environ[_VARIABLE]
