"""All facts of a SPARQL endpoint arrive, however it orders and cuts its answers."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from pyoxigraph import QueryResultsFormat, QuerySolutions, RdfFormat, Store
from support.counting_server import Answer, serving

from kgprobe.errors import InputError, UnavailableError
from kgprobe.questions.facts.loading import open_facts
from kgprobe.questions.facts.sources import Endpoint
from kgprobe.rdf.terms import Triple

_JSON = "application/sparql-results+json"
_GRAPH = "".join(
    f'<http://x/{n % 40}> <http://x/p{n % 3}> <http://x/{n}> .\n<http://x/{n % 5}> <http://x/name> "é {n}"@en .\n'
    for n in range(400)
)


def _store(text: str) -> Store:
    store = Store()
    store.load(text, format=RdfFormat.TURTLE)
    return store


def _answering(store: Store, *, most: int = 10**9, order: random.Random | None = None) -> Callable[[bytes], Answer]:
    """An endpoint that cuts its answers after some rows, and answers in any order."""
    turn = threading.Lock()

    def answer(body: bytes) -> Answer:
        with turn:
            found = store.query(parse_qs(body.decode())["query"][0])
        assert isinstance(found, QuerySolutions)
        names = [variable.value for variable in found.variables]
        rows = [dict(zip(names, row, strict=True)) for row in found]
        if order is not None:
            order.shuffle(rows)
        return 200, _JSON, _table(names, rows[:most])

    return answer


def _table(names: list[str], rows: list[dict[str, object]]) -> bytes:
    """A table of results, written by the SPARQL engine itself from a VALUES block."""
    values = " ".join(f"({' '.join(str(row[name]) for name in names)})" for row in rows)
    variables = " ".join(f"?{name}" for name in names)
    found = Store().query(f"SELECT {variables} WHERE {{ VALUES ({variables}) {{ {values} }} }}")
    assert isinstance(found, QuerySolutions)
    text = found.serialize(format=QueryResultsFormat.JSON)
    assert text is not None
    return text


def _loaded(endpoint: Endpoint) -> tuple[list[Triple], list[str]]:
    reading, found = endpoint.triples(), []
    while True:
        try:
            found.append(next(reading))
        except StopIteration as ended:
            return found, ended.value


@pytest.mark.parametrize(("page", "most"), [(10_000, 10**9), (50, 10**9), (10_000, 37), (16, 16), (1000, 400)])
def test_all_triples_arrive_once(page: int, most: int) -> None:
    store = _store(_GRAPH)
    with serving(_answering(store, most=most, order=random.Random(7))) as server:
        found, notes = _loaded(Endpoint(server.url, page=page))
    expected = {quad.triple for quad in store}
    assert len(found) == len(expected) == 800
    assert set(found) == expected
    assert notes == []


def test_a_list_of_relations_that_is_cut_short_loses_nothing() -> None:
    store = _store("".join(f"<http://x/s> <http://x/p{n}> <http://x/o{n % 7}>, <http://x/z> .\n" for n in range(60)))
    with serving(_answering(store, most=20, order=random.Random(7))) as server:
        found, _ = _loaded(Endpoint(server.url))
    assert set(found) == {quad.triple for quad in store}


def test_blank_nodes_keep_their_connections_or_are_left_out_with_a_note() -> None:
    text = "<http://x/a> <http://x/p> [ <http://x/q> <http://x/b>, [ <http://x/q> 1 ] ] ; <http://x/p> <http://x/c> ."
    store = _store(text)

    def answer(body: bytes) -> Answer:
        found = store.query(parse_qs(body.decode())["query"][0])
        assert isinstance(found, QuerySolutions)
        return 200, _JSON, found.serialize(format=QueryResultsFormat.JSON) or b""

    with serving(answer) as server:
        found, notes = _loaded(Endpoint(server.url))
        few, few_notes = _loaded(Endpoint(server.url, page=3))
    assert len(found) == 5
    blank = {each.object for each in found if each.predicate.value == "http://x/p"} & {each.subject for each in found}
    assert len(blank) == 1
    assert notes == []
    assert len(few) == 1
    assert few_notes == ["4 triples with blank nodes are left out: they do not fit into one answer"]


def test_a_busy_endpoint_is_asked_again_and_a_refusal_is_an_error() -> None:
    store, asked = _store(_GRAPH), []
    answering = _answering(store)

    def busy(body: bytes) -> Answer:
        asked.append(body)
        return (503, "text/plain", b"busy") if len(asked) % 2 else answering(body)

    waits: list[float] = []
    with serving(busy) as server:
        found, _ = _loaded(Endpoint(server.url, sleep=waits.append))
    assert len(found) == 800
    assert waits
    with (
        serving(lambda _: (400, "text/plain", b"what?")) as server,
        pytest.raises(UnavailableError, match=r"status 400: what\?"),
    ):
        _loaded(Endpoint(server.url, sleep=waits.append))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, _JSON, b"{"), "cannot be read"),
        ((200, _JSON, b'{"head": {}, "boolean": true}'), "it is not a table"),
        ((200, "text/html", b"<html>"), "cannot be read"),
    ],
)
def test_an_answer_that_is_not_a_table_is_an_error(answer: Answer, message: str) -> None:
    with serving(lambda _: answer) as server, pytest.raises(UnavailableError, match=message):
        _loaded(Endpoint(server.url))


def test_an_endpoint_that_loses_triples_is_noticed() -> None:
    store = _store(_GRAPH)
    answering = _answering(store)

    def losing(body: bytes) -> Answer:
        if b"COUNT" in body:
            return answering(body)
        return 200, _JSON, _table(["s", "p", "o"], [])

    with serving(losing) as server, pytest.raises(UnavailableError, match=r"counted \d+ triples and answered with"):
        _loaded(Endpoint(server.url))


def test_an_endpoint_with_too_many_triples_and_one_that_does_not_exist_are_errors() -> None:
    with (
        serving(_answering(_store(_GRAPH))) as server,
        pytest.raises(UnavailableError, match="has 800 triples, and at most 10"),
    ):
        _loaded(Endpoint(server.url, most=10))
    with pytest.raises(UnavailableError, match="cannot be reached"):
        _loaded(Endpoint(server.url, sleep=lambda _: None))
    with pytest.raises(InputError, match="not the URL"):
        open_facts(["http://"])


def test_facts_of_an_endpoint_and_a_file_are_loaded_together_and_used_again(tmp_path: Path) -> None:
    extra = tmp_path / "extra.nt"
    extra.write_text("<http://x/1> <http://x/extra> <http://x/2> .\n", encoding="utf-8")
    file = tmp_path / "facts.duckdb"
    store = _store(_GRAPH)
    with serving(_answering(store)) as server:
        with open_facts([server.url, extra], file, part=100) as facts:
            assert facts.value("SELECT count(*) FROM facts") == 801
        asked = len(server.bodies)
        with open_facts([server.url, extra], file) as facts:
            assert facts.notes == ()
        assert len(server.bodies) == asked + 2  # only its counts
        store.update("INSERT DATA { <http://x/1> <http://x/p0> <http://x/new> }")
        with open_facts([server.url, extra], file) as facts:
            assert facts.notes == (f"{server.url} has changed since it was loaded: all facts are loaded again",)
            assert facts.value("SELECT count(*) FROM facts") == 802
