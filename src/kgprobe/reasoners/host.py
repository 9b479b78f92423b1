"""A reasoner in a child process: started when needed, killed when it exceeds a limit, and started again.

The parent sends two frames for each ontology, the questions and the text; the child sends one for each answer.
The parent does not wait for an answer before it sends the next frame, and it makes the text of an ontology only when
its turn comes. So the parent prepares one ontology while the child reasons about another. When a child dies, the parent
knows which question killed it, and continues with the next one.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from kgprobe.errors import UnavailableError
from kgprobe.processes.channel import Channel
from kgprobe.processes.child import Setup
from kgprobe.processes.limits import Limits, Passed, ending
from kgprobe.processes.worker import NoReplyError, Worker

Question: TypeAlias = dict[str, Any]
"""A question for a child: {"ask": "consistent"}, {"ask": "entails", "axiom": …, "refutations": …}, …"""

Work: TypeAlias = tuple[Callable[[], str | None], Sequence[Question]]
"""A function that makes the text of an ontology (None if no question is needed), and questions about it."""

# The first start of a Java machine on a busy computer takes seconds, which do not count as a reasoner's time.
_SECONDS_TO_START = 120.0
_SECONDS_BETWEEN_LOOKS = 0.05  # at the work that is being sent
_ENDED = "the reasoner's process"
_SETUP = Setup(in_memory=True)  # files of ontologies come and go


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a child, or how it ended. `value` is JSON, or None without an answer; then `why` is the reason.

    `omission` names what the reasoner reports as ignored in the answer. `kind` names the exception or the signal that
    prevented an answer, and `trace` lists its frames, the innermost first; both are empty if nothing broke.
    """

    value: Any
    seconds: float
    omission: str = ""
    why: str = ""
    kind: str = ""
    trace: Sequence[str] = ()


_Missing: TypeAlias = tuple[int, Callable[[], str | None], list[Question]]


class _Sending:
    """Frames on their way to a child. A thread makes and sends them, so that replies can be read meanwhile."""

    def __init__(self, channel: Channel, missing: Sequence[_Missing], seconds: float) -> None:
        self._channel = channel
        self._work = [(text, list(questions)) for _, text, questions in missing]
        self._seconds = seconds
        self._is_asked: list[bool] = []
        self._failures: list[BaseException] = []
        self._is_over = False
        self._finished = threading.Event()
        self._thread: threading.Thread | None = None
        if len(self._work) == 1:  # a thread would save no time
            self._send_all()
        else:
            self._thread = threading.Thread(target=self._send_all, daemon=True)
            self._thread.start()

    def asks(self, place: int) -> bool:
        """Waits for the turn of a piece of work, and returns whether it is sent. Raises its error if it failed."""
        while len(self._is_asked) <= place and not self._finished.is_set():
            self.wait(_SECONDS_BETWEEN_LOOKS)
        if len(self._is_asked) <= place and self._failures:
            raise self._failures[0]
        return len(self._is_asked) <= place or self._is_asked[place]

    def wait(self, seconds: float) -> bool:
        """Waits until all is sent; False if it takes longer than this.

        Call this before waiting for replies. A thread that wakes up for each reply takes turns with the sending thread,
        which slows down both; reading a reply a little later does no harm.
        """
        return self._finished.wait(seconds)

    def end(self) -> None:
        """Stops sending. Returns soon if everything was sent, or if the child is dead, because writing to it fails."""
        self._is_over = True
        if self._thread is not None:
            self._thread.join()

    def _send_all(self) -> None:
        try:
            for text, questions in self._work:
                if self._is_over:
                    return
                body = text()
                self._is_asked.append(body is not None)
                if body is not None and not self._is_sent(questions, body):
                    return
        except BaseException as error:
            self._failures.append(error)
        finally:
            self._finished.set()

    def _is_sent(self, questions: list[Question], body: str) -> bool:
        asked = json.dumps({"seconds": self._seconds, "questions": questions})
        try:
            self._channel.send(asked.encode(), body.encode())
        except OSError:
            return False  # the child has ended, which the code that waits for its replies detects
        return True


