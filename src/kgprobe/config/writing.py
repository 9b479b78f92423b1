"""Profiles and operators as files: values as TOML writes them, and files that replace nothing by accident."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from kgprobe.errors import InputError, Position

__all__ = ["check_new", "check_writable", "folder_name", "relative", "toml_array", "toml_string", "write_new"]

# Bytes. Most file systems allow 255; a number may be added.
_LONGEST_NAME = 200


def toml_string(text: str) -> str:
    """A string as TOML writes it: as JSON does, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_array(texts: Iterable[str]) -> str:
    """An array of strings."""
    return f"[{', '.join(map(toml_string, texts))}]"


def relative(path: Path, folder: Path) -> str:
    """A path as a profile in this folder names it; with slashes, so that it means the same on every machine."""
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return path.resolve().as_posix()


def folder_name(text: str) -> str:
    """The text as the name of one folder or file: no path, nothing that a terminal acts on, and not too long."""
    safe = "".join(sign if sign.isprintable() and sign not in "/\\:" else "_" for sign in text)
    short = safe.encode()[:_LONGEST_NAME].decode(errors="ignore")
    return short.rstrip(" .") or "seed"  # also of "." and "..", which name other folders


def check_new(path: Path, *, force: bool) -> None:
    """InputError if a file cannot be written, as far as that is known before: it exists, and must not be replaced."""
    try:
        is_there = path.exists()
    except (OSError, ValueError) as error:  # a name that no file can have
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot be written: {reason}", where=Position(str(path))) from None
    if is_there and not force:
        raise InputError("already exists", where=Position(str(path)), hint="--force replaces it")


def check_writable(path: Path) -> None:
    """InputError if a file cannot be written or replaced, as far as that is known before."""
    check_new(path, force=True)
    where = Position(str(path))
    if path.is_dir():
        raise InputError("cannot be written: it is a folder", where=where)
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError("cannot be written: it is write-protected", where=where)
    is_device = path.exists() and not path.is_file()
    if not is_device and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
        raise InputError("cannot be written: its folder does not exist, or is protected", where=where)


def write_new(path: Path, text: str, *, force: bool) -> None:
    """Write a file, and the folders to it. An existing file is replaced only with `force`."""
    check_new(path, force=force)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", where=Position(str(path))) from None
    except UnicodeEncodeError:
        raise InputError(
            "cannot be written: it names a file whose name is not UTF-8", where=Position(ascii(str(path)))
        ) from None
