"""Servers as systems: a small server in a real process that behaves or misbehaves on request."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.processes import are_gone, is_running

from kgprobe.errors import InputError, UnavailableError
from kgprobe.model import Case, Status
from kgprobe.oracles.protocol import Observed
from kgprobe.oracles.single_run import ExitStatus
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Triple
from kgprobe.systems.protocol import GraphText
from kgprobe.systems.remote import HttpSystem, Service

from .system_fixtures import case, graph, needs_linux

SERVER = """
import http.server, json, os, signal, sys, time

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.reply(200, "text/plain", b"healthy")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        word = self.path.strip("/")
        if b"poison" in body:
            word = "die"
        getattr(self, word)(body)

    def reply(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def count(self, body):
        told = {"lines": body.count(b"\\n"), "type": self.headers["Content-Type"], "mine": self.headers["X-Mine"]}
        self.reply(200, "application/json; charset=utf-8", json.dumps(told).encode())

    def text(self, body):
        self.reply(200, "text/plain", "grün".encode())

    def fail(self, body):
        self.reply(500, "text/plain", b"sorry")

    def kill_parent(self, body):
        os.kill(os.getppid(), signal.SIGKILL)
        self.reply(200, "text/plain", b"done")

    def raises(self, body):
        raise KeyError("plan")

    def caught(self, body):
        try:
            self.raises(body)
        except KeyError:
            import traceback
            print(traceback.format_exc(), flush=True)
            self.reply(500, "text/plain", b"sorry")

    def away(self, body):
        self.send_response(302)
        self.send_header("Location", "http://example.org/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def lie(self, body):
        self.reply(200, "application/json", b"{no json")

    def deep(self, body):
        self.reply(200, "application/json", b"[" * 200_000)

    def slow(self, body):
        time.sleep(60)

    def drip(self, body):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b"x")
            self.wfile.flush()
            time.sleep(0.05)

    def dripping_header(self, body):
        while True:
            self.wfile.write(b"x")
            self.wfile.flush()
            time.sleep(0.05)

    def huge(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        while True:
            self.wfile.write(b"1" * 10**6)

    def short(self, body):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"less")

    def nonsense(self, body):
        self.wfile.write(b"\\0\\1\\2\\r\\n\\r\\n")

    def silent(self, body):
        pass

    def grow(self, body):
        kept = []
        while True:
            kept.append(b"x" * 10**7)

    def die(self, body):
        print("last words", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)

    def stop(self, body):
        self.text(body)
        self.wfile.flush()
        import threading
        threading.Timer(0.05, os._exit, [3]).start()

    def log_message(self, *words):
        sys.stderr.write("log\\n" * 1000)  # unused, but the pipe has to be drained

print("starting", flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("server") / "server.py"
    file.write_text(SERVER, encoding="utf-8")
    return file


def service_of(script: Path, **options: object) -> Service:
    start = ["{python}", str(script), "{port}"]
    return Service(start, health="http://127.0.0.1:{port}/", **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def service(script: Path) -> Iterator[Service]:
    """One server for tests that may break it; it restarts when needed."""
    found = service_of(script)
    yield found
    found.close()


def system(service: Service, word: str, limits: Limits | None = None) -> HttpSystem:
    url = f"http://127.0.0.1:{{port}}/{word}"
    return HttpSystem("s", url, limits=limits or Limits(20, 1024), headers={"X-Mine": "yes"}, service=service)


def test_answers_in_json_and_in_text(service: Service) -> None:
    seen = system(service, "count").run(case())
    assert (seen.status, seen.exit_code, seen.stdout) == (Status.FINISHED, 200, "")
    assert seen.value == {"lines": 3, "type": "text/turtle", "mine": "yes"}
    assert seen.seconds > 0
    seen = system(service, "text").run(case())
    assert (seen.status, seen.value, seen.stdout) == (Status.FINISHED, None, "grün")


def test_errors_of_the_server_and_redirects_are_answers(service: Service) -> None:
    seen = system(service, "fail").run(case())
    assert (seen.status, seen.exit_code, seen.stdout) == (Status.FINISHED, 500, "sorry")
    seen = system(service, "away").run(case())
    assert (seen.status, seen.exit_code) == (Status.FINISHED, 302)


@pytest.mark.parametrize("word", ["lie", "deep"])
def test_an_answer_that_is_falsely_declared_as_json(service: Service, word: str) -> None:
    seen = system(service, word).run(case())
    assert (seen.status, seen.value) == (Status.FINISHED, None)
    assert seen.remark == "the answer is declared as application/json, but is not valid JSON"
    assert seen.stdout.startswith(("{no json", "[[["))


@pytest.mark.parametrize("word", ["slow", "drip", "dripping_header"])
def test_a_slow_server_is_ended(service: Service, word: str) -> None:
    slow = system(service, word, Limits(0.7, 1024))
    slow.start()
    pid = service.pid or 0
    seen = slow.run(case())
    assert (seen.status, seen.remark) == (Status.TIMED_OUT, "time limit of 0.7 s passed")
    assert 0.7 <= seen.seconds < 30
    assert not is_running(pid)
    assert system(service, "text").run(case()).stdout == "grün"


def test_a_huge_answer_is_truncated(service: Service) -> None:
    seen = system(service, "huge").run(case())
    assert (seen.status, seen.value) == (Status.FINISHED, None)
    assert seen.remark == f"the answer was cut at {1 << 24} bytes"
    assert len(seen.stdout) == 1 << 24


@pytest.mark.parametrize(
    ("word", "kind"), [("short", "IncompleteRead"), ("nonsense", "BadStatusLine"), ("silent", "RemoteDisconnected")]
)
def test_a_broken_answer_is_a_crash(script: Path, word: str, kind: str) -> None:
    # Its own server: one that still recovers from an earlier test could reset the connection first.
    with closing(service_of(script)) as own:
        seen = system(own, word).run(case())
    assert seen.status is Status.CRASHED
    assert seen.crash is not None
    assert seen.crash.kind == kind


@pytest.mark.parametrize(("word", "status"), [("raises", Status.CRASHED), ("caught", Status.FINISHED)])
def test_the_traceback_of_a_server_is_its_crash(service: Service, word: str, status: Status) -> None:
    seen = system(service, word).run(case())
    assert seen.status is status
    assert seen.crash is not None
    assert (seen.crash.kind, seen.crash.message, seen.crash.frames[0]) == ("KeyError", "'plan'", "server.py:raises")
    assert "KeyError: 'plan'" in seen.stderr
    verdict = ExitStatus((200,)).judge(case(), Observed.of(case(), [seen]))
    assert [failure.signature.partition(" < ")[0] for failure in verdict.failures] == [
        "s: crashed: KeyError in server.py:raises"
    ]
    later = system(service, "fail").run(case())
    assert (later.crash, "KeyError" in later.stderr) == (None, False)


@needs_linux
def test_a_server_that_kills_its_parent_has_crashed(service: Service) -> None:
    seen = system(service, "kill_parent").run(case())
    assert seen.status is Status.CRASHED
    assert seen.crash is not None
    assert seen.crash.kind == "killed its parent process"
    assert system(service, "text").run(case()).stdout == "grün"


def test_a_server_that_dies_is_blamed_once_and_started_again(service: Service) -> None:
    counting = system(service, "count")
    poison = Graph([Triple(NamedNode("urn:a"), NamedNode("urn:b"), Literal("poison"))])
    for _ in range(2):
        seen = counting.run(Case.of_graph("poison", poison))
        assert (seen.status, seen.exit_code) == (Status.CRASHED, -11)
        assert seen.crash is not None
        assert (seen.crash.kind, seen.crash.message) == ("SIGSEGV", "last words")
        assert seen.stderr.endswith("last words\n")
        assert counting.run(case()).value["lines"] == 3


def test_a_server_that_ends_between_two_cases_is_started_again(service: Service) -> None:
    assert system(service, "stop").run(case()).stdout == "grün"
    assert service.wait_for_end(5) == 3
    seen = system(service, "text").run(case())
    assert (seen.status, seen.stdout) == (Status.FINISHED, "grün")
    assert seen.remark == "the server had ended (exit code 3) and was restarted"


@needs_linux
def test_a_server_that_uses_too_much_memory_is_ended(service: Service) -> None:
    seen = system(service, "grow", Limits(20, 200)).run(case())
    assert seen.status is Status.OUT_OF_MEMORY
    assert system(service, "text").run(case()).stdout == "grün"


def test_an_external_server() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    away = HttpSystem("s", f"http://127.0.0.1:{port}/")
    with pytest.raises(UnavailableError, match=f"http://127.0.0.1:{port}/ cannot be reached: Connection refused"):
        away.start()
    assert away.run(case()).status is Status.UNREACHABLE
    nowhere = HttpSystem("s", "http://no-such-host.invalid/")
    assert nowhere.run(case()).status is Status.UNREACHABLE


def test_a_server_that_answers_before_it_has_read_everything() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(10)
                connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig")
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(1 << 16):
                    pass

        thread = threading.Thread(target=refuse)
        thread.start()
        seen = HttpSystem("s", f"http://127.0.0.1:{server.getsockname()[1]}/").run(case(graph(20_000)))
        thread.join()
    assert (seen.status, seen.exit_code, seen.stdout) == (Status.FINISHED, 413, "big")


@pytest.mark.parametrize("url", ["ftp://x/", "http:///", "x", "http://x:99999999/", "http://x/a b", "http://[x/"])
def test_invalid_urls_are_refused(url: str) -> None:
    with pytest.raises(InputError, match="URL"):
        HttpSystem("s", url)


def test_invalid_methods_headers_and_formats_are_refused() -> None:
    with pytest.raises(InputError, match="not an HTTP method"):
        HttpSystem("s", "http://x/", method="PO ST")
    with pytest.raises(InputError, match="not an HTTP header"):
        HttpSystem("s", "http://x/", headers={"X": "a\r\nY: b"})
    with pytest.raises(InputError, match="no format"):
        HttpSystem("s", "http://x/", payload=GraphText("turtel"))


# -- services ------------------------------------------------------------------------------------------------------


def test_a_service_is_started_once_and_leaves_nothing_behind(script: Path, tmp_path: Path) -> None:
    own = service_of(script, stop=["{python}", "-c", f"open({str(tmp_path / 'stopped')!r}, 'w').write('{{port}}')"])
    own.start()
    pid, port = own.pid or 0, own.filled("{port}")
    own.start()
    assert (own.pid, own.filled("{port}")) == (pid, port)
    own.close()
    own.close()
    assert not is_running(pid)
    assert own.pid is None
    assert (tmp_path / "stopped").read_text(encoding="ascii") == port


def test_a_health_check_can_be_a_command(script: Path) -> None:
    check = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1]))).close()"
    own = Service(["{python}", str(script), "{port}"], health=["{python}", "-c", check, "{port}"])
    found = HttpSystem("s", "http://127.0.0.1:{port}/text", service=own)
    found.start()
    assert found.run(case()).stdout == "grün"
    found.close()


