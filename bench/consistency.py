"""What it costs to check the consistency of mutants, how many are undecided, and whether any answer is wrong.

Run with `python -m bench.consistency`. Needs the ontologies of ../shared/data/ore. Each file is mutated with three sets
of operators, by 1, 10 and 30 mutations at a time. Times are processor times of this process, with the making of the
same mutants as the yardstick. `--files` takes a sample of the files, `--mutants` the number of mutants of each kind,
and `--hermit` asks HermiT, too.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.measure import Row, report
from bench.mutation import ORE, enlarged
from kgprobe.formats.files import load
from kgprobe.mutation.catalogue import operator_set
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.mutation.mutant import Mutant
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.protocol import Answer, Consistency, Reasoner

OPERATORS = ("owl-el", "owl-dl", "abox")
MUTATIONS = (1, 10, 30)
SMALL, LARGE = 1_000, 100_000
_LIMITS = Limits(seconds=20)


class Outcome:
    """What was measured for one set of operators."""

    def __init__(self) -> None:
        self.answers: Counter[str] = Counter()
        self.ratios: list[float] = []
        self.wrong = 0
        self.against_rustdl: list[float] = []


def made(graph: Graph, operators: str, mutations: int, count: int, seed: int) -> tuple[list[Mutant], float]:
    """Mutants, and the seconds for making one."""
    weighted = [Weighted(operator) for operator in operator_set(operators)]
    generator = Generator(graph, weighted, mutations=mutations, seed=seed)
    start = time.process_time()
    mutants = list(generator.mutants(count))
    return mutants, (time.process_time() - start) / max(1, len(mutants))


def checked(reasoner: Reasoner, mutants: list[Mutant]) -> Iterator[tuple[Mutant, Answer, float]]:
    """Each mutant with the answer, and the processor seconds of this process."""
    for mutant in mutants:
        start = time.process_time()
        [answer] = reasoner.answer(mutant.graph, [Consistency()])
        yield mutant, answer, time.process_time() - start


def _name(answer: Answer) -> str:
    if answer.value is None:
        return "undecided"
    if not answer.value:
        return "inconsistent"
    return "by a model" if answer.reasoner == "auto:model" else "by a reasoner"


def measure(files: list[Path], count: int, seed: int, *, with_hermit: bool) -> dict[str, Outcome]:
    """The outcome of each set of operators."""
    outcomes = {operators: Outcome() for operators in OPERATORS}
    auto, rustdl, hermit = (open_reasoner(name, _LIMITS) for name in ("auto", "rustdl", "hermit"))
    for path in files:
        graph = load(path).graph
        mutants, _ = made(graph, "owl-el", 1, 2, seed + 1)
        list(checked(auto, mutants))  # what all mutants of a seed share is made once
        for operators, outcome in outcomes.items():
            for mutations in MUTATIONS:
                mutants, making = made(graph, operators, mutations, count, seed)
                for mutant, answer, seconds in checked(auto, mutants):
                    outcome.answers[_name(answer)] += 1
                    if _name(answer) == "by a model":
                        outcome.ratios.append((making + seconds) / making)
                    if with_hermit and answer.decided:
                        [other] = hermit.answer(mutant.graph, [Consistency()])
                        outcome.wrong += other.decided and other.value != answer.value
                if len(graph) >= SMALL:
                    outcome.against_rustdl += compared(auto, rustdl, mutants)
    for reasoner in (auto, rustdl, hermit):
        reasoner.close()
    return outcomes


def compared(auto: Reasoner, rustdl: Reasoner, mutants: list[Mutant]) -> Iterator[float]:
    """The time for a mutant with a model, by rustdl's own time for it."""
    with_model = [mutant for mutant, answer, _ in checked(auto, mutants) if _name(answer) == "by a model"]
    for mutant, _, seconds in checked(auto, with_model[:1]):
        [other] = rustdl.answer(mutant.graph, [Consistency()])
        if other.seconds:
            yield seconds / other.seconds


def growth(seed: int) -> tuple[float, float]:
    """The seconds to check a mutant of a small and of a large graph that are alike."""
    graph = min((load(path).graph for path in sorted(ORE.glob("*.owl"))), key=lambda graph: abs(len(graph) - SMALL))
    auto, seconds = open_reasoner("auto", _LIMITS), []
    for size in (len(graph), LARGE):
        large = enlarged(graph, size)
        mutants, _ = made(large, "owl-el", 30, 12, seed)
        taken = [spent for _, answer, spent in checked(auto, mutants) if _name(answer) == "by a model"]
        seconds.append(median(taken[2:]))
    auto.close()
    return seconds[0], seconds[1]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=123)
    parser.add_argument("--mutants", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hermit", action="store_true")
    given = parser.parse_args()
    files = sorted(ORE.glob("*.owl"))
    chosen = files[:: max(1, len(files) // given.files)][: given.files]
    outcomes = measure(chosen, given.mutants, given.seed, with_hermit=given.hermit)
    rows = []
    for operators, outcome in outcomes.items():
        total = outcome.answers.total()
        print(f"{operators}: {total} mutants, {dict(outcome.answers)}, wrong: {outcome.wrong}")
        undecided = outcome.answers["undecided"] / total
        limit = 0.01 if operators != "owl-dl" else 0.05
        rows += [
            Row(f"{operators}: undecided", str(outcome.answers["undecided"]), str(total), undecided, limit),
            Row(f"{operators}: made and checked, by making", "", "", median(outcome.ratios), 2),
            Row(f"{operators}: wrong", str(outcome.wrong), str(total), outcome.wrong, 0),
        ]
        if outcome.against_rustdl:
            rows.append(Row(f"{operators}: check, by rustdl's own time", "", "", median(outcome.against_rustdl), 0.1))
    small, large = growth(given.seed)
    rows.append(
        Row("30 mutations, 100,000 triples", f"{large * 1e3:.2f} ms", f"{small * 1e3:.2f} ms", large / small, 2)
    )
    report(rows)


if __name__ == "__main__":
    main()
