"""Answers as sets of facts, and hierarchies compared without listing all facts."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.oracles.facts import Fact, disputed, facts
from kgprobe.rdf.terms import OWL, BlankNode, Literal
from kgprobe.reasoners.protocol import Hierarchy

from .made import hierarchies, hierarchy, iri, large


def texts(value: Any, question: str = "") -> list[tuple[str, str]]:
    return sorted(facts(value, question))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, [("answer", "true")]),
        (False, [("answer", "false")]),
        (3, [("answer", "3")]),
        (frozenset({iri("a"), iri("b")}), [("fact", "<urn:test:a>"), ("fact", "<urn:test:b>")]),
        (["x", "x", 1], [("fact", '"x"'), ("fact", '"x" (time 2)'), ("fact", "1")]),
        ([(iri("a"), None, Literal("x", language="en"))], [("fact", '(<urn:test:a>, null, "x"@en)')]),
        ({"n": 1, "deep": {"m": [2]}}, [("value of deep", "deep.m = 2"), ("value of n", "n = 1")]),
        ({"cq1": [{"x": 1}], "urn:a": [2]}, [("fact", "urn:a = 2"), ("rows of cq1", "cq1 = {x: 1}")]),
        ([], []),
    ],
)
def test_facts_of_plain_answers(value: Any, expected: list[tuple[str, str]]) -> None:
    assert texts(value) == expected


def test_the_question_gives_the_shape() -> None:
    assert texts([1], "cq1") == [("rows of cq1", "1")]
    assert texts({"Anna": [1]}, "cq1") == [("rows of cq1", "Anna = 1")]
    assert texts({iri("a")}, "unsatisfiable classes") == [("unsatisfiable class", "<urn:test:a>")]


def test_labels_of_blank_nodes_do_not_matter_within_a_row() -> None:
    one = [(BlankNode("x"), BlankNode("y"), BlankNode("x"))]
    other = [(BlankNode("p"), BlankNode("q"), BlankNode("p"))]
    third = [(BlankNode("p"), BlankNode("p"), BlankNode("q"))]
    assert facts(one) == facts(other) != facts(third)
    as_json = [{"type": "bnode", "value": label} for label in "ab"]
    assert facts([{"x": as_json[0]}]) == facts([{"x": as_json[1]}])


class Opaque:
    pass


def test_memory_addresses_are_ignored() -> None:
    assert facts([Opaque()]) == facts([Opaque()])


def test_order_is_ignored_and_types_are_not() -> None:
    assert facts([1, 2]) == facts([2, 1]) == facts({1, 2})
    assert facts([1, 1]) != facts([1])
    assert facts([1]) != facts([True])
    assert facts(["1"]) != facts([1])


def below(lower: str, upper: str) -> tuple[str, str]:
    return "subclass", f"<urn:test:{lower}> ⊑ <urn:test:{upper}>"


def impossible(name: str) -> tuple[str, str]:
    return "unsatisfiable class", f"<urn:test:{name}> ⊑ owl:Nothing"


def test_facts_of_a_hierarchy() -> None:
    value = hierarchy("A < B", "B = C", "C < D", "E < nothing", "F < E", "G")
    assert texts(value) == sorted(
        [
            *(below("A", upper) for upper in "BCD"),
            below("B", "C"),
            below("B", "D"),
            below("C", "B"),
            below("C", "D"),
            impossible("E"),
            impossible("F"),
        ]
    )


def test_the_extremes_are_left_out() -> None:
    a, b = iri("A"), iri("B")
    value = Hierarchy(
        {OWL.Thing: frozenset({OWL.Thing, b}), a: frozenset({a})},
        {a: frozenset({OWL.Thing})},
        frozenset({OWL.Nothing}),
    )
    assert texts(value) == [below("A", "B")]


def test_differences_between_hierarchies() -> None:
    values = {"x": hierarchy("A < B", "B < C"), "y": hierarchy("A < B", "C"), "z": hierarchy("A < B", "B < C")}
    assert disputed(values) == {Fact(*below(lower, "C")): {"x", "z"} for lower in "AB"}
    # Facts at the place of the difference come before those that follow from them.
    assert [fact.text for fact in disputed(values)] == [below("B", "C")[1], below("A", "C")[1]]


def test_a_class_of_disputed_satisfiability_has_no_other_facts() -> None:
    values = {"x": hierarchy("A < nothing", "B", "C < A"), "y": hierarchy("A < B", "C < A")}
    assert disputed(values) == {Fact(*impossible("A")): {"x"}, Fact(*impossible("C")): {"x"}}


def test_answers_of_different_kinds() -> None:
    found = disputed({"x": [1], "y": {"n": 1}, "z": hierarchy("A < B")})
    assert found == {Fact("fact", "1"): {"x"}, Fact("value of n", "n = 1"): {"y"}, Fact(*below("A", "B")): {"z"}}


def spelled_out(values: dict[str, Hierarchy]) -> dict[Fact, frozenset[str]]:
    """The differences, by brute force."""
    said = {system: facts(value) for system, value in values.items()}
    doubtful = {
        fact.text.split()[0]
        for fact in frozenset().union(*said.values())
        if fact.shape == "unsatisfiable class" and not all(fact in each for each in said.values())
    }
    return {
        fact: frozenset(system for system, each in said.items() if fact in each)
        for fact in frozenset().union(*said.values())
        if not all(fact in each for each in said.values())
        and (fact.shape == "unsatisfiable class" or fact.text.split()[0] not in doubtful)
    }


@settings(deadline=None)
@given(st.lists(hierarchies, min_size=2, max_size=4))
def test_comparison_agrees_with_brute_force(values: list[Hierarchy]) -> None:
    named = {f"s{number}": value for number, value in enumerate(values)}
    assert disputed(named) == spelled_out(named)


@settings(deadline=None)
@given(hierarchies)
def test_facts_of_a_hierarchy_match_its_subsumptions(value: Hierarchy) -> None:
    said = facts(value)
    classes = {member for members in value.groups.values() for member in members}
    for lower in classes:
        for upper in classes - {lower}:
            assert value.is_below(lower, upper) is (Fact("subclass", f"{lower} ⊑ {upper}") in said)


@pytest.mark.parametrize("without", [(), (9_999,), (5_000, 7_000, 9_000), (3,)])
def test_large_hierarchies_that_are_nearly_equal(without: tuple[int, ...]) -> None:
    values = {"a": large(10_000), "b": large(10_000), "c": large(10_000, without=without)}
    began = time.process_time()
    found = disputed(values)
    assert time.process_time() - began < 3
    assert bool(found) is bool(without)
    assert all(having == {"a", "b"} for having in found.values())


def test_large_hierarchies_are_compared_in_full() -> None:
    values = {"a": large(1_000), "b": large(1_000, without=(3, 500)), "c": large(1_000, without=(900,))}
    found = disputed(values)
    assert found == spelled_out(values)
    assert len(found) > 40
