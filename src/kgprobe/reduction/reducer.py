"""Reduces a failing graph with the passes of this package, in the order in which they save the most runs.

The changes that a mutant was made with are undone first. Then axioms are removed; then expressions, names and literals
are simplified; and at the end each axiom and each triple is tried by itself, until nothing changes.

`reduce` takes any predicate, `reduce_in_batches` a test that runs several graphs at the same time, and `reducing` is
the same as a generator of events.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias
from typing import Literal as OneOf

from kgprobe.errors import InputError
from kgprobe.masks.mask import Mask
from kgprobe.owl.axioms import AxiomView
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import Term, Triple
from kgprobe.reduction.graph_problem import GraphProblem, Pair, Trail, exactly, with_more
from kgprobe.reduction.problem import REPEATS, Better, Effort, Progress, Rate, Steps, StillFails, solved
from kgprobe.reduction.removals import changes_between, fewer_axioms, fewer_changes, fewer_removed, one_minimal
from kgprobe.reduction.search import halve, names_in
from kgprobe.reduction.simplifications import simpler_literals, simpler_names, smaller_expressions
from kgprobe.user_functions import called

__all__ = ["ALGORITHMS", "Algorithm", "Event", "Finished", "Reduction", "reduce", "reduce_in_batches", "reducing"]

Algorithm = OneOf["axioms", "halving"]
ALGORITHMS: tuple[Algorithm, ...] = ("axioms", "halving")


@dataclass(frozen=True)
class Reduction:
    """The result, and its cost.

    `changes` are those changes of the seed graph that the result needs: triples that it still has, and triples with
    which it would not fail; None if that is not known. If the failure is a difference from the answer for the seed
    graph, `before` is the part of that which the result is compared with, and the numbers of triples count those of
    both graphs. `rate_before` is how often the graph failed as it was given, and `rate` how often the result did.
    `is_minimal` says that no single axiom and no single loose triple can be removed without losing the failure, or
    leaving the mask; `halving` does not find out, and a reduction that ran out of runs or time has not. `is_complete`
    says that it did not.
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
    before: Graph | None = None


@dataclass(frozen=True)
class Finished:
    """The last event: the reduction has ended."""

    reduction: Reduction


Event: TypeAlias = Progress | Better[Graph] | Finished


def reduce(
    graph: Graph,
    fails: Callable[[Graph], bool],
    *,
    seed: Graph | None = None,
    mask: Mask | None = None,
    hints: Collection[Term] = (),
    keep: Collection[Term] = (),
    simplify: bool = True,
    repeats: int = 1,
    most_runs: int | None = None,
    seconds: float | None = None,
) -> Reduction:
    """A small graph for which a predicate is still true. InputError if it is not true for the graph itself.

    Each graph is tried once, unless `repeats` says that the failure comes and goes. The reduction stops after
    `most_runs` calls or after `seconds`, with the best graph so far. `reducing` explains the other options.
    """
    return reduce_in_batches(
        graph,
        lambda graphs: [called(fails, each) for each in graphs],
        seed=seed,
        mask=mask,
        hints=hints,
        keep=keep,
        simplify=simplify,
        repeats=repeats,
        most_runs=most_runs,
        deadline=None if seconds is None else time.monotonic() + seconds,
    )


def reduce_in_batches(graph: Graph, still_fails: StillFails[Graph], **how: Any) -> Reduction:
    """A small graph that still fails; `how` is for `reducing`."""
    for event in reducing(graph, still_fails, **how):
        if isinstance(event, Finished):
            return event.reduction
    raise AssertionError("a reduction ends with its result")


