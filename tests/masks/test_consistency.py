"""Consistency as a check: conflicting axioms are described, and undecided graphs are not admitted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kgprobe.masks.consistency import ConsistencyCheck
from kgprobe.masks.mask import Cost, Mask
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, NamedNode, Triple
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.protocol import Answer, Reasoner

CAT, DOG, TOM = (NamedNode(f"https://example.org/zoo#{name}") for name in ("Cat", "Dog", "tom"))
ZOO = [
    Triple(CAT, RDF.type, OWL.Class),
    Triple(DOG, RDF.type, OWL.Class),
    Triple(CAT, OWL.disjointWith, DOG),
    Triple(TOM, RDF.type, CAT),
]
CLASH = Triple(TOM, RDF.type, DOG)


@pytest.fixture
def reasoner() -> Iterator[Reasoner]:
    opened = open_reasoner("auto")
    yield opened
    opened.close()


def test_a_consistent_graph_is_admitted(reasoner: Reasoner) -> None:
    check = ConsistencyCheck(reasoner)
    assert check.admits(Graph(ZOO))
    assert check.rejections(Graph(ZOO)) == []


def test_doubts_are_reported(reasoner: Reasoner) -> None:
    doubts: list[str] = []
    check = ConsistencyCheck(reasoner, doubts.append)
    assert check.rejections(Graph(ZOO)) == []
    assert doubts == []
    assert check.rejections(Graph([*ZOO, Triple(CAT, RDFS.subClassOf, BlankNode("nothing"))])) == []
    told = "probably consistent: 1 triple is not an OWL 2 axiom and was left out"
    assert doubts == [f"consistency (auto): {told}"]


def test_conflicting_axioms_are_reported(reasoner: Reasoner) -> None:
    graph = Graph([*ZOO, CLASH])
    mask = Mask([ConsistencyCheck(reasoner)])
    assert not mask.admits(graph)
    [rejection] = mask.rejections(graph)
    assert rejection.check == "consistency (auto)"
    assert rejection.node == TOM
    assert rejection.words.startswith("inconsistent, because of ")
    clashing = set(rejection.words.removeprefix("inconsistent, because of ").split("; "))
    assert clashing == {"Cat DisjointWith Dog", "tom Type Cat", "tom Type Dog"}


def test_an_undecided_graph_is_not_admitted(reasoner: Reasoner, monkeypatch: pytest.MonkeyPatch) -> None:
    undecided = Answer(None, "auto", 1.0, complete=False, why="it took more than 1 s")
    monkeypatch.setattr(reasoner, "answer", lambda _graph, tasks, **_: [undecided for _ in tasks])
    check = ConsistencyCheck(reasoner)
    assert not check.admits(Graph(ZOO))
    [rejection] = check.rejections(Graph(ZOO))
    assert rejection.words == "undecided: it took more than 1 s"


def test_consistency_is_checked_last() -> None:
    assert ConsistencyCheck.cost == max(Cost)


def test_a_contradiction_is_reported_before_its_explanation_is_searched(
    reasoner: Reasoner, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    answer = reasoner.answer

    def recorded(*asked: Any, **options: Any) -> list[Answer]:
        events.append("asked")
        return answer(*asked, **options)

    monkeypatch.setattr(reasoner, "answer", recorded)
    check = ConsistencyCheck(reasoner, on_contradiction=lambda rejection: events.append(rejection.words))
    [rejection] = check.rejections(Graph([*ZOO, CLASH]))
    assert events[:3] == ["asked", "inconsistent", "asked"]
    assert events.count("inconsistent") == 1
    assert rejection.words.startswith("inconsistent, because of ")


def test_the_search_for_an_explanation_has_a_time_limit(reasoner: Reasoner) -> None:
    check = ConsistencyCheck(reasoner, seconds=1e-9)
    [rejection] = check.rejections(Graph([*ZOO, CLASH]))
    assert rejection.words == "inconsistent; no explanation found in 1e-09 s"
