"""`auto` is never wrong: checked on puzzles with known answers, and against HermiT on random ontologies."""

from __future__ import annotations

from random import Random

import pytest
from support.answers import comparable
from support.puzzles import puzzle
from support.random_ontologies import MIXES, Source

from kgprobe.owl.expression import Expression
from kgprobe.processes.limits import Limits
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Answer, Classification, Consistency, Entails, Task, Unsatisfiable

from .reasoner_fixtures import needs, ontology

PIGEONS = (
    "InverseFunctionalObjectProperty(:in) EquivalentClasses(:Hole ObjectOneOf(:h0 :h1))"
    " SubClassOf(:Pigeon ObjectSomeValuesFrom(:in :Hole)) ClassAssertion(:Pigeon :p0) ClassAssertion(:Pigeon :p1)"
)
THREE = PIGEONS + " ClassAssertion(:Pigeon :p2) DifferentIndividuals(:p0 :p1 :p2)"
BIRD = "SubClassOf(:Bird :Pigeon) "


def _asked(name: str, requests: list[tuple[Ontology, list[Task]]], limits: Limits | None = None) -> list[list[Answer]]:
    with opened(name, limits) as reasoner:
        return reasoner.answer_many(requests)


@needs("rustdl")
@needs("pyhermit")
@pytest.mark.parametrize(
    ("axioms", "task", "expected"),
    [
        (THREE, Consistency(), False),
        (PIGEONS + " DifferentIndividuals(:p0 :p1)", Consistency(), True),
        # each bird has its own hole, and there is none for a third bird
        (
            BIRD + PIGEONS + " DifferentIndividuals(:p0 :p1)",
            Entails(Expression("SubClassOf", NamedNode("urn:test:Bird"), NamedNode("urn:test:Pigeon"))),
            True,
        ),
        (
            BIRD + PIGEONS + " DifferentIndividuals(:p0 :p1)",
            Entails(Expression("SubClassOf", NamedNode("urn:test:Pigeon"), NamedNode("urn:test:Bird"))),
            False,
        ),
        (
            BIRD + PIGEONS + " DifferentIndividuals(:p0 :p1) DisjointClasses(:Bird ObjectOneOf(:p0 :p1))",
            Entails(Expression("SubClassOf", NamedNode("urn:test:Bird"), NamedNode("urn:test:Hole"))),
            True,
        ),
    ],
)
def test_three_pigeons_need_three_holes(axioms: str, task: Task, expected: bool) -> None:
    [[answer]] = _asked("auto", [(ontology(axioms), [task])])
    assert answer.value in (expected, None)
    if isinstance(task, Consistency):
        assert answer.decided


@needs("rustdl")
def test_possible_omissions_of_rustdl_are_reported_in_its_name() -> None:
    [[answer]] = _asked("rustdl", [(ontology(THREE), [Consistency()])])
    assert not answer.complete or answer.value is False


@needs("rustdl")
@needs("pyhermit")
@pytest.mark.parametrize("number", [40, pytest.param(3000, marks=pytest.mark.thorough)])
def test_puzzles(number: int) -> None:
    puzzles = [puzzle(Random(seed)) for seed in range(number)]
    answers = [answer for (answer,) in _asked("auto", [(each.ontology, [Consistency()]) for each in puzzles])]
    found = [
        (seed, each.is_consistent, answer) for seed, (each, answer) in enumerate(zip(puzzles, answers, strict=True))
    ]
    decided = [(seed, expected, answer.value) for seed, expected, answer in found if answer.decided]
    assert [seed for seed, expected, value in decided if value != expected] == []
    assert [seed for seed, _, answer in found if not answer.decided and answer.value is not None] == []
    assert len(decided) > number * 0.7
    assert {value for _, _, value in decided} == {True, False}


@needs("rustdl")
@needs("pyhermit")
@needs("hermit")
@pytest.mark.parametrize("number", [3, pytest.param(300, marks=pytest.mark.thorough)])
def test_mixes_of_hard_constructs_against_hermit(number: int) -> None:
    sources = [Source(Random(seed), mix) for mix in MIXES.values() for seed in range(number)]
    requests: list[tuple[Ontology, list[Task]]] = [
        (source.ontology(), [Consistency(), Entails(source.question())]) for source in sources
    ]
    limits = Limits(20, 1024)
    ours, theirs = (_asked(name, requests, limits) for name in ("auto", "hermit"))
    compared = [
        (our.value, their.value, requests[place])
        for place, answers in enumerate(zip(ours, theirs, strict=True))
        for our, their in zip(*answers, strict=True)
        if our.decided and their.decided
    ]
    assert [request for our, their, request in compared if our != their] == []
    assert len(compared) > len(requests)


@needs("rustdl")
@needs("pyhermit")
@needs("hermit")
@pytest.mark.parametrize("number", [4, pytest.param(150, marks=pytest.mark.thorough)])
def test_hierarchies_and_unsatisfiable_classes_against_hermit(number: int) -> None:
    mixes = [MIXES[name] for name in ("classes", "properties", "counts", "pigeonholes")]
    requests: list[tuple[Ontology, list[Task]]] = [
        (Source(Random(seed), mix).ontology(), [Unsatisfiable(), Classification()])
        for mix in mixes
        for seed in range(number)
    ]
    limits = Limits(20, 1024)
    ours, theirs = (_asked(name, requests, limits) for name in ("auto", "hermit"))
    compared = [
        (comparable(our), comparable(their), requests[place])
        for place, answers in enumerate(zip(ours, theirs, strict=True))
        for our, their in zip(*answers, strict=True)
        if our.decided and their.decided
    ]
    assert [request for our, their, request in compared if our != their] == []
    assert len(compared) > number
