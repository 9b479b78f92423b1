"""Workers that are processes on this machine. A worker that dies or stops is replaced, and its tasks run again."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pickle
import select
import signal
import sys
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from kgprobe.campaign.executor import Job, Result, Running, Task
from kgprobe.errors import UnavailableError
from kgprobe.model import Failure, Outcome, Status, Verdict
from kgprobe.processes.child import DESCRIPTOR, Child, Output
from kgprobe.processes.limits import ending

__all__ = ["LocalWorkers"]

# A worker gets its next task before it sends its result, so that short tasks do not wait for the parent.
_TASKS_EACH = 2
_MOST_DEATHS = 2
_MOST_EARLY_DEATHS = 3  # in a row, before a worker has started a task
_SECONDS_TO_END = 5.0
_SECONDS_BETWEEN_LOOKS = 1.0  # checks of the workers


@dataclass
class _Worker:
    child: Child
    tasks: deque[Task] = field(default_factory=deque)
    is_ready: bool = False
    running: str = ""  # the system that its first task is running, if it reports that
    is_silent: bool = False  # it has closed its end of the channel

    @property
    def trouble(self) -> str:
        """How the process ended, for messages; empty if it is running."""
        if self.child.is_stopped:
            return "stopped"
        code = self.child.exit_code
        if code is not None:
            return f"ended ({ending(code)})"
        return "ended" if self.is_silent else ""


class LocalWorkers:
    """A number of worker processes."""

    def __init__(self, job: Job, count: int) -> None:
        self._job = pickle.dumps(job)
        self._deaths: Counter[int] = Counter()
        self._lost: list[Result] = []
        self._early_deaths = 0
        self._looked = time.monotonic()
        with ThreadPoolExecutor(min(count, 8)) as pool:
            self._workers = list(pool.map(lambda _: self._started(), range(count)))

    @property
    def capacity(self) -> int:
        """The largest number of tasks in progress."""
        return _TASKS_EACH * len(self._workers)

    @property
    def pids(self) -> list[int]:
        """The processes."""
        return [worker.child.pid for worker in self._workers]

    def submit(self, task: Task) -> None:
        """Give a task to the worker with the fewest tasks."""
        self._give(min(self._workers, key=lambda worker: len(worker.tasks)), task)

    def wait(self) -> list[Result]:
        """The results that have arrived; waits for the first."""
        found, self._lost = self._lost, []
        while not found:
            sources = [source for worker in self._workers for source in (worker.child.channel, worker.child)]
            ready, _, _ = select.select(sources, [], [], _SECONDS_BETWEEN_LOOKS)
            is_time = time.monotonic() - self._looked >= _SECONDS_BETWEEN_LOOKS
            for worker in list(self._workers):
                if worker.child.channel in ready:
                    found += self._results(worker)
                if (worker.is_silent or worker.child in ready or is_time) and worker.trouble:
                    found += self._results(worker)  # its earlier results count
                    self._replace(worker)
            if is_time:
                self._looked = time.monotonic()
            found += self._lost
            self._lost = []
        return found

    def close(self) -> None:
        """End all workers. They end their systems."""
        for worker in self._workers:
            for number in (signal.SIGTERM, signal.SIGCONT):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker.child.pid, number)
        end = time.monotonic() + _SECONDS_TO_END
        for worker in self._workers:
            worker.child.wait(end - time.monotonic())
            worker.child.end()
        self._workers = []

    def _started(self) -> _Worker:
        try:
            child = Child(
                [sys.executable, "-m", "kgprobe.campaign.worker", DESCRIPTOR],
                folder=_current_folder(),
                output=Output.INHERITED,
                grace=_SECONDS_TO_END,
            )
        except OSError as error:
            raise UnavailableError(f"no worker process can be started: {error.strerror or error}") from None
        worker = _Worker(child)
        with contextlib.suppress(OSError):  # it has ended; waiting for its results shows that
            child.channel.send_while(lambda: not worker.trouble, self._job)
        return worker

    def _give(self, worker: _Worker, task: Task) -> None:
        worker.tasks.append(task)
        with contextlib.suppress(OSError):
            worker.child.channel.send_while(lambda: not worker.trouble, pickle.dumps(task))

    def _results(self, worker: _Worker) -> list[Result]:
        found: list[Result] = []
        try:
            while (frame := worker.child.channel.received()) is not None:
                value = pickle.loads(frame)  # noqa: S301 - from kgprobe's own worker, which runs no foreign code
                if isinstance(value, Running):
                    worker.running = value.system
                elif worker.is_ready:
                    found.append(value)
                    worker.tasks.popleft()
                    worker.running = ""
                elif value is not None:
                    raise value
                worker.is_ready = True
        except (EOFError, OSError):
            worker.is_silent = True
            worker.child.wait(_SECONDS_TO_END)  # it is about to end
        return found

    def _replace(self, worker: _Worker) -> None:
        """Replace a worker that has died: because of its current task, or because it was killed from outside."""
        trouble = worker.trouble
        worker.child.end()
        self._early_deaths = 0 if worker.is_ready else self._early_deaths + 1
        if self._early_deaths > _MOST_EARLY_DEATHS:
            raise UnavailableError(f"a worker {trouble} before its first task")
        self._workers.remove(worker)
        new = self._started()
        self._workers.append(new)
        for place, task in enumerate(worker.tasks):
            self._deaths[task.ticket] += place == 0 and worker.is_ready
            if self._deaths[task.ticket] < _MOST_DEATHS:
                self._give(new, dataclasses.replace(task, announce=task.announce or self._deaths[task.ticket] > 0))
            else:
                self._lost.append(Result(task.ticket, _verdict(trouble, worker.running)))


def _verdict(trouble: str, system: str) -> Verdict:
    """The verdict on a case that no worker survives. If a system was running, it is to blame."""
    words = f"the worker process {trouble} {_MOST_DEATHS} times on this case"
    if not system:
        return Verdict(Outcome.UNDECIDED, f"{words}, while no system was running")
    shape = f"its worker process {trouble}"
    return Verdict(Outcome.FAIL, failures=(Failure(system, str(Status.CRASHED), shape, (words,)),))


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError:  # it was removed
        return Path("/")
