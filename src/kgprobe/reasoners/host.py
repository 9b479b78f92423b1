"""A reasoner in a child process: started when it is needed, killed when it passes a limit, and started again.

The parent sends two frames for each ontology, the questions and the text; the child sends one for each answer.
The parent does not wait for an answer before it sends the next frame, and it makes the text of an ontology only when
its turn has come: so the parent prepares one while the child reasons about another. When a child dies the parent knows
which question killed it, and goes on with the next one.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, TypeAlias

from kgprobe.errors import UnavailableError
from kgprobe.processes.channel import Channel
from kgprobe.processes.folders import new_folder, removed
from kgprobe.processes.limits import OUT_OF_MEMORY_WORDS, Limits
from kgprobe.processes.tree import end_group, resident_mb

__all__ = ["Host", "Question", "Reply", "Work"]

Question: TypeAlias = dict[str, Any]
"""What a child understands: {"ask": "consistent"}, {"ask": "entails", "axiom": …, "refutations": …}, …"""

Work: TypeAlias = tuple[Callable[[], str | None], Sequence[Question]]
"""What makes the text of an ontology (None: nothing has to be asked after all), and questions about it."""

# The first start of a Java machine on a busy computer takes seconds; it does not count as a reasoner's time.
_SECONDS_TO_START = 120.0
_SECONDS_BETWEEN_LOOKS = 0.05  # at how much memory a child uses
_ENDED = "the reasoner's process"
_OUT_OF_MEMORY_EXIT = 3  # what the child, and Java's ExitOnOutOfMemoryError, end with


@dataclass(frozen=True, slots=True)
class Reply:
    """What a child said, or how it ended; `value` is JSON, and None if there is no answer: `why` says the reason.

    `omission` is what the reasoner itself says that the answer does not take into account. `kind` names the exception
    or the signal that an answer is missing for, and `trace` is where it came from, the innermost first; both are empty
    if nothing broke.
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
        if len(self._work) == 1:  # nothing to do meanwhile
            self._send_all()
        else:
            self._thread = threading.Thread(target=self._send_all, daemon=True)
            self._thread.start()

    def asks(self, place: int) -> bool:
        """Waits until it is the turn of some work, and tells whether it is sent. Raises what went wrong with it."""
        while len(self._is_asked) <= place and not self._finished.is_set():
            self.wait(_SECONDS_BETWEEN_LOOKS)
        if len(self._is_asked) <= place and self._failures:
            raise self._failures[0]
        return len(self._is_asked) <= place or self._is_asked[place]

    def wait(self, seconds: float) -> bool:
        """Waits until all is sent; False if it takes longer than this.

        Whoever waits for replies should wait here first. A thread that is woken up by each of them takes turns with
        this one, and both get slower; a reply that is read a little later delays nobody.
        """
        return self._finished.wait(seconds)

    def end(self) -> None:
        """Sends no more. Does not wait for ever if all was sent, or if the child is dead: writing to one fails."""
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
            return False  # the child has ended; whoever waits for its replies finds out
        return True


@dataclass(slots=True)
class _Child:
    process: subprocess.Popen[bytes]
    channel: Channel
    errors: IO[bytes]
    folder: tempfile.TemporaryDirectory[str]
    is_watched: bool = False
    has_served: bool = False
    sending: _Sending | None = None