def reducing(
    graph: Graph,
    still_fails: StillFails[Graph],
    *,
    algorithm: Algorithm = "axioms",
    seed: Graph | None = None,
    mask: Mask | None = None,
    stays: Iterable[Triple] = (),
    hints: Collection[Term] = (),
    keep: Collection[Term] = (),
    repeats: int = REPEATS,
    confidence: float = 0.99,
    simplify: bool = True,
    most_runs: int | None = None,
    deadline: float | None = None,
    batch: int = 1,
    random: Random | None = None,
    compares: Callable[[Sequence[Pair]], Sequence[bool]] | None = None,
) -> Iterator[Event]:
    """Reduce a graph, and yield events. InputError if the graph does not fail at the start.

    `seed` is the graph that it was made of by mutations, with the same blank nodes. Only graphs are run that `mask`
    admits and that have the triples in `stays`. `hints` are names that the failure shows, and where to look first;
    `keep` are names that must not be replaced. `repeats`, `confidence`, `most_runs`, `deadline` and `batch` are
    explained with `Effort`. Without `simplify`, the result has only triples of the graph and the seed. `random` is for
    `halving` alone, which divides the triples at random with it, and otherwise in the middle.

    If the failure is a difference from the answer for the seed, `compares` takes the place of `still_fails`: it tells
    for pairs of graphs whether they still show this difference. First the changes between the two graphs are reduced,
    then what both have in common.

    Each graph that is better than all before it comes in an event `Better`, the graph itself first: a consumer that
    writes them to a file loses nothing if it is interrupted. The last event is `Finished`.
    """
    if algorithm not in ALGORITHMS:
        raise InputError(f"there is no algorithm {algorithm}", hint=f"choose one of {', '.join(ALGORITHMS)}")
    effort = Effort(repeats=repeats, confidence=confidence, most_runs=most_runs, deadline=deadline, batch=batch)
    changes = None
    if compares is not None:
        if seed is None or algorithm == "halving":
            raise InputError("a difference from the answer for the seed graph needs the seed graph, and 'axioms'")
        changes, still_fails = changes_between(seed, graph), lambda graphs: compares(list(map(problem.pair, graphs)))
    problem = GraphProblem(graph, still_fails, mask=mask, stays=stays, effort=effort, changes=changes)
    triples_before = problem.size(graph)
    reducer = _Reducer(problem, hints=hints, keep=keep, simplify=simplify)
    is_complete = yield from solved(
        problem,
        lambda: reducer.halve(random) if algorithm == "halving" else reducer.reduce(seed),
        reducer.look_at_changes,
    )
    result = problem.best
    yield Finished(
        Reduction(
            graph=result,
            changes=reducer.changes,
            system_runs=problem.runs,
            triples_before=triples_before,
            triples_after=problem.size(result),
            axioms_after=sum(1 for _ in AxiomView(result)),
            rate_before=problem.rate,
            rate=problem.best_rate,
            confidence=confidence,
            is_minimal=is_complete and algorithm != "halving",
            is_complete=is_complete,
            before=None if problem.changes is None else problem.before(result),
        )
    )


class _Reducer:
    """The passes over one problem."""

    def __init__(
        self, problem: GraphProblem, *, hints: Collection[Term], keep: Collection[Term], simplify: bool
    ) -> None:
        self._problem = problem
        self._hints = frozenset(hints)
        self._keep = keep
        self._simplify = simplify
        self._has_seed = False
        self.changes: Delta | None = None

    def halve(self, random: Random | None) -> Steps[Graph, None]:
        """Algorithm 1, which may run the same graph more than once."""
        problem = self._problem
        problem.phase = "halves"
        spelling = problem.best.spelling
        # Each of its steps keeps a set that failed, so the best candidate of the problem is its result.
        yield from halve(list(problem.best), lambda some: problem.fails_afresh(exactly(some, spelling)), random=random)

    def reduce(self, seed: Graph | None) -> Steps[Graph, None]:
        """All passes, repeated until none of them changes anything."""
        problem = self._problem
        graph = problem.best
        changed: tuple[Triple, ...] = ()
        if seed is not None:
            graph, delta = yield from self._undo(seed, graph)
            problem.trail, self._has_seed = Trail(delta), True
            changed = delta.removed + delta.added
            if problem.changes is not None:
                yield from problem.compare(graph, delta)
        hints = self._hints | names_in(changed)
        graph = yield from fewer_axioms(problem, graph, hints=hints, changed=changed)
        keep = frozenset(self._keep) | names_in(problem.stays) | problem.mask.names_in(problem.best)
        if problem.changes is not None:
            keep |= names_in(changed)  # the names of a change are in both graphs
        while True:
            if self._simplify:
                graph = yield from smaller_expressions(problem, graph)
                graph = yield from simpler_names(problem, graph, keep=keep)
                graph = yield from simpler_literals(problem, graph)
            smaller = yield from one_minimal(problem, graph)
            if problem.changes is not None and (yield from fewer_removed(problem, smaller)):
                graph = smaller
                continue
            if len(smaller) == len(graph):
                if len(problem.best) >= len(graph):
                    break
                # If several graphs fail at once, the search continues with one, which need not be the smallest.
                smaller = problem.best
                problem.trail.restate(graph, smaller)
            graph = smaller
        yield from problem.adopt(graph)

    def look_at_changes(self) -> Steps[Graph, None]:
        """Find the changes that the result needs; others may only have helped to find it."""
        if not self._has_seed:
            return
        if self._problem.changes is not None:  # none of them can be left out
            changes = self._problem.changes
            self.changes = Delta(changes.removed, [each for each in changes.added if each in self._problem.best])
            return
        self._problem.phase = "mutations"
        result, trail = self._problem.best, self._problem.trail
        # Nothing can be left out of the result. Triples that were removed from the seed graph are put back one by one.
        added = [triple for triple in trail.delta.added if trail.is_in(result, triple)]
        removed = []
        for triple in trail.delta.removed:
            if not (yield from self._problem.fails_anyway(with_more(result, trail.now(triple)))):
                removed.append(triple)
        self.changes = Delta(removed, added)

    def _undo(self, seed: Graph, graph: Graph) -> Steps[Graph, tuple[Graph, Delta]]:
        """The seed graph with only the changes that the failure needs, and these changes."""
        delta = yield from fewer_changes(self._problem, seed, changes_between(seed, graph), hints=self._hints)
        undone = seed.copy()
        undone.apply(delta)
        return undone, delta
