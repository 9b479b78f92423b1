"""The standard streams of a command: nobody has to read them, and what they print cannot take over a terminal.

A command goes on when the reader of its output has gone (`kgprobe … | head`) or was never there (`2>&-`): its exit code
says what it found, whoever reads. Text from files, such as a label, can contain characters that move the cursor or turn
the direction of writing round. Both streams print escapes for these. In JSON, such an escape is the same value.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import select
import sys
from typing import TYPE_CHECKING, Any, TextIO

from kgprobe.errors import UnavailableError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_STDIN, _STDOUT, _STDERR = 0, 1, 2
# What moves the cursor, starts a command of the terminal, changes the direction or cannot be encoded. Line ends and
# tabs stay, and the two sequences with which click prints bold text.
_BOLD = re.compile("(\x1b\\[[01]m)")
_DANGEROUS = re.compile(
    "\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


class _Output(io.FileIO):
    """A descriptor whose reader may go away; what is written after that is dropped."""

    def __init__(self, descriptor: int, *, is_dropped: bool = False, drops_all_errors: bool = False) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self.is_dropped = is_dropped
        self._drops_all_errors = drops_all_errors

    def write(self, data: ReadableBuffer, /) -> int:
        size = memoryview(data).nbytes
        while not self.is_dropped:
            try:
                written = super().write(data)
            except BrokenPipeError:
                self.is_dropped = True
            except OSError as error:
                self.is_dropped = True  # the error is told once: Python tries again when it exits
                if not self._drops_all_errors:
                    why = "no space left" if error.errno == errno.ENOSPC else error.strerror
                    raise UnavailableError(f"the output cannot be written: {why}") from None
            else:
                if written is not None:  # None: nobody has read yet, and whoever made the pipe did not let us wait
                    return written
                select.select([], [self], [])
        return size


class _Screen(io.TextIOWrapper):
    """Text for people and programs, without characters that do anything but print."""

    def write(self, text: str, /) -> int:
        super().write(harmless(text))
        return len(text)

    def draw(self, text: str) -> int:
        """Write what moves the cursor on purpose."""
        return super().write(text)


class _Drawing:
    """What rich needs of a stream, for progress that it draws."""

    def __init__(self, screen: _Screen) -> None:
        self._screen = screen
        self.write = screen.draw

    def __getattr__(self, name: str) -> Any:
        return getattr(self._screen, name)


def harmless(text: str) -> str:
    """The text with escapes for what a terminal would obey instead of printing it."""
    if text.isascii() and text.isprintable():
        return text
    parts = _BOLD.split(text) if "\x1b" in text else [text]
    parts[::2] = [_DANGEROUS.sub(lambda found: json.dumps(found[0])[1:-1], part) for part in parts[::2]]
    return "".join(parts)


def drawing_on(stream: TextIO) -> Any:
    """A stream to draw on, for rich."""
    return _Drawing(stream) if isinstance(stream, _Screen) else stream


def open_streams() -> None:
    """Open the streams of this process, also those that it was started without.

    A descriptor that is closed would be given to the next file that is opened, and whatever is printed would go there.
    """
    closed = {number for number in (_STDIN, _STDOUT, _STDERR) if not _is_open(number)}
    for number in sorted(closed):
        null = os.open(os.devnull, os.O_RDWR)
        if null != number:
            os.dup2(null, number)
            os.close(null)
        os.set_inheritable(number, True)
    sys.stdout = _screen(_STDOUT, sys.stdout, is_dropped=_STDOUT in closed)
    sys.stderr = _screen(_STDERR, sys.stderr, is_dropped=_STDERR in closed)


def _screen(number: int, replaced: TextIO | None, *, is_dropped: bool) -> _Screen:
    if replaced is not None:
        replaced.flush()
    encoding = "utf-8" if replaced is None or replaced.encoding.casefold() in ("ascii", "us-ascii") else None
    output = _Output(number, is_dropped=is_dropped, drops_all_errors=number == _STDERR)
    return _Screen(
        io.BufferedWriter(output),
        encoding=encoding or (replaced.encoding if replaced is not None else None),
        errors="backslashreplace",
        line_buffering=number == _STDERR or output.isatty(),
    )


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
