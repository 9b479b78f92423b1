"""How well masks are learned: from the verdicts on the SUAVE robot, for known truths, and for the pipes example.

Run with `python -m bench.mask_learning --data ../shared/data`. It prints four tables: the five SUAVE batches together,
each batch judged by what was learned from those before it, known truths (kinds that the learner was tuned on, and kinds
that were held out), and the pipes without a mask. `--seeds N` sets how many truths of each kind are tried.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random

from bench.known_truths import HELD_OUT, TUNED, judged, plant, with_wrong_verdicts
from kgprobe.api import operators
from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.masks.learning.csv_cases import read_judged
from kgprobe.masks.learning.learning import ceiling_of, learn_mask, score_mask
from kgprobe.masks.learning.observations import JudgedGraph
from kgprobe.masks.mask import Mask
from kgprobe.masks.shacl import ShaclCheck, read_shapes
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.rdf.graph import Graph

PIPES = Path(__file__).resolve().parents[1] / "examples" / "pipes"
# Each batch in the order of the campaign, and the mask that the authors had when they ran it.
BATCHES = {"onlySuave02": 0, "onlySuave03": 1, "onlyGeneric03": 1, "onlySuave04": 1, "onlySuave05": 2}
NOISE = 0.06


def batches(folder: Path) -> dict[str, list[JudgedGraph]]:
    """The judged mutants of each batch."""
    seed = load(folder / "suave_original_with_imports.ttl").graph
    verdicts = folder / "verdicts"
    return {
        name: read_judged(seed, [verdicts / f"{name}.mutants.csv"], [verdicts / f"{name}.verdicts.csv"])
        for name in BATCHES
    }


def suave(folder: Path) -> None:
    """All batches together, and each after those before it."""
    found = batches(folder)
    everything = [case for cases in found.values() for case in cases]
    mask = learn_mask(everything)
    ours = score_mask(Mask([ShaclCheck(mask.graph, "learned")]), everything)
    print("mask       right of 90   admitted but failing   excluded but passing")
    print(f"learned    {ours.correct:>11}   {len(ours.too_permissive):>20}   {len(ours.too_strict):>20}")
    for number in range(8):
        theirs = score_mask(Mask(read_shapes(folder / f"masks/mask{number}.ttl")), everything)
        print(
            f"mask{number}      {theirs.correct:>11}   {len(theirs.too_permissive):>20}   {len(theirs.too_strict):>20}"
        )
    print(f"ceiling    {round(ours.ceiling * ours.cases):>11}\n")
    print("judged on       cases   learned before   authors' mask then   all pass   ceiling")
    totals = [0] * 5
    before: list[JudgedGraph] = []
    for name, cases in found.items():
        row = [
            len(cases),
            _right_of_learned(before, cases),
            score_mask(Mask(read_shapes(folder / f"masks/mask{BATCHES[name]}.ttl")), cases).correct,
            sum(not case.failed for case in cases),
            round(ceiling_of(cases) * len(cases)),
        ]
        if before:
            totals = [total + value for total, value in zip(totals, row, strict=True)]
            _print_row(name, row)
        before += cases
    _print_row("sum", totals)
    print()


def _right_of_learned(before: Sequence[JudgedGraph], cases: Sequence[JudgedGraph]) -> int:
    try:
        mask = learn_mask(before)
    except InputError:  # nothing fails yet
        return sum(not case.failed for case in cases)
    return score_mask(mask.holds, cases).correct


def _print_row(name: str, row: Sequence[int]) -> None:
    cases, ours, theirs, passing, ceiling = row
    print(f"{name:<14}  {cases:>5}   {ours:>14}   {theirs:>18}   {passing:>8}   {ceiling:>7}")


def known_truths(seeds: int) -> None:
    """The share of right verdicts on new mutants."""
    print("truth            held out   300 cases   80 cases   300 with 6% wrong   seconds for 300")
    for name, make in {**TUNED, **HELD_OUT}.items():
        shares: dict[str, list[float]] = {"300": [], "80": [], "noise": []}
        seconds = 0.0
        for number in range(seeds):
            random = Random(f"{name}{number}")
            seed = plant(random)
            stream = judged(seed, make(seed, random), random, balanced=True)
            cases, new = list(islice(stream, 300)), list(islice(stream, 300))
            start = time.process_time()
            for label, some, noise in (
                ("300", cases, 0.0),
                ("80", cases[:80], 0.0),
                ("noise", with_wrong_verdicts(cases, NOISE, random), NOISE),
            ):
                mask = learn_mask(some, noise=noise)
                if label == "300":
                    seconds = max(seconds, time.process_time() - start)
                shares[label].append(score_mask(mask.holds, new).accuracy)
        means = [f"{100 * sum(values) / len(values):.1f}%" for values in shares.values()]
        is_held_out = "yes" if name in HELD_OUT else "no"
        print(f"{name:<15}  {is_held_out:<8}   {means[0]:>9}   {means[1]:>8}   {means[2]:>17}   {seconds:>15.1f}")
    print()


def pipes(campaigns: Sequence[tuple[int, int]]) -> None:
    """From no mask to one, and how it compares with that of the paper's Figure 6."""
    sys.path.insert(0, str(PIPES))
    import robot  # type: ignore[import-not-found]  # it is in the folder of the example

    def fails(graph: Graph) -> bool:
        try:
            return bool(robot.inspect(graph)["missed"])
        except LookupError:
            return True

    seed = load(PIPES / "pipes.ttl").graph

    def cases(count: int, number: int, mask: Mask | None = None) -> list[JudgedGraph]:
        weighted = [
            Weighted(each, 5 if each.description.name == "AddSegment" else 1)
            for each in operators(str(PIPES / "operators/*.ru"))
        ]
        made = Generator(seed, weighted, mutations=6, seed=number, mask=mask).mutants(count)
        return [JudgedGraph(f"pipes#{i}", seed, each.graph.changes(), fails(each.graph)) for i, each in enumerate(made)]

    figure = cases(200, 77, Mask(read_shapes(*sorted((PIPES / "masks").glob("*.ttl")))))
    print("campaign          passing   shapes   new mutants admitted   of them failing   of Figure 6 excluded")
    for count, number in campaigns:
        mask = learn_mask(cases(count, number))
        new = cases(200, 99, Mask([ShaclCheck(mask.graph, "learned")]))
        failing = sum(case.failed for case in new)
        excluded = sum(not mask.holds(case.graph()) for case in figure) / len(figure)
        row = f"{mask.passing:>7}   {len(mask.shapes):>6}   {len(new):>20}   {failing:>15}   {excluded:>20.1%}"
        print(f"{count} cases, seed {number}  {row}")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder with suave/")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    if given.data is not None:
        suave(given.data / "suave")
    pipes([(100, number) for number in range(1, 7)] + [(300, number) for number in range(1, 4)])
    print()
    known_truths(given.seeds)


if __name__ == "__main__":
    main()
