"""One HTTP request and its answer, within limits, with an untrusted server, over a connection that can stay open.

It uses no redirects, proxies or cookies. The answer is returned as received.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import re
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from kgprobe.errors import InputError
from kgprobe.model import Crash, Status

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = [
    "LARGEST_ANSWER",
    "Connection",
    "Connections",
    "HttpAnswer",
    "NoAnswerError",
    "TooLargeError",
    "check_headers",
    "check_url",
    "exchange",
    "reach",
]

LARGEST_ANSWER = 1 << 24
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\xa0-\xff]*")


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The answer of a server; `is_cut` if there was more. The names of headers are in lower case."""

    status: int
    media_type: str
    body: bytes
    is_cut: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")


class NoAnswerError(Exception):
    """The server sent no answer, or an incomplete one."""

    def __init__(self, status: Status, remark: str, crash: Crash | None = None) -> None:
        super().__init__(remark)
        self.status = status
        self.remark = remark
        self.crash = crash


def check_url(url: str) -> str:
    """The URL, or InputError. A `{port}` in it is filled in later."""
    try:
        parts = _split(url.replace("{port}", "1"))
    except ValueError as error:
        raise InputError(f"'{url}' is not a URL: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"'{url}' is not the URL of a server", hint="write http://host:port/path")
    if any(not "!" <= character <= "~" for character in url):
        raise InputError(f"'{url}' has characters that a URL cannot have", hint="encode them, for example as %20")
    return url


def check_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers, or InputError."""
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or not _HEADER_VALUE.fullmatch(str(value)):
            raise InputError(f"'{name}: {value}' is not an HTTP header")
    return {name: str(value) for name, value in headers.items()}


def reach(url: str, seconds: float) -> None:
    """Check that a server accepts connections. NoAnswerError if it does not."""
    _connected(url, _split(url), seconds).close()


def exchange(
    method: str,
    url: str,
    *,
    seconds: float,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    is_too_large: Callable[[], bool] | None = None,
    connections: Connections | None = None,
) -> HttpAnswer:
    """The answer to a request. NoAnswerError if it does not arrive in time, or the server closes the connection.

    With `connections`, an open connection is used if there is one, and it stays open. Without, the request is sent
    exactly once. A server may close an open connection at any time: a request that it has not answered with a single
    byte is sent again, once, over a new connection.
    """
    request = _Request(method, url, body, headers or {}, time.perf_counter() + seconds, seconds, is_too_large)
    parts = _split(url)
    used = None if connections is None else connections.taken(parts)
    if used is not None:
        try:
            return request.sent(used, connections)
        except NoAnswerError as error:
            if used.has_heard or error.status is not Status.CRASHED:
                raise
    return request.sent(_connected(url, parts, request.left), connections)


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    url: str
    body: bytes | None
    headers: Mapping[str, str]
    end: float
    seconds: float
    is_too_large: Callable[[], bool] | None

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.end - time.perf_counter()

    def sent(self, connection: Connection, connections: Connections | None) -> HttpAnswer:
        """The answer to the request, sent over a connection, which is closed or kept."""
        connection.begin(self.end, self.is_too_large)
        is_reusable = False
        try:
            answer, is_reusable = self._talk(connection.http, stays_open=connections is not None)
        except TooLargeError:
            raise NoAnswerError(Status.OUT_OF_MEMORY, "the server passed its memory limit") from None
        except TimeoutError:
            raise NoAnswerError(Status.TIMED_OUT, f"no answer within {self.seconds:.3g} s") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            kind = type(error).__name__
            raise NoAnswerError(Status.CRASHED, f"no whole answer: {kind}", Crash(kind, str(error))) from None
        finally:
            if is_reusable and connections is not None:
                connections.give_back(connection)
            else:
                connection.close()
        return answer

    def _talk(self, connection: http.client.HTTPConnection, *, stays_open: bool) -> tuple[HttpAnswer, bool]:
        """The answer, and whether the connection can be used again."""
        parts = _split(self.url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers = self.headers if stays_open else {"Connection": "close", **self.headers}
        is_sent = False
        # A server may answer and close the connection before it has read everything: its answer counts.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request(self.method, target, body=self.body, headers=dict(headers))
            is_sent = True
        response = connection.getresponse()
        with response:
            length = response.length
            found = response.read(LARGEST_ANSWER + 1)
            is_cut = len(found) > LARGEST_ANSWER
            if length is not None and len(found) < length and not is_cut:
                raise http.client.IncompleteRead(b"", length - len(found))
            is_reusable = is_sent and stays_open and response.isclosed() and not response.will_close
            answer = HttpAnswer(
                response.status,
                response.headers.get_content_type(),
                found[:LARGEST_ANSWER],
                is_cut,
                _plain(response.headers.items()),
            )
        return answer, is_reusable


def _plain(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The headers by their names in lower case; repeated ones are joined, as HTTP allows."""
    found: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


def _split(url: str) -> SplitResult:
    parts = urlsplit(url)
    _ = parts.port  # raises ValueError if it is not valid
    return parts


def _connected(url: str, parts: SplitResult, seconds: float) -> Connection:
    try:
        return Connection(parts, seconds)
    except OSError as error:
        raise NoAnswerError(Status.UNREACHABLE, f"{url} cannot be reached: {error.strerror or error}") from None
    except UnicodeError:
        raise NoAnswerError(Status.UNREACHABLE, f"{url} cannot be reached: the host name is not valid") from None


# -- connections -------------------------------------------------------------------------------------------------------
# A socket's own timeout is not enough for a deadline, because it starts again with each byte. Here it is set before
# each read and write to the time that is left, which needs no other thread to watch the connection.

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
