"""A mask is a list of checks, and admits the graphs that none of them rejects."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from support.strategies import graphs

from kgprobe.errors import InputError
from kgprobe.masks.ask import AskCheck
from kgprobe.masks.mask import Cost, Mask, Rejection
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import XSD, Literal, NamedNode, Triple

EX = "http://example.org/"


def node(name: str) -> NamedNode:
    return NamedNode(EX + name)


class Recorded:
    """A check with a fixed answer that records its calls."""

    def __init__(self, name: str, cost: Cost, verdict: bool, asked: list[str]) -> None:
        self.name, self.cost, self._verdict, self._asked = name, cost, verdict, asked

    def admits(self, graph: Graph) -> bool:  # noqa: ARG002 - the answer is fixed
        self._asked.append(self.name)
        return self._verdict

    def rejections(self, graph: Graph) -> list[Rejection]:
        return [] if self.admits(graph) else [Rejection(self.name, None, "no")]

    def mentions(self, name: NamedNode) -> bool:
        return name == node(self.name)


@given(graphs)
def test_an_empty_mask_admits_everything(graph: Graph) -> None:
    assert Mask().admits(graph)
    assert Mask().rejections(graph) == []


def test_the_cheapest_check_runs_first_and_its_rejection_decides() -> None:
    asked: list[str] = []
    mask = Mask(
        [
            Recorded("reasoner", Cost.REASONING, False, asked),
            Recorded("pin", Cost.CHANGES, True, asked),
            Recorded("query", Cost.QUERY, False, asked),
        ]
    )
    assert not mask.admits(Graph())
    assert asked == ["pin", "query"]
    assert [rejection.check for rejection in mask.rejections(Graph())] == ["query", "reasoner"]


def test_rejections_can_be_pickled() -> None:
    rejection = Rejection("c", node("a"), "words")
    assert pickle.loads(pickle.dumps(rejection)) == rejection  # noqa: S301 - our own bytes


ASK = "# every cup\n# has a handle\nASK { FILTER NOT EXISTS { ?cup a ex:Cup FILTER NOT EXISTS { ?cup ex:handle ?h } } }"


def test_an_ask_query_must_be_true_also_after_changes() -> None:
    graph = Graph([Triple(node("c"), node("handle"), node("h"))], spelling=Spelling({"ex": EX}))
    check = AskCheck(ASK, "cups.rq", {"ex": EX, "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#"})
    assert check.admits(graph)
    graph.add(Triple(node("d"), NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), node("Cup")))
    words = "does not hold: every cup has a handle; ?cup is ex:d"
    assert check.rejections(graph) == [Rejection("cups.rq", node("d"), words)]
    graph.add(Triple(node("d"), node("handle"), node("h")))
    assert check.rejections(graph) == []


P = f"<{EX}p>"


@pytest.mark.parametrize(
    ("query", "found", "words"),
    [
        (f"ask where {{ filter not exists {{ ?s {P} ?v }} }}", node("a"), "?s is ex:a, ?v is 1"),
        (
            f"PREFIX e: <{EX}>\n# why\nASK {{ FILTER NOT EXISTS {{ ?s e:p ?v . FILTER(?v > 1) }} }}",
            node("b"),
            "?s is ex:b",
        ),
        (f"ASK # why }}\n {{ FILTER(NOT EXISTS {{ ?s {P} ?v }}) }}", node("a"), "?s is ex:a, ?v is 1"),
        (
            f"ASK {{ FILTER NOT EXISTS {{ ?s {P} ?v }} FILTER NOT EXISTS {{ ?s {P} ?w }} }}",
            None,
            "the answer is false: ",
        ),
        (f"ASK {{ ?s {P} 3 }}", None, "the answer is false: "),
    ],
)
def test_violations_of_a_not_exists_query_are_described(query: str, found: NamedNode | None, words: str) -> None:
    one, two = (Literal(text, datatype=XSD.integer) for text in "12")
    triples = [Triple(node("a"), node("p"), one), Triple(node("b"), node("p"), two)]
    (rejection,) = AskCheck(query, "q.rq").rejections(Graph(triples, spelling=Spelling({"ex": EX})))
    assert rejection.node == found
    assert words in rejection.words


def test_ask_checks_can_be_pickled() -> None:
    check = pickle.loads(pickle.dumps(AskCheck("ASK { ?s ?p ?o }", "q.rq")))  # noqa: S301 - our own bytes
    assert check.rejections(Graph()) == [Rejection("q.rq", None, "the answer is false: ASK { ?s ?p ?o }")]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("ASK { SERVICE <http://example.org/> { ?s ?p ?o } }", "q.rq: SERVICE would use the network"),
        ("ASK { FILTER(RAND() > 0.5) }", r"q.rq: RAND\(\) gives a different answer each time"),
        ("ASK FROM <http://example.org/> { ?s ?p ?o }", "q.rq: FROM names another graph"),
        ("SELECT * { ?s ?p ?o }", "q.rq: is not an ASK query"),
        ("ASK {\n  ?s ?p\n}", "q.rq:3:2: expected"),
    ],
)
def test_a_query_that_cannot_be_a_check_is_refused(query: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        AskCheck(query, "q.rq")
