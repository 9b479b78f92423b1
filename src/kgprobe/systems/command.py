"""A program as a system under test: it is run once for each case, in a folder that did not exist before."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from kgprobe.errors import UnavailableError
from kgprobe.graph.files import writable_format
from kgprobe.model import Case, Observation, Status
from kgprobe.processes.captured import CUT
from kgprobe.processes.child import run
from kgprobe.processes.folders import clean_folder
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import Limits
from kgprobe.processes.programs import check_program, refusal
from kgprobe.systems.endings import judged, limit_passed
from kgprobe.systems.formatted import formatted
from kgprobe.systems.placeholders import check_arguments, filled, is_used

__all__ = ["CommandSystem"]

_PLACEHOLDERS = ("graph", "output", "python", "folder")
_LARGEST_OUTPUT = 1 << 24


class CommandSystem:
    """Arguments with `{graph}` and `{output}` for files, `{folder}` for the folder of the run, `{python}` for Python.

    Without `{graph}` the graph comes through standard input. `folder` is where relative names in the arguments start;
    without it, that is the folder of the run.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        *,
        limits: Limits | None = None,
        graph_format: str = "turtle",
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self._arguments = check_arguments(arguments, _PLACEHOLDERS, what=f"the command of '{name}'")
        self._limits = limits or Limits()
        self._format = writable_format("-", graph_format)
        self._folder = folder
        self._environment = dict(environment or {})
        self._sends_graph = not is_used("graph", self._arguments)
        self._has_output = is_used("output", self._arguments)
        self._guards = Guards()

    def start(self) -> None:
        """Find the program; UnavailableError if it is not there."""
        program = filled(self._arguments[0], {"python": sys.executable})
        if self._folder is not None and not self._folder.is_dir():
            raise UnavailableError(f"the folder {self._folder}, in which '{self.name}' runs, does not exist")
        if is_used("folder", [program]):
            return
        if os.sep in program and self._folder is None and not Path(program).is_absolute():
            raise UnavailableError(
                f"the program {program} of '{self.name}' is relative to no folder", hint="write its whole path"
            )
        path = self._environment.get("PATH", os.environ.get("PATH"))
        check_program(program, what=f"'{self.name}'", folder=self._folder, path=path)

    def run(self, case: Case) -> Observation:
        """Run the program on a graph."""
        with clean_folder() as folder:
            text = formatted(case, self._format, self.name)
            if isinstance(text, Observation):
                return text
            graph, output = folder / f"graph.{self._format.extensions[0]}", folder / "output"
            if not self._sends_graph:
                graph.write_bytes(text)
            values = {"graph": str(graph), "output": str(output), "python": sys.executable, "folder": str(folder)}
            return self._observe([filled(each, values) for each in self._arguments], text, folder, output)

    def close(self) -> None:
        """End the guards. Nothing is left of a run itself."""
        self._guards.close()

    def _observe(self, arguments: list[str], text: bytes, folder: Path, output: Path) -> Observation:
        try:
            ended = run(
                arguments,
                self._limits,
                folder=self._folder,
                environment=self._environment,
                sent=text if self._sends_graph else None,
                guards=self._guards,
                scratch=folder,
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


def _content(file: Path) -> tuple[bytes | None, str]:
    """What a program wrote to its file, and a remark if that is not all. It may be anything: a link, a pipe."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None, ""
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        return None, "what was written in place of the output file is no file"
    with os.fdopen(descriptor, "rb") as stream:
        found = stream.read(_LARGEST_OUTPUT)
    cut = about.st_size > _LARGEST_OUTPUT
    return found, f"the output of {about.st_size} bytes {CUT} {_LARGEST_OUTPUT}" if cut else ""
