"""A small part of a plan that covers the change: each changed triple that a reason names is still in a reason.

This is a choice. Two tests can depend on the same changed triple, and only the one that is left out may fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from heapq import heapify, heapreplace

from kgprobe.selection.plan import PlannedTest, SelectionPlan
from kgprobe.wording import number_of

__all__ = ["covering", "minimal"]


def minimal(plan: SelectionPlan) -> SelectionPlan:
    """The plan with a part of its tests. Tests stay that are broken, or of which too little is known."""
    changes = {each.test.name: _changes(each) for each in plan.chosen}
    needed = {name: found for name, found in changes.items() if found is not None}
    kept = set(covering(needed, list(needed))) | (changes.keys() - needed.keys())
    left_out = tuple(each for each in plan.chosen if each.test.name not in kept)
    covered = len(set().union(*needed.values()))
    how = (
        f"minimal: {number_of(len(kept), 'test')} of {len(plan.chosen):,}, so that each of "
        f"{number_of(covered, 'change')} that a reason names is tested; this is a choice, and not safe"
    )
    chosen = tuple(each for each in plan.chosen if each.test.name in kept)
    return replace(plan, chosen=chosen, left_out=left_out, how=(*plan.how, how))


def _changes(planned: PlannedTest) -> frozenset[str] | None:
    """The changes in the reasons; None if there is a reason without one."""
    if not all(reason.change for reason in planned.because):
        return None
    return frozenset(reason.change for reason in planned.because)


def covering(sets: Mapping[str, AbstractSet[str]], order: Sequence[str]) -> list[str]:
    """Names of sets whose union is that of all sets: greedily the one with most that is new, then the first in order.

    None of them is superfluous.
    """
    missing = set().union(*sets.values())
    heap = [(-len(sets[name]), place) for place, name in enumerate(order) if sets[name]]
    heapify(heap)
    chosen: list[str] = []
    while missing:
        size, place = heap[0]
        news = len(sets[order[place]] & missing)
        if -size == news:  # the sizes of all others can only have become smaller
            chosen.append(order[place])
            missing -= sets[order[place]]
            news = 0
        heapreplace(heap, (-news, place))
    return _needed(sets, chosen)


def _needed(sets: Mapping[str, AbstractSet[str]], chosen: Sequence[str]) -> list[str]:
    """Without those that the others cover."""
    times: dict[str, int] = {}
    for name in chosen:
        for each in sets[name]:
            times[each] = times.get(each, 0) + 1
    kept = []
    for name in chosen:
        if all(times[each] > 1 for each in sets[name]):
            for each in sets[name]:
                times[each] -= 1
        else:
            kept.append(name)
    return kept
