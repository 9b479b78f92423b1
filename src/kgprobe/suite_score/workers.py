"""Runs tests in other processes, which can be ended. A process that ends early is replaced, and its work done again."""

from __future__ import annotations

import contextlib
import pickle
import select
import signal
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from kgprobe.errors import KgprobeError, UnavailableError
from kgprobe.processes.child import DESCRIPTOR, Child, Output
from kgprobe.processes.limits import last_words
from kgprobe.suite_score.judging import Setting
from kgprobe.suite_score.limit import doing
from kgprobe.suite_score.model import Change, Fate, Judged, LeftOut

__all__ = ["Task", "Workers"]

_MOST_DEATHS = 2
_MOST_EARLY_DEATHS = 3  # in a row, before a worker has judged a mutant
_SECONDS_TO_END = 5.0
_SECONDS_BETWEEN_LOOKS = 1.0
_FILE = "doing"
Task = tuple[Change, Sequence[int]]
"""A mutant, and the order of its tests."""


@dataclass
class _Call:
    """A call of a method of the judge, with what was given up because a worker ended while it did that."""

    method: str
    arguments: tuple[object, ...]
    change: Change | None = None
    given_up: dict[str, str] = field(default_factory=dict)
    deaths: Counter[str] = field(default_factory=Counter)


@dataclass
class _Worker:
    child: Child
    is_ready: bool = False
    call: _Call | None = None


class Workers:
    """A number of processes, started when first needed. Used in a `with`."""

    def __init__(self, setting: Setting, count: int) -> None:
        self._setting = setting
        self._count = count
        self._names: list[str] | None = None
        self._workers: list[_Worker] = []
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

    def failures(self) -> list[LeftOut]:
        """The tests that fail on the original, and why."""
        [(_, found)] = self._done([_Call("failures", ())])
        if found is None:
            raise UnavailableError("the tests cannot be run: each worker process ended")
        failing: list[LeftOut] = found
        return failing

    def learn(self, names: Sequence[str]) -> None:
        """Judge by these tests only, which are known to pass on the original."""
        self._names = list(names)
        for worker in self._workers:
            worker.is_ready = False  # until it answers
            self._send(worker, ("learn", (self._names,)))

    def judged(self, tasks: Iterable[Task]) -> Iterator[tuple[Change, Judged]]:
        """What became of each mutant, as soon as it is known."""
        calls = [_Call("judged", (change.delta, tuple(order)), change) for change, order in tasks]
        for call, found in self._done(calls):
            assert call.change is not None  # noqa: S101 - see above
            lost = Judged(Fate.UNDECIDED, f"the worker process ended {_MOST_DEATHS} times")
            yield call.change, lost if found is None else found

    def _done(self, calls: Sequence[_Call]) -> Iterator[tuple[_Call, Any]]:
        """The results of calls, as soon as they are known; None for one that ends each worker."""
        waiting = deque(calls)
        left = len(waiting)
        while len(self._workers) < min(self._count, len(waiting)):
            self._workers.append(self._started())
        while left:
            for worker in self._workers:
                if worker.is_ready and worker.call is None and waiting:
                    worker.call = waiting.popleft()
                    arguments = (*worker.call.arguments, worker.call.given_up)
                    self._send(worker, (worker.call.method, arguments))
            sources = [source for worker in self._workers for source in (worker.child.channel, worker.child)]
            select.select(sources, [], [], _SECONDS_BETWEEN_LOOKS)
            for worker in list(self._workers):
                worker.child.read()
                for found in self._news(worker, waiting):
                    left -= 1
                    yield found

    def _news(self, worker: _Worker, waiting: deque[_Call]) -> Iterator[tuple[_Call, Any]]:
        try:
            while (frame := worker.child.channel.received()) is not None:
                value = pickle.loads(frame)  # noqa: S301 - from kgprobe's own worker, which runs no foreign code
                if isinstance(value, KgprobeError):
                    raise value
                if worker.call is not None:
                    call, worker.call = worker.call, None
                    yield call, value
                worker.is_ready = True
        except (EOFError, OSError):
            yield from self._replaced(worker, waiting)

    def _replaced(self, worker: _Worker, waiting: deque[_Call]) -> Iterator[tuple[_Call, Any]]:
        """Start another worker for one that has ended: because of its work, or killed from outside."""
        worker.child.wait(_SECONDS_TO_END)
        work = doing(worker.child.scratch / _FILE)
        code = worker.child.end()
        how = last_words(code, worker.child.stdout.text())
        self._early_deaths = 0 if worker.is_ready else self._early_deaths + 1
        if self._early_deaths > _MOST_EARLY_DEATHS:
            raise UnavailableError(f"a worker process ended before its first mutant: {how}")
        self._workers.remove(worker)
        self._workers.append(self._started())
        call = worker.call
        if call is None:
            return
        call.deaths[work] += 1
        is_final = call.deaths[work] == _MOST_DEATHS
        if work and (is_final or code in (-signal.SIGALRM, -signal.SIGABRT)):
            call.given_up[work] = self._why(code, how)
        elif is_final:
            yield call, None
            return
        waiting.appendleft(call)

    def _why(self, code: int, how: str) -> str:
        if code == -signal.SIGALRM:
            return f"took longer than {self._setting.seconds:g} s"
        if code == -signal.SIGABRT:
            return "needs more memory than is available"
        return f"ended its process {_MOST_DEATHS} times: {how}"

    def _started(self) -> _Worker:
        arguments = [sys.executable, "-m", "kgprobe.suite_score.worker", DESCRIPTOR]
        try:
            child = Child(arguments, folder=Path.cwd(), output=Output.MERGED, grace=_SECONDS_TO_END)
        except OSError as error:
            raise UnavailableError(f"no worker process can be started: {error.strerror or error}") from None
        worker = _Worker(child)
        self._send(worker, (self._setting, self._names, child.scratch / _FILE))
        return worker

    @staticmethod
    def _send(worker: _Worker, value: object) -> None:
        with contextlib.suppress(OSError):  # it has ended; waiting for its results shows that
            worker.child.channel.send_while(lambda: not worker.child.has_ended, pickle.dumps(value))
