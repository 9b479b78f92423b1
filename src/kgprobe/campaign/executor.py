"""Who runs tasks: processes on this machine, or a cluster."""

from __future__ import annotations

from typing import Protocol

from kgprobe.campaign.task import Result, Task

__all__ = ["Executor"]


class Executor(Protocol):
    """Takes tasks and gives results, in any order."""

    @property
    def capacity(self) -> int:
        """How many tasks may be under way at the same time, so that nobody waits for the next one."""
        ...

    def submit(self, task: Task) -> None:
        """Begin a task."""
        ...

    def wait(self) -> list[Result]:
        """Results that have come; waits for the first. Raises what keeps all tasks from being run."""
        ...

    def close(self) -> None:
        """End everything, tasks under way included."""
        ...
