"""The interface of a system under test."""

from __future__ import annotations

from typing import Protocol

from kgprobe.model import Case, Observation

__all__ = ["System"]


class System(Protocol):
    """A system under test. Creating one is cheap: `start`, or the first `run`, starts what it needs."""

    @property
    def name(self) -> str: ...

    def start(self) -> None:
        """Start what is needed and wait until it can be used; does nothing if it has been started.

        InputError if the user's description of the system is wrong, UnavailableError if it cannot be reached.
        """
        ...

    def run(self, case: Case) -> Observation:
        """Run it on a case. Every behaviour of the system becomes an observation: no error is raised."""
        ...

    def close(self) -> None:
        """End what was started. The next run starts it again."""
        ...
