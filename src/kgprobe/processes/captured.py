"""What a process writes, up to a limit: all of it is read, so that nobody waits, but not all of it is kept."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque

__all__ = ["CUT", "MOST_KEPT", "Captured", "is_cut"]

MOST_KEPT = 1 << 20
CUT = "was cut at"
"""What a remark has in it if there was more output than is kept."""

_MOST_AT_ONCE = 1 << 16
_DROPPED = "bytes were dropped here"


class Captured:
    """The reading end of a pipe. Half of what is kept is the start, and half the end: a crash is told of there."""

    def __init__(self, descriptor: int, *, most: int = MOST_KEPT) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor: int | None = descriptor
        self._half = most // 2
        self._turn = threading.Lock()  # a thread may read, or ask what was read, while another one reads
        self.clear()

    @property
    def is_open(self) -> bool:
        """Whether more can come."""
        return self._descriptor is not None

    def fileno(self) -> int:
        """For whoever waits until there is something to read."""
        if self._descriptor is None:
            raise ValueError("the pipe is closed")
        return self._descriptor

    def clear(self) -> None:
        """Forget what was read so far."""
        with self._turn:
            self._start = bytearray()
            self._end: deque[bytes] = deque()
            self._in_end = 0
            self._dropped = 0

    def read(self) -> bool:
        """Reads one piece if it is there; False if there is none for now, or will never be one."""
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
        """Reads what is there. Not for ever: somebody may go on writing."""
        for _ in range(most // _MOST_AT_ONCE):
            if not self.read():
                return

    def close(self) -> None:
        """Read no more. Whoever writes on gets an error."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None

    def text(self) -> str:
        """What was kept, with a note where something was dropped."""
        with self._turn:
            start, end, dropped = bytes(self._start), b"".join(self._end), self._dropped
        if not dropped:
            return (start + end).decode(errors="replace")
        note = f"\n… {dropped} {_DROPPED} …\n"
        return start.decode(errors="replace") + note + end.decode(errors="replace")

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
    """Whether something was dropped from what a process wrote."""
    return _DROPPED in text