class Host:
    """One engine, in at most one child process at a time. Threads take turns."""

    def __init__(self, engine: str, limits: Limits) -> None:
        self._engine = engine
        self._limits = limits
        self._turn = threading.Lock()
        self._running: list[_Child] = []  # a list, so that the finalizer sees changes without holding the host
        self._finalizer = weakref.finalize(self, _end_all, self._running)

    @property
    def pid(self) -> int | None:
        """The child's process, if there is one."""
        return self._running[0].process.pid if self._running else None

    def ask(self, work: Sequence[Work], *, seconds: float | None = None) -> Iterator[tuple[int, Reply]]:
        """The replies to all questions, each with the number of its work, in the order of the questions.

        `seconds` is for one question, if that is less than the limit.
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
        """What is missing, from the first on that a child has to be started for."""
        if self._running:
            return missing
        for place, (number, text, questions) in enumerate(missing):
            body = text()
            if body is not None:
                return [(number, partial(str, body), questions), *missing[place + 1 :]]
        return []

    def close(self) -> None:
        """End the child."""
        _end_all(self._running)

    def _round_trip(self, missing: Sequence[_Missing], seconds: float) -> Iterator[Reply | None]:
        """Sends all that is missing, and yields replies until there is one for each, or the child has ended.

        Yields None for work that turns out to need no reply.
        """
        child = self._child()
        sending = child.sending = _Sending(child.channel, missing, seconds)
        had_served = child.has_served
        for place, questions in enumerate([len(questions) for _, _, questions in missing]):
            if not sending.asks(place):
                yield None
                continue
            start = time.perf_counter()
            for _ in range(questions):
                received = self._receive(child, seconds)
                now = time.perf_counter()
                if received is None:
                    why, kind = self._obituary(child, seconds)
                    # Perhaps it ended while nobody asked. A new child finds out whether the question is to blame.
                    if not had_served or not why.startswith(_ENDED):
                        yield Reply(None, now - start, why=why, kind=kind)
                    return
                child.has_served, had_served, start = True, False, now
                yield Reply(**received)
        sending.end()
        child.sending = None  # it knows what was asked, and through that whoever asked: they could never be finalized

    def _receive(self, child: _Child, seconds: float) -> dict[str, Any] | None:
        """The next frame; None if it did not come in time, or never will."""
        end = time.perf_counter() + seconds
        is_over = False
        try:
            while (frame := child.channel.received()) is None:
                if is_over:
                    return None
                pause = min(_SECONDS_BETWEEN_LOOKS, max(0.0, end - time.perf_counter()))
                if child.sending is None or child.sending.wait(0):
                    has_more = child.channel.wait(pause)
                else:
                    has_more = child.sending.wait(pause)
                is_over = not has_more and (
                    time.perf_counter() >= end or (child.is_watched and self._is_too_large(child))
                )
            found: dict[str, Any] = json.loads(frame)
            return found
        except (EOFError, OSError):
            return None

    def _is_too_large(self, child: _Child) -> bool:
        return resident_mb(child.process.pid) > self._limits.memory_mb

    def _obituary(self, child: _Child, seconds: float) -> tuple[str, str]:
        """Why there is no answer, and how the child ended by itself. Whatever is left of the child is ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            # A child that closed its end is about to be gone; one that is still at work is not.
            child.process.wait(1 if child.channel.wait(0) else 0)
        code = child.process.returncode
        is_too_large = code is None and child.is_watched and self._is_too_large(child)
        words = _last_words(child)
        self.close()
        if is_too_large or code == _OUT_OF_MEMORY_EXIT or any(sign in words for sign in OUT_OF_MEMORY_WORDS):
            return f"out of memory: the limit is {self._limits.memory_mb} MB", ""
        if code is None:
            return f"time limit of {seconds:.3g} s passed", ""
        kind = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        how = f"was ended by {kind}" if code < 0 else f"ended with code {code}"
        return f"{_ENDED} {how}" + (f": {words.splitlines()[-1]}" if words else ""), kind

    def _child(self) -> _Child:
        if self._running:
            if self._running[0].process.poll() is None:
                return self._running[0]
            self.close()
        child = _start(self._engine, self._limits.memory_mb)
        self._running.append(child)
        ready = self._receive(child, _SECONDS_TO_START)
        if ready is None:
            reason, _ = self._obituary(child, _SECONDS_TO_START)
            raise UnavailableError(f"{self._engine} did not start with {self._limits.memory_mb} MB: {reason}")
        if "unavailable" in ready:
            self.close()
            raise UnavailableError(ready["unavailable"], hint=ready["install"])
        child.is_watched = not ready["limits_itself"]
        return child


def _start(engine: str, memory_mb: int) -> _Child:
    ours, theirs = socket.socketpair()
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child; deleted by the system
    # Ours, not the child's: a child that is killed cleans nothing up.
    folder = new_folder(in_memory=True)
    arguments = [engine, str(memory_mb), str(theirs.fileno()), folder.name]
    with theirs:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
            [sys.executable, "-m", "kgprobe.reasoners.engines", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # so that killing its group kills what it started
        )
    return _Child(process, Channel(ours), errors, folder)


def _end_all(running: list[_Child]) -> None:
    while running:
        child = running.pop()
        end_group(child.process.pid)
        child.process.wait()
        if child.sending is not None:
            child.sending.end()  # before its descriptor can belong to another child
        child.channel.close()
        child.errors.close()
        removed(child.folder)


def _last_words(child: _Child) -> str:
    child.errors.seek(0, os.SEEK_END)
    child.errors.seek(max(0, child.errors.tell() - 2000))
    return child.errors.read().decode(errors="replace").strip()
