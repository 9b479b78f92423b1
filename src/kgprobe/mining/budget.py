"""Time and memory that a search may use."""

from __future__ import annotations

import os
import time

from kgprobe.processes.tree import resident_mb

__all__ = ["Budget", "UsedUpError"]

_SECONDS_BETWEEN_LOOKS = 0.02
_BYTES_PER_MB = 1 << 20


class UsedUpError(Exception):
    """The time or the memory is used up; `reason` says which."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class Budget:
    """Seconds from now on, and megabytes for this process. None: no limit."""

    def __init__(self, seconds: float | None = None, memory_mb: int | None = None) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._end = None if seconds is None else time.monotonic() + seconds
        self._looked = -1.0

    def check(self, coming_bytes: int = 0) -> None:
        """Raise `UsedUpError` if the time is over, or if this many more bytes do not fit into the memory."""
        now = time.monotonic()
        if self._end is not None and now >= self._end:
            raise UsedUpError(f"the time limit of {self._seconds:g} s was reached")
        if self._memory_mb is None or (not coming_bytes and now - self._looked < _SECONDS_BETWEEN_LOOKS):
            return
        self._looked = now
        if resident_mb(os.getpid()) + coming_bytes / _BYTES_PER_MB > self._memory_mb:
            raise UsedUpError(f"the memory limit of {self._memory_mb} MB was reached")
