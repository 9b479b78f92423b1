"""Limits on what a process may use, and texts for how a process ended."""

from __future__ import annotations

import math
import os
import signal
from dataclasses import dataclass
from enum import Enum

__all__ = ["OUT_OF_MEMORY_WORDS", "Limits", "Passed", "bound_processor_time", "ending"]

OUT_OF_MEMORY_WORDS = (
    "memory allocation of",
    "MemoryError",
    "OutOfMemoryError",
    "bad_alloc",
    "Cannot allocate memory",
)
"""The last output of a process that ran out of memory contains one of these."""

_SLACK_SECONDS = 10


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


def bound_processor_time(seconds: float) -> None:
    """For a child process: limit its own processor time.

    The parent ends a child that takes too long. This limit still holds if the parent and the guard were killed.
    """
    import resource  # not available on all platforms, and not needed in parents

    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    allowed = math.ceil(spent + (os.cpu_count() or 1) * (seconds + _SLACK_SECONDS))
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, resource.RLIM_INFINITY))
