"""Workers on this machine: processes, or threads for systems that mostly wait for an answer.

A process that dies or stops is replaced, and its tasks run again. A thread costs little, so there can be far more of
them than processors. They run only systems that run elsewhere: otherwise, there would be as many processes as threads.
A function that takes batches has one process for all threads.
"""

from __future__ import annotations

import dataclasses
import os
import pickle
import queue
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgprobe.campaign.executor import Job, Result, Running, Task
from kgprobe.campaign.trial import Trial, answers_of
from kgprobe.config.system_table import SystemTable
from kgprobe.errors import InputError, KgprobeError
from kgprobe.model import Failure, Outcome, Status, Verdict
from kgprobe.processes.child import Output, Setup
from kgprobe.processes.worker import SECONDS_TO_END, Member, Pool, Worker

__all__ = ["DEFAULT_WORKERS", "LocalWorkers", "WaitingWorkers", "local_workers", "usual_count", "usual_workers"]

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


# -- threads -----------------------------------------------------------------------------------------------------------

DEFAULT_WORKERS = 16
_MOST_WORKERS = 1024
_TASKS_AHEAD = 4  # a thread that has finished does not wait until the next case is generated
_SECONDS_BETWEEN_LOOKS = 1.0
# A system respects its time limit, except in calls that cannot be interrupted, such as the lookup of a host name.
_SECONDS_OVER_THE_LIMIT = 30.0
_SECONDS_TO_END = 1.0
_HINT = "use --executor local"


def usual_workers(job: Job, count: int | None = None) -> LocalWorkers | WaitingWorkers:
    """Threads if all systems are asked questions and only wait for a server, otherwise processes."""
    systems = job.harness.systems
    if job.harness.input == "dialogue" and all(system.waits or system.takes_batches for system in systems):
        return WaitingWorkers(job, count or usual_count(systems))
    return local_workers(job, count)


def local_workers(job: Job, count: int | None = None) -> LocalWorkers:
    """Processes: as many as there are processors, but no more than a chat system takes requests at the same time."""
    bounds = [system.in_flight for system in job.harness.systems if system.in_flight is not None]
    return LocalWorkers(job, min([count or os.cpu_count() or 1, *bounds]))


def usual_count(systems: Sequence[SystemTable]) -> int:
    """How many threads keep the systems busy: a chat system says how many requests it takes at the same time."""
    in_flight = sum(system.in_flight or 0 for system in systems)
    others = DEFAULT_WORKERS if any(system.in_flight is None for system in systems) else 1
    return min(_MOST_WORKERS, max(in_flight, others))


@dataclass
class _Worker:
    """A thread, its current task, and the system that it waits for."""

    task: Task | None = None
    system: str = ""
    since: float = 0.0
    is_given_up: bool = False

    def waits_for(self, system: str) -> None:
        self.since = time.monotonic()
        self.system = system


class WaitingWorkers:
    """A number of worker threads, each with its own trial. A thread starts when it gets a task."""

    def __init__(self, job: Job, count: int) -> None:
        """InputError if a system does not run elsewhere."""
        systems = job.harness.systems
        _check(systems)
        self._job = job
        self._count = count
        # Cases that need the same stored answer wait for each other, and so do all cases for one SPARQL endpoint.
        # A chat system waits for its turn, and for a server that is busy: it knows by itself when to stop.
        self._limits = {
            system.name: system.seconds * (2 * count if system.is_shared else 2) + _SECONDS_OVER_THE_LIMIT
            for system in systems
            if system.in_flight is None
        }
        self._answers = answers_of(job.harness)
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Result | BaseException] = queue.SimpleQueue()
        self._turn = threading.Lock()
        self._workers: list[tuple[_Worker, threading.Thread]] = []
        self._under_way = 0
        self._looked = time.monotonic()

    @property
    def capacity(self) -> int:
        """The largest number of tasks in progress."""
        return self._count + _TASKS_AHEAD

    def submit(self, task: Task) -> None:
        """Give a task to the next free thread."""
        self._under_way += 1
        if len(self._workers) < min(self._count, self._under_way):
            self._start()
        self._tasks.put(task)

    def wait(self) -> list[Result]:
        """The results that have arrived; waits for the first."""
        found: list[Result] = []
        while not found or not self._done.empty():
            try:
                result = self._done.get(timeout=_SECONDS_BETWEEN_LOOKS)
            except queue.Empty:
                result = None
            if isinstance(result, BaseException):
                raise result
            if result is not None:
                found.append(result)
            if time.monotonic() - self._looked >= _SECONDS_BETWEEN_LOOKS:
                found += self._given_up()
        self._under_way -= len(found)
        return found

    def close(self) -> None:
        """End the threads that do not wait for a system. The others end when their request does."""
        with self._turn:
            for worker, _ in self._workers:
                worker.is_given_up = True
        for _ in self._workers:
            self._tasks.put(None)
        end = time.monotonic() + _SECONDS_TO_END
        for _, thread in self._workers:
            thread.join(max(0.0, end - time.monotonic()))
        if self._answers is not None:
            # A thread that still waits may use the file, so it is closed only if there is none.
            is_unused = not any(thread.is_alive() for _, thread in self._workers)
            (self._answers.close if is_unused else self._answers.flush)()
            self._answers = None
        self._workers = []

    def _start(self) -> None:
        worker = _Worker()
        thread = threading.Thread(target=self._serve, args=(worker,), name="kgprobe-waiting", daemon=True)
        self._workers.append((worker, thread))
        thread.start()

    def _serve(self, worker: _Worker) -> None:
        trial: Trial | None = None
        try:
            while not worker.is_given_up and (task := self._tasks.get()) is not None:
                worker.task = task
                try:
                    trial = trial or self._trial(worker)
                    result = trial.result(task)
                except KgprobeError as error:
                    result = Result(task.ticket, None, error=error)
                with self._turn:
                    worker.task, worker.system = None, ""
                    if not worker.is_given_up:
                        self._done.put(result)
        except BaseException as error:  # the thread that waits for results reports it
            self._done.put(error)
        finally:
            if trial is not None:
                trial.close()

    def _trial(self, worker: _Worker) -> Trial:
        with self._turn:  # loading the Python files of a profile briefly changes the state of the whole process
            trial = Trial(self._job, on_run=worker.waits_for, answers=self._answers)
        return trial.__enter__()

    def _given_up(self) -> list[Result]:
        """Results for tasks whose system exceeded its time limit long ago. New threads replace theirs."""
        self._looked = time.monotonic()
        with self._turn:
            late = [(worker, thread) for worker, thread in self._workers if self._is_late(worker)]
            for worker, _ in late:
                worker.is_given_up = True
        self._workers = [member for member in self._workers if member not in late]
        for _ in late:
            self._start()
        return [
            Result(worker.task.ticket, _late_verdict(worker.system)) for worker, _ in late if worker.task is not None
        ]

    def _is_late(self, worker: _Worker) -> bool:
        limit = self._limits.get(worker.system)
        return worker.task is not None and limit is not None and self._looked - worker.since > limit


def _late_verdict(system: str) -> Verdict:
    return Verdict(Outcome.UNDECIDED, f"{system} did not return long after its time limit, and was given up")


def _check(systems: Iterable[SystemTable]) -> None:
    for system in systems:
        if system.waits or system.takes_batches:
            continue
        message = f"'{system.name}' runs on this machine, and --executor waiting is for servers"
        if system.starts_server:
            message = (
                f"kgprobe starts the server of '{system.name}', and --executor waiting is for servers that run already"
            )
        raise InputError(message, hint=_HINT)
