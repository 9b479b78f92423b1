"""SPARQL endpoints as systems: the server of the `oxigraph` package."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.model import Status
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Triple
from kgprobe.systems.remote import Service
from kgprobe.systems.sparql import SparqlSystem

from .system_fixtures import case, graph

PROGRAM = shutil.which("oxigraph", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="the server of Oxigraph is not installed (pip install oxigraph)"
)

QUERIES = {
    "all": "SELECT ?o ?s ?missing { ?s ?p ?o OPTIONAL { ?s <urn:none> ?missing } }",
    "ask": "ASK { ?s <urn:p> ?o }",
    "made": "CONSTRUCT { [] <urn:is> ?o } WHERE { ?s ?p ?o }",
}
ENDPOINT = "http://127.0.0.1:{port}/query"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    start = [PROGRAM or "oxigraph", "serve", "--location", "{folder}", "--bind", "127.0.0.1:{port}"]
    found = Service(start, health="http://127.0.0.1:{port}/")
    yield found
    found.close()


def test_a_round_trip(service: Service) -> None:
    system = SparqlSystem("s", ENDPOINT, QUERIES, limits=Limits(20, 2048), service=service)
    system.start()
    blanks = [Triple(NamedNode("urn:s"), NamedNode("urn:p"), BlankNode(label)) for label in "ab"]
    large = [Triple(NamedNode("urn:s"), NamedNode("urn:p"), Literal("ü", language="de"))]
    seen = system.run(case(Graph([*blanks, *large])))
    assert (seen.status, seen.exit_code, seen.remark) == (Status.FINISHED, 200, "")
    assert seen.value == {
        "all": frozenset({(("", "_:b", "<urn:s>"), 2), (("", '"ü"@de', "<urn:s>"), 1)}),
        "ask": True,
        "made": frozenset({("_:b", "<urn:is>", "_:b"), ("_:b", "<urn:is>", '"ü"@de')}),
    }
    # No triples remain for the next case.
    assert system.run(case(Graph())).value == {"all": frozenset(), "ask": False, "made": frozenset()}
    assert len(system.run(case(graph(500))).value["all"]) == 500


def test_a_refused_query_and_a_refused_graph(service: Service) -> None:
    seen = SparqlSystem("s", ENDPOINT, {"bad": "SELEKT", "ask": "ASK {}"}, service=service).run(case())
    assert (seen.status, seen.exit_code) == (Status.FINISHED, 400)
    assert seen.value == {"bad": None, "ask": True}
    assert seen.remark == "the query 'bad' was refused: 400"
    assert "expected" in seen.stdout
    store = "http://127.0.0.1:{port}/nowhere"
    seen = SparqlSystem("s", ENDPOINT, QUERIES, store_url=store, service=service).run(case())
    assert (seen.status, seen.exit_code, seen.value) == (Status.FINISHED, 404, None)
    assert seen.remark == "the graph was refused: 404"


def test_an_answer_that_is_not_a_query_result(service: Service) -> None:
    home = SparqlSystem("s", "http://127.0.0.1:{port}/store?default", {"q": "ASK {}"}, service=service)
    seen = home.run(case())
    assert seen.status is Status.FINISHED
    assert seen.value == {"q": None}


def test_a_query_that_takes_too_long_and_a_server_that_dies(service: Service) -> None:
    many = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{n} ?b{n} ?c{n} ." for n in range(9)) + " }"
    slow = SparqlSystem("s", ENDPOINT, {"q": many}, limits=Limits(1, 2048), service=service)
    slow.start()
    seen = slow.run(case(graph(200)))
    assert (seen.status, seen.value) == (Status.TIMED_OUT, None)
    assert seen.seconds < 30
    quick = SparqlSystem("s", ENDPOINT, QUERIES, service=service)
    assert quick.run(case()).value["ask"] is True
    assert service.pid is not None
    os.kill(service.pid, signal.SIGKILL)
    assert service.wait_for_end(5) == -signal.SIGKILL
    seen = quick.run(case())
    assert (seen.status, seen.value["ask"]) == (Status.FINISHED, True)
    assert seen.remark == "the server had ended (SIGKILL) and was restarted"


def test_a_system_without_queries_is_refused() -> None:
    with pytest.raises(InputError, match="no queries"):
        SparqlSystem("s", "http://localhost/query", {})
