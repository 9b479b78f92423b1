"""Temporary folders for the files of a process: new and empty, and removed afterwards."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["clean_folder", "new_folder", "removed"]

_PREFIX = "kgprobe-"
_MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - a folder with a random name is made in it


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
