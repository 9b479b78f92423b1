"""Whatever bytes a system, a server or an oracle prints, the campaign continues, and every report is readable."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import ClassVar
from xml.etree import ElementTree

import pytest
from support.commands import kgprobe

from kgprobe.campaign.events import Event, Judged, ReductionDone
from kgprobe.campaign.experiment import hints_in
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store
from kgprobe.campaign.summary import summary_of
from kgprobe.config.loading import load_profile
from kgprobe.model import Failure, Outcome, Verdict
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Triple
from kgprobe.report.campaign import campaign_as_junit, story_lines, summary_lines, summary_value

from .campaigns import InThisProcess

_WORDS = [
    "bad value:[1]",
    "a:%zz b:\\u0000 http://[::1 x:{} urn:|",
    "[bold red]markup[/bold] [/] [link=x:y]",
    "lone \ud800 and \udfff",
    "\x00nul\x00",
    "\x1b[2J\x1b]0;title\x07",
    "\u202eright to left\u2066",
    "line\u2028one\u2029two\x85three\x0bfour",
    "]]></failure><!-- & < > \" '",
    "\ufffe\uffff\U0010ffff",
    ": : :",
    "",
    "%s %d {0} {name}",
    "x" * 3_000_000,
    "y\n" * 100_000,
    'Traceback (most recent call last):\n  File "\x00", line 1, in \ud800\nValueError: \udcff',
    '"unclosed',
    "\ufeffbom",
]
# Texts that can steer a terminal, split a line, or not be encoded.
_STEERING = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_SYSTEM = """
import json, os, sys
from pathlib import Path
WORDS = json.loads((Path(__file__).parent / "words.json").read_text())

class Odd(Exception):
    def __str__(self):
        return self.args[0]

