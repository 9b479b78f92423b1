"""Reductions of a difference: of two graphs, the seed and what changes have made of it, that show it together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest

from kgprobe.errors import InputError
from kgprobe.masks.mask import Mask
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Triple
from kgprobe.reduction.graph_problem import Pair
from kgprobe.reduction.reducer import Finished, Reduction, reducing
from reduction.failures import options

_VALUES = tuple(NamedNode(f"urn:p{number}") for number in range(4))


def triple(subject: int, predicate: int, value: int) -> Triple:
    return Triple(NamedNode(f"urn:s{subject}"), _VALUES[predicate], Literal(str(value)))


def reduced(
    seed: Graph, graph: Graph, shows: Callable[[Graph, Graph], bool], seen: list[Pair] | None = None, **how: object
) -> Reduction:
    pairs = [] if seen is None else seen

    def compares(asked: Sequence[Pair]) -> list[bool]:
        pairs.extend(asked)
        return [shows(pair.before, pair.after) for pair in asked]

    for event in reducing(graph, lambda _: [], options(seed=seed, repeats=1, **how), compares=compares):
        if isinstance(event, Finished):
            return event.reduction
    raise AssertionError


def sums(graph: Graph, subject: int) -> int:
    """A system under test: the sum of the values of a subject."""
    own = [int(each.object.value or 0) for each in graph if each.subject.value == f"urn:s{subject}"]  # type: ignore[union-attr]
    return sum(own)


def changed(graph: Graph, removed: Sequence[Triple], added: Sequence[Triple]) -> Graph:
    mutant = graph.copy()
    for each in removed:
        mutant.remove(each)
    for each in added:
        mutant.add(each)
    return mutant


SEED = Graph([triple(subject, predicate, subject + predicate) for subject in range(8) for predicate in range(3)])


def test_changes_are_reduced_first_and_then_what_both_graphs_have() -> None:
    mutant = changed(SEED, [triple(1, 1, 2), triple(2, 0, 2)], [triple(1, 1, 9), triple(5, 3, 1), triple(6, 3, 1)])

    def shows(before: Graph, after: Graph) -> bool:
        """The sum of s1 grows, and s1 has another value in both."""
        rest = [each for each in after if each in before and each.subject.value == "urn:s1"]  # type: ignore[union-attr]
        return sums(after, 1) > sums(before, 1) > 0 and bool(rest)

    seen: list[Pair] = []
    result = reduced(SEED, mutant, shows, seen, simplify=False)
    assert result.before is not None
    assert shows(result.before, result.graph)
    assert result.changes is not None
    assert result.changes.removed == ()
    assert result.changes.added == (triple(1, 1, 9),)
    assert len(result.before) == 1
    assert (result.triples_before, result.triples_after) == (len(SEED) + 3, 2)
    first, *_ = seen
    assert set(first.before) == set(SEED)  # the whole pair is what the campaign saw


def test_a_removed_triple_is_a_difference_although_an_empty_graph_lacks_it_too() -> None:
    mutant = changed(SEED, [triple(3, 0, 3), triple(4, 1, 5)], [])
    result = reduced(SEED, mutant, lambda before, after: sums(after, 3) == sums(before, 3) - 3)
    assert result.changes is not None
    assert result.changes.removed == (triple(3, 0, 3),)
    assert (len(result.graph), result.triples_after) == (0, 1)
    assert set(result.before or ()) == {triple(3, 0, 3)}


def test_removed_triples_that_only_one_axiom_held_together_are_left_out_one_by_one() -> None:
    mutant = changed(SEED, [triple(1, 0, 1), triple(1, 1, 2), triple(1, 2, 3)], [])

    def shows(before: Graph, after: Graph) -> bool:
        return sums(before, 1) > 0 and sums(after, 1) == 0

    result = reduced(SEED, mutant, shows)
    assert result.changes is not None
    assert len(result.changes.removed) == 1
    assert result.triples_after == 1


def test_both_graphs_stay_within_the_mask_and_keep_what_is_pinned() -> None:
    class Five(Mask):
        def admits(self, graph: Graph) -> bool:
            return len(graph) >= 5

    mutant = changed(SEED, [], [triple(1, 3, 9)])
    seen: list[Pair] = []
    pinned = triple(7, 2, 9)
    result = reduced(
        SEED, mutant, lambda before, after: sums(after, 1) > sums(before, 1), seen, mask=Five(), stays=[pinned]
    )
    assert all(len(graph) >= 5 and pinned in graph for pair in seen for graph in (pair.before, pair.after))
    assert len(result.before or ()) == 5
    assert len(result.graph) == 6


def test_the_names_of_a_change_stay_the_same_in_both_graphs() -> None:
    mutant = changed(SEED, [triple(1, 1, 2)], [triple(1, 1, 9)])

    def shows(before: Graph, after: Graph) -> bool:
        return any(sums(after, subject) - sums(before, subject) == 9 - 2 for subject in range(9))

    result = reduced(SEED, mutant, shows)
    assert set(result.graph) - set(result.before or ()) == {triple(1, 1, 9)}
    assert set(result.before or ()) - set(result.graph) == {triple(1, 1, 2)}


def test_a_result_is_minimal_for_random_differences() -> None:
    for number in range(12):
        random = Random(number)
        triples = list(SEED)
        gone, come = random.sample(triples, 4), [triple(random.randrange(8), 3, value) for value in (11, 12, 13)]
        mutant = changed(SEED, gone, come)
        needs_gone, needs_come = set(random.sample(gone, random.randrange(2))), {random.choice(come)}
        common = set(random.sample([each for each in triples if each not in gone], 2))

        def shows(
            before: Graph, after: Graph, parts: tuple[set[Triple], ...] = (needs_gone, needs_come, common)
        ) -> bool:
            lost, new, shared = parts
            return (
                lost <= set(before) - set(after)
                and new <= set(after) - set(before)
                and shared <= set(before) & set(after)
            )

        result = reduced(SEED, mutant, shows, simplify=False)
        assert set(result.before or ()) == needs_gone | common
        assert set(result.graph) == needs_come | common
        assert result.is_minimal


def test_a_pair_that_runs_out_of_runs_is_consistent() -> None:
    mutant = changed(SEED, [triple(1, 0, 1), triple(2, 0, 2)], [triple(1, 3, 9), triple(4, 3, 9)])

    def shows(before: Graph, after: Graph) -> bool:
        return sums(after, 1) > sums(before, 1)

    for most in range(1, 40):
        result = reduced(SEED, mutant, shows, most_runs=most)
        assert result.before is not None
        assert shows(result.before, result.graph), most


def test_a_difference_needs_a_seed_graph_and_axioms() -> None:
    for how in ({"seed": None}, {"seed": SEED, "algorithm": "halving"}):
        with pytest.raises(InputError, match="needs the seed graph"):
            list(reducing(SEED, lambda _: [], options(**how), compares=lambda _: []))
