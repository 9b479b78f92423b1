"""Bytes between two processes: frames through a socket, and output through a pipe.

A frame is its length, then its bytes. All frames that have arrived are read at once, and frames that belong together
are sent at once: for small ontologies, each extra system call would be a considerable part of the cost.

All output of a process is read, so that the process never blocks, but it is kept only up to a limit.

`serving_parent` is the worker's end of a channel.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from kgprobe.processes.limits import OUT_OF_MEMORY_EXIT

__all__ = ["CUT", "MOST_KEPT", "Captured", "Channel", "is_cut", "serving_parent"]


_LENGTH_BYTES = 8
_MOST_AT_ONCE = 1 << 18
_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_BETWEEN_LOOKS_AT_PARENT = 1.0
MOST_KEPT = 1 << 20
CUT = "was cut at"
"""A remark contains this if there was more output than is kept."""
_PIECE = 1 << 16
_DROPPED = "bytes were dropped here"


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
                piece = os.read(self._descriptor, _PIECE)
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
        for _ in range(most // _PIECE):
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


# -- the life of a worker: it serves one parent, and ends with it ------------------------------------------------------


@contextmanager
def serving_parent(descriptor: int) -> Iterator[Channel]:
    """The channel to the parent. The block ends, without an error, when the parent closes it or has been killed.

    A process that runs out of memory ends, and its parent learns why.
    """
    channel = Channel(socket.socket(fileno=descriptor))
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
    try:
        yield channel
    except (EOFError, ConnectionError):
        return
    except MemoryError:
        os._exit(OUT_OF_MEMORY_EXIT)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # while Python shuts down, an exception would be printed


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def _watch_parent(parent: int) -> None:
    """A killed parent does not end its workers, and a long run must not outlive it by much."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS_AT_PARENT)
    os.kill(os.getpid(), signal.SIGTERM)
