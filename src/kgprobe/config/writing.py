"""Writes profiles and operators: values in TOML, safe names, and files that overwrite nothing by accident."""

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
    """A string in TOML. The syntax is that of JSON, except for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_array(texts: Iterable[str]) -> str:
    """An array of strings."""
    return f"[{', '.join(map(toml_string, texts))}]"


def relative(path: Path, folder: Path) -> str:
    """A path relative to this folder, with slashes, so that it works on every platform."""
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return path.resolve().as_posix()


def folder_name(text: str) -> str:
    """The text as a safe name of a folder or file: without separators and control characters, and not too long."""
    safe = "".join(sign if sign.isprintable() and sign not in "/\\:" else "_" for sign in text)
    short = safe.encode()[:_LONGEST_NAME].decode(errors="ignore")
    return short.rstrip(" .") or "seed"  # "." and ".." would name other folders


def check_new(path: Path, *, force: bool) -> None:
    """InputError if this is not a valid path, or if the file exists and `force` is false."""
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:  # not a valid file name
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot be written: {reason}", where=Position(str(path))) from None
    if exists and not force:
        raise InputError("already exists", where=Position(str(path)), hint="--force replaces it")


def check_writable(path: Path, *, inputs: Iterable[str | Path] = ()) -> None:
    """InputError if it is clear in advance that a file cannot be written or replaced, or if it is one of the inputs."""
    check_new(path, force=True)
    where = Position(str(path))
    if path.exists() and any(_exists(each) and path.samefile(each) for each in inputs):
        raise InputError("is an input file, and must not be replaced", where=where)
    if path.is_dir():
        raise InputError("cannot be written: it is a folder", where=where)
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError("cannot be written: it is write-protected", where=where)
    is_device = path.exists() and not path.is_file()
    if not is_device and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
        raise InputError("cannot be written: its folder does not exist, or is protected", where=where)


def _exists(path: str | Path) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # not a valid file name
        return False


def write_new(path: Path, text: str, *, force: bool) -> None:
    """Write a file, and create its folders. An existing file is replaced only with `force`."""
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
