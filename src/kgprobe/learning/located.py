"""Which steps of failing mutants cause their failures: the results, and how they are kept in a store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kgprobe.campaign.source import Json
from kgprobe.campaign.store_file import expect
from kgprobe.campaign.store_reading import StoreReader
from kgprobe.learning.case_runs import Answer, Tried

__all__ = ["Located", "LocatedCase", "LocatedStep", "located_in"]


@dataclass(frozen=True)
class LocatedStep:
    """A step of a failing mutant; `number` is its place, from 1, and `words` describe it.

    `suspicion` is Ochiai's coefficient, from 0 to 1. `confirmed`: without this step, the failure is gone
    (`is_needed`), or it comes with this step alone (`is_enough`).
    """

    number: int
    operator: str
    words: str
    suspicion: float
    is_needed: bool = False
    is_enough: bool = False

    @property
    def confirmed(self) -> bool:
        """Whether runs have confirmed that the step causes the failure."""
        return self.is_needed or self.is_enough


@dataclass(frozen=True)
class LocatedCase:
    """The steps of a failing case, those that most likely cause its failure first.

    `case` is its name, `number` its number in the store, and `failure` the signature of the failure. `runs` counts the
    runs that were made for it. `note` says why no step is confirmed, if that has a reason.
    """

    case: str
    number: int
    failure: str
    steps: tuple[LocatedStep, ...]
    runs: int
    note: str = ""

    @property
    def culprits(self) -> tuple[LocatedStep, ...]:
        """The steps that are confirmed."""
        return tuple(step for step in self.steps if step.confirmed)


@dataclass(frozen=True)
class Located:
    """The located cases of a store."""

    cases: tuple[LocatedCase, ...]


@dataclass(frozen=True)
class KeptLocation:
    """A located case with everything that is needed to continue: all runs, and how many were allowed."""

    located: LocatedCase
    most: int
    tried: tuple[Tried, ...]
    is_complete: bool

    def value(self) -> Json:
        """As JSON."""
        case = self.located
        return {
            "case": case.case,
            "runs": case.runs,
            "note": case.note,
            "steps": [vars(step) for step in case.steps],
            "most": self.most,
            "tried": [[sorted(run.steps), list(run.answers)] for run in self.tried],
            "is_complete": self.is_complete,
        }

    @classmethod
    def read(cls, value: Json, number: int, signature: str) -> KeptLocation:
        """The value that `value` wrote. TypeError and its like for anything else."""
        steps = tuple(map(_step, expect(list, value["steps"])))
        located = LocatedCase(
            expect(str, value["case"]), number, signature, steps, expect(int, value["runs"]), expect(str, value["note"])
        )
        tried = tuple(
            Tried(frozenset(expect(int, step) for step in numbers), tuple(map(Answer, answers)))
            for numbers, answers in expect(list, value["tried"])
        )
        return cls(located, expect(int, value["most"]), tried, bool(value["is_complete"]))


def _step(value: dict[str, Any]) -> LocatedStep:
    suspicion = float(value["suspicion"])
    if not 0 <= suspicion <= 1:
        raise ValueError(f"{suspicion} is not a share")
    return LocatedStep(
        expect(int, value["number"]),
        expect(str, value["operator"]),
        expect(str, value["words"]),
        suspicion,
        bool(value["is_needed"]),
        bool(value["is_enough"]),
    )


def kept_locations(store: StoreReader, signature: str) -> dict[int, KeptLocation]:
    """The cases of a finding that were located before, by their numbers."""
    values = store.locations(signature)
    with store.reading():
        return {number: KeptLocation.read(value, number, signature) for number, value in values.items()}


def located_in(store: StoreReader, signatures: Iterable[str]) -> Located:
    """The cases of these findings that were located before."""
    return Located(
        tuple(kept.located for signature in signatures for kept in kept_locations(store, signature).values())
    )
