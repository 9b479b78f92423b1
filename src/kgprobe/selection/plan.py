"""What to run after a change, ready to be told: which tests, why, and what else the change asks for."""

from __future__ import annotations

from dataclasses import dataclass

from kgprobe.selection.gaps import Gap
from kgprobe.selection.repair import Broken, Repair
from kgprobe.selection.tests import Test
from kgprobe.selection.wording import Reason

__all__ = ["Plan", "PlannedTest"]


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """A test to run, and all reasons for it."""

    test: Test
    because: tuple[Reason, ...]


@dataclass(frozen=True)
class Plan:
    """Tests to run, the most likely to change first, out of all `tests`. `how` says what the choice rests on."""

    mode: str
    chosen: tuple[PlannedTest, ...]
    tests: tuple[Test, ...]
    removed: int  # how many triples the change removed, and how many it added
    added: int
    how: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    broken: tuple[Broken, ...] = ()
    repairs: tuple[Repair, ...] = ()

    @property
    def share(self) -> float:
        """The part of the tests that is to run, from 0 to 1."""
        return len(self.chosen) / len(self.tests) if self.tests else 0.0
