"""Processes that do the work of others: what they use, how they end, and what they say when memory runs out."""

from __future__ import annotations

import contextlib
import math
import os
import signal
from pathlib import Path

__all__ = ["OUT_OF_MEMORY_WORDS", "bound_processor_time", "end_group", "resident_mb"]

OUT_OF_MEMORY_WORDS = (
    "memory allocation of",
    "MemoryError",
    "OutOfMemoryError",
    "bad_alloc",
    "Cannot allocate memory",
)
"""What stands in the last words of a process that got no more memory."""


def resident_mb(pid: int) -> float:
    """The memory that a process and those that it started use. Only Linux tells; elsewhere there is no limit.

    The system's own limits do not do: they count memory that is reserved and never touched, such as the stack of a
    gigabyte that rustdl gives a thread.
    """
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20 + sum(resident_mb(int(child)) for child in children)


def end_group(pid: int) -> None:
    """End a process that leads a group, and all that is left of the group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def bound_processor_time(seconds: float) -> None:
    """For a child: its parent ends it if it takes too long; this ends it if the parent was killed meanwhile."""
    import resource  # not everywhere, and parents need not have it

    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    allowed = math.ceil(spent + (os.cpu_count() or 1) * (seconds + 10))
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, resource.RLIM_INFINITY))
