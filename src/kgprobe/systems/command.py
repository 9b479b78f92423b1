"""A program as a system under test: it runs once for each case, in a new folder, or once for all questions."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kgprobe.errors import InputError, UnavailableError, did_you_mean
from kgprobe.model import Case, Crash, Observation, Status
from kgprobe.processes.channel import CUT
from kgprobe.processes.child import Child, Setup, run
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import Limits, clean_folder, ending
from kgprobe.processes.programs import as_list, check_program, refusal
from kgprobe.systems.endings import judged, limit_passed
from kgprobe.systems.prompts import QuestionObject
from kgprobe.systems.protocol import GraphText, TextPayload, content_for

__all__ = ["CommandSystem", "LinesSystem", "check_arguments", "filled", "is_used"]

_PLACEHOLDERS = ("output", "python", "folder")
_LARGEST_OUTPUT = 1 << 24
_LONGEST_ARGUMENT = 120_000  # Linux refuses longer ones than 131,071 bytes
_WORD = re.compile(r"\{(\w+)\}")


class CommandSystem:
    """Arguments with `{graph}` and `{output}` for files, `{folder}` for the folder of the run, `{python}` for Python.

    Without `{graph}` the graph comes through standard input. A payload that is not a graph has its own placeholder,
    such as `{prompt}`, which is the prompt itself.
    Relative names in the arguments are relative to `folder`, or without it to the folder of the run.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        *,
        limits: Limits | None = None,
        payload: TextPayload | None = None,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self._payload = payload or GraphText()
        known = (self._payload.name, *_PLACEHOLDERS)
        self._arguments = check_arguments(arguments, known, what=f"the command of '{name}'")
        self._limits = limits or Limits()
        self._folder = folder
        self._environment = dict(environment or {})
        self._uses_stdin = not is_used(self._payload.name, self._arguments)
        self._has_output = is_used("output", self._arguments)
        self._guards = Guards()

    def start(self) -> None:
        """Find the program; UnavailableError if it does not exist."""
        program = filled(self._arguments[0], {"python": sys.executable})
        if self._folder is not None and not self._folder.is_dir():
            raise UnavailableError(f"the folder {self._folder}, in which '{self.name}' runs, does not exist")
        if is_used("folder", [program]):
            return
        if os.sep in program and self._folder is None and not Path(program).is_absolute():
            raise UnavailableError(
                f"the program {program} of '{self.name}' has a relative path, but no folder",
                hint="write its whole path",
            )
        path = self._environment.get("PATH", os.environ.get("PATH"))
        check_program(program, what=f"'{self.name}'", folder=self._folder, path=path)

    def run(self, case: Case) -> Observation:
        """Run the program on a case."""
        payload = self._payload
        with clean_folder() as folder:
            content = content_for(case, payload, self.name)
            if isinstance(content, Observation):
                return content
            file, output = folder / f"{payload.name}.{payload.extension}", folder / "output"
            given = content.decode() if payload.is_argument else str(file)
            if not self._uses_stdin and (trouble := _trouble(given)):
                return Observation(self.name, Status.INEXPRESSIBLE, remark=trouble)
            if not self._uses_stdin and not payload.is_argument:
                file.write_bytes(content)
            values = {payload.name: given, "output": str(output), "python": sys.executable, "folder": str(folder)}
            return self._observe([filled(argument, values) for argument in self._arguments], content, folder, output)

    def close(self) -> None:
        """End the guards. Runs leave nothing else behind."""
        self._guards.close()

    def _observe(self, arguments: list[str], content: bytes, folder: Path, output: Path) -> Observation:
        try:
            ended = run(
                arguments,
                self._limits,
                Setup(folder=self._folder, environment=self._environment, scratch=folder),
                sent=content if self._uses_stdin else None,
                guards=self._guards,
            )
        except OSError as error:
            remark = refusal(arguments[0], self._folder or folder, error)
            return Observation(self.name, Status.UNREACHABLE, remark=remark)
        stdout, stderr = ended.stdout.text(), ended.stderr.text()
        written, remark = _content(output) if self._has_output else (None, "")
        if ended.passed is not None:
            status, remark = limit_passed(ended.passed, self._limits)
            return Observation(self.name, status, ended.seconds, None, None, stdout, stderr, written, remark=remark)
        status, crash = judged(ended.code, stderr, ended.lost)
        return Observation(
            self.name,
            status,
            ended.seconds,
            exit_code=None if ended.lost else ended.code,
            stdout=stdout,
            stderr=stderr,
            output=written,
            crash=crash,
            remark=remark,
        )


def _trouble(argument: str) -> str:
    """Why a text cannot be the argument of a program; empty if it can."""
    if "\0" in argument:
        return "an argument cannot contain the character with the code 0"
    size = len(argument.encode(errors="replace"))
    return f"an argument cannot have {size} bytes; use standard input" if size > _LONGEST_ARGUMENT else ""


def _content(file: Path) -> tuple[bytes | None, str]:
    """The output file of a program, and a remark if it was cut. It may be anything: a link, a pipe."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None, ""
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        return None, "the output is not a regular file"
    with os.fdopen(descriptor, "rb") as stream:
        found = stream.read(_LARGEST_OUTPUT)
    cut = about.st_size > _LARGEST_OUTPUT
    return found, f"the output of {about.st_size} bytes {CUT} {_LARGEST_OUTPUT}" if cut else ""


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with each placeholder replaced. Replacements are not searched again; other braces stay."""
    return _WORD.sub(lambda found: values.get(found[1], found[0]), text)


def is_used(name: str, arguments: Iterable[str]) -> bool:
    """Whether a placeholder occurs in the arguments."""
    return any(word[1] == name for argument in arguments for word in _WORD.finditer(argument))


def check_arguments(arguments: Sequence[str], known: Sequence[str], *, what: str) -> tuple[str, ...]:
    """The arguments of a command, or InputError.

    Braces have a meaning in many languages, so a word in braces is taken for a mistake only if it is close to a
    placeholder: `{grpah}` is one, and the `{print}` of awk is not.
    """
    if isinstance(arguments, str | bytes) or not isinstance(arguments, Sequence):
        form = as_list(arguments) if isinstance(arguments, str) else '["program", "argument", …]'
        raise InputError(f"{what} is not a list of arguments: {arguments!r}", hint=f"write {form}")
    if not arguments or not all(isinstance(argument, str) for argument in arguments):
        raise InputError(f"{what} needs a program and arguments, all of them strings: {list(arguments)!r}")
    if not arguments[0] or any("\0" in argument for argument in arguments):
        raise InputError(f"{what} does not name a program: {list(arguments)!r}")
    for argument in arguments:
        for word in _WORD.finditer(argument):
            hint = did_you_mean(word[1], known, shown="'{{{}}}'")
            if word[1] not in known and hint is not None:
                raise InputError(f"{what} has no placeholder '{word[0]}'", hint=hint)
    return tuple(arguments)


# -- a program that answers a question a line --------------------------------------------------------------------------

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
        arguments = [filled(argument, {"python": sys.executable}) for argument in self._arguments]
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
