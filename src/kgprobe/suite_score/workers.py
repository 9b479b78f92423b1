"""Runs tests in other processes, which can be ended. A process that ends early is replaced, and its work done again."""

from __future__ import annotations

import pickle
import signal
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from kgprobe.entailment.rules import Regime
from kgprobe.errors import KgprobeError, UnavailableError
from kgprobe.processes.channel import serving_parent
from kgprobe.processes.child import Output, Setup
from kgprobe.processes.limits import OUT_OF_MEMORY_EXIT, bound_memory, last_words
from kgprobe.processes.worker import SECONDS_TO_END, Member, Pool, Worker
from kgprobe.suite_score.judging import Judge, Setting
from kgprobe.suite_score.limit import Limit, doing
from kgprobe.suite_score.model import Change, Fate, Judged, LeftOut

_MOST_DEATHS = 2
_BY_MEMORY = (OUT_OF_MEMORY_EXIT, -signal.SIGABRT)  # the SPARQL engine aborts
_BY_LIMIT = (*_BY_MEMORY, -signal.SIGALRM)
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


class Workers:
    """A number of processes, started when first needed. Used in a `with`."""

    def __init__(self, setting: Setting, count: int) -> None:
        self._setting = setting
        self._count = count
        self._names: list[str] | None = None
        self._pool: Pool[_Call] = Pool(_worker, self._greeting)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.close()

    @property
    def pids(self) -> list[int]:
        """The processes."""
        return [member.worker.child.pid for member in self._pool.members]

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
        for member in self._pool.members:
            member.is_ready = False  # until it answers
            member.send(pickle.dumps(("learn", (self._names,))))

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
        self._pool.grow(min(self._count, len(waiting)))
        while left:
            for member in self._pool.members:
                if member.is_ready and not member.work and waiting:
                    call = waiting.popleft()
                    member.work.append(call)
                    member.send(pickle.dumps((call.method, (*call.arguments, call.given_up))))
            for member, frame in self._pool.news():
                for result in self._replaced(member, waiting) if frame is None else _understood(member, frame):
                    left -= 1
                    yield result

    def _replaced(self, member: Member[_Call], waiting: deque[_Call]) -> Iterator[tuple[_Call, Any]]:
        """Start another worker for one that has ended: because of its work, or killed from outside."""
        child = member.worker.child
        work = doing(child.scratch / _FILE)
        code = child.end()
        how = last_words(code, child.stdout.text())
        self._pool.replace(member, f"process ended ({how})")
        if not member.work:
            return
        call = member.work.popleft()
        call.deaths[work] += 1
        is_final = call.deaths[work] == _MOST_DEATHS
        if work and (is_final or code in _BY_LIMIT):
            call.given_up[work] = self._why(code, how)
        elif is_final:
            yield call, None
            return
        waiting.appendleft(call)

    def _why(self, code: int, how: str) -> str:
        if code == -signal.SIGALRM:
            return f"took longer than {self._setting.seconds:g} s"
        if code in _BY_MEMORY:
            return "needs more memory than is available"
        return f"ended its process {_MOST_DEATHS} times: {how}"

    def _greeting(self, worker: Worker) -> bytes:
        return pickle.dumps((self._setting, self._names, worker.child.scratch / _FILE))


def _worker() -> Worker:
    setup = Setup(folder=Path.cwd(), output=Output.MERGED, grace=SECONDS_TO_END)
    return Worker("kgprobe.suite_score.workers", what="worker process", setup=setup)


def _understood(member: Member[_Call], frame: bytes) -> Iterator[tuple[_Call, Any]]:
    value = pickle.loads(frame)  # noqa: S301 - from kgprobe's own worker, which runs no foreign code
    if isinstance(value, KgprobeError):
        raise value
    if member.work:
        yield member.work.popleft(), value


# -- the worker process: receives the setting from its parent, then calls of the judge, and sends their results --------

_BYTES = 2 << 30
_BYTES_FOR_A_TRIPLE = 4 << 10  # in indexes and closures


def main(descriptor: int) -> None:
    """Serve one parent."""
    with serving_parent(descriptor) as channel:
        setting, names, file = pickle.loads(channel.receive())  # noqa: S301 - from kgprobe's own process
        _bound_memory(setting)
        try:
            with Judge(setting, Limit(setting.seconds, file)) as judge:
                if names is not None:
                    judge.learn(names)
                channel.send(pickle.dumps(None))
                while True:
                    method, arguments = pickle.loads(channel.receive())  # noqa: S301
                    channel.send(pickle.dumps(getattr(judge, method)(*arguments)))
        except KgprobeError as error:
            channel.send(pickle.dumps(error))


def _bound_memory(setting: Setting) -> None:
    """The limit would also hold for the programs that this process starts: the user's tests, and reasoners."""
    if setting.command is None and setting.reasoner is None and setting.regime is not Regime.DL:
        bound_memory(_BYTES + _BYTES_FOR_A_TRIPLE * len(setting.graph))


if __name__ == "__main__":
    main(int(sys.argv[1]))
