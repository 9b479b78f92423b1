"""The recording endpoint, and the use of its records."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest

from kgprobe.errors import InputError
from kgprobe.selection.recording import ENDPOINT_VARIABLE, TEST_VARIABLE, RecordingEndpoint

from .discovery.finding import EX, find, only, pizzas, terms

SELECT = "SELECT ?x { ?x a <http://www.w3.org/2002/07/owl#Class> } ORDER BY ?x LIMIT 1"
ASK = "ASK { <http://example.org/pizza#Pizza> ?p ?o }"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "record.jsonl"


@pytest.fixture
def endpoint(record: Path) -> Iterator[RecordingEndpoint]:
    with RecordingEndpoint(pizzas(), record) as open_endpoint:
        yield open_endpoint


def ask(url: str, body: bytes | None = None, **headers: str) -> tuple[str, bytes]:
    request = Request(url, data=body, headers={name.replace("_", "-"): value for name, value in headers.items()})  # noqa: S310
    with urlopen(request, timeout=20) as answer:  # noqa: S310 - our own server
        return answer.headers["Content-Type"], answer.read()


def entries(record: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]


def test_queries_by_get_and_by_post(endpoint: RecordingEndpoint, record: Path) -> None:
    kind, content = ask(f"{endpoint.url}?{urlencode({'query': SELECT})}")
    assert kind == "application/sparql-results+json"
    found = json.loads(content)["results"]["bindings"]
    assert found == [{"x": {"type": "uri", "value": EX.iri + "Food"}}]
    form = urlencode({"query": ASK}).encode()
    assert json.loads(ask(endpoint.url, form)[1])["boolean"] is True
    plain = ask(endpoint.url, ASK.replace("Pizza", "Calzone").encode(), Content_Type="application/sparql-query")
    assert json.loads(plain[1])["boolean"] is False
    assert [entry["test"] for entry in entries(record)] == [None, None, None]


@pytest.mark.parametrize(
    ("query", "accept", "kind"),
    [
        (SELECT, "application/sparql-results+xml", "application/sparql-results+xml"),
        (SELECT, "text/csv", "text/csv"),
        (SELECT, "*/*", "application/sparql-results+json"),
        (ASK, "text/csv", "application/sparql-results+json"),
        ("CONSTRUCT WHERE { ?s ?p ?o }", "*/*", "application/n-triples"),
        ("CONSTRUCT WHERE { ?s ?p ?o }", "text/turtle", "text/turtle"),
    ],
)
def test_answers_have_the_requested_format(endpoint: RecordingEndpoint, query: str, accept: str, kind: str) -> None:
    found, content = ask(f"{endpoint.url}?{urlencode({'query': query})}", Accept=accept)
    assert found.startswith(kind)
    assert content


def test_a_test_identifies_itself_by_path_header_or_parameter(endpoint: RecordingEndpoint, record: Path) -> None:
    name = "tests/test_größe.py::TestA::test_b[x/y?z]"
    query = urlencode({"query": ASK})
    ask(f"{endpoint.url_for(name)}?{query}")
    ask(f"{endpoint.url}?{query}&kgprobe-test={quote(name + '2')}")
    ask(f"{endpoint.url}?{query}", X_Kgprobe_Test=(name + "3").encode().decode("latin-1"))
    endpoint.test = "the one that runs"
    ask(f"{endpoint.url}?{query}")
    ask(f"{endpoint.url}?{query}")
    assert [entry["test"] for entry in entries(record)] == [name, name + "2", name + "3", "the one that runs"]
    assert all(entry["queries"] == [ASK] for entry in entries(record))


@pytest.mark.parametrize(
    ("parameters", "status"),
    [
        ({"query": "SELECT ?x {"}, 400),
        ({"update": "CLEAR ALL"}, 403),
        ({}, 400),
        ({"query": "SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }"}, 400),
    ],
)
def test_refused_requests(endpoint: RecordingEndpoint, parameters: dict[str, str], status: int) -> None:
    with pytest.raises(HTTPError) as error:
        ask(endpoint.url, urlencode(parameters).encode())
    assert error.value.code == status
    error.value.close()


def test_bad_requests_do_not_stop_it(endpoint: RecordingEndpoint) -> None:
    address = urlsplit(endpoint.url)
    for headers, body, status in (
        ({"Content-Length": "99999999999"}, b"", 413),
        ({"Content-Length": "x"}, b"", 411),
        ({"Content-Type": "application/sparql-query", "Content-Length": "1"}, b"\xff", 400),
    ):
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
        connection.putrequest("POST", "/sparql")
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body or None)
        assert connection.getresponse().status == status
        connection.close()
    assert ask(f"{endpoint.url}?{urlencode({'query': ASK})}")


def test_it_listens_on_localhost_only_and_until_it_is_closed(record: Path) -> None:
    with RecordingEndpoint(pizzas(), record) as endpoint:
        url = endpoint.url
        assert urlsplit(url).hostname == "127.0.0.1"
    with pytest.raises(OSError, match="refused"):
        ask(f"{url}?{urlencode({'query': ASK})}")
    with pytest.raises(RuntimeError):
        _ = endpoint.url


def test_a_record_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"), RecordingEndpoint(pizzas(), tmp_path / "a" / "b"):
        pass


def test_many_requests_at_once(endpoint: RecordingEndpoint, record: Path) -> None:
    def work(number: int) -> None:
        for _ in range(5):
            ask(f"{endpoint.url_for(f't{number}')}?{urlencode({'query': ASK})}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(str(entry["test"]) for entry in entries(record)) == [f"t{number}" for number in range(8)]


TEST = """
import os
from urllib.parse import urlencode
from urllib.request import urlopen

def test_it(cls="Pizza"):
    query = f"SELECT ?x {{ ?x a <http://example.org/pizza#{cls}> }}"
    urlopen(os.environ["KGPROBE_ENDPOINT"] + "?" + urlencode({"query": query})).read()

def test_math():
    assert 1 + 1 == 2

if __name__ == "__main__":
    test_it()
"""


def test_recorded_uses_complete_the_found_ones(tmp_path: Path) -> None:
    """A real test in a separate process queries the endpoint; then the search uses the record."""
    record = tmp_path / "record.jsonl"
    before = only(find(tmp_path / "suite", {"test_a.py": TEST}))
    assert (before.name, bool(before.unseen), terms(before)) == ("test_a.py::test_it", True, set())
    with RecordingEndpoint(pizzas(), record) as endpoint:
        environment = endpoint.environment(before.name)
        assert environment.keys() == {ENDPOINT_VARIABLE, TEST_VARIABLE}
        assert endpoint.environment() == {ENDPOINT_VARIABLE: endpoint.url}
        command = [sys.executable, str(tmp_path / "suite" / "test_a.py")]
        subprocess.run(command, env={**os.environ, **environment}, check=True, timeout=60)  # noqa: S603
        endpoint.is_complete(before.name)
    after = only(find(tmp_path / "suite", {}, recorded=record))
    assert (after.unseen, terms(after)) == ((), {"type", "Pizza"})
