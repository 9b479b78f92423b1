"""Chooses the smallest set of shapes that explains the failing cases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from kgprobe.masks.learning.candidates import simplest
from kgprobe.masks.learning.combinations import Option

_MOST_STEPS = 20_000
_MOST_LEFT_OUT = 10
_LEAST_NOISE = 1e-6
_LITTLE = 1e-9  # less is rounding


def choose(options: Sequence[Option], failing: int, passing: int, *, noise: float) -> list[Option]:
    """The shapes of the smallest mask.

    Without noise, no passing case may be excluded, as many failing cases as possible are, and then the description
    length is least. With noise, each case that the mask gets wrong costs as many bits as the noise makes it unlikely.
    """
    return _noisy(options, failing, passing, noise) if noise > 0 else _exact(options, failing, passing)


# -- without noise: weighted set cover ---------------------------------------------------------------------------------


def _exact(options: Sequence[Option], failing: int, passing: int) -> list[Option]:
    usable = _undominated([option for option in options if not option.violated & passing], failing)
    goal = 0
    for option in usable:
        goal |= option.violated & failing
    length = _Length(passing.bit_count())
    chosen = _without_redundant(_greedy(usable, goal, length), goal)
    return _Improving(usable, goal, length, chosen).found()


class _Length:
    """The description length of masks: their shapes, and which of the passing cases are exceptions."""

    def __init__(self, passing: int) -> None:
        self._naming = [math.log2(math.comb(passing, count)) for count in range(passing // 2 + 1)]

    def naming(self, excepted: int) -> float:
        """The bits that name these cases among the passing ones."""
        return self._naming[min(excepted.bit_count(), len(self._naming) - 1)]

    def of(self, chosen: Sequence[Option]) -> float:
        """The bits of a mask."""
        excepted = 0
        for option in chosen:
            excepted |= option.excepted
        return sum(option.bits for option in chosen) + self.naming(excepted)

    def added(self, option: Option, excepted: int) -> float:
        """The bits that a shape adds to a mask that has these exceptions."""
        return option.bits + self.naming(excepted | option.excepted) - self.naming(excepted)


def _undominated(options: Sequence[Option], failing: int) -> list[Option]:
    best: dict[tuple[int, int], Option] = {}
    for candidate in options:
        key = (candidate.violated & failing, candidate.excepted)
        if key[0] and (key not in best or candidate.bits < best[key].bits):
            best[key] = candidate
    ordered = sorted(best.items(), key=lambda item: (-item[0][0].bit_count(), item[1].bits, item[0]))
    kept: list[tuple[int, Option]] = []
    for (covered, excepted), option in ordered:
        if not any(
            covered & ~larger == 0 and known.bits <= option.bits and known.excepted & ~excepted == 0
            for larger, known in kept
        ):
            kept.append((covered, option))
    return [option for _, option in kept]


def _greedy(options: Sequence[Option], goal: int, length: _Length) -> list[Option]:
    chosen: list[Option] = []
    left, excepted = goal, 0
    while left:
        best = max(options, key=lambda option: (option.violated & left).bit_count() / length.added(option, excepted))
        chosen.append(best)
        left &= ~best.violated
        excepted |= best.excepted
    return chosen


def _without_redundant(chosen: Sequence[Option], goal: int) -> list[Option]:
    kept = sorted(chosen, key=lambda option: -option.bits)
    for option in list(kept):
        others = 0
        for other in kept:
            if other is not option:
                others |= other.violated
        if not goal & ~others:
            kept.remove(option)
    return kept


class _Improving:
    """Searches for a cover with fewer bits, in a limited number of steps."""

    def __init__(self, options: Sequence[Option], goal: int, length: _Length, chosen: list[Option]) -> None:
        self._goal = goal
        self._length = length
        self._best = chosen
        self._limit = length.of(chosen)
        self._steps = 0
        self._covering = {bit: [option for option in options if option.violated & bit] for bit in _single_bits(goal)}
        # For a case, the least bits that covering it can cost if each shape's bits are shared among its cases.
        self._share = {
            bit: min(option.bits / (option.violated & goal).bit_count() for option in options)
            for bit, options in self._covering.items()
        }

    def found(self) -> list[Option]:
        """The best cover that was found."""
        self._search(self._goal, (), 0.0, 0)
        return self._best

    def _search(self, left: int, taken: tuple[Option, ...], bits: float, excepted: int) -> None:
        self._steps += 1
        length = bits + self._length.naming(excepted)
        if length + sum(self._share[bit] for bit in _single_bits(left)) >= self._limit - _LITTLE:
            return
        if not left:
            self._best, self._limit = list(taken), length
            return

        def price(option: Option) -> float:
            return self._length.added(option, excepted) / (option.violated & left).bit_count()

        hardest = min(_single_bits(left), key=lambda bit: len(self._covering[bit]))
        for option in sorted(self._covering[hardest], key=price):
            if self._steps > _MOST_STEPS:
                return
            self._search(left & ~option.violated, (*taken, option), bits + option.bits, excepted | option.excepted)


def _single_bits(number: int) -> Iterator[int]:
    while number:
        bit = number & -number
        yield bit
        number ^= bit


# -- with noise: least description length ------------------------------------------------------------------------------


class _Weighing:
    """The cost of masks in bits: their description, and the cases that they get wrong."""

    def __init__(self, failing: int, passing: int, noise: float) -> None:
        self._failing, self._passing = failing, passing
        self._penalty = math.log2((1 - noise) / max(noise, _LEAST_NOISE))

    def saved(self, option: Option, excluded: int) -> float:
        """The bits that a shape saves, added to a mask that excludes these cases."""
        new = option.violated & ~excluded
        right, wrong = (new & self._failing).bit_count(), (new & self._passing).bit_count()
        return self._penalty * (right - wrong) - option.bits

    def cost(self, chosen: Sequence[Option]) -> float:
        """The bits of a mask."""
        excluded = _excluded(chosen)
        wrong = (self._failing & ~excluded).bit_count() + (self._passing & excluded).bit_count()
        return sum(option.bits for option in chosen) + self._penalty * wrong


def _excluded(chosen: Sequence[Option]) -> int:
    excluded = 0
    for option in chosen:
        excluded |= option.violated
    return excluded


def _noisy(options: Sequence[Option], failing: int, passing: int, noise: float) -> list[Option]:
    weighing = _Weighing(failing, passing, noise)
    usable = simplest(option for option in options if weighing.saved(option, 0) > 0)
    shapes = _searched([], usable, weighing)
    # The shape that saves most alone can hide several that are better together. So there are searches without each of
    # the chosen shapes, and one without all shapes that exclude passing cases.
    others = [[option for option in usable if option is not shape] for shape in shapes[:_MOST_LEFT_OUT]]
    others.append([option for option in usable if not option.violated & passing])
    starts = [_searched([], options, weighing) for options in others]
    return min((shapes, *(_searched(start, usable, weighing) for start in starts)), key=weighing.cost)


def _searched(chosen: list[Option], usable: Sequence[Option], weighing: _Weighing) -> list[Option]:
    while (better := _better(chosen, usable, weighing)) is not None:
        chosen = better
    return chosen


def _better(chosen: list[Option], usable: Sequence[Option], weighing: _Weighing) -> list[Option] | None:
    """A mask that costs less, by adding, leaving out or replacing one shape; None if there is none."""
    excluded = _excluded(chosen)
    if usable:
        best = max(usable, key=lambda option: weighing.saved(option, excluded))
        if weighing.saved(best, excluded) > _LITTLE:
            return [*chosen, best]
    least = weighing.cost(chosen) - _LITTLE
    for i in range(len(chosen)):
        without = chosen[:i] + chosen[i + 1 :]
        if weighing.cost(without) < least:
            return without
        left, base = _excluded(without), weighing.cost(without)
        for option in usable:
            if base - weighing.saved(option, left) < least:
                return [*without, option]
    return None
