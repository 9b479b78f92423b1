"""The language server and bytes that no editor sends: each ends with an answer or an error, at once and in one line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kgprobe.errors import InputError
from kgprobe.lsp.transport import Messages

_SECONDS = 60


def _message(content: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **content}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def _request(number: int, method: str, **params: Any) -> bytes:
    return _message({"id": number, "method": method, "params": params})


_HELLO = _request(1, "initialize", capabilities={}, processId=None, rootUri=None) + _message(
    {"method": "initialized", "params": {}}
)


class _Server:
    """A server and its answers."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kgprobe", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def send(self, content: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(content)
        self.process.stdin.flush()

    def answer(self, number: int) -> dict[str, Any]:
        """The answer to a request. Messages before it are dropped."""
        while True:
            message = self._next()
            if message.get("id") == number:
                return message

    def published(self) -> dict[str, Any]:
        """The next diagnostics."""
        while True:
            message = self._next()
            if message.get("method") == "textDocument/publishDiagnostics":
                found: dict[str, Any] = message["params"]
                return found

    def _next(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        found: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return found

    def end(self) -> tuple[int, str]:
        """Send an end of input: the exit code, and what is on standard error."""
        _, told = self.process.communicate(timeout=_SECONDS)
        return self.process.returncode, told.decode()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def server() -> Any:
    made = _Server()
    yield made
    made.kill()


_NO_MESSAGES = [
    (b"Content-Length: 100000000000000000000\r\n\r\n", "not '100000000000000000000'"),
    (b"Content-Length: -5\r\n\r\nhello", "not '-5'"),
    (b"Content-Length: 99999999999\r\n\r\n", "from 1 to 67,108,864"),
    (b"Content-Length: 0\r\n\r\n", "not '0'"),
    (b"Content-Length: five\r\n\r\n", "not 'five'"),
    (b"Content-Type: text\r\n\r\n", "a header has no Content-Length"),
    (b"SELECT * { ?s ?p ?o }\n", "this is not a header: 'SELECT"),
    (b"x" * 100_000, "this is not a header: 'xxx"),
    (b"\xff\xfe\x00\x1b]0;\x07\r\n", "this is not a header"),
]


@pytest.mark.parametrize(("content", "told"), _NO_MESSAGES, ids=lambda each: str(each)[:30])
def test_what_is_no_message_is_an_error_in_one_line(content: bytes, told: str) -> None:
    messages = Messages(io.BytesIO(content))
    with pytest.raises(InputError) as caught:
        list(iter(messages.readline, b""))
    assert told in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(("content", "told"), _NO_MESSAGES[:2], ids=["huge", "negative"])
def test_what_is_no_message_ends_the_server(server: _Server, content: bytes, told: str) -> None:
    server.send(_HELLO + content)  # standard input stays open: nothing else can end it
    assert server.process.wait(timeout=_SECONDS) == 2
    _, error = server.end()
    assert error.startswith("kgprobe: error: standard input: ")
    assert told in error
    assert error.count("\n") == 1


def test_a_message_that_is_not_json_is_reported_and_the_next_is_answered(server: _Server) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "shutdown"}).encode()
    server.send(_HELLO + b"Content-Length: 5\r\n\r\n{bad}")
    # Some editors write headers in another way.
    server.send(
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:  %d\n\n%s" % (len(body), body)
    )
    assert server.answer(7)["result"] is None
    server.send(_message({"method": "exit"}))
    _, error = server.end()
    assert error.startswith("kgprobe: Unable to handle message: Expecting property name")
    assert error.count("\n") == 1


_REQUESTS = ("hover", "completion", "definition", "rename", "prepareRename", "documentSymbol", "formatting")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_only_regular_files_are_read_and_nothing_waits_for_them(server: _Server, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.rq"
    os.mkfifo(pipe)
    large = tmp_path / "large.rq"
    with large.open("wb") as file:
        file.truncate(1 << 30)
    told = {
        "file:///dev/zero": "is a pipe or a device, not a file",
        pipe.as_uri(): "is a pipe or a device, not a file",
        large.as_uri(): "is larger than",
        tmp_path.as_uri(): "is a folder",
        "file:///no/such/file.rq": "no such file",
        "file:///tmp/a%00b.rq": "no file can have this name",
        "untitled:Untitled-1": "is not open, and is no file",
    }
    server.send(_HELLO)
    number = 10
    for uri, words in told.items():
        for method in _REQUESTS:
            number += 1
            options = {"tabSize": 2, "insertSpaces": True}
            place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}, "newName": "x"}
            server.send(_request(number, f"textDocument/{method}", **place, options=options))
            assert words in server.answer(number)["error"]["message"], (uri, method)


def test_an_ontology_that_cannot_be_a_file_is_a_diagnostic(server: _Server, tmp_path: Path) -> None:
    options = {"ontology": "a\0b.ttl"}
    root = tmp_path.as_uri()
    server.send(_request(1, "initialize", capabilities={}, processId=None, rootUri=root, initializationOptions=options))
    server.send(_message({"method": "initialized", "params": {}}))
    for text in ("ASK { ?s ?p ?o }", "# kgprobe: ontology /dev/zero\nASK {}", "# kgprobe: ontology .\nASK {}"):
        document = {"uri": f"{root}/q.rq", "languageId": "sparql", "version": 1, "text": text}
        server.send(_message({"method": "textDocument/didOpen", "params": {"textDocument": document}}))
        [problem] = server.published()["diagnostics"]
        assert problem["code"] == "ontology"
        assert problem["message"].isprintable()


@pytest.mark.parametrize(
    "place", [{"line": -1, "character": 0}, {"line": "x", "character": 0}, {"line": 1e300}, None, []]
)
def test_a_request_with_wrong_parameters_has_an_answer(server: _Server, tmp_path: Path, place: object) -> None:
    document = {"uri": (tmp_path / "q.rq").as_uri()}
    server.send(_HELLO + _request(7, "textDocument/hover", textDocument=document, position=place))
    assert "parameters are not as the protocol wants them" in server.answer(7)["error"]["message"]
    server.send(_request(8, "textDocument/hover", textDocument=document, position={"line": 0, "character": 0}))
    assert "no such file" in server.answer(8)["error"]["message"]
