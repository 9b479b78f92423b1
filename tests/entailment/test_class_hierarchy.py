"""The inferred hierarchy of named classes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shared_data import needs_shared_data, shared
from support.turtle import EX, graph_of

from kgprobe.entailment.class_hierarchy import Ancestry, ClassEdges, class_edges, readable_ontology
from kgprobe.entailment.rules import UndecidedError
from kgprobe.formats.files import load
from kgprobe.owl.expression import Expression
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.catalogue import REASONERS
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Answer, Availability, Request, Task

_DEFINED = """
    :Dish a owl:Class . :Plain a owl:Class . :Soup a owl:Class ; rdfs:subClassOf :Dish, :Plain .
    :Simple a owl:Class ; owl:equivalentClass [a owl:Class ; owl:intersectionOf (:Dish :Plain)] .
    :Also a owl:Class ; owl:equivalentClass :Simple . :Odd a owl:Class ; rdfs:subClassOf :Plain, :Fancy .
    :Fancy a owl:Class ; owl:disjointWith :Plain .
"""


class _Undecided:
    """A reasoner that never decides, and counts its questions."""

    name = "doubter"

    def __init__(self) -> None:
        self.asked = 0
        self.is_closed = False

    def available(self) -> Availability:
        return Availability("1")

    def answer(self, _: Graph | Ontology, tasks: Sequence[Task], *, seconds: float | None = None) -> list[Answer]:
        assert seconds is None
        self.asked += 1
        return [Answer(None, self.name, 0.0, complete=False, why="it is too hard") for _ in tasks]

    def answer_many(self, requests: Sequence[Request], *, seconds: float | None = None) -> list[list[Answer]]:
        assert seconds is None
        return [self.answer(*request) for request in requests]

    def close(self) -> None:
        self.is_closed = True


def _above(found: ClassEdges, name: Term) -> set[Term]:
    return reached([name], lambda lower: [upper for each, upper in found.edges if each == lower]).keys() - {name}


def test_a_complete_hierarchy_needs_no_reasoner() -> None:
    doubter = _Undecided()
    found = class_edges(graph_of(":A rdfs:subClassOf :B . :B owl:equivalentClass :C . :D a owl:Class ."), doubter)
    assert doubter.asked == 0
    assert set(found.edges) == {(EX.A, EX.B), (EX.B, EX.C), (EX.C, EX.B)}
    assert sorted(found.classes, key=str) == [EX.A, EX.B, EX.C, EX.D]
    assert found.unsatisfiable == frozenset()


@pytest.mark.parametrize("name", ["auto", "rustdl"])
def test_a_reasoner_finds_the_rest(name: str) -> None:
    reasoner = open_reasoner(name)
    try:
        found = class_edges(graph_of(_DEFINED), reasoner)
    finally:
        reasoner.close()
    assert _above(found, EX.Soup) == {EX.Dish, EX.Plain, EX.Simple, EX.Also}
    assert _above(found, EX.Simple) == {EX.Dish, EX.Plain, EX.Also}
    assert found.unsatisfiable == {EX.Odd}
    assert _above(found, EX.Odd) == set()
    assert set(found.classes) == {EX[each] for each in ["Dish", "Plain", "Soup", "Simple", "Also", "Odd", "Fancy"]}
    assert name in found.how


def test_without_a_reasoner_one_is_opened() -> None:
    assert _above(class_edges(graph_of(_DEFINED)), EX.Soup) == {EX.Dish, EX.Plain, EX.Simple, EX.Also}


def test_without_an_answer_the_error_has_a_hint() -> None:
    doubter = _Undecided()
    with pytest.raises(
        UndecidedError, match=r"doubter is not sure of the class hierarchy: it is too hard \(choose the reasoner hermit"
    ):
        class_edges(graph_of(_DEFINED), doubter)
    assert not doubter.is_closed


def test_a_logical_triple_that_is_not_an_axiom_is_an_error() -> None:
    with pytest.raises(UndecidedError, match="this is not an axiom of OWL 2: "):
        class_edges(graph_of(_DEFINED + ":Soup rdfs:subClassOf [a owl:Class ; owl:intersectionOf [rdf:first :A]] ."))


def test_a_restriction_that_two_axioms_share_is_read_for_both() -> None:
    shared_node = "_:r a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :Dish . :p a owl:ObjectProperty ."
    found = class_edges(
        graph_of(_DEFINED + shared_node + ":Simple rdfs:subClassOf _:r . :Meal owl:equivalentClass _:r .")
    )
    assert EX.Meal in _above(found, EX.Soup)


def test_older_spellings_and_rdfs_declarations_are_accepted() -> None:
    body = (
        _DEFINED + "[] a owl:AllDifferent ; owl:distinctMembers (:a :b :c) . :Dish a rdfs:Class . :p a rdf:Property ."
    )
    assert EX.Simple in _above(class_edges(graph_of(body)), EX.Soup)


_PIZZA = "http://www.co-ode.org/ontologies/pizza/pizza.owl#"


@needs_shared_data
@pytest.mark.skipif(not REASONERS["hermit"].available().usable, reason="needs HermiT")
def test_hermit_is_the_fallback_if_native_reasoners_are_unsure() -> None:
    found = class_edges(load(str(shared("pizza/pizza-old.owl"))).graph)
    assert "hermit" in found.how
    assert found.unsatisfiable == {NamedNode(f"{_PIZZA}CheeseyVegetableTopping"), NamedNode(f"{_PIZZA}IceCream")}
    above = _above(found, NamedNode(f"{_PIZZA}American"))
    assert {NamedNode(f"{_PIZZA}{name}") for name in ("CheeseyPizza", "MeatyPizza", "Pizza")} <= above


A, B = NamedNode(f"{EX.iri}A"), NamedNode(f"{EX.iri}B")
CLASSES = ":A a owl:Class ; rdfs:subClassOf :B . :B a owl:Class . "


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":note rdf:subject :A ; rdf:predicate rdfs:subClassOf ; rdf:object :B .",  # says nothing about A itself
        "[] rdf:subject :A ; rdf:predicate rdfs:subClassOf ; rdf:object :B .",
        "_:l rdf:first :A ; rdf:rest rdf:nil .",
    ],
)
def test_triples_without_logical_meaning_are_ignored(text: str) -> None:
    found = readable_ontology(graph_of(CLASSES + text))
    assert found.axioms == (Expression("SubClassOf", A, B),)
    assert found.leftovers == 0


def test_older_spellings_are_read() -> None:
    found = readable_ontology(graph_of(CLASSES + "[] a owl:AllDisjointClasses ; owl:members (:A :B) ."))
    assert Expression("DisjointClasses", A, B) in found.axioms


def test_unreadable_triples_are_reported() -> None:
    with pytest.raises(UndecidedError, match=r"not an axiom of OWL 2: .*A rdfs:subClassOf"):
        readable_ontology(graph_of(CLASSES + ":A rdfs:subClassOf _:nothing ."))


# -- ancestors, descendants and paths ----------------------------------------------------------------------------------

_pairs = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=20)


def _reached(pairs: list[tuple[int, int]], start: int) -> set[Key]:
    found: set[Key] = set()
    for _ in pairs:
        found |= {b for a, b in pairs if a == start or a in found}
    return found


@given(_pairs, st.permutations(range(9)), st.sampled_from([0, 10, 5_000_000]))
def test_ancestors_and_descendants(pairs: list[tuple[int, int]], order: list[int], room: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("kgprobe.entailment.class_hierarchy._MOST_REMEMBERED", room)
        ancestry = Ancestry(pairs)
    for node in order:
        assert ancestry.above(node) == _reached(pairs, node)
        assert ancestry.below([node]) == {node} | {each for each in range(9) if node in _reached(pairs, each)}


@given(_pairs)
def test_a_path_consists_of_edges(pairs: list[tuple[int, int]]) -> None:
    ancestry = Ancestry(pairs)
    for lower in range(9):
        for upper in range(9):
            if upper not in ancestry.above(lower):
                with pytest.raises(ValueError, match="no edges"):
                    ancestry.way(lower, upper)
                continue
            way = ancestry.way(lower, upper)
            assert set(way) <= set(pairs)
            assert (way[0][0], way[-1][1]) == (lower, upper)
            assert all(one[1] == other[0] for one, other in pairwise(way))


def test_a_long_chain_does_not_exhaust_the_stack() -> None:
    ancestry = Ancestry((n, n + 1) for n in range(20_000))
    assert len(ancestry.above(0)) == 20_000
    assert len(ancestry.way(0, 20_000)) == 20_000
