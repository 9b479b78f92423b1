"""A Python function as a system under test: called in another process, which is replaced when it breaks.

The process receives each table of triples once, and of a graph only the changes to its table: a call on a mutant costs
O(change), not O(graph). Any other value is sent as it is.
"""

from __future__ import annotations

import json
import pickle
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from kgprobe.errors import InputError, KgprobeError, UnavailableError
from kgprobe.model import Case, Crash, Observation, Place, Status
from kgprobe.processes.channel import Channel
from kgprobe.processes.child import DESCRIPTOR, Child, Setup
from kgprobe.processes.limits import Limits, Passed, ending
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.table import TripleTable
from kgprobe.systems.endings import judged, limit_passed, lost_guard
from kgprobe.systems.function_worker import LARGEST_REPLY, decoded
from kgprobe.systems.protocol import GraphObject, Payload, content_for

__all__ = ["BatchedFunction", "Batches", "FunctionSystem", "batches_for"]

_SECONDS_TO_START = 120.0  # libraries that load models take long to import, which does not count as the function's time
_SECONDS_TO_GO = 1.0  # from the moment when a process closes its files to its end
_MOST_TABLES = 4
_OUR_FRAMES = "function_worker.py:"  # in the process of the function
_GARBLED = Crash("garbled answer", "the function's process sent something that is not an answer, or closed its files")


@dataclass(slots=True)
class _Worker:
    child: Child
    # By identity: keeping the table alive ensures that no other table gets its id.
    known: dict[int, tuple[int, TripleTable, Spelling]] = field(default_factory=dict)
    calls: int = 0
    tables_sent: int = 0
    reply: dict[str, Any] | None = None
    is_broken: bool = False
    below: frozenset[int] | None = None

    def has_reply(self) -> bool:
        """Whether the call is over: a reply has arrived, or none will."""
        try:
            while (frame := self.child.channel.received()) is not None:
                reply = json.loads(frame)
                if isinstance(reply, dict) and reply.get("call", self.calls) == self.calls:
                    self.reply = reply
                    return True
        except (EOFError, OSError, ValueError, RecursionError):
            self.is_broken = True
        return self.is_broken

    def is_done(self) -> bool:
        """Whether waiting is over. Another process may keep the channel open when this one has ended."""
        has_ended = self.child.exit_code is not None  # checked first: its last output comes before its end
        return self.has_reply() or has_ended

    def taken(self) -> dict[str, Any] | None:
        """Take the reply."""
        reply, self.reply = self.reply, None
        return reply


