"""Chooses the smallest set of shapes that explains the failing cases."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kgprobe.masks.learning.combinations import Option

__all__ = ["choose"]

_MOST_STEPS = 20_000
_LEAST_NOISE = 1e-6


def choose(options: Sequence[Option], failing: int, passing: int, *, noise: float) -> list[Option]:
    """The shapes of the smallest mask.

    Without noise, no passing case may be excluded, as many failing cases as possible are, and then the description
    length is least. With noise, each case that the mask gets wrong costs as many bits as the noise makes it unlikely.
    """
    return _noisy(options, failing, passing, noise) if noise > 0 else _exact(options, failing, passing)


# -- without noise: weighted set cover ---------------------------------------------------------------------------------


def _exact(options: Sequence[Option], failing: int, passing: int) -> list[Option]:
    usable = _undominated([each for each in options if not each.violated & passing], failing)
    goal = 0
    for each in usable:
        goal |= each.violated & failing
    chosen = _without_redundant(_greedy(usable, goal), goal)
    return _improved(usable, goal, chosen)


def _undominated(options: Sequence[Option], failing: int) -> list[Option]:
    best: dict[int, Option] = {}
    for each in options:
        covered = each.violated & failing
        if covered and (covered not in best or each.bits < best[covered].bits):
            best[covered] = each
    ordered = sorted(best.items(), key=lambda item: (-item[0].bit_count(), item[1].bits, item[0]))
    kept: list[tuple[int, Option]] = []
    for covered, option in ordered:
        if not any(covered & ~larger == 0 and known.bits <= option.bits for larger, known in kept):
            kept.append((covered, option))
    return [option for _, option in kept]


def _greedy(options: Sequence[Option], goal: int) -> list[Option]:
    chosen: list[Option] = []
    left = goal
    while left:
        best = max(options, key=lambda each: (each.violated & left).bit_count() / each.bits)
        chosen.append(best)
        left &= ~best.violated
    return chosen


def _without_redundant(chosen: Sequence[Option], goal: int) -> list[Option]:
    kept = sorted(chosen, key=lambda each: -each.bits)
    for each in list(kept):
        others = 0
        for other in kept:
            if other is not each:
                others |= other.violated
        if not goal & ~others:
            kept.remove(each)
    return kept


def _improved(options: Sequence[Option], goal: int, chosen: list[Option]) -> list[Option]:
    """A cover with fewer bits, if one is found within a limited number of steps."""
    best = chosen
    limit = sum(each.bits for each in chosen)
    covering: dict[int, list[Option]] = {}
    left = goal
    while left:
        bit = left & -left
        left ^= bit
        covering[bit] = sorted((each for each in options if each.violated & bit), key=lambda each: each.bits)
    # For a case, the least bits that covering it can cost if each shape's bits are shared among its cases.
    share = {
        bit: min(each.bits / (each.violated & goal).bit_count() for each in found) for bit, found in covering.items()
    }
    steps = 0

    def search(left: int, taken: tuple[Option, ...], bits: float) -> None:
        nonlocal best, limit, steps
        steps += 1
        if not left:
            if bits < limit - 1e-9:
                best, limit = list(taken), bits
            return
        bound, rest, hardest, fewest = bits, left, 0, math.inf
        while rest:
            bit = rest & -rest
            rest ^= bit
            bound += share[bit]
            if len(covering[bit]) < fewest:
                hardest, fewest = bit, len(covering[bit])
        if bound >= limit - 1e-9:
            return
        for each in sorted(covering[hardest], key=lambda each: each.bits / (each.violated & left).bit_count()):
            if steps > _MOST_STEPS:
                return
            search(left & ~each.violated, (*taken, each), bits + each.bits)

    search(goal, (), 0.0)
    return best


# -- with noise: least description length ------------------------------------------------------------------------------


def _noisy(options: Sequence[Option], failing: int, passing: int, noise: float) -> list[Option]:
    penalty = math.log2((1 - noise) / max(noise, _LEAST_NOISE))

    def cost(chosen: Sequence[Option]) -> float:
        excluded = 0
        for each in chosen:
            excluded |= each.violated
        wrong = (failing & ~excluded).bit_count() + (passing & excluded).bit_count()
        return sum(each.bits for each in chosen) + penalty * wrong

    usable = _worthwhile(options, failing, passing, penalty)
    chosen: list[Option] = []
    least = cost(chosen)
    while True:
        changed = False
        excluded = 0
        for each in chosen:
            excluded |= each.violated
        best: Option | None = None
        gain = 1e-9
        for each in usable:
            new = each.violated & ~excluded
            saved = penalty * ((new & failing).bit_count() - (new & passing).bit_count()) - each.bits
            if saved > gain:
                best, gain = each, saved
        if best is not None:
            chosen.append(best)
            least -= gain
            changed = True
        for i in range(len(chosen) - 1, -1, -1):
            without = chosen[:i] + chosen[i + 1 :]
            if (now := cost(without)) < least - 1e-9:
                chosen, least, changed = without, now, True
                break
        if not changed and (swapped := _swap(chosen, usable, cost, least)) is not None:
            chosen, least = swapped
            changed = True
        if not changed:
            return chosen


def _swap(chosen, usable, cost, least):  # type: ignore[no-untyped-def]
    for i in range(len(chosen)):
        for each in usable:
            now = cost([*chosen[:i], each, *chosen[i + 1 :]])
            if now < least - 1e-9:
                return [*chosen[:i], each, *chosen[i + 1 :]], now
    return None


def _worthwhile(options: Sequence[Option], failing: int, passing: int, penalty: float) -> list[Option]:
    best: dict[int, Option] = {}
    for each in options:
        if penalty * ((each.violated & failing).bit_count() - (each.violated & passing).bit_count()) > each.bits:
            known = best.get(each.violated)
            if known is None or each.bits < known.bits:
                best[each.violated] = each
    return list(best.values())
