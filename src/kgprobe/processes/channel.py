"""Frames of bytes between two processes, through a socket: the length of each, then its bytes.

All frames that have arrived are read at once, and frames that belong together are sent at once: for small ontologies,
each extra system call would be a considerable part of the cost.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Callable

__all__ = ["Channel"]

_LENGTH_BYTES = 8
_MOST_AT_ONCE = 1 << 18
_SECONDS_BETWEEN_LOOKS = 0.5


class Channel:
    """One end. One thread may send while another receives.

    `longest` limits the length of frames from an untrusted end; a longer one raises OSError.
    """

    def __init__(self, connected: socket.socket, *, longest: int | None = None) -> None:
        self._socket = connected
        self._longest = longest
        self._received = bytearray()
        self._readable = select.poll()
        self._readable.register(connected, select.POLLIN)

    def limit_sending(self, seconds: float) -> None:
        """Let `send` raise BlockingIOError if the other end reads nothing for this long, rounded up."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(seconds) + 1, 0))

    def send(self, *frames: bytes) -> None:
        """Send frames, and wait until the other end has read enough to make room for them. OSError if it has gone."""
        self._socket.sendall(b"".join(part for frame in frames for part in (_length(frame), frame)))

    def send_while(self, is_well: Callable[[], bool], *frames: bytes) -> None:
        """Send frames to an end that may stop reading: regular calls of `is_well` decide whether to keep waiting."""
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

    def receive_within(self, seconds: float | None) -> bytes | None:
        """The next frame; None if it takes longer than this. Errors as for `receive`."""
        if seconds is None:
            return self.receive()
        end = time.monotonic() + seconds
        while (frame := self.received()) is None:
            if not self.wait(max(0.0, end - time.monotonic())) and time.monotonic() >= end:
                return None
        return frame

    def received(self) -> bytes | None:
        """The next frame if it has arrived; does not wait. EOFError if the other end is closed, or OSError."""
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
        """For `select`."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close this end. The other end can no longer send or receive."""
        self._socket.close()

    def _read(self, flags: int) -> None:
        read = self._socket.recv(_MOST_AT_ONCE, flags)
        if not read:
            raise EOFError
        self._received += read

    def _complete(self) -> bytes | None:
        """Take the first frame out of what was read, if all of it has arrived."""
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
