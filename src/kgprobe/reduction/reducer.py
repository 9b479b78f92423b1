"""Makes a failing graph small: `reduce` calls the passes in the order in which they save the most runs.

Changes that a mutant was made with are taken back first, then axioms go, then expressions, names and literals get
simple, and at last each axiom and each triple is tried by itself, until nothing changes any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from random import Random
from typing import Literal as OneOf

from kgprobe.errors import InputError
from kgprobe.graph.delta import Delta
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import Term, Triple
from kgprobe.masks.mask import Mask
from kgprobe.ontology.axioms import AxiomView
from kgprobe.reduction.axioms import fewer_axioms
from kgprobe.reduction.expressions import smaller_expressions
from kgprobe.reduction.halving import halve
from kgprobe.reduction.literals import simpler_literals
from kgprobe.reduction.minimal import one_minimal
from kgprobe.reduction.mutations import changes_between, fewer_changes
from kgprobe.reduction.names import simpler_names
from kgprobe.reduction.problem import REPEATS, Effort, OnBetter, OnStep, OutOfRunsError, Problem, StillFails
from kgprobe.reduction.rates import Rate
from kgprobe.reduction.relevance import names_in
from kgprobe.reduction.subgraphs import exactly, with_more
from kgprobe.reduction.trail import Trail

__all__ = ["ALGORITHMS", "Algorithm", "Reduction", "reduce"]

Algorithm = OneOf["axioms", "halving"]
ALGORITHMS: tuple[Algorithm, ...] = ("axioms", "halving")


@dataclass(frozen=True)
class Reduction:
    """The result, and what it took.

    `changes` are those changes of the seed graph that the result needs: triples that it still has, and triples with
    which it would not fail; None if that is not known. `rate_before` is how often the graph failed as it was given, and
    `rate` how often the result did. `is_minimal` says that no single axiom and no single loose triple can be removed
    without losing the failure, or leaving the mask; `halving` does not find out, and a reduction that ran out of runs
    or time has not. `is_complete` says that it did not.
    """

    graph: Graph
    changes: Delta | None
    system_runs: int
    triples_before: int
    triples_after: int
    axioms_after: int
    rate_before: Rate
    rate: Rate
    confidence: float
    is_minimal: bool
    is_complete: bool


def reduce(
    graph: Graph,
    still_fails: StillFails,
    *,
    algorithm: Algorithm = "axioms",
    seed: Graph | None = None,
    mask: Mask | None = None,
    stays: Iterable[Triple] = (),
    hints: Collection[Term] = (),
    keep: Collection[Term] = (),
    on_better: OnBetter | None = None,
    on_step: OnStep | None = None,
    repeats: int = REPEATS,
    confidence: float = 0.99,
    simplify: bool = True,
    most_runs: int | None = None,
    deadline: float | None = None,
    batch: int = 1,
    random: Random | None = None,
) -> Reduction:
    """A small graph that still fails. InputError if the graph does not fail to begin with.

    `seed` is the graph that it was made of by mutations, with the same blank nodes. Whatever is run is admissible by
    `mask`, and has the triples that `stays` names. `hints` are names that the failure shows, and where to look first;
    `keep` are names that must not be replaced. `on_better` is told each graph that is better than all before, beginning
    with the graph itself, so that an interruption at any time loses nothing; `on_step` is told after each run what is
    going on. `repeats`, `confidence`, `most_runs`, `deadline` and `batch` are explained with `Effort`. Without
    `simplify`, the result has only triples of the graph and the seed. `random` is for `halving` alone, which divides
    the triples at random with it, and else in the middle.
    """
    if algorithm not in ALGORITHMS:
        raise InputError(f"there is no algorithm {algorithm}", hint=f"choose one of {', '.join(ALGORITHMS)}")
    problem = Problem(
        graph,
        still_fails,
        mask=mask,
        stays=stays,
        on_better=on_better,
        on_step=on_step,
        effort=Effort(repeats=repeats, confidence=confidence, most_runs=most_runs, deadline=deadline, batch=batch),
    )
    reducer = _Reducer(problem, hints=hints, keep=keep, simplify=simplify)
    is_complete = False
    try:
        problem.confirm()
        while True:
            if algorithm == "halving":
                reducer.halve(random)
            else:
                reducer.reduce(seed)
            if problem.holds():
                break
            problem.start_over()
        reducer.look_at_changes()
        is_complete = True
    except OutOfRunsError:
        pass
    result = problem.best
    return Reduction(
        graph=result,
        changes=reducer.changes,
        system_runs=problem.runs,
        triples_before=len(graph),
        triples_after=len(result),
        axioms_after=sum(1 for _ in AxiomView(result)),
        rate_before=problem.rate,
        rate=problem.best_rate,
        confidence=confidence,
        is_minimal=is_complete and algorithm != "halving",
        is_complete=is_complete,
    )


class _Reducer:
    """The passes over one problem."""

    def __init__(self, problem: Problem, *, hints: Collection[Term], keep: Collection[Term], simplify: bool) -> None:
        self._problem = problem
        self._hints = frozenset(hints)
        self._keep = keep
        self._simplify = simplify
        self._has_seed = False
        self.changes: Delta | None = None

    def halve(self, random: Random | None) -> None:
        """Algorithm 1: what it has run it runs again, and it does not learn from that."""
        problem = self._problem
        problem.phase = "halves"
        spelling = problem.best.spelling
        # Each of its steps keeps a set that was seen to fail, so the best that the problem has seen is its result.
        halve(list(problem.best), lambda some: problem.fails_afresh(exactly(some, spelling)), random=random)

    def reduce(self, seed: Graph | None) -> None:
        problem = self._problem
        graph = problem.best
        changed: tuple[Triple, ...] = ()
        if seed is not None:
            graph, delta = self._undo(seed, graph)
            problem.trail, self._has_seed = Trail(delta), True
            changed = delta.removed + delta.added
        hints = self._hints | names_in(changed)
        graph = fewer_axioms(problem, graph, hints=hints, changed=changed)
        keep = frozenset(self._keep) | names_in(problem.stays) | problem.mask.names_in(problem.best)
        while True:
            if self._simplify:
                graph = smaller_expressions(problem, graph)
                graph = simpler_names(problem, graph, keep=keep)
                graph = simpler_literals(problem, graph)
            smaller = one_minimal(problem, graph)
            if len(smaller) == len(graph):
                if len(problem.best) >= len(graph):
                    break
                # Of several graphs that fail at once, one is followed, and that need not be the smallest.
                smaller = problem.best
                problem.trail.restate(graph, smaller)
            graph = smaller
        problem.adopt(graph)

    def look_at_changes(self) -> None:
        """Find out which of the changes the result needs. Those that only made its way there shorter it does not."""
        if not self._has_seed:
            return
        self._problem.phase = "mutations"
        result, trail = self._problem.best, self._problem.trail
        # Nothing can be left out of the result; what was removed from the seed graph is put back to see what happens.
        added = [triple for triple in trail.delta.added if trail.is_in(result, triple)]
        removed = [
            triple
            for triple in trail.delta.removed
            if not self._problem.fails_anyway(with_more(result, trail.now(triple)))
        ]
        self.changes = Delta(removed, added)

    def _undo(self, seed: Graph, graph: Graph) -> tuple[Graph, Delta]:
        """The seed with those changes only that the failure needs, and these changes."""
        delta = fewer_changes(self._problem, seed, changes_between(seed, graph), hints=self._hints)
        undone = seed.copy()
        undone.apply(delta)
        return undone, delta
