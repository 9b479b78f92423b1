"""Requests over connections that stay open, to servers that follow a script."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest

from kgprobe.model import Status
from kgprobe.network.exchange import LARGEST_ANSWER, Connections, HttpAnswer, NoAnswerError, exchange

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
THEN_CLOSE = b"\0close"


@dataclass
class Scripted:
    """A server: each connection sends the next items of its list, one for each request; None closes it."""

    port: int = 0
    requests: list[tuple[int, bytes]] = field(default_factory=list)  # the number of the connection, and the request

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/ask?a=1"

    @property
    def connections(self) -> list[int]:
        return [number for number, _ in self.requests]


@contextmanager
def scripted(scripts: Callable[[int], Sequence[bytes | None]]) -> Iterator[Scripted]:
    """A server whose nth connection follows the nth script."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        found = Scripted(listener.getsockname()[1])

        def serve(number: int, connection: socket.socket) -> None:
            with connection:
                for item in scripts(number):
                    request = _request(connection)
                    if not request:
                        return
                    found.requests.append((number, request))
                    if item is None:
                        return
                    connection.sendall(item.removesuffix(THEN_CLOSE))
                    if item.endswith(THEN_CLOSE):
                        return
                connection.recv(1)  # until the client closes it

        def accept() -> None:
            for number in range(10_000):
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=serve, args=(number, connection), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield found


def _request(connection: socket.socket) -> bytes:
    found = b""
    while b"\r\n\r\n" not in found:
        more = connection.recv(1 << 16)
        if not more:
            return b""
        found += more
    head, _, body = found.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    length = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < length:
        body += connection.recv(1 << 16)
    return head + b"\r\n\r\n" + body


@pytest.fixture
def connections() -> Iterator[Connections]:
    with closing(Connections()) as found:
        yield found


def ask(server: Scripted, connections: Connections | None, seconds: float = 5.0) -> HttpAnswer:
    return exchange("POST", server.url, seconds=seconds, body=b"hello", connections=connections)


def test_a_connection_stays_open_and_no_thread_is_started(connections: Connections) -> None:
    with scripted(lambda _: [OK] * 100) as server:
        ask(server, connections)
        threads = threading.active_count()
        for _ in range(20):
            assert ask(server, connections).text == "ok"
            assert threading.active_count() == threads
    assert server.connections == [0] * 21
    assert b"connection: close" not in server.requests[0][1].lower()
    assert server.requests[0][1].startswith(b"POST /ask?a=1 HTTP/1.1")


def test_without_a_pool_each_request_has_its_own_connection() -> None:
    with scripted(lambda _: [OK] * 100) as server:
        assert [ask(server, None).text for _ in range(3)] == ["ok"] * 3
    assert server.connections == [0, 1, 2]
    assert b"connection: close" in server.requests[0][1].lower()


def test_headers_have_lower_case_names_and_repeated_ones_are_joined() -> None:
    told = b"HTTP/1.1 429 Slow\r\nRetry-After: 3\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 0\r\n\r\n"
    with scripted(lambda _: [told]) as server:
        answer = ask(server, None)
    assert (answer.status, answer.headers["retry-after"], answer.headers["x-a"]) == (429, "3", "1, 2")


def test_a_connection_that_the_server_closed_meanwhile_is_not_used(connections: Connections) -> None:
    with scripted(lambda number: [OK] if number else [OK + THEN_CLOSE]) as server:
        ask(server, connections)
        time.sleep(0.05)
        assert connections.taken(urlsplit(server.url)) is None
        assert ask(server, connections).text == "ok"
    assert server.connections == [0, 1]


@pytest.mark.parametrize("times", [1, 2])
def test_an_unanswered_request_on_a_used_connection_is_sent_again_once(connections: Connections, times: int) -> None:
    with scripted(lambda number: [OK, None] if number == 0 else [OK if times == 1 else None]) as server:
        ask(server, connections)
        if times == 1:
            assert ask(server, connections).text == "ok"
        else:
            with pytest.raises(NoAnswerError, match="RemoteDisconnected"):
                ask(server, connections)
    assert server.connections == [0, 0, 1]


def test_an_unanswered_request_on_a_new_connection_is_not_sent_again(connections: Connections) -> None:
    with scripted(lambda _: [None]) as server, pytest.raises(NoAnswerError) as caught:
        ask(server, connections)
    assert caught.value.status is Status.CRASHED
    assert len(server.requests) == 1


def test_a_request_that_was_answered_in_part_is_not_sent_again(connections: Connections) -> None:
    with scripted(lambda _: [OK, OK[:-1]]) as server:
        ask(server, connections)
        with pytest.raises(NoAnswerError) as caught:
            ask(server, connections, seconds=0.2)
        assert caught.value.status is Status.TIMED_OUT
        assert connections.taken(urlsplit(server.url)) is None  # its late answer must not be that of another request
    with scripted(lambda _: [OK, b"HTTP/1.1 200", None]) as server:
        ask(server, connections)
        with pytest.raises(NoAnswerError):
            ask(server, connections, seconds=0.3)
    assert server.connections == [0, 0]


def test_more_than_was_announced_spoils_a_connection(connections: Connections) -> None:
    with scripted(lambda _: [OK + b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong", OK]) as server:
        assert ask(server, connections).text == "ok"
        time.sleep(0.05)
        assert ask(server, connections).text == "ok"
    assert server.connections in ([0, 1], [0, 0])


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
    ],
)
def test_a_server_can_refuse_to_keep_a_connection_open(connections: Connections, answer: bytes) -> None:
    with scripted(lambda _: [answer] * 3) as server:
        assert [ask(server, connections).text for _ in range(2)] == ["ok"] * 2
    assert server.connections == [0, 1]


def test_chunked_answers_and_answers_without_content_keep_a_connection_open(connections: Connections) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
    empty = b"HTTP/1.1 204 No Content\r\n\r\n"
    with scripted(lambda _: [chunked, empty, OK]) as server:
        assert [ask(server, connections).text for _ in range(3)] == ["ok", "", "ok"]
    assert server.connections == [0, 0, 0]


def test_an_endless_answer_is_cut_and_its_connection_closed(connections: Connections) -> None:
    size = LARGEST_ANSWER + 10
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode()
    with scripted(lambda _: [head + b"x" * size]) as server:
        answer = ask(server, connections, seconds=20)
        assert (answer.is_cut, len(answer.body)) == (True, LARGEST_ANSWER)
        assert connections.taken(urlsplit(server.url)) is None


def test_threads_share_connections(connections: Connections) -> None:
    with scripted(lambda _: [OK] * 1000) as server, ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda _: ask(server, connections).text, range(400)))
    assert texts == ["ok"] * 400
    assert len(set(server.connections)) <= 8
