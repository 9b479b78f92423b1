"""Masks that run away are stopped, and the graph is undecided."""

from __future__ import annotations

import gc
import pickle
from pathlib import Path

import pytest
from support.turtle import graph_in

from kgprobe.cli import app
from kgprobe.masks.ask import AskCheck
from kgprobe.masks.judge import Judge
from kgprobe.masks.mask import Mask
from kgprobe.masks.shacl import ShaclCheck
from kgprobe.model import Case, Observation, Outcome, Status
from kgprobe.mutation.generator import Generator
from kgprobe.oracles.protocol import Observed
from kgprobe.oracles.single_run import OutputQuery
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.limited import GraphWorker
from kgprobe.rdf.terms import NamedNode, Triple

GROWING = "'aaaaaaaa'"
for _ in range(12):
    GROWING = f"REPLACE({GROWING}, 'a', 'aaaaaaaa')"
RUNAWAYS = {
    "nested REPLACE": f"ASK {{ FILTER(STRLEN({GROWING}) > 3) }}",
    "cross product": "ASK { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l"
    " FILTER(STRLEN(STR(?a)) + STRLEN(STR(?d)) + STRLEN(STR(?g)) + STRLEN(STR(?j)) > 1000) }",
    "planning": "ASK { " + "".join(f"?a{n} ?b ?a{n + 1} . " for n in range(150)) + "}",
}
UNDECIDED = "undecided: no answer within 0.2 s"


def graph_of(turtle: str) -> Graph:
    prefixes = "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <urn:> . "
    return graph_in(prefixes + turtle)


def many() -> Graph:
    return graph_of(" ".join(f":n{n} :p :n{n + 1} , :n{n + 2} ." for n in range(400)))


@pytest.mark.parametrize("kind", RUNAWAYS)
def test_a_query_that_runs_away_is_undecided(kind: str) -> None:
    check = AskCheck(RUNAWAYS[kind], "q.rq", seconds=0.2)
    graph = many()
    assert check.admits(graph) is None
    [rejection] = check.rejections(graph)
    assert (rejection.words, rejection.is_undecided) == (UNDECIDED, True)
    assert not Mask([check]).admits(graph)
    assert not GraphWorker.shared().worker.is_running


def test_the_next_question_is_answered_after_a_runaway() -> None:
    graph = many()
    assert AskCheck(RUNAWAYS["cross product"], "q.rq", seconds=0.2).admits(graph) is None
    query = "ASK { FILTER NOT EXISTS { ?x <urn:p>+ ?x } }"
    check = AskCheck(query, "q.rq")
    changed = graph.copy()
    changed.apply(Delta([], [Triple(NamedNode("urn:n9"), NamedNode("urn:p"), NamedNode("urn:n9"))]))
    assert [check.admits(each) for each in (graph, changed, graph)] == [True, False, True]
    assert check.rejections(changed) == AskCheck(
        "ASK { FILTER NOT EXISTS { ?x <urn:p>+ ?x } }", "q.rq", seconds=None
    ).rejections(changed)
    assert pickle.loads(pickle.dumps(check)).admits(changed) is False  # noqa: S301 - our own


def test_shapes_that_run_away_are_undecided() -> None:
    query = RUNAWAYS["cross product"].replace("ASK", "SELECT $this")
    shapes = graph_of(f':s sh:targetNode :n0 ; sh:sparql [ sh:select """{query}""" ] .')
    check = ShaclCheck(shapes, "shapes.ttl", seconds=0.2)
    assert check.admits(many()) is None
    assert [rejection.words for rejection in check.rejections(many())] == [UNDECIDED]


def test_lookups_respect_the_time_limit() -> None:
    nested = "sh:property [ sh:path :p ; " * 30 + "sh:nodeKind sh:IRI" + " ]" * 30
    check = ShaclCheck(graph_of(f":s sh:targetSubjectsOf :p ; {nested} ."), "shapes.ttl", seconds=0.2)
    graph = many()
    graph.apply(Delta([], [Triple(NamedNode("urn:n9"), NamedNode("urn:p"), NamedNode("urn:n9"))]))
    assert check.admits(graph) is None
    assert [rejection.words for rejection in check.rejections(graph)] == [UNDECIDED]


def test_a_pattern_that_backtracks_under_pyshacl_is_undecided() -> None:
    pytest.importorskip("pyshacl")
    shapes = graph_of(':s sh:targetNode :a ; sh:property [ sh:path :p ; sh:pattern "^(a+)+$" ] .')
    hasty = ShaclCheck(shapes, "shapes.ttl", engine="pyshacl", seconds=1.0)
    assert hasty.admits(graph_of(f':a :p "{"a" * 60}b" .')) is None
    check = ShaclCheck(shapes, "shapes.ttl", engine="pyshacl")
    assert check.admits(graph_of(':a :p "aaa" .')) is True
    assert check.admits(graph_of(':a :p "ab" .')) is False


def test_campaigns_and_oracles_with_an_undecided_mask() -> None:
    check = AskCheck(RUNAWAYS["nested REPLACE"], "q.rq", seconds=0.2)
    generator = Generator(many(), [], mutations=0, mask=Mask([check]), most_attempts=2)
    assert list(generator.mutants(1)) == []
    assert dict(generator.tally.rejected) == {"q.rq (undecided)": 2}
    oracle = OutputQuery(RUNAWAYS["nested REPLACE"], seconds=0.2)
    case = Case.of_graph("1", many())
    seen = Observation("s", Status.FINISHED, stdout="<urn:a> <urn:p> <urn:b> .")
    verdict = oracle.judge(case, Observed.of(case, [seen]))
    assert (verdict.outcome, verdict.why) == (Outcome.UNDECIDED, f"output query: {UNDECIDED}")


def test_check_says_that_it_is_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, query = tmp_path / "g.ttl", tmp_path / "q.rq"
    graph.write_text("<urn:a> <urn:p> <urn:b> .")
    query.write_text(RUNAWAYS["nested REPLACE"])
    code = app.run(["check", str(graph), "--mask", str(query), "--mask-seconds", "0.2"])
    assert (code, capsys.readouterr().out) == (3, f"{graph}: undecided\n  {query}: {UNDECIDED}\n")


def test_the_number_of_a_deleted_check_is_not_reused() -> None:
    """The child knows checks by numbers; a new check must not get the number of one that still exists."""
    graph = Graph([Triple(NamedNode("urn:a"), NamedNode("urn:p"), NamedNode("urn:b"))])

    def judge(query: str) -> Judge:
        return Judge(AskCheck(query, "query", seconds=None), 60)

    first, second = judge("ASK {}"), judge("ASK { ?s <urn:none> ?o }")
    assert (first.admits(graph), second.admits(graph)) == (True, False)
    del first
    gc.collect()
    third = judge("ASK { ?s ?p ?o }")
    assert (third.admits(graph), second.admits(graph)) == (True, False)
