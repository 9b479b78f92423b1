"""What kgprobe needs to know of a system under test."""

from __future__ import annotations

from typing import Protocol

from kgprobe.model import Case, Observation

__all__ = ["System"]


class System(Protocol):
    """A system under test. Making one costs nothing; what it needs is started by `start`, or by the first `run`."""

    @property
    def name(self) -> str: ...

    def start(self) -> None:
        """Start what is needed and wait until it can be used; nothing if that is done already.

        InputError if what the user said about the system is wrong, UnavailableError if it cannot be reached.
        """
        ...

    def run(self, case: Case) -> Observation:
        """Run it on a case. Whatever the system does is in the observation; nothing that it does raises."""
        ...

    def close(self) -> None:
        """End what was started. Another run starts it anew."""
        ...
