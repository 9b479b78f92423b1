"""What every oracle can do: say what is to be said about a case, given what was seen of each system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kgprobe.model import Case, Observation, Verdict

__all__ = ["Oracle"]


class Oracle(Protocol):
    """Judges what was observed. It runs nothing, keeps nothing, and says the same to the same every time."""

    @property
    def name(self) -> str: ...

    def judge(self, case: Case, observed: Sequence[Observation]) -> Verdict:
        """The verdict on a case; there is one observation for each system."""
        ...
