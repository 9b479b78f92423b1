"""Operators mined from OWL 2 EL ontologies, and the share of their mutants that are invalid: not in OWL 2 EL.

`python -m bench.mined_operators` mines rules with the thresholds of the paper from the ontologies of
../shared/data/ore, makes operators from them, as they are and with `--keep-profile el`, and makes mutants of all
ontologies in turn. kgprobe's profile check judges each whole mutant.

`--all-names` mines rules with names of the ontologies, too. They have some 190,000 operators. So for each ontology, a
part of them is drawn: half of them from all operators, half from those whose names the ontology has. `--alone N` mines
N ontologies of different sizes, each alone, and makes mutants of each with its own operators.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from statistics import median

from kgprobe.formats.files import load
from kgprobe.learning.operator_trials import Outcome, keep_in_el
from kgprobe.mining.index import is_of_vocabulary
from kgprobe.mining.operators import MinedOperator, Update, mined_operators, update_of, update_text
from kgprobe.mining.search import mine
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.mutation.update import parse_operator
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.profiles import Profile, violations
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import Term

ORE = Path(__file__).resolve().parents[2] / "shared" / "data" / "ore"
MUTATIONS = 30
WANTED = 0.05  # the paper: 0.34


def names_in(update: Update) -> set[Term]:
    """The names of the domain that an operator looks for."""
    parts = (part for atom in update.where for part in atom)
    return {part for part in parts if not isinstance(part, Variable) and not is_of_vocabulary(part)}


def drawn(updates: Sequence[Update], graph: Graph, most: int, random: Random) -> Sequence[Update]:
    """All operators; if there are too many, a part of them: half from all, half from those with names of the graph."""
    if len(updates) <= most:
        return updates
    fitting = [update for update in updates if (names := names_in(update)) and all(map(graph.mentions, names))]
    chosen = [*random.sample(updates, most // 2), *random.sample(fitting, min(most // 2, len(fitting)))]
    return list({update.name: update for update in chosen}.values())


def shares(updates: Iterable[Update], graphs: Sequence[Graph], mutants: int, seed: int, most: int) -> float:
    """Make mutants, and print how many are invalid and how much they change; returns the share of invalid ones."""
    every, random, taken = list(updates), Random(seed), set[str]()
    made, broken, applied = 0, Counter[str](), Counter[str]()
    changed = shortest = 0
    for number, graph in enumerate(graphs):
        count = mutants // len(graphs) + (number < mutants % len(graphs))
        view = AxiomView(graph)
        if next(iter(violations(view, [Profile.EL])), None) is not None:
            continue
        chosen = drawn(every, graph, most, random)
        taken.update(update.name for update in chosen)
        operators = [Weighted(parse_operator(update_text(update), update.name)) for update in chosen]
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
        f" {len(applied)} of {len(taken)} operators were used"
    )
    return share


def tried_and_shown(operators: Sequence[MinedOperator], graphs: Sequence[Graph]) -> tuple[Update, ...]:
    """The operators with --keep-profile el."""
    start = time.process_time()
    tried = keep_in_el(operators, graphs)
    counts = ", ".join(f"{tried.count(outcome)} {outcome.value}" for outcome in Outcome)
    print(
        f"  with --keep-profile el: {counts}, in {time.process_time() - start:.0f} s (wanted: ≤ {100 * WANTED:.0f} %)"
    )
    return tried.updates


def alone(files: Sequence[Path], count: int, mutants: int, seed: int, most: int) -> None:
    """Mine some ontologies of different sizes, each alone, and make mutants of each."""
    found: list[float] = []
    by_size = sorted(files, key=lambda path: path.stat().st_size)
    for path in by_size[:: max(1, len(by_size) // count)]:
        graph = load(path).graph
        operators = mined_operators(mine(graph).rules)
        if len(found) < count and operators:
            print(f"{path.name}: {len(graph)} triples, {len(operators)} operators")
            found.append(shares(tried_and_shown(operators, [graph]), [graph], mutants, seed, most))
    print(
        f"{len(found)} ontologies alone: {100 * sum(found) / len(found):.1f} % are invalid on average,"
        f" {100 * max(found):.1f} % at most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=1, help="so many times, with seeds in a row")
    parser.add_argument("--all-names", action="store_true", help="rules with names of the ontologies, too")
    parser.add_argument("--keep-redundant", action="store_true", help="all rules, as in the paper")
    parser.add_argument("--kept-only", action="store_true", help="do not measure the operators as they are")
    parser.add_argument("--alone", type=int, metavar="N", help="mine N ontologies, each alone")
    parser.add_argument("--operators", type=int, default=600, help="so many for an ontology at most")
    given = parser.parse_args()
    if given.alone is not None:
        alone(sorted(ORE.glob("*.owl")), given.alone, given.mutants, given.seed, given.operators)
        return
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
        shares(map(update_of, operators), graphs, given.mutants, given.seed, given.operators)
    updates = tried_and_shown(operators, graphs)
    for seed in range(given.seed, given.seed + given.samples):
        shares(updates, graphs, given.mutants, seed, given.operators)


if __name__ == "__main__":
    main()
