"""Files that a user names: whatever they are, nothing hangs, fills the memory or raises anything but `InputError`."""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Iterator
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
"""Bytes. Nobody writes a profile, an operator, a query or a test that is larger than this."""
LARGEST_SETTINGS = 1 << 20
"""Bytes, for a profile or a configuration: the parsers of TOML and YAML take seconds for this much."""
DEEPEST = 16
"""How deep the tables and arrays of a TOML file may be nested; nothing that is read here needs more than five."""

_TOML_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
# What the outline of a TOML text is made of: strings and comments, names with their dots, and brackets. Each branch
# matches or gives up without a second try, however long the text is.
_QUOTED = r'"(?:\\.|[^"\\\n])*+"' + r"|'[^'\n]*+'"
_NAME = rf"(?:[\w-]++|{_QUOTED})"
_TOML_PARTS = re.compile(
    r'"""(?:\\.|[^\\"]|"(?!""))*+"""' + r"|'''(?:[^']|'(?!''))*+'''" + r"|#[^\n]*+"
    rf"|(?P<name>{_NAME}(?:[ \t]*+\.[ \t]*+{_NAME})*+)|(?P<open>[\[{{])|(?P<close>[\]}}])|(?P<unfinished>[\"'])",
    re.DOTALL,
)
_INTEGERS = range(-(1 << 63), 1 << 63)


def read_text(path: str | Path, largest: int | None = None) -> str:
    """What a small file says, with one kind of line ends and no byte order mark."""
    return exact_text(path, largest).removeprefix("\ufeff").replace("\r\n", "\n")


def exact_text(path: str | Path, largest: int | None = None) -> str:
    """What a small file says, to the letter."""
    content = read_bytes(path, LARGEST_TEXT if largest is None else largest)
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


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """What a TOML text says. `name` is its file, for errors.

    The parser of the standard library takes memory that grows with the square of the depth, so that is checked first.
    """
    _check_depth(text, name)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place and place[1] else (text.count("\n") + 1, None)
        message = f"this is not TOML: {_TOML_PLACE.sub('', str(error))}"
        raise InputError(message, where=Position(name, line, column)) from None
    except ValueError:  # of a number with thousands of digits
        raise InputError("a number in this file is too long", where=Position(name)) from None
    for key, value in _leaves(document, ""):
        if isinstance(value, int) and value not in _INTEGERS:
            raise InputError(f"the number for '{key}' is too large", where=Position(name), hint="TOML has 64 bits")
    return document


def parse_json(text: str, where: Position) -> Any:
    """What a JSON text says; `where` is its start, for errors."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = (where.line or 1) + error.lineno - 1
        raise InputError(f"is not JSON: {error.msg}", where=Position(where.file, line, error.colno)) from None
    except (RecursionError, ValueError):
        raise InputError("this JSON is nested too deeply, or has too long a number", where=where) from None


def _check_depth(text: str, name: str) -> None:
    """Names with their dots and brackets within brackets, both outside of strings and comments."""
    depth = 0
    for part in _TOML_PARTS.finditer(text):
        if part["unfinished"]:
            return  # the parser gets no further, either
        depth = max(depth + bool(part["open"]) - bool(part["close"]), 0)
        if max(depth, _names_in(part["name"] or "")) > DEEPEST:
            line, column = text.count("\n", 0, part.start()) + 1, part.start() - text.rfind("\n", 0, part.start())
            message = f"this is nested more than {DEEPEST} levels deep"
            raise InputError(message, where=Position(name, line, column))


def _names_in(dotted: str) -> int:
    """How many names there are, with dots between them; what is in quotes is one name."""
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
