"""The third part of the demo: mutants of the robot's graph that keep to a mask, and how one of them came about."""

from __future__ import annotations

from collections.abc import Iterator

from kgprobe.demo.graph import NAMESPACE, example
from kgprobe.masks.consistency import ConsistencyCheck
from kgprobe.masks.mask import Mask
from kgprobe.masks.shacl import ShaclCheck
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator, Tally
from kgprobe.mutation.mutant import Mutant, explained
from kgprobe.mutation.pins import Pins
from kgprobe.mutation.strategies import Weighted
from kgprobe.reasoners.choice import open_reasoner

__all__ = ["show"]

_SEED = 7
_MUTATIONS = 3
_MUTANTS = 5
_PINNED = f"{NAMESPACE}robot"


def show() -> Iterator[str]:
    """Run it, and say what happens line by line."""
    graph = example("inspection.ttl").graph
    operators = operator_set("abox")
    reasoner = open_reasoner("auto")
    try:
        mask = Mask([ShaclCheck(example("inspection-shapes.ttl").graph, "shapes"), ConsistencyCheck(reasoner)])
        generator = Generator(
            graph,
            [Weighted(operator) for operator in operators],
            mutations=_MUTATIONS,
            seed=_SEED,
            mask=mask,
            pins=Pins(namespaces=[_PINNED]),
        )
        yield f"Operators  {len(operators)} that change what is said about individuals; the robot itself is pinned"
        mutants = list(generator.mutants(_MUTANTS))
    finally:
        reasoner.close()
    yield from _counted(generator.tally)
    descriptions = {operator.description.name: operator.description for operator in operators}
    mutant = max(mutants, key=_different)
    yield f"Mutant {mutant.number}   differs from the pipeline by {len(mutant.delta)} triples, in {_MUTATIONS} steps:"
    for number, step in enumerate(mutant.steps, start=1):
        first, *changes = explained(step, descriptions[step.operator].summary, graph.spelling)
        yield f"             {number}. {first}"
        yield from (f"                  {line}" for line in changes)


def _counted(tally: Tally) -> Iterator[str]:
    rejected = ", ".join(f"{check} {count}" for check, count in tally.rejected.most_common())
    yield f"Mutants    {tally.kept} that the mask admits, in {tally.attempts} attempts (seed {_SEED})"
    if rejected:
        yield f"           rejected by: {rejected}"


def _different(mutant: Mutant) -> tuple[int, int]:
    """How many operators a mutant shows, and how much of what they did is left: more is the better example."""
    return len({step.operator for step in mutant.steps}), len(mutant.delta)
