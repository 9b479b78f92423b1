"""The share of mutants of OWL 2 EL ontologies that are still in OWL 2 EL: `python -m bench.el_profile`.

kgprobe's profile check judges each whole mutant. Needs the ontologies of ../shared/data/ore.
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from kgprobe.formats.files import load
from kgprobe.mutation.catalogue import resolve_operators
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.profiles import Profile, violations

ORE = Path(__file__).resolve().parents[2] / "shared" / "data" / "ore"
MUTATIONS = 30
WANTED = 0.995


def left_profile(path: Path, sets: str, mutants: int, seed: int) -> tuple[int, Counter[str]]:
    """The number of mutants, and for those that are not in EL the first rule that they violate."""
    graph = load(path).graph
    view = AxiomView(graph)
    if found := next(iter(violations(view, [Profile.EL])), None):
        raise ValueError(f"{path.name} is not in EL: {found}")
    operators = [Weighted(operator) for operator in resolve_operators(sets.split(","), Path())]
    made, broken = 0, Counter[str]()
    for mutant in Generator(graph, operators, mutations=MUTATIONS, seed=seed).mutants(mutants):
        made += 1
        view.follow(mutant.graph)
        if found := next(iter(violations(view, [Profile.EL])), None):
            broken[f"{path.name}: {found.rule}"] += 1
    return made, broken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operators", default="owl-el", help="sets, separated by commas")
    parser.add_argument("--mutants", type=int, default=100, help="of each ontology")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    paths = sorted(ORE.glob("*.owl"))
    made, broken = 0, Counter[str]()
    with ProcessPoolExecutor(given.processes) as pool:
        jobs = [pool.submit(left_profile, path, given.operators, given.mutants, given.seed) for path in paths]
        for job in jobs:
            count, rules = job.result()
            made += count
            broken += rules
    for rule, count in broken.most_common():
        print(f"  {count} x {rule}")
    share = 1 - broken.total() / made if made else 0.0
    verdict = "ok" if share >= WANTED else "MISSED"
    print(
        f"{made:,} mutants of {MUTATIONS} mutations from {len(paths)} ontologies: {100 * share:.2f} % are in OWL 2 EL"
        f" (wanted ≥ {100 * WANTED:.1f} %)  {verdict}"
    )


if __name__ == "__main__":
    main()
