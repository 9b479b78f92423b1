"""Which mutants are worth running next: those of which it is hard to say whether they pass.

There are two reasons for doubt. Several shapes usually explain the same failing cases: the robot must be at `:p1`, or
at one place, or at a pipe segment with one neighbour. A mutant that violates some of them and not others decides
between them. And a mutant can have changes that no passing case has: only a run tells whether they do harm.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.config.preparation import Preparation, Seed
from kgprobe.masks.learning.learning import LearnedMask, LearnedShape, mask_and_candidates
from kgprobe.masks.learning.observations import JudgedGraph, OnProgress, ends_of, nobody_watches
from kgprobe.mutation.generator import Generator
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import NamedNode, Term, Triple

__all__ = ["Suggestion", "rivals_of", "suggested"]


_OTHER_SEED = 1_000_003  # attempts of the campaign itself would be repeated with its random seed


@dataclass(frozen=True)
class NewMutant:
    """A mutant: the number of its seed graph, the graph, its change, and the operators that led to it."""

    source: int
    graph: Graph
    change: Delta
    operators: tuple[str, ...]


class NewMutants:
    """Draws mutants of all seed graphs in turn, each once. The same campaign gives the same mutants.

    `known` are the changes that have run before, with the numbers of their seed graphs.
    """

    def __init__(self, preparation: Preparation, known: Iterable[tuple[int, Delta]]) -> None:
        self._seeds = preparation.seeds
        self._mutation = preparation.mutation
        self._operators = preparation.operators
        self._known = set(known)
        self._generators: dict[tuple[int, int], Generator] = {}
        self._attempts = 0

    @property
    def most_mutations(self) -> int:
        """The number of mutations that the campaign makes."""
        return self._mutation.mutations

    def know(self, mutant: NewMutant) -> None:
        """Do not draw this mutant again."""
        self._known.add((mutant.source, mutant.change))

    def drawn(
        self,
        count: int,
        *,
        attempts: int,
        is_small: bool = False,
        admits: Callable[[Graph], bool] | None = None,
    ) -> list[NewMutant]:
        """New mutants that the mask of the campaign admits, and this function; fewer if the attempts do not suffice.

        With `is_small`, the number of mutations is from 1 to that of the campaign, in turn.
        """
        mutants: list[NewMutant] = []
        new: set[tuple[int, Delta]] = set()
        for mutant in self._attempted(attempts, is_small):
            key = mutant.source, mutant.change
            if key in self._known or key in new or not mutant.change:
                continue
            if (admits is None or admits(mutant.graph)) and self._seeds[mutant.source].mask.admits(mutant.graph):
                new.add(key)
                mutants.append(mutant)
                if len(mutants) == count:
                    break
        return mutants

    def _attempted(self, attempts: int, is_small: bool) -> Iterator[NewMutant]:
        for _ in range(attempts):
            number = self._attempts
            self._attempts += 1
            turn, source = divmod(number, len(self._seeds))
            mutations = 1 + turn % self.most_mutations if is_small else self.most_mutations
            graph, changes = self._generator(source, mutations).attempt(number)
            yield NewMutant(source, graph, graph.changes(), tuple(name for name, _ in changes))

    def _generator(self, source: int, mutations: int) -> Generator:
        if (source, mutations) not in self._generators:
            seed: Seed = self._seeds[source]
            self._generators[source, mutations] = Generator(
                seed.graph,
                self._operators,
                mutations=mutations,
                seed=self._mutation.seed + _OTHER_SEED,
                pins=seed.pins,
            )
        return self._generators[source, mutations]


_MOST_RIVALS = 12  # for one shape of the mask
_MOST_CANDIDATES = 400

_Kind: TypeAlias = tuple[bool, Term | None, NamedNode, Term | None]
"""A change, regardless of values and of names that mutations make up: whether it adds, and the parts of the triple."""


@dataclass(frozen=True)
class Suggestion:
    """A mutant to run next. It violates `violates` and conforms to `conforms`, which compete to explain failures.

    `untried` is the part of its change that no passing case has. `doubt` is how little is known about its verdict: 1 if
    it could as well pass as fail, 0 if it is certain.
    """

    mutant: NewMutant
    doubt: float
    violates: tuple[str, ...]
    conforms: tuple[str, ...]
    untried: Delta


@dataclass(frozen=True)
class Rivals:
    """The mask that explains the cases best, and for each of its shapes the others that explain most of the same.

    `harmless` are the changes that passing cases have. `risk` is how likely another change does harm. `seeds` are the
    graphs before all changes.
    """

    mask: LearnedMask
    groups: tuple[tuple[LearnedShape, ...], ...]
    harmless: frozenset[_Kind]
    risk: float
    seeds: tuple[Graph, ...]

    def passes(self, graph: Graph) -> float:
        """How likely a graph passes, if each rival is as likely to be right as the others, and nothing else matters."""
        share = 1.0
        for group in self.groups:
            share *= sum(shape.holds(graph) for shape in group) / len(group)
        return share

    def disputed(self, graph: Graph) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The shapes that a graph violates, and those that it conforms to, of all groups that are divided."""
        violated: dict[str, None] = {}
        met: dict[str, None] = {}
        for group in self.groups:
            holds = [shape.holds(graph) for shape in group]
            if any(holds) and not all(holds):
                violated |= {shape.words: None for shape, is_met in zip(group, holds, strict=True) if not is_met}
                met |= {shape.words: None for shape, is_met in zip(group, holds, strict=True) if is_met}
        return tuple(violated), tuple(met)


