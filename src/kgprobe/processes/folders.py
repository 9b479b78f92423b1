"""Folders for what a process writes: empty at first, and gone afterwards, also if whoever made one is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["OWNER", "clean_folder", "new_folder", "remove_folders_of", "removed"]

OWNER = "KGPROBE_FOLDERS_OF"
"""The variable with the name that the folders of a process and of its descendants begin with, if they have one."""

_MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - a folder with a random name is made in it


def new_folder(*, in_memory: bool = False) -> tempfile.TemporaryDirectory[str]:
    """A folder that whoever asked for it removes with `removed`; in memory, if the system has a place there."""
    inside = _MEMORY_FOLDER if in_memory and _MEMORY_FOLDER.is_dir() else None
    return tempfile.TemporaryDirectory(
        prefix=_prefix(os.environ.get(OWNER, "")), dir=inside, ignore_cleanup_errors=True
    )


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


def remove_folders_of(owner: str) -> None:
    """Remove what processes have left behind that had this owner in their environment."""
    for place in {Path(tempfile.gettempdir()), _MEMORY_FOLDER}:
        for folder in place.glob(f"{_prefix(owner)}*"):
            shutil.rmtree(folder, ignore_errors=True)


def _prefix(owner: str) -> str:
    """How the names of folders begin."""
    return f"kgprobe-{owner}_" if owner.isalnum() else "kgprobe-"
