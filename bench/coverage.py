"""What the features of a mutant cost: `python -m bench.coverage`.

For each set of features, the time for all mutants if only their changes are read, compared with reading each mutant as
a whole, and with making it. Needs the ontologies of ../shared/data/ore. All times are CPU times of one run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from kgprobe.formats.files import load
from kgprobe.input_coverage.features import feature_set
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.rdf.graph import Graph

ORE = Path(__file__).resolve().parents[2] / "shared" / "data" / "ore"
FILES = ("ore_ont_155.owl", "ore_ont_10134.owl", "ore_ont_9435.owl")
SETS = ("owl-el", "pairs", "axioms", "shapes")
MUTANTS, MUTATIONS = 50, 20
AT_LEAST = 5.0


def seconds(action: Callable[[], object]) -> float:
    """The CPU time that an action takes."""
    start = time.process_time()
    action()
    return time.process_time() - start


def main() -> None:
    """Print a line for each ontology and each set of features."""
    operators = [Weighted(each) for each in operator_set("owl-el")]
    for name in FILES:
        seed = load(ORE / name).graph
        mutants: list[Graph] = []
        made = seconds(
            lambda seed=seed, mutants=mutants: mutants.extend(  # type: ignore[misc]
                mutant.graph for mutant in Generator(seed, operators, mutations=MUTATIONS).mutants(MUTANTS)
            )
        )
        print(f"{name}: {len(seed):,} triples, {MUTANTS} mutants of {MUTATIONS} mutations")
        for kind in SETS:
            features = feature_set(kind)
            find = features.finder(seed)
            changes = seconds(lambda find=find, mutants=mutants: [set(find(each)) for each in mutants])  # type: ignore[misc]
            alone = [Graph(list(mutant)) for mutant in mutants]
            whole = seconds(lambda features=features, alone=alone: [set(features.finder(g)(g)) for g in alone])  # type: ignore[misc]
            assert [set(find(each)) for each in mutants] == [set(features.finder(each)(each)) for each in alone]
            ratio = whole / max(changes, 1e-6)
            verdict = "ok" if ratio >= AT_LEAST or len(seed) < 5000 else "MISSED"
            print(
                f"  {kind:<8} whole graphs take {ratio:6.1f} x the changes; {changes / made:5.2f} x making: {verdict}"
            )


if __name__ == "__main__":
    main()