class Host:
    """One engine, in at most one child process at a time. Threads take turns."""

    def __init__(self, engine: str, limits: Limits) -> None:
        self._engine = engine
        self._limits = limits
        self._watched_mb = limits.memory_mb  # 0 if the engine keeps to the limit by itself
        self._turn = threading.Lock()
        self._worker = Worker(
            "kgprobe.reasoners.engines",
            engine,
            str(limits.memory_mb),
            what=f"process for {engine}",
            setup=_SETUP,
            read=json.loads,
        )
        self._sending: _Sending | None = None
        self._has_served = False

    @property
    def pid(self) -> int | None:
        """The child's process, if one runs."""
        return self._worker.child.pid if self._worker.is_running else None

    def ask(self, work: Sequence[Work], *, seconds: float | None = None) -> Iterator[tuple[int, Reply]]:
        """The replies to all questions, each with the number of its work, in the order of the questions.

        `seconds` is the time for one question, if less than the limit.
        """
        limit = self._limits.seconds if seconds is None else min(seconds, self._limits.seconds)
        with self._turn:
            missing = [(number, text, list(questions)) for number, (text, questions) in enumerate(work) if questions]
            try:
                while missing := self._worth_a_child(missing):
                    for reply in self._round_trip(missing, limit):
                        number, _, questions = missing[0]
                        if reply is not None:
                            del questions[0]
                            yield number, reply
                        if reply is None or not questions:
                            del missing[0]
            except BaseException:
                # Half of a conversation is left in the pipe (Ctrl-C, a bug): the next one must not read it.
                self.close()
                raise

    def _worth_a_child(self, missing: list[_Missing]) -> list[_Missing]:
        """The missing replies, from the first one that needs a child."""
        if self._worker.is_running:
            return missing
        for place, (number, text, questions) in enumerate(missing):
            body = text()
            if body is not None:
                return [(number, partial(str, body), questions), *missing[place + 1 :]]
        return []

    def close(self) -> None:
        """End the child."""
        if self._worker.is_running:
            self._worker.child.stop()
        if self._sending is not None:
            self._sending.end()  # before its descriptor can belong to another child
            self._sending = None
        self._worker.end()

    def _round_trip(self, missing: Sequence[_Missing], seconds: float) -> Iterator[Reply | None]:
        """Sends all unanswered questions, and yields replies until each has one, or the child has ended.

        Yields None for work that turns out to need no reply.
        """
        self._start()
        sending = self._sending = _Sending(self._worker.channel, missing, seconds)
        had_served = self._has_served
        limits = Limits(seconds, self._watched_mb)
        for place, questions in enumerate([len(questions) for _, _, questions in missing]):
            if not sending.asks(place):
                yield None
                continue
            start = time.perf_counter()
            for _ in range(questions):
                try:
                    reply = Reply(**self._worker.receive(limits, before=sending.wait))
                except NoReplyError as error:
                    self.close()
                    why, kind = self._told(error, seconds)
                    # The child may have ended while idle. A new child shows whether the question is to blame.
                    if not had_served or not why.startswith(_ENDED):
                        yield Reply(None, time.perf_counter() - start, why=why, kind=kind)
                    return
                self._has_served, had_served, start = True, False, time.perf_counter()
                yield reply
        sending.end()
        self._sending = None  # it refers to the questions, and so to the reasoner, which could never be collected

    def _told(self, error: NoReplyError, seconds: float) -> tuple[str, str]:
        """Why no answer came, and how the child ended, if it ended by itself."""
        if error.passed is Passed.MEMORY:
            return f"out of memory: the limit is {self._limits.memory_mb} MB", ""
        if error.code is None:
            return f"time limit of {seconds:.3g} s passed", ""
        kind = ending(error.code)
        how = f"was ended by {kind}" if error.code < 0 else f"ended with code {error.code}"
        return f"{_ENDED} {how}" + (f": {error.words.splitlines()[-1]}" if error.words else ""), kind

    def _start(self) -> None:
        if not self._worker.start():
            return
        self._has_served = False
        try:
            ready = self._worker.receive(Limits(_SECONDS_TO_START, 0))
        except NoReplyError as error:
            self.close()
            reason, _ = self._told(error, _SECONDS_TO_START)
            raise UnavailableError(f"{self._engine} did not start with {self._limits.memory_mb} MB: {reason}") from None
        if "unavailable" in ready:
            self.close()
            raise UnavailableError(ready["unavailable"], hint=ready["install"])
        self._watched_mb = 0 if ready["limits_itself"] else self._limits.memory_mb
