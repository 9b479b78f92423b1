"""Workers that are processes on this machine. A worker that dies or stops is replaced, and its tasks run again."""

from __future__ import annotations

import dataclasses
import pickle
from collections import Counter
from pathlib import Path

from kgprobe.campaign.executor import Job, Result, Running, Task
from kgprobe.model import Failure, Outcome, Status, Verdict
from kgprobe.processes.child import Output, Setup
from kgprobe.processes.pool import SECONDS_TO_END, Member, Pool
from kgprobe.processes.worker import Worker

__all__ = ["LocalWorkers"]

# A worker gets its next task before it sends its result, so that short tasks do not wait for the parent.
_TASKS_EACH = 2
_MOST_DEATHS = 2


class LocalWorkers:
    """A number of worker processes."""

    def __init__(self, job: Job, count: int) -> None:
        greeting = pickle.dumps(job)
        self._deaths: Counter[int] = Counter()
        self._system_at_work: dict[Member[Task], str] = {}  # by the first task of a worker, if that reports it
        self._pool: Pool[Task] = Pool(_worker, lambda _: greeting)
        self._pool.grow(count)

    @property
    def capacity(self) -> int:
        """The largest number of tasks in progress."""
        return _TASKS_EACH * len(self._pool.members)

    @property
    def pids(self) -> list[int]:
        """The processes."""
        return [member.worker.child.pid for member in self._pool.members]

    def submit(self, task: Task) -> None:
        """Give a task to the worker with the fewest tasks."""
        _give(min(self._pool.members, key=lambda member: len(member.work)), task)

    def wait(self) -> list[Result]:
        """The results that have arrived; waits for the first."""
        results: list[Result] = []
        while not results:
            for member, frame in self._pool.news():
                results += self._replaced(member) if frame is None else self._understood(member, frame)
        return results

    def close(self) -> None:
        """End all workers. They end their systems."""
        self._pool.close(seconds=SECONDS_TO_END)

    def _understood(self, member: Member[Task], frame: bytes) -> list[Result]:
        value = pickle.loads(frame)  # noqa: S301 - from kgprobe's own worker, which runs no foreign code
        if isinstance(value, Running):
            self._system_at_work[member] = value.system
        elif member.is_ready:
            member.work.popleft()
            self._system_at_work.pop(member, None)
            return [value]
        elif value is not None:
            raise value
        return []

    def _replaced(self, member: Member[Task]) -> list[Result]:
        """The results of tasks that are lost with a worker: it died of its current one, or was killed from outside."""
        trouble, system = member.trouble, self._system_at_work.pop(member, "")
        new = self._pool.replace(member, trouble)
        lost = []
        for place, task in enumerate(member.work):
            self._deaths[task.ticket] += place == 0 and member.is_ready
            if self._deaths[task.ticket] < _MOST_DEATHS:
                _give(new, dataclasses.replace(task, announce=task.announce or self._deaths[task.ticket] > 0))
            else:
                lost.append(Result(task.ticket, _verdict(trouble, system)))
        return lost


def _worker() -> Worker:
    setup = Setup(folder=_current_folder(), output=Output.INHERITED, grace=SECONDS_TO_END)
    return Worker("kgprobe.campaign.worker", what="worker process", setup=setup)


def _give(member: Member[Task], task: Task) -> None:
    member.work.append(task)
    member.send(pickle.dumps(task))


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
