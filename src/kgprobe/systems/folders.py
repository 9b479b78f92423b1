"""Folders for what a system writes: empty at first, and gone afterwards."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["clean_folder", "new_folder", "removed"]


def new_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that whoever asked for it removes with `removed`."""
    return tempfile.TemporaryDirectory(prefix="kgprobe-", ignore_cleanup_errors=True)


def removed(folder: tempfile.TemporaryDirectory[str]) -> None:
    """Remove a folder, as far as what was put into it lets us."""
    with contextlib.suppress(OSError, RecursionError):  # thousands of folders in each other
        folder.cleanup()


@contextlib.contextmanager
def clean_folder() -> Iterator[Path]:
    """A folder for one run."""
    folder = new_folder()
    try:
        # Without links in its name: a program that asks where it is gets the name that it was told.
        yield Path(folder.name).resolve()
    finally:
        removed(folder)