def rivals_of(cases: Sequence[JudgedGraph], *, noise: float = 0.0, on_progress: OnProgress = nobody_watches) -> Rivals:
    """The mask learned from these cases, and the rivals of its shapes. InputError if nothing can be learned."""
    mask, others = mask_and_candidates(cases, noise=noise, most=_MOST_CANDIDATES, on_progress=on_progress)
    groups = tuple(_group(shape, others) for shape in mask.shapes)
    seeds = tuple({id(case.seed): case.seed for case in cases}.values())
    kinds = [set(_kinds(case.change, seeds)) for case in cases]
    harmless = frozenset(
        kind for case, kinds_of_case in zip(cases, kinds, strict=True) if not case.failed for kind in kinds_of_case
    )
    return Rivals(mask, groups, harmless, _risk(cases, kinds), seeds)


def _risk(cases: Sequence[JudgedGraph], kinds: Sequence[Collection[_Kind]]) -> float:
    """The share of changes that do harm, if each does so by itself, and as many cases fail as here."""
    failing = sum(case.failed for case in cases) / len(cases)
    changes = sum(map(len, kinds)) / len(kinds)
    return float(1 - (1 - failing) ** (1 / max(1.0, changes)))


def _kinds(change: Delta, seeds: Sequence[Graph]) -> dict[_Kind, Triple]:
    """What the triples of a change have in common with those of other mutants."""

    def known(term: Term) -> Term | None:
        is_known = isinstance(term, NamedNode) and any(seed.mentions(term) for seed in seeds)
        return term if is_known else None

    kinds: dict[_Kind, Triple] = {}
    for is_added, triples in ((False, change.removed), (True, change.added)):
        for triple in triples:
            subject, object_ = ends_of(triple)
            kinds[is_added, known(subject), triple.predicate, known(object_)] = triple
    return kinds


def _group(shape: LearnedShape, others: Sequence[LearnedShape]) -> tuple[LearnedShape, ...]:
    """A shape of the mask, and others that explain about the same failing cases, those with most in common first."""
    mine = set(shape.explains)

    def share(other: LearnedShape) -> float:
        theirs = set(other.explains)
        return len(mine & theirs) / len(mine | theirs)

    close = sorted(
        (other for other in others if other.clause != shape.clause and share(other) > 1 / 2), key=share, reverse=True
    )
    return (shape, *close[:_MOST_RIVALS])


# -- choice ------------------------------------------------------------------------------------------------------------


def suggested(rivals: Rivals, pool: Sequence[NewMutant], count: int) -> list[Suggestion]:
    """The most informative mutants of a pool, each in view of those before it: nothing is asked twice if possible."""
    left = [_Prospect(mutant, rivals) for mutant in pool]
    asked: Counter[tuple[str, ...]] = Counter()
    tried: set[_Kind] = set()
    suggestions: list[Suggestion] = []
    while left and len(suggestions) < count:
        best = max(
            left,
            key=lambda suggestion: (
                suggestion.worth(asked[suggestion.violates], tried),
                -len(suggestion.mutant.change),
            ),
        )
        if not best.worth(0, tried):
            break
        left.remove(best)
        suggestions.append(best.suggestion())
        asked[best.violates] += 1
        tried |= best.untried.keys()
    return suggestions


class _Prospect:
    """A mutant that could be suggested."""

    def __init__(self, mutant: NewMutant, rivals: Rivals) -> None:
        self.mutant = mutant
        self.violates, self._conforms = rivals.disputed(mutant.graph)
        kinds = _kinds(mutant.change, rivals.seeds)
        self.untried = {kind: triple for kind, triple in kinds.items() if kind not in rivals.harmless}
        self._passes = rivals.passes(mutant.graph)
        self._risk = rivals.risk

    def worth(self, times_asked: int, tried: Collection[_Kind]) -> float:
        """What the verdict tells: which shapes are right, and whether a change does harm that no other mutant tries."""
        new = sum(kind not in tried for kind in self.untried)
        return _entropy(self._passes) / (1 + times_asked) + self._passes * _entropy(self._unharmed(new))

    def suggestion(self) -> Suggestion:
        doubt = _entropy(self._passes * self._unharmed(len(self.untried)))
        untried = Delta(
            [triple for (is_added, *_), triple in self.untried.items() if not is_added],
            [triple for (is_added, *_), triple in self.untried.items() if is_added],
        )
        return Suggestion(self.mutant, round(doubt, 4), self.violates, self._conforms, untried)

    def _unharmed(self, changes: int) -> float:
        return (1 - self._risk) ** changes


def _entropy(share: float) -> float:
    """The entropy of a verdict, in bits."""
    return -sum(p * math.log2(p) for p in (share, 1 - share) if p > 0)
