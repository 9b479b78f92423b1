"""Operators mined from OWL 2 EL ontologies, and the share of their mutants that are invalid: not in OWL 2 EL.

`python -m bench.mined_operators` mines rules with the thresholds of the paper from the ontologies of
../shared/data/ore, makes operators from them, as they are and with `--keep-profile el`, and makes mutants of all
ontologies in turn. kgprobe's profile check judges each whole mutant.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from kgprobe.graph.files import load
from kgprobe.graph.graph import Graph
from kgprobe.learning.operator_trials import Outcome, keep_in_el
from kgprobe.mining.operator_text import Update, update_of, update_text
from kgprobe.mining.operators import mined_operators
from kgprobe.mining.search import mine
from kgprobe.mutation.generator import Generator
from kgprobe.mutation.strategies import Weighted
from kgprobe.mutation.update import parse_operator
from kgprobe.ontology.axioms import AxiomView
from kgprobe.ontology.profiles import Profile, violations

ORE = Path(__file__).resolve().parents[2] / "shared" / "data" / "ore"
MUTATIONS = 30
WANTED = 0.05  # the paper: 0.34


def shares(updates: Iterable[Update], graphs: Sequence[Graph], mutants: int, seed: int) -> None:
    """Make mutants, and print how many are invalid and how much they change."""
    operators = [Weighted(parse_operator(update_text(update), update.name)) for update in updates]
    made, broken, applied = 0, Counter[str](), Counter[str]()
    changed = shortest = 0
    for number, graph in enumerate(graphs):
        count = mutants // len(graphs) + (number < mutants % len(graphs))
        view = AxiomView(graph)
        if next(iter(violations(view, [Profile.EL])), None) is not None:
            continue
        generator = Generator(graph, operators, mutations=MUTATIONS, seed=seed)
        for mutant in generator.mutants(count):
            made += 1
            steps = [len(step.delta.removed) + len(step.delta.added) for step in mutant.steps]
            changed += sum(steps)
            shortest += min(steps) == 0 or len(steps) < MUTATIONS
            applied.update(step.operator for step in mutant.steps)
            view.follow(mutant.graph)
            if (found := next(iter(violations(view, [Profile.EL])), None)) is not None:
                broken[found.rule] += 1
    for rule, count in broken.most_common(5):
        print(f"    {count} x {rule}")
    share = broken.total() / made if made else 1.0
    print(
        f"    {made} mutants of {MUTATIONS} mutations: {100 * share:.1f} % are invalid; on average, a mutant differs in"
        f" {changed / max(made, 1):.0f} triples; {shortest} have a step without effect;"
        f" {len(applied)} of {len(operators)} operators were used"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-names", action="store_true", help="rules with names of the ontologies, too")
    parser.add_argument("--keep-redundant", action="store_true", help="all rules, as in the paper")
    parser.add_argument("--kept-only", action="store_true", help="do not measure the operators as they are")
    given = parser.parse_args()
    graphs = [load(path).graph for path in sorted(ORE.glob("*.owl"))]
    options = {"vocabulary_only": not given.all_names, "keep_redundant": given.keep_redundant}
    each = [len(mine(graph, **options).rules) for graph in graphs]
    print(f"rules of one ontology: {median(each):g} in the median, {min(each)} to {max(each)} (paper: 4, 0 to 26)")
    start = time.process_time()
    mined = mine(graphs, **options)
    sizes = Counter(len(rule.body) for rule in mined.rules)
    operators = mined_operators(mined.rules)
    every = sum(count * (2 ** (atoms + 1) - 1) for atoms, count in sizes.items())
    print(
        f"{len(mined.rules)} rules from {len(graphs)} ontologies in {time.process_time() - start:.0f} s:"
        f" {every} operators, {len(operators)} of them different (paper, 307 ontologies: 116 rules, 741 operators)"
    )
    if not given.kept_only:
        print("  as mined (paper: 34 % are invalid)")
        shares(map(update_of, operators), graphs, given.mutants, given.seed)
    start = time.process_time()
    tried = keep_in_el(operators, graphs)
    counts = ", ".join(f"{tried.count(outcome)} {outcome.value}" for outcome in Outcome)
    print(
        f"  with --keep-profile el: {counts}, in {time.process_time() - start:.0f} s (wanted: ≤ {100 * WANTED:.0f} %)"
    )
    shares(tried.updates, graphs, given.mutants, given.seed)


if __name__ == "__main__":
    main()
