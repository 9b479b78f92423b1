"""An executor that is made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable

from kgprobe.campaign.executor import Executor
from kgprobe.campaign.task import Result, Task

__all__ = ["Later"]


class Later:
    """Stands for the executor that `make` makes."""

    def __init__(self, make: Callable[[], Executor]) -> None:
        self._make = make
        self._made: Executor | None = None

    @property
    def capacity(self) -> int:
        """How many tasks may be under way."""
        return self._executor().capacity

    def submit(self, task: Task) -> None:
        """Begin a task."""
        self._executor().submit(task)

    def wait(self) -> list[Result]:
        """Results that have come."""
        return self._executor().wait()

    def close(self) -> None:
        """End it, if it was made."""
        if self._made is not None:
            self._made.close()
            self._made = None

    def _executor(self) -> Executor:
        if self._made is None:
            self._made = self._make()
        return self._made
