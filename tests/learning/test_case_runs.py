"""Graphs with some of the steps of a mutant."""

from __future__ import annotations

from random import Random

import pytest

from kgprobe import api
from kgprobe.learning.case_runs import PartialMutants
from kgprobe.mutation.mutant import MutationStep
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import NamedNode, Triple

_P = NamedNode("urn:p")


def _triple(subject: str, object_: str) -> Triple:
    return Triple(NamedNode(f"urn:{subject}"), _P, NamedNode(f"urn:{object_}"))


def _step(removed: str = "", added: str = "") -> MutationStep:
    """A step that changes these triples, each written as subject and object: "ab cd"."""
    return MutationStep("Change", {}, Delta([_triple(*each) for each in removed.split()], map(_pair, added.split())))


def _pair(text: str) -> Triple:
    return _triple(*text)


_SEED = Graph([_triple("a", "b"), _triple("c", "d")])


@pytest.mark.parametrize(
    ("steps", "wanted", "applied"),
    [
        ([_step(added="ac"), _step(removed="cd")], {0, 1}, {0, 1}),
        ([_step(added="ac"), _step(removed="cd")], {1}, {1}),
        ([_step(added="ax"), _step(added="xb")], {1}, set()),  # x is new
        ([_step(added="ax"), _step(added="xy"), _step(added="yb")], {0, 2}, {0}),
        ([_step(added="ac"), _step(removed="ac", added="ad")], {1}, set()),  # it would replace what is not there
        ([_step(added="ac"), _step(removed="ac cd")], {1}, {1}),  # it removes what is there
        ([_step(removed="ab"), _step(added="ab bc")], {1}, {1}),
        ([_step(removed="ab"), _step(added="ab")], {1}, set()),  # nothing is left to do
    ],
)
def test_steps_that_depend_on_others(steps: list[MutationStep], wanted: set[int], applied: set[int]) -> None:
    made = PartialMutants(_SEED, steps).made(wanted)
    assert made.steps == applied


@pytest.mark.parametrize(
    ("steps", "alone"),
    [
        ([_step(added="ac"), _step(removed="cd")], [{0}, {1}]),
        ([_step(added="ax"), _step(added="xb")], [{0}, {0, 1}]),
        ([_step(added="ac"), _step(removed="ac", added="ad")], [{0}, {0, 1}]),
        ([_step(removed="ab"), _step(added="ab"), _step(added="dc")], [{0}, {0, 1}, {2}]),
        ([_step(added="ax"), _step(added="xy"), _step(added="yb")], [{0}, {0, 1}, {0, 1, 2}]),
    ],
)
def test_a_step_with_all_that_it_depends_on(steps: list[MutationStep], alone: list[set[int]]) -> None:
    mutants = PartialMutants(_SEED, steps)
    assert [mutants.alone(step) for step in range(len(steps))] == alone


def test_random_mutants() -> None:
    seed = Graph(_triple(*pair) for pair in ("ab", "bc", "cd", "da", "ac"))
    random = Random(1)
    count = 0
    for mutant in api.mutants(seed, "generic", count=40, mutations=8, seed=3):
        mutants = PartialMutants(seed, mutant.steps)
        everything = range(len(mutant.steps))
        whole = mutants.made(everything)
        assert whole.graph == mutant.graph
        assert whole.change == mutant.delta
        for step in everything:
            alone = mutants.alone(step)
            assert max(alone) == step
            made, before = mutants.made(alone), mutants.made(alone - {step})
            assert made.steps == alone
            # The step makes the same change as in the mutant.
            before.graph.apply(mutant.steps[step].delta)
            assert before.graph == made.graph
        some = frozenset(random.sample(everything, 4))
        made = mutants.made(some)
        assert made.steps <= some
        assert mutants.made(made.steps).change == made.change
        count += 1
    assert count == 40