class FunctionSystem:
    """`package.module:function` or `path/file.py:function`, called with a graph or with the name of a Turtle file.

    If the payload is a graph, `input` says how the function takes it; it gets any other payload as it is. Paths are
    relative to `folder`, where modules are searched first.
    """

    def __init__(
        self,
        name: str,
        function: str,
        *,
        limits: Limits | None = None,
        payload: Payload[object] | None = None,
        input: Literal["graph", "file"] = "graph",  # noqa: A002 - its name in a profile
        folder: Path | None = None,
    ) -> None:
        place, _, attribute = function.rpartition(":")
        if not place or not all(part.isidentifier() for part in attribute.split(".")):
            raise InputError(
                f"'{function}' does not name a function", hint="write package.module:function or path/file.py:function"
            )
        if input not in ("graph", "file"):
            raise InputError(f"a function takes a graph or a file, not '{input}'", hint="write graph or file")
        self.name = name
        self._function = function
        self._limits = limits or Limits()
        self._payload: Payload[object] = payload or GraphObject()
        self._input = input
        self._source = folder
        self._running: list[_Worker] = []  # a list, so that the finalizer sees changes without holding the system
        self._finalizer = weakref.finalize(self, _end_all, self._running)

    @property
    def pid(self) -> int | None:
        """Its process, if one runs."""
        return self._running[0].child.pid if self._running else None

    @property
    def tables_sent(self) -> int:
        """The number of tables sent to the process."""
        return self._running[0].tables_sent if self._running else 0

    def start(self) -> None:
        """Start the process and import the function; InputError if it cannot be imported."""
        if self._running:
            if self._running[0].child.exit_code is None:
                return
            self.close()
        worker = self._new_worker()
        self._running.append(worker)
        try:
            passed = worker.child.watch(
                Limits(_SECONDS_TO_START, self._limits.memory_mb), wake=worker.child.channel, is_done=worker.is_done
            )
            self._check(worker, passed)
        except BaseException:
            self.close()
            raise

    def run(self, case: Case) -> Observation:
        """Call the function on a case."""
        content = content_for(case, self._payload, self.name)
        return content if isinstance(content, Observation) else self.observe(content)

    def observe(self, content: object, limits: Limits | None = None) -> Observation:
        """Call the function on a value, within other limits if some are given."""
        lost = self._lost()
        try:
            self.start()
        except KgprobeError as error:
            return Observation(self.name, Status.UNREACHABLE, remark=str(error))
        try:
            seen = self._call(self._running[0], content, limits or self._limits)
            return replace(seen, remark="; ".join(filter(None, [lost, seen.remark]))) if lost else seen
        except BaseException:
            self.close()  # the pipe may hold part of a message
            raise

    def close(self) -> None:
        """End the process."""
        _end_all(self._running)

    def _lost(self) -> str:
        """A remark if the process has ended since the last call."""
        code = self._running[0].child.exit_code if self._running else None
        return "" if code is None else f"the process had ended ({ending(code)}) and was restarted"

    def _new_worker(self) -> _Worker:
        settings = {
            "function": self._function,
            "source": str((self._source or Path()).resolve()),
            "takes_file": self._input == "file",
        }
        try:
            child = Child(
                [
                    *[sys.executable, "-X", "faulthandler", "-m", "kgprobe.systems.function_worker"],
                    *[DESCRIPTOR, json.dumps(settings)],
                ],
                Setup(longest_frame=LARGEST_REPLY + 1024),
            )
        except OSError as error:
            reason = error.strerror or error
            raise UnavailableError(f"no process can be started for '{self.name}': {reason}") from None
        # A stopped process reads nothing. A call that cannot be sent in time is not answered in time either.
        child.channel.limit_sending(self._limits.seconds)
        return _Worker(child)

    def _check(self, worker: _Worker, passed: Passed | None) -> None:
        """Raise the reason if the process is not ready."""
        reply = worker.taken()
        if reply is not None and "ready" in reply:
            return
        if reply is not None and "refused" in reply:
            raise InputError(str(reply["refused"]), hint="return the answer instead")
        if reply is not None and "missing" in reply:
            meant = reply.get("meant")
            hint = f"did you mean '{meant}'?" if meant else "write package.module:function or path/file.py:function"
            raise InputError(str(reply["missing"]), hint=hint)
        if reply is not None and isinstance(reply.get("broken"), dict):
            broken = reply["broken"]
            frames = [frame for frame in broken.get("frames") or () if not str(frame).startswith(_OUR_FRAMES)]
            where = f" in {frames[0]}" if frames else ""
            raise InputError(f"{self._function} cannot be imported: {broken['raised']}{where}: {broken['message']}")
        if passed is not None:
            raise UnavailableError(f"{self._function} cannot be imported: {limit_passed(passed, self._limits)[1]}")
        code = self._gone(worker)
        how = "it closed its files" if code is None else ending(code)
        raise InputError(f"{self._function} cannot be imported: its process ended ({how})")

    def _call(self, worker: _Worker, content: object, limits: Limits) -> Observation:
        for captured in (worker.child.stdout, worker.child.stderr):
            captured.clear()
        worker.calls += 1
        frames = self._frames(worker, content, limits.seconds)
        start = time.perf_counter()
        if worker.below is None:
            worker.below = worker.child.below()
        passed = _sent(worker.child.channel, frames) or worker.child.watch(
            limits, wake=worker.child.channel, is_done=worker.is_done
        )
        seconds = time.perf_counter() - start
        if passed is not None:
            self.close()
            status, remark = limit_passed(passed, limits)
            return self._observation(worker, status, seconds, remark=remark)
        # A daemon would take memory during another call, which would be blamed.
        worker.below = worker.child.end_daemons(worker.below)
        worker.child.read()
        if lost := worker.child.lost:
            self.close()
            return self._observation(worker, Status.CRASHED, seconds, crash=lost_guard(lost))
        reply = worker.taken()
        if reply is None:
            return self._obituary(worker, seconds)
        try:
            return self._understood(worker, reply)
        except (KeyError, TypeError, ValueError, RecursionError):
            self.close()
            return self._observation(worker, Status.CRASHED, seconds, crash=_GARBLED)

    def _frames(self, worker: _Worker, content: object, seconds: float) -> list[bytes]:
        """The frames to send for a call."""
        if not isinstance(content, Graph):
            return [pickle.dumps(("value", worker.calls, seconds, content), protocol=5)]
        number, seed = self._told(worker, content)
        return [*seed, pickle.dumps(("graph", worker.calls, seconds, number, dict(content.changed_keys)), protocol=5)]

    def _told(self, worker: _Worker, graph: Graph) -> tuple[int, list[bytes]]:
        """The worker's number for the graph's table, and the frames to send if the worker does not have it yet."""
        table, spelling = graph.table, graph.spelling
        known = worker.known.get(id(table))
        if known is not None and (known[2] is spelling or known[2] == spelling):
            return known[0], []
        worker.tables_sent += 1
        number = worker.tables_sent
        worker.known.pop(id(table), None)
        forgotten = worker.known.pop(next(iter(worker.known)))[0] if len(worker.known) >= _MOST_TABLES else None
        worker.known[id(table)] = number, table, spelling
        seed = ("seed", 0, number, (table, spelling), forgotten if known is None else known[0])
        return number, [pickle.dumps(seed, protocol=5)]

    def _understood(self, worker: _Worker, reply: dict[str, Any]) -> Observation:
        seconds = float(reply["seconds"])
        if "memory" in reply:
            self.close()  # the process may not release the memory
            return self._observation(worker, Status.OUT_OF_MEMORY, seconds, remark=f"MemoryError: {reply['memory']}")
        if "raised" in reply:
            crash = Crash(
                str(reply["raised"]),
                str(reply["message"]),
                tuple(map(str, reply["frames"])),
                self._place(reply["place"]),
                tuple(map(str, reply["libraries"])),
            )
            code = reply.get("exit_code")
            return self._observation(
                worker, Status.CRASHED, seconds, crash=crash, exit_code=None if code is None else int(code)
            )
        if "too_large" in reply:
            remark = f"what it returned takes {int(reply['too_large'])} bytes, more than {LARGEST_REPLY}"
            return replace(self._observation(worker, Status.FINISHED, seconds, remark=remark), is_unreadable=True)
        return self._observation(worker, Status.FINISHED, seconds, value=decoded(reply["value"]))

    def _place(self, told: Any) -> Place | None:
        """A line of the user's code. A file below the user's folder gets its relative name."""
        if told is None:
            return None
        file, line, text = Path(str(told[0])), int(told[1]), str(told[2])
        source = (self._source or Path()).resolve()
        return Place(str(file.relative_to(source) if file.is_relative_to(source) else file), line, text)

    def _obituary(self, worker: _Worker, seconds: float) -> Observation:
        """The observation if the process ended during a call, or sent an invalid reply."""
        code = self._gone(worker)
        if code is None:
            return self._observation(worker, Status.CRASHED, seconds, crash=_GARBLED)
        stderr = worker.child.stderr.text()
        status, crash = judged(code, stderr)
        if status is not Status.OUT_OF_MEMORY:  # whatever the exit code: the function must not end its process
            status = Status.CRASHED
            crash = crash or Crash(ending(code), "the function ended its process")
            ours = ("function_worker.py:", "user_functions.py:", "runpy.py:", "<frozen runpy>:")
            crash = replace(crash, frames=tuple(frame for frame in crash.frames if not frame.startswith(ours)))
        return self._observation(worker, status, seconds, crash=crash, exit_code=code)

    def _gone(self, worker: _Worker) -> int | None:
        """The exit code if the process ended by itself; None if it had to be ended."""
        end = time.perf_counter() + _SECONDS_TO_GO
        while worker.child.exit_code is None and time.perf_counter() < end:
            time.sleep(0.005)
        code = worker.child.exit_code
        self.close()
        return code

    def _observation(
        self,
        worker: _Worker,
        status: Status,
        seconds: float,
        *,
        value: Any = None,
        exit_code: int | None = None,
        crash: Crash | None = None,
        remark: str = "",
    ) -> Observation:
        return Observation(
            self.name,
            status,
            seconds,
            value,
            exit_code,
            worker.child.stdout.text(),
            worker.child.stderr.text(),
            crash=crash,
            remark=remark,
        )


