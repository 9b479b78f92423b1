"""The output of a process. All of it is read, so that the process never blocks, but it is kept only up to a limit."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque

__all__ = ["CUT", "MOST_KEPT", "Captured", "is_cut"]

MOST_KEPT = 1 << 20
CUT = "was cut at"
"""A remark contains this if there was more output than is kept."""

_MOST_AT_ONCE = 1 << 16
_DROPPED = "bytes were dropped here"


class Captured:
    """The reading end of a pipe. It keeps the start of the output and its end, where crashes are reported.

    Without a descriptor, there is no output.
    """

    def __init__(self, descriptor: int | None, *, most: int = MOST_KEPT) -> None:
        if descriptor is not None:
            os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._half = most // 2
        self._turn = threading.Lock()  # threads may read output and ask for it at the same time
        self.clear()

    @property
    def is_open(self) -> bool:
        """Whether more output can arrive."""
        return self._descriptor is not None

    def fileno(self) -> int:
        """For `select`: readable when there is output, or at its end."""
        if self._descriptor is None:
            raise ValueError("the pipe is closed")
        return self._descriptor

    def clear(self) -> None:
        """Discard the output read so far."""
        with self._turn:
            self._start = bytearray()
            self._end: deque[bytes] = deque()
            self._in_end = 0
            self._dropped = 0

    def read(self) -> bool:
        """Read one piece; False if no output is available now, or at its end."""
        with self._turn:
            if self._descriptor is None:
                return False
            try:
                piece = os.read(self._descriptor, _MOST_AT_ONCE)
            except BlockingIOError:
                return False
            except OSError:
                piece = b""
            if not piece:
                self.close()
                return False
            self._keep(piece)
            return True

    def read_rest(self, *, most: int = 1 << 24) -> None:
        """Read the output written so far, up to `most` bytes, since the process may keep writing."""
        for _ in range(most // _MOST_AT_ONCE):
            if not self.read():
                return

    def close(self) -> None:
        """Stop reading. A process that keeps writing gets an error."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None

    def text(self) -> str:
        """The output that was kept, with a note where something was dropped."""
        with self._turn:
            start, end, dropped = bytes(self._start), b"".join(self._end), self._dropped
        if not dropped:
            return (start + end).decode(errors="replace")
        note = f"\n… {dropped} {_DROPPED} …\n"
        return start.decode(errors="replace") + note + end.decode(errors="replace")

    @property
    def has_dropped(self) -> bool:
        """Whether some output was dropped."""
        return self._dropped > 0

    @property
    def whole(self) -> bytes | None:
        """All of the output; None if something was dropped."""
        with self._turn:
            return None if self._dropped else bytes(self._start) + b"".join(self._end)

    def _keep(self, piece: bytes) -> None:
        room = self._half - len(self._start)
        if room > 0:
            self._start += piece[:room]
            piece = piece[room:]
        if not piece:
            return
        self._end.append(piece)
        self._in_end += len(piece)
        while self._in_end - len(self._end[0]) >= self._half:
            first = self._end.popleft()
            self._in_end -= len(first)
            self._dropped += len(first)
        excess = self._in_end - self._half
        if excess > 0:
            self._end[0] = self._end[0][excess:]
            self._in_end -= excess
            self._dropped += excess


def is_cut(text: str) -> bool:
    """Whether a part of this output was dropped."""
    return _DROPPED in text
