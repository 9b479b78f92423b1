"""Difference constraints: x - y <= c, or x - y < c. A system of them fails exactly if it has a negative cycle.

The sum of the constraints on a cycle says 0 <= (or <) the sum of their limits, so a cycle with a negative sum, or with
the sum zero and a strict constraint, is a proof by itself. Bellman-Ford finds one if any exists.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

__all__ = ["Constraint", "contradiction"]


@dataclass(frozen=True, slots=True)
class Constraint:
    """`left - right <= limit`, or `<` if it is strict. `origin` is for the caller."""

    left: Hashable
    right: Hashable
    limit: Fraction
    is_strict: bool = False
    origin: Hashable = None


class _Distance(NamedTuple):
    """A sum of limits, and minus the number of strict constraints in it: of equal sums, the stricter is smaller."""

    total: Fraction
    strict: int


def _tightened(constraint: Constraint, whole: Collection[Hashable]) -> Constraint:
    """The same constraint, as sharp as possible if both sides are whole numbers: `< 3` is `<= 2`, as is `<= 2.5`."""
    if constraint.left not in whole or constraint.right not in whole:
        return constraint
    limit = math.ceil(constraint.limit) - 1 if constraint.is_strict else math.floor(constraint.limit)
    return replace(constraint, limit=Fraction(limit), is_strict=False)


def contradiction(
    constraints: Iterable[Constraint], whole: Collection[Hashable] = frozenset()
) -> tuple[Constraint, ...] | None:
    """Constraints on a cycle that no numbers satisfy; None if some numbers satisfy all constraints.

    `whole` are the variables that are whole numbers. If some of the variables are and others are not, "None" only
    means that no contradiction was found.
    """
    edges = [_tightened(constraint, whole) for constraint in constraints]
    distance: dict[Hashable, _Distance] = {}
    for edge in edges:
        distance[edge.left] = distance[edge.right] = _Distance(Fraction(0), 0)
    reached: dict[Hashable, Constraint] = {}
    changed: Hashable = None
    for _ in range(len(distance) + 1):
        changed = _relax(edges, distance, reached)
        if changed is _SETTLED:
            return None
    return _cycle(changed, reached, len(distance))


_SETTLED = object()


def _relax(
    edges: Sequence[Constraint], distance: dict[Hashable, _Distance], reached: dict[Hashable, Constraint]
) -> Hashable:
    """Shortens distances along each constraint; returns the last variable that changed."""
    changed: Hashable = _SETTLED
    for edge in edges:
        start = distance[edge.right]
        found = _Distance(start.total + edge.limit, start.strict - edge.is_strict)
        if found < distance[edge.left]:
            distance[edge.left] = found
            reached[edge.left] = edge
            changed = edge.left
    return changed


def _cycle(start: Hashable, reached: dict[Hashable, Constraint], size: int) -> tuple[Constraint, ...]:
    for _ in range(size):  # from anywhere, so many steps back end on the cycle
        start = reached[start].right
    found = []
    here = start
    while True:
        edge = reached[here]
        found.append(edge)
        here = edge.right
        if here == start:
            return tuple(reversed(found))
