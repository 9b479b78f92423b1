"""Explanations are sufficient, minimal, and as small as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgprobe.owl.expression import Expression, name
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.cases import all_cases
from kgprobe.reasoners.explanation import explain
from kgprobe.reasoners.ontology import Ontology, as_lines
from kgprobe.reasoners.protocol import Answer, Availability, Consistency, Entails, Reasoner, Request, Task

from .reasoner_fixtures import needs, ontology


@pytest.fixture(scope="module")
def rustdl() -> Iterator[Reasoner]:
    opened = open_reasoner("rustdl")
    yield opened
    opened.close()


def below(lower: int | str, upper: int | str) -> Expression:
    return Expression("SubClassOf", NamedNode(f"urn:test:{lower}"), NamedNode(f"urn:test:{upper}"))


def lines(axioms: object) -> list[str]:
    assert isinstance(axioms, tuple)
    return sorted(line.strip().replace("<urn:test:", "").replace(">", "") for line in as_lines(axioms))


@needs("rustdl")
def test_an_inconsistency(rustdl: Reasoner) -> None:
    noise = " ".join(f"SubClassOf(:N{n} :N{n + 1}) ClassAssertion(:N{n} :n{n})" for n in range(200))
    clash = "SubClassOf(:A :B) DisjointClasses(:B :C) ClassAssertion(:A :a) ClassAssertion(:C :a)"
    found = explain(ontology(f"{noise} {clash}"), rustdl)
    assert lines(found.axioms) == [
        "ClassAssertion(A a)",
        "ClassAssertion(C a)",
        "DisjointClasses(B C)",
        "SubClassOf(A B)",
    ]
    assert found.is_smallest
    assert found.checks < 150
    assert found.answer.reasoner == "rustdl"


@needs("rustdl")
def test_the_smaller_of_two(rustdl: Reasoner) -> None:
    detour = " ".join(f"SubClassOf(:{a} :{b})" for a, b in ("AB", "BC", "CD", "DE"))
    found = explain(ontology(f"{detour} SubClassOf(:A :X) SubClassOf(:X :E)"), rustdl, conclusion=below("A", "E"))
    assert lines(found.axioms) == ["SubClassOf(A X)", "SubClassOf(X E)"]
    assert found.is_smallest


@needs("rustdl")
def test_an_interrupted_search_says_so(rustdl: Reasoner) -> None:
    ladder = " ".join(f"SubClassOf(:{n} :{m})" for n in range(8) for m in (n + 1, n + 2))
    found = explain(ontology(ladder), rustdl, conclusion=below(0, 8), most_checks=5)
    assert found.axioms is not None
    assert not found.is_smallest


@needs("rustdl")
def test_nothing_to_explain(rustdl: Reasoner) -> None:
    found = explain(ontology("SubClassOf(:A :B)"), rustdl, conclusion=below("B", "A"))
    assert (found.axioms, found.answer.value) == (None, False)
    assert explain(ontology("SubClassOf(:A :B)"), rustdl).axioms is None
    assert explain(ontology("SubClassOf(:A :B)"), rustdl, conclusion=below("A", "A")).axioms == ()


@needs("rustdl")
@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=10))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_explanations_are_smallest(rustdl: Reasoner, edges: set[tuple[int, int]]) -> None:
    axioms = [below(*edge) for edge in sorted(edges) if edge[0] != edge[1]]
    found = explain(Ontology(tuple(axioms)), rustdl, conclusion=below(0, 5))
    sizes = [size for size in range(len(axioms) + 1) for part in combinations(axioms, size) if leads_from_0_to_5(part)]
    assert found.axioms is None if not sizes else len(found.axioms or ()) == min(sizes)


def leads_from_0_to_5(axioms: tuple[Expression, ...]) -> bool:
    reached = {NamedNode("urn:test:0")}
    for _ in axioms:
        reached |= {name(axiom.args[1]) for axiom in axioms if axiom.args[0] in reached}
    return NamedNode("urn:test:5") in reached


@needs("rustdl")
@needs("pyhermit")
def test_explanations_of_the_table_are_sufficient_and_minimal() -> None:
    auto = open_reasoner("auto")
    tried = 0
    try:
        for case in all_cases()[::30]:
            conclusion = case.task.axiom if isinstance(case.task, Entails) else None
            found = explain(case.ontology, auto, conclusion=conclusion)
            if found.axioms is None:
                continue
            tried += 1
            smaller = [tuple(each for each in found.axioms if each != left_out) for left_out in found.axioms]
            parts = [case.ontology.subset(axioms) for axioms in (found.axioms, *smaller)]
            proof = not isinstance(case.task, Consistency)
            first, *others = (given[0].value for given in auto.answer_many([(part, [case.task]) for part in parts]))
            assert first is proof
            assert proof not in others
    finally:
        auto.close()
    assert tried >= 8


class _Timed:
    """A reasoner that advances a clock by one second per answer, and is undecided about some sets of axioms."""

    def __init__(self, reasoner: Reasoner, *, undecided_below: int = 0) -> None:
        self._reasoner = reasoner
        self._undecided_below = undecided_below
        self.now = 0.0
        self.limits: list[float | None] = []
        self.name = reasoner.name

    def clock(self) -> float:
        return self.now

    def available(self) -> Availability:
        return self._reasoner.available()

    def answer(self, graph: Graph | Ontology, tasks: Sequence[Task], *, seconds: float | None = None) -> list[Answer]:
        self.now += 1
        self.limits.append(seconds)
        if len(Ontology.of(graph).axioms) < self._undecided_below:
            return [Answer(None, self.name, 1.0, complete=False, why="it is too hard") for _ in tasks]
        return self._reasoner.answer(graph, tasks)

    def answer_many(self, requests: Sequence[Request], *, seconds: float | None = None) -> list[list[Answer]]:
        return [self.answer(*request, seconds=seconds) for request in requests]

    def close(self) -> None:
        """Leave the wrapped reasoner open."""


CLASH = "SubClassOf(:A :B) DisjointClasses(:B :C) ClassAssertion(:A :a) ClassAssertion(:C :a)"
NOISE = " ".join(f"SubClassOf(:N{n} :N{n + 1})" for n in range(60))


@needs("rustdl")
def test_the_answer_is_reported_before_the_explanation(rustdl: Reasoner) -> None:
    timed = _Timed(rustdl)
    told: list[float] = []
    found = explain(ontology(f"{NOISE} {CLASH}"), timed, on_answer=lambda _: told.append(timed.now), clock=timed.clock)
    assert told == [1.0]
    assert found.checks == timed.now > 10
    assert found.is_found
    assert found.is_minimal
    assert found.is_smallest


@needs("rustdl")
def test_an_answer_without_an_explanation_is_not_reported_early(rustdl: Reasoner) -> None:
    told: list[Answer] = []
    assert explain(ontology(NOISE), rustdl, on_answer=told.append).axioms is None
    assert told == []


@needs("rustdl")
@pytest.mark.parametrize("seconds", [0.5, 4.5, 9.5, 200])
def test_the_search_ends_in_time(rustdl: Reasoner, seconds: float) -> None:
    timed = _Timed(rustdl)
    whole = ontology(f"{NOISE} {CLASH}")
    found = explain(whole, timed, seconds=seconds, clock=timed.clock)
    assert found.answer.value is False
    assert timed.now <= 1 + seconds + 1
    assert all(limit is not None and limit <= seconds for limit in timed.limits[1:])
    assert found.is_minimal is (seconds > 100)
    assert found.axioms is not None
    assert found.is_found is (len(found.axioms) < len(whole.axioms))
    assert rustdl.answer(whole.subset(found.axioms), [Consistency()])[0].value is False


@needs("rustdl")
def test_a_longer_search_finds_less(rustdl: Reasoner) -> None:
    whole = ontology(f"{NOISE} {CLASH}")
    sizes = []
    for seconds in (1.5, 8.5, 200):
        timed = _Timed(rustdl)
        sizes.append(len(explain(whole, timed, seconds=seconds, clock=timed.clock).axioms or ()))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 4
    assert sizes[0] > sizes[-1]


@needs("rustdl")
def test_a_set_is_not_minimal_if_a_subset_was_undecided(rustdl: Reasoner) -> None:
    timed = _Timed(rustdl, undecided_below=8)
    found = explain(ontology(f"{NOISE} {CLASH}"), timed, clock=timed.clock)
    assert found.axioms is not None
    assert len(found.axioms) >= 8
    assert found.is_found
    assert not found.is_minimal
    assert not found.is_smallest
