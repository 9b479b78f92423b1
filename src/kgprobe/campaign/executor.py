"""Executors run tasks: in processes on this machine, in threads, or on a cluster."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import count
from typing import Protocol

from kgprobe.campaign.task import Result, Task

__all__ = ["Executor", "LazyExecutor"]


class Executor(Protocol):
    """Takes tasks and gives results, in any order."""

    @property
    def capacity(self) -> int:
        """How many tasks may be under way at the same time without a worker waiting for its next task."""
        ...

    def submit(self, task: Task) -> None:
        """Start a task."""
        ...

    def wait(self) -> list[Result]:
        """All results that have arrived; waits for the first. Raises an error that keeps all tasks from being run."""
        ...

    def close(self) -> None:
        """End everything, tasks under way included."""
        ...


class LazyExecutor:
    """Makes an executor when it is first needed, and keeps the tasks of its users apart.

    The executor sees each ticket once, even if several users count from 0: the result of an old task cannot be taken
    for that of a new one.
    """

    def __init__(self, make: Callable[[], Executor]) -> None:
        self._make = make
        self._made: Executor | None = None
        self._tickets = count()
        self._asked: dict[int, int] = {}  # the tickets of users, by those that the executor sees

    @property
    def capacity(self) -> int:
        """How many tasks may be under way."""
        return self._executor().capacity

    def submit(self, task: Task) -> None:
        """Start a task."""
        ticket = next(self._tickets)
        self._asked[ticket] = task.ticket
        self._executor().submit(dataclasses.replace(task, ticket=ticket))

    def wait(self) -> list[Result]:
        """All results that have arrived."""
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
