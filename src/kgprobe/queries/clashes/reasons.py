"""The reason for a clash: the fewest axioms and patterns that contradict each other."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kgprobe.owl.expression import Expression
from kgprobe.queries.clashes.cores import Core, Item, axioms_in
from kgprobe.queries.clashes.derivations import Support
from kgprobe.queries.clashes.engines import Engines, may_miss
from kgprobe.queries.clashes.statements import Unit, text_of
from kgprobe.reasoners.ontology import entities
from kgprobe.reasoners.sufficient_sets import OutOfTimeError, needed, smallest

__all__ = ["Reason", "Search", "in_order", "reason_of"]

_SECONDS_FOR_A_REASON = 5.0


class Reason(NamedTuple):
    axioms: tuple[Expression, ...]
    units: tuple[Unit, ...]
    is_minimal: bool


def reason_of(items: Iterable[Item], *, is_minimal: bool) -> Reason:
    given = list(items)
    axioms = tuple(each for each in given if type(each) is Expression)
    return Reason(axioms, tuple(each for each in given if isinstance(each, frozenset)), is_minimal)


def in_order(support: Support) -> list[Item]:
    """The patterns, the axioms about names in them, and the other axioms."""
    units = sorted(support.units, key=text_of)
    used = entities(axioms_in(units))
    axioms = sorted(support.axioms, key=lambda axiom: (used.isdisjoint(entities([axiom])), str(axiom)))
    return [*units, *axioms]


class Search:
    """The search for the reason of one clash, within its time."""

    def __init__(self, engines: Engines, core: Core, end: float) -> None:
        self._engines = engines
        self._core = core
        self._end = min(time.perf_counter() + _SECONDS_FOR_A_REASON, end)
        self._known: dict[frozenset[Item], bool] = {}
        self._checks = 0
        self.needs_care = False
        self.has_doubts = False
        self.enough: list[Item] = [*core.units, *core.axioms]

    def fewest(self, items: list[Item], others: list[Item], most_checks: int) -> list[Item]:
        """The fewest of the items that clash together with the others, as far as the number of checks allows."""

        def is_enough(part: list[Item]) -> bool:
            return self.is_enough(part + others)

        first = needed(items, is_enough)
        end = self._checks + most_checks
        best, _ = smallest(first, items, is_enough, lambda: self._checks < end)
        return best

    def near(self, units: list[Item], axioms: list[Item]) -> list[Item]:
        """Axioms that clash with the units: those that share names with them, and with each other, as far as needed."""
        used = {axiom: entities([axiom]) for axiom in axioms if type(axiom) is Expression}
        reached = entities(axioms_in(units))
        near: dict[Item, None] = {}
        while True:
            new = [axiom for axiom in used if axiom not in near and not used[axiom].isdisjoint(reached)]
            if not new:
                return axioms
            near |= dict.fromkeys(new)
            if self.is_enough([*units, *near]):
                return list(near)
            reached |= {name for axiom in new for name in used[axiom]}

    def is_enough(self, items: Sequence[Item]) -> bool:
        """Whether these items contradict each other."""
        key = frozenset(items)
        found = self._known.get(key)
        if found is None:
            left = self._end - time.perf_counter()
            if left <= 0:
                raise OutOfTimeError
            self._checks += 1
            found = self._known[key] = self._clashes(self._core.stated(items), left)
            if found and len(items) < len(self.enough):
                self.enough = list(items)
        return found

    def _clashes(self, axioms: tuple[Expression, ...], seconds: float) -> bool:
        if self._engines.find_clashes([axioms])[0]:
            return True
        if not self.needs_care or not may_miss(axioms):
            return False
        answer = self._engines.is_clash(axioms, seconds)
        self.has_doubts |= not answer.decided
        return answer.value is False
