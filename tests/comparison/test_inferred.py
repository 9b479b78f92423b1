"""Subsumptions that only one of two hierarchies has, against a computation of all pairs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.comparison import compare
from kgprobe.comparison.compare import inferred_changes
from kgprobe.comparison.model import Subsumptions
from kgprobe.entailment.class_hierarchy import ClassEdges
from kgprobe.entailment.stated_hierarchy import ClassNodes
from kgprobe.rdf.terms import NamedNode, Term

Pair = tuple[NamedNode, NamedNode]
CLASSES = [NamedNode(f"http://example.org/{name}") for name in "ABCDEFGH"]
A, B, C, D, E, F, G, H = CLASSES

classes = st.sampled_from(CLASSES)
pairs = st.tuples(classes, classes).filter(lambda pair: pair[0] != pair[1])
hierarchies = st.lists(pairs, max_size=14)


def edges(stated: Iterable[Pair], unsatisfiable: Iterable[NamedNode] = ()) -> ClassEdges:
    return ClassEdges(ClassNodes.of(CLASSES, stated), frozenset(unsatisfiable), "told")


def closure(stated: Iterable[Pair]) -> set[Pair]:
    found = set(stated)
    while True:
        more = {(one, other) for one, middle in found for start, other in found if middle == start} - found
        if not more:
            return {pair for pair in found if pair[0] != pair[1]}
        found |= more


@given(hierarchies, hierarchies)
@settings(max_examples=150, deadline=None)
def test_all_pairs_are_counted(old: list[Pair], new: list[Pair]) -> None:
    found = inferred_changes(edges(old), edges(new))
    assert found.gained.count == len(closure(new) - closure(old))
    assert found.lost.count == len(closure(old) - closure(new))


@given(hierarchies, hierarchies)
@settings(deadline=None)
def test_stated_changes_are_not_counted(old: list[Pair], new: list[Pair]) -> None:
    removed, added = set(old) - set(new), set(new) - set(old)
    found = inferred_changes(edges(old), edges(new), removed=sorted(removed, key=str), added=sorted(added, key=str))
    assert found.gained.count == len(closure(new) - closure(old) - added)
    assert found.lost.count == len(closure(old) - closure(new) - removed)


@given(hierarchies, hierarchies)
@settings(max_examples=100, deadline=None)
def test_the_listed_pairs_imply_all_others(old: list[Pair], new: list[Pair]) -> None:
    """Together with the common pairs, and without cycles, in which each pair follows from another."""
    found = inferred_changes(edges(old), edges(new))
    before, after = closure(old), closure(new)
    listed = set(found.gained.listed)
    assert listed <= after - before
    if not any((upper, lower) in after for lower, upper in after):
        assert closure(listed | (before & after)) >= after - before
        # Each listed pair is necessary.
        for pair in listed:
            lower, upper = pair
            others = (after - before) - {pair}
            assert not [each for each in others if each[0] == lower and (each[1], upper) in after]
            assert not [each for each in others if each[1] == upper and (lower, each[0]) in after]


@given(hierarchies, hierarchies, st.integers(1, 3))
@settings(deadline=None)
def test_the_block_size_makes_no_difference(old: list[Pair], new: list[Pair], n: int) -> None:
    whole = inferred_changes(edges(old), edges(new))
    most, compare._MOST_BITS = compare._MOST_BITS, n
    try:
        assert inferred_changes(edges(old), edges(new)) == whole
    finally:
        compare._MOST_BITS = most


@given(hierarchies, hierarchies, st.sets(classes), st.sets(classes))
@settings(deadline=None)
def test_unsatisfiable_classes_are_not_below_others(
    old: list[Pair], new: list[Pair], empty_before: set[NamedNode], empty_after: set[NamedNode]
) -> None:
    found = inferred_changes(edges(old, empty_before), edges(new, empty_after))
    empty = empty_before | empty_after
    changed = {pair for pair in closure(new) - closure(old) if not empty & set(pair)}
    assert found.gained.count == len(changed)
    assert set(found.unsatisfiable) == empty_after - empty_before
    assert set(found.satisfiable) == empty_before - empty_after


def test_classes_of_only_one_version_are_left_out() -> None:
    old = ClassEdges(ClassNodes.of([A, B], [(A, B)]), frozenset(), "told")
    new = ClassEdges(ClassNodes.of([A, B, C, D], [(A, C), (C, B), (A, D), (B, D)]), frozenset(), "told")
    assert inferred_changes(old, new).gained == Subsumptions(0)


def test_a_class_moves_with_all_its_descendants() -> None:
    old = [(A, B), (B, C), (D, E)]
    new = [(A, B), (B, D), (D, E)]
    found = inferred_changes(edges(old), edges(new), removed=[(B, C)], added=[(B, D)])
    assert found.gained.count == 3  # A below D, A and B below E
    assert set(found.gained.listed) == {(A, D), (B, E)}
    assert found.lost == Subsumptions(1, ((A, C),))


def test_the_list_is_limited() -> None:
    found = inferred_changes(edges([]), edges([(each, H) for each in CLASSES[:-1]]), most=2)
    assert found.gained.count == 7
    assert len(found.gained.listed) == 2


def test_equivalent_classes_are_below_each_other() -> None:
    found = inferred_changes(edges([(A, B)]), edges([(A, B), (B, A)]))
    assert found.gained == Subsumptions(1, ((B, A),))


def test_a_deep_hierarchy_does_not_exhaust_the_stack() -> None:
    deep: list[Term] = [NamedNode(f"http://example.org/{n}") for n in range(1200)]
    chain = list(pairwise(deep))
    old = ClassEdges(ClassNodes.of(deep, chain), frozenset(), "told")
    new = ClassEdges(ClassNodes.of(deep, chain[:-1]), frozenset(), "told")
    assert inferred_changes(old, new, most=1).lost.count == 1199
