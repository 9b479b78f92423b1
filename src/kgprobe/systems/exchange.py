"""One HTTP request and its answer, within limits, with an untrusted server.

It uses no redirects, proxies or cookies. The answer is returned as received.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import SplitResult, urlsplit

from kgprobe.errors import InputError
from kgprobe.model import Crash, Status

__all__ = ["LARGEST_ANSWER", "HttpAnswer", "NoAnswerError", "check_headers", "check_url", "exchange", "reach"]

LARGEST_ANSWER = 1 << 24
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\xa0-\xff]*")
_SECONDS_BETWEEN_LOOKS = 0.05  # checks of the server's memory, if kgprobe started it


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The answer of a server; `is_cut` if there was more."""

    status: int
    media_type: str
    body: bytes
    is_cut: bool = False

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
    connection = _connection(_split(url), seconds)
    try:
        _connect(connection, url)
    finally:
        connection.close()


def exchange(
    method: str,
    url: str,
    *,
    seconds: float,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    is_too_large: Callable[[], bool] | None = None,
) -> HttpAnswer:
    """The answer to a request. NoAnswerError if it does not arrive in time, or the server closes the connection."""
    parts = _split(url)
    connection = _connection(parts, seconds)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    start = time.perf_counter()
    try:
        _connect(connection, url)
        with _Watch(connection, seconds - (time.perf_counter() - start), is_too_large) as watch:
            try:
                answer = _talk(connection, method, target, body, headers or {})
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise watch.reason(error, seconds) from None
            if watch.has_cut:  # an answer of unknown length ends where the connection does
                raise watch.reason(TimeoutError(), seconds)
            return answer
    finally:
        connection.close()


def _talk(
    connection: http.client.HTTPConnection, method: str, target: str, body: bytes | None, headers: Mapping[str, str]
) -> HttpAnswer:
    # A server may answer and close the connection before it has read everything: its answer counts.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.request(method, target, body=body, headers={"Connection": "close", **headers})
    response = connection.getresponse()
    with response:
        length = response.length
        found = response.read(LARGEST_ANSWER + 1)
        is_cut = len(found) > LARGEST_ANSWER
        if length is not None and len(found) < length and not is_cut:
            raise http.client.IncompleteRead(b"", length - len(found))
        return HttpAnswer(response.status, response.headers.get_content_type(), found[:LARGEST_ANSWER], is_cut)


class _Watch:
    """Cuts a connection when time is up. A socket's timeout is not enough, because it restarts with each byte."""

    def __init__(
        self, connection: http.client.HTTPConnection, seconds: float, is_too_large: Callable[[], bool] | None
    ) -> None:
        self._socket = connection.sock
        self._end = time.perf_counter() + seconds
        self._is_too_large = is_too_large
        self._is_over = threading.Event()
        self._is_late = False
        self._is_large = False
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    @property
    def has_cut(self) -> bool:
        """Whether the connection was cut."""
        return self._is_late or self._is_large

    def reason(self, error: Exception, seconds: float) -> NoAnswerError:
        """The actual reason for an error in a conversation."""
        if self._is_large:
            return NoAnswerError(Status.OUT_OF_MEMORY, "the server passed its memory limit")
        if self._is_late or isinstance(error, TimeoutError):
            return NoAnswerError(Status.TIMED_OUT, f"no answer within {seconds:.3g} s")
        kind = type(error).__name__
        return NoAnswerError(Status.CRASHED, f"no whole answer: {kind}", Crash(kind, str(error)))

    def _look(self) -> None:
        while True:
            left = self._end - time.perf_counter()
            pause = left if self._is_too_large is None else min(left, _SECONDS_BETWEEN_LOOKS)
            if self._is_over.wait(max(0.0, pause)):
                return
            self._is_late = time.perf_counter() >= self._end
            self._is_large = self._is_too_large is not None and self._is_too_large()
            if self._is_late or self._is_large:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)
                return


def _split(url: str) -> SplitResult:
    parts = urlsplit(url)
    _ = parts.port  # raises ValueError if it is not valid
    return parts


def _connection(parts: SplitResult, seconds: float) -> http.client.HTTPConnection:
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=max(0.001, seconds))


def _connect(connection: http.client.HTTPConnection, url: str) -> None:
    try:
        connection.connect()
    except OSError as error:
        raise NoAnswerError(Status.UNREACHABLE, f"{url} cannot be reached: {error.strerror or error}") from None
    except UnicodeError:
        raise NoAnswerError(Status.UNREACHABLE, f"{url} cannot be reached: the host name is not valid") from None
