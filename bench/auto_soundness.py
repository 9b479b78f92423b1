"""Checks that `auto` is never wrong: on random ontologies against HermiT, and on puzzles with known answers.

Run with `python -m bench.auto_soundness --number 2000`. For each kind of ontology it prints the number of questions, of
answers that `auto` was sure of, and each wrong answer; there must be none. The kinds are the mixes of
`tests/support/random_ontologies.py`, which HermiT judges, and the puzzles of `tests/support/puzzles.py`, whose answer
is known. `--tasks` asks for entailments, unsatisfiable classes and hierarchies as well.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from support.answers import comparable
from support.puzzles import puzzle
from support.random_ontologies import MIXES, Source

from kgprobe.processes.limits import Limits
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Answer, Classification, Consistency, Entails, Reasoner, Task, Unsatisfiable

BATCH = 100
PUZZLES = "puzzles"
ANYTHING = "anything"


@dataclass(frozen=True)
class Asked:
    """A question, and the right answer if it is known without a reasoner."""

    kind: str
    seed: int
    ontology: Ontology
    task: Task
    expected: bool | None = None


def questions(kind: str, seeds: range, *, with_tasks: bool) -> Iterator[Asked]:
    """The questions about the ontologies of one kind."""
    for seed in seeds:
        random = Random(seed)
        if kind == PUZZLES:
            made = puzzle(random)
            yield Asked(kind, seed, made.ontology, Consistency(), made.is_consistent)
            continue
        source = Source(random, MIXES.get(kind))
        ontology = source.ontology()
        tasks: list[Task] = [Consistency()]
        if with_tasks:
            tasks += [Entails(source.question()), Entails(source.question()), Unsatisfiable(), Classification()]
        yield from (Asked(kind, seed, ontology, task) for task in tasks)


def answers(reasoner: Reasoner, asked: Sequence[Asked]) -> list[Answer]:
    """One answer for each question."""
    return [answer for (answer,) in reasoner.answer_many([(each.ontology, [each.task]) for each in asked])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=1000, help="ontologies of each kind")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--kinds", nargs="*", default=[PUZZLES, ANYTHING, *MIXES])
    parser.add_argument("--tasks", action="store_true", help="ask for more than consistency")
    parser.add_argument("--seconds", type=float, default=5.0, help="for one answer")
    given = parser.parse_args()
    limits = Limits(given.seconds, 1024)
    differing = 0
    with opened("auto", limits) as auto, opened("hermit", limits) as hermit:
        for kind in given.kinds:
            counts: Counter[str] = Counter()
            for start in range(given.start, given.start + given.number, BATCH):
                seeds = range(start, min(start + BATCH, given.start + given.number))
                asked = list(questions(kind, seeds, with_tasks=given.tasks))
                ours = answers(auto, asked)
                theirs = [None] * len(asked) if kind == PUZZLES else answers(hermit, asked)
                for each, our, their in zip(asked, ours, theirs, strict=True):
                    task = type(each.task).__name__
                    truth = each.expected if their is None else comparable(their) if their.decided else None
                    counts[f"{task} asked"] += 1
                    counts[f"{task} known"] += truth is not None
                    counts[f"{task} true"] += truth is True
                    counts[f"{task} true and decided"] += truth is True and our.decided
                    counts[f"{task} decided"] += our.decided
                    if our.decided and truth is not None and comparable(our) != truth:
                        differing += 1
                        print(f"WRONG: {kind} {each.seed} {each.task}: {our.value} by {our.reasoner}, not {truth}")
            print(kind, *(f"{name} {count}" for name, count in counts.items()), sep="; ", flush=True)
    print(f"{differing} wrong")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