def run(graph):
    file = Path(__file__).parent / "calls"  # a process that has ended is replaced, and has forgotten everything
    number = int(file.read_text()) if file.exists() else -1
    file.write_text(str(number + 1))
    if number < 0:
        return {"answer": "fine"}
    text = WORDS[number // 4]
    way = number % 4
    if way == 0:
        raise Odd(text)
    if way == 1:
        os.write(1, text.encode(errors="surrogatepass"))
        os.write(2, text.encode(errors="surrogatepass"))
        os._exit(3)
    return {"answer": text, "way": way}
"""
_ORACLE = """
def check(case, seen):
    if not isinstance(seen.value, dict) or seen.value["answer"] == "fine":
        return True
    return seen.value["answer"] if seen.value["way"] == 2 else "kind " + seen.value["answer"][:50] + ": more"
"""


def _write(folder: Path, table: str, mutants: int, more: str = "") -> Path:
    lines = [f"<http://example.org/s{n}> <http://example.org/p> <http://example.org/o{n}> ." for n in range(12)]
    (folder / "seed.nt").write_text("\n".join(lines))
    profile = folder / "profile.toml"
    profile.write_text(f"""
[graph]
seeds = ["seed.nt"]
[mutation]
operators = ["generic"]
mutations = 2
mutants = {mutants}
{table}
{more}
""")
    return profile


def _random_text(random: Random) -> str:
    kinds = ["\x00\x01\x1b\x7f\x9f", "[]{}()<>:/\\%#\"'", "\ud800\udcff\udfff", "\u202e\u2028\ufeff\uffff", "ab: é\n\t"]
    return "".join(random.choice(random.choice(kinds)) for _ in range(random.randrange(60)))


def _run(profile: Path) -> list[Event]:
    return list(run_campaign(load_profile(profile), InThisProcess))


def _assert_reports_can_be_read(path: Path) -> None:
    with read_store(path) as store:
        summary = summary_of(store, KnownBugs([]))
        lines = list(summary_lines(summary, "x"))
        for found in summary.findings:
            lines += story_lines(found, store)
        for line in lines:
            assert not _STEERING.search(line), ascii(line)
            assert len(line) < 10_000
        json.dumps(summary_value(summary, ""), ensure_ascii=False).encode()
        junit = campaign_as_junit(store, summary, "x")
        ElementTree.fromstring(junit.encode())  # noqa: S314 - our own
        assert len(list(store.results())) == store.outcomes().total()


@pytest.mark.parametrize("count", [5, pytest.param(300, marks=pytest.mark.thorough)])
def test_a_function_and_an_oracle(tmp_path: Path, count: int) -> None:
    random = Random(3)
    words = _WORDS + [_random_text(random) for _ in range(count)]
    (tmp_path / "words.json").write_text(json.dumps(words))
    (tmp_path / "system.py").write_text(_SYSTEM)
    (tmp_path / "oracle.py").write_text(_ORACLE)
    table = '[[python.systems]]\nname = "system"\nfunction = "system.py:run"\n[python]\noracle = "oracle.py:check"\n'
    cases = 4 * len(words)
    profile = _write(tmp_path, table, cases, "[campaign]\nreduce = 0")
    events = _run(profile)
    judged = {event.verdict.outcome for event in events if isinstance(event, Judged)}
    assert sum(isinstance(event, Judged) for event in events) == cases
    assert judged <= {Outcome.PASS, Outcome.FAIL}
    _assert_reports_can_be_read(profile.with_suffix(".sqlite"))


_BODIES = [
    *(text.encode(errors="surrogatepass")[:100_000] for text in _WORDS),
    b"9" * 5_000,
    b"[" * 100_000,
    b'"\\ud800"',
    b"\xff\xfe\x00\x01",
    b'{"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "uri", "value": "bad [1]"}}]}}',
    b'{"head": {}, "boolean": "x"}',
    b"NaN",
]
_TYPES = ["application/json", "text/plain; charset=nonsense", "application/sparql-results+json", "\xff"]


class _Handler(BaseHTTPRequestHandler):
    """Answers well once, for the seed graph, and then with one odd body after the other."""

    bodies: ClassVar[list[bytes]]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        number = len(self.bodies)
        self.send_response(500 if number % 5 == 1 else 200)
        self.send_header("Content-Type", _TYPES[number % len(_TYPES)])
        self.end_headers()
        self.wfile.write(self.bodies.pop())

    def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 - the name that it has


def test_a_server(tmp_path: Path) -> None:
    class Handler(_Handler):
        bodies: ClassVar[list[bytes]] = [*_BODIES, b"fine"]  # it is asked from the end on

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        table = f'[[systems]]\nname = "server"\nhttp = "http://127.0.0.1:{server.server_port}/"\n'
        more = "[oracle]\nsame-as-seed = true\n[campaign]\nreduce = 0"
        profile = _write(tmp_path, table, len(_BODIES), more)
        events = _run(profile)
        server.shutdown()
    assert sum(isinstance(event, Judged) for event in events) == len(_BODIES)
    _assert_reports_can_be_read(profile.with_suffix(".sqlite"))


def test_words_that_look_like_an_iri(tmp_path: Path) -> None:
    system = "if grep -q example.org/s3 $1; then echo 'bad value:[1] http://example.org/s3' >&2; exit 1; fi"
    (tmp_path / "system.sh").write_text(system)
    table = '[[systems]]\nname = "system"\ncommand = ["sh", "system.sh", "{graph}"]\n'
    profile = _write(tmp_path, table, 4)
    # The seed graph is to pass, and most mutants to fail.
    text = (tmp_path / "seed.nt").read_text()
    (tmp_path / "seed.nt").write_text(text.replace("/s3", "/other"))
    (tmp_path / "add.ru").write_text(
        "# name: AddIt\n# does: adds it\n# target: abox\nINSERT { <http://example.org/s3> ?p ?o } WHERE { ?s ?p ?o }"
    )
    profile.write_text(profile.read_text().replace('"generic"', '"add.ru"').replace("mutations = 2", "mutations = 1"))
    done = [event for event in _run(profile) if isinstance(event, ReductionDone)]
    [reduced] = [event.reduced for event in done]
    assert reduced is not None
    assert reduced.figures["triples_after"] == 1
    (tmp_path / "failing.nt").write_text(text)
    command = f"sh {tmp_path / 'system.sh'} {{graph}}"
    again = kgprobe("reduce", tmp_path / "failing.nt", "--system", command)
    assert again.returncode == 0, again.stderr


def test_hints_are_names_of_the_graph() -> None:
    node = NamedNode("http://example.org/a")
    graph = Graph([Triple(node, node, node)])
    assert hints_in([*_WORDS[:3], "at http://example.org/a, and http://example.org/b"], graph) == [node]


@pytest.mark.parametrize("text", _WORDS)
def test_verdicts_can_be_printed(text: str) -> None:
    verdict = Verdict(Outcome.FAIL, text, (Failure("system", text, text, (text, text)),))
    for line in verdict.text.splitlines():
        assert not _STEERING.search(line)
        line.encode()