@needs_linux
def test_a_service_that_leaves_a_server_behind(script: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    launch = (
        "import subprocess, sys; "
        "server = subprocess.Popen([sys.executable, *sys.argv[1:]], start_new_session=True);"
        f"open({str(pid)!r}, 'w').write(str(server.pid)); server.returncode = 0"
    )
    stop = f"import os; os.kill(int(open({str(pid)!r}).read()), 9)"
    own = Service(
        ["{python}", "-c", launch, str(script), "{port}"],
        health="http://127.0.0.1:{port}/",
        stop=["{python}", "-c", stop],
    )
    found = HttpSystem("s", "http://127.0.0.1:{port}/text", service=own)
    assert [found.run(case()).stdout for _ in range(2)] == ["grün", "grün"]
    number = int(pid.read_text(encoding="ascii"))
    assert is_running(number)
    found.close()
    assert are_gone(number)  # it is not a child, so close() cannot wait for its end


@pytest.mark.parametrize(
    ("start", "complaint"),
    [
        (["no-such-program-anywhere"], "no-such-program-anywhere of a service does not exist"),
        (
            [sys.executable, "-c", "raise ValueError('no port {port}')"],
            r"ended immediately \(exit code 1\): ValueError: no",
        ),
        ([sys.executable, "-c", "import time; time.sleep(60)"], r"was not ready within 0.5 s"),
    ],
)
def test_a_service_that_does_not_start(start: list[str], complaint: str) -> None:
    own = Service(start, health="http://127.0.0.1:{port}/", seconds_to_start=0.5)
    found = HttpSystem("s", "http://127.0.0.1:{port}/", service=own)
    with pytest.raises(UnavailableError, match=complaint):
        found.start()
    assert own.pid is None
    assert found.run(case()).status is Status.UNREACHABLE


def test_invalid_services_are_refused() -> None:
    with pytest.raises(InputError, match=r"did you mean '\{port\}'"):
        Service(["serve", "{prot}"], health="http://127.0.0.1/")
    with pytest.raises(InputError, match="URL"):
        Service(["serve"], health="localhost")
