"""A program that is started once and answers a question a line: JSON on standard input, JSON on standard output."""

from __future__ import annotations

import json
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kgprobe.errors import UnavailableError
from kgprobe.model import Case, Crash, Observation, Status
from kgprobe.processes.child import Child, Setup
from kgprobe.processes.limits import Limits, ending
from kgprobe.processes.programs import check_program, refusal
from kgprobe.systems.command import check_arguments, filled
from kgprobe.systems.endings import judged, limit_passed
from kgprobe.systems.prompts import QuestionObject
from kgprobe.systems.protocol import content_for

__all__ = ["LinesSystem"]

_LARGEST_OUTPUT = 1 << 24
_GARBLED = Crash("garbled answer", "the program wrote too much without an answer, or closed its standard output")


class LinesSystem:
    """Arguments with `{python}` for Python and `{folder}` for the folder of the process.

    A question is an object with `id`, `question`, `context` and `prompt`, and the answer to it one with the same `id`
    and `answer`. Other lines are ignored: a program may print what it does. It is started again if it has ended.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        *,
        payload: QuestionObject | None = None,
        limits: Limits | None = None,
        folder: Path | None = None,
    ) -> None:
        self.name = name
        self._arguments = check_arguments(arguments, ("python", "folder"), what=f"the command of '{name}'")
        self._payload = payload or QuestionObject()
        self._limits = limits or Limits()
        self._folder = folder
        self._asked = 0
        self._running: list[Child] = []  # a list, so that the finalizer sees changes without holding the system
        self._finalizer = weakref.finalize(self, _end_all, self._running)

    def start(self) -> None:
        """Start the program; UnavailableError if it does not exist."""
        if self._running:
            if self._running[0].exit_code is None:
                return
            self.close()
        arguments = [filled(each, {"python": sys.executable}) for each in self._arguments]
        check_program(arguments[0], what=f"'{self.name}'", folder=self._folder, path=None)
        try:
            child = Child(arguments, Setup(folder=self._folder, most_output=2 * _LARGEST_OUTPUT), is_told_more=True)
        except OSError as error:
            remark = refusal(arguments[0], self._folder or Path(), error)
            raise UnavailableError(f"'{self.name}': {remark}") from None
        self._running.append(child)

    def run(self, case: Case) -> Observation:
        """Ask a question, and wait for the line with its answer."""
        value = content_for(case, self._payload, self.name)
        if isinstance(value, Observation):
            return value
        try:
            self.start()
        except UnavailableError as error:
            return Observation(self.name, Status.UNREACHABLE, remark=str(error))
        try:
            return self._observe(self._running[0], value)
        except BaseException:
            self.close()  # it may have read part of a line
            raise

    def close(self) -> None:
        """End the program."""
        _end_all(self._running)

    def _observe(self, child: Child, value: Mapping[str, str]) -> Observation:
        self._asked += 1
        found = _Answer(child, str(self._asked))
        child.tell(json.dumps({"id": found.id, **value}).encode() + b"\n")
        start = time.perf_counter()
        passed = child.watch(self._limits, is_done=found.is_over)
        seconds = time.perf_counter() - start
        stderr = child.stderr.text()
        if passed is not None:
            self.close()
            status, remark = limit_passed(passed, self._limits)
            return Observation(self.name, status, seconds, stderr=stderr, remark=remark)
        if found.value is not None:
            return Observation(self.name, Status.FINISHED, seconds, value=found.value, stderr=stderr)
        code = child.wait(1.0)
        self.close()
        stderr = child.stderr.text()
        status, crash = (Status.CRASHED, None) if code is None else judged(code, stderr, child.lost)
        if status is Status.FINISHED:
            status = Status.CRASHED
        how = _GARBLED if code is None else Crash(ending(code), "the program ended before it answered")
        return Observation(self.name, status, seconds, stderr=stderr, exit_code=code, crash=crash or how)


class _Answer:
    """The answer to a question, as soon as its line has arrived."""

    def __init__(self, child: Child, question: str) -> None:
        self.id = question
        self.value: dict[str, Any] | None = None
        self._child = child
        self._read = 0
        child.stdout.clear()
        child.stderr.clear()

    def is_over(self) -> bool:
        """Whether the answer has arrived, or none will."""
        has_ended = self._child.exit_code is not None  # checked first: its last output comes before its end
        if has_ended:
            self._child.read()
        written = self._child.stdout.whole
        if written is None:
            return True
        while (end := written.find(b"\n", self._read)) >= 0:
            line, self._read = written[self._read : end], end + 1
            self.value = self._answer_in(line)
            if self.value is not None:
                return True
        return has_ended or not self._child.stdout.is_open

    def _answer_in(self, line: bytes) -> dict[str, Any] | None:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return None
        is_it = isinstance(value, dict) and str(value.get("id")) == self.id and "answer" in value
        return value if is_it else None


def _end_all(running: list[Child]) -> None:
    while running:
        running.pop().end()
