"""An executor that is made when it is first needed, and that tells the tasks of its users apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import count

from kgprobe.campaign.executor import Executor
from kgprobe.campaign.task import Result, Task

__all__ = ["Later"]


class Later:
    """Stands for the executor that `make` makes.

    That executor sees each ticket once, however often its users begin to count at 0: the result of an old task cannot
    be taken for that of a new one.
    """

    def __init__(self, make: Callable[[], Executor]) -> None:
        self._make = make
        self._made: Executor | None = None
        self._tickets = count()
        self._asked: dict[int, int] = {}  # the tickets that users gave, by those that the executor sees

    @property
    def capacity(self) -> int:
        """How many tasks may be under way."""
        return self._executor().capacity

    def submit(self, task: Task) -> None:
        """Begin a task."""
        ticket = next(self._tickets)
        self._asked[ticket] = task.ticket
        self._executor().submit(dataclasses.replace(task, ticket=ticket))

    def wait(self) -> list[Result]:
        """Results that have come."""
        while True:
            results = self._executor().wait()
            wanted = [result for result in results if result.ticket in self._asked]
            if wanted:
                return [dataclasses.replace(each, ticket=self._asked.pop(each.ticket)) for each in wanted]

    def forget(self) -> None:
        """Drop the results of all tasks that are under way."""
        self._asked.clear()

    def close(self) -> None:
        """End it, if it was made."""
        if self._made is not None:
            self._made.close()
            self._made = None

    def _executor(self) -> Executor:
        if self._made is None:
            self._made = self._make()
        return self._made
