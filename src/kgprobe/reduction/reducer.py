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
from typing import Literal as OneOf
from typing import TypeAlias

from kgprobe.errors import InputError
from kgprobe.masks.mask import Mask
from kgprobe.owl.axioms import AxiomView
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import Term, Triple
from kgprobe.reduction.graph_problem import GraphProblem, Pair, Trail, exactly, with_more
from kgprobe.reduction.problem import Better, Effort, Progress, Rate, Steps, StillFails, solved
from kgprobe.reduction.removals import changes_between, fewer_axioms, fewer_changes, fewer_removed, one_minimal
from kgprobe.reduction.search import halve, names_in
from kgprobe.reduction.simplifications import simpler_literals, simpler_names, smaller_expressions
from kgprobe.user_functions import called

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Event",
    "Finished",
    "Options",
    "Reduction",
    "reduce",
    "reduce_in_batches",
    "reducing",
]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a graph is reduced.

    `seed` is the graph that it was made of by mutations, with the same blank nodes. Only graphs are run that `mask`
    admits and that have the triples in `stays`. `hints` are names that the failure shows, and where to look first;
    `keep` are names that must not be replaced. Without `simplify`, the result has only triples of the graph and the
    seed. `random` is for `halving` alone, which divides the triples at random with it, and otherwise in the middle.
    """

    algorithm: Algorithm = "axioms"
    effort: Effort = Effort()  # noqa: RUF009 - it is frozen
    seed: Graph | None = None
    mask: Mask | None = None
    stays: Iterable[Triple] = ()
    hints: Collection[Term] = ()
    keep: Collection[Term] = ()
    simplify: bool = True
    random: Random | None = None

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise InputError(f"there is no algorithm {self.algorithm}", hint=f"choose one of {', '.join(ALGORITHMS)}")


_DEFAULT = Options()


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
    `most_runs` calls or after `seconds`, with the best graph so far. `Options` explains the other options.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    effort = Effort(repeats=repeats, most_runs=most_runs, deadline=deadline)
    options = Options(effort=effort, seed=seed, mask=mask, hints=hints, keep=keep, simplify=simplify)
    return reduce_in_batches(graph, lambda graphs: [called(fails, part) for part in graphs], options)


def reduce_in_batches(graph: Graph, still_fails: StillFails[Graph], options: Options = _DEFAULT) -> Reduction:
    """A small graph that still fails."""
    for event in reducing(graph, still_fails, options):
        if isinstance(event, Finished):
            return event.reduction
    raise AssertionError("a reduction ends with its result")


def reducing(
    graph: Graph,
    still_fails: StillFails[Graph],
    options: Options = _DEFAULT,
    *,
    compares: Callable[[Sequence[Pair]], Sequence[bool]] | None = None,
) -> Iterator[Event]:
    """Reduce a graph, and yield events. InputError if the graph does not fail at the start.

    If the failure is a difference from the answer for the seed, `compares` takes the place of `still_fails`: it tells
    for pairs of graphs whether they still show this difference. First the changes between the two graphs are reduced,
    then what both have in common.

    Each graph that is better than all before it comes in an event `Better`, the graph itself first: a consumer that
    writes them to a file loses nothing if it is interrupted. The last event is `Finished`.
    """
    seed, halves = options.seed, options.algorithm == "halving"
    changes = None
    if compares is not None:
        if seed is None or halves:
            raise InputError("a difference from the answer for the seed graph needs the seed graph, and 'axioms'")
        changes, still_fails = changes_between(seed, graph), lambda graphs: compares(list(map(problem.pair, graphs)))
    problem = GraphProblem(
        graph, still_fails, mask=options.mask, stays=options.stays, effort=options.effort, changes=changes
    )
    triples_before = problem.size(graph)
    reducer = _Reducer(problem, options)
    is_complete = yield from solved(problem, reducer.halve if halves else reducer.reduce, reducer.look_at_changes)
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
            confidence=options.effort.confidence,
            is_minimal=is_complete and not halves,
            is_complete=is_complete,
            before=None if problem.changes is None else problem.before(result),
        )
    )


class _Reducer:
    """The passes over one problem."""

    def __init__(self, problem: GraphProblem, options: Options) -> None:
        self._problem = problem
        self._options = options
        self._hints = frozenset(options.hints)
        self._has_seed = False
        self.changes: Delta | None = None

    def halve(self) -> Steps[Graph, None]:
        """Algorithm 1, which may run the same graph more than once."""
        problem = self._problem
        problem.phase = "halves"
        spelling = problem.best.spelling
        # Each of its steps keeps a set that failed, so the best candidate of the problem is its result.
        yield from halve(
            list(problem.best),
            lambda some: problem.fails_afresh(exactly(some, spelling)),
            random=self._options.random,
        )

    def reduce(self) -> Steps[Graph, None]:
        """All passes, repeated until none of them changes anything."""
        problem = self._problem
        graph, seed = problem.best, self._options.seed
        changed: tuple[Triple, ...] = ()
        if seed is not None:
            graph, delta = yield from self._undo(seed, graph)
            problem.trail, self._has_seed = Trail(delta), True
            changed = delta.removed + delta.added
            if problem.changes is not None:
                yield from problem.compare(graph, delta)
        hints = self._hints | names_in(changed)
        graph = yield from fewer_axioms(problem, graph, hints=hints, changed=changed)
        keep = frozenset(self._options.keep) | names_in(problem.stays) | problem.mask.names_in(problem.best)
        if problem.changes is not None:
            keep |= names_in(changed)  # the names of a change are in both graphs
        while True:
            if self._options.simplify:
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
