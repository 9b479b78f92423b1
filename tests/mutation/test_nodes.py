"""Operators that remove or replace nodes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.masks.pins import PinnedTriples
from kgprobe.mutation.operator import NO_PINS, Change, Pins, Site
from kgprobe.mutation.update import parse_operator
from kgprobe.rdf.graph import FreshNames, Graph
from kgprobe.rdf.terms import NamedNode

HEADER = "# name: X\n# does: x\n# target: both\n"
PROLOGUE = "PREFIX : <http://example.org/>\nPREFIX kg: <urn:kgprobe:function:>\n"
GRAPH = "@prefix : <http://example.org/> . :a :p :b . :b :p :a . :b :b :b . :c :p 1 . :c a :C ."


def _graph(tmp_path: Path, text: str = GRAPH) -> Graph:
    (tmp_path / "g.ttl").write_text(text)
    return load(tmp_path / "g.ttl").graph


def _proposed(graph: Graph, text: str, pins: Pins = NO_PINS, seed: int = 0) -> Change | None:
    operator = parse_operator(HEADER + text, "x.ru")
    return operator.bound(pins)(Site(graph, Random(seed), FreshNames(graph, seed), pins))


def _after(graph: Graph, text: str) -> set[str]:
    change = _proposed(graph, text)
    assert change
    for keys in (*change.removed, *change.added):
        graph.flip(keys)
    return {str(triple).replace("<http://example.org/", ":").replace(">", "") for triple in graph}


def test_a_node_is_removed_from_every_position(tmp_path: Path) -> None:
    text = f"# deletes-nodes: ?x\n{PROLOGUE}DELETE {{ }} WHERE {{ ?x ?x ?x }}"
    left = _after(_graph(tmp_path), text)
    assert len(left) == 2
    assert not [triple for triple in left if ":b" in triple]


def test_a_node_is_replaced_in_every_position(tmp_path: Path) -> None:
    text = f"# replaces-nodes: ?x ?y\n{PROLOGUE}INSERT {{ ?y a :New }} WHERE {{ ?x ?x ?x BIND(kg:pick(:n) AS ?y) }}"
    left = _after(_graph(tmp_path), text)
    assert {":a :p :n", ":n :p :a", ":n :n :n"} <= left
    assert len(left) == 6


def test_two_nodes_are_swapped(tmp_path: Path) -> None:
    text = f"# replaces-nodes: ?x ?y, ?y ?x\n{PROLOGUE}DELETE {{ }} WHERE {{ ?x :p ?y . ?y ?y ?y }}"
    left = _after(_graph(tmp_path), text)
    assert {":b :p :a", ":a :p :b", ":a :a :a"} <= left
    assert len(left) == 5


def test_invalid_triples_are_not_created(tmp_path: Path) -> None:
    text = f"# replaces-nodes: ?x ?y\n{PROLOGUE}DELETE {{ }} WHERE {{ ?x a :C . ?x :p ?y }}"
    assert _proposed(_graph(tmp_path), text) is None


def test_a_deleted_node_does_not_come_back(tmp_path: Path) -> None:
    text = f"# deletes-nodes: ?x\n# replaces-nodes: ?y ?z\n{PROLOGUE}DELETE {{ }}"
    text += " WHERE { ?x ?x ?x . ?y :p ?x BIND(kg:pick(:n) AS ?z) }"
    assert not [triple for triple in _after(_graph(tmp_path), text) if ":b" in triple or ":a" in triple]


@pytest.mark.parametrize("key", ["deletes-nodes: ?x", "replaces-nodes: ?x ?y"])
def test_pinned_nodes_are_not_drawn(tmp_path: Path, key: str) -> None:
    nodes = " ".join(f":n{number} a :N ." for number in range(200))
    graph = _graph(tmp_path, f"@prefix : <http://example.org/> . {nodes} :free a :N ; :p :q .")
    pins = Pins([PinnedTriples(Graph(t for t in graph if "#n" in str(t) or "/n" in str(t.subject)), "pinned")])
    text = f"# {key}\n{PROLOGUE}DELETE {{ }} WHERE {{ ?x a :N BIND(kg:pick(:new) AS ?y) }}"
    for seed in range(10):
        change = _proposed(graph, text, pins, seed)
        assert change
        assert {graph.term(keys[0]) for keys in change.removed} == {NamedNode("http://example.org/free")}


def test_a_pinned_namespace(tmp_path: Path) -> None:
    text = f"# deletes-nodes: ?x\n{PROLOGUE}DELETE {{ }} WHERE {{ ?x ?x ?x }}"
    assert _proposed(_graph(tmp_path), text, Pins(namespaces=["http://example.org/a"])) is None


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("deletes-nodes: x", "x.ru:4: 'x' in 'deletes-nodes' is not a variable (variables are written ?node)"),
        ("replaces-nodes: ?x", "x.ru:4: 'replaces-nodes' has an old node without a new one (write ?old ?new)"),
        ("deletes-nodes: ?z", "x.ru: ?z has no value"),
        ("deletes-node: ?x", "did you mean 'deletes-nodes'?"),
    ],
)
def test_invalid_headers(header: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_operator(f"{HEADER}# {header}\nDELETE {{ }} WHERE {{ ?x ?p ?y }}", "x.ru")
    assert told in str(caught.value)
