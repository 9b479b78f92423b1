"""How many runs a mask needs with suggested mutants, and with random ones: `python -m bench.mask_suggestions`.

The verdicts follow from a hidden truth, so a mask can be judged on many other mutants. Both ways start from the same
few random cases. Then one runs the mutants that `kgprobe mask suggest` would name, and the other mutants at random,
from the same pool, in batches. The runs until the learned mask is right on 97 % of other mutants are compared. Truths
are those of `bench.known_truths`, and the robot of examples/pipes, whose behaviour no simple mask describes: there,
95 % have to do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from itertools import islice
from pathlib import Path
from random import Random
from types import ModuleType

from bench.known_truths import HELD_OUT, TUNED, judged, plant
from bench.measure import Row, report
from kgprobe import api
from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.learning.suggesting import NewMutant, Rivals, rivals_of, suggested
from kgprobe.masks.learning.observations import JudgedGraph
from kgprobe.rdf.graph import Graph

PIPES = Path(__file__).resolve().parents[1] / "examples" / "pipes"
FIRST, BATCH, MOST = 20, 10, 150
POOL, LOOKED_AT, OTHERS = 1_000, 200, 400
SEEDS = (1, 2)
WANTED, WANTED_OF_THE_ROBOT = 0.97, 0.95


@dataclass(frozen=True)
class Problem:
    """Cases to start from, cases to choose from, other cases to judge masks by, and the share to get right."""

    first: Sequence[JudgedGraph]
    pool: Sequence[JudgedGraph]
    others: Sequence[JudgedGraph]
    wanted: float


Choose = Callable[[Rivals, list[JudgedGraph], Random], list[JudgedGraph]]


def at_random(_rivals: Rivals, left: list[JudgedGraph], random: Random) -> list[JudgedGraph]:
    return random.sample(left, min(BATCH, len(left)))


def by_suggestion(rivals: Rivals, left: list[JudgedGraph], random: Random) -> list[JudgedGraph]:
    looked_at = random.sample(left, min(LOOKED_AT, len(left)))
    known = {id(case.change): case for case in looked_at}
    mutants = [NewMutant(0, case.graph(), case.change, ()) for case in looked_at]
    chosen = [known[id(each.mutant.change)] for each in suggested(rivals, mutants, BATCH)]
    return chosen or at_random(rivals, left, random)


def runs_needed(problem: Problem, choose: Choose, random: Random) -> int:
    """The runs until the mask is right often enough, at most `MOST`."""
    cases, left, runs = list(problem.first), list(problem.pool), 0
    while True:
        rivals = rivals_of(cases)
        if accuracy(rivals, problem.others) >= problem.wanted or runs >= MOST:
            return runs
        batch = choose(rivals, left, random)
        taken = {id(case) for case in batch}
        left = [case for case in left if id(case) not in taken]
        cases += batch
        runs += len(batch)


def accuracy(rivals: Rivals, others: Sequence[JudgedGraph]) -> float:
    return sum(rivals.mask.holds(case.graph()) is not case.failed for case in others) / len(others)


def problem_of(cases: Iterator[JudgedGraph], wanted: float) -> Problem | None:
    """None if the first cases all pass or all fail: then there is nothing to learn from."""
    first = list(islice(cases, FIRST))
    if len({case.failed for case in first}) < 2:
        return None
    return Problem(first, list(islice(cases, POOL)), list(islice(cases, OTHERS)), wanted)


# -- the robot ---------------------------------------------------------------------------------------------------------


def robot_cases(seed: int) -> Iterator[JudgedGraph]:
    robot = _robot()
    graph = load(PIPES / "pipes.ttl").graph
    operators = str(PIPES / "operators" / "*.ru")
    for mutations in (1 + number % 6 for number in range(10**6)):
        seed += 1
        for mutant in api.mutants(graph, [operators], count=1, mutations=mutations, seed=seed):
            yield JudgedGraph(f"pipes#{seed}", graph, mutant.delta, _fails(robot, mutant.graph))


def _robot() -> ModuleType:
    spec = spec_from_file_location("pipes_robot", PIPES / "robot.py")
    assert spec is not None
    assert spec.loader is not None
    robot = module_from_spec(spec)
    spec.loader.exec_module(robot)
    return robot


def _fails(robot: ModuleType, graph: Graph) -> bool:
    try:
        return bool(robot.inspect(graph)["missed"])
    except LookupError:
        return True


# -- the report --------------------------------------------------------------------------------------------------------


def problems(name: str) -> Iterator[Problem]:
    for seed in SEEDS:
        if name == "pipes":
            found = problem_of(robot_cases(10_000_000 * seed), WANTED_OF_THE_ROBOT)
        else:
            random = Random(seed)
            graph = plant(random)
            truth = (TUNED | HELD_OUT)[name](graph, random)
            found = problem_of(judged(graph, truth, random), WANTED)
        if found is not None:
            yield found


def main(names: Sequence[str]) -> None:
    rows, totals = [], [0, 0]
    for name in names or ("pipes", *TUNED, *HELD_OUT):
        needed = [0, 0]
        for problem in problems(name):
            try:
                found = [runs_needed(problem, choose, Random(7)) for choose in (by_suggestion, at_random)]
            except InputError:
                continue
            needed = [sum(pair) for pair in zip(needed, found, strict=True)]
        totals = [sum(pair) for pair in zip(totals, needed, strict=True)]
        rows.append(_row(name, needed))
        print(rows[-1], flush=True)
    report([*rows, _row("all", totals)])


def _row(name: str, needed: Sequence[int]) -> Row:
    ours, yardstick = needed
    return Row(f"{name}: runs after the first {FIRST}", str(ours), str(yardstick), ours / max(1, yardstick), 0.5)


if __name__ == "__main__":
    main(sys.argv[1:])
