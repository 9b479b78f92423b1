"""Asking a chat system, compared with a bare loop of requests over one connection.

Run with `python -m bench.asking`. The server answers at once. Our time is that of a whole case with one question, in
one thread: the prompt, the request, the reply, keeping the answer in a file, and judging it. The limit is 2 ms more
than the bare request, in wall time and in processor time.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

from bench.measure import Row, report
from kgprobe.campaign.executor import Job, Task, WholeInput
from kgprobe.campaign.harness import Harness
from kgprobe.campaign.trial import Trial
from kgprobe.config.systems import ChatTable
from kgprobe.model import Inference, Outcome, Prompt, Reading
from kgprobe.oracles.inference import InferenceOracle

QUESTIONS = 1_000
RUNS = 3
MOST_MS = 2.0
_REPLY = json.dumps(
    {
        "choices": [{"message": {"role": "assistant", "content": "Yes."}}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 2},
    }
).encode()
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(_REPLY) + _REPLY


def _serve(told: Connection) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        told.send(listener.getsockname()[1])
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection:
                received = b""
                while piece := connection.recv(1 << 16):
                    received += piece
                    head, found, body = received.partition(b"\r\n\r\n")
                    if not found:
                        continue
                    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
                    if len(body) >= length:
                        received = body[length:]
                        connection.sendall(_ANSWER)


@contextmanager
def _server() -> Iterator[int]:
    """A server in another process, so that its work does not count."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def _prompt(number: int) -> str:
    return f"Is place {number} in country {number % 7}?"


def _bare(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for number in range(QUESTIONS):
        message = {"role": "user", "content": _prompt(number)}
        body = json.dumps({"model": "m", "messages": [message], "temperature": 0})
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        assert json.loads(connection.getresponse().read())["choices"][0]["message"]["content"] == "Yes."
    connection.close()


def _ours(port: int) -> None:
    table = ChatTable(chat=f"http://127.0.0.1:{port}/v1", model="m", name="m", max_requests=10**9)
    with tempfile.TemporaryDirectory() as folder:
        harness = Harness((table,), folder=Path(folder), answers=Path(folder) / "answers.sqlite", reader="words")
        oracle = InferenceOracle(lambda text, _: Reading("yes" if text.startswith("Yes") else "no"))
        with Trial(Job(harness), oracles=[oracle]) as trial:
            for number in range(QUESTIONS):
                case = Inference("rule", (), (), (Prompt(_prompt(number), expected="yes"),))
                verdict = trial.result(Task(number, str(number), WholeInput(case))).verdict
                assert verdict is not None
                assert verdict.outcome is Outcome.PASS


def _milliseconds(port: int) -> list[tuple[float, float]]:
    """Wall time and processor time of a question, of the bare loop and of ours: the best of several runs in turn."""
    found: list[list[tuple[float, float]]] = [[], []]
    for _ in range(RUNS):
        for work, taken in zip((_bare, _ours), found, strict=True):
            wall, processor = time.perf_counter(), time.process_time()
            work(port)
            times = time.perf_counter() - wall, time.process_time() - processor
            taken.append((1000 * times[0] / QUESTIONS, 1000 * times[1] / QUESTIONS))
    return [(min(wall for wall, _ in taken), min(processor for _, processor in taken)) for taken in found]


def rows() -> list[Row]:
    """What asking adds to a request, in milliseconds."""
    with _server() as port:
        bare, ours = _milliseconds(port)
    return [
        Row(f"asking a question: ms added, {what}", f"{mine:.3f} ms", f"{theirs:.3f} ms", mine - theirs, MOST_MS)
        for what, mine, theirs in zip(("wall time", "processor time"), ours, bare, strict=True)
    ]


if __name__ == "__main__":
    report(rows())
