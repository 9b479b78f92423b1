"""A reasoner in a child process: started when it is needed, killed when it passes a limit, and started again.

The parent sends one frame for each ontology, with all questions about it; the child sends one frame for each answer.
The parent does not wait for an answer before it sends the next frame, and it makes the text of an ontology only when
its turn has come: so the parent prepares one while the child reasons about another. When a child dies the parent knows
which question killed it, and goes on with the next one.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import IO, Any, TypeAlias

from kgprobe.errors import UnavailableError
from kgprobe.reasoners.protocol import Limits

__all__ = ["Host", "Question", "Reply", "Work"]

Question: TypeAlias = dict[str, Any]
"""What a child understands: {"ask": "consistent"}, {"ask": "entails", "axiom": …, "refutations": …}, …"""

Work: TypeAlias = tuple[Callable[[], str], Sequence[Question]]
"""What makes the text of an ontology, and questions about it."""

# The first start of a Java machine on a busy computer takes seconds; it does not count as a reasoner's time.
_SECONDS_TO_START = 120.0
_SECONDS_BETWEEN_LOOKS = 0.05  # at how much memory a child uses
_MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108 - a folder with a random name is made in it
_ENDED = "the reasoner's process"
_OUT_OF_MEMORY_EXIT = 3  # what the child, and Java's ExitOnOutOfMemoryError, end with
_OUT_OF_MEMORY_WORDS = (
    "memory allocation of",
    "MemoryError",
    "OutOfMemoryError",
    "bad_alloc",
    "Cannot allocate memory",
)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a child said, or how it ended; `value` is JSON, and None if there is no answer."""

    value: Any
    seconds: float
    complete: bool = True
    why: str = ""


_Missing: TypeAlias = tuple[int, Callable[[], str], list[Question]]


class _Sending:
    """Frames on their way to a child. A thread makes and sends them, so that replies can be read meanwhile."""

    def __init__(self, connection: Connection[bytes, bytes], missing: Sequence[_Missing], seconds: float) -> None:
        self._connection = connection
        self._work = [(text, list(questions)) for _, text, questions in missing]
        self._seconds = seconds
        self._begun = [threading.Event() for _ in self._work]
        self._failures: list[BaseException] = []
        self._is_over = False
        self._thread = threading.Thread(target=self._send_all, daemon=True)
        if len(self._work) == 1:  # nothing to do meanwhile
            self._send_all()
        else:
            self._thread.start()

    def began(self, place: int) -> float:
        """Waits until it is the turn of a frame, and gives the time. Raises what went wrong when it was made."""
        self._begun[place].wait()
        if self._failures:
            raise self._failures[0]
        return time.perf_counter()

    def end(self) -> None:
        """Sends no more. Does not wait for ever if all was sent, or if the child is dead: writing to one fails."""
        self._is_over = True
        if self._thread.is_alive():
            self._thread.join()

    def _send_all(self) -> None:
        try:
            for (text, questions), begun in zip(self._work, self._begun, strict=True):
                if self._is_over:
                    return
                frame = json.dumps({"seconds": self._seconds, "body": text(), "questions": questions}).encode()
                begun.set()
                try:
                    self._connection.send_bytes(frame)
                except OSError:
                    return  # the child has ended; whoever waits for its replies finds out
        except BaseException as error:
            self._failures.append(error)
        finally:
            for begun in self._begun:
                begun.set()