def _sent(channel: Channel, frames: list[bytes]) -> Passed | None:
    """Send frames; the time limit is exceeded if they are not read."""
    try:
        channel.send(*frames)
    except BlockingIOError:
        return Passed.TIME
    except OSError:
        pass  # the process has ended; the caller finds out how when it waits for the answer
    return None


def _end_all(running: list[_Worker]) -> None:
    while running:
        worker = running.pop()
        worker.child.end()


# -- many questions in one call ----------------------------------------------------------------------------------------
# Threads that ask at the same time share a batch: while the function works on one, the next one grows.

_MOST = 64  # questions in a call


@dataclass(eq=False)
class _Question:
    content: object
    seen: Observation | None = None


class Batches:
    """A function that gets a list of questions and returns a list of answers. Threads may share it."""

    def __init__(self, function: FunctionSystem, limits: Limits) -> None:
        self._function = function
        self._limits = limits
        self._waiting: deque[_Question] = deque()
        self._turn = threading.Lock()

    def start(self) -> None:
        """Start the process of the function."""
        with self._turn:
            self._function.start()

    def asked(self, content: object) -> Observation:
        """The answer to a question, which is asked together with the questions of other threads."""
        question = _Question(content)
        self._waiting.append(question)
        while question.seen is None:
            with self._turn:  # while this thread waited here, another may have asked its question
                if question.seen is None:
                    self._ask([self._waiting.popleft() for _ in range(min(_MOST, len(self._waiting)))])
        return question.seen

    def _ask(self, batch: Sequence[_Question]) -> None:
        try:
            observed = self._observed([each.content for each in batch])
        except BaseException:
            self._waiting.extendleft(reversed(batch))  # the other threads still wait for theirs
            raise
        for question, seen in zip(batch, observed, strict=True):
            question.seen = seen

    def _observed(self, contents: list[object]) -> list[Observation]:
        count = len(contents)
        seen = self._function.observe(contents, replace(self._limits, seconds=count * self._limits.seconds))
        if seen.is_finished and isinstance(seen.value, list) and len(seen.value) == count:
            return [replace(seen, value=value, seconds=seen.seconds / count) for value in seen.value]
        if count > 1:  # one of them may be to blame
            return [observation for content in contents for observation in self._observed([content])]
        if not seen.is_finished:
            return [seen]
        message = "it must return a list with an answer to each question"
        return [replace(seen, status=Status.CRASHED, value=None, crash=Crash("no answer", message), remark=message)]


class BatchedFunction:
    """The function as one thread uses it."""

    def __init__(self, name: str, batches: Batches, payload: Payload[object]) -> None:
        self.name = name
        self._batches = batches
        self._payload = payload

    def start(self) -> None:
        """Start the process of the function."""
        self._batches.start()

    def run(self, case: Case) -> Observation:
        """Ask a question."""
        content = content_for(case, self._payload, self.name)
        return content if isinstance(content, Observation) else self._batches.asked(content)

    def close(self) -> None:
        """Do nothing: the process ends when no thread uses the function any more."""


_batches: weakref.WeakValueDictionary[str, Batches] = weakref.WeakValueDictionary()
_choosing = threading.Lock()


def batches_for(key: str, function: FunctionSystem, limits: Limits) -> Batches:
    """The batches of this process with this key; those of the function if there are none yet."""
    with _choosing:
        found = _batches.get(key)
        if found is None:
            found = Batches(function, limits)
            _batches[key] = found
        return found
