"""TOML as text: where each key of a document is, and how values and names are written."""

from __future__ import annotations

import json
import os
import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from kgprobe.errors import Position

# -- places ------------------------------------------------------------------------------------------------------------

# The parser of the standard library does not say where keys and values are. The text has been parsed before, so that it
# is known to be right; only its outline is read here.


# The keys that lead to a value; a number is an index into an array.
KeyPath: TypeAlias = tuple[str | int, ...]

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")|' + r"'''(?:.|\n)*?'{3,5}(?!')|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'", re.DOTALL
)
_SIMPLE = re.compile(r"[^,\]}#\n]+")


@dataclass(frozen=True)
class Places:
    """The places of a file's keys and values, as offsets into its text."""

    file: str
    text: str = field(default="", repr=False)
    keys: Mapping[KeyPath, int] = field(default_factory=dict, repr=False)
    values: Mapping[KeyPath, int] = field(default_factory=dict, repr=False)

    def key(self, path: KeyPath) -> Position:
        """The place of the key at the end of this path; of the nearest table around it if the key does not exist."""
        if not path:
            return Position(self.file)
        return self._position(self.keys[path]) if path in self.keys else self.key(path[:-1])

    def value(self, path: KeyPath) -> Position:
        """The place of the value at this path; of its key, or of the nearest table around it, if there is no value."""
        return self._position(self.values[path]) if path in self.values else self.key(path)

    def _position(self, offset: int) -> Position:
        line = bisect_right(self._line_starts, offset)
        return Position(self.file, line, offset - self._line_starts[line - 1] + 1)

    @cached_property
    def _line_starts(self) -> list[int]:
        """A file with very many mistakes has its lines counted once."""
        return [0, *(line_end.end() for line_end in re.finditer(r"\n", self.text))]


def find_places(text: str, file: str) -> Places:
    """Find all keys and values of a TOML text that is free of errors."""
    return _Outline(text).places(file)


class _Outline:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._keys: dict[KeyPath, int] = {}
        self._values: dict[KeyPath, int] = {}
        self._lengths: dict[KeyPath, int] = {}  # of the arrays of tables, so far

    def places(self, file: str) -> Places:
        table: KeyPath = ()
        while self._skip() < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
        return Places(file, self._text, self._keys, self._values)

    def _header(self) -> KeyPath:
        """`[table]`, or `[[table]]`, which adds a table to an array."""
        start = self._at
        brackets = 2 if self._text.startswith("[[", start) else 1
        self._at += brackets
        names = self._dotted()
        path: KeyPath = ()
        for number, name in enumerate(names, start=1):
            path = (*path, name)
            if number == len(names) and brackets == 2:
                self._keys.setdefault(path, start)
                self._lengths[path] = self._lengths.get(path, 0) + 1
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
            self._keys.setdefault(path, start)
        self._values.setdefault(path, start)
        self._at = self._text.index("]", self._at) + brackets
        return path

    def _pair(self, table: KeyPath) -> None:
        """`key = value`."""
        start = self._skip()
        path = table
        for name in self._dotted():
            path = (*path, name)
            self._keys.setdefault(path, start)
        self._at = self._text.index("=", self._at) + 1
        self._value(path)

    def _dotted(self) -> list[str]:
        names = [self._name()]
        while self._text[self._skip()] == ".":
            self._at += 1
            names.append(self._name())
        return names

    def _name(self) -> str:
        bare = _BARE.match(self._text, self._skip())
        found = bare or _STRING.match(self._text, self._at)
        assert found  # noqa: S101 - the text was parsed before
        self._at = found.end()
        return found[0] if bare else next(iter(tomllib.loads(f"{found[0]} = 0")))

    def _value(self, path: KeyPath) -> None:
        start = self._skip()
        self._values[path] = start
        self._keys.setdefault(path, start)
        opening = self._text[start]
        if opening == "[":
            self._elements(path)
        elif opening == "{":
            self._inline_table(path)
        else:
            found = _STRING.match(self._text, start) or _SIMPLE.match(self._text, start)
            assert found  # noqa: S101 - the text was parsed before
            self._at = found.end()

    def _elements(self, path: KeyPath) -> None:
        self._at += 1
        number = 0
        while self._text[self._skip()] != "]":
            if self._text[self._at] == ",":
                self._at += 1
            else:
                self._value((*path, number))
                number += 1
        self._at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self._at += 1
        while self._text[self._skip()] != "}":
            if self._text[self._at] == ",":
                self._at += 1
            else:
                self._pair(path)
        self._at += 1

    def _skip(self) -> int:
        """Past white space and comments."""
        found = _SPACE.match(self._text, self._at)
        assert found  # noqa: S101 - it matches nothing at all, too
        self._at = found.end()
        return self._at


# -- writing -----------------------------------------------------------------------------------------------------------


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
