"""No mask uses the network, regardless of its content."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from support.turtle import graph_in

from kgprobe.errors import InputError
from kgprobe.masks.shacl import ENGINES, ShaclCheck
from kgprobe.processes.child import DESCRIPTOR, Child, Output, Setup


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(500)

        do_POST = do_GET  # noqa: N815 - the base class calls it so

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class calls it so
            """Log nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/", asked
    server.shutdown()
    server.server_close()


def _shapes(query: str) -> str:
    return (
        "@prefix sh: <http://www.w3.org/ns/shacl#> . <urn:s> a sh:NodeShape ; sh:targetNode <urn:a> ;"
        f" sh:sparql [ a sh:SPARQLConstraint ; sh:select {json.dumps(query)} ] ."
    )


QUERIES = [
    "SELECT $this { SERVICE <URL> { ?s ?p ?o } }",
    r"SELECT $this { SERV\u0049CE <URL> { ?s ?p ?o } }",
    r"SELECT $this { \U00000053ERVICE SILENT <URL> { ?s ?p ?o } }",
    "SELECT $this FROM <URL> { ?s ?p ?o }",
    r"SELECT $this FR\u004FM NAMED <URL> { ?s ?p ?o }",
]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_query_in_shapes_that_would_use_the_network_is_refused(query: str, engine: str) -> None:
    shapes = graph_in(_shapes(query.replace("URL", "urn:x")))
    with pytest.raises(InputError, match=r"SERVICE would use the network|FROM names another graph"):
        ShaclCheck(shapes, "shapes.ttl", engine=engine)


def test_the_process_of_pyshacl_has_no_network(endpoint: tuple[str, list[str]]) -> None:
    """Even if nothing refuses the shapes beforehand."""
    pytest.importorskip("pyshacl")
    url, asked = endpoint
    requests = []
    for query in QUERIES:
        requests += [{"shapes": _shapes(query.replace("URL", url))}, {"table": "<urn:a> <urn:p> <urn:b> ."}]
        requests += [{"added": "", "removed": ""}]
    child = Child([sys.executable, "-m", "kgprobe.masks.pyshacl_worker", DESCRIPTOR], Setup(output=Output.DROPPED))
    try:
        answers = []
        for request in requests:
            child.channel.send(json.dumps(request).encode())
            answers.append(json.loads(child.channel.receive()))
    finally:
        child.end()
    assert len(answers) == len(requests)
    assert asked == []
    # pyshacl refuses the usual spelling itself.
    assert ["network" in answer["error"] for answer in answers[2:6:3]] == [False, True]
