"""Frames of bytes between two processes, through a socket: the length of each, and then its bytes.

All frames that have come are read at once, and frames that belong together are sent at once: with small ontologies,
each further call of the system would be a good part of what a question costs.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Callable

__all__ = ["Channel"]

_LENGTH_BYTES = 8
_MOST_AT_ONCE = 1 << 18
_SECONDS_BETWEEN_LOOKS = 0.5


class Channel:
    """One end. One thread may send while another receives.

    `longest` is how long a frame from an end that is not trusted may be; a longer one is an OSError.
    """

    def __init__(self, connected: socket.socket, *, longest: int | None = None) -> None:
        self._socket = connected
        self._longest = longest
        self._received = bytearray()
        self._readable = select.poll()
        self._readable.register(connected, select.POLLIN)

    def send(self, *frames: bytes) -> None:
        """Send frames, and wait until they fit into what the other end has not read yet. OSError if it has gone."""
        self._socket.sendall(b"".join(part for frame in frames for part in (_length(frame), frame)))

    def send_while(self, is_well: Callable[[], bool], *frames: bytes) -> None:
        """Send frames to an end that may stop reading: `is_well` is asked now and then whether to wait any longer."""
        rest = memoryview(b"".join(part for frame in frames for part in (_length(frame), frame)))
        while rest:
            try:
                rest = rest[self._socket.send(rest, socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                _, is_writable, _ = select.select([], [self._socket], [], _SECONDS_BETWEEN_LOOKS)
                if not is_writable and not is_well():
                    return

    def receive(self) -> bytes:
        """The next frame; waits for it. EOFError if the other end is closed, or OSError."""
        while (frame := self._complete()) is None:
            self._read(0)
        return frame

    def received(self) -> bytes | None:
        """The next frame if it is here; does not wait. EOFError if the other end is closed, or OSError."""
        frame = self._complete()
        while frame is None:
            try:
                self._read(socket.MSG_DONTWAIT)
            except BlockingIOError:
                return None
            frame = self._complete()
        return frame

    def wait(self, seconds: float) -> bool:
        """Wait until there is something to read, or the other end is closed; False if it takes longer than this."""
        return bool(self._readable.poll(seconds * 1e3))

    def fileno(self) -> int:
        """For whoever waits for this and for other things as well."""
        return self._socket.fileno()

    def close(self) -> None:
        """The other end can no longer send or receive."""
        self._socket.close()

    def _read(self, flags: int) -> None:
        read = self._socket.recv(_MOST_AT_ONCE, flags)
        if not read:
            raise EOFError
        self._received += read

    def _complete(self) -> bytes | None:
        """Takes the first frame out of what was read, if all of it is there."""
        received = self._received
        length = int.from_bytes(received[:_LENGTH_BYTES], "big")
        if self._longest is not None and length > self._longest and len(received) >= _LENGTH_BYTES:
            raise OSError(f"a frame of {length} bytes is longer than {self._longest}")
        end = _LENGTH_BYTES + length
        if len(received) < _LENGTH_BYTES or len(received) < end:
            return None
        frame = bytes(received[_LENGTH_BYTES:end])
        del received[:end]
        return frame


def _length(frame: bytes) -> bytes:
    return len(frame).to_bytes(_LENGTH_BYTES, "big")
