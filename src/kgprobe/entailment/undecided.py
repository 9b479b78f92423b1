"""When it cannot be told what follows."""

from __future__ import annotations

from kgprobe.errors import KgprobeError

__all__ = ["UndecidedError"]


class UndecidedError(KgprobeError):
    """What follows from a graph cannot be told for sure."""
