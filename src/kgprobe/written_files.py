"""Writes files that a user names: completely or not at all, and over no other file unless that is wanted.

Whether a file exists is decided in the step that creates it. So of two commands that write to the same new file at the
same time, one succeeds, and the other says that the file exists.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError, Position

__all__ = ["AlreadyExistsError", "OwnKind", "check_new", "check_writable", "new_file", "write_file", "write_new"]

_START = 2000  # bytes, by which a file is recognised
_UNFINISHED = re.compile(r"\.kgprobe-[0-9a-f]{8}\.part")


def check_new(path: Path, *, force: bool) -> None:
    """InputError if this is not a valid path, or if the file exists and `force` is false.

    A pipe or a device is written to, and not replaced; that a folder cannot be replaced is found by others.
    """
    with _told(path):
        exists = path.exists() and path.is_file()
    if exists and not force:
        raise _already_exists(path)


def check_writable(path: Path, *, force: bool, inputs: Iterable[str | Path] = ()) -> None:
    """InputError if it is clear in advance that a file cannot be written.

    An existing file is replaced only with `force`, and one of the inputs never.
    """
    where = Position(str(path))
    if path.exists() and any(_exists(given) and path.samefile(given) for given in inputs):
        raise InputError("is an input file, and must not be replaced", where=where)
    check_new(path, force=force)
    if path.is_dir():
        raise _is_a_folder(path)
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError("cannot be written: it is write-protected", where=where)
    if not _is_device(path) and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
        raise InputError("cannot be written: its folder does not exist, or is protected", where=where)


def write_new(path: Path, text: str, *, force: bool) -> None:
    """Write a text, and create the folders of its file. An existing file is replaced only with `force`."""
    check_new(path, force=force)
    try:
        content = text.encode()
    except UnicodeEncodeError:
        where = Position(ascii(str(path)))
        raise InputError("cannot be written: it names a file whose name is not UTF-8", where=where) from None
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, content, force=force)


def write_file(path: Path, content: bytes, *, force: bool = True) -> None:
    """Write a file completely or not at all. An existing file is replaced only with `force`."""
    with new_file(path, force=force) as unfinished:
        unfinished.write_bytes(content)


class AlreadyExistsError(InputError):
    """A file that would have to be replaced."""


@dataclass(frozen=True, slots=True)
class OwnKind:
    """Files that replace earlier ones of their kind, and nothing else: their name, and how to recognise one."""

    name: str
    is_one: Callable[[bytes], bool]
    hint: str = "name another file"

    def check(self, path: Path) -> None:
        """InputError if a file cannot be written, or would replace a file of another kind."""
        check_writable(path, force=True)
        if not path.is_file():
            return
        with path.open("rb") as stream:
            start = stream.read(_START).lstrip(b"\xef\xbb\xbf \t\r\n")
        if start and not self.is_one(start):
            raise InputError(f"is not {self.name}; it was not replaced", where=Position(str(path)), hint=self.hint)

    def write(self, path: Path, text: str) -> None:
        """Write a file. What there is by now is checked again."""
        self.check(path)
        write_file(path, text.encode(), force=path.exists())


@contextmanager
def new_file(path: Path, *, force: bool) -> Iterator[Path]:
    """A file to write to; when the block ends without an error, it gets the path. Errors are an InputError.

    What a process that was killed has left in the folder is removed.
    """
    check_new(path, force=force)
    with _told(path):
        if path.is_dir():
            raise _is_a_folder(path)
        if _is_device(path):
            yield path
            return
        mode = path.stat().st_mode if path.exists() else None
        if mode is not None and not os.access(path, os.W_OK):
            raise InputError("cannot be written: it is write-protected", where=Position(str(path)))
        target = path.resolve()  # a link stays a link
        _remove_abandoned(target.parent)
        # A short and unique name, even if the target's name is long or another process writes to the same file.
        unfinished, lock = _locked_file(target.parent)
        try:
            yield unfinished
            if mode is not None:
                unfinished.chmod(stat.S_IMODE(mode))
            if force:
                unfinished.replace(target)
            else:
                _put(unfinished, target)
        except FileExistsError:
            raise _already_exists(path) from None
        finally:
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
            os.close(lock)


def _put(unfinished: Path, target: Path) -> None:
    """Give a file its name. FileExistsError if there is such a file by now."""
    try:
        target.hardlink_to(unfinished)
    except FileExistsError:
        raise
    except OSError:  # this file system has no links: claim the name with an empty file
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        unfinished.replace(target)


def _locked_file(folder: Path) -> tuple[Path, int]:
    """A new file that is locked as long as this process lives, and the descriptor that holds the lock."""
    while True:
        path = folder / f".kgprobe-{secrets.token_hex(4)}.part"
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        if not _is_lockable(descriptor) or _is_same(path, descriptor):
            return path, descriptor
        os.close(descriptor)  # another process took it for one that was abandoned before it was locked


def _remove_abandoned(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - there can be many
            if _UNFINISHED.fullmatch(name):
                _remove_if_abandoned(folder / name)


def _remove_if_abandoned(path: Path) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if os.fstat(descriptor).st_uid == os.geteuid() and _is_lockable(descriptor):
                path.unlink()
        finally:
            os.close(descriptor)


def _is_lockable(descriptor: int) -> bool:
    """Lock a file, unless another process has, or the file system cannot."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_same(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Errors of the operating system, as errors that name the file."""
    try:
        yield
    except OSError as error:
        missing = path.parent if isinstance(error, FileNotFoundError) and not _exists(path.parent) else None
        hint = f"there is no folder {missing}" if missing else None
        reason = error.strerror or error
        raise InputError(f"cannot be written: {reason}", where=Position(str(path)), hint=hint) from None
    except ValueError as error:  # a character that file names cannot have
        if "null" not in str(error):
            raise
        raise InputError("cannot be written: no file can have this name", where=Position(str(path))) from None


def _is_a_folder(path: Path) -> InputError:
    return InputError("is a folder", where=Position(str(path)), hint="name the file to write")


def _already_exists(path: Path) -> AlreadyExistsError:
    return AlreadyExistsError("already exists", where=Position(str(path)), hint="--force replaces it")


def _is_device(path: Path) -> bool:
    """Whether this is something that is written to, such as a pipe or /dev/null."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _exists(path: str | Path) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # not a valid file name
        return False
