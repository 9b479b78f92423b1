"""Subsumptions that hold in only one of two hierarchies, found by looking only around changed edges.

A pair of classes can differ only if the lower class is below an edge that only one version has, and the upper class is
above such an edge. The upper classes of each such lower class form one bit set, so comparing the versions takes one
operation per lower class.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from kgprobe.comparison.model import InferredChanges, Subsumptions
from kgprobe.graph.reachability import Condensed, Edges, reached
from kgprobe.graph.table import Interner
from kgprobe.graph.terms import NamedNode, Term

if TYPE_CHECKING:
    from kgprobe.entailment.class_hierarchy import ClassEdges

__all__ = ["inferred_changes"]

_Pairs: TypeAlias = NDArray[np.int64]
# The upper classes are processed in blocks of this size, which bounds the memory for the bit sets.
_MOST_BITS = 1 << 13


def inferred_changes(
    old: ClassEdges,
    new: ClassEdges,
    *,
    removed: Collection[tuple[Term, Term]] = (),
    added: Collection[tuple[Term, Term]] = (),
    most: int = 1000,
) -> InferredChanges:
    """The subsumptions between classes of both versions that only one version has.

    `removed` and `added` are those that were stated in only one version; they are not counted. At most `most` pairs
    of each kind are listed.
    """
    numbers = Interner()
    (old_pairs, old_classes), (new_pairs, new_classes) = (_numbered(numbers, each) for each in (old, new))
    stated = [np.array([numbers[term] for pair in each for term in pair]).reshape(-1, 2) for each in (removed, added)]
    shared = set(old_classes).intersection(new_classes)
    usable = shared - {numbers[term] for term in old.unsatisfiable | new.unsatisfiable}
    both = _Both([old_pairs, new_pairs], stated, usable, list(numbers))
    counts = both.counts()
    lost, gained = (Subsumptions(counts[side], tuple(islice(both.listed(side), most))) for side in (0, 1))
    return InferredChanges(
        gained=gained,
        lost=lost,
        unsatisfiable=_named(numbers[term] in shared and term for term in new.unsatisfiable - old.unsatisfiable),
        satisfiable=_named(numbers[term] in shared and term for term in old.unsatisfiable - new.unsatisfiable),
        how=(old.how, new.how),
    )


def _numbered(numbers: Interner, edges: ClassEdges) -> tuple[_Pairs, list[int]]:
    """The edges and the classes as numbers."""
    nodes = edges.nodes
    found = np.fromiter(map(numbers.__getitem__, nodes.terms), dtype=np.int64, count=len(nodes.terms))
    return found[nodes.rows], found[: nodes.count].tolist()


def _named(terms: Iterable[Term | bool]) -> tuple[NamedNode, ...]:
    return tuple(sorted((cast(NamedNode, term) for term in terms if term), key=lambda term: term.value))


class _Both:
    """The old hierarchy (side 0) and the new one (side 1)."""

    def __init__(self, pairs: list[_Pairs], stated: list[_Pairs], usable: set[int], terms: list[Term]) -> None:
        count = len(terms)
        self._terms = terms
        self._usable = usable
        self._up = [Edges.of_rows(each, count) for each in pairs]
        self._stated: list[dict[int, set[int]]] = [defaultdict(set), defaultdict(set)]
        for side in (0, 1):
            for below, above in stated[side].tolist():
                self._stated[side][below].add(above)
        only = _only_in_one(*pairs)
        lower: set[int] = set()
        upper: set[int] = set()
        for side in (0, 1):
            down = Edges.of_rows(pairs[side][:, ::-1], count)
            lower |= reached(only[side][:, 0].tolist(), down.__getitem__)
            upper |= reached(only[side][:, 1].tolist(), self._up[side].__getitem__)
        self._lower = sorted(lower & usable)
        self._upper = sorted(upper & usable)
        self._differing: tuple[set[int], set[int]] = (set(), set())

    def counts(self) -> tuple[int, int]:
        """The numbers of pairs that only the first and only the second side has."""
        counts = [0, 0]
        old, new = (Condensed(up, self._lower) for up in self._up)
        for start in range(0, len(self._upper), _MOST_BITS):
            bits = {number: 1 << place for place, number in enumerate(self._upper[start : start + _MOST_BITS])}
            old_masks, new_masks = old.gathered(bits), new.gathered(bits)
            for lower in self._lower:
                before, after = old_masks[old.component_of[lower]], new_masks[new.component_of[lower]]
                if before != after:
                    for side, mask in ((0, before & ~after), (1, after & ~before)):
                        mask &= ~bits.get(lower, 0)
                        for upper in self._stated[side].get(lower, ()):
                            mask &= ~bits.get(upper, 0)
                        if mask:
                            counts[side] += mask.bit_count()
                            self._differing[side].add(lower)
        return counts[0], counts[1]

    def listed(self, side: int) -> Iterator[tuple[NamedNode, NamedNode]]:
        """The pairs that only this side has and that do not follow from another such pair."""
        up = self._up[side]
        known: dict[int, set[int]] = {}
        for lower in sorted(self._differing[side], key=lambda number: str(self._terms[number])):
            found = self._found(lower, side, known)
            implied = {upper for above in up[lower] for upper in self._found(above, side, known)}
            for each in found:
                implied |= reached(up[each], up.__getitem__) - {each}
            for upper in sorted(found - implied, key=lambda number: str(self._terms[number])):
                yield cast(NamedNode, self._terms[lower]), cast(NamedNode, self._terms[upper])

    def _found(self, lower: int, side: int, known: dict[int, set[int]]) -> set[int]:
        if lower not in self._differing[side]:
            return set()
        if lower not in known:
            here, there = (reached(up[lower], up.__getitem__) for up in (self._up[side], self._up[1 - side]))
            known[lower] = ((here - there) & self._usable) - self._stated[side].get(lower, set()) - {lower}
        return known[lower]


def _only_in_one(old: _Pairs, new: _Pairs) -> tuple[_Pairs, _Pairs]:
    """The edges that only the first and only the second hierarchy has."""
    one, other = (pairs[:, 0] << 32 | pairs[:, 1] for pairs in (old, new))
    return old[~np.isin(one, other)], new[~np.isin(other, one)]
