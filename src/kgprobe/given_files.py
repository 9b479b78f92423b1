"""Reads files that a user names. Whatever they are, this does not hang or fill memory, and raises only `InputError`."""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from kgprobe.errors import InputError, Position, nearest

__all__ = [
    *(
        "DEEPEST",
        "LARGEST_SETTINGS",
        "LARGEST_TEXT",
        "check_file",
        "exact_text",
        "open_file",
        "parse_json",
        "parse_toml",
    ),
    *("read_bytes", "read_text"),
]

LARGEST_TEXT = 10 << 20
"""Bytes; larger than any real profile, operator, query or test."""
LARGEST_SETTINGS = 1 << 20
"""Bytes, for a profile or a configuration: at this size, TOML and YAML parsers take seconds."""
DEEPEST = 16
"""The deepest nesting of tables and arrays in a TOML file; real files need at most five."""

_TOML_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
# The outline of a TOML text: strings and comments, names with their dots, and brackets. No branch backtracks, however
# long the text is.
_QUOTED = r'"(?>(?:\\.|[^"\\\n])*)"' + r"|'[^'\n]*+'"
_NAME = rf"(?:[\w-]++|{_QUOTED})"
_TOML_PARTS = re.compile(
    r'"""(?>(?:\\.|[^\\"]|"(?!""))*)"""' + r"|'''(?>(?:[^']|'(?!''))*)'''" + r"|#[^\n]*+"
    rf"|(?P<name>{_NAME}(?>(?:[ \t]*+\.[ \t]*+{_NAME})*))|(?P<open>[\[{{])|(?P<close>[\]}}])|(?P<unfinished>[\"'])",
    re.DOTALL,
)
_INTEGERS = range(-(1 << 63), 1 << 63)


def read_text(path: str | Path, largest: int | None = None) -> str:
    """The text of a small file, with normalized line ends and without a byte order mark."""
    return exact_text(path, largest).removeprefix("\ufeff").replace("\r\n", "\n")


def exact_text(path: str | Path, largest: int | None = None) -> str:
    """The exact text of a small file."""
    content = read_bytes(path, LARGEST_TEXT if largest is None else largest)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8 text", where=Position(str(path), line), hint="save it as UTF-8") from None


def read_bytes(path: str | Path, largest: int) -> bytes:
    """The content of a file of at most `largest` bytes."""
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


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The content of a TOML text. `name` is its file, for errors.

    The depth is checked first, because the parser of the standard library needs memory quadratic in it.
    """
    _check_depth(text, name)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place and place[1] else (text.count("\n") + 1, None)
        message = f"this is not TOML: {_TOML_PLACE.sub('', str(error))}"
        raise InputError(message, where=Position(name, line, column)) from None
    except ValueError:  # a number with thousands of digits
        raise InputError("a number in this file is too long", where=Position(name)) from None
    for key, value in _leaves(document, ""):
        if isinstance(value, int) and value not in _INTEGERS:
            raise InputError(f"the number for '{key}' is too large", where=Position(name), hint="TOML has 64 bits")
    return document


def parse_json(text: str, where: Position) -> Any:
    """The value of a JSON text; `where` is its start, for errors."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = (where.line or 1) + error.lineno - 1
        raise InputError(f"is not JSON: {error.msg}", where=Position(where.file, line, error.colno)) from None
    except (RecursionError, ValueError):
        raise InputError("this JSON is nested too deeply, or has too long a number", where=where) from None


def _check_depth(text: str, name: str) -> None:
    """Refuse dotted names and nested brackets, outside strings and comments, that are too deep."""
    depth = 0
    for part in _TOML_PARTS.finditer(text):
        if part["unfinished"]:
            return  # the parser does not get further, either
        depth = max(depth + bool(part["open"]) - bool(part["close"]), 0)
        if max(depth, _names_in(part["name"] or "")) > DEEPEST:
            line, column = text.count("\n", 0, part.start()) + 1, part.start() - text.rfind("\n", 0, part.start())
            message = f"this is nested more than {DEEPEST} levels deep"
            raise InputError(message, where=Position(name, line, column))


def _names_in(dotted: str) -> int:
    """The number of names with dots between them; a quoted text is one name."""
    return 1 if dotted.count(".") < DEEPEST else re.sub(_QUOTED, "", dotted).count(".") + 1


def _leaves(value: Any, key: str) -> Iterator[tuple[str, Any]]:
    """All values that are neither tables nor arrays, each with the names that lead to it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
    else:
        yield key, value


def is_there(path: str | Path, is_one: Callable[[Path], bool] = Path.exists) -> bool:
    """Whether there is a file or folder of this name, or one of a kind: `Path.is_file`, `Path.is_dir`."""
    try:
        return is_one(Path(path))
    except (OSError, ValueError):  # not a valid file name
        return False


def check_file(path: str | Path, what: str = "a file", *, for_pipes: str | None = None) -> None:
    """Raise InputError if a file does not exist, is not a regular file, or cannot be read."""
    os.close(open_file(path, what, for_pipes=for_pipes))


def open_file(path: str | Path, what: str = "a file", *, for_pipes: str | None = None) -> int:
    """A descriptor of a file. `for_pipes` is a hint for users who name a pipe."""
    where = Position(str(path))
    try:
        # Without O_NONBLOCK, opening a pipe would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise InputError("no such file", where=where, hint=_suggestion(Path(path))) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=where) from None
    except ValueError:  # it has a character that file names cannot have
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
    """The content of a file, up to `largest` + 1 bytes."""
    # Allocating the largest buffer for each of thousands of small files would take longer than reading them.
    size = min(os.fstat(descriptor).st_size, largest)
    content = os.read(descriptor, size + 1)
    if len(content) == size:
        return content
    pieces = [content]  # its size has changed in the meantime, or is not reported
    while sum(map(len, pieces)) <= largest and (piece := os.read(descriptor, 1 << 20)):
        pieces.append(piece)
    return b"".join(pieces)


def _suggestion(missing: Path) -> str | None:
    """A hint for a missing file: a similar name in its folder."""
    if not missing.parent.is_dir():
        return f"there is no folder {missing.parent}"
    try:
        siblings = [sibling.name for sibling in missing.parent.iterdir() if sibling.is_file()]
    except OSError:  # a folder that may be entered, but not listed
        return None
    meant = nearest(missing.name, siblings)
    return f"did you mean {missing.with_name(meant)}?" if meant else None
