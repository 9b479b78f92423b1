"""Selected tests, run one after the other by a command of the user's."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.processes.child import Output, run
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import Limits

__all__ = ["Ran", "Saving", "command_for", "run_tests", "saving"]

_PLACE = "{test}"
_MOST_OUTPUT = 4000


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
    environment: Callable[[str], Mapping[str, str]] | None = None,
) -> list[Ran]:
    """Run each test, for at most `limit` seconds, and tell of each as soon as it is done.

    `environment` gives the variables that a test has beside those of this process.
    """
    done = []
    guards = Guards()
    try:
        for test in tests:
            ran = _run(test, command(test), limit, environment(test) if environment else {}, guards)
            on_done(ran)
            done.append(ran)
    finally:
        guards.close()
    return done


def saving(done: Sequence[Ran], total: int, selecting: float) -> Saving:
    """What selection saved, given how many tests there are in all."""
    running = sum(ran.seconds for ran in done)
    everything = running / len(done) * total if done else 0.0
    return Saving(selecting, running, everything)


def _run(test: str, arguments: Sequence[str], limit: float, environment: Mapping[str, str], guards: Guards) -> Ran:
    try:
        ended = run(
            arguments,
            Limits(limit, 0),
            folder=Path.cwd(),
            environment=environment,
            output=Output.MERGED,
            guards=guards,
        )
    except OSError as error:
        hint = "give the command as you would type it, with {test} where the test goes"
        reason = error.strerror or error
        raise InputError(f"--run: {arguments[0]!r} cannot be started: {reason}", hint=hint) from None
    code = ended.code if ended.passed is None else None
    return Ran(test, code, ended.seconds, ended.stdout.text()[-_MOST_OUTPUT:])
