"""The events that a campaign yields while it runs, for progress displays and reports."""

from __future__ import annotations

from dataclasses import dataclass

from kgprobe.campaign.store_reading import Reduced
from kgprobe.model import Verdict

__all__ = ["Begun", "Ended", "Event", "Found", "Judged", "Note", "Reducing", "ReductionDone", "ReductionsLeft"]


@dataclass(frozen=True)
class Begun:
    """The campaign starts or resumes: how many cases there will be at most, and how many have run before."""

    total: int
    done: int
    findings: int


@dataclass(frozen=True)
class Note:
    """Something that the user should know about an input."""

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
class Found:
    """A failure with a signature that no case had before."""

    signature: str
    number: int
    is_known: bool


@dataclass(frozen=True)
class Reducing:
    """A failing case is being reduced: the current phase, and the size of the graph so far."""

    signature: str
    number: int
    phase: str
    triples: int
    runs: int


@dataclass(frozen=True)
class ReductionDone:
    """A failing case was reduced, as far as time allowed; None and a reason if it could not be."""

    signature: str
    number: int
    reduced: Reduced | None
    why: str = ""


@dataclass(frozen=True)
class ReductionsLeft:
    """The time was up before all failing cases were reduced: how many findings have cases left to reduce."""

    findings: int


@dataclass(frozen=True)
class Ended:
    """The campaign is over, or stopped, and why."""

    why: str


Event = Begun | Note | Judged | Found | Reducing | ReductionDone | ReductionsLeft | Ended
