"""The tests that a change can affect, and why each of them was selected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kgprobe.entailment.change import EntailedChange
from kgprobe.entailment.regime import Regime
from kgprobe.selection.impact import Hit, Impact
from kgprobe.selection.tests import Suite, Test

__all__ = ["Selected", "Selection", "select"]


@dataclass(frozen=True, slots=True)
class Selected:
    """A test to run, and how the change touches its uses; without hits if its uses are unknown."""

    test: Test
    regime: Regime
    hits: tuple[Hit, ...] = ()


@dataclass(frozen=True)
class Selection:
    """The tests to run, in the order of the suite. `impacts` has the changes under each regime."""

    selected: tuple[Selected, ...]
    total: int
    impacts: Mapping[Regime, Impact] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The part of the tests that was selected, from 0 to 1."""
        return len(self.selected) / self.total if self.total else 0.0


def select(suite: Suite, regime: Regime, change_under: Callable[[Regime], EntailedChange]) -> Selection:
    """Select the tests that some changed triple can touch. A test without a regime has the given one.

    If the graph did not change at all, nothing is selected, whatever a test uses.
    """
    impacts: dict[Regime, Impact] = {}
    selected = []
    for test in suite.tests:
        own = test.regime or regime
        if own not in impacts:
            impacts[own] = Impact(change_under(own))
        found = _selected(test, own, impacts[own])
        if found is not None:
            selected.append(found)
    return Selection(tuple(selected), len(suite.tests), impacts)


def _selected(test: Test, regime: Regime, impact: Impact) -> Selected | None:
    if not len(impact.triples):
        return None
    hits = tuple(hit for use in test.uses if (hit := impact.hit(use)) is not None)
    return Selected(test, regime, hits) if hits or test.unseen else None
