"""A real HTTP server that counts its requests, concurrent requests, and repeated requests."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

__all__ = ["Answer", "CountingServer", "serving"]

Answer = tuple[int, str, bytes]
"""The status, the media type and the body."""


@dataclass
class CountingServer:
    """A running server and its counts so far."""

    port: int = 0
    bodies: list[bytes] = field(default_factory=list)
    most_at_once: int = 0
    _now: int = 0
    _turn: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def repeated(self) -> list[bytes]:
        """The bodies that were sent more than once."""
        return [body for body, count in Counter(self.bodies).items() if count > 1]

    @contextmanager
    def counted(self, body: bytes) -> Iterator[None]:
        """Count one request."""
        with self._turn:
            self.bodies.append(body)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            yield
        finally:
            with self._turn:
                self._now -= 1


@contextmanager
def serving(answer: Callable[[bytes], Answer]) -> Iterator[CountingServer]:
    """A local server that answers each request body with this function."""
    counting = CountingServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with counting.counted(body):
                status, kind, text = answer(body)
            try:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            except OSError:  # the client has been killed
                self.close_connection = True

        def log_message(self, *_: object) -> None: ...

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

    server = Server(("127.0.0.1", 0), Handler)
    counting.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield counting
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
