"""A query whose texts grow cannot fill the memory: another process answers it, with limits on time and memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Quad
from support.commands import kgprobe, needs_linux

from kgprobe.errors import InputError
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, Triple
from kgprobe.sparql.engine.exact_store import ExactStore, GraphStore, PreparedQuery
from kgprobe.sparql.engine.results import Rows

S, P = NamedNode("urn:s"), NamedNode("urn:p")
ONE = Graph([Triple(S, P, Literal("aa"))])
ONCE = 'SELECT ?t { ?s ?p ?o BIND(REPLACE(?o, "a", "bb") AS ?t) }'


def _growing(times: int = 14) -> str:
    """A pattern that binds ?t to a text that is 20 times longer after each step."""
    steps = (f'BIND(REPLACE(?t{n}, "a", "aaaaaaaaaaaaaaaaaaaa") AS ?t{n + 1})' for n in range(times))
    return f'?s ?p ?o . BIND(STR("aaaaaaaaaaaaaaaaaaaa") AS ?t0) {" ".join(steps)} BIND(?t{times} AS ?t)'


def _rows(store: ExactStore | GraphStore, text: str) -> list[dict[str, object]]:
    found = store.query(text)
    assert isinstance(found, Rows)
    return sorted(map(dict, found.rows), key=str)


@pytest.mark.parametrize(
    ("text", "is_tame"),
    [
        ("SELECT * { ?s ?p ?o }", True),
        ("SELECT * { ?s <urn:p>+ ?o }", True),
        ('SELECT (CONCAT(?a, "x", ?b) AS ?c) { ?s ?p ?a, ?b }', True),
        (f"SELECT * {{ {' '.join(f'BIND(CONCAT(?a{n}, ?a{n}) AS ?a{n + 1})' for n in range(30))} }}", False),
        (ONCE, False),
        ("SELECT (GROUP_CONCAT(?o) AS ?all) { ?s ?p ?o }", False),
        ('SELECT * { ?s ?p ?o FILTER(?o = "REPLACE(CONCAT(") }', True),
    ],
)
def test_what_can_grow(text: str, is_tame: bool) -> None:
    assert PreparedQuery.of(text, "<query>").is_tame is is_tame


def test_the_other_process_gives_the_same_answers_and_follows_changes() -> None:
    graph = ONE.copy()
    assert _rows(GraphStore(graph), ONCE) == [{"t": Literal("bbbb")}]
    graph.add(Triple(S, P, Literal("a")))
    assert _rows(GraphStore(graph), ONCE) == [{"t": Literal("bb")}, {"t": Literal("bbbb")}]
    graph.remove(Triple(S, P, Literal("aa")))
    assert _rows(GraphStore(graph), ONCE) == [{"t": Literal("bb")}]
    store = ExactStore(ONE)
    with store.holding([Quad(S, P, Literal("ca"), NamedNode("urn:g"))]):
        named = ONCE.replace("?s ?p ?o", "GRAPH ?g { ?s ?p ?o }")
        assert _rows(store, named) == [{"t": Literal("cbb")}]
    assert _rows(store, named) == []
    asked = PreparedQuery.of(ONCE.replace("?t {", "?o ?t {"), "<query>")
    found = store.ask(asked, {"o": Literal("none")})
    assert isinstance(found, Rows)
    assert list(found.rows) == []
    assert store.query(ONCE.replace("SELECT ?t", "ASK")) is True
    made = store.query(ONCE.replace("SELECT ?t", "CONSTRUCT { ?s ?p ?t } WHERE"))
    assert not isinstance(made, bool | Rows)
    assert list(made) == [Triple(S, P, Literal("bbbb"))]


def test_a_text_that_fills_the_memory_is_one_line() -> None:
    with pytest.raises(InputError, match="cannot be answered: it needs more memory than is available"):
        _rows(ExactStore(ONE), f"SELECT ?t {{ {_growing()} }}")
    assert _rows(ExactStore(ONE), ONCE) == [{"t": Literal("bbbb")}]  # by a new process


OPERATOR = """# name: %s
# does: makes a text longer
# target: abox
# before:
#   <urn:s> <urn:p> "aa" .
# after:
#   <urn:s> <urn:p> "aa", "x" .

INSERT { ?s <urn:p> "x" } WHERE { %s }
"""
_COMMANDS = {
    "a mask": ("check", "g.ttl", "--mask", "mask.rq"),
    "an operator": ("mutate", "g.ttl", "--operators", "grow.ru", "--count", "1", "--out", "mutants"),
    "a filter": ("mutate", "g.ttl", "--operators", "filter.ru", "--count", "1", "--out", "mutants"),
    "an audit": ("select", "g.ttl", "--tests", "tests", "--audit", "--mutants", "1"),
    "a query test": ("query", "test", "tests/grow.rq", "--ontology", "g.ttl", "--expect", "?t: string"),
}


@needs_linux
@pytest.mark.thorough
@pytest.mark.parametrize("which", _COMMANDS)
def test_no_command_needs_the_memory_itself(which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.ttl").write_text('<urn:s> <urn:p> "aa" .')
    (tmp_path / "mask.rq").write_text(f"ASK {{ {_growing()} FILTER(STRLEN(?t) > 3) }}")
    (tmp_path / "grow.ru").write_text(OPERATOR % ("Grow", _growing()))
    nested = "?o"
    for _ in range(12):
        nested = f'REPLACE(CONCAT({nested}, "a"), "a", "aaaaaaaaaaaaaaaaaaaaaaaaa")'
    (tmp_path / "filter.ru").write_text(OPERATOR % ("Filter", f"?s ?p ?o FILTER(STRLEN({nested}) > 3)"))
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "grow.rq").write_text(f"SELECT ?t {{ {_growing()} }}")
    done = kgprobe(*_COMMANDS[which], measured=True, seconds=200)
    assert "internal error" not in done.stderr
    assert "more memory than is available" in done.stdout + done.stderr or which == "an audit", done
    assert done.megabytes is not None
    assert done.megabytes < 600
