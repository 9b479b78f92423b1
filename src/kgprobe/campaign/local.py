"""Workers that are processes of this machine. One that dies is replaced, and its tasks are begun again."""

from __future__ import annotations

import contextlib
import pickle
import select
import signal
import socket
import subprocess
import sys
from collections import Counter, deque
from dataclasses import dataclass, field

from kgprobe.campaign.task import Job, Result, Task
from kgprobe.errors import UnavailableError
from kgprobe.model import Outcome, Verdict
from kgprobe.reasoners.channel import Channel

__all__ = ["LocalWorkers"]

# The next task is there before the last result has gone: a worker with short tasks does not wait for its parent.
_TASKS_EACH = 2
_MOST_DEATHS = 2
_MOST_EARLY_DEATHS = 3  # in a row, before a worker has begun anything
_SECONDS_TO_END = 5.0


@dataclass
class _Worker:
    process: subprocess.Popen[bytes]
    socket: socket.socket
    channel: Channel
    tasks: deque[Task] = field(default_factory=deque)
    is_ready: bool = False


class LocalWorkers:
    """Some worker processes."""

    def __init__(self, job: Job, count: int) -> None:
        self._job = pickle.dumps(job)
        self._deaths: Counter[int] = Counter()
        self._workers: list[_Worker] = []
        self._lost: list[Result] = []
        self._early_deaths = 0
        for _ in range(count):
            self._workers.append(self._started())

    @property
    def capacity(self) -> int:
        """How many tasks may be under way."""
        return _TASKS_EACH * len(self._workers)

    @property
    def pids(self) -> list[int]:
        """The processes."""
        return [worker.process.pid for worker in self._workers]

    def submit(self, task: Task) -> None:
        """Give a task to the worker that has least to do."""
        self._give(min(self._workers, key=lambda worker: len(worker.tasks)), task)

    def wait(self) -> list[Result]:
        """Results that have come; waits for the first."""
        found, self._lost = self._lost, []
        while not found:
            readable, _, _ = select.select([worker.socket for worker in self._workers], [], [])
            for worker in [worker for worker in self._workers if worker.socket in readable]:
                found += self._results(worker)
            found += self._lost
            self._lost = []
        return found

    def close(self) -> None:
        """End all workers. They end their systems."""
        for worker in self._workers:
            worker.process.send_signal(signal.SIGTERM)
        for worker in self._workers:
            try:
                worker.process.wait(_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            worker.channel.close()
        self._workers = []

    def _started(self) -> _Worker:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
                [sys.executable, "-m", "kgprobe.campaign.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the parent, which ends its workers in good order
            )
        worker = _Worker(process, ours, Channel(ours))
        with contextlib.suppress(OSError):  # it has ended; whoever waits for its results finds out
            worker.channel.send(self._job)
        return worker

    def _give(self, worker: _Worker, task: Task) -> None:
        worker.tasks.append(task)
        with contextlib.suppress(OSError):
            worker.channel.send(pickle.dumps(task))

    def _results(self, worker: _Worker) -> list[Result]:
        found: list[Result] = []
        try:
            while (frame := worker.channel.received()) is not None:
                value = pickle.loads(frame)  # noqa: S301 - from our own worker, which runs no foreign code
                if worker.is_ready:
                    found.append(value)
                    worker.tasks.popleft()
                elif value is not None:
                    raise value
                worker.is_ready = True
        except (EOFError, OSError):
            self._replace(worker)
        return found

    def _replace(self, worker: _Worker) -> None:
        """A worker has died: the task that it was at is to blame, or somebody who killed it."""
        worker.process.kill()
        worker.process.wait()
        worker.channel.close()
        self._early_deaths = 0 if worker.is_ready else self._early_deaths + 1
        if self._early_deaths > _MOST_EARLY_DEATHS:
            raise UnavailableError(f"a worker ended with code {worker.process.returncode} before its first task")
        self._workers.remove(worker)
        new = self._started()
        self._workers.append(new)
        for place, task in enumerate(worker.tasks):
            self._deaths[task.ticket] += place == 0 and worker.is_ready
            if self._deaths[task.ticket] < _MOST_DEATHS:
                self._give(new, task)
            else:
                why = f"the worker process died {_MOST_DEATHS} times on this case"
                self._lost.append(Result(task.ticket, Verdict(Outcome.UNDECIDED, why)))
