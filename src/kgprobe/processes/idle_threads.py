"""Importing numpy without the threads that it starts for linear algebra, which kgprobe never uses.

The command line asks for that. A program that uses kgprobe as a library may need the threads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_idle_threads", "without_idle_threads"]

_VARIABLE = "OPENBLAS_NUM_THREADS"
_asked: list[bool] = []


def no_idle_threads() -> None:
    """Ask that this process starts none of these threads."""
    _asked[:] = [True]


@contextmanager
def without_idle_threads() -> Iterator[None]:
    """Import numpy inside of this. Programs that are started later get the original environment."""
    if not _asked or _VARIABLE in os.environ:
        yield
        return
    os.environ[_VARIABLE] = "1"
    try:
        yield
    finally:
        del os.environ[_VARIABLE]
