"""Workers of a Dask cluster. If a worker dies, the cluster runs its tasks again on another one.

The scheduler and all workers need the same version of kgprobe. The files that a profile names, such as programs, Python
files and queries, must be at the same paths on all of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import pickle
import queue
import threading
import time
import uuid
import weakref
from collections.abc import Callable
from typing import Any

from kgprobe.campaign.executor import Job, Result, Task
from kgprobe.campaign.trial import Trial
from kgprobe.errors import InputError, KgprobeError, UnavailableError
from kgprobe.model import Outcome, Verdict
from kgprobe.version import __version__
from kgprobe.wording import number_of

__all__ = ["DaskWorkers"]

# A thread gets its next task before it sends its result, so that short tasks do not wait for the client.
_TASKS_EACH = 2
_SECONDS_TO_CONNECT = 10.0
_SECONDS_TO_ANSWER = 5.0
# A healthy scheduler that shares a busy machine with its workers can be silent for many seconds.
_SECONDS_OF_SILENCE = 60.0
_SECONDS_WITHOUT_WORKERS = 30.0
_SECONDS_BETWEEN_LOOKS = 1.0
_SECONDS_TO_END = 10.0
_SECONDS_IDLE = 300.0
_INSTALL = "install the same version of kgprobe where the scheduler and the workers run"
_RESUME = "run the same command again to resume this campaign"


class DaskWorkers:
    """The workers of a scheduler. Workers may join and leave; `on_loss` gets a line for the user when one has gone."""

    def __init__(self, job: Job, scheduler: str, on_loss: Callable[[str], object] = str) -> None:
        _check(job)
        self._dask = _dask()
        self._scheduler = scheduler
        self._client = self._connected()
        self._under_way: dict[str, tuple[int, Any]] = {}  # tickets and futures; Dask cancels unreferenced futures
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._threads = 0
        self._on_loss = on_loss
        self._workers: frozenset[str] = frozenset()
        self._looked = -_SECONDS_BETWEEN_LOOKS
        self._worker_seen = self._answered = time.monotonic()
        self._name = f"kgprobe-{uuid.uuid4().hex}"
        try:
            # Dask sends a plugin to each worker once, and to later workers before they get tasks. Data that tasks
            # depend on would not work: Dask prefers workers that have it, and removes it from idle ones.
            plugin = _plugin(self._dask, self._name, __version__, pickle.dumps(job))
            self._client.register_plugin(plugin, name=self._name)
        except BaseException as error:
            self.close()
            raise _explained(error) from None

    @property
    def capacity(self) -> int:
        """The largest number of tasks in progress. Not below the current number, even if workers have left."""
        self._look()
        return max(1, len(self._under_way), _TASKS_EACH * self._threads)

    def submit(self, task: Task) -> None:
        """Give a task to the cluster."""
        # As bytes: Dask would search any other value for its own objects.
        future = self._client.submit(_result, self._name, pickle.dumps(task), pure=False)
        self._under_way[future.key] = task.ticket, future
        future.add_done_callback(self._done.put)

    def wait(self) -> list[Result]:
        """The results that have arrived; waits for the first."""
        found: list[Result] = []
        while not found or not self._done.empty():
            try:
                future = self._done.get(timeout=_SECONDS_BETWEEN_LOOKS)
            except queue.Empty:
                self._look()
                continue
            result = self._result(future)
            if result is None:
                self._look()
                future.add_done_callback(self._done.put)
            else:
                del self._under_way[future.key]
                found.append(result)
        return found

    def close(self) -> None:
        """End all tasks and the systems on all workers. A task that is running ends its system when it is done."""
        if not self._under_way:  # all tasks have ended, perhaps because another worker took over
            self._looked = -_SECONDS_BETWEEN_LOOKS
            with contextlib.suppress(Exception):
                self._look()
        with contextlib.suppress(Exception):  # the workers may be gone already
            self._client.cancel([future for _, future in self._under_way.values()])
            self._client.unregister_worker_plugin(self._name)
        self._client.close(timeout=_SECONDS_TO_END)

    def _connected(self) -> Any:
        # Our errors already report connection problems.
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            return self._dask.Client(
                self._scheduler,
                timeout=_SECONDS_TO_CONNECT,
                name="kgprobe",
                set_as_default=False,
                direct_to_workers=False,  # it may be that only the scheduler can reach them
            )
        except (OSError, ValueError) as error:
            hint = "start one with 'dask scheduler', which prints its address"
            raise UnavailableError(f"no Dask scheduler at {self._scheduler}: {error}", hint=hint) from None

    def _look(self) -> None:
        """Count the threads of the cluster from time to time. UnavailableError if it has none for long."""
        now = time.monotonic()
        if now - self._looked < _SECONDS_BETWEEN_LOOKS:
            return
        try:
            threads = self._client.nthreads(callback_timeout=_SECONDS_TO_ANSWER)
        except TimeoutError:
            self._looked = time.monotonic()
            if self._looked - self._answered > _SECONDS_OF_SILENCE:
                raise self._gone() from None
            return  # the current number of threads is unknown
        except (OSError, self._dask.CancelledError):
            raise self._gone() from None
        self._threads = sum(threads.values())
        self._tell_losses(frozenset(threads))
        self._looked = self._answered = time.monotonic()
        if self._threads:
            self._worker_seen = self._looked
        elif self._looked - self._worker_seen > _SECONDS_WITHOUT_WORKERS:
            message = f"the Dask scheduler at {self._scheduler} has had no worker for {_SECONDS_WITHOUT_WORKERS:g} s"
            raise UnavailableError(message, hint=f"start some with 'dask worker {self._scheduler}'")

    def _tell_losses(self, workers: frozenset[str]) -> None:
        for address in sorted(self._workers - workers):
            left = number_of(len(workers), "worker")
            self._on_loss(f"the Dask worker at {address} has gone: its cases run again; {left} left")
        self._workers = workers

    def _result(self, future: Any) -> Result | None:
        """The result of a task; None if it was lost with its worker, and the task is run again."""
        try:
            if future.status == "error":
                return self._lost(self._under_way[future.key][0], future.exception(timeout=_SECONDS_TO_ANSWER))
            result = future.result(timeout=_SECONDS_BETWEEN_LOOKS)
            assert isinstance(result, Result)  # noqa: S101
            return result
        except (OSError, self._dask.CancelledError) as error:
            if isinstance(error, TimeoutError):
                return None
            raise self._gone() from None

    def _lost(self, ticket: int, error: Exception) -> Result:
        if isinstance(error, self._dask.KilledWorker):
            why = f"the worker process died {error.allowed_failures + 1} times on this case"
            return Result(ticket, Verdict(Outcome.UNDECIDED, why))
        raise _explained(error)

    def _gone(self) -> UnavailableError:
        return UnavailableError(f"the Dask scheduler at {self._scheduler} has gone, or ended our tasks", hint=_RESUME)


def _check(job: Job) -> None:
    """InputError for systems whose answers are stored: other machines do not share the file."""
    for table in (table for table in job.harness.systems if table.keeps_answers):
        message = f"the answers of '{table.name}' are kept in a file of this machine"
        raise InputError(message, hint="use --executor local or --executor waiting")


def _dask() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise UnavailableError("Dask is not installed", hint="pip install 'kgprobe[dask]'") from None


def _explained(error: BaseException) -> BaseException:
    """The error, or a clearer one if kgprobe is not installed on the workers or the scheduler."""
    # Dask reports errors of workers only as text.
    if any(words in str(error) for words in ("No module named 'kgprobe", "deserialization of the task graph")):
        return UnavailableError(f"the cluster cannot run our tasks: {error}", hint=_INSTALL)
    return error


# -- on the cluster ----------------------------------------------------------------------------------------------------

_jobs: dict[str, _Trials] = {}


def _plugin(dask: Any, name: str, version: str, packed: bytes) -> Any:
    """The state of each worker during a campaign."""

    # Defined here, because Dask is only needed with a cluster. Dask sends the class by value, so it just calls
    # functions of this module.
    class JobPlugin(dask.WorkerPlugin):  # type: ignore[misc]
        def setup(self, worker: Any) -> None:  # noqa: ARG002 - Dask gives it
            _begin(name, version, packed)

        async def teardown(self, worker: Any) -> None:  # noqa: ARG002
            await asyncio.to_thread(_end, name)  # Dask's own thread must stay responsive

    return JobPlugin()


def _begin(name: str, version: str, packed: bytes) -> None:
    if name not in _jobs:
        _jobs[name] = _Trials(version, packed)


def _end(name: str) -> None:
    trials = _jobs.pop(name, None)
    if trials is not None:
        trials.close()


def _result(name: str, packed: bytes) -> Result:
    task: Task = pickle.loads(packed)  # noqa: S301 - a client that sends tasks to a cluster can run anything there
    trials = _jobs.get(name)
    if trials is None:  # this worker is about to end
        raise _dask().Reschedule
    return trials.result(task)


class _Trials:
    """The trials of one job in one process of the cluster: one for each thread with a task."""

    def __init__(self, version: str, packed: bytes) -> None:
        self._version = version
        self._packed = packed
        self._job: Job | None = None
        self._lock = threading.Lock()
        self._idle: list[Trial] = []
        self._used = time.monotonic()
        self._is_over = threading.Event()
        self._all: list[Trial] = []
        weakref.finalize(self, _close_all, self._all)  # also when the process ends
        threading.Thread(target=self._watch, daemon=True).start()

    def result(self, task: Task) -> Result:
        """Run a task."""
        try:
            trial = self._taken()
        except KgprobeError as error:
            return Result(task.ticket, None, error=error)
        try:
            return trial.result(task)
        finally:
            self._give_back(trial)

    def close(self) -> None:
        """Close all trials; those in use are closed when they are returned."""
        self._is_over.set()
        self._close_idle()

    def _taken(self) -> Trial:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            if self._job is None:
                self._job = self._unpacked()
        trial = Trial(self._job).__enter__()
        self._all.append(trial)
        return trial

    def _give_back(self, trial: Trial) -> None:
        with self._lock:
            self._idle.append(trial)
            self._used = time.monotonic()
        if self._is_over.is_set():
            self._close_idle()

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
            for trial in idle:
                self._all.remove(trial)
        _close_all(idle)

    def _watch(self) -> None:
        """Close idle systems after a while: a client that was killed cannot. After a long pause, they start again."""
        while not self._is_over.wait(_SECONDS_IDLE / 10):
            if time.monotonic() - self._used > _SECONDS_IDLE:
                self._close_idle()

    def _unpacked(self) -> Job:
        if self._version != __version__:
            message = f"a worker of the cluster has kgprobe {__version__}, and this is {self._version}"
            raise UnavailableError(message, hint=_INSTALL)
        job = pickle.loads(self._packed)  # noqa: S301 - as above
        assert isinstance(job, Job)  # noqa: S101
        return job


def _close_all(trials: list[Trial]) -> None:
    while trials:
        trials.pop().close()
