"""A real server with the chat API of OpenAI, which answers, fails and misbehaves as a test asks."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Chat", "Said", "chatting", "completion"]


@dataclass(frozen=True)
class Said:
    """An answer of the server: a status, a body, and headers. `closes`: the connection breaks instead."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    closes: bool = False
    pause: float = 0.0


def completion(content: Any, *, tokens: tuple[int, int] | None = (10, 2), **message: Any) -> Said:
    """A chat completion with this content."""
    value: dict[str, Any] = {"choices": [{"message": {"role": "assistant", "content": content, **message}}]}
    if tokens is not None:
        value["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return Said(json.dumps(value).encode())


@dataclass
class Chat:
    """A running server and everything that it was asked."""

    port: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    connections: set[int] = field(default_factory=set)
    most_at_once: int = 0
    _now: int = 0
    _turn: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def prompts(self) -> list[str]:
        """The prompts, in the order in which they arrived."""
        return [request["messages"][-1]["content"] for request in self.requests]

    @property
    def repeated(self) -> list[str]:
        """The prompts that arrived more than once."""
        return [prompt for prompt, count in Counter(self.prompts).items() if count > 1]

    @contextmanager
    def counted(self, request: dict[str, Any], headers: Mapping[str, str], connection: int) -> Iterator[int]:
        """Count a request; gives its number."""
        with self._turn:
            number = len(self.requests)
            self.requests.append(request)
            self.headers.append(dict(headers))
            self.times.append(time.monotonic())
            self.connections.add(connection)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            yield number
        finally:
            with self._turn:
                self._now -= 1


@contextmanager
def chatting(answer: Callable[[str, int], Said | str], port: int = 0) -> Iterator[Chat]:
    """A server that answers each prompt, given its text and the number of the request, with this function."""
    chat = Chat()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet for the whole answer
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = json.loads(body)
            if self.path != "/v1/chat/completions":
                self.say(Said(b'{"error": {"message": "no such path"}}', 404))
                return
            with chat.counted(request, dict(self.headers.items()), self.client_address[1]) as number:
                said = answer(request["messages"][-1]["content"], number)
                if isinstance(said, str):
                    said = completion(said)
                if said.pause:
                    time.sleep(said.pause)
            self.say(said)

        def say(self, said: Said) -> None:
            if said.closes:
                self.close_connection = True
                return
            try:
                self.send_response(said.status)
                for name, value in {"Content-Type": "application/json", **said.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(said.body)))
                self.end_headers()
                self.wfile.write(said.body)
                self.wfile.flush()
            except OSError:  # the client has gone
                self.close_connection = True

        def log_message(self, *_: object) -> None: ...

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

    server = Server(("127.0.0.1", port), Handler)
    chat.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield chat
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
