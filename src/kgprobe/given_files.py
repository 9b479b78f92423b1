"""Files that a user names: whatever they are, nothing hangs, fills the memory or raises anything but `InputError`."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from kgprobe.errors import InputError, Position, nearest

__all__ = ["LARGEST_TEXT", "check_file", "exact_text", "open_file", "read_bytes", "read_text"]

LARGEST_TEXT = 10 << 20
"""Bytes. Nobody writes a profile, an operator, a query or a test that is larger than this."""


def read_text(path: str | Path) -> str:
    """What a small file says, with one kind of line ends and no byte order mark."""
    return exact_text(path).removeprefix("\ufeff").replace("\r\n", "\n")


def exact_text(path: str | Path) -> str:
    """What a small file says, to the letter."""
    content = read_bytes(path, LARGEST_TEXT)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError("is no UTF-8 text", where=Position(str(path), line), hint="save it as UTF-8") from None


def read_bytes(path: str | Path, largest: int) -> bytes:
    """What a file holds, if that is no more than so many bytes."""
    descriptor = open_file(path)
    try:
        content = _content(descriptor, largest)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=Position(str(path))) from None
    finally:
        os.close(descriptor)
    if len(content) > largest:
        raise InputError(f"is larger than {largest >> 20} MB", where=Position(str(path)))
    return content


def check_file(path: str | Path, what: str = "a file", *, for_pipes: str | None = None) -> None:
    """That a file is there, is a file, and may be read."""
    os.close(open_file(path, what, for_pipes=for_pipes))


def open_file(path: str | Path, what: str = "a file", *, for_pipes: str | None = None) -> int:
    """A descriptor of a file. `for_pipes` is a hint for those who name a pipe."""
    where = Position(str(path))
    try:
        # To open a pipe would wait for somebody to write to it.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise InputError("no such file", where=where, hint=_suggestion(Path(path))) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=where) from None
    except ValueError:  # it has a character that no name has
        raise InputError("cannot be read: no file can have this name", where=where) from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise InputError(f"is a folder, not {what}", where=where)
    # It could be read only once, or never end.
    raise InputError("is a pipe or a device, not a file", where=where, hint=for_pipes)


def _content(descriptor: int, largest: int) -> bytes:
    """What a file holds, up to one byte more than the largest may have."""
    # A buffer of the largest size for each of thousands of small files would take longer than to read them.
    size = min(os.fstat(descriptor).st_size, largest)
    content = os.read(descriptor, size + 1)
    if len(content) == size:
        return content
    pieces = [content]  # it has grown or shrunk meanwhile, or does not tell its size
    while sum(map(len, pieces)) <= largest and (piece := os.read(descriptor, 1 << 20)):
        pieces.append(piece)
    return b"".join(pieces)


def _suggestion(missing: Path) -> str | None:
    """The file beside a missing one that was most likely meant."""
    if not missing.parent.is_dir():
        return f"there is no folder {missing.parent}"
    try:
        siblings = [sibling.name for sibling in missing.parent.iterdir() if sibling.is_file()]
    except OSError:  # a folder that lets pass, but not look
        return None
    meant = nearest(missing.name, siblings)
    return f"did you mean {missing.with_name(meant)}?" if meant else None
