"""The class hierarchy."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kgprobe.graph.terms import NamedNode, Term
from kgprobe.ontology.axioms import AxiomView
from kgprobe.ontology.hierarchy import ClassHierarchy
from ontology.turtle import EX, graph_of

A, B, C, D = EX.A, EX.B, EX.C, EX.D
_nodes = st.integers(0, 7).map(lambda n: EX[f"n{n}"])
_pairs = st.lists(st.tuples(_nodes, _nodes), max_size=20)


def _closure(pairs: list[tuple[NamedNode, NamedNode]]) -> set[tuple[NamedNode, NamedNode]]:
    """All pairs that follow, the slow way."""
    found = set(pairs) | {(each, each) for pair in pairs for each in pair}
    while True:
        more = {(a, d) for a, b in found for c, d in found if b == c} - found
        if not more:
            return found
        found |= more


@given(_pairs)
def test_ancestors_and_descendants_are_all_that_follows(pairs: list[tuple[NamedNode, NamedNode]]) -> None:
    hierarchy, closure = ClassHierarchy(pairs), _closure(pairs)
    for each in hierarchy.classes:
        above = {b for a, b in closure if a == each}
        below = {a for a, b in closure if b == each}
        assert set(hierarchy.equivalents(each)) == (above & below) - {each}
        assert set(hierarchy.ancestors(each)) == above - below
        assert set(hierarchy.descendants(each)) == below - above


@given(_pairs)
def test_inferred_parents_are_the_direct_ones_whether_or_not_the_rest_is_given(
    pairs: list[tuple[NamedNode, NamedNode]],
) -> None:
    closure = _closure(pairs)
    for given_pairs in (pairs, sorted(closure, key=str)):
        hierarchy = ClassHierarchy.inferred(given_pairs)
        for each in hierarchy.classes:
            strictly = {b for a, b in closure if a == each and (b, a) not in closure}
            direct = {b for b in strictly if not any((c, b) in closure and (b, c) not in closure for c in strictly)}
            assert set(hierarchy.parents(each)) == direct
            assert all(each in hierarchy.children(parent) for parent in direct)


def test_asserted_from_axioms() -> None:
    graph = graph_of(
        """:A a owl:Class ; rdfs:subClassOf :B, :C, [a owl:Class ; owl:unionOf (:X :Y)] . :B rdfs:subClassOf :C .
        :C owl:equivalentClass :D, [a owl:Class ; owl:complementOf :A] . :E a owl:Class ."""
    )
    hierarchy = ClassHierarchy.asserted(AxiomView(graph))
    assert set(hierarchy.parents(A)) == {B, C, D}
    assert hierarchy.children(D) == hierarchy.children(C)
    assert hierarchy.equivalents(C) == (D,)
    assert hierarchy.parents(EX.E) == ()
    assert set(hierarchy.roots()) == {C, D, EX.E}
    assert EX.X not in hierarchy


def test_a_hundred_thousand_classes_in_a_row() -> None:
    row: list[Term] = [EX[str(n)] for n in range(100_000)]
    hierarchy = ClassHierarchy.inferred(pairwise(row))
    assert hierarchy.parents(row[0]) == (row[1],)
    assert len(hierarchy.ancestors(row[0])) == 99_999