@dataclass(slots=True)
class _Child:
    process: subprocess.Popen[bytes]
    connection: Connection[bytes, bytes]
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

    def ask(self, work: Sequence[Work]) -> Iterator[tuple[int, Reply]]:
        """The replies to all questions, each with the number of its work, in the order of the questions."""
        with self._turn:
            missing = [(number, text, list(questions)) for number, (text, questions) in enumerate(work) if questions]
            try:
                while missing:
                    for reply in self._round_trip(missing):
                        number, _, questions = missing[0]
                        del questions[0]
                        if not questions:
                            del missing[0]
                        yield number, reply
            except BaseException:
                # Half of a conversation is left in the pipe (Ctrl-C, a bug): the next one must not read it.
                self.close()
                raise

    def close(self) -> None:
        """End the child."""
        _end_all(self._running)

    def _round_trip(self, missing: Sequence[_Missing]) -> Iterator[Reply]:
        """Sends all that is missing, and yields replies until there is one for each, or the child has ended."""
        child = self._child()
        sending = child.sending = _Sending(child.connection, missing, self._limits.seconds)
        had_served = child.has_served
        for place, questions in enumerate([len(questions) for _, _, questions in missing]):
            start = sending.began(place)
            for _ in range(questions):
                received = self._receive(child, self._limits.seconds)
                seconds = time.perf_counter() - start
                if received is None:
                    why = self._obituary(child)
                    # Perhaps it ended while nobody asked. A new child finds out whether the question is to blame.
                    if not had_served or not why.startswith(_ENDED):
                        yield Reply(None, seconds, complete=False, why=why)
                    return
                child.has_served, had_served = True, False
                yield Reply(**received)
                start = time.perf_counter()
        sending.end()
        child.sending = None  # it knows what was asked, and through that whoever asked: they could never be finalized

    def _receive(self, child: _Child, seconds: float) -> dict[str, Any] | None:
        """The next frame; None if it did not come in time, or never will."""
        end = time.perf_counter() + seconds
        try:
            while not child.connection.poll(min(_SECONDS_BETWEEN_LOOKS, max(0.0, end - time.perf_counter()))):
                if time.perf_counter() >= end or (child.is_watched and self._is_too_large(child)):
                    return None
            received: dict[str, Any] = json.loads(child.connection.recv_bytes())
            return received
        except (EOFError, OSError):
            return None

    def _is_too_large(self, child: _Child) -> bool:
        return _resident_mb(child.process.pid) > self._limits.memory_mb

    def _obituary(self, child: _Child) -> str:
        """Why there is no answer. Whatever is left of the child is ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            # A child that closed its end is about to be gone; one that is still at work is not.
            child.process.wait(1 if _at_end(child.connection) else 0)
        code = child.process.returncode
        is_too_large = code is None and child.is_watched and self._is_too_large(child)
        words = _last_words(child)
        self.close()
        if is_too_large or code == _OUT_OF_MEMORY_EXIT or any(sign in words for sign in _OUT_OF_MEMORY_WORDS):
            return f"out of memory: the limit is {self._limits.memory_mb} MB"
        if code is None:
            return f"time limit of {self._limits.seconds:g} s passed"
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        return f"{_ENDED} {how}" + (f": {words.splitlines()[-1]}" if words else "")

    def _child(self) -> _Child:
        if self._running:
            if self._running[0].process.poll() is None:
                return self._running[0]
            self.close()
        child = _start(self._engine, self._limits.memory_mb)
        self._running.append(child)
        ready = self._receive(child, _SECONDS_TO_START)
        if ready is None:
            reason = self._obituary(child)
            raise UnavailableError(f"{self._engine} did not start with {self._limits.memory_mb} MB: {reason}")
        if "unavailable" in ready:
            self.close()
            raise UnavailableError(ready["unavailable"], hint=ready["install"])
        child.is_watched = not ready["limits_itself"]
        return child


def _start(engine: str, memory_mb: int) -> _Child:
    ours, theirs = Pipe()
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child; deleted by the system
    # Ours, not the child's: a child that is killed cleans nothing up.
    folder = tempfile.TemporaryDirectory(prefix="kgprobe-", dir=_MEMORY_FOLDER if _MEMORY_FOLDER.is_dir() else None)
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
    return _Child(process, ours, errors, folder)


def _end_all(running: list[_Child]) -> None:
    while running:
        child = running.pop()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.process.pid, signal.SIGKILL)
        child.process.wait()
        if child.sending is not None:
            child.sending.end()  # before its descriptor can belong to another child
        child.connection.close()
        child.errors.close()
        child.folder.cleanup()


def _at_end(connection: Connection[bytes, bytes]) -> bool:
    """Whether the other end is closed: then there is something to read, namely nothing."""
    try:
        return connection.poll(0)
    except OSError:
        return True


def _resident_mb(pid: int) -> float:
    """The memory that a process and those that it started use. Only Linux tells; elsewhere there is no limit.

    The system's own limits do not do: they count memory that is reserved and never touched, such as the stack of a
    gigabyte that rustdl gives a thread.
    """
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20 + sum(_resident_mb(int(child)) for child in children)


def _last_words(child: _Child) -> str:
    child.errors.seek(0, os.SEEK_END)
    child.errors.seek(max(0, child.errors.tell() - 2000))
    return child.errors.read().decode(errors="replace").strip()
