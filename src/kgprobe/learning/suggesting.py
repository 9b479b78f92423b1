"""Which mutants are worth running next: those on which the shapes that could explain the failures disagree.

Several shapes usually explain the same failing cases: the robot must be at `:p1`, or at one place, or at a pipe segment
with one neighbour. A mutant that violates some of them and not others decides between them. The more evenly they are
divided, the more its verdict tells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kgprobe.graph.graph import Graph
from kgprobe.learning.new_mutants import NewMutant
from kgprobe.masks.learning.cases import JudgedGraph
from kgprobe.masks.learning.learning import LearnedMask, LearnedShape, mask_and_candidates

__all__ = ["Rivals", "Suggestion", "rivals_of", "suggested"]

_MOST_RIVALS = 12  # for one shape of the mask
_MOST_CANDIDATES = 400


@dataclass(frozen=True)
class Suggestion:
    """A mutant to run next. It violates `violates` and conforms to `conforms`, which compete to explain failures.

    `doubt` is how little is known about its verdict: 1 if it could as well pass as fail, 0 if all shapes agree.
    """

    mutant: NewMutant
    doubt: float
    violates: tuple[str, ...]
    conforms: tuple[str, ...]


@dataclass(frozen=True)
class Rivals:
    """The mask that explains the cases best, and for each of its shapes the others that explain most of the same."""

    mask: LearnedMask
    groups: tuple[tuple[LearnedShape, ...], ...]

    def doubt(self, graph: Graph) -> float:
        """The entropy of the verdict on a graph, in bits, if each rival is as likely to be right as the others."""
        passes = 1.0
        for group in self.groups:
            passes *= sum(shape.holds(graph) for shape in group) / len(group)
        return -sum(p * math.log2(p) for p in (passes, 1 - passes) if p > 0)

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


def rivals_of(cases: Sequence[JudgedGraph], *, noise: float = 0.0) -> Rivals:
    """The mask learned from these cases, and the rivals of its shapes. InputError if nothing can be learned."""
    mask, others = mask_and_candidates(cases, noise=noise, most=_MOST_CANDIDATES)
    return Rivals(mask, tuple(_group(shape, others) for shape in mask.shapes))


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


def suggested(rivals: Rivals, pool: Sequence[NewMutant], count: int) -> list[Suggestion]:
    """The mutants of a pool that tell most. Of those that decide the same, one comes first, and the others later."""
    doubts = ((rivals.doubt(mutant.graph), mutant) for mutant in pool)
    ranked = sorted(doubts, key=lambda each: (-each[0], len(each[1].change)))
    first: list[Suggestion] = []
    later: list[Suggestion] = []
    seen: set[tuple[str, ...]] = set()
    for doubt, mutant in ranked:
        violates, conforms = rivals.disputed(mutant.graph)
        if not violates:
            continue
        (later if violates in seen else first).append(Suggestion(mutant, round(doubt, 4), violates, conforms))
        seen.add(violates)
    return [*first, *later][:count]
