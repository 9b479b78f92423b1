"""What a process may use: time, memory, threads and a temporary folder; and texts for how a process ended."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import math
import os
import secrets
import shutil
import signal
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from kgprobe.errors import one_line

__all__ = [
    "OUT_OF_MEMORY_EXIT",
    "OUT_OF_MEMORY_WORDS",
    "Limits",
    "Passed",
    "TemporaryFolder",
    "bound_memory",
    "bound_processor_time",
    "clean_folder",
    "ending",
    "is_bounded",
    "last_words",
    "new_folder",
    "no_idle_threads",
    "remove_abandoned_folders",
    "remove_folders",
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
OUT_OF_MEMORY_EXIT = 3
"""The exit code of our own processes, and of Java with ExitOnOutOfMemoryError, when they run out of memory."""
_SLACK_SECONDS = 10
_MOST_OUTPUT = 2000
_REMOVALS = 3
_PREFIX = "kgprobe-held_"  # others look for this name, and may remove the folder if it is not locked
_UNLOCKED = "kgprobe-"
_MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - a folder with a random name is made in it
_VARIABLE = "OPENBLAS_NUM_THREADS"
_asked: list[bool] = []
_bounded: list[bool] = []
_swept: set[Path] = set()
_folders: set[TemporaryFolder] = set()


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


def is_bounded() -> bool:
    """Whether this process was started for work that may take too much, and can be ended."""
    return bool(_bounded)


def bound_memory(more_bytes: int) -> None:
    """For a child process: limit what it may use in addition to its present memory, as far as the system can."""
    _bounded[:] = [True]
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # as above

        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more_bytes, most))


class TemporaryFolder:
    """A folder that is removed with `removed`. As long as its process lives, it is locked.

    The lock shows the next process of ours that nobody uses a folder any more, also if process numbers are used again,
    or belong to another container. It is taken before the folder gets the name by which others look for it.

    A signal may interrupt any of these steps. So this process knows the folder before it exists, and until it is gone.
    """

    def __init__(self, inside: Path | None = None) -> None:
        inside = Path(tempfile.gettempdir()) if inside is None else inside
        _remove_abandoned(inside)
        self._owner = os.getpid()
        self._lock: int | None = None
        mark = secrets.token_hex(8)
        made = inside / f".{_PREFIX}{mark}"
        self._names = [made]
        _folders.add(self)
        try:
            made.mkdir(mode=stat.S_IRWXU)
            self._lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            _folders.discard(self)
            raise
        final = inside / ((_PREFIX if _is_locked_by_us(self._lock) else _UNLOCKED) + mark)
        self._names.append(final)
        self.name = str(made.rename(final))

    def cleanup(self) -> None:
        """Remove the folder, unless this is a copy of the object that a fork has made."""
        if self not in _folders:
            return
        try:
            if self._owner == os.getpid():
                for name in self._names:
                    _remove_all(name)
        except OSError:
            self._forget()
            raise
        self._forget()

    def _forget(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)
        _folders.discard(self)


def new_folder(*, in_memory: bool = False) -> TemporaryFolder:
    """A folder that the caller removes with `removed`; with `in_memory`, in memory if the system supports that."""
    return TemporaryFolder(_MEMORY_FOLDER if in_memory and _MEMORY_FOLDER.is_dir() else None)


def removed(folder: TemporaryFolder) -> None:
    """Remove a folder, as far as its contents permit."""
    with contextlib.suppress(OSError, RecursionError):  # thousands of nested folders
        folder.cleanup()


@atexit.register
def remove_folders() -> None:
    """Remove all temporary folders of this process, which is about to end."""
    for folder in tuple(_folders):
        removed(folder)


def _remove_all(folder: Path) -> None:
    """Remove a folder, also if programs have protected folders in it, or a thread of an engine still writes to it."""
    for _ in range(_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        folder.chmod(stat.S_IRWXU)
        for inner, names, _files in os.walk(folder):
            for path in (Path(inner, name) for name in names):
                if not path.is_symlink():
                    path.chmod(stat.S_IRWXU)


def _is_locked_by_us(folder: int) -> bool:
    """Lock a folder, unless another process has, or the file system cannot."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_abandoned_folders() -> None:
    """Remove what processes of ours that were killed have left among the temporary files."""
    with contextlib.suppress(OSError):  # there may be no folder for temporary files
        _remove_abandoned(Path(tempfile.gettempdir()))
    _remove_abandoned(_MEMORY_FOLDER)


def _remove_abandoned(inside: Path) -> None:
    """Remove what a process of ours that was killed has left in this folder. Each process looks once."""
    if inside in _swept:
        return
    _swept.add(inside)
    with contextlib.suppress(OSError):
        for name in os.listdir(inside):  # noqa: PTH208 - there can be many
            if name.startswith(_PREFIX):
                _remove_if_abandoned(inside / name)


def _remove_if_abandoned(folder: Path) -> None:
    with contextlib.suppress(OSError):
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(held).st_uid == os.geteuid() and _is_locked_by_us(held):
                _remove_all(folder)
        finally:
            os.close(held)


@contextlib.contextmanager
def clean_folder(inside: Path | None = None) -> Iterator[Path]:
    """A folder for one run."""
    folder = TemporaryFolder(inside)
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
