"""Connections to servers: each conversation ends at a deadline, and a connection can stay open for the next one.

A socket's own timeout is not enough for a deadline, because it starts again with each byte. Here it is set before each
read and write to the time that is left, which needs no other thread to watch the connection.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = ["Connection", "Connections", "TooLargeError"]

_SECONDS_BETWEEN_LOOKS = 0.05  # checks of the server's memory, if kgprobe started it
_SHORTEST_TIMEOUT = 0.001
_MOST_IDLE = 64  # for each server
_QUICK_ACK = getattr(socket, "TCP_QUICKACK", None)  # Linux has it


class TooLargeError(Exception):
    """The server uses too much memory."""


class Connection:
    """An HTTP connection to the server of a URL. `begin` starts a conversation; only one thread may use it."""

    def __init__(self, url: SplitResult, seconds: float) -> None:
        """Connect. OSError or UnicodeError if that fails."""
        self.server = url.scheme, url.hostname or "", url.port
        timeout = max(_SHORTEST_TIMEOUT, seconds)
        self.http = (
            http.client.HTTPSConnection(self.server[1], url.port, timeout=timeout, context=_tls())
            if url.scheme == "https"
            else http.client.HTTPConnection(self.server[1], url.port, timeout=timeout)
        )
        try:
            self.http.connect()
        except BaseException:
            self.http.close()
            raise
        self._socket = _TimedSocket(self.http.sock)
        self.http.sock = self._socket

    @property
    def has_heard(self) -> bool:
        """Whether the server has sent a byte since the conversation began."""
        return self._socket.has_heard

    @property
    def is_quiet(self) -> bool:
        """Whether the server has neither closed the connection nor sent something that nobody asked for."""
        return self._socket.is_quiet

    def begin(self, end: float, is_too_large: Callable[[], bool] | None = None) -> None:
        """From now on, reading and writing raise TimeoutError at `end`, or TooLargeError if the server is."""
        self._socket.begin(end, is_too_large)

    def close(self) -> None:
        """Close it."""
        self.http.close()


class Connections:
    """Open connections that are not in use. Threads may share them."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._idle: dict[tuple[str, str, int | None], list[Connection]] = {}

    def taken(self, url: SplitResult) -> Connection | None:
        """Take an open connection to the server of a URL; the one that was used last is most likely to work."""
        server = url.scheme, url.hostname or "", url.port
        while True:
            with self._turn:
                idle = self._idle.get(server)
                found = idle.pop() if idle else None
            if found is None or found.is_quiet:
                return found
            found.close()

    def give_back(self, connection: Connection) -> None:
        """Keep a connection for the next request. Its conversation must be over."""
        with self._turn:
            idle = self._idle.setdefault(connection.server, [])
            idle.append(connection)
            oldest = idle.pop(0) if len(idle) > _MOST_IDLE else None
        if oldest is not None:
            oldest.close()

    def close(self) -> None:
        """Close all connections that are not in use."""
        with self._turn:
            idle = [connection for each in self._idle.values() for connection in each]
            self._idle.clear()
        for connection in idle:
            connection.close()


class _TimedSocket:
    """The part of a socket that `http.client` uses, with a deadline for everything."""

    def __init__(self, own: socket.socket) -> None:
        self._socket = own
        self._readers = 0
        self._is_closing = False
        self._end = 0.0
        self._next_look = 0.0
        self._is_too_large: Callable[[], bool] | None = None
        self.has_heard = False

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to read, not even the end."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return not poll.poll(0)

    def begin(self, end: float, is_too_large: Callable[[], bool] | None) -> None:
        """Set the deadline."""
        self._end = end
        self._is_too_large = is_too_large
        self._next_look = time.perf_counter() + _SECONDS_BETWEEN_LOOKS
        self.has_heard = False

    def sendall(self, data: ReadableBuffer, _flags: int = 0) -> None:
        """Send everything."""
        left = memoryview(data).cast("B")
        while left:
            left = left[self._in_time(partial(self._socket.send, left)) :]

    def receive(self, buffer: WriteableBuffer) -> int:
        """Read at least a byte; 0 at the end."""
        self._acknowledge_at_once()
        count = self._in_time(partial(self._socket.recv_into, buffer))
        self.has_heard = self.has_heard or count > 0
        return count

    def makefile(self, _mode: str = "rb", *_more: Any) -> io.BufferedReader:
        """A file to read from. The socket stays open until it is closed."""
        self._readers += 1
        return io.BufferedReader(_Reader(self))

    def close(self) -> None:
        """Close the socket when its last file is closed."""
        self._is_closing = True
        if self._readers <= 0:
            self._socket.close()

    def reader_closed(self) -> None:
        """A file was closed."""
        self._readers -= 1
        if self._is_closing:
            self.close()

    def _acknowledge_at_once(self) -> None:
        """Many servers send the headers, then wait until they are acknowledged, and then send the rest.

        On a connection that has been used before, the system would delay that by 40 ms. It forgets this setting.
        """
        if _QUICK_ACK is not None:
            with contextlib.suppress(OSError):
                self._socket.setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, 1)

    def _in_time(self, act: Callable[[], int]) -> int:
        while True:
            self._socket.settimeout(self._pause())
            try:
                return act()
            except TimeoutError:
                if self._is_too_large is None:
                    raise

    def _pause(self) -> float:
        """How long an action may take now."""
        now = time.perf_counter()
        left = self._end - now
        if left <= 0:
            raise TimeoutError
        if self._is_too_large is None:
            return max(_SHORTEST_TIMEOUT, left)
        if now >= self._next_look:
            self._next_look = now + _SECONDS_BETWEEN_LOOKS
            if self._is_too_large():
                raise TooLargeError
        return max(_SHORTEST_TIMEOUT, min(left, self._next_look - now))


class _Reader(io.RawIOBase):
    """What a server sends, as a file."""

    def __init__(self, own: _TimedSocket) -> None:
        self._own: _TimedSocket | None = own

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read what has arrived; wait for the first byte."""
        return 0 if self._own is None else self._own.receive(buffer)

    def close(self) -> None:
        """Close it; the socket may stay open."""
        own, self._own = self._own, None
        if own is not None:
            own.reader_closed()
        super().close()


@cache
def _tls() -> ssl.SSLContext:
    """Reading the certificates of all authorities takes longer than most requests."""
    return ssl.create_default_context()
