"""One HTTP request and its answer, within limits, with an untrusted server.

It uses no redirects, proxies or cookies. The answer is returned as received.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from kgprobe.errors import InputError
from kgprobe.model import Crash, Status
from kgprobe.network.connections import Connection, Connections, TooLargeError

__all__ = ["LARGEST_ANSWER", "HttpAnswer", "NoAnswerError", "check_headers", "check_url", "exchange", "reach"]

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
