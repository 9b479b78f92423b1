"""Mutations are undone before any triple of the seed graph is removed, in groups that belong together."""

from __future__ import annotations

from functools import partial
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import graphs_and_deltas
from support.turtle import EX, graph_of

from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, Triple
from kgprobe.reduction.removals import change_groups, changes_between
from reduction.failures import Recorded, has_triples, reduced

# The failures here are deterministic: one run is enough.
reduce = partial(reduced, repeats=1)

SEED = """
:Tea a owl:Class ; rdfs:subClassOf [ a owl:Class ; owl:unionOf ( :Cup :Pot ) ] .
:Milk a owl:Class ; rdfs:subClassOf :Drink . :Drink a owl:Class .
"""


@settings(max_examples=60, deadline=None)
@given(graphs_and_deltas())
def test_the_groups_are_the_delta(drawn: tuple[Graph, Delta]) -> None:
    seed, delta = drawn
    groups = change_groups(seed, delta)
    assert sorted(str(triple) for group in groups for triple in group.removed) == list(map(str, delta.removed))
    assert sorted(str(triple) for group in groups for triple in group.added) == list(map(str, delta.added))
    mutant = seed.copy()
    for group in Random(1).sample(groups, len(groups)):
        mutant.apply(group)  # in any order
    assert changes_between(seed, mutant) == delta
    assert changes_between(seed, Graph(mutant)) == delta


def test_changes_to_one_expression_stay_together() -> None:
    seed = graph_of(SEED)
    (first,) = [triple for triple in seed if triple.predicate == RDF.first and triple.object == EX.Pot]
    delta = Delta(
        removed=[first, Triple(EX.Milk, RDFS.subClassOf, EX.Drink)],
        added=[Triple(first.subject, RDF.first, OWL.Thing), Triple(EX.Drink, RDFS.subClassOf, EX.Milk)],
    )
    assert sorted(map(len, change_groups(seed, delta))) == [1, 1, 2]


@settings(max_examples=40, deadline=None)
@given(graphs_and_deltas(), st.randoms(use_true_random=False))
def test_only_the_changes_that_matter_are_left(drawn: tuple[Graph, Delta], random: Random) -> None:
    seed, delta = drawn
    mutant = seed.copy()
    mutant.apply(delta)
    changed = list(delta.added)
    cause = random.sample(changed, min(len(changed), random.randint(0, 2)))
    missing = random.sample(list(delta.removed), min(len(delta.removed), random.randint(0, 2)))

    def fails(graph: Graph) -> bool:
        return has_triples(cause)(graph) and not any(triple in graph for triple in missing)

    test = Recorded(fails)
    result = reduce(mutant, test, seed=seed, simplify=False)
    assert result.changes is not None
    needed = seed.copy()
    needed.apply(result.changes)
    assert fails(needed)
    assert fails(result.graph)
    for group in change_groups(seed, result.changes):
        needed.revert(group)
        assert not fails(needed)
        needed.apply(group)
    assert set(result.graph) <= set(needed)
    test.assert_no_graph_twice()


def test_changes_are_undone_towards_the_seed_graph() -> None:
    """The first graphs that are run have the whole seed."""
    seed = graph_of(SEED)
    mutant = seed.copy()
    added = [Triple(EX[f"N{n}"], RDFS.subClassOf, EX.Drink) for n in range(8)]
    for triple in added:
        mutant.add(triple)
    test = Recorded(has_triples([added[5]]))
    result = reduce(mutant, test, seed=seed, simplify=False)
    assert result.changes == Delta(added=[added[5]])
    assert list(result.graph) == [added[5]]
    whole = [len(graph) >= len(seed) for graph in test.graphs]
    assert whole == sorted(whole, reverse=True)
    assert sum(whole) >= 3
