"""Selected tests, run one after the other by a command of the user's."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from kgprobe.errors import InputError
from kgprobe.processes.tree import end_group

__all__ = ["Ran", "Saving", "command_for", "run_tests", "saving"]

_PLACE = "{test}"


@dataclass(frozen=True, slots=True)
class Ran:
    """How a test fared: its exit code, None if it took too long, and the end of what it printed."""

    test: str
    code: int | None
    seconds: float
    output: str

    @property
    def passed(self) -> bool:
        return self.code == 0


@dataclass(frozen=True, slots=True)
class Saving:
    """Seconds that selection took, that the selected tests took, and that all tests would take.

    The last is an estimate: a test that was not run is taken to need as long as the others did on average.
    """

    selecting: float
    running: float
    everything: float

    @property
    def share(self) -> float:
        """The part of the time for all tests that was saved; negative if selection cost more than it saved."""
        return 1 - (self.selecting + self.running) / self.everything if self.everything else 0.0


def command_for(template: str) -> Callable[[str], list[str]]:
    """A function from a test's name to the arguments that run it. No shell ever sees a name."""
    try:
        parts = shlex.split(template)
    except ValueError as error:
        raise InputError(f"--run: {template!r} is no command: {error}") from None
    if not any(_PLACE in part for part in parts):
        raise InputError(f"--run: {template!r} does not say where the test goes", hint="for example 'pytest {test}'")
    return lambda test: [part.replace(_PLACE, test) for part in parts]


def run_tests(
    tests: Iterable[str],
    command: Callable[[str], Sequence[str]],
    *,
    limit: float,
    on_done: Callable[[Ran], None],
    environment: Mapping[str, str] | None = None,
) -> list[Ran]:
    """Run each test, for at most `limit` seconds, and tell of each as soon as it is done.

    Without an environment of their own, tests have that of this process.
    """
    done = []
    for test in tests:
        ran = _run(test, command(test), limit, environment)
        on_done(ran)
        done.append(ran)
    return done


def saving(done: Sequence[Ran], total: int, selecting: float) -> Saving:
    """What selection saved, given how many tests there are in all."""
    running = sum(ran.seconds for ran in done)
    everything = running / len(done) * total if done else 0.0
    return Saving(selecting, running, everything)


def _run(test: str, arguments: Sequence[str], limit: float, environment: Mapping[str, str] | None) -> Ran:
    began = time.monotonic()
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
                list(arguments),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=environment,
            )
        except OSError as error:
            hint = "give the command as you would type it, with {test} where the test goes"
            raise InputError(f"--run: {arguments[0]!r} cannot be started: {error.strerror}", hint=hint) from None
        try:
            code: int | None = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            end_group(process.pid)
            process.wait()
        return Ran(test, code, time.monotonic() - began, _tail(output))


def _tail(output: IO[bytes], most: int = 4000) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(size - most, 0))
    return output.read().decode("utf-8", "replace")
