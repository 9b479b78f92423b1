"""Judges mutants in several processes. A process that dies is replaced, and its mutant is judged again."""

from __future__ import annotations

import contextlib
import pickle
import select
import sys
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from kgprobe.errors import KgprobeError, UnavailableError
from kgprobe.processes.child import DESCRIPTOR, Child, Output
from kgprobe.processes.limits import ending
from kgprobe.suite_score.judging import Setting
from kgprobe.suite_score.model import Change, Fate, Judged

__all__ = ["Task", "Workers"]

_MOST_DEATHS = 2
_MOST_EARLY_DEATHS = 3  # in a row, before a worker has judged a mutant
_SECONDS_TO_END = 5.0
_SECONDS_BETWEEN_LOOKS = 1.0
Task = tuple[Change, Sequence[int]]
"""A mutant, and the order of its tests."""


@dataclass
class _Worker:
    child: Child
    is_ready: bool = False
    task: Task | None = None


class Workers:
    """A number of processes, started when first needed. Used in a `with`."""

    def __init__(self, setting: Setting, names: Sequence[str], count: int) -> None:
        """`names` are the tests that pass on the original."""
        self._job = pickle.dumps((setting, list(names)))
        self._count = count
        self._workers: list[_Worker] = []
        self._deaths: Counter[int] = Counter()
        self._early_deaths = 0

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.child.end()
        self._workers = []

    @property
    def pids(self) -> list[int]:
        """The processes."""
        return [worker.child.pid for worker in self._workers]

    def judged(self, tasks: Sequence[Task]) -> Iterator[tuple[Change, Judged]]:
        """What became of each mutant, as soon as it is known."""
        waiting = deque(tasks)
        left = len(waiting)
        while len(self._workers) < min(self._count, len(waiting)):
            self._workers.append(self._started())
        while left:
            for worker in self._workers:
                if worker.is_ready and worker.task is None and waiting:
                    self._give(worker, waiting.popleft())
            sources = [source for worker in self._workers for source in (worker.child.channel, worker.child)]
            select.select(sources, [], [], _SECONDS_BETWEEN_LOOKS)
            for worker in list(self._workers):
                for found in self._news(worker, waiting):
                    left -= 1
                    yield found

    def _news(self, worker: _Worker, waiting: deque[Task]) -> Iterator[tuple[Change, Judged]]:
        try:
            while (frame := worker.child.channel.received()) is not None:
                value = pickle.loads(frame)  # noqa: S301 - from kgprobe's own worker, which runs no foreign code
                if isinstance(value, KgprobeError):
                    raise value
                if worker.task is not None:
                    task, worker.task = worker.task, None
                    yield task[0], value
                worker.is_ready = True
        except (EOFError, OSError):
            yield from self._replaced(worker, waiting)

    def _replaced(self, worker: _Worker, waiting: deque[Task]) -> Iterator[tuple[Change, Judged]]:
        """Start another worker for one that has ended: because of its mutant, or killed from outside."""
        code = worker.child.wait(_SECONDS_TO_END)
        worker.child.end()
        trouble = "ended" if code is None else f"ended ({ending(code)})"
        self._early_deaths = 0 if worker.is_ready else self._early_deaths + 1
        if self._early_deaths > _MOST_EARLY_DEATHS:
            raise UnavailableError(f"a worker process {trouble} before its first mutant")
        self._workers.remove(worker)
        self._workers.append(self._started())
        if worker.task is not None:
            change, _ = worker.task
            self._deaths[change.number] += 1
            if self._deaths[change.number] < _MOST_DEATHS:
                waiting.appendleft(worker.task)
            else:
                yield change, Judged(Fate.UNDECIDED, f"the worker process {trouble} {_MOST_DEATHS} times")

    def _give(self, worker: _Worker, task: Task) -> None:
        worker.task = task
        change, order = task
        self._send(worker, pickle.dumps((change.delta, tuple(order))))

    def _started(self) -> _Worker:
        arguments = [sys.executable, "-m", "kgprobe.suite_score.worker", DESCRIPTOR]
        try:
            worker = _Worker(Child(arguments, folder=Path.cwd(), output=Output.INHERITED, grace=_SECONDS_TO_END))
        except OSError as error:
            raise UnavailableError(f"no worker process can be started: {error.strerror or error}") from None
        self._send(worker, self._job)
        return worker

    @staticmethod
    def _send(worker: _Worker, frame: bytes) -> None:
        with contextlib.suppress(OSError):  # it has ended; waiting for its results shows that
            worker.child.channel.send_while(lambda: not worker.child.has_ended, frame)
