"""The events that a campaign yields while it runs, for progress displays and reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kgprobe.campaign.store_reading import Reduced
from kgprobe.model import Outcome, Verdict

__all__ = [
    "Begun",
    "CaseAgain",
    "Change",
    "Ended",
    "Event",
    "Judged",
    "NewFinding",
    "Note",
    "Preparing",
    "Reducing",
    "ReductionDone",
    "ReductionsLeft",
]


@dataclass(frozen=True)
class Preparing:
    """The inputs are being prepared, which can take long: a line for the user."""

    text: str


@dataclass(frozen=True)
class Begun:
    """The campaign starts or resumes: the largest possible number of cases, and how many have run before."""

    total: int
    done: int
    findings: int


@dataclass(frozen=True)
class Note:
    """A note for the user about an input."""

    text: str


@dataclass(frozen=True)
class Judged:
    """A case has run. `attempts` and `kept` count all inputs so far: their ratio is the share of valid ones."""

    number: int
    name: str
    verdict: Verdict
    seconds: float
    attempts: int
    kept: int


@dataclass(frozen=True)
class NewFinding:
    """A failure with a signature that no case had before."""

    signature: str
    number: int
    is_known: bool


@dataclass(frozen=True)
class Reducing:
    """A failing case is being reduced: the current phase, and its size so far, in a unit such as "triple"."""

    signature: str
    number: int
    phase: str
    size: int
    runs: int
    unit: str = "triple"


@dataclass(frozen=True)
class ReductionDone:
    """The reduction of a failing case has ended, perhaps because the time was up; None and a reason if it failed."""

    signature: str
    number: int
    reduced: Reduced | None
    why: str = ""


@dataclass(frozen=True)
class ReductionsLeft:
    """The time was up before all failing cases were reduced: the number of findings with cases left to reduce."""

    findings: int


@dataclass(frozen=True)
class Ended:
    """The campaign has ended, and the reason."""

    why: str


class Change(Enum):
    """What has become of a case, or of one failure of a case."""

    FIXED = "fixed"
    STILL = "still failing"
    DIFFERENT = "failing differently"
    NEW = "new failure"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class CaseAgain:
    """A case of the store has run again: the signatures of its failures before and after, and its new outcome."""

    number: int
    name: str
    before: frozenset[str]
    after: frozenset[str]
    outcome: Outcome
    why: str = ""

    @property
    def change(self) -> Change | None:
        """What has become of the case; None if it did not fail before and does not fail now."""
        if self.after:
            if not self.before:
                return Change.NEW
            return Change.DIFFERENT if self.before.isdisjoint(self.after) else Change.STILL
        return self._without_failure if self.before else None

    def change_of(self, signature: str) -> Change:
        """What has become of one of the failures that the case had before."""
        if signature in self.after:
            return Change.STILL
        return Change.DIFFERENT if self.after else self._without_failure

    @property
    def _without_failure(self) -> Change:
        """Software may also come to reject a graph. But that nothing is known does not mean that it is fixed."""
        return Change.UNDECIDED if self.outcome is Outcome.UNDECIDED else Change.FIXED


Event = Preparing | Begun | Note | Judged | NewFinding | Reducing | ReductionDone | ReductionsLeft | Ended | CaseAgain
