"""The description of a failing service: its error, and not what its server and its framework print around it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from kgprobe.campaign.trial import with_last_output
from kgprobe.model import Case, Crash, Observation, Status
from kgprobe.oracles.protocol import Observed
from kgprobe.oracles.single_run import ExitStatus
from kgprobe.rdf.graph import Graph
from kgprobe.systems.endings import crash_in
from kgprobe.systems.remote import HttpSystem, Service

_CASE = Case.of_graph("case", Graph())
_SERVER = r"""
import http.server, sys, traceback

LOG = [
    '\x1b[32mINFO\x1b[0m:     127.0.0.1:59124 - "POST /plan HTTP/1.1" 500 Internal Server Error',
    '127.0.0.1 - - [18/Nov/2026 23:00:00] "\x1b[35m\x1b[1mPOST /plan HTTP/1.1\x1b[0m" 500 -',
    '10.0.0.1 - - [18/Nov/2026:23:00:00 +0000] "POST /plan HTTP/1.1" 500 12 "-" "python/3"',
    '[18/Nov/2026 23:00:00] "POST /plan HTTP/1.1" 500 59',
    'POST /plan 500 3.145 ms - 12',
    '-' * 40,
    "Exception occurred during processing of request from ('127.0.0.1', 50648)",
]
PAGE = b'''<!doctype html>
<html lang=en><head><title>500 Internal Server Error</title><style>h1 { color: red }</style></head>
<body><h1>Sorry</h1><p>no &amp; price</p><script>alert(1)</script></body></html>'''

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def do_POST(self):
        try:
            raise KeyError("price")
        except KeyError:
            print('\x1b[31mplan failed\x1b[0m', file=sys.stderr)
            traceback.print_exc()
        print(*LOG, sep="\n", file=sys.stderr)
        self.send_response(500)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
_ASGI = """Traceback (most recent call last):
  File "/env/lib/python3.12/site-packages/uvicorn/protocols/http/h11_impl.py", line 403, in run_asgi
    result = await app(
  File "/env/lib/python3.12/site-packages/starlette/routing.py", line 73, in app
    response = await f(request)
  File "/env/lib/python3.12/site-packages/fastapi/routing.py", line 278, in app
    raw_response = await run_endpoint_function(
  File "/srv/planner.py", line 7, in plan
    return json.loads(text)
  File "/usr/lib/python3.12/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
  File "/usr/lib/python3.12/json/decoder.py", line 338, in decode
    obj, end = self.raw_decode(s, idx=_w(s, 0).end())
ValueError: no price
"""
_JAVA = """java.lang.IllegalStateException: no price
\tat org.example.Planner.plan(Planner.java:7)
\tat org.example.Api.post(Api.java:3)
\tat org.springframework.web.method.HandlerMethod.invoke(HandlerMethod.java:1)
\tat org.springframework.web.servlet.DispatcherServlet.doDispatch(DispatcherServlet.java:2)
\tat org.apache.catalina.core.StandardWrapper.service(StandardWrapper.java:3)
\tat java.base/java.lang.Thread.run(Thread.java:1583)
"""


def words_of(seen: Observation) -> tuple[str, ...]:
    verdict = ExitStatus((200,)).judge(_CASE, Observed.of(_CASE, [seen]))
    [failure] = with_last_output(verdict, [seen]).failures
    return failure.words


def test_a_service_that_logs_like_many_servers(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(_SERVER)
    service = Service(
        ["{python}", str(tmp_path / "server.py"), "{port}"], health="http://127.0.0.1:{port}/", seconds_to_start=60.0
    )
    with closing(HttpSystem("planner", "http://127.0.0.1:{port}/plan", service=service)) as system:
        system.start()
        seen = system.run(_CASE)
    words = words_of(seen)
    assert words[0] == "KeyError: 'price'"
    assert [line for line in words if "POST /plan" in line or "\x1b" in line or "\\x1b" in line or "<" in line] == []
    start = words.index("standard error:")
    assert words[start:] == (
        "standard error:",
        "  plan failed",
        "response:",
        "  500 Internal Server Error",
        "  Sorry",
        "  no & price",
    )


def test_frames_of_frameworks_are_one_line() -> None:
    assert words_of(Observation("planner", Status.CRASHED, crash=crash_in(_ASGI)))[2:] == (
        "at 2 frames of Python",
        "at planner.py:plan",
        "at 3 frames of fastapi, starlette and uvicorn",
    )
    coloured = _ASGI.replace("ValueError", "\x1b[1;35mValueError\x1b[0m").replace("File ", "\x1b[35mFile \x1b[0m")
    assert crash_in(coloured) == crash_in(_ASGI)
    assert words_of(Observation("planner", Status.CRASHED, crash=crash_in(_JAVA)))[2:] == (
        "at org.example.Planner.plan",
        "at org.example.Api.post",
        "at 4 frames of org.springframework, org.apache.catalina and Java",
    )


def test_a_single_frame_of_a_library_and_frames_of_unknown_origin_are_shown() -> None:
    crash = Crash("ValueError", "no", ("decoder.py:decode", "menu.py:menu", "a.py:a", "b.py:b"), None, ("Python", ""))
    assert words_of(Observation("menu", Status.CRASHED, crash=crash))[1:] == (
        "at decoder.py:decode",
        "at menu.py:menu",
        "at a.py:a",
        "at b.py:b",
    )


def test_colours_of_a_program_are_left_out_and_other_control_characters_shown() -> None:
    seen = Observation("tool", Status.FINISHED, exit_code=3, stderr="\x1b]0;title\x07\x1b[1;31mno price\x1b[0m \x08")
    assert words_of(seen)[0] == "no price \\x08"


def test_the_message_of_a_failure_is_what_the_system_said_last_wherever_it_said_it() -> None:
    """Reports begin with it, and tell variants of a finding apart by it."""
    for said in (
        Observation("planner", Status.FINISHED, exit_code=1, stdout="reading\n2 corridors\n"),
        Observation("planner", Status.FINISHED, exit_code=1, stderr="reading\n2 corridors\n", stdout="done\n"),
        Observation("planner", Status.CRASHED, exit_code=-11, stderr="reading\n2 corridors\n", stdout="done\n"),
        Observation("planner", Status.FINISHED, exit_code=500, stdout="<html><p>Sorry</p><p>2 corridors</p></html>\n"),
    ):
        assert words_of(said)[0] == "2 corridors"
    assert words_of(Observation("planner", Status.FINISHED, exit_code=1)) == ()
